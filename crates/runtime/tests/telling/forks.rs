//! What a fork takes along, and what it changes.

use history::Timestamp;
use history::kinds::records::Origin;
use history::kinds::words::RunReason;
use history::kinds::{Common, RunStarted};
use runtime::{Limits, Options, Pending, Run};
use value::{Value, json};

use crate::driving::{fork, plainly, run, run_with, sketch};

/// One branch is finished already: what it began with must not come back.
#[test]
fn what_a_fork_sets_stays_when_branches_join() {
    let made = sketch(
        "main
  Fork branch>@left branch>@right next>n2
  Join
  J var=$x
left
  R adapter=tool.CALL target=l out=l
right
  R adapter=tool.CALL target=r out=r
",
    );
    let mut first = true;
    let (log, _) = run("r", &made, r#"{"x": 1}"#, &mut |pending: &Pending| {
        std::mem::take(&mut first).then(|| plainly(pending)).flatten()
    });
    let seq = log.seq("tool_result", 0);
    let (_, forked) = fork("f", &log, seq, &made, None, r#"{"x": 2}"#, &mut plainly);
    assert_eq!(json::compact(forked.result()), "2");
    let state = Value::from(forked.state(&made.plan));
    assert_eq!(json::compact(&state), r#"{"l":"l","x":2,"r":"r"}"#);

    let made = sketch(
        "main
  Fork over=[1,2] item=i branch>@each next>n2
  Join reducers={\"i\":\"append\"}
  J var=$i
each
  R adapter=tool.CALL target=t out=t
",
    );
    let mut first = true;
    let (log, _) = run("r", &made, "{}", &mut |pending: &Pending| {
        std::mem::take(&mut first).then(|| plainly(pending)).flatten()
    });
    let seq = log.seq("tool_result", 0);
    let (_, forked) = fork("f", &log, seq, &made, None, r#"{"i": 5}"#, &mut plainly);
    assert_eq!(json::compact(forked.result()), "5");
}

/// Whenever a fork begins, it has the time that its parent had left.
#[test]
fn a_fork_has_what_is_left_of_the_time() {
    let made = sketch("main\n  R adapter=tool.CALL target=t out=x\n  Ask prompt=\"on?\"\n");
    let limits = Limits { time_ms: Some(20_000_000), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let (log, parent) = run_with("r", &made, "{}", options.clone(), &mut plainly);
    let seq = log.seq("question_asked", 0);
    let used = |run: &Run| {
        let left = run.deadline().unwrap().micros() - run.now().micros();
        20_000_000_000 - left
    };
    // Far later than the parent may run.
    let (mut late, ts) = (log.clone(), Timestamp::from_micros(1_900_000_000_000_000));
    late.events.truncate(seq as usize + 1);
    let common = Common { run_id: Some("f".into()), agent_id: Some("a".into()), ..Common::at(ts) };
    let event_id = log.events[seq as usize].id();
    late.add(vec![common.seal(&RunStarted {
        reason: Some(RunReason::Fork),
        from: Some(Origin { run_id: "r".into(), seq: seq as i64, event_id }),
        graph: None,
        document: None,
        inputs: None,
        seed: None,
        versions: None,
        options: Some(options.to_map()),
    })]);
    let (fold, _) = late.told(&made.plan).unwrap();
    assert_eq!(fold.run().now(), ts);
    assert!(used(&parent) > 0);
    assert_eq!(used(fold.run()), used(&parent));
}
