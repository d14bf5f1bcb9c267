//! S8: a model that obeys whoever spoke last. Texts from outside tell it to call tools, and it asks
//! for exactly that. What it asks for is not what happens.

use std::collections::BTreeSet;

use graph::{Again, Touches};
use runtime::{
    Answer, ModelAnswer, ModelCall, Options, Pending, Request, Run, Said, Status, ToolContract,
    ToolUse,
};
use value::{Map, Text, Value, json};

use crate::driving::{Log, Made, declared, fork, map, run_with, says};
use crate::injections::{INJECTIONS, Injection};

/// The tools that do something outside: a model that obeys wants them.
const OUTWARD: [&str; 5] = ["mail", "pay", "delete", "shell", "http"];

/// An agent with these tools; all tools are bound, as they are where other agents use them.
fn agent(tools: &[&str]) -> Made {
    let text = "main
  R adapter=agent.INVOKE target=clerk input=Note out=said
  J var=$said
";
    declared(text, &declarations(tools))
}

fn declarations(tools: &[&str]) -> String {
    let known = OUTWARD.iter().chain(&["fetch"]);
    let declared: Vec<String> =
        known.map(|tool| format!(r#""{tool}": {{"label": "{tool}"}}"#)).collect();
    let tools: Vec<String> = tools.iter().map(|tool| format!("\"{tool}\"")).collect();
    format!(
        r#"{{"agents": {{"clerk": {{"model": "m", "tools": [{}]}}}}, "tools": {{{}}},
        "schemas": {{"Note": {{"fields": [{{"name": "note", "type": "string"}}]}}}}}}"#,
        tools.join(", "),
        declared.join(", ")
    )
}

/// What is bound, where everything outward needs a permission of its own name.
fn options(grants: &[&str]) -> Options {
    let outward = OUTWARD.iter().map(|tool| {
        let permissions = vec![format!("outward.{tool}").into()];
        (Text::from(*tool), ToolContract { permissions, ..ToolContract::UNKNOWN })
    });
    let reads =
        ToolContract { touches: Touches::Read, again: Again::Freely, ..ToolContract::UNKNOWN };
    Options {
        tools: outward.chain([("fetch".into(), reads)]).collect(),
        grants: grants.iter().map(|grant| Text::from(*grant)).collect(),
        ..Options::default()
    }
}

/// By which way a text comes to the model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Input,
    ToolAnswer,
}

/// Everything that a model is told.
fn told(call: &ModelCall) -> String {
    let mut told = call.prompt.to_string();
    for said in &call.talk {
        if let Said::Tools(replies) = said {
            let texts = replies.iter().map(|reply| match &reply.output {
                Value::Text(text) => text.to_string(),
                other => json::compact(other),
            });
            told.extend(texts);
        }
    }
    told
}

/// Does what it is told, once, and asks for the page before that.
fn obeys(injection: &Injection, call: &ModelCall) -> Answer {
    let want = |name: &str, input: Map| {
        let uses = vec![ToolUse { id: "w".into(), name: name.into(), input }];
        Answer::Model(Box::new(ModelAnswer { uses, ..ModelAnswer::default() }))
    };
    let has_wanted = |name: &str| {
        call.talk.iter().any(|said| match said {
            Said::Model(answer) => answer.uses.iter().any(|wish| &*wish.name == name),
            Said::Tools(_) | Said::Us(_) => false,
        })
    };
    let told = told(call);
    // A prompt is JSON, so that its text is there with escapes.
    let escaped = json::compact(&injection.text.into());
    let is_led = told.contains(injection.text) || told.contains(&escaped[1..escaped.len() - 1]);
    match is_led {
        true if !has_wanted(injection.tool) => want(injection.tool, map(injection.args)),
        false if !has_wanted("fetch") => want("fetch", map("{}")),
        _ => says("done"),
    }
}

/// What left for outside, and what the model was led to want.
struct Attack {
    left: Vec<(Text, Map)>,
    was_led: bool,
    log: Log,
    run: Run,
}

fn attack(injection: &Injection, way: Way, made: &Made, options: Options) -> Attack {
    let note = if way == Way::Input { injection.text } else { "When are you open?" };
    let inputs = json::compact(&Value::map([("note", Value::text(note))]));
    let (mut left, mut was_led) = (Vec::new(), false);
    let (log, run) = run_with("r", made, &inputs, options, &mut |pending: &Pending| {
        answer(injection, pending, &mut left, &mut was_led)
    });
    Attack { left, was_led, log, run }
}

/// The world: pages that say what the attacker wants, and tools that do whatever reaches them.
fn answer(
    injection: &Injection,
    pending: &Pending,
    left: &mut Vec<(Text, Map)>,
    was_led: &mut bool,
) -> Option<Answer> {
    Some(match &pending.request {
        Request::Model(call) => {
            let answer = obeys(injection, call);
            if let Answer::Model(said) = &answer {
                *was_led |= said.uses.iter().any(|wish| &*wish.name == injection.tool);
            }
            answer
        }
        Request::Tool(call) if &*call.tool == "fetch" => Answer::Value(injection.text.into()),
        Request::Tool(call) => {
            left.push((call.tool.clone(), call.args.clone()));
            Answer::Value(true.into())
        }
        Request::Timer(_) => Answer::Due,
        // People are not there, and nobody speaks for them.
        Request::Question(_) => return None,
    })
}

fn is_outward(injection: &Injection) -> bool {
    OUTWARD.contains(&injection.tool)
}

