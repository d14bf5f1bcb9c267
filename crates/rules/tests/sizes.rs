//! A rule may have only so many parts, and what is too much is told with the limit that it broke.

use rules::Rulebook;
use rules::read::read;

/// What a program is refused for: the code and the help of each finding.
fn refused(text: &str) -> Vec<(&'static str, String)> {
    let (program, findings) = read(text);
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    let found = Rulebook::new(program).err().unwrap_or_default();
    let help = |help: Option<&str>| help.unwrap_or_default().to_owned();
    found.iter().map(|one| (one.code.id, help(one.help.as_deref()))).collect()
}

fn too_large(help: &str) -> Vec<(&'static str, String)> {
    vec![("R224", help.to_owned())]
}

#[test]
fn the_pattern_of_a_slot_has_a_thousand_fields() {
    let rule = |fields: usize| format!("(defrule r (a {}) => )", "? ".repeat(fields));
    assert_eq!(refused(&rule(1_000)), []);
    assert_eq!(refused(&rule(1_001)), too_large("a slot's pattern may have 1000 fields"));
}

#[test]
fn a_match_keeps_few_stretches() {
    let rule = |fields: usize| format!("(defrule r (a {}) => )", "$? ".repeat(fields));
    assert_eq!(refused(&rule(32)), []);
    let help = "a pattern may have 32 of `$?` and `$?x` in slots with several of them";
    assert_eq!(refused(&rule(33)), too_large(help));
}

#[test]
fn each_alternative_has_few_conditions() {
    let rule = |count: usize| format!("(defrule r {} => )", "(a) ".repeat(count));
    assert_eq!(refused(&rule(250)), []);
    let help = "each alternative of a rule may have 250 conditions";
    assert_eq!(refused(&rule(251)), too_large(help));
}

#[test]
fn all_alternatives_together_have_a_limit() {
    let rule = |ways: usize| format!("(defrule r (a) (or {}) => )", "(b) ".repeat(ways));
    assert_eq!(refused(&rule(5_000)), []);
    let help = "all alternatives of a rule may have 10000 conditions together; `or`s multiply them";
    assert_eq!(refused(&rule(5_001)), too_large(help));
}

#[test]
fn what_alternatives_repeat_counts_for_each() {
    let rule = |ways: usize, size: usize| {
        let (ways, sum) = ("(b) ".repeat(ways), "1 ".repeat(size));
        format!("(defrule r (a ?x) (or {ways}) (test (> (+ {sum} ?x) 3)) => )")
    };
    assert_eq!(refused(&rule(10, 2_000)), []);
    let help = "the conditions of all alternatives of a rule may have 200000 fields and parts of \
                expressions together; `or`s multiply them";
    assert_eq!(refused(&rule(1_000, 2_000)), too_large(help));
    // Without alternatives nothing is repeated.
    assert_eq!(refused(&rule(1, 100_000)), []);
}
