//! Policies that are not as they were, or come into force while a run waits.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};

use diagnostics::Source;
use frontends::{Format, Ontology};
use history::kinds::{ApprovalDecided, What};
use history::{Archive, Stream, Timestamp};
use host::pinned::pin;
use host::policy::{self, Policy};
use host::{Adapter, Call, Calling, Dispatcher, Driver, Limits, People, Python, Reply, World};
use runtime::{Answer, Begin, Fault, Options, Plan, Question, Run};
use store::{MemoryStore, Store};
use value::{Map, Text, Value};

const DOCUMENT: &str = r#"{"name": "shop", "labels": {"start": {"nodes": [
    {"id": "n1", "op": "R", "data": {"adapter": "tool.CALL", "target": "pay", "out": "x"}},
    {"id": "n2", "op": "J", "data": {"var": "$x"}}],
    "edges": [{"from": "n1", "to": "n2", "port": "next"}]}}}"#;

/// One machine, with a tool that counts its calls, and nobody to ask.
#[derive(Default)]
struct Shop {
    store: MemoryStore,
    paid: AtomicU32,
    micros: AtomicI64,
}

impl Adapter for Shop {
    fn call(&self, _: Call) -> Calling {
        self.paid.fetch_add(1, Ordering::Relaxed);
        Calling::Now(Answer::Value(Value::Bool(true)))
    }
}

impl People for Shop {
    fn ask(&self, _: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        None
    }
}

impl Shop {
    fn now(&self) -> Timestamp {
        let passed = self.micros.fetch_add(1_000_000, Ordering::Relaxed);
        Timestamp::from_micros(1_794_000_000_000_000 + passed)
    }

    /// Begins the run, or goes on with it. Gives what it came to.
    fn drive(&self, begins: Option<Options>) -> Run {
        let source = Source::new("agent.json", DOCUMENT);
        let mut reading = frontends::read(&source, Format::Graph, Ontology::V1);
        let pinned =
            pin(&graph::normalize(reading.draft.take().unwrap(), &mut Vec::new())).unwrap();
        let dispatcher = Dispatcher::new(&Limits::default());
        let clock = || self.now();
        let world = World {
            store: &self.store,
            adapter: self,
            dispatcher: &dispatcher,
            people: self,
            clock: &clock,
            stop: &AtomicBool::new(false),
            progress: &|_: &Plan, _: &Run| {},
        };
        let mut logic = Python::default();
        let mut driver = match begins {
            None => {
                // The lease of the process before has run out.
                self.micros.fetch_add(3_600_000_000, Ordering::Relaxed);
                Driver::resume(&world, &mut logic, Stream::run("r")).unwrap()
            }
            Some(options) => {
                let begin = Begin {
                    run: "r".into(),
                    graph: pinned.checksum,
                    document: pinned.document,
                    inputs: Map::default(),
                    options,
                    seed: 1,
                    versions: host::versions(),
                };
                Driver::begin(&world, &mut logic, pinned.plan, begin).unwrap()
            }
        };
        driver.drive().unwrap();
        driver.run().clone()
    }

    fn activate(&self, text: &str, expect: &str) -> Text {
        let mut policy = Policy::read(&Source::new("p.yaml", text)).unwrap();
        let tests = format!("[{{call: {{tool: pay}}, expect: {expect}}}]");
        let tests = policy::read_tests(&Source::new("t.yaml", tests)).unwrap();
        let agent = policy::ALL_AGENTS.into();
        let proposed =
            policy::propose(&self.store, &mut policy, &tests, &agent, None, self.now()).unwrap();
        policy::activate(&self.store, &proposed.0, &"ada".into(), None, self.now()).unwrap();
        policy.digest().clone()
    }

    fn decided(&self) -> Vec<ApprovalDecided> {
        let entries = self.store.read(&Stream::run("r"), 0, 100).unwrap();
        let facts = entries.iter().filter_map(|entry| self.store.fact(&entry.event).unwrap());
        let decided = facts.filter_map(|fact| match fact.what {
            What::ApprovalDecided(decided) => Some(decided),
            _ => None,
        });
        decided.collect()
    }
}

fn failure(run: &Run) -> &str {
    run.failure().map_or("", |failure| failure.fault.kind.word())
}

/// There is no falling back to no policy.
#[test]
fn a_policy_that_is_gone_or_is_none_denies() {
    let other = history::kinds::Blob::new(r#"{"language":"lisp","source":"(allow)"}"#);
    for policy in ["0".repeat(64), other.id().to_string(), "none".to_owned()] {
        let shop = Shop::default();
        shop.store.put_blobs(std::slice::from_ref(&other), store::Durability::Os).unwrap();
        let options = Options { policy: Some(policy.as_str().into()), ..Options::default() };
        let run = shop.drive(Some(options));
        assert_eq!(failure(&run), "denied", "{policy}");
        let reason = shop.decided().remove(0).reason.unwrap();
        assert!(reason.starts_with("the policy cannot be asked: "), "{reason}");
        assert_eq!(shop.paid.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn a_policy_that_comes_into_force_counts_before_the_next_call() {
    let shop = Shop::default();
    // Without one nothing is asked, and nothing is recorded.
    let free = Shop::default();
    assert_eq!(failure(&free.drive(Some(Options::default()))), "");
    assert_eq!((free.paid.load(Ordering::Relaxed), free.decided().len()), (1, 0));

    let asks = shop.activate("default: ask", "ask");
    let run = shop.drive(Some(Options::default()));
    assert_eq!(run.policy(), Some(&asks));
    let open = host::open_questions(&shop.store, None).unwrap();
    assert_eq!(open.len(), 1);
    // Approved, but the process is gone before the call; then the policy is tightened.
    let (stream, id) = (Stream::run("r"), &open[0].question);
    let logic = &mut Python::default();
    let yes = "approve".into();
    host::answer_question(&shop.store, logic, &stream, id, &yes, Some("ada".into()), shop.now())
        .unwrap();
    let denies = shop.activate("default: deny_abort", "deny_abort");
    let run = shop.drive(None);
    assert_eq!((failure(&run), shop.paid.load(Ordering::Relaxed)), ("aborted", 0));
    let under: Vec<_> = shop.decided().into_iter().map(|it| it.policy_digest.unwrap()).collect();
    assert_eq!(under, [asks, denies]);
}

/// One that was in force before, and is not what the run was told to try, does not come back.
#[test]
fn a_run_that_tries_a_policy_keeps_it_until_a_newer_one_is_in_force() {
    let shop = Shop::default();
    shop.activate("default: deny_continue", "deny_continue");
    let tried = Policy::read(&Source::new("p.yaml", "default: ask")).unwrap();
    policy::keep(&shop.store, &tried).unwrap();
    let options = Options { policy: Some(tried.digest().clone()), ..Options::default() };
    shop.drive(Some(options));
    let run = shop.drive(None);
    assert_eq!((run.policy(), failure(&run)), (Some(tried.digest()), ""));
    assert_eq!(host::open_questions(&shop.store, None).unwrap().len(), 1);
    shop.activate("rules: []\ndefault: deny_continue", "deny_continue");
    assert_eq!(failure(&shop.drive(None)), "denied");
    // What was asked under the one before is taken back.
    assert_eq!(host::open_questions(&shop.store, None).unwrap(), []);
    assert_eq!(shop.paid.load(Ordering::Relaxed), 0);
}
