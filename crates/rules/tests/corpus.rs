//! Programs with the agenda, the firings and the facts that CLIPS gives for them.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]

use std::sync::Arc;

use rules::{Limits, Memory, Rulebook, read};
use value::Value;

/// What a program does, as the contract of `quipu rules` has it.
#[derive(Debug, PartialEq)]
struct Answer {
    agenda: Vec<String>,
    fired: Vec<String>,
    facts: Vec<String>,
}

fn run(text: &str, asserts: &[String]) -> Option<Answer> {
    let (mut program, found) = read::read(text);
    if diagnostics::any_error(&found) {
        return None;
    }
    let facts: Vec<_> = asserts
        .iter()
        .map(|text| read::read_fact(&mut program, text).expect("the fact is right"))
        .collect();
    let book = Arc::new(Rulebook::new(program).ok()?);
    let mut memory = Memory::new(Arc::clone(&book), Limits::default());
    facts.iter().for_each(|fact| memory.assert_new(fact));
    let name = |rule: u32| book.program().rules[rule as usize].name.to_string();
    let agenda = memory.agenda().map(|one| name(one.rule)).collect();
    let mut fired = Vec::new();
    memory.run(|rule| fired.push(name(rule)));
    let facts = memory.facts().filter_map(|fact| memory.print(fact.id)).collect();
    Some(Answer { agenda, fired, facts })
}

#[test]
fn the_corpus_gives_what_clips_gives() {
    let Ok(corpus) = std::env::var("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let text = std::fs::read_to_string(format!("{corpus}/stargraph/clips.json"))
        .expect("the corpus has the cases");
    let Value::List(cases) = value::json::parse(&text).expect("the cases are JSON") else {
        panic!("the cases are a list");
    };
    let texts = |value: Option<&Value>| -> Vec<String> {
        let Some(Value::List(list)) = value else { return Vec::new() };
        list.iter()
            .map(|one| one.as_text().map_or_else(String::new, |text| text.to_string()))
            .collect()
    };
    let mut wrong = Vec::new();
    for case in cases.iter() {
        let name = case.get("name").and_then(Value::as_text).cloned().unwrap_or_default();
        let text = texts(case.get("constructs")).join("\n");
        let result = case.get("result").expect("a case has a result");
        let expected = result.get("build_error").is_none().then(|| Answer {
            agenda: texts(result.get("agenda_initial")),
            fired: texts(result.get("fired")),
            facts: texts(result.get("facts")),
        });
        let ours = run(&text, &texts(case.get("asserts")));
        if ours != expected {
            wrong.push(format!("{name}\n{text}\nours   {ours:?}\nCLIPS  {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}