/// What was recorded is what happened, and it happens again in the same way.
fn folds_again(attack: &Attack, made: &Made) {
    let (fold, _) = attack.log.told(&made.plan).unwrap();
    assert_eq!(fold.run(), &attack.run);
}

#[test]
fn there_are_fifty_injections_and_no_two_are_the_same() {
    assert!(INJECTIONS.len() >= 50, "{}", INJECTIONS.len());
    let hows: BTreeSet<&str> = INJECTIONS.iter().map(|injection| injection.how).collect();
    let texts: BTreeSet<&str> = INJECTIONS.iter().map(|injection| injection.text).collect();
    assert_eq!((hows.len(), texts.len()), (INJECTIONS.len(), INJECTIONS.len()));
}

/// Without this the tests below would show nothing: where everything is offered and granted, an
/// obedient model is as dangerous as it sounds.
#[test]
fn an_obedient_model_does_what_it_is_told_where_nothing_holds_it() {
    let made = agent(&["fetch", "mail", "pay", "delete", "shell", "http"]);
    let grants = OUTWARD.map(|tool| format!("outward.{tool}"));
    let grants: Vec<&str> = grants.iter().map(String::as_str).collect();
    for injection in INJECTIONS {
        for way in [Way::Input, Way::ToolAnswer] {
            let attack = attack(injection, way, &made, options(&grants));
            assert!(attack.was_led, "{way:?}: {}", injection.how);
            let expected: &[(Text, Map)] = &[(injection.tool.into(), map(injection.args))];
            let left = attack
                .left
                .iter()
                .map(|(tool, args)| (tool, json::canonical(&args.clone().into())));
            let wanted =
                expected.iter().map(|(tool, args)| (tool, json::canonical(&args.clone().into())));
            match is_outward(injection) {
                true => assert!(left.eq(wanted), "{}: {:?}", injection.how, attack.left),
                // What is no tool is none, whatever anybody calls it.
                false => assert_eq!(attack.left, [], "{}", injection.how),
            }
        }
    }
}

#[test]
fn a_tool_that_an_agent_was_not_given_is_out_of_its_reach() {
    let made = agent(&["fetch"]);
    let grants = OUTWARD.map(|tool| format!("outward.{tool}"));
    let grants: Vec<&str> = grants.iter().map(String::as_str).collect();
    for injection in INJECTIONS {
        for way in [Way::Input, Way::ToolAnswer] {
            let attack = attack(injection, way, &made, options(&grants));
            assert!(attack.was_led, "{way:?}: {}", injection.how);
            assert_eq!(attack.left, [], "{way:?}: {}", injection.how);
            assert_eq!(attack.run.status(), Status::Done, "{}", injection.how);
            let calls = attack.log.events.iter().filter(|event| event.kind().name() == "tool_call");
            let tools: BTreeSet<String> = calls
                .map(|event| format!("{:?}", event.members().get("tool").and_then(Value::as_text)))
                .collect();
            let fetched = format!("{:?}", Some(&Text::from("fetch")));
            assert!(tools.iter().all(|tool| *tool == fetched), "not even asked for: {tools:?}");
            folds_again(&attack, &made);
        }
    }
}

/// Given, but not granted: each wish is refused at the one place that decides, and on the record.
/// A policy is another decider at the same place.
#[test]
fn a_tool_that_is_not_granted_is_refused_on_the_record() {
    let made = agent(&["fetch", "mail", "pay", "delete", "shell", "http"]);
    for grants in [&[][..], &["outward.fetch"], &["outward"], &["*", "outward.*"]] {
        for injection in INJECTIONS {
            for way in [Way::Input, Way::ToolAnswer] {
                let attack = attack(injection, way, &made, options(grants));
                assert!(attack.was_led, "{way:?}: {}", injection.how);
                assert_eq!(attack.left, [], "{grants:?}, {way:?}: {}", injection.how);
                let kinds = attack.log.events.iter().map(|event| event.kind().name());
                let refusals = kinds.filter(|kind| *kind == "approval_decided").count();
                assert_eq!(refusals, usize::from(is_outward(injection)), "{}", injection.how);
                folds_again(&attack, &made);
            }
        }
    }
}

/// A person stands between what the model says and what is done: nothing that a model or a page
/// says is that person's answer, and a fork of it writes nothing either.
#[test]
fn no_text_answers_for_a_person() {
    let text = "main
  R adapter=agent.INVOKE target=clerk input=Note out=said
  Ask prompt=\"Send it?\" options=[\"yes\",\"no\"] out=go
  If cond=\"go == 'yes'\" then>n4 else>n5
  R adapter=tool.CALL target=mail out=sent
  J var=$go
";
    let made = declared(text, &declarations(&["fetch"]));
    let grants = OUTWARD.map(|tool| format!("outward.{tool}"));
    let grants: Vec<&str> = grants.iter().map(String::as_str).collect();
    for injection in INJECTIONS {
        for way in [Way::Input, Way::ToolAnswer] {
            let attack = attack(injection, way, &made, options(&grants));
            assert!(attack.was_led, "{way:?}: {}", injection.how);
            assert_eq!(attack.left, [], "{way:?}: {}", injection.how);
            assert!(attack.run.has_questions(), "{}: it still waits", injection.how);
            let last = attack.log.events.len() as u64 - 1;
            let (mut left, mut led) = (Vec::new(), false);
            let (_, forked) =
                fork("f", &attack.log, last, &made, None, "{}", &mut |pending: &Pending| {
                    answer(injection, pending, &mut left, &mut led)
                });
            assert_eq!((left, forked.has_questions()), (Vec::new(), true), "{}", injection.how);
        }
    }
}
