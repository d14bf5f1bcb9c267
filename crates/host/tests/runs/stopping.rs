//! A driver that should stop, or has lost its run: what it still does, and what it leaves alone.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use diagnostics::Source;
use frontends::{Format, Ontology};
use graph::Again;
use history::kinds::Kind;
use history::{Archive, Stream, Timestamp};
use host::pinned::pin;
use host::{
    Adapter, Call, Calling, Dispatcher, DriveError, Driver, Limits, People, Python, Reply, Stopped,
    World, answer_question,
};
use runtime::{Answer, Begin, Fault, Options, Plan, Question, Request, Run, Stage, ToolContract};
use store::{Holder, Leases, MemoryStore};
use value::{Map, Value};

const NOW: i64 = 1_794_000_000_000_000;

/// How somebody here answers.
type Asks = fn(&Desk, &Question, Reply) -> Option<Result<Value, Fault>>;

/// Everything around a run that may be told to stop.
struct Desk {
    store: Arc<MemoryStore>,
    stop: AtomicBool,
    micros: AtomicI64,
    /// It should stop as soon as something has left.
    stops_when_left: bool,
    /// The tools that were called.
    called: Mutex<Vec<String>>,
    people: Asks,
    kept: Mutex<Vec<Reply>>,
}

impl Desk {
    fn new(people: Asks) -> Desk {
        Desk {
            store: Arc::new(MemoryStore::default()),
            stop: AtomicBool::new(false),
            micros: AtomicI64::new(NOW),
            stops_when_left: false,
            called: Mutex::default(),
            people,
            kept: Mutex::default(),
        }
    }

    /// Begins a run, and does something with its driver.
    fn with<T>(&self, document: &str, work: impl FnOnce(&mut Driver<'_>) -> T) -> T {
        let source = Source::new("agent.json", document);
        let mut reading = frontends::read(&source, Format::Graph, Ontology::V1);
        let draft = reading.draft.take().unwrap();
        let pinned = pin(&graph::normalize(draft, &mut Vec::new())).unwrap();
        let contract = |again| ToolContract { again, ..ToolContract::UNKNOWN };
        let tools = [("free", Again::Freely), ("key", Again::WithKey), ("ask", Again::ByAsking)];
        let tools = tools.map(|(tool, again)| (tool.into(), contract(again)));
        let begin = Begin {
            run: "r".into(),
            graph: pinned.checksum.clone(),
            document: pinned.document.clone(),
            inputs: Map::default(),
            options: Options { tools: tools.into_iter().collect(), ..Options::default() },
            seed: 1,
            versions: host::versions(),
        };
        let dispatcher = Dispatcher::new(&Limits::default());
        let clock = || Timestamp::from_micros(self.micros.load(Ordering::Relaxed));
        let progress = |_: &Plan, run: &Run| {
            let mut pending = run.pending();
            if self.stops_when_left && pending.any(|pending| pending.stage == Stage::Started) {
                self.stop.store(true, Ordering::Relaxed);
            }
        };
        let world = World {
            store: &*self.store,
            adapter: self,
            dispatcher: &dispatcher,
            people: self,
            clock: &clock,
            stop: &self.stop,
            progress: &progress,
        };
        let mut logic = Python::default();
        work(&mut Driver::begin(&world, &mut logic, pinned.plan.clone(), begin).unwrap())
    }

    /// Somebody was asked: it should stop when that happens again.
    fn asked_twice(&self) {
        let mut called = self.called.lock().unwrap();
        called.push("somebody".into());
        self.stop.store(called.len() == 2, Ordering::Relaxed);
    }

    fn kinds(&self) -> Vec<Kind> {
        let entries = self.store.read(&Stream::run("r"), 0, 100).unwrap();
        entries.iter().map(|entry| entry.event.kind()).collect()
    }
}

impl Adapter for Desk {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = call.request else { panic!("only tools are called") };
        self.called.lock().unwrap().push(tool.tool.to_string());
        Calling::Now(Answer::Value(Value::Null))
    }
}

