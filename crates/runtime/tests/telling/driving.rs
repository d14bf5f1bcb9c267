//! Drives runs with answers given by hand, and reads them again from their events.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::hash::Hashes;
use history::kinds::records::{EventRef, Origin};
use history::kinds::words::RunReason;
use history::kinds::{AgentForked, Blob, Common, Fact, RunStarted, Sealed, What};
use history::{Event, Timestamp};
use runtime::stores::{Contents, StoreKind};
use runtime::{
    Answer, Begin, Difference, Done, Fault, FaultKind, Fold, Given, Input, Logic, ModelAnswer,
    Options, Pending, Plan, Request, Run, Step, StoreAct, advance, trace, trace_rest,
};
use value::{Map, Value, json};

/// A graph with its plan.
pub(crate) struct Made {
    pub(crate) plan: Arc<Plan>,
    pub(crate) document: Value,
}

/// From the notation of `sim`.
pub(crate) fn sketch(text: &str) -> Made {
    declared(text, "{}")
}

/// The same, with declarations.
pub(crate) fn declared(text: &str, declarations: &str) -> Made {
    let mut sketch = sim::engine::Sketch::read(text).unwrap();
    sketch.begin_at(text.lines().next().unwrap());
    for (kind, named) in map(declarations).iter() {
        sketch.declare(kind, named.clone());
    }
    made(&sim::engine::read(&sketch.document()).unwrap())
}

/// From an ontology spec.
pub(crate) fn ontology(text: &str) -> Made {
    let source = Source::new("spec.yaml", text);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let draft = reading.draft.take().unwrap();
    assert!(!diagnostics::any_error(&reading.findings), "{:?}", reading.findings);
    made(&graph::normalize(draft, &mut Vec::new()))
}

/// By its document as an event holds it, where members are in the order of their names.
fn made(graph: &graph::Graph) -> Made {
    let document: Value = frontends::document::write(graph, &Hashes::of(graph)).into();
    let document = json::parse(&json::canonical(&document)).unwrap();
    Made { plan: plan_of(&document), document }
}

pub(crate) fn map(text: &str) -> Map {
    json::parse(text).unwrap().as_map().unwrap().clone()
}

/// Blocks of these tests, one line after the other: `NAME = JSON`, `NAME = read STORE`,
/// `write STORE KEY JSON` (`-` is no key), `del NAME`, `print TEXT` or `raise TEXT`.
pub(crate) struct Lines;

impl Logic for Lines {
    fn run(&mut self, block: &runtime::Block, given: &Given) -> Result<Done, Fault> {
        let mut done = Done::default();
        let stores = block.stores.iter().zip(&given.stores);
        let mut stores: BTreeMap<&str, _> = stores
            .map(|(store, held)| {
                let held = held.as_ref().map(|held| Contents::from_value(store.kind, held));
                (&*store.id, held.map_err(Clone::clone))
            })
            .collect();
        for line in block.code.lines() {
            if let Some(text) = line.strip_prefix("raise ") {
                return Err(Fault::new(FaultKind::Logic, text));
            } else if let Some(text) = line.strip_prefix("print ") {
                done.printed.push_str(text);
            } else if let Some(name) = line.strip_prefix("del ") {
                done.removed.push(name.into());
            } else if let Some(what) = line.strip_prefix("write ") {
                let parts: Vec<&str> = what.splitn(3, ' ').collect();
                let key = (parts[1] != "-").then(|| parts[1].into());
                let (store, value) = (parts[0].into(), json::parse(parts[2]).unwrap());
                done.acted.push(StoreAct::Write { store, key, value });
            } else if let Some((name, id)) = line.split_once(" = read ") {
                let held = stores.get_mut(id).unwrap().as_mut().map_err(|fault| fault.clone())?;
                if held.kind() == StoreKind::Queue && !held.is_empty() {
                    done.acted.push(StoreAct::Take { store: id.into() });
                }
                done.set.push((name.into(), held.read(None, given.now)?));
            } else if let Some((name, value)) = line.split_once(" = ") {
                done.set.push((name.into(), json::parse(value).unwrap()));
            }
        }
        Ok(done)
    }
}

/// The events of a run, from 0 on.
#[derive(Clone, Default)]
pub(crate) struct Log {
    pub(crate) run: String,
    pub(crate) events: Vec<Event>,
    pub(crate) blobs: Vec<Blob>,
}

type Answers<'a> = &'a mut dyn FnMut(&Pending) -> Option<Answer>;

impl Log {
    pub(crate) fn fact(&self, event: &Event) -> Fact {
        let blob = |id| self.blobs.iter().find(|blob| blob.id() == id);
        event.fact_with(|id| Blob::read(blob(id)?.bytes())).unwrap()
    }

    pub(crate) fn add(&mut self, sealed: Vec<Sealed>) {
        let (events, blobs) = runtime::split(sealed);
        self.events.extend(events);
        self.blobs.extend(blobs);
    }

