//! People who take their time: the driver goes on meanwhile.

use std::sync::{Arc, Mutex};

use history::{Stream, Timestamp};
use host::{People, Python, Reply, Stopped, Withdrawn, answer_question, load, open_questions};
use runtime::{Fault, Options, Question};
use store::MemoryStore;
use value::Value;

use crate::driven::Machine;

const SPEC: &str = r#"
name: Asking
version: "1.0"
description: Asks once.
entry_point: ask
entities: [{ id: who, type: agent, label: Who, model: m, system_prompt: Say }]
processes:
  - id: ask
    type: checkpoint
    label: Ask
    prompt: Pay?
    options: [approve, deny]
    timeout: TIME
    default_action: deny
  - { id: done, type: step, label: Done }
edges:
  - { type: flow, from: ask, to: done }
"#;

/// What becomes of a question, on a thread of its own.
type Thinks = fn(Arc<MemoryStore>, Question, Reply) -> Option<Reply>;

/// Somebody who thinks, and what they were told then.
struct Thinking {
    store: Arc<MemoryStore>,
    thinks: Thinks,
    kept: Arc<Mutex<Vec<Reply>>>,
    told: Arc<Mutex<Vec<Withdrawn>>>,
}

impl People for Thinking {
    fn ask(&self, question: &Question, reply: Reply) -> Option<Result<Value, Fault>> {
        let (store, thinks, kept) = (self.store.clone(), self.thinks, self.kept.clone());
        let question = question.clone();
        std::thread::spawn(move || kept.lock().unwrap().extend(thinks(store, question, reply)));
        None
    }

    fn withdraw(&self, question: &Question, why: Withdrawn) {
        assert_eq!(&*question.prompt, "Pay?");
        self.told.lock().unwrap().push(why);
    }
}

/// How the driver stopped, what was answered, and what whoever was asked was told.
fn run(time: &str, thinks: Thinks) -> (Stopped, Option<Value>, Vec<Withdrawn>) {
    let mut machine = Machine::new(&SPEC.replace("TIME", time));
    let told = Arc::<Mutex<Vec<Withdrawn>>>::default();
    let store = machine.store.clone();
    machine.people = Box::new(Thinking { store, thinks, kept: Arc::default(), told: told.clone() });
    let stopped = machine.run("r", Options::default(), None);
    let loaded = load(&*machine.store, &Stream::run("r"), None, &mut Python::default()).unwrap();
    let state = loaded.run.state(&loaded.plan);
    let said = state.iter().find(|(name, _)| &***name == "checkpoint_response");
    let told = told.lock().unwrap().clone();
    (stopped, said.map(|(_, value)| value.clone()), told)
}

#[test]
fn an_answer_may_come_later() {
    let done = run("4h", |_, _, reply| {
        reply.give("approve".into());
        None
    });
    assert_eq!(done, (Stopped::Over, Some("approve".into()), vec![]));
}

#[test]
fn who_does_not_answer_leaves_the_question_open() {
    let (stopped, said, _) = run("4h", |_, _, reply| {
        drop(reply);
        None
    });
    assert_eq!((stopped, said), (Stopped::Waiting, None));
}

#[test]
fn who_is_asked_is_told_what_others_said() {
    let done = run("4h", |store, question, reply| {
        let (stream, now) = (Stream::run("r"), Timestamp::from_micros(1_794_000_000_000_000));
        let logic = &mut Python::default();
        let yes = "approve".into();
        answer_question(&*store, logic, &stream, &question.id, &yes, None, now).unwrap();
        Some(reply)
    });
    let told = Withdrawn::Answered("approve".into());
    assert_eq!(done, (Stopped::Over, Some("approve".into()), vec![told]));
}

#[test]
fn who_is_asked_is_told_that_time_is_over() {
    let done = run("10s", |_, _, reply| Some(reply));
    assert_eq!(done, (Stopped::Over, Some("deny".into()), vec![Withdrawn::Expired]));
}

/// Whoever resumes may have loaded the run before somebody answered.
#[test]
fn what_was_loaded_before_an_answer_came_is_loaded_again() {
    let machine = Machine::new(&SPEC.replace("TIME", "4h"));
    assert_eq!(machine.run("r", Options::default(), None), Stopped::Waiting);
    let (stream, logic) = (Stream::run("r"), &mut Python::default());
    let open = open_questions(&*machine.store, Some(&stream)).unwrap().remove(0);
    let before = |logic: &mut Python| load(&*machine.store, &stream, None, logic).unwrap();
    assert_eq!(machine.resume_loaded("r", before(logic)), Stopped::Waiting);
    let loaded = before(logic);
    let (now, yes) = (Timestamp::from_micros(1_794_000_100_000_000), "approve".into());
    answer_question(&*machine.store, logic, &stream, &open.question, &yes, None, now).unwrap();
    assert_eq!(machine.resume_loaded("r", loaded), Stopped::Over);
}
