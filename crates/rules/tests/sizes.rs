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
