//! What is asked and answered.

use std::sync::Arc;

use loopback::{Act, Finish, Model, Protocol, Said as Says};
use serde_json::json;
use value::Value;

use crate::desk::{
    Heard, ask, configured, map, model_of, offered, providers, question, text, value,
};

#[test]
fn a_text_comes_back_with_its_tokens_and_its_cost() {
    for protocol in Protocol::ALL {
        let model = Model::script([Act::text("It is a test.")]);
        let answer = ask(providers(&model), question(model_of(protocol))).unwrap();
        assert_eq!(&*answer.text, "It is a test.", "{protocol:?}");
        assert_eq!((answer.prompt_tokens, answer.completion_tokens), (11, 7), "{protocol:?}");
        let finish = match protocol {
            Protocol::OpenAi => "stop",
            Protocol::Anthropic => "end_turn",
            Protocol::Gemini => "STOP",
        };
        assert_eq!(answer.finish_reason, text(finish));
        assert!(answer.cost.is_some(), "{protocol:?} has a price");
        assert!(answer.uses.is_empty() && answer.reasoning.is_none());
        let seen = model.seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].protocol, protocol);
        assert_eq!(seen[0].last_text(), "What is it?");
        assert!(!seen[0].is_stream, "nobody listens");
    }
}

#[test]
fn a_price_of_ones_own_is_stronger() {
    let model = Model::script([Act::text("x"), Act::text("x")]);
    let toml = r#"
        [models.fast]
        provider = "openai"
        model = "qwen2.5:7b"
        base_url = "LOOPBACK"
        price = { input = "1", output = "2" }
    "#;
    let answer = ask(configured(&model, toml), question("fast")).unwrap();
    assert_eq!(answer.cost, text("0.000025"));
    assert_eq!(model.seen()[0].body["model"], "qwen2.5:7b");
    let unknown = toml.replace("price", "#");
    assert_eq!(ask(configured(&model, &unknown), question("fast")).unwrap().cost, None);
}

#[test]
fn names_are_sent_as_they_are() {
    // The library would take the last words of these for something else.
    for (name, sent) in [
        ("openai/qwen-max", "qwen-max"),
        ("openai/model-low", "model-low"),
        ("openai/a::b", "a::b"),
        ("gpt-oss-high", "gpt-oss-high"),
    ] {
        let model = Model::script([Act::text("x")]);
        ask(providers(&model), question(name)).unwrap();
        let body = &model.seen()[0].body;
        assert_eq!(body["model"], sent);
        assert_eq!(body.get("reasoning_effort"), None, "{name}");
    }
    let model = Model::script([Act::text("x")]);
    ask(providers(&model), question("gemini-x-high")).unwrap();
    assert_eq!(model.seen()[0].path, "/v1beta/models/gemini-x-high:generateContent");
    assert_eq!(model.seen()[0].body.pointer("/generationConfig/thinkingConfig"), None);
}

#[test]
fn tools_are_offered_and_wanted() {
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            let model = Model::script([Act::tools([
                ("search", json!({"q": "rust"})),
                ("search", json!({"q": "crab", "deep": {"n": [1, 2.5]}})),
            ])]);
            let mut asked = question(model_of(protocol));
            asked.tools = Arc::new(vec![offered("search"), offered("other")]);
            let mut providers = providers(&model);
            if is_stream {
                providers = providers.with_voice(Arc::new(Heard::default()));
            }
            let answer = ask(providers, asked).unwrap();
            let names: Vec<&str> = answer.uses.iter().map(|it| &*it.name).collect();
            assert_eq!(names, ["search", "search"], "{protocol:?}");
            assert_eq!(answer.uses[0].input, map(r#"{"q": "rust"}"#));
            assert_eq!(answer.uses[1].input, map(r#"{"q": "crab", "deep": {"n": [1, 2.5]}}"#));
            assert_ne!(answer.uses[0].id, answer.uses[1].id);
            assert_eq!(&*answer.text, "");
            let body = &model.seen()[0].body;
            let name = match protocol {
                Protocol::OpenAi => &body["tools"][1]["function"]["name"],
                Protocol::Anthropic => &body["tools"][1]["name"],
                Protocol::Gemini => &body["tools"][0]["functionDeclarations"][1]["name"],
            };
            assert_eq!(name, "other");
        }
    }
}

#[test]
fn what_a_model_thinks_is_kept() {
    for protocol in Protocol::ALL {
        let said =
            Says { text: "Done.".into(), thought: Some("Hmm, so.".into()), ..Says::default() };
        let model = Model::script([Act::Say(Box::new(said))]);
        let mut asked = question(model_of(protocol));
        asked.params = map(r#"{"thinking": "high"}"#);
        let answer = ask(providers(&model), asked).unwrap();
        assert_eq!(answer.reasoning, text("Hmm, so."), "{protocol:?}");
        assert_eq!(&*answer.text, "Done.");
        assert_eq!(answer.completion_tokens, 7, "{protocol:?}");
    }
}

#[test]
fn what_the_provider_sent_is_kept_as_it_is() {
    let said = Says {
        text: "Look.".into(),
        thought: Some("Hm.".into()),
        tools: vec![("search".into(), json!({"q": "x"}))],
        ..Says::default()
    };
    for (protocol, items) in [
        (
            Protocol::OpenAi,
            r#"[{"role": "assistant", "content": "Look.", "reasoning_content": "Hm.", "tool_calls":
                [{"id": "call_1_0", "type": "function",
                  "function": {"name": "search", "arguments": "{\"q\":\"x\"}"}}]}]"#,
        ),
        (
            Protocol::Anthropic,
            r#"[{"type": "thinking", "thinking": "Hm.", "signature": "signed-by-loopback"},
                {"type": "text", "text": "Look."},
                {"type": "tool_use", "id": "toolu_1_0", "name": "search", "input": {"q": "x"}}]"#,
        ),
        (
            Protocol::Gemini,
            r#"[{"role": "model", "parts": [{"text": "Hm.", "thought": true}, {"text": "Look."},
                {"functionCall": {"name": "search", "args": {"q": "x"}},
                 "thoughtSignature": "signed-by-loopback"}]}]"#,
        ),
    ] {
        for is_stream in [false, true] {
            let model = Model::script([Act::Say(Box::new(said.clone()))]);
            let mut providers = providers(&model);
            if is_stream {
                providers = providers.with_voice(Arc::new(Heard::default()));
            }
            let answer = ask(providers, question(model_of(protocol))).unwrap();
            let found = Value::list(answer.items.iter().map(|item| Value::Map(item.clone())));
            assert_eq!(found, value(items), "{protocol:?} {is_stream}");
            assert_eq!((answer.prompt_tokens, answer.completion_tokens), (11, 7));
        }
    }
}

