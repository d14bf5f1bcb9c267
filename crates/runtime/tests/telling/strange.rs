//! Histories that the engine did not write like this: they differ, and nothing breaks.

use history::Timestamp;
use history::kinds::records::Origin;
use history::kinds::words::{Exit, MergeStrategy};
use history::kinds::{Body, BranchMerged, Common, RunFinished, TimerSet, ToolCall};
use runtime::{Difference, Options};

use crate::driving::{Log, Made, plainly, run, sketch};

fn common(log: &Log) -> Common {
    let ts = Timestamp::from_micros(1_800_000_000_000_000);
    Common {
        run_id: Some(log.run.as_str().into()),
        agent_id: Some("agent".into()),
        ..Common::at(ts)
    }
}

/// The history with one more event behind it.
fn with(log: &Log, body: &impl Body) -> Log {
    let mut log = log.clone();
    let sealed = common(&log).seal(body);
    log.events.push(sealed.event);
    log.blobs.extend(sealed.blobs);
    log
}

fn difference(log: &Log, made: &Made) -> Difference {
    match log.told(&made.plan) {
        Ok(_) => panic!("it is what the engine derives"),
        Err(difference) => difference,
    }
}

const WAITS: &str = "main\n  R adapter=tool.CALL target=t out=x\n  J var=$x\n";

#[test]
fn an_end_that_did_not_come_is_a_difference() {
    let made = sketch(WAITS);
    let (log, _) = run("r", &made, "{}", &mut |_| None);
    let ended = RunFinished {
        exit: Some(Exit::Success),
        summary_ref: None,
        result: None,
        error: None,
        step: None,
    };
    let difference = difference(&with(&log, &ended), &made);
    assert_eq!(difference.seq, log.events.len() as u64);
    assert_eq!(difference.why.as_deref(), Some("the run's time is not over yet"));
}

#[test]
fn a_block_that_is_said_to_run_must_be_said_to_fail() {
    let made = sketch(WAITS);
    let (log, _) = run("r", &made, "{}", &mut |_| None);
    let block = ToolCall {
        server: Some("logic".into()),
        tool: Some("python".into()),
        call_id: "c9".into(),
        args: None,
        requested_by: None,
        effect_class: None,
    };
    let (whole, _) = run("r", &made, "{}", &mut plainly);
    let mut odd = with(&log, &block);
    odd.events.extend(whole.events[log.events.len()..].iter().cloned());
    odd.blobs.extend(whole.blobs.iter().cloned());
    assert_eq!(difference(&odd, &made).seq, log.events.len() as u64);
}

#[test]
fn something_can_always_leave() {
    let options = value::json::parse(r#"{"limits": {"in_flight": 0}}"#).unwrap();
    assert_eq!(Options::from_map(options.as_map().unwrap()).limits.in_flight, 1);
}

/// Only others write that a branch was merged; only the engine sets timers.
#[test]
fn what_the_engine_writes_must_be_its_own() {
    let made = sketch(WAITS);
    let (log, _) = run("r", &made, "{}", &mut |_| None);
    let timer = TimerSet { timer: "t9".into(), due: Some(Timestamp::from_micros(1)) };
    assert_eq!(difference(&with(&log, &timer), &made).seq, log.events.len() as u64);
}

/// Whoever merges into a run that was stopped does so before it goes on.
#[test]
fn what_others_write_is_taken_wherever_the_run_is() {
    let made = sketch(WAITS);
    let (log, _) = run("r", &made, "{}", &mut |_| None);
    let mut begun = log.clone();
    begun.events.truncate(1);
    let merged = BranchMerged {
        into: "r".into(),
        from: "f".into(),
        merged: Some(Origin { run_id: "f".into(), seq: 0, event_id: log.events[0].id() }),
        strategy: Some(MergeStrategy::Ours),
        picked: None,
        resource_plan: None,
        reason: None,
    };
    let told = with(&begun, &merged);
    let (fold, _) = told.told(&made.plan).unwrap();
    let (plan, mut run) = fold.finish();
    let mut rest = told.clone();
    crate::driving::go_on(&mut rest, &plan, &mut run, &mut plainly);
    assert!(run.is_over());
    let (again, _) = rest.told(&made.plan).unwrap();
    assert_eq!(again.run(), &run);
}
