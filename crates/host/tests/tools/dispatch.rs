//! Many calls at once, in the order and number that is allowed, each with one answer.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use host::{Adapter, Call, Calling, Dispatcher, Limits};
use runtime::{Answer, CallId, FaultKind};
use value::Value;

use crate::scratch::{Scratch, call, call_of, shown};

type Answers = (Sender<(CallId, Answer)>, Receiver<(CallId, Answer)>);

const LONG: Duration = Duration::from_secs(600);

/// An adapter made of a function.
struct Does<F>(F);

impl<F: Fn(Call) -> Calling + Send + Sync> Adapter for Does<F> {
    fn call(&self, call: Call) -> Calling {
        (self.0)(call)
    }
}

fn later(answer: impl Future<Output = Answer> + Send + 'static) -> Calling {
    Calling::Later(Box::pin(answer))
}

fn number(number: i64) -> Answer {
    Answer::Value(Value::Int(number))
}

#[test]
fn what_answers_at_once_is_given_back_and_not_sent() {
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    let at_once = Does(|_| Calling::Now(number(1)));
    assert_eq!(dispatcher.start(1, call("{}"), &at_once, &sender, None), Some(number(1)));
    drop(sender);
    assert!(answers.recv().is_err(), "nothing else holds the other end");
    assert_eq!(dispatcher.shutdown(LONG), []);
}

#[test]
fn programs_answer_with_the_number_of_their_call() {
    let folder = Scratch::new();
    folder.program("program", "cat");
    let tool = folder.tool("command = [\"./program\"]");
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    for id in 1..=8 {
        let started =
            dispatcher.start(id, call(&format!("{{\"n\": {id}}}")), &*tool, &sender, None);
        assert_eq!(started, None);
    }
    for (id, answer) in answers.iter().take(8) {
        assert_eq!(answer, Answer::Value(Value::map([("n", Value::Int(id.into()))])));
    }
    assert_eq!(dispatcher.under_way(), 0);
}

/// How many run at once, at most.
#[derive(Default)]
struct Count {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Count {
    async fn passed(self: Arc<Count>) -> Answer {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        number(0)
    }
}

#[test]
fn no_more_run_at_once_than_may() {
    let config = Scratch::new().config(
        "[tools.narrow]\nbuiltin = \"text\"\nconcurrency = 2\n[tools.wide]\nbuiltin = \"text\"\n",
    );
    let limits = Limits { calls_max: 5, ..Limits::of(&config) };
    let dispatcher = Dispatcher::new(&limits);
    let (sender, answers): Answers = channel();
    let (narrow, wide) = (Arc::new(Count::default()), Arc::new(Count::default()));
    for id in 0..200 {
        let (name, count) = if id % 2 == 0 { ("narrow", &narrow) } else { ("wide", &wide) };
        let counted = Does(|_| later(Arc::clone(count).passed()));
        assert_eq!(
            dispatcher.start(id, call_of("tool", name, "{}"), &counted, &sender, None),
            None
        );
    }
    assert_eq!(answers.iter().take(200).count(), 200);
    assert!(narrow.most.load(Ordering::SeqCst) <= 2);
    assert!(wide.most.load(Ordering::SeqCst) <= 5);
}

#[test]
fn those_that_wait_for_one_tool_keep_nobody_else_waiting() {
    let config = Scratch::new().config("[tools.t]\nbuiltin = \"text\"\nconcurrency = 1\n");
    let limits = Limits { calls_max: 2, ..Limits::of(&config) };
    let dispatcher = Dispatcher::new(&limits);
    let (sender, answers): Answers = channel();
    let never = Does(|_| later(pending()));
    for id in 1..=5 {
        assert_eq!(dispatcher.start(id, call("{}"), &never, &sender, None), None);
    }
    let other = Does(|_| later(async { number(7) }));
    dispatcher.start(6, call_of("tool", "other", "{}"), &other, &sender, None);
    assert_eq!(answers.recv(), Ok((6, number(7))));
    let left: Vec<CallId> =
        dispatcher.shutdown(Duration::ZERO).into_iter().map(|(_, id)| id).collect();
    assert_eq!(left, [1, 2, 3, 4, 5]);
}

/// Says when it is dropped.
struct Dropped(Sender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.send("dropped").unwrap();
    }
}

#[test]
fn a_call_that_is_cancelled_is_dropped_and_never_answers() {
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    let (says, said) = channel();
    let held = Does(move |_| {
        let held = Dropped(says.clone());
        later(async move {
            held.0.send("running").unwrap();
            pending().await
        })
    });
    dispatcher.start(1, call("{}"), &held, &sender, None);
    assert_eq!(said.recv(), Ok("running"));
    assert!(!dispatcher.cancel(&"another run".into(), 1));
    assert!(dispatcher.cancel(&"run-1".into(), 1));
    assert_eq!(said.recv(), Ok("dropped"));
    assert!(!dispatcher.cancel(&"run-1".into(), 1), "once is enough");
    // The same number may be used again, as for another attempt.
    dispatcher.start(1, call("{}"), &Does(|_| later(async { number(2) })), &sender, None);
    assert_eq!(answers.recv(), Ok((1, number(2))));
    drop(sender);
    assert_eq!(answers.iter().count(), 0, "the first attempt never answers");
}

