//! Drives runs with answers given by hand, and reads them again from their events.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::hash::Hashes;
use history::kinds::{Blob, Fact, Sealed};
use history::{Event, Timestamp};
use runtime::{
    Answer, Begin, Difference, Done, Fault, FaultKind, Fold, Given, Input, Logic, ModelAnswer,
    Options, Pending, Plan, Request, Run, Step, advance, trace, trace_rest,
};
use value::{Map, Value, json};

/// A graph with its plan.
pub struct Made {
    pub plan: Arc<Plan>,
    pub document: Value,
}

/// From the notation of `sim`.
pub fn sketch(text: &str) -> Made {
    declared(text, "{}")
}

/// The same, with declarations.
pub fn declared(text: &str, declarations: &str) -> Made {
    let mut sketch = sim::engine::Sketch::read(text).unwrap();
    for (kind, named) in map(declarations).iter() {
        sketch.declare(kind, named.clone());
    }
    made(&sim::engine::read(&sketch.document()).unwrap())
}

/// From an ontology spec.
pub fn ontology(text: &str) -> Made {
    let source = Source::new("spec.yaml", text);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let draft = reading.draft.take().unwrap();
    assert!(!diagnostics::any_error(&reading.findings), "{:?}", reading.findings);
    made(&graph::normalize(draft, &mut Vec::new()))
}

fn made(graph: &graph::Graph) -> Made {
    let document = frontends::document::write(graph, &Hashes::of(graph)).into();
    Made { plan: Arc::new(Plan::new(graph).unwrap()), document }
}

pub fn map(text: &str) -> Map {
    json::parse(text).unwrap().as_map().unwrap().clone()
}

/// Blocks of these tests: `NAME = JSON`, `del NAME`, `print TEXT` or `raise TEXT`, one a line.
pub struct Lines;

impl Logic for Lines {
    fn run(&mut self, block: &runtime::Block, _: &Given) -> Result<Done, Fault> {
        let mut done = Done::default();
        for line in block.code.lines() {
            if let Some(text) = line.strip_prefix("raise ") {
                return Err(Fault::new(FaultKind::Logic, text));
            } else if let Some(text) = line.strip_prefix("print ") {
                done.printed.push_str(text);
            } else if let Some(name) = line.strip_prefix("del ") {
                done.removed.push(name.into());
            } else if let Some((name, value)) = line.split_once(" = ") {
                done.set.push((name.into(), json::parse(value).unwrap()));
            }
        }
        Ok(done)
    }
}

/// The events of a run, from 0 on.
#[derive(Clone, Default)]
pub struct Log {
    pub run: String,
    pub events: Vec<Event>,
    pub blobs: Vec<Blob>,
}

type Answers<'a> = &'a mut dyn FnMut(&Pending) -> Option<Answer>;

impl Log {
    pub fn fact(&self, event: &Event) -> Fact {
        let blob = |id| self.blobs.iter().find(|blob| blob.id() == id);
        event.fact_with(|id| Blob::read(blob(id)?.bytes())).unwrap()
    }

    fn add(&mut self, sealed: Vec<Sealed>) {
        let (events, blobs) = runtime::split(sealed);
        self.events.extend(events);
        self.blobs.extend(blobs);
    }

    /// Takes every event in, and tells what happened. A fork that names a document goes on by it.
    pub fn told(&self, plan: &Arc<Plan>) -> Result<(Fold, Vec<Step>), Difference> {
        let mut fold = Fold::new(plan.clone());
        let mut steps = Vec::new();
        for (seq, event) in (0..).zip(&self.events) {
            let fact = self.fact(event);
            trace(&mut fold, seq, event, &fact, &mut Lines, &mut steps)?;
        }
        let last = self.events.len() as u64 - 1;
        trace_rest(&mut fold, last, &mut Lines, &mut steps);
        Ok((fold, steps))
    }

    /// What happened, one line each, with the numbers of the events.
    pub fn trace(&self, plan: &Arc<Plan>) -> String {
        let (_, steps) = self.told(plan).unwrap_or_else(|difference| panic!("{difference:#?}"));
        steps.iter().map(|step| format!("{} {step}\n", step.seq)).collect()
    }

    /// The number of the nth event of a kind, from 0 on.
    pub fn seq(&self, kind: &str, nth: usize) -> u64 {
        let of_kind = (0..).zip(&self.events).filter(|(_, event)| event.kind().name() == kind);
        of_kind.map(|(seq, _)| seq).nth(nth).unwrap()
    }
}

/// The time that the nth input has.
fn time(nth: usize) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + nth as i64 * 1_000_000)
}

/// Runs a graph from its beginning, with answers to the oldest call first. Where nobody has an
/// answer, it waits.
pub fn run(name: &str, made: &Made, inputs: &str, answers: Answers<'_>) -> (Log, Run) {
    run_with(name, made, inputs, Options::default(), answers)
}

pub fn run_with(
    name: &str,
    made: &Made,
    inputs: &str,
    options: Options,
    answers: Answers<'_>,
) -> (Log, Run) {
    let begin = Input::Begin(Box::new(Begin {
        run: name.into(),
        graph: "sha256:0".into(),
        document: made.document.clone(),
        inputs: map(inputs),
        options,
        seed: 7,
        versions: Map::default(),
    }));
    let mut log = Log { run: name.into(), ..Log::default() };
    let mut run = Run::new(&made.plan);
    let advanced = advance(&made.plan, &mut run, Some((&begin, time(0))), &mut Lines).unwrap();
    log.add(advanced.events);
    go_on(&mut log, &made.plan, &mut run, answers);
    (log, run)
}

/// Goes on with a run until it is over, or nobody answers.
pub fn go_on(log: &mut Log, plan: &Plan, run: &mut Run, answers: Answers<'_>) {
    let advanced = advance(plan, run, None, &mut Lines).unwrap();
    log.add(advanced.events);
    while !run.is_over() {
        let found = run.pending().find_map(|pending| Some((pending.id, answers(pending)?)));
        let Some((call, answer)) = found else { return };
        let ts = time(log.events.len() * 1_000);
        let input = Input::Answer(call, answer);
        let advanced = advance(plan, run, Some((&input, ts)), &mut Lines).unwrap();
        log.add(advanced.events);
    }
}

/// A model that always says the same.
pub fn says(text: &str) -> Answer {
    let text = text.into();
    let usage = ModelAnswer { text, prompt_tokens: 10, completion_tokens: 3, ..Default::default() };
    Answer::Model(Box::new(usage))
}

/// Tools that answer their name, and moments that come.
pub fn plainly(pending: &Pending) -> Option<Answer> {
    match &pending.request {
        Request::Tool(call) => Some(Answer::Value(Value::text(&*call.tool))),
        Request::Timer(_) => Some(Answer::Due),
        Request::Model(_) => Some(says("hm")),
        Request::Question(_) => None,
    }
}
