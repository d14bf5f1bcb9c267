//! Small programs with what CLIPS 6.4 makes of them: the agenda after a reset and the facts behind
//! `+`, the rules that fire, and the facts in the end. Most were once different here. Where the
//! comment above a program says so, CLIPS is wrong and the result is ours.

use std::sync::Arc;

use rules::read::{read, read_fact};
use rules::{Limits, Memory, Rulebook, Stop};

#[test]
fn programs_fire_as_they_do_in_clips() {
    let mut wrong = Vec::new();
    for case in include_str!("firing.txt").split("\n\n") {
        let (programs, expected) = case.split_at(case.find("agenda:").unwrap());
        let found = fired(programs);
        if found != expected.trim_end() {
            wrong.push(format!("{case}\nand not\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// What happens, written as in the table.
fn fired(case: &str) -> String {
    let (facts, program): (Vec<&str>, Vec<&str>) =
        case.lines().partition(|line| line.starts_with("+ "));
    let (mut program, findings) = read(&program.join("\n"));
    assert!(!diagnostics::any_error(&findings), "{case}: {findings:?}");
    let mut given = Vec::new();
    for fact in facts {
        given.push(read_fact(&mut program, &fact[2..]).unwrap_or_else(|why| panic!("{why:?}")));
    }
    let book = Rulebook::new(program).unwrap_or_else(|found| panic!("{case}: {found:?}"));
    let book = Arc::new(book);
    let mut memory = Memory::new(Arc::clone(&book), Limits::default());
    given.iter().for_each(|fact| memory.assert_new(fact));
    let name = |rule: u32| format!(" {}", book.program().rules[rule as usize].name);
    let agenda: String = memory.agenda().map(|activated| name(activated.rule)).collect();
    let mut fired = String::new();
    assert_eq!(memory.run(|rule| fired.push_str(&name(rule))), Stop::Quiet, "{case}");
    let facts = memory.facts().filter_map(|fact| memory.print(fact.id));
    let facts: String = facts.map(|fact| format!(" {fact}")).collect();
    format!("agenda:{agenda}\nfired:{fired}\nfacts:{facts}")
}
