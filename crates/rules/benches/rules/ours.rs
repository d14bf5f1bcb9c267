//! Our engine on the programs.

use std::sync::Arc;
use std::time::Instant;

use rules::program::{NewFact, TemplateId};
use rules::{FactId, Field, Limits, Memory, Rulebook, Stop};

use crate::jobs::{Job, Kind};
use crate::table::Figure;

/// What it takes us.
pub(crate) fn measure(job: &Job) -> Figure {
    let (mut program, findings) = rules::read::read(&job.rules);
    assert!(!diagnostics::any_error(&findings), "{findings:?}");
    let facts: Vec<NewFact> = job
        .facts
        .iter()
        .map(|text| rules::read::read_fact(&mut program, text).expect("it is a fact"))
        .collect();
    let book = Arc::new(Rulebook::new(program).expect("its rules are sound"));
    let limits =
        Limits { firings: u64::MAX, facts: usize::MAX, steps: u64::MAX, matches: usize::MAX };
    let mut memory = Memory::new(book, limits);
    let begin = Instant::now();
    facts.iter().for_each(|fact| memory.assert_new(fact));
    let asserted = Instant::now();
    match job.kind {
        Kind::Cycle { count, nodes } => cycles(memory, count, nodes),
        Kind::Once => {
            let mut fired = 0;
            assert_eq!(memory.run(|_| fired += 1), Stop::Quiet);
            let run_us = asserted.elapsed().as_secs_f64() * 1e6;
            Figure { assert_us: (asserted - begin).as_secs_f64() * 1e6, run_us, fired }
        }
    }
}

/// As in `loop.c`: a host changes three facts, runs, and takes the actions out.
fn cycles(mut memory: Memory, count: usize, nodes: usize) -> Figure {
    let template = |memory: &Memory, name: &str| {
        let templates = &memory.rulebook().program().templates;
        let at = templates.iter().position(|template| &*template.name == name);
        TemplateId(at.expect("the program has it") as u32)
    };
    let [node, severity, channel, action] =
        ["node-id", "severity", "channel", "action"].map(|name| template(&memory, name));
    let names: Vec<String> = (0..nodes).map(|at| format!("n{at}")).collect();
    let mut facts: Vec<FactId> = Vec::new();
    let warm = count / 10 + 1;
    let (mut fired, mut begin) = (0, Instant::now());
    for at in 0..warm + count {
        if at == warm {
            (fired, begin) = (0, Instant::now());
        }
        facts.drain(..).for_each(|fact| {
            memory.retract(fact);
        });
        let values = [
            (node, Field::symbol(&names[at * 7 % nodes])),
            (severity, Field::Int((at * 5 % 6) as i64)),
            (channel, Field::symbol(["mail", "chat", "phone"][at % 3])),
        ];
        for (template, value) in values {
            facts.extend(memory.assert(template, vec![value], None));
        }
        memory.run(|_| fired += 1);
        loop {
            let decided = memory.facts_of(action).next().map(|fact| fact.id);
            let Some(decided) = decided else { break };
            memory.retract(decided);
        }
    }
    let run_us = begin.elapsed().as_secs_f64() * 1e6 / count as f64;
    Figure { assert_us: 0.0, run_us, fired }
}
