//! Our engine on the programs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        Kind::Fork { count, nodes } => forks(memory, count, nodes),
        Kind::Once => {
            let mut fired = 0;
            assert_eq!(memory.run(|_| fired += 1), Stop::Quiet);
            let run_us = asserted.elapsed().as_secs_f64() * 1e6;
            Figure { assert_us: (asserted - begin).as_secs_f64() * 1e6, run_us, fired }
        }
    }
}

fn cycles(mut memory: Memory, count: usize, nodes: usize) -> Figure {
    let mut host = Host::new(&memory, nodes);
    let warm = count / 10 + 1;
    (0..warm).for_each(|at| host.cycle(&mut memory, at));
    host.fired = 0;
    let begin = Instant::now();
    (warm..warm + count).for_each(|at| host.cycle(&mut memory, at));
    let run_us = begin.elapsed().as_secs_f64() * 1e6 / count as f64;
    Figure { assert_us: 0.0, run_us, fired: host.fired }
}

/// A line of forks: each goes one cycle further than the one before, which is kept for some more,
/// as runs do that may be forked again. Only the forks are measured.
fn forks(mut memory: Memory, count: usize, nodes: usize) -> Figure {
    const KEPT: usize = 8;
    let mut host = Host::new(&memory, nodes);
    let mut kept = VecDeque::new();
    let mut taken = Duration::ZERO;
    for at in 0..count {
        host.cycle(&mut memory, at);
        let begin = Instant::now();
        let fork = memory.fork();
        taken += begin.elapsed();
        kept.push_back(std::mem::replace(&mut memory, fork));
        if kept.len() > KEPT {
            kept.pop_front();
        }
    }
    let run_us = taken.as_secs_f64() * 1e6 / count as f64;
    Figure { assert_us: 0.0, run_us, fired: host.fired }
}

/// As in `loop.c`: a host changes three facts, runs, and takes the actions out.
struct Host {
    node: TemplateId,
    severity: TemplateId,
    channel: TemplateId,
    action: TemplateId,
    names: Vec<String>,
    facts: Vec<FactId>,
    fired: u64,
}

impl Host {
    fn new(memory: &Memory, nodes: usize) -> Host {
        let template = |name: &str| {
            let templates = &memory.rulebook().program().templates;
            let at = templates.iter().position(|template| &*template.name == name);
            TemplateId(at.expect("the program has it") as u32)
        };
        Host {
            node: template("node-id"),
            severity: template("severity"),
            channel: template("channel"),
            action: template("action"),
            names: (0..nodes).map(|at| format!("n{at}")).collect(),
            facts: Vec::new(),
            fired: 0,
        }
    }

    fn cycle(&mut self, memory: &mut Memory, at: usize) {
        self.facts.drain(..).for_each(|fact| {
            memory.retract(fact);
        });
        let values = [
            (self.node, Field::symbol(&self.names[at * 7 % self.names.len()])),
            (self.severity, Field::Int((at * 5 % 6) as i64)),
            (self.channel, Field::symbol(["mail", "chat", "phone"][at % 3])),
        ];
        for (template, value) in values {
            self.facts.extend(memory.assert(template, vec![value], None));
        }
        memory.run(|_| self.fired += 1);
        loop {
            let decided = memory.facts_of(self.action).next().map(|fact| fact.id);
            let Some(decided) = decided else { break };
            memory.retract(decided);
        }
    }
}
