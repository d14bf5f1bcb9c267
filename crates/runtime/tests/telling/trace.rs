//! What a run did, as its events tell it.

use crate::driving::{Made, ontology, plainly, run, run_with, says, sketch};
use expect_test::{Expect, expect};
use runtime::{Answer, Fault, FaultKind, Options, Pending, Request};
use value::{Value, json};

fn check(
    made: &Made,
    inputs: &str,
    mut answers: impl FnMut(&Pending) -> Option<Answer>,
    told: Expect,
) {
    let (log, _) = run("r", made, inputs, &mut answers);
    told.assert_eq(&log.trace(&made.plan));
}

#[test]
fn values_and_ways_are_told_with_what_they_saw() {
    let made = sketch(
        "main
  Set name=x ref=3
  X dst=y fn=add args=[$x, 1]
  If cond=\"y > 3 and user.name = 'ann'\" then>@big else>@small
big
  J var=$y
small
  J
",
    );
    check(
        &made,
        r#"{"user": {"name": "ann"}}"#,
        plainly,
        expect![[r#"
        0 the run begins with {"user":{"name":"ann"}}
        0 main: begins
        0 main/n1: x = 3
        0 main/n2: y = 4
        0 main/n3: `y > 3 and user.name = "ann"` (y = 4, user.name = "ann") holds, on to `big`
        0 big: begins
        0 big/n1: returns 4
        1 the run is done with 4
    "#]],
    );
}

#[test]
fn loops_and_calls_say_how_often_and_what_came_back() {
    let made = sketch(
        "main
  Loop ref=[1,2] item=i body>@add after>n2
  While cond=\"sum < 5\" limit=9 body>@more after>n3
  Call label=@give out=got
add
  X dst=sum fn=add args=[$sum, $i]
more
  X dst=sum fn=add args=[$sum, 2]
  J var=$sum
give
  J var=$sum
",
    );
    check(
        &made,
        r#"{"sum": 0}"#,
        plainly,
        expect![[r#"
            0 the run begins with {"sum":0}
            0 main: begins
            0 main/n1: loops over 2 items
            0 main/n1: turn 1: i = 1
            0 add: begins
            0 add/n1: sum = 1
            0 main/n1: turn 2: i = 2
            0 add/n1: sum = 3
            0 main/n1: ends after 2 turns, on to `main/n2`
            0 main/n2: loops while its condition holds
            0 main/n2: turn 1: `sum < 5` (sum = 3) holds
            0 more: begins
            0 more/n1: sum = 5
            0 more/n2: returns 5
            0 main/n2: `sum < 5` (sum = 5) does not hold after 1 turns, _while_last = 5, on to `main/n3`
            0 main/n3: calls `give`
            0 give: begins
            0 give/n1: returns 5
            0 main/n3: comes back, got = 5, the label ends
            1 the run is done with null
        "#]],
    );
}

#[test]
fn failures_are_tried_again_and_handled() {
    let made = sketch(
        "main
  R adapter=tool.CALL target=shaky out=x retry>n2 err>n3
  Retry count=1 backoff_ms=50
  Err handler>@rescue
  J var=$x
rescue
  Call label=@broken
broken
  R adapter=core.FAIL target=boom
",
    );
    let fails = |pending: &Pending| match &pending.request {
        Request::Tool(_) => Some(Answer::Failed(Fault::new(FaultKind::Tool, "no luck"))),
        _ => plainly(pending),
    };
    check(
        &made,
        "{}",
        fails,
        expect![[r#"
        0 the run begins with {}
        0 main: begins
        1 main/n1: c1 asks tool.shaky with {"input":""}
        2 main/n1: c1 leaves
        3 main/n1: c1 is answered: tool: no luck
        4 main/n1: is tried again (1 of 1, in 50 ms) after tool: no luck
        5 main/n1: t2: the moment has come
        6 main/n1: c3 asks tool.shaky with {"input":""}
        7 main/n1: c3 leaves, attempt 2
        8 main/n1: c3 is answered: tool: no luck
        8 main/n1: `rescue` handles tool: no luck
        8 rescue: begins
        8 rescue/n1: calls `broken`
        8 broken: begins
        8 broken/n1: fails with boom: `broken/n1` fails with `boom`
        8 rescue/n1: what it called failed with boom: `broken/n1` fails with `boom`
        9 the run failed: boom: `broken/n1` fails with `boom`
    "#]],
    );
}

#[test]
fn joins_say_who_won_and_who_was_given_up() {
    let made = sketch(
        "main
  Fork branch>@fast branch>@slow branch>@bad next>n2
  Join strategy=any
fast
  R adapter=tool.CALL target=quick out=x
slow
  R adapter=tool.CALL target=slow out=x
bad
  R adapter=core.FAIL target=boom
",
    );
    let answers = |pending: &Pending| match &pending.request {
        Request::Tool(call) if &*call.tool == "slow" => None,
        _ => plainly(pending),
    };
    check(
        &made,
        "{}",
        answers,
        expect![[r#"
            0 the run begins with {}
            0 main: begins
            0 main/n1: forks into 3 (any at main/n2): fast, slow, bad
            0 [1] fast: begins
            1 [1] fast/n1: c1 asks tool.quick with {"input":""}
            1 [2] slow: begins
            2 [2] slow/n1: c2 asks tool.slow with {"input":""}
            2 [3] bad: begins
            2 [3] bad/n1: fails with boom: `bad/n1` fails with `boom`
            2 [3] bad/n1: the branch fails with boom: `bad/n1` fails with `boom`
            3 [1] fast/n1: c1 leaves
            4 [2] slow/n1: c2 leaves
            5 [1] fast/n1: c1 is answered: "quick"
            5 [1] main/n2: a branch is finished
            6 main/n2: any: 1 of 3 branches succeeded, 1 failed, 1 given up; x = "quick"
            7 the run is done with "quick"
        "#]],
    );
}

#[test]
fn logic_tells_what_it_set_took_away_and_printed() {
    let made = sketch(
        "main
  R adapter=logic.PYTHON target=\"x = 1\\nprint hello\\ndel gone\"
  R adapter=logic.PYTHON target=\"raise oh no\" err>n3
  Err handler>@rescue
rescue
  J
",
    );
    check(
        &made,
        r#"{"gone": 1}"#,
        plainly,
        expect![[r#"
        0 the run begins with {"gone":1}
        0 main: begins
        0 main/n1: logic ran, x = 1, removed gone, printed "hello"
        2 main/n2: fails with logic: oh no
        2 main/n2: `rescue` handles logic: oh no
        2 rescue: begins
        2 rescue/n1: returns null
        3 the run is done with null
    "#]],
    );
}

#[test]
fn a_call_that_may_not_leave_says_why() {
    let made = sketch(
        "main
  R adapter=tool.CALL target=t out=x
  R adapter=tool.CALL target=t out=x err>n3
  Err handler>@rescue
rescue
  J
",
    );
    let mut options = Options::default();
    options.limits.calls.insert("t".into(), 1);
    let (log, _) = run_with("r", &made, "{}", options, &mut plainly);
    expect![[r#"
        0 the run begins with {}
        0 main: begins
        1 main/n1: c1 asks tool.t with {"input":""}
        2 main/n1: c1 leaves
        3 main/n1: c1 is answered: "t"
        4 main/n2: c2 asks tool.t with {"input":""}
        5 main/n2: c2 may not leave: calls_exceeded: `t` may be called 1 times
        5 main/n2: `rescue` handles calls_exceeded: `t` may be called 1 times
        5 rescue: begins
        5 rescue/n1: returns null
        6 the run is done with "t"
    "#]]
    .assert_eq(&log.trace(&made.plan));
}

#[test]
fn people_answer_or_nobody_does() {
    let made = sketch(
        "main
  Ask prompt=\"go?\" options=[\"Yes\",\"No\"] out=go
  Ask prompt=\"sure?\" expires=1000 expired>@late
  J var=\"in time\"
late
  J var=$go
",
    );
    let answers = |pending: &Pending| match &pending.request {
        Request::Question(question) if &*question.prompt == "go?" => {
            Some(Answer::Person("yes".into(), Some("ann".into())))
        }
        _ => plainly(pending),
    };
    check(
        &made,
        "{}",
        answers,
        expect![[r#"
            0 the run begins with {}
            0 main: begins
            1 main/n1: p1 asks a person: go?
            2 main/n1: p1 is answered by ann: "yes"
            4 main/n2: p2 asks a person: sure?
            5 main/n2: p2: nobody answered in time: null
            5 late: begins
            5 late/n1: returns "yes"
            6 the run is done with "yes"
        "#]],
    );
}

#[test]
fn a_gate_says_which_text_decided() {
    let made = ontology(GATE);
    let answers = |_: &Pending| Some(says(r#"{"score": 4, "note": "thin"}"#));
    check(
        &made,
        r#"{"topic": "knots"}"#,
        answers,
        expect![[r#"
            0 the run begins with {"topic":"knots"}
            0 draft: begins
            2 draft/n1: q1 asks model some-model as writer: {"topic":"knots"}
            4 draft/n1: q1 is answered: {"score":4,"note":"thin"}
            4 good: begins
            4 good/n1: `score >= 7` (score = 4) does not hold, on to `good/n2` [explicit: score >= 7]
            4 good/n2: `score < 3` (score = 4) does not hold, on to `redo` [default: default]
            4 redo: begins
            4 redo/n2: returns null
            5 the run is done with {"score":4,"note":"thin"}
        "#]],
    );
}

#[test]
fn steps_are_objects_for_programs() {
    let made =
        sketch("main\n  Set name=x ref=3\n  If cond=\"x > 2\" then>@end_here\nend_here\n  J\n");
    let (log, _) = run("r", &made, "{}", &mut plainly);
    let (_, steps) = log.told(&made.plan).unwrap();
    let told = Value::list(steps.iter().map(|step| step.to_value()));
    expect![[r#"
        [
          { "step": { "seq": 0, "fiber": 0, "at": "", "what": "began", "inputs": {}, "from": null } },
          { "step": { "seq": 0, "fiber": 0, "at": "main", "what": "entered" } },
          { "step": { "seq": 0, "fiber": 0, "at": "main/n1", "what": "wrote", "name": "x", "value": 3 } },
          {
            "step": {
              "seq": 0,
              "fiber": 0,
              "at": "main/n2",
              "what": "decided",
              "condition": "x > 2",
              "values": { "x": 3 },
              "holds": true,
              "to": "end_here",
              "clause": null
            }
          },
          { "step": { "seq": 0, "fiber": 0, "at": "end_here", "what": "entered" } },
          { "step": { "seq": 0, "fiber": 0, "at": "end_here/n1", "what": "returned", "value": null } },
          {
            "step": {
              "seq": 1,
              "fiber": 0,
              "at": "",
              "what": "finished",
              "status": "done",
              "result": null,
              "error": null
            }
          }
        ]"#]].assert_eq(&json::pretty(&told));
}

pub(crate) const GATE: &str = r#"
name: Review
version: "1.0"
entry_point: draft
entities:
  - { id: writer, type: agent, label: Writer, model: some-model, system_prompt: Write. }
processes:
  - { id: draft, type: step, label: Draft }
  - id: good
    type: gate
    label: Good enough?
    condition: score >= 7
    branches:
      - { condition: score >= 7, target: send }
      - { condition: score < 3, target: drop }
    default: redo
  - { id: send, type: step, label: Send it }
  - { id: drop, type: step, label: Give up }
  - { id: redo, type: step, label: Ask a person }
edges:
  - { type: invoke, from: draft, to: writer, output: Verdict }
  - { type: flow, from: draft, to: good }
  - { type: branch, from: good, to: send, condition: score >= 7 }
schemas:
  - { name: Verdict, fields: [{ name: score, type: integer }, { name: note, type: string }] }
"#;
