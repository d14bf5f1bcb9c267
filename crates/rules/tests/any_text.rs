//! No text makes reading it, or making ready what was read, panic or hang, and every finding points
//! into the text.

use diagnostics::{Anchor, Diagnostic};
use proptest::prelude::*;
use rules::Rulebook;
use rules::read::{read, read_fact};

const PIECES: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    " ",
    "\n",
    "(deftemplate t (slot a) (multislot m (type SYMBOL)))",
    "(defrule r",
    "\n(defrule s ",
    "(deffacts d (t (a 1)))",
    "(deffunction f (?x $?y) ",
    "(defglobal ?*g* = ",
    "=>",
    "<-",
    "?x",
    "$?x",
    "?*g*",
    "?",
    "$?",
    "&",
    "|",
    "~",
    ":",
    "=",
    "=(+ 1 2)",
    ":(> ?x 1)",
    "(t (a ?x))",
    "(t (b 1))",
    "(not ",
    "(or ",
    "(exists ",
    "(forall ",
    "(logical ",
    "(test ",
    "(assert (t (a ",
    "(modify ?f (a 1))",
    "(retract ?f)",
    "(if TRUE then ",
    " else ",
    "(while TRUE do ",
    "(loop-for-count (?i 1 3) do ",
    "(progn$ (?y ?x) ",
    "(switch ?x (case 1 then ",
    "(default ",
    "(bind ?x ",
    "(printout t ",
    "(+ 1 2)",
    "(str-cat a ",
    "(format t \"%5.1f%s%q\" ",
    "\"text\"",
    "\"open",
    "\\",
    "1",
    "-2.5e3",
    "99999999999999999999",
    "red",
    "(declare (salience 5))",
    "(slot a (default ?NONE))",
    "(range 1 5)",
    "(cardinality 1 2)",
    "(allowed-symbols a b)",
    "(type INTEGER)",
    "; note\n",
    "é",
    "🧀",
    "\u{7}",
    "\0",
    "[i]",
    "MAIN::r",
    "X::r",
    "(defmodule X)",
    "?_x",
    "(return 1)",
    "(break)",
];

fn points_into(text: &str, findings: &[Diagnostic]) {
    for found in findings {
        let edits = found.fix.iter().flat_map(|fix| &fix.edits).map(|edit| &edit.at);
        let labels = found.labels.iter().map(|label| &label.at);
        for anchor in std::iter::once(&found.at).chain(labels).chain(edits) {
            let Anchor::Span(span) = anchor else { panic!("{found:?}") };
            assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}: {found:?}");
        }
    }
}

proptest! {
    #[test]
    fn pieces_of_programs_are_read(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)
    ) {
        let text = pieces.concat();
        points_into(&text, &Rulebook::read(&text).1);
        let (mut program, _) = read(&text);
        if let Err(findings) = read_fact(&mut program, &text) {
            points_into(&text, &findings);
        }
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        points_into(&text, &read(&text).1);
    }
}

#[test]
fn deep_and_long_texts_give_findings() {
    let codes = |text: &str| -> Vec<&str> {
        let (_, findings) = read(text);
        points_into(text, &findings);
        findings.iter().map(|found| found.code.id).collect()
    };
    let open = "(".repeat(100_000);
    assert_eq!(codes(&open), ["R102", "R104"]);
    assert_eq!(codes(&format!("{open}{}", ")".repeat(100_000))), ["R104"]);
    assert_eq!(codes(&")".repeat(100_000)), ["R103"]);
    // Each rule lacks a parenthesis: each is one finding, and the whole takes no longer than reading.
    let rules = "\n(defrule r (a) => (assert (b))".repeat(5_000);
    assert_eq!(codes(&rules), ["R102"; 5_000]);
}
