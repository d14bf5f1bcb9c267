//! Small programs with the order in which CLIPS 6.4.2 fires their rules: what `quipu-sim`'s
//! comparison with CLIPS once found to differ, made small, and its neighbours.

use std::sync::Arc;

use rules::read::{read, read_fact};
use rules::{Limits, Memory, Rulebook};

#[test]
fn rules_fire_in_the_order_of_clips() {
    let cases = include_str!("orders.txt").split("\n\n");
    for case in cases {
        let lines = |word: &str| {
            let word = word.to_owned();
            case.lines().filter_map(move |line| line.strip_prefix(&word))
        };
        let constructs: Vec<String> = lines("(").map(|rest| format!("({rest}")).collect();
        let (mut program, findings) = read(&constructs.join("\n"));
        assert!(!diagnostics::any_error(&findings), "{case}\n{findings:?}");
        let facts: Vec<_> = lines("assert ")
            .map(|text| {
                read_fact(&mut program, text).unwrap_or_else(|why| panic!("{case}\n{why:?}"))
            })
            .collect();
        let book = Arc::new(Rulebook::new(program).unwrap_or_else(|why| panic!("{case}\n{why:?}")));
        let mut memory = Memory::new(Arc::clone(&book), Limits::default());
        facts.iter().for_each(|fact| memory.assert_new(fact));
        let name = |rule: u32| format!(" {}", book.program().rules[rule as usize].name);
        let agenda: String = memory.agenda().map(|activated| name(activated.rule)).collect();
        let mut fired = String::new();
        memory.run(|rule| fired.push_str(&name(rule)));
        assert_eq!(lines("agenda").next(), Some(agenda.as_str()), "{case}");
        assert_eq!(lines("fires").next(), Some(fired.as_str()), "{case}");
    }
}