#[test]
fn what_a_cancelled_call_leaves_behind_is_not_taken_for_the_next_attempt() {
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    let ending = Arc::new(Barrier::new(2));
    let first = {
        let ending = Arc::clone(&ending);
        Does(move |_| {
            let slow = SlowToEnd(Arc::clone(&ending));
            later(async move {
                slow.0.wait();
                pending().await
            })
        })
    };
    dispatcher.start(1, call("{}"), &first, &sender, None);
    ending.wait();
    assert!(dispatcher.cancel(&"run-1".into(), 1));
    let (go_on, told) = tokio::sync::oneshot::channel::<()>();
    let told = Mutex::new(Some(told));
    let second = Does(move |_| {
        let told = told.lock().unwrap().take().unwrap();
        later(async move {
            told.await.unwrap();
            number(2)
        })
    });
    dispatcher.start(1, call("{}"), &second, &sender, None);
    // Only now the first one ends, while the second is under way.
    ending.wait();
    ending.wait();
    go_on.send(()).unwrap();
    assert_eq!(answers.recv(), Ok((1, number(2))));
    assert_eq!(dispatcher.under_way(), 0);
}

/// Ends when the test lets it, and says that it has.
struct SlowToEnd(Arc<Barrier>);

impl Drop for SlowToEnd {
    fn drop(&mut self) {
        self.0.wait();
        self.0.wait();
    }
}

#[test]
fn an_adapter_that_panics_has_answered() {
    let dispatcher = Dispatcher::new(&Limits { calls_max: 1, ..Limits::default() });
    let (sender, answers): Answers = channel();
    let broken = Does(|_| later(async { panic!("as the test wants") }));
    dispatcher.start(1, call("{}"), &broken, &sender, None);
    let Ok((1, Answer::Failed(fault))) = answers.recv() else { panic!("it has failed") };
    assert_eq!(
        shown(&fault),
        "tool (may have happened): what answers `t` broke down; this is a bug in it"
    );
    dispatcher.start(2, call("{}"), &Does(|_| later(async { number(3) })), &sender, None);
    assert_eq!(answers.recv(), Ok((2, number(3))), "it takes no room any more");
}

#[test]
fn shutting_down_waits_for_what_is_under_way_and_starts_nothing_more() {
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    let both = Arc::new(Barrier::new(2));
    let meet = Arc::clone(&both);
    let slow = Does(move |_| {
        let meet = Arc::clone(&meet);
        later(async move {
            meet.wait();
            tokio::task::yield_now().await;
            number(4)
        })
    });
    dispatcher.start(1, call("{}"), &slow, &sender, None);
    both.wait();
    assert_eq!(dispatcher.shutdown(LONG), []);
    assert_eq!(answers.try_recv(), Ok((1, number(4))));
    let refused = dispatcher.start(2, call("{}"), &Does(|_| later(pending())), &sender, None);
    let Some(Answer::Failed(fault)) = refused else { panic!("nothing starts any more") };
    assert_eq!(fault.kind, FaultKind::Cancelled);
    assert!(shown(&fault).contains("has not happened"));
}

#[test]
fn shutting_down_gives_up_what_does_not_end_and_kills_its_programs() {
    let folder = Scratch::new();
    let alive = folder.path("alive");
    assert!(std::process::Command::new("mkfifo").arg(&alive).status().unwrap().success());
    folder.program("program", "exec 3> alive; exec sleep 600");
    let tool = folder.tool("command = [\"./program\"]\ntimeout = \"1h\"");
    let dispatcher = Dispatcher::new(&Limits::default());
    let (sender, answers): Answers = channel();
    dispatcher.start(9, call("{}"), &*tool, &sender, None);
    // It opens once the program runs, and ends once it is dead.
    let pipe = std::fs::File::open(&alive).unwrap();
    assert_eq!(dispatcher.shutdown(Duration::ZERO), [("run-1".into(), 9)]);
    assert_eq!(std::io::copy(&mut { pipe }, &mut std::io::sink()).unwrap(), 0);
    drop(sender);
    assert!(answers.recv().is_err(), "what is given up does not answer");
}

/// Who gets an answer can use its room at once.
#[test]
fn room_is_kept_for_a_call_until_it_is_over() {
    let config = Scratch::new().config("[tools.t]\nbuiltin = \"text\"\nconcurrency = 1\n");
    let dispatcher = Dispatcher::new(&Limits { calls_max: 2, ..Limits::of(&config) });
    let (sender, answers): Answers = channel();
    let (narrow, wide) = (call("{}"), call_of("tool", "other", "{}"));
    for id in 0..200 {
        let room = dispatcher.room_for(&narrow.request);
        assert!(room.is_some(), "of the call before {id} nothing is left");
        assert!(dispatcher.room_for(&narrow.request).is_none());
        // What found no room at its tool takes none from others.
        let other = dispatcher.room_for(&wide.request);
        assert!(other.is_some() && dispatcher.room_for(&wide.request).is_none());
        drop(other);
        let soon = Does(|_| later(async { number(1) }));
        assert_eq!(dispatcher.start(id, narrow.clone(), &soon, &sender, room), None);
        assert_eq!(answers.recv(), Ok((id, number(1))));
    }
}