#[test]
fn the_shape_of_the_answer_is_asked_for() {
    let shape = r#"{"type": "object", "properties": {"score": {"type": "integer"},
        "why": {"type": "string"}}, "required": ["score"]}"#;
    for protocol in Protocol::ALL {
        let model = Model::script([Act::text(r#"{"score": 3}"#)]);
        let mut asked = question(model_of(protocol));
        asked.schema = text("Review of it");
        asked.shape = Some(Arc::new(value(shape)));
        assert_eq!(&*ask(providers(&model), asked).unwrap().text, r#"{"score": 3}"#);
        let body = &model.seen()[0].body;
        let sent = match protocol {
            Protocol::OpenAi => {
                assert_eq!(body["response_format"]["json_schema"]["name"], "Review_of_it");
                assert_eq!(body["response_format"]["json_schema"]["strict"], true);
                &body["response_format"]["json_schema"]["schema"]
            }
            Protocol::Anthropic => &body["output_config"]["format"]["schema"],
            Protocol::Gemini => &body["generationConfig"]["responseJsonSchema"],
        };
        assert_eq!(sent["properties"]["score"]["type"], "integer", "{protocol:?}");
    }
}

#[test]
fn an_open_shape_is_not_made_strict() {
    let shape = r#"{"type": "object", "properties": {"any": {"type": "object"}}}"#;
    for (protocol, place, sent) in [
        (Protocol::OpenAi, "/response_format", Some(json!({"type": "json_object"}))),
        (Protocol::Anthropic, "/output_config", None),
    ] {
        let model = Model::script([Act::text("{}")]);
        let mut asked = question(model_of(protocol));
        asked.shape = Some(Arc::new(value(shape)));
        ask(providers(&model), asked).unwrap();
        assert_eq!(model.seen()[0].body.pointer(place), sent.as_ref());
    }
}

#[test]
fn a_provider_that_knows_no_shapes_is_asked_without() {
    for (protocol, word) in [
        (Protocol::OpenAi, "'response_format' of type 'json_schema' is not supported"),
        (Protocol::Anthropic, "output_config: Extra inputs are not permitted"),
        (Protocol::Gemini, "Unknown name \"responseJsonSchema\""),
    ] {
        let acts = [Act::status(400, word), Act::text("{}"), Act::text("{}")];
        let model = Model::script(acts);
        let mut asked = question(model_of(protocol));
        let shape = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
        asked.shape = Some(Arc::new(value(shape)));
        let answers = crate::desk::ask_all(providers(&model), vec![asked.clone(), asked]);
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        // It is remembered: the third request is the second question.
        assert_eq!(model.seen().len(), 3);
    }
}

#[test]
fn an_answer_that_was_cut_off_or_filtered_is_none() {
    for protocol in Protocol::ALL {
        for (finish, said, why) in [
            (Finish::Length, r#"{"score": "#, "cut off after 7 tokens, in the middle of its JSON"),
            (Finish::Length, "Once upon", "cut off after 7 tokens, in the middle of its text"),
            (Finish::Length, "", "before it said anything"),
            (Finish::Filtered, "", "there is no answer"),
        ] {
            let said = Says { text: said.into(), finish, ..Says::default() };
            let model = Model::script([Act::Say(Box::new(said))]);
            let fault = ask(providers(&model), question(model_of(protocol))).unwrap_err();
            assert_eq!(fault.kind, runtime::FaultKind::Model);
            assert!(fault.message.contains(why), "{protocol:?}: {}", fault.message);
            assert_eq!(model.seen().len(), 1, "asking again would not help");
            assert!(crate::desk::detail(&fault, "finish_reason").is_some());
        }
    }
}

#[test]
fn one_model_can_be_asked_by_everybody() {
    use host::models::Named;
    use host::{Adapter, Calling};
    let model = Model::script([Act::text("a"), Act::text("b"), Act::text("c")]);
    let providers = Arc::new(providers(&model));
    let own = [("writer".into(), "gpt-own".into())].into_iter().collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for named in [
        Named::new(providers.clone(), text("gpt-only"), Default::default()),
        Named::new(providers.clone(), None, own),
        Named::new(providers.clone(), None, Default::default()),
    ] {
        let call = crate::desk::call(question("gpt-asked"));
        let Calling::Later(future) = named.call(call) else { panic!("it takes time") };
        runtime.block_on(future);
    }
    let asked: Vec<String> =
        model.seen().iter().map(|it| it.body["model"].as_str().unwrap().to_owned()).collect();
    assert_eq!(asked, ["gpt-only", "gpt-own", "gpt-asked"]);
}
