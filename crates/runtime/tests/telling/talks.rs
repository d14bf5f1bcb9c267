//! What an agent and a model say to each other: tools that are wanted, and answers that do not fit.

use std::collections::BTreeMap;
use std::sync::Arc;

use expect_test::expect;
use graph::{Again, Touches};
use history::kinds::What;
use runtime::{
    Answer, Fault, FaultKind, Happened, Input, ModelAnswer, ModelCall, NoLogic, Offer, Options,
    Pending, Request, Ruled, Ruling, Said, Status, ToolContract, ToolUse, advance,
};
use value::{Value, json};

use crate::driving::{Log, Made, declared, fork, map, run_with, says};

const ASKS: &str = "main
  R adapter=agent.INVOKE target=clerk out=said
  J var=$said
";

const CLERK: &str = r#"{
  "agents": {"clerk": {"model": "m", "tools": ["look.up", "pay", "gone"]}},
  "tools": {
    "look.up": {"label": "Look up", "description": "Finds a customer.", "input_schema": "Query"},
    "pay": {"label": "Pay"},
    "gone": {"label": "Not bound"}
  },
  "schemas": {
    "Query": {"fields": [
      {"name": "name", "type": "string"}, {"name": "most", "type": "integer", "optional": true}]},
    "Verdict": {"fields": [{"name": "score", "type": "integer"}]}
  }
}"#;

fn options() -> Options {
    let of = |touches, again| ToolContract { touches, again, ..ToolContract::UNKNOWN };
    let pay = Offer { description: Some("Pays.".into()), ..Offer::default() };
    Options {
        tools: BTreeMap::from([
            ("look.up".into(), of(Touches::Read, Again::Freely)),
            ("pay".into(), of(Touches::Write, Again::ByAsking)),
        ]),
        offers: BTreeMap::from([("pay".into(), pay)]),
        ..Options::default()
    }
}

