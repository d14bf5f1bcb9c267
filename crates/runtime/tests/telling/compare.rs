use expect_test::{Expect, expect};
use runtime::{Answer, Comparison, Pending, Request, Story, compare};
use value::{Value, json};

use crate::driving::{Log, Made, declared, fork, ontology, plainly, run, says, sketch};
use crate::trace::GATE;

fn story(made: &Made, log: &Log) -> Story {
    let (fold, steps) = log.told(&made.plan).unwrap();
    let (plan, end) = fold.finish();
    Story::new(log.run.as_str(), plan, end, steps)
}

fn check(found: &Comparison, told: Expect) {
    told.assert_eq(&found.to_string());
    assert!(!found.is_equal());
}

fn scored(score: i64) -> impl FnMut(&Pending) -> Option<Answer> {
    move |_: &Pending| Some(says(&format!(r#"{{"score": {score}, "note": "thin"}}"#)))
}

#[test]
fn a_run_is_equal_to_itself_and_to_another_that_did_the_same() {
    for (made, inputs) in
        [(ontology(GATE), r#"{"topic": "knots"}"#), (sketch(FORKING), r#"{"x": 1}"#)]
    {
        let mut answers = |pending: &Pending| match &pending.request {
            Request::Model(_) => scored(4)(pending),
            _ => plainly(pending),
        };
        let (log, _) = run("r", &made, inputs, &mut answers);
        let (other, _) = run("s", &made, inputs, &mut answers);
        let (one, other) = (story(&made, &log), story(&made, &other));
        assert!(compare(&one, &one).is_equal());
        assert!(compare(&one, &other).is_equal(), "{}", compare(&one, &other));
        assert_eq!(compare(&one, &other).to_value().get("equal"), Some(&Value::Bool(true)));
        assert_eq!(compare(&one, &other).to_value().get("parted"), Some(&Value::Null));
    }
}

const FORKING: &str = "main
  Fork branch>@left branch>@right next>n2
  Join
  Ask prompt=\"well?\" expires=50 default=yes out=said
  R adapter=tool.CALL target=last out=z
left
  R adapter=tool.CALL target=l out=l
right
  R adapter=tool.CALL target=r out=r
";

#[test]
fn another_answer_parts_them() {
    let made = ontology(GATE);
    let (low, _) = run("low", &made, r#"{"topic": "knots"}"#, &mut scored(4));
    let (high, _) = run("high", &made, r#"{"topic": "knots"}"#, &mut scored(9));
    let found = compare(&story(&made, &low), &story(&made, &high));
    check(
        &found,
        expect![[r#"
        they part at low@4 and high@4: answer
          low: draft/n1: q1 is answered: {"score":4,"note":"thin"}
          high: draft/n1: q1 is answered: {"score":9,"note":"thin"}
        path: 2 processes in common, then
          low: redo
          high: send
        state
          draft_result: {"score":4,"note":"thin"} | {"score":9,"note":"thin"}
          score: 4 | 9
          verdict: {"score":4,"note":"thin"} | {"score":9,"note":"thin"}
        effects
          draft/n1
            low: q1 model some-model as writer: {"topic":"knots"} -> {"score":4,"note":"thin"}
            high: q1 model some-model as writer: {"topic":"knots"} -> {"score":9,"note":"thin"}
        usage
          low: 1 model calls, 0 tool calls, 13 tokens, cost 0
          high: 1 model calls, 0 tool calls, 13 tokens, cost 0
    "#]],
    );
    expect![[r#"
        {
          "equal": false,
          "parted": {
            "a": "low@4",
            "b": "high@4",
            "why": "answer",
            "a_did": "draft/n1: q1 is answered: {\"score\":4,\"note\":\"thin\"}",
            "b_did": "draft/n1: q1 is answered: {\"score\":9,\"note\":\"thin\"}"
          },
          "path": { "common": 2, "a": ["redo"], "b": ["send"], "a_omitted": 0, "b_omitted": 0 },
          "state": {
            "only_a": {},
            "only_b": {},
            "different": {
              "draft_result": { "a": { "score": 4, "note": "thin" }, "b": { "score": 9, "note": "thin" } },
              "score": { "a": 4, "b": 9 },
              "verdict": { "a": { "score": 4, "note": "thin" }, "b": { "score": 9, "note": "thin" } }
            }
          },
          "effects": {
            "removed": [],
            "added": [],
            "changed": [
              {
                "at": "draft/n1",
                "a": {
                  "at": "draft/n1",
                  "call": "q1",
                  "seq": 2,
                  "request": { "model": "some-model", "agent": "writer", "prompt": "{\"topic\":\"knots\"}" },
                  "answer": { "score": 4, "note": "thin" },
                  "error": null
                },
                "b": {
                  "at": "draft/n1",
                  "call": "q1",
                  "seq": 2,
                  "request": { "model": "some-model", "agent": "writer", "prompt": "{\"topic\":\"knots\"}" },
                  "answer": { "score": 9, "note": "thin" },
                  "error": null
                }
              }
            ]
          },
          "usage": {
            "a": {
              "prompt_tokens": 10,
              "completion_tokens": 3,
              "model_calls": 1,
              "tool_calls": 0,
              "steps": 5,
              "visits": 3,
              "cost": "0"
            },
            "b": {
              "prompt_tokens": 10,
              "completion_tokens": 3,
              "model_calls": 1,
              "tool_calls": 0,
              "steps": 4,
              "visits": 3,
              "cost": "0"
            }
          }
        }"#]].assert_eq(&json::pretty(&found.to_value()));
}

#[test]
fn another_input_parts_them_at_once() {
    let made = ontology(GATE);
    let (one, _) = run("one", &made, r#"{"topic": "knots"}"#, &mut scored(4));
    let (two, _) = run("two", &made, r#"{"topic": "ropes"}"#, &mut scored(4));
    check(
        &compare(&story(&made, &one), &story(&made, &two)),
        expect![[r#"
        they part at one@0 and two@0: input
          one: the run begins with {"topic":"knots"}
          two: the run begins with {"topic":"ropes"}
        path: the same 3 processes
        state
          topic: "knots" | "ropes"
        effects
          draft/n1
            one: q1 model some-model as writer: {"topic":"knots"} -> {"score":4,"note":"thin"}
            two: q1 model some-model as writer: {"topic":"ropes"} -> {"score":4,"note":"thin"}
        usage
          one: 1 model calls, 0 tool calls, 13 tokens, cost 0
          two: 1 model calls, 0 tool calls, 13 tokens, cost 0
    "#]],
    );
}

#[test]
fn a_fork_and_its_parent_share_what_was_before() {
    let made = ontology(GATE);
    let (log, _) = run("r", &made, r#"{"topic": "knots"}"#, &mut scored(4));
    let at = log.seq("model_response", 0);
    let (same, _) = fork("same", &log, at, &made, None, "{}", &mut scored(4));
    let one = story(&made, &log);
    assert!(compare(&one, &story(&made, &same)).is_equal());
    let (set, _) = fork("set", &log, at, &made, None, r#"{"score": 8}"#, &mut scored(4));
    check(
        &compare(&one, &story(&made, &set)),
        expect![[r#"
        they part at r@4 and set@7: input
          r: good: begins
          set: the fork sets score = 8
        path: 2 processes in common, then
          r: redo
          set: send
        state
          score: 4 | 8
        effects: the same
        usage
          r: 1 model calls, 0 tool calls, 13 tokens, cost 0
          set: 1 model calls, 0 tool calls, 13 tokens, cost 0
    "#]],
    );
    let at = log.seq("model_request", 0);
    let (asked, _) = fork("asked", &log, at, &made, None, "{}", &mut scored(1));
    check(
        &compare(&one, &story(&made, &asked)),
        expect![[r#"
        they part at r@4 and asked@6: answer
          r: draft/n1: q1 is answered: {"score":4,"note":"thin"}
          asked: draft/n1: q1 is answered: {"score":1,"note":"thin"}
        path: 2 processes in common, then
          r: redo
          asked: drop
        state
          draft_result: {"score":4,"note":"thin"} | {"score":1,"note":"thin"}
          score: 4 | 1
          verdict: {"score":4,"note":"thin"} | {"score":1,"note":"thin"}
        effects
          draft/n1
            r: q1 model some-model as writer: {"topic":"knots"} -> {"score":4,"note":"thin"}
            asked: q1 model some-model as writer: {"topic":"knots"} -> {"score":1,"note":"thin"}
        usage
          r: 1 model calls, 0 tool calls, 13 tokens, cost 0
          asked: 1 model calls, 0 tool calls, 13 tokens, cost 0
    "#]],
    );
}

#[test]
fn another_graph_parts_them_where_it_is_different() {
    let made = ontology(GATE);
    let other = ontology(&GATE.replace("score < 3", "score < 5"));
    let (one, _) = run("one", &made, r#"{"topic": "knots"}"#, &mut scored(4));
    let (two, _) = run("two", &other, r#"{"topic": "knots"}"#, &mut scored(4));
    check(
        &compare(&story(&made, &one), &story(&other, &two)),
        expect![[r#"
            they part at one@4 and two@4: graph
              one: good/n2: `score < 3` (score = 4) does not hold, on to `redo` [default: default]
              two: good/n2: `score < 5` (score = 4) holds, on to `drop` [inline: score < 5]
            path: 2 processes in common, then
              one: redo
              two: drop
            state: the same
            effects: the same
            usage
              one: 1 model calls, 0 tool calls, 13 tokens, cost 0
              two: 1 model calls, 0 tool calls, 13 tokens, cost 0
        "#]],
    );
    let made = declared(TOOLS, "{}");
    let other = declared(&TOOLS.replace("target=u", "target=v"), "{}");
    let (one, _) = run("one", &made, "{}", &mut plainly);
    let (two, _) = run("two", &other, "{}", &mut plainly);
    check(
        &compare(&story(&made, &one), &story(&other, &two)),
        expect![[r#"
        they part at one@4 and two@4: graph
          one: main/n2: c2 asks tool.u with {"input":""}
          two: main/n2: c2 asks tool.v with {"input":""}
        path: the same 1 processes
        state
          z: "u" | "v"
        effects
          main/n2
            one: c2 tool.u with {"input":""} -> "u"
            two: c2 tool.v with {"input":""} -> "v"
        usage
          one: 0 model calls, 2 tool calls, 0 tokens, cost 0
          two: 0 model calls, 2 tool calls, 0 tokens, cost 0
    "#]],
    );
}

const TOOLS: &str = "main
  R adapter=tool.CALL target=t out=y
  R adapter=tool.CALL target=u out=z
";

#[test]
fn one_that_waits_ends_before_the_other() {
    let made = declared(TOOLS, "{}");
    let (one, _) = run("one", &made, "{}", &mut plainly);
    let mut only_t = |pending: &Pending| match &pending.request {
        Request::Tool(call) if &*call.tool == "t" => plainly(pending),
        _ => None,
    };
    let (two, _) = run("two", &made, "{}", &mut only_t);
    check(
        &compare(&story(&made, &one), &story(&made, &two)),
        expect![[r#"
        they part at one@6 and two@4: end
          one: main/n2: c2 is answered: "u"
          two: nothing more
        path: the same 1 processes
        state
          z: only in one: "u"
        effects
          main/n2
            one: c2 tool.u with {"input":""} -> "u"
            two: c2 tool.u with {"input":""} -> no answer
        usage
          one: 0 model calls, 2 tool calls, 0 tokens, cost 0
          two: 0 model calls, 2 tool calls, 0 tokens, cost 0
    "#]],
    );
}
