//! Drives runs of specs against a store in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use diagnostics::Source;
use frontends::{Format, Ontology};
use history::{Stream, Timestamp};
use host::config::Config;
use host::models::Absent;
use host::pinned::{Pinned, pin};
use host::{
    Adapter, Call, Calling, Dispatcher, Driver, Limits, Loaded, People, Python, Registry, Reply,
    Shelved, Stopped, Unbound, World,
};
use runtime::{Begin, Fault, Options, Plan, Question, Run};
use store::MemoryStore;
use value::{Map, Value, json};

/// A spec, as a run is pinned to it.
pub(crate) fn pinned(spec: &str) -> Pinned {
    let source = Source::new("spec.yaml", spec);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let draft = reading.draft.take().unwrap();
    let findings: Vec<&str> = reading.findings.iter().map(|it| it.message.as_str()).collect();
    assert!(!diagnostics::any_error(&reading.findings), "{findings:?}");
    pin(&graph::normalize(draft, &mut Vec::new())).unwrap()
}

pub(crate) fn map(text: &str) -> Map {
    json::parse(text).unwrap().as_map().unwrap().clone()
}

/// A machine that runs one agent, and may lose its process.
pub(crate) struct Machine {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) people: Box<dyn People + Sync>,
    pinned: Pinned,
    seconds: AtomicI64,
}

/// When the process dies: at which call, and whether what was called still happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Death {
    pub(crate) at_call: i64,
    pub(crate) happens: bool,
}

struct Dying {
    registry: Registry,
    death: Option<Death>,
    calls: AtomicI64,
}

impl Adapter for Dying {
    fn call(&self, call: Call) -> Calling {
        let nth = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        match self.death {
            Some(death) if death.at_call == nth => {
                if death.happens {
                    drop(self.registry.call(call));
                }
                panic!("the process dies here");
            }
            _ => self.registry.call(call),
        }
    }
}

struct Nobody;

impl People for Nobody {
    fn ask(&self, _: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        None
    }
}

impl Machine {
    pub(crate) fn new(spec: &str) -> Machine {
        let store = Arc::new(MemoryStore::default());
        let seconds = AtomicI64::new(1_794_000_000);
        Machine { store, people: Box::new(Nobody), pinned: pinned(spec), seconds }
    }

    /// Begins a run and drives it as far as it goes.
    pub(crate) fn run(&self, run: &str, options: Options, death: Option<Death>) -> Stopped {
        let begin = Begin {
            run: run.into(),
            graph: self.pinned.checksum.clone(),
            document: self.pinned.document.clone(),
            inputs: Map::default(),
            options,
            seed: 1,
            versions: host::versions(),
        };
        let plan = self.pinned.plan.clone();
        self.with(death, |world, logic| {
            Driver::begin(world, logic, plan, begin).unwrap().drive().unwrap()
        })
    }

    /// Another process goes on with it, when the first one's lease has run out.
    pub(crate) fn resume(&self, run: &str) -> Stopped {
        self.seconds.fetch_add(3_600, Ordering::Relaxed);
        let stream = Stream::run(run);
        self.with(None, |world, logic| {
            Driver::resume(world, logic, stream).unwrap().drive().unwrap()
        })
    }

    /// Another process goes on with what it loaded a while ago.
    pub(crate) fn resume_loaded(&self, run: &str, loaded: Loaded) -> Stopped {
        let stream = Stream::run(run);
        self.with(None, |world, logic| {
            Driver::resume_loaded(world, logic, stream, loaded).unwrap().drive().unwrap()
        })
    }

    fn with<T>(&self, death: Option<Death>, work: impl FnOnce(&World<'_>, &mut Python) -> T) -> T {
        let shelved = Shelved::new(self.store.clone(), self.pinned.plan.name.clone());
        let registry = Registry::new(&Config::default(), Arc::new(Absent), Unbound::Fail)
            .with_stores(Arc::new(shelved));
        let adapter = Dying { registry, death, calls: AtomicI64::new(0) };
        let dispatcher = Dispatcher::new(&Limits::default());
        let clock = || {
            let seconds = self.seconds.fetch_add(1, Ordering::Relaxed);
            Timestamp::from_micros(seconds * 1_000_000)
        };
        let world = World {
            store: &*self.store,
            adapter: &adapter,
            dispatcher: &dispatcher,
            people: &*self.people,
            clock: &clock,
            stop: &AtomicBool::new(false),
            progress: &|_: &Plan, _: &Run| {},
        };
        work(&world, &mut Python::default())
    }
}
