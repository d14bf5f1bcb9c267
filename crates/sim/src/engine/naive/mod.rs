//! The naive interpreter: `docs/running.md` in code, by names and copies, nothing compiled.
//!
//! Answers of models, tools and stores are immediate. Time passes only when no fiber can go on:
//! then the earliest timer, answer of a person or expiry happens, among equals the one that was
//! asked for first.

mod fiber;
mod forks;
mod functions;
mod models;
mod nodes;
mod stores;

use std::collections::BTreeMap;

use fiber::{Doing, Fiber, Spot, Wait};
use forks::Fork;
use graph::{Graph, Kind};
use stores::Stores;
use value::{Map, Text, Value};

use super::Limits;
use super::outcome::{Asked, Outcome, Status, comparable};
use super::world::World;

/// The moment at which every run begins: 2026-01-01T00:00:00Z, in microseconds.
pub const BEGIN_MICROS: i64 = 1_767_225_600_000_000;

/// The failures that end a run whatever guards there are.
const BUDGETS: [&str; 7] = [
    "aborted",
    "visits_exceeded",
    "steps_exceeded",
    "fibers_exceeded",
    "tokens_exceeded",
    "cost_exceeded",
    "time_exceeded",
];

/// Runs a graph to its end.
pub fn run(graph: &Graph, inputs: &Map, world: &mut World, limits: &Limits) -> Outcome {
    let mut run = Run {
        graph,
        world,
        limits,
        fibers: Vec::new(),
        forks: Vec::new(),
        stores: Stores::default(),
        waits: Vec::new(),
        asked_count: 0,
        now: BEGIN_MICROS,
        steps: 0,
        last_output: Value::Null,
        path: Vec::new(),
        effects: Vec::new(),
        ended: None,
    };
    let mut frame = BTreeMap::new();
    for (name, input) in graph.declarations.of(Kind::Inputs) {
        if let Some(default) = input.get("default") {
            frame.insert(name.clone(), default.clone());
        }
    }
    frame.extend(inputs.iter().map(|(name, value)| (name.clone(), value.clone())));
    let entry = graph.begins_at().expect("a graph without errors has a label").clone();
    run.fibers.push(Fiber::new(frame, Doing::Begin { label: entry, met: false }, None));
    let status = run.until_it_ends();
    Outcome {
        status,
        state: comparable(&run.fibers[0].frame.0),
        path: run.path,
        effects: run.effects,
    }
}

/// A run under way. Fibers are known by their number, which is their age.
struct Run<'a> {
    graph: &'a Graph,
    world: &'a mut World,
    limits: &'a Limits,
    fibers: Vec<Fiber>,
    forks: Vec<Fork>,
    stores: Stores,
    waits: Vec<Wait>,
    /// How many timers and questions there were: their order.
    asked_count: usize,
    now: i64,
    steps: usize,
    /// What the last model or tool answered.
    last_output: Value,
    path: Vec<Text>,
    effects: Vec<Asked>,
    ended: Option<Status>,
}

impl Run<'_> {
    fn until_it_ends(&mut self) -> Status {
        loop {
            if let Some(status) = self.ended.take() {
                return status;
            }
            match self.next_fiber() {
                Some(fiber) => self.turn(fiber),
                None => self.let_time_pass(),
            }
        }
    }

    /// Of the fibers that can go on the one that has begun the fewest processes, then the oldest.
    fn next_fiber(&self) -> Option<usize> {
        let can_go_on = (0..self.fibers.len()).filter(|fiber| self.fibers[*fiber].can_go_on());
        can_go_on.min_by_key(|fiber| (self.fibers[*fiber].begun, *fiber))
    }

    fn let_time_pass(&mut self) {
        let first = (0..self.waits.len())
            .min_by_key(|at| (self.waits[*at].due, self.waits[*at].order))
            .expect("a run that has not ended waits for something");
        let wait = self.waits.remove(first);
        self.now = wait.due;
        self.fibers[wait.fiber].doing = wait.then;
    }

    fn wait(&mut self, fiber: usize, after_ms: u64, then: Doing) -> Doing {
        self.asked_count += 1;
        let due = self.now + i64::try_from(after_ms).expect("delays are small") * 1_000;
        self.waits.push(Wait { due, order: self.asked_count, fiber, then });
        Doing::Waiting
    }

    /// A fiber goes on until it comes to the next process, waits or ends.
    fn turn(&mut self, fiber: usize) {
        let mut doing = std::mem::replace(&mut self.fibers[fiber].doing, Doing::Waiting);
        if let Doing::Begin { label, met } = doing {
            let Some(begun) = self.begin(fiber, &label, met) else { return };
            doing = begun;
        }
        while self.ended.is_none() {
            doing = match doing {
                Doing::Begin { .. } | Doing::Waiting | Doing::Over => break,
                Doing::Arrive(spot) => {
                    self.fibers[fiber].top().attempts = 0;
                    self.fibers[fiber].top().in_doubt = false;
                    self.node(fiber, spot)
                }
                Doing::Again(spot) => self.node(fiber, spot),
                Doing::GoOn(spot, port) => {
                    self.fibers[fiber].top().in_doubt = false;
                    self.follow(fiber, &spot, port)
                }
                Doing::Failed(spot, fault) => self.fail(fiber, spot, fault),
                Doing::Answered(spot, answer) => self.answered(fiber, spot, answer),
                Doing::Expired(spot) => self.expired(fiber, spot),
                Doing::Called(spot, answer) => self.called(fiber, spot, answer),
                Doing::Kept(spot, answer) => self.kept(fiber, spot, answer),
            };
        }
        // Whoever ended or waits at a join is marked as such already.
        if !matches!(doing, Doing::Waiting | Doing::Over) {
            self.fibers[fiber].doing = doing;
        }
    }

    /// Begins a process. A branch that begins where its fork waits has come to the join instead.
    fn begin(&mut self, fiber: usize, label: &Text, met: bool) -> Option<Doing> {
        let entry = self.entry_of(label);
        if !met && self.is_own_join(fiber, &entry) {
            self.finish(fiber, Ok(()));
            return None;
        }
        if self.path.len() >= self.limits.visits {
            self.ended = Some(Status::Failed("visits_exceeded".into()));
            return None;
        }
        self.path.push(label.clone());
        self.fibers[fiber].begun += 1;
        Some(match met {
            true => Doing::GoOn(entry, graph::ops::Port::Next),
            false => Doing::Arrive(entry),
        })
    }

    fn entry_of(&self, label: &Text) -> Spot {
        let entry = self.graph.labels[&**label].entry.clone();
        Spot { label: label.clone(), node: entry.expect("a label without errors has an entry") }
    }

    /// Asks the world, and keeps that it was asked.
    fn asks(&mut self, spot: &Spot, request: String) -> (Text, Text) {
        let (at, request): (Text, Text) = (spot.to_string().into(), request.into());
        self.effects.push(Asked { at: at.clone(), request: request.clone() });
        (at, request)
    }

    fn read(&self, fiber: usize, operand: Option<&graph::Operand>) -> Value {
        match operand {
            Some(graph::Operand::Lit(value)) => value.clone(),
            Some(graph::Operand::Var(name)) => self.fibers[fiber].frame.read(name),
            _ => Value::Null,
        }
    }

    fn write(&mut self, fiber: usize, name: &str, value: Value) {
        self.fibers[fiber].frame.0.insert(name.into(), value);
    }
}
