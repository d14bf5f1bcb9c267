//! What our own engine makes of a program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use diagnostics::Diagnostic;
use rules::{Limits, Memory, Rulebook, Stop};

use super::{Answer, Case, Opinion};

/// Few generated programs need a hundredth of this.
const STEPS: u64 = 10_000_000;

/// What our rules make of a program. A mistake that the engine notices itself is no reason to
/// leave the other programs unasked.
pub fn quipu(case: &Case) -> Opinion {
    catch_unwind(AssertUnwindSafe(|| answer(case))).unwrap_or(Opinion::Died)
}

fn answer(case: &Case) -> Opinion {
    let (mut program, findings) = rules::read::read(&case.constructs.join("\n"));
    if diagnostics::any_error(&findings) {
        return Opinion::Rejected(told(&findings));
    }
    let mut facts = Vec::new();
    for text in &case.asserts {
        match rules::read::read_fact(&mut program, text) {
            Ok(fact) => facts.push(fact),
            Err(findings) => return Opinion::Rejected(told(&findings)),
        }
    }
    let book = match Rulebook::new(program) {
        Ok(book) => Arc::new(book),
        Err(findings) => return Opinion::Rejected(told(&findings)),
    };
    let limits = Limits { firings: u64::from(case.limit), steps: STEPS, ..Limits::default() };
    let mut memory = Memory::new(Arc::clone(&book), limits);
    facts.iter().for_each(|fact| memory.assert_new(fact));
    let name = |rule: u32| book.program().rules[rule as usize].name.to_string();
    let agenda_initial = memory.agenda().map(|activated| name(activated.rule)).collect();
    let mut complaint: String = faults(&mut memory);
    let mut fired = Vec::new();
    match memory.run(|rule| fired.push(name(rule))) {
        Stop::Fault(fault) => complaint.push_str(&fault.message),
        Stop::Printed | Stop::Facts | Stop::Matches | Stop::Steps => return Opinion::TooLong,
        Stop::Quiet | Stop::Halted | Stop::Firings => {}
    }
    let facts = memory.facts().filter_map(|fact| memory.print(fact.id)).collect();
    Opinion::Ran(Answer { agenda_initial, fired, facts, printed: memory.take_printed(), complaint })
}

fn faults(memory: &mut Memory) -> String {
    memory.take_faults().iter().map(|fault| format!("{}\n", fault.message)).collect()
}

fn told(findings: &[Diagnostic]) -> String {
    let lines = findings.iter().map(|found| format!("{} {}", found.code.id, found.message));
    lines.collect::<Vec<String>>().join("\n")
}
