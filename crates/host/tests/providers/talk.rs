//! A talk that goes on: wishes, what tools did, and our corrections.

use std::sync::Arc;

use loopback::{Act, Model, Protocol, Said as Says};
use runtime::{ModelAnswer, Reply, Said, ToolUse};
use serde_json::{Value as Json, json};

use crate::desk::{Heard, ask, map, model_of, offered, providers, question, value};

fn replies(answer: &ModelAnswer) -> Said {
    let all = answer.uses.iter().enumerate().map(|(at, wanted)| Reply {
        id: wanted.id.clone(),
        name: wanted.name.clone(),
        output: if at == 1 { "no such thing".into() } else { value(r#"{"found": 3}"#) },
        is_error: at == 1,
    });
    Said::Tools(all.collect())
}

#[test]
fn tools_answer_and_the_model_goes_on() {
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            let wish = Says {
                thought: Some("I must look.".into()),
                tools: vec![("signed".into(), json!({"q": 1})), ("search".into(), json!({}))],
                ..Says::default()
            };
            let acts = [
                Act::Say(Box::new(wish.clone())),
                Act::Say(Box::new(wish)),
                Act::text("not JSON"),
                Act::text("{}"),
            ];
            let model = Model::script(acts);
            let mut asked = question(model_of(protocol));
            asked.params = map(r#"{"thinking": "high"}"#);
            asked.tools = Arc::new(vec![offered("signed"), offered("search")]);
            let mut ids = Vec::new();
            for turn in 0..4 {
                let mut providers = providers(&model);
                if is_stream {
                    providers = providers.with_voice(Arc::new(Heard::default()));
                }
                let answer = ask(providers, asked.clone());
                assert_eq!(model.complaints(), [""; 0], "{protocol:?} {turn}");
                let answer = Arc::new(answer.unwrap());
                ids.extend(answer.uses.iter().map(|it| it.id.clone()));
                asked.talk.push(Said::Model(answer.clone()));
                asked.talk.push(match answer.uses.is_empty() {
                    true => Said::Us("It must be JSON.".into()),
                    false => replies(&answer),
                });
            }
            ids.sort();
            let count = ids.len();
            ids.dedup();
            assert_eq!((count, ids.len()), (4, 4), "{protocol:?}: no id comes twice");
            let last = &model.seen()[3].body;
            let marked = match protocol {
                Protocol::OpenAi => {
                    last["messages"][4]["content"] == "{\"error\":\"no such thing\"}"
                }
                Protocol::Anthropic => last["messages"][2]["content"][1]["is_error"] == true,
                Protocol::Gemini => {
                    last["contents"][2]["parts"][1]["functionResponse"]["response"]["content"]
                        == "{\"error\":\"no such thing\"}"
                }
            };
            assert!(marked, "{protocol:?}: {last:#}");
        }
    }
}

#[test]
fn what_another_provider_said_goes_on_as_everybody_understands_it() {
    let foreign = [
        (Protocol::OpenAi, r#"{"role": "assistant", "content": "Hi", "refusal": null}"#),
        (Protocol::Anthropic, r#"{"type": "thinking", "thinking": "x", "signature": "other"}"#),
        (
            Protocol::Gemini,
            r#"{"role": "model", "parts": [{"text": "Hi", "thoughtSignature": "s"}]}"#,
        ),
    ];
    for to in Protocol::ALL {
        for (from, item) in &foreign {
            if *from == to {
                continue;
            }
            let model = Model::script([Act::text("ok")]);
            let mut asked = question(model_of(to));
            asked.tools = Arc::new(vec![offered("search")]);
            let answer = ModelAnswer {
                text: "I look.".into(),
                uses: vec![ToolUse {
                    id: "u1".into(),
                    name: "search".into(),
                    input: map(r#"{"q": "x"}"#),
                }],
                items: vec![Arc::new(map(item))],
                ..ModelAnswer::default()
            };
            asked.talk = vec![Said::Model(Arc::new(answer.clone())), replies(&answer)];
            let answer = ask(providers(&model), asked);
            assert_eq!(model.complaints(), [""; 0], "{from:?} to {to:?}");
            assert_eq!(&*answer.unwrap().text, "ok");
            let sent = model.seen()[0].body.to_string();
            assert!(sent.contains("I look.") && !sent.contains("other"), "{from:?} to {to:?}");
        }
    }
}

#[test]
fn wishes_that_nobody_fulfilled_are_not_repeated() {
    for protocol in Protocol::ALL {
        let acts = [Act::tools([("search", json!({}))]), Act::text("ok")];
        let model = Model::script(acts);
        let mut asked = question(model_of(protocol));
        asked.tools = Arc::new(vec![offered("search")]);
        let answer = ask(providers(&model), asked.clone()).unwrap();
        asked.talk.push(Said::Model(Arc::new(answer)));
        asked.talk.push(Said::Us("No more tools: answer.".into()));
        assert!(ask(providers(&model), asked).is_ok(), "{:?}", model.complaints());
    }
}

#[test]
fn we_may_speak_after_tools() {
    for protocol in Protocol::ALL {
        let model = Model::script([Act::tools([("search", json!({}))]), Act::text("ok")]);
        let mut asked = question(model_of(protocol));
        asked.tools = Arc::new(vec![offered("search")]);
        let answer = Arc::new(ask(providers(&model), asked.clone()).unwrap());
        asked.talk = vec![
            Said::Model(answer.clone()),
            replies(&answer),
            Said::Us("That was the last tool.".into()),
        ];
        let second = ask(providers(&model), asked);
        assert!(second.is_ok(), "{protocol:?}: {:?}", model.complaints());
        assert!(model.seen()[1].last_text().contains("That was the last tool."));
    }
}

#[test]
fn ids_that_a_server_forgets_or_repeats_are_made_up() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": "{}"}});
    let calls: Vec<Json> = vec![call(""), call("a"), call("a")];
    let body = json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": calls},
        "finish_reason": "tool_calls"}]});
    let garbage = loopback::Failing::Garbage("application/json".into(), body.to_string());
    let model = Model::script([Act::Fail(garbage), Act::text("ok")]);
    let mut asked = question("gpt-4o");
    asked.tools = Arc::new(vec![offered("search")]);
    let answer = Arc::new(ask(providers(&model), asked.clone()).unwrap());
    let ids: Vec<&str> = answer.uses.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["call_1", "a", "call_a3"]);
    assert_eq!((answer.prompt_tokens, answer.completion_tokens), (0, 0));
    asked.talk = vec![Said::Model(answer.clone()), replies(&answer)];
    assert!(ask(providers(&model), asked).is_ok(), "{:?}", model.complaints());
}