fn wants(wishes: &[(&str, &str, &str)]) -> Answer {
    let uses = wishes.iter().map(|(id, name, input)| ToolUse {
        id: (*id).into(),
        name: (*name).into(),
        input: map(input),
    });
    Answer::Model(Box::new(ModelAnswer {
        uses: uses.collect(),
        reasoning: Some("hm".into()),
        items: vec![Arc::new(map(r#"{"z": 1, "raw": {"b": 2, "a": 1.0}}"#))],
        ..ModelAnswer::default()
    }))
}

fn clerk() -> Made {
    declared(ASKS, CLERK)
}

/// What is read again from the events is what was there.
fn folds_again(log: &Log, made: &Made, run: &runtime::Run) {
    let (fold, _) = log.told(&made.plan).unwrap();
    assert_eq!(fold.run(), run);
}

fn kinds(log: &Log) -> Vec<&'static str> {
    log.events.iter().map(|event| event.kind().name()).collect()
}

#[test]
fn what_a_model_wants_is_called_and_told() {
    let made = clerk();
    let mut asked: Vec<ModelCall> = Vec::new();
    let mut called: Vec<(String, String)> = Vec::new();
    let (log, run) = run_with("r", &made, "{}", options(), &mut |pending: &Pending| {
        Some(match &pending.request {
            Request::Model(call) => {
                asked.push((**call).clone());
                match asked.len() {
                    1 => wants(&[
                        ("w1", "look_up", r#"{"name": "Ann", "most": 1.0}"#),
                        ("w2", "pay", r#"{"input": "5"}"#),
                        ("w3", "conjure", "{}"),
                        ("w4", "look_up", r#"{"name": "Bob"}"#),
                    ]),
                    _ => says("done"),
                }
            }
            Request::Tool(call) => {
                called.push((
                    format!("{} {}", call.tool, call.nth),
                    json::compact(&call.args.clone().into()),
                ));
                match &*call.tool {
                    "pay" => Answer::Failed(Fault::new(FaultKind::Tool, "no money")),
                    _ => Answer::Value(Value::map([("found", Value::Bool(true))])),
                }
            }
            _ => return None,
        })
    });
    assert_eq!(run.status(), Status::Done);
    assert_eq!(run.result(), &Value::text("done"));
    let [first, second] = &asked[..] else { panic!("the model is asked twice: {asked:?}") };
    let offered: Vec<String> = first
        .tools
        .iter()
        .map(|tool| {
            let required = tool.input.get("required").map(json::compact).unwrap_or_default();
            format!("{} {}: {required}", tool.name, tool.description)
        })
        .collect();
    expect![[r#"
        look_up Finds a customer.: ["name"]
        pay Pays.: ["input"]"#]]
    .assert_eq(&offered.join("\n"));
    expect![[r#"
        [
            (
                "look.up 1",
                "{\"most\":1,\"name\":\"Ann\"}",
            ),
            (
                "pay 1",
                "{\"input\":\"5\"}",
            ),
            (
                "look.up 2",
                "{\"name\":\"Bob\"}",
            ),
        ]
    "#]]
    .assert_debug_eq(&called);
    let [Said::Model(_), Said::Tools(replies)] = &second.talk[..] else {
        panic!("what was wanted, and what came of it: {:?}", second.talk)
    };
    let told: Vec<String> = replies
        .iter()
        .map(|reply| {
            format!(
                "{} {} {} {}",
                reply.id,
                reply.name,
                reply.is_error,
                json::compact(&reply.output)
            )
        })
        .collect();
    expect![[r#"
        w1 look_up false {"found":true}
        w2 pay true {"code":"tool","message":"no money"}
        w3 conjure true {"code":"missing","message":"there is no tool `conjure`; there are: look_up, pay"}
        w4 look_up false {"found":true}"#]]
    .assert_eq(&told.join("\n"));
    assert_eq!(second.refs.len(), 3, "the question, the wishes, what came of them");
    expect![[r#"
        [
            "run_started",
            "message_created",
            "model_request",
            "message_created",
            "model_response",
            "tool_call",
            "tool_call",
            "tool_call",
            "effect_started",
            "tool_result",
            "tool_result",
            "tool_result",
            "message_created",
            "model_request",
            "message_created",
            "model_response",
            "run_finished",
        ]
    "#]]
    .assert_debug_eq(&kinds(&log));
    folds_again(&log, &made, &run);
    // Who wanted a call is in it.
    let response = log.events[4].id();
    for event in &log.events[5..8] {
        let What::ToolCall(call) = log.fact(event).what else { panic!("it is a call") };
        assert_eq!(call.requested_by.map(|by| by.event_id), Some(response));
    }
}

#[test]
fn what_may_have_happened_ends_the_talk() {
    let made = clerk();
    let (log, run) = run_with("r", &made, "{}", options(), &mut |pending: &Pending| {
        Some(match &pending.request {
            Request::Model(_) => {
                wants(&[("w1", "pay", "{}"), ("w2", "look_up", r#"{"name":"A"}"#)])
            }
            Request::Tool(call) if &*call.tool == "pay" => {
                let lost = Fault::new(FaultKind::Timeout, "no answer");
                Answer::Failed(lost.with_happened(Happened::Maybe))
            }
            Request::Tool(_) => Answer::Value(Value::Null),
            _ => return None,
        })
    });
    assert_eq!(run.status(), Status::Failed);
    assert_eq!(
        run.failure().map(|failure| failure.fault.message.to_string()).as_deref(),
        Some("no answer")
    );
    let asked = kinds(&log).iter().filter(|kind| **kind == "model_request").count();
    assert_eq!(asked, 1, "a model that hears of it would pay again");
    folds_again(&log, &made, &run);
}

#[test]
fn a_model_does_not_want_for_ever() {
    let made = clerk();
    let mut options = options();
    options.limits.talk = 3;
    let (log, run) = run_with("r", &made, "{}", options, &mut |pending: &Pending| {
        Some(match &pending.request {
            Request::Model(_) => wants(&[("w", "conjure", "{}")]),
            _ => return None,
        })
    });
    assert_eq!(
        run.failure().map(|failure| failure.fault.kind.word().to_string()).as_deref(),
        Some("turns_exceeded")
    );
    let asked = kinds(&log).iter().filter(|kind| **kind == "model_request").count();
    assert_eq!(asked, 3);
    folds_again(&log, &made, &run);
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_again_once() {
    let text =
        "main\n  R adapter=agent.INVOKE target=clerk output=Verdict out=said\n  J var=$score\n";
    let made = declared(text, CLERK);
    for (answers, result) in [
        (["{\"score\": \"high\"}", "{\"score\": 4}"], Ok(Value::Int(4))),
        (["no", "{}"], Err("schema")),
    ] {
        let mut asked: Vec<ModelCall> = Vec::new();
        let (log, run) = run_with("r", &made, "{}", options(), &mut |pending: &Pending| {
            let Request::Model(call) = &pending.request else { return None };
            asked.push((**call).clone());
            answers.get(asked.len() - 1).map(|text| says(text))
        });
        assert_eq!(asked.len(), 2);
        let Some(Said::Us(told)) = asked[1].talk.last() else { panic!("it is told what is wrong") };
        if result.is_ok() {
            let told: Vec<&str> = told.lines().skip(1).collect();
            expect![[r#"
                - at `/score`: text where a value of type `integer` is needed
                Answer again, with one JSON object of the shape that was asked for."#]]
            .assert_eq(&told.join("\n"));
        }
        match result {
            Ok(value) => assert_eq!(run.result(), &value),
            Err(code) => {
                let word = run.failure().map(|failure| failure.fault.kind.word().to_string());
                assert_eq!(word.as_deref(), Some(code));
            }
        }
        assert_eq!(run.usage().model_calls, 2);
        folds_again(&log, &made, &run);
    }
}

#[test]
fn a_fork_between_wishes_goes_on_with_the_talk() {
    let made = clerk();
    let mut answers = |pending: &Pending| {
        Some(match &pending.request {
            Request::Model(call) if call.talk.is_empty() => {
                wants(&[("w1", "look_up", r#"{"name":"A"}"#), ("w2", "look_up", r#"{"name":"B"}"#)])
            }
            Request::Model(_) => says("done"),
            Request::Tool(call) => {
                Answer::Value(call.args.get("name").cloned().unwrap_or_default())
            }
            _ => return None,
        })
    };
    let (log, run) = run_with("r", &made, "{}", options(), &mut answers);
    assert_eq!(run.status(), Status::Done);
    for (seq, kind) in (0..).zip(kinds(&log)) {
        if seq == 0 || kind == "run_finished" {
            continue;
        }
        let (forked, run) = fork("f", &log, seq, &made, None, "{}", &mut answers);
        assert_eq!(run.status(), Status::Done, "forked at {seq}, a {kind}");
        assert_eq!(run.result(), &Value::text("done"), "forked at {seq}, a {kind}");
        folds_again(&forked, &made, &run);
    }
}

/// A policy that has a person asked about everything that is paid: two wishes of one answer.
#[test]
fn a_policy_rules_about_each_wish_and_a_denial_is_told() {
    let made = clerk();
    let mut talks = Vec::new();
    let options = Options { policy: Some("p".into()), ..options() };
    let (mut log, mut run) = run_with("r", &made, "{}", options, &mut |_| None);
    let mut paid = Vec::new();
    loop {
        let ruled = run.next_undecided().map(|call| call.id).map(|call| {
            let outcome = Ruled::Ask { capability: None, expires_ms: 60_000 };
            let ruling = Ruling { outcome, reason: None, policy: "p".into() };
            Input::Decided(call, Box::new(ruling))
        });
        let next = ruled.or_else(|| {
            let pending = run.pending().find(|pending| pending.is_made())?;
            let answer = match &pending.request {
                Request::Model(call) => {
                    talks.push(call.talk.clone());
                    match talks.len() {
                        1 => wants(&[
                            ("w1", "pay", r#"{"input": "5"}"#),
                            ("w2", "pay", r#"{"input": "500"}"#),
                        ]),
                        _ => says("done"),
                    }
                }
                Request::Question(question) => {
                    let word = if question.prompt.contains("500") { "deny" } else { "approve" };
                    Answer::Person(word.into(), Some("anna".into()))
                }
                Request::Tool(call) => {
                    paid.push(json::compact(&call.args.clone().into()));
                    Answer::Value(Value::Null)
                }
                Request::Timer(_) => return None,
            };
            Some(Input::Answer(pending.id, answer))
        });
        let Some(input) = next else { break };
        let now = run.now();
        let advanced =
            advance(&made.plan, &mut run, Some(&input), now, &mut NoLogic, &mut |_| true);
        log.add(advanced.unwrap().events);
    }
    assert_eq!(run.status(), Status::Done);
    assert_eq!(paid, [r#"{"input":"5"}"#], "only what was approved has left");
    let Some(Said::Tools(replies)) = talks[1].last() else { panic!("{:?}", talks[1]) };
    let errors: Vec<bool> = replies.iter().map(|reply| reply.is_error).collect();
    assert_eq!(errors, [false, true]);
    folds_again(&log, &made, &run);
}
