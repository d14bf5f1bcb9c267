//! Histories that the engine did not write like this: they differ, and nothing breaks.

use history::Timestamp;
use history::kinds::words::Exit;
use history::kinds::{Body, Common, RunFinished, ToolCall};
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
    let ended =
        RunFinished { exit: Some(Exit::Success), summary_ref: None, result: None, error: None };
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
