use expect_test::{Expect, expect};
use runtime::{
    Answer, Answered, By, Fault, FaultKind, Options, Pending, Request, Step, StepKind, Trail, Why,
};
use value::{Text, Value, json};

use crate::driving::{Log, Made, ontology, plainly, run, run_with, says, sketch};
use crate::trace::GATE;

fn why(made: &Made, log: &Log, seq: u64) -> Why {
    let (_, steps) = log.told(&made.plan).unwrap();
    let mut trail = Trail::new(seq);
    steps.into_iter().for_each(|step| trail.add(step));
    trail.why(&made.plan, &log.run).unwrap()
}

fn check(made: &Made, log: &Log, seq: u64, told: Expect) {
    told.assert_eq(&why(made, log, seq).to_string());
}

#[test]
fn a_gate_shows_each_clause_with_what_it_needed() {
    let made = ontology(GATE);
    for (score, told) in [
        (
            4,
            expect![[r#"
                r@5 the run is done with {"score":4,"note":"thin"}
                  decided at good/n2: redo
                  because of default: default
                  with score = 4
                  send would have needed: score >= 7
                  drop would have needed: score < 3
                  path: draft > good > redo
            "#]],
        ),
        (
            9,
            expect![[r#"
                r@5 the run is done with {"score":9,"note":"thin"}
                  decided at good/n1: send
                  because of explicit: score >= 7
                  with score = 9
                  drop would have needed: not score >= 7 and score < 3
                  redo would have needed: not score >= 7 and not score < 3
                  path: draft > good > send
            "#]],
        ),
    ] {
        let mut answers =
            |_: &Pending| Some(says(&format!(r#"{{"score": {score}, "note": "thin"}}"#)));
        let (log, _) = run("r", &made, r#"{"topic": "knots"}"#, &mut answers);
        check(&made, &log, log.seq("run_finished", 0), told);
    }
}

#[test]
fn before_any_decision_there_is_only_the_path() {
    let made = ontology(GATE);
    let (log, _) = run("r", &made, r#"{"topic": "knots"}"#, &mut |_| None);
    check(
        &made,
        &log,
        log.seq("model_request", 0),
        expect![[r#"
        r@2 draft/n1: q1 asks model some-model as writer: {"topic":"knots"}
          nothing was decided before it: there was one way to go
          path: draft
    "#]],
    );
    let told = why(&made, &log, 1);
    expect![[r#"
        {
          "run": "r",
          "seq": 1,
          "decision": null,
          "source": null,
          "text": null,
          "at": null,
          "values": {},
          "not_taken": [],
          "path": ["draft"]
        }"#]]
    .assert_eq(&json::pretty(&told.to_value()));
}

/// What was decided inside of a call that came back does not matter any more.
#[test]
fn a_decision_inside_of_a_finished_call_is_passed_over() {
    let made = sketch(
        "main
  If cond=\"x > 1\" then>@work
work
  Call label=@inner
  R adapter=tool.CALL target=t
inner
  If cond=\"x > 2\" then>@deep else>@deep
deep
  J
",
    );
    let (log, _) = run("r", &made, r#"{"x": 3}"#, &mut plainly);
    check(
        &made,
        &log,
        log.seq("tool_call", 0),
        expect![[r#"
        r@1 work/n2: c1 asks tool.t with {"input":""}
          decided at main/n1: work
          because of condition: `x > 1` holds
          with x = 3
          the end of the label would have needed: not x > 1
          path: main > work
    "#]],
    );
}

#[test]
fn loops_say_what_ended_them_and_what_would_not_have() {
    let made = sketch(
        "main
  While cond=\"n < 2\" body>@more after>n2
  Loop ref=[7] item=i body>@more after>n3
  R adapter=tool.CALL target=last
more
  X dst=n fn=add args=[$n, 1]
  R adapter=tool.CALL target=t
",
    );
    let (log, _) = run("r", &made, r#"{"n": 0}"#, &mut plainly);
    check(
        &made,
        &log,
        log.seq("tool_call", 1),
        expect![[r#"
        r@4 more/n2: c2 asks tool.t with {"input":""}
          decided at main/n1: more
          because of loop: turn 2: `n < 2` holds
          with n = 1
          main/n2 would have needed: not n < 2
          path: main > more
    "#]],
    );
    check(
        &made,
        &log,
        log.seq("tool_call", 2),
        expect![[r#"
        r@7 more/n2: c3 asks tool.t with {"input":""}
          decided at main/n2: more
          because of loop: item 1
          with i = 7
          main/n3 would have needed: no item is left
          path: main > more > more
    "#]],
    );
    check(
        &made,
        &log,
        log.seq("tool_call", 3),
        expect![[r#"
        r@10 main/n3: c4 asks tool.last with {"input":""}
          decided at main/n2: main/n3
          because of loop: all 1 items are done
          more would have needed: one more item
          path: main > more > more
    "#]],
    );
}

#[test]
fn failures_say_which_guard_took_them() {
    let made = sketch(
        "main
  R adapter=tool.CALL target=shaky retry>n2 err>n3
  Retry count=1 backoff_ms=50
  Err handler>@rescue
  J
rescue
  R adapter=tool.CALL target=other
",
    );
    let mut fails = |pending: &Pending| match &pending.request {
        Request::Tool(_) => Some(Answer::Failed(Fault::new(FaultKind::Tool, "no luck"))),
        _ => plainly(pending),
    };
    let (log, _) = run("r", &made, "{}", &mut fails);
    check(
        &made,
        &log,
        log.seq("timer_set", 0),
        expect![[r#"
        r@4 main/n1: is tried again (1 of 1, in 50 ms) after tool: no luck
          decided at main/n1: main/n1 runs again
          because of retry: further attempt 1 of 1, after tool: no luck
          with error = {"code":"tool","message":"no luck"}
          rescue would have needed: no attempt left, or an error that is not to be tried again
          path: main
    "#]],
    );
    check(
        &made,
        &log,
        log.seq("tool_call", 2),
        expect![[r#"
        r@9 rescue/n1: c4 asks tool.other with {"input":""}
          decided at main/n1: rescue
          because of handler: tool: no luck
          with error = {"code":"tool","message":"no luck"}
          main/n1 would have needed: more than 1 further attempts
          main/n4 would have needed: main/n1 succeeds
          path: main > rescue
    "#]],
    );
    check(
        &made,
        &log,
        log.seq("run_finished", 0),
        expect![[r#"
        r@12 the run failed: tool: no luck
          decided at rescue/n1: failed
          because of tool: no luck
          with error = {"code":"tool","message":"no luck"}
          the end of the label would have needed: a `Retry` or an `Err` at rescue/n1, or at what called its label
          path: main > rescue
    "#]],
    );
}

#[test]
fn a_denial_says_who_decided_and_what_would_allow_it() {
    let made = sketch("main\n  R adapter=tool.CALL target=t\n  R adapter=tool.CALL target=t\n");
    let mut options = Options::default();
    options.limits.calls.insert("t".into(), 1);
    let (log, _) = run_with("r", &made, "{}", options, &mut plainly);
    check(
        &made,
        &log,
        log.seq("approval_decided", 0),
        expect![[r#"
        r@5 main/n2: c2 may not leave: calls_exceeded: `t` may be called 1 times
          decided at main/n2: c2 may not leave
          because of calls_exceeded: `t` may be called 1 times
          with args = {"input":""}
          tool.t would have needed: Allow more calls, or look for a loop.
          path: main
    "#]],
    );
}

#[test]
fn a_join_says_who_won_and_a_branch_why_its_fork_was_reached() {
    let made = sketch(
        "main
  If cond=\"go\" then>@both
both
  Fork branch>@fast branch>@slow next>n2
  Join strategy=any
  R adapter=tool.CALL target=after
fast
  R adapter=tool.CALL target=quick out=x
slow
  R adapter=tool.CALL target=slow out=x
",
    );
    let mut answers = |pending: &Pending| match &pending.request {
        Request::Tool(call) if &*call.tool == "slow" => None,
        _ => plainly(pending),
    };
    let (log, _) = run("r", &made, r#"{"go": true}"#, &mut answers);
    check(
        &made,
        &log,
        log.seq("tool_call", 1),
        expect![[r#"
            r@2 [2] slow/n1: c2 asks tool.slow with {"input":""}
              decided at main/n1: both
              because of condition: `go` holds
              with go = true
              the end of the label would have needed: not go
              path: main > both > slow
        "#]],
    );
    check(
        &made,
        &log,
        log.seq("tool_call", 2),
        expect![[r#"
        r@7 both/n3: c3 asks tool.after with {"input":""}
          decided at both/n2: both/n3
          because of join: any: 1 of 2 branches succeeded, 1 given up; x = "quick"
          with succeeded = ["fast"], failed = [], given_up = ["slow"]
          slow would have needed: to succeed before 1 others did
          path: main > both
    "#]],
    );
}

#[test]
fn a_question_that_nobody_answered_says_until_when() {
    let made = sketch(
        "main
  Ask prompt=\"sure?\" expires=1000 expired>@late
  J
late
  R adapter=tool.CALL target=t
",
    );
    let (log, _) = run("r", &made, "{}", &mut plainly);
    check(
        &made,
        &log,
        log.seq("tool_call", 0),
        expect![[r#"
        r@4 late/n1: c3 asks tool.t with {"input":""}
          decided at main/n1: late
          because of expiry: nobody answered `sure?` in time
          main/n2 would have needed: an answer before 2023-11-14T22:13:21.000000Z
          path: main > late
    "#]],
    );
}

/// What was under way when a process died may be answered when its branch is long finished.
#[test]
fn an_answer_that_comes_too_late_still_has_its_path() {
    let made = sketch("main\n  J var=$x\n");
    let step = |seq, events, at: &str, what| Step { seq, events, fiber: 1, at: at.into(), what };
    let call: Text = "c1".into();
    let (answer, wrote, to) = (Ok(Value::Null), Vec::new(), None);
    let late = Answered { call: call.clone(), by: By::TooLate, answer, wrote, to };
    let mut trail = Trail::new(2);
    trail.add(step(0, 0, "main", StepKind::Entered));
    trail.add(step(1, 1, "main/n1", StepKind::Interrupted { call, attempt: 1 }));
    trail.add(step(1, 0, "main/n2", StepKind::Arrived));
    trail.add(step(2, 1, "main/n1", StepKind::Answered(Box::new(late))));
    expect![[r#"
        r@2 [1] main/n1: c1 is answered when nobody waits any more
          nothing was decided before it: there was one way to go
          path: main
    "#]]
    .assert_eq(&trail.why(&made.plan, "r").unwrap().to_string());
}
