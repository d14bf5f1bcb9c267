//! Any text is a program or a list of findings, in either syntax; and its graph, printed and read
//! again, is the same graph. Texts come from seeds, so a
//! failing case is one number.

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::hash::Hashes;
use graph::validate::{Edges, validate};
use proptest::prelude::*;
use sim::Random;
use value::{Value, json};

/// Words and parts of words that mean something somewhere, and some that do not.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "L1:", "L2:", "L_x:", "g:", "g @cron \"e\":", "@api", "in:", "if", "elif", "else:", "else",
    "out", "err", "call", "config", "state", "not", "and", "or", "==", "!=", "<=", "=", "<", "+",
    ":", "(", ")", "R", "J", "If", "Err", "Retry", "Call", "Set", "Filt", "Sort", "X", "Loop",
    "While", "CacheGet", "QueuePut", "Tx", "Enf", "memory.merge", "Filter", "ForEach", "S",
    "hybrid", "D", "E", "U", "T", "Q", "C", "Cr", "Pol", "A", "Txn", "Bind", "Rel", "Idx", "Inc",
    "Ver", "Lim", "tenant", "Desc", "ops.Env", "ops.Nope", "foo.Bar", "arch.X", "core.ADD",
    "core.FAIL", "core", "x", "y", "$x", "$x.y", "1", "-2.5", "true", "x?", "x=1", "x==1", "a:S",
    "a:S?", "->x", "->L1", "->Lx", "->", "@n1", "@n9", "/p", "G", "\"", "'", "\"a b\"", "'c'",
    "\\", "#", "é", "😀", "\u{feff}", "limit=3", "{\"a\":1}", "[]", "\r", "\t", "  ", "    ",
    "a,b", ",", "_out", "_entry",
];

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    if random.below(2) == 0 {
        text.push_str(random.pick::<&str>(&[
            "g:\n",
            "g @cron \"* * * * *\":\n",
            "# c\n\ng @api /p:\r\n",
        ]));
    }
    for _ in 0..random.below(24) {
        text.push_str(random.pick::<&str>(&["", "", "  ", "    ", "      ", "\t"]));
        for _ in 0..random.below(7) {
            text.push_str(random.pick::<&str>(PIECES));
            text.push_str(random.pick::<&str>(&[" ", " ", " ", ""]));
        }
        text.push_str(random.pick::<&str>(&["\n", "\n", "\n", "\r\n"]));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_text_is_a_program_or_findings(seed: u64) {
        let source = Source::new("a.ainl", text(&mut Random::new(seed)));
        let mut reading = frontends::read(&source, Format::Ainl, Ontology::V1);
        let draft = reading.draft.take();
        prop_assert!(draft.is_some());
        let graph = graph::normalize(draft.unwrap_or_default(), &mut reading.findings);
        reading.findings.extend(validate(&graph, Edges::Strict));
        reading.findings.extend(compiler::analyse(&graph));
        reading.origins.trace(&mut reading.findings);
        for finding in &mut reading.findings {
            let is_inside =
                finding.anchors_mut().all(|at| source.text.get(at.span().range()).is_some());
            prop_assert!(is_inside, "outside of the text: {}\n{}", finding.message, source.text);
        }
        let hashes = Hashes::of(&graph);
        let printed = json::pretty(&Value::from(frontends::document::write(&graph, &hashes)));
        let again = Source::new("a.json", printed);
        let again = frontends::read(&again, Format::Graph, Ontology::V1);
        let again = graph::normalize(again.draft.unwrap_or_default(), &mut Vec::new());
        prop_assert_eq!(hashes.checksum, Hashes::of(&again).checksum, "{}", source.text);
    }

    /// Nothing is dropped silently: of a text that no finding is about, every word is kept.
    #[test]
    fn lines_are_kept_or_reported(seed: u64) {
        let mut random = Random::new(seed);
        let first = *random.pick(PIECES);
        let source = Source::new("a.ainl", format!("L1:\n  J 1\n{first} x y z w v u\n"));
        let reading = frontends::read(&source, Format::Ainl, Ontology::V1);
        let is_reported = !reading.findings.is_empty();
        // What takes any number of words.
        let takes_all = ["R", "X", "S", "L2:", "L_x:", "#", ""].contains(&first.trim());
        prop_assert!(is_reported || takes_all, "{}", source.text);
    }
}
