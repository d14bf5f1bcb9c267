//! Blocks of logic that use stores, those of the run and those that outlive it.

use std::collections::BTreeMap;

use expect_test::expect;
use history::Timestamp;
use runtime::stores::{Contents, StoreKind};
use runtime::{Answer, Fault, FaultKind, Fold, Options, Pending, Request, Run, idempotency_key};
use value::{Text, Value, json};

use crate::driving::{Lines, Log, Made, declared, go_on, map, run, run_with};

const GRAPH: &str = r#"main
  R adapter=logic.PYTHON target="seen = read kv\nfirst = read jobs\nwrite kv count 2\nwrite log - {\"at\": 1}"
  R adapter=logic.PYTHON target="seen = read kv\nsecond = read jobs\nwrite jobs - \"c\""
  J var=$seen
"#;

const STORES: &str = r#"{"stores": {
    "kv": {"store_type": "kv"},
    "jobs": {"store_type": "queue"},
    "log": {"store_type": "file"}
}}"#;

const NOW: Timestamp = Timestamp::EPOCH;

/// Stores outside of the run. What is done twice under one key is done once.
#[derive(Clone, Default, PartialEq, Debug)]
struct Shelves {
    held: BTreeMap<Text, Contents>,
    done: BTreeMap<Text, Value>,
}