    /// Takes every event in, and tells what happened. A fork that names a document goes on by it.
    pub(crate) fn told(&self, plan: &Arc<Plan>) -> Result<(Fold, Vec<Step>), Difference> {
        let mut fold = Fold::new(plan.clone());
        let mut steps = Vec::new();
        for (seq, event) in (0..).zip(&self.events) {
            let fact = self.fact(event);
            if let What::RunStarted(RunStarted { from: Some(_), document: Some(new), .. }) =
                &fact.what
            {
                fold.change_plan(plan_of(new)).unwrap();
            }
            trace(&mut fold, seq, event, &fact, &mut Lines, &mut |step| steps.push(step))?;
        }
        let last = self.events.len() as u64 - 1;
        trace_rest(&mut fold, last, &mut Lines, &mut |step| steps.push(step));
        Ok((fold, steps))
    }

    /// What happened, one line each, with the numbers of the events.
    pub(crate) fn trace(&self, plan: &Arc<Plan>) -> String {
        let (_, steps) = self.told(plan).unwrap_or_else(|difference| panic!("{difference:#?}"));
        steps.iter().map(|step| format!("{} {step}\n", step.seq)).collect()
    }

    /// The number of the nth event of a kind, from 0 on.
    pub(crate) fn seq(&self, kind: &str, nth: usize) -> u64 {
        let of_kind = (0..).zip(&self.events).filter(|(_, event)| event.kind().name() == kind);
        of_kind.map(|(seq, _)| seq).nth(nth).unwrap()
    }
}

pub(crate) fn plan_of(document: &Value) -> Arc<Plan> {
    Arc::new(Plan::new(&sim::engine::read(document).unwrap()).unwrap())
}

/// The time that the nth input has.
fn time(nth: usize) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + nth as i64 * 1_000_000)
}

/// Runs a graph from its beginning, with answers to the oldest call first. Where nobody has an
/// answer, it waits.
pub(crate) fn run(name: &str, made: &Made, inputs: &str, answers: Answers<'_>) -> (Log, Run) {
    run_with(name, made, inputs, Options::default(), answers)
}

pub(crate) fn run_with(
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
    let advanced =
        advance(&made.plan, &mut run, Some(&begin), time(0), &mut Lines, &mut |_| true).unwrap();
    log.add(advanced.events);
    go_on(&mut log, &made.plan, &mut run, answers);
    (log, run)
}

/// Goes on with a run until it is over, or nobody answers.
pub(crate) fn go_on(log: &mut Log, plan: &Plan, run: &mut Run, answers: Answers<'_>) {
    let advanced = advance(plan, run, None, run.now(), &mut Lines, &mut |_| true).unwrap();
    log.add(advanced.events);
    while !run.is_over() {
        let found = run.pending().find_map(|pending| Some((pending.id, answers(pending)?)));
        let Some((call, answer)) = found else { return };
        let ts = time(log.events.len() * 1_000);
        let input = Input::Answer(call, answer);
        let advanced = advance(plan, run, Some(&input), ts, &mut Lines, &mut |_| true).unwrap();
        log.add(advanced.events);
    }
}

/// Forks a run behind an event, by another graph where one is given, and sets values.
pub(crate) fn fork(
    name: &str,
    from: &Log,
    seq: u64,
    made: &Made,
    document: Option<&Value>,
    set: &str,
    answers: Answers<'_>,
) -> (Log, Run) {
    let mut log = Log { run: name.into(), ..from.clone() };
    log.events.truncate(seq as usize + 1);
    let event_id = log.events[seq as usize].id();
    let ts = time(log.events.len() * 1_000);
    let common = Common { run_id: Some(name.into()), agent_id: Some("a".into()), ..Common::at(ts) };
    let run_id = from.run.as_str().into();
    let started = RunStarted {
        reason: Some(RunReason::Fork),
        from: Some(Origin { run_id, seq: seq as i64, event_id }),
        graph: None,
        document: document.cloned(),
        inputs: None,
        seed: None,
        versions: None,
        options: Some(Options { live: true, ..Options::default() }.to_map()),
    };
    let forked = AgentForked {
        from_branch: "main".into(),
        to_branch: name.into(),
        at_event: Some(EventRef { event_id }),
        volume_plan: None,
    };
    log.add(vec![common.seal(&started), common.seal(&forked)]);
    let mut fold = Fold::new(made.plan.clone());
    for (seq, event) in (0..).zip(&log.events) {
        let fact = log.fact(event);
        if let Some(document) = document
            && matches!(&fact.what, What::RunStarted(started) if started.from.is_some())
        {
            fold.change_plan(plan_of(document)).unwrap();
        }
        fold.take(seq, event, &fact, &mut Lines).unwrap();
    }
    let (plan, mut run) = fold.finish();
    let set = map(set);
    if !set.is_empty() {
        let input = Input::Set(set);
        let advanced =
            advance(&plan, &mut run, Some(&input), ts, &mut Lines, &mut |_| true).unwrap();
        log.add(advanced.events);
    }
    go_on(&mut log, &plan, &mut run, answers);
    (log, run)
}

/// A model that always says the same.
pub(crate) fn says(text: &str) -> Answer {
    let text = text.into();
    let usage = ModelAnswer { text, prompt_tokens: 10, completion_tokens: 3, ..Default::default() };
    Answer::Model(Box::new(usage))
}

/// Tools that answer their name, and moments that come.
pub(crate) fn plainly(pending: &Pending) -> Option<Answer> {
    match &pending.request {
        Request::Tool(call) => Some(Answer::Value(Value::text(&*call.tool))),
        Request::Timer(_) => Some(Answer::Due),
        Request::Model(_) => Some(says("hm")),
        Request::Question(_) => None,
    }
}
