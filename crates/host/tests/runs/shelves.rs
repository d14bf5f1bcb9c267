//! Python that reads and writes stores which outlive its run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use expect_test::expect;
use history::Stream;
use host::{Python, Stopped, load, replay, traced};
use runtime::{Options, Run};
use store::{Change, Shelves};
use value::{Digest, Value, json};

use crate::driven::{Death, Machine, map};

const SPEC: &str = r#"
name: Counting
version: "1.0"
description: Counts what is waiting.
entry_point: count
entities:
  - { id: nobody, type: agent, label: Nobody, model: m }
  - id: counts
    type: store
    label: Counts
    store_type: kv
    retention: persistent
  - id: jobs
    type: store
    label: Jobs
    store_type: queue
    retention: persistent
  - id: notes
    type: store
    label: Notes
    store_type: file
    retention: persistent
    access: write
processes:
  - id: count
    type: step
    label: Count
    logic: |
      job = state.jobs.read()
      seen = state.counts.read()
      state.counts.write(job, seen.get(job, 0) + 1)
      state.jobs.write(job + "!")
      state.notes.write(job)
      state.data["job"] = job
  - id: again
    type: step
    label: Again
    logic: |
      state.data["left"] = [state.jobs.read(), state.jobs.read(), state.jobs.read()]
edges:
  - { type: flow, from: count, to: again }
"#;

fn machine() -> Machine {
    let machine = Machine::new(SPEC);
    let put = |shelf: &str, change: Change| {
        machine.store.shelf_write(shelf, &[change], &Digest::of(shelf.as_bytes())).unwrap();
    };
    put("Counting/jobs", Change::Push("a".into()));
    put("Counting/counts", Change::Set { key: "a".into(), value: Value::Int(4) });
    machine
}

fn shelves(machine: &Machine) -> String {
    let mut text = String::new();
    for shelf in ["counts", "jobs", "notes"] {
        for item in machine.store.shelf_read(&format!("Counting/{shelf}")).unwrap() {
            let key = item.key.as_deref().unwrap_or("-");
            text += &format!("{shelf} {key} {}\n", json::compact(&item.value));
        }
    }
    text
}

fn loaded(machine: &Machine) -> Run {
    load(&*machine.store, &Stream::run("r"), None, &mut Python::default()).unwrap().run
}

#[test]
fn a_block_works_on_what_is_kept_and_what_it_did_is_kept() {
    let machine = machine();
    assert_eq!(machine.run("r", Options::default(), None), Stopped::Over);
    expect![[r#"
        counts a 5
        notes - "a"
    "#]]
    .assert_eq(&shelves(&machine));
    let stream = Stream::run("r");
    let traced = traced(&*machine.store, &stream, None, &mut Python::default()).unwrap();
    let state = Value::from(traced.run.state(&traced.plan));
    let wanted = r#"{"job": "a", "left": ["a!", null, null]}"#;
    for (name, value) in map(wanted).iter() {
        assert_eq!(state.get(name), Some(value), "{name}");
    }
    let told: String = traced.steps.iter().map(|step| format!("{} {step}\n", step.seq)).collect();
    expect![[r#"
        0 the run begins with {}
        0 count: begins
        1 count/n1: c1 asks store.read with {"store":"counts"}
        2 count/n1: c1 is answered: {"a":4}
        3 count/n1: c2 asks store.read with {"store":"jobs","all":true}
        4 count/n1: c2 is answered: ["a"]
        4 count/n1: logic ran, job = "a", took from jobs, wrote counts.a = 5, wrote jobs = "a!", wrote notes = "a"
        5 count/n1: c3 asks store.read with {"store":"jobs"}
        6 count/n1: c3 leaves
        7 count/n1: c3 is answered: "a"
        8 count/n1: c4 asks store.write with {"store":"counts","key":"a","value":5}
        9 count/n1: c4 leaves
        10 count/n1: c4 is answered: null
        11 count/n1: c5 asks store.write with {"store":"jobs","value":"a!"}
        12 count/n1: c5 leaves
        13 count/n1: c5 is answered: null
        14 count/n1: c6 asks store.write with {"store":"notes","value":"a"}
        15 count/n1: c6 leaves
        16 count/n1: c6 is answered: null
        16 again: begins
        17 again/n1: c7 asks store.read with {"store":"jobs","all":true}
        18 again/n1: c7 is answered: ["a!"]
        18 again/n1: logic ran, left = ["a!",null,null], took from jobs
        19 again/n1: c8 asks store.read with {"store":"jobs"}
        20 again/n1: c8 leaves
        21 again/n1: c8 is answered: "a!"
        21 again/n2: returns null
        22 the run is done with null
    "#]].assert_eq(&told);
    let events = replay(&*machine.store, &stream, None, &mut Python::default()).unwrap();
    assert_eq!(events, traced.next);
}

#[test]
fn a_process_that_dies_at_any_call_writes_nothing_twice() {
    let whole = machine();
    whole.run("r", Options::default(), None);
    let (wanted, state) = (shelves(&whole), loaded(&whole));
    let mut deaths = 0;
    for at_call in 1.. {
        let mut died = false;
        for happens in [false, true] {
            let machine = machine();
            let death = Death { at_call, happens };
            let run = || machine.run("r", Options::default(), Some(death));
            died = catch_unwind(AssertUnwindSafe(run)).is_err();
            if died {
                assert_eq!(machine.resume("r"), Stopped::Over, "{death:?}");
                deaths += 1;
            }
            assert_eq!(shelves(&machine), wanted, "{death:?}");
            assert_eq!(loaded(&machine).result(), state.result(), "{death:?}");
            let stream = Stream::run("r");
            replay(&*machine.store, &stream, None, &mut Python::default()).unwrap();
        }
        if !died {
            break;
        }
    }
    // Two reads and four acts, then one read and one act.
    assert_eq!(deaths, 2 * 8);
}

#[test]
fn a_rehearsal_leaves_everything_as_it_is() {
    let machine = machine();
    let before = shelves(&machine);
    let options = Options { rehearsal: true, ..Options::default() };
    machine.run("r", options, None);
    assert_eq!(shelves(&machine), before);
    // There is no job in the run's own queue, and `None` is no key.
    let failure = loaded(&machine).failure().unwrap().fault.to_string();
    assert!(failure.starts_with("logic: ValueError: what is written to `counts`"), "{failure}");
}

#[test]
fn what_is_only_written_cannot_be_read() {
    let machine = Machine::new(&SPEC.replace("seen = state.counts", "seen = state.notes"));
    machine.run("r", Options::default(), None);
    let run = loaded(&machine);
    expect!["denied: store `notes` may not be read: see its `access`"]
        .assert_eq(&run.failure().unwrap().fault.to_string());
}