impl People for Desk {
    fn ask(&self, question: &Question, reply: Reply) -> Option<Result<Value, Fault>> {
        (self.people)(self, question, reply)
    }
}

/// A fork into these nodes, one branch for each.
fn fork(nodes: &[&str]) -> String {
    let edges = (0..nodes.len()).map(|at| {
        format!(r#"{{"from": "n1", "port": "branch", "to": "b{at}", "to_kind": "label"}}, "#)
    });
    let branches = nodes.iter().enumerate().map(|(at, node)| {
        format!(r#", "b{at}": {{"nodes": [{{"id": "n1", {node}}}], "edges": []}}"#)
    });
    format!(
        r#"{{"labels": {{"start": {{"nodes": [{{"id": "n1", "op": "Fork", "data": {{}}}},
            {{"id": "n2", "op": "Join", "data": {{}}}}],
            "edges": [{}{{"from": "n1", "port": "next", "to": "n2", "to_kind": "node"}}]}}{}}}}}"#,
        edges.collect::<String>(),
        branches.collect::<String>()
    )
}

fn tool(name: &str) -> String {
    format!(r#""op": "R", "data": {{"adapter": "tool.CALL", "target": "{name}", "out": "done"}}"#)
}

const ASK: &str = r#""op": "Ask", "data": {"prompt": "Go?", "out": "go"}"#;

#[test]
fn only_what_cannot_be_repeated_is_made_when_it_should_stop() {
    let mut desk = Desk::new(|_, _, _| None);
    desk.stops_when_left = true;
    let [free, key, ask] = ["free", "key", "ask"].map(tool);
    let stopped = desk.with(&fork(&[&free, &key, &ask]), |driver| driver.drive().unwrap());
    assert_eq!(stopped, Stopped::Paused);
    assert_eq!(*desk.called.lock().unwrap(), ["ask"]);
    assert_eq!(desk.kinds().last(), Some(&Kind::RunPaused));
}

/// Somebody is asked twice, answers twice, and then it should stop: before any answer is read.
#[test]
fn answers_that_have_come_are_not_lost_when_it_should_stop() {
    let people: [Asks; 2] = [
        |desk, _, _| {
            desk.asked_twice();
            Some(Ok("yes".into()))
        },
        |desk, _, reply| {
            desk.asked_twice();
            reply.give("yes".into());
            None
        },
    ];
    for people in people {
        let desk = Desk::new(people);
        let stopped = desk.with(&fork(&[ASK, ASK]), |driver| driver.drive().unwrap());
        assert_eq!(stopped, Stopped::Paused);
        let kinds = [
            Kind::RunStarted,
            Kind::QuestionAsked,
            Kind::QuestionAsked,
            Kind::QuestionAnswered,
            Kind::QuestionAnswered,
            Kind::RunPaused,
        ];
        assert_eq!(desk.kinds(), kinds);
    }
}

#[test]
fn who_has_lost_a_run_drives_it_no_further() {
    let desk = Desk::new(|desk, question, reply| {
        // This process stood still for an hour, and another one went on.
        let stream = Stream::run("r");
        let later = desk.micros.fetch_add(3_600_000_000, Ordering::Relaxed) + 3_600_000_000;
        let now = Timestamp::from_micros(later);
        desk.store.acquire(&stream, &Holder::named("other"), now, 30_000).unwrap().unwrap();
        let (logic, yes) = (&mut Python::default(), "yes".into());
        answer_question(&*desk.store, logic, &stream, &question.id, &yes, None, now).unwrap();
        desk.kept.lock().unwrap().push(reply);
        None
    });
    desk.with(&fork(&[ASK]), |driver| {
        assert!(matches!(driver.drive(), Err(DriveError::TakenOver)));
        assert!(matches!(driver.drive(), Err(DriveError::TakenOver)));
    });
    assert!(!desk.kinds().contains(&Kind::RunFinished));
}
