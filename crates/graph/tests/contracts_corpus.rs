//! The table of contracts against the one of the reference, which is read where it is.

use std::path::Path;

use graph::contracts::{find, is_core_verb};
use value::json;

/// Verbs whose kind is another one with us, and why. There is none.
const OTHER_KINDS: &[(&str, &str)] = &[];

#[test]
fn tiers_and_kinds_are_those_of_the_reference() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: set QUIPU_CORPUS");
        return;
    };
    let path = Path::new(&corpus).join("ainl/tables/adapter_effect.json");
    let table = json::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let table = table.as_map().unwrap();
    assert!(table.len() > 300);
    let mut wrong = Vec::new();
    for (name, theirs) in table {
        let word = |member: &str| theirs.get(member).unwrap().as_text().unwrap().clone();
        let (namespace, verb) = name.split_once('.').unwrap();
        let Some(ours) = find(namespace, verb) else {
            wrong.push(format!("{name}: unknown"));
            continue;
        };
        if ours.tier().word() != &*word("effect_tier") {
            wrong.push(format!("{name}: {}", ours.tier().word()));
        }
        if *ours.kind != *word("effect_kind") && !OTHER_KINDS.iter().any(|(own, _)| *own == &**name)
        {
            wrong.push(format!("{name}: {}", ours.kind));
        }
        // What the reference calls pure because it has no word for the clock.
        if namespace == "core" && functions::find(verb).is_none() {
            let is_missing = ["MAP", "FILTER", "REDUCE"].contains(&verb);
            assert!(is_missing || is_core_verb(verb), "{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