impl Shelves {
    fn filled() -> Shelves {
        let mut shelves = Shelves::default();
        let kv = json::parse(r#"{"count": 1}"#).unwrap();
        let jobs = json::parse(r#"["a", "b"]"#).unwrap();
        shelves.held.insert("kv".into(), Contents::from_value(StoreKind::Kv, &kv));
        shelves.held.insert("jobs".into(), Contents::from_value(StoreKind::Queue, &jobs));
        shelves
    }

    fn answer(&mut self, pending: &Pending) -> Option<Answer> {
        let Request::Tool(call) = &pending.request else { return None };
        let id = call.args.get("store").unwrap().as_text().unwrap();
        let held = self.held.entry(id.clone());
        let held = held.or_insert_with(|| Contents::new(call.store.as_ref().unwrap().kind));
        if call.args.get("all").is_some() {
            return Some(Answer::Value(held.to_value()));
        }
        let key = idempotency_key("r", pending.intent);
        if let Some(done) = self.done.get(&key) {
            return Some(Answer::Value(done.clone()));
        }
        let key_given = call.args.get("key").and_then(Value::as_text).map(|key| &**key);
        let value = match &*call.tool {
            "read" => held.read(None, NOW).unwrap(),
            _ => {
                held.write(key_given, call.args.get("value").unwrap().clone(), NOW).unwrap();
                Value::Null
            }
        };
        if call.touches == graph::Touches::Write {
            self.done.insert(key, value.clone());
        }
        Some(Answer::Value(value))
    }

    fn shown(&self) -> String {
        let each = self.held.iter();
        each.map(|(id, held)| format!("{id} {}\n", json::compact(&held.to_value()))).collect()
    }
}

#[test]
fn what_outlives_the_run_is_read_before_a_block_and_written_after_it() {
    let made = declared(GRAPH, STORES);
    let mut shelves = Shelves::filled();
    let (log, run) = run("r", &made, "{}", &mut |pending| shelves.answer(pending));
    expect![[r#"
        jobs ["c"]
        kv {"count":2}
        log [{"at":1}]
    "#]]
    .assert_eq(&shelves.shown());
    expect![[r#"
        0 the run begins with {}
        0 main: begins
        1 main/n1: c1 asks store.read with {"store":"jobs","all":true}
        2 main/n1: c1 is answered: ["a","b"]
        3 main/n1: c2 asks store.read with {"store":"kv"}
        4 main/n1: c2 is answered: {"count":1}
        5 main/n1: c3 asks store.read with {"store":"log"}
        6 main/n1: c3 is answered: []
        6 main/n1: logic ran, seen = {"count":1}, first = "a", took from jobs, wrote kv.count = 2, wrote log = {"at":1}
        7 main/n1: c4 asks store.read with {"store":"jobs"}
        8 main/n1: c4 leaves
        9 main/n1: c4 is answered: "a"
        10 main/n1: c5 asks store.write with {"store":"kv","key":"count","value":2}
        11 main/n1: c5 leaves
        12 main/n1: c5 is answered: null
        13 main/n1: c6 asks store.write with {"store":"log","value":{"at":1}}
        14 main/n1: c6 leaves
        15 main/n1: c6 is answered: null
        16 main/n2: c7 asks store.read with {"store":"jobs","all":true}
        17 main/n2: c7 is answered: ["b"]
        18 main/n2: c8 asks store.read with {"store":"kv"}
        19 main/n2: c8 is answered: {"count":2}
        19 main/n2: logic ran, seen = {"count":2}, second = "b", took from jobs, wrote jobs = "c"
        20 main/n2: c9 asks store.read with {"store":"jobs"}
        21 main/n2: c9 leaves
        22 main/n2: c9 is answered: "b"
        23 main/n2: c10 asks store.write with {"store":"jobs","value":"c"}
        24 main/n2: c10 leaves
        25 main/n2: c10 is answered: null
        25 main/n3: returns {"count":2}
        26 the run is done with {"count":2}
    "#]]
    .assert_eq(&log.trace(&made.plan));
    let (fold, _) = log.told(&made.plan).unwrap();
    assert!(*fold.run() == run);
}

/// A run as the first events left it.
fn loaded(made: &Made, log: &Log, events: usize) -> (Log, Run) {
    let mut short = log.clone();
    short.events.truncate(events);
    let mut fold = Fold::new(made.plan.clone());
    for (seq, event) in (0..).zip(&short.events) {
        fold.take(seq, event, &short.fact(event), &mut Lines).unwrap();
    }
    (short, fold.finish().1)
}

#[test]
fn after_a_crash_anywhere_nothing_is_written_twice() {
    let made = declared(GRAPH, STORES);
    let mut shelves = Shelves::filled();
    // What was outside after each call, by the event that asked for it.
    let mut moments = Vec::new();
    let (log, _) = run("r", &made, "{}", &mut |pending| {
        let before = shelves.clone();
        let answer = shelves.answer(pending);
        moments.push((pending.intent, before, shelves.clone()));
        answer
    });
    let place = |intent| log.events.iter().position(|event| event.id() == intent).unwrap();
    assert_eq!(shelves.done.len(), 5);
    for count in 1..=log.events.len() {
        // The last call that could have left by then has happened, or has not.
        let last = moments.iter().rev().find(|(intent, ..)| place(*intent) < count);
        let worlds = match last {
            None => vec![Shelves::filled()],
            Some((_, before, after)) => vec![before.clone(), after.clone()],
        };
        for mut world in worlds {
            let (mut again, mut run) = loaded(&made, &log, count);
            // Between a call and its answer a prefix may end that no append ends with: an answer
            // that is there has an effect that is there.
            let is_answered = last.is_some_and(|(intent, ..)| {
                run.has_begun() && run.pending().all(|pending| pending.intent != *intent)
            });
            if is_answered {
                world = last.unwrap().2.clone();
            }
            go_on(&mut again, &made.plan, &mut run, &mut |pending| world.answer(pending));
            assert_eq!(again.events, log.events, "after {count} events");
            assert_eq!(world, shelves, "after {count} events");
        }
    }
}

const RETRIED: &str = r#"main
  R adapter=logic.PYTHON target="seen = read kv\nwrite kv a 1\nwrite kv b 2" retry>n2
  Retry count=2
  J var=$seen
"#;

#[test]
fn a_write_that_fails_fails_the_node_and_a_retry_runs_the_block_anew() {
    let made = declared(RETRIED, STORES);
    let mut shelves = Shelves::filled();
    let mut fails = 1;
    let (log, run) = run("r", &made, r#"{"seen": "before"}"#, &mut |pending| {
        let Request::Tool(call) = &pending.request else { return None };
        if call.args.get("key") == Some(&"b".into()) && fails > 0 {
            fails -= 1;
            return Some(Answer::Failed(Fault::new(FaultKind::Store, "the disk is full")));
        }
        shelves.answer(pending)
    });
    let told = log.trace(&made.plan);
    let blocks: Vec<&str> = told.lines().filter(|line| line.contains("logic ran")).collect();
    expect![[r#"
        2 main/n1: logic ran, seen = {"count":1}, wrote kv.a = 1, wrote kv.b = 2
        10 main/n1: logic ran, seen = {"a":1,"count":1}, wrote kv.a = 1, wrote kv.b = 2"#]]
    .assert_eq(&blocks.join("\n"));
    assert_eq!(json::compact(run.result()), r#"{"a":1,"count":1}"#);
    assert_eq!(shelves.done.len(), 3);
}

#[test]
fn a_block_whose_write_failed_for_good_has_written_no_name() {
    let made = declared(&RETRIED.replace(" retry>n2\n  Retry count=2", ""), STORES);
    let (_, run) = run("r", &made, r#"{"seen": "before"}"#, &mut |pending| {
        let Request::Tool(call) = &pending.request else { return None };
        Some(match &*call.tool {
            "read" => Answer::Value(Value::map::<&str>([])),
            _ => Answer::Failed(Fault::new(FaultKind::Store, "the disk is full")),
        })
    });
    assert_eq!(run.failure().unwrap().fault.to_string(), "store: the disk is full");
    assert_eq!(run.state(&made.plan).get("seen"), Some(&"before".into()));
}

#[test]
fn a_block_that_fails_is_told_with_what_was_read_for_it() {
    let made = declared(
        "main\n  R adapter=logic.PYTHON target=\"seen = read kv\\nraise no\" err>n2\n  \
         Err handler>@on\non\n  R adapter=logic.PYTHON target=\"seen = read kv\"\n",
        STORES,
    );
    let mut shelves = Shelves::filled();
    let (log, _) = run("r", &made, "{}", &mut |pending| shelves.answer(pending));
    expect![[r#"
        0 the run begins with {}
        0 main: begins
        1 main/n1: c1 asks store.read with {"store":"kv"}
        2 main/n1: c1 is answered: {"count":1}
        4 main/n1: fails with logic: no
        4 main/n1: `on` handles logic: no
        4 on: begins
        5 on/n1: c3 asks store.read with {"store":"kv"}
        6 on/n1: c3 is answered: {"count":1}
        6 on/n1: logic ran, seen = {"count":1}
        7 the run is done with null
    "#]]
    .assert_eq(&log.trace(&made.plan));
}

#[test]
fn a_store_is_used_as_it_was_declared_wherever_it_is() {
    for retention in ["persistent", "session"] {
        for (access, says) in [
            ("read", "denied: store `kv` may not be written: see its `access`"),
            ("write", "denied: store `kv` may not be read: see its `access`"),
        ] {
            let stores = STORES.replace(
                r#""store_type": "kv""#,
                &format!(r#""store_type": "kv", "access": "{access}", "retention": "{retention}""#),
            );
            let made = declared(RETRIED, &stores);
            let mut shelves = Shelves::filled();
            let (_, run) = run("r", &made, "{}", &mut |pending| shelves.answer(pending));
            assert_eq!(run.failure().unwrap().fault.to_string(), says, "{retention}");
            assert_eq!(shelves.done.len(), 0, "nothing has left");
        }
    }
}

#[test]
fn what_lives_in_the_run_is_used_at_once_and_a_rehearsal_keeps_everything_there() {
    let held: String = STORES.replace("\"}", "\", \"retention\": \"session\"}");
    assert!(map(&held).get("stores").unwrap().get("kv").unwrap().get("retention").is_some());
    let filling = r#"main
  R adapter=logic.PYTHON target="write jobs - \"a\"\nwrite jobs - \"b\"\nwrite kv count 1"
  R adapter=logic.PYTHON target="first = read jobs"
  R adapter=logic.PYTHON target="second = read jobs\nthird = read jobs\nseen = read kv"
"#;
    let rehearsal = Options { rehearsal: true, ..Options::default() };
    for (stores, options) in [(&*held, Options::default()), (STORES, rehearsal)] {
        let made = declared(filling, stores);
        let (log, run) = run_with("r", &made, "{}", options, &mut |_| None);
        assert_eq!(log.events.len(), 2);
        let state = Value::from(run.state(&made.plan));
        let wanted = r#"{"first":"a","second":"b","third":null,"seen":{"count":1}}"#;
        assert_eq!(state, json::parse(wanted).unwrap());
    }
}
