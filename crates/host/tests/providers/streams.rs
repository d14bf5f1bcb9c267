//! Answers as they come.

use std::sync::Arc;

use loopback::{Act, Failing, Model, Protocol, Said as Says};
use serde_json::json;

use crate::desk::{Heard, ask, ask_all, map, model_of, providers, question};

#[test]
fn pieces_are_heard_and_the_whole_is_the_answer() {
    for protocol in Protocol::ALL {
        let said = Says {
            text: "Zoë says: \u{1f980} hello, and \n more.".into(),
            thought: Some("Think.".into()),
            ..Says::default()
        };
        let model = Model::script([Act::Say(Box::new(said))]);
        let heard = Arc::new(Heard::default());
        let mut asked = question(model_of(protocol));
        asked.params = map(r#"{"thinking": "low"}"#);
        let answer = ask(providers(&model).with_voice(heard.clone()), asked).unwrap();
        assert!(model.seen()[0].is_stream);
        assert_eq!(&*answer.text, "Zoë says: \u{1f980} hello, and \n more.", "{protocol:?}");
        assert_eq!(heard.text(), &*answer.text);
        let lines = heard.lines();
        assert!(lines.iter().filter(|line| line.starts_with("text ")).count() > 1, "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("thought ")), "{protocol:?}: {lines:?}");
        assert_eq!(lines.last().map(String::as_str), Some("end"));
        assert_eq!(answer.reasoning.as_deref(), Some("Think."));
        assert_eq!((answer.prompt_tokens, answer.completion_tokens), (11, 7));
    }
}

#[test]
fn what_was_said_before_a_break_is_taken_back() {
    for protocol in Protocol::ALL {
        let long = "a text that is long enough to be heard before it breaks ".repeat(20);
        let model = Model::script([Act::dropped(&long), Act::text("ok")]);
        let heard = Arc::new(Heard::default());
        let answer = ask(providers(&model).with_voice(heard.clone()), question(model_of(protocol)));
        assert_eq!(&*answer.unwrap().text, "ok");
        let lines = heard.lines();
        let broken = lines.iter().position(|line| line == "broken");
        let ended = lines.iter().position(|line| line == "end");
        assert!(broken.is_some() && broken < ended, "{protocol:?}: {lines:?}");
    }
}

#[test]
fn a_stream_that_never_ends_is_too_large() {
    for protocol in Protocol::ALL {
        let model = Model::script([Act::Fail(Failing::Endless)]);
        let heard = Arc::new(Heard::default());
        let fault = ask(providers(&model).with_voice(heard), question(model_of(protocol)));
        let fault = fault.unwrap_err();
        assert!(fault.message.contains("larger than 16 MiB"), "{protocol:?}: {}", fault.message);
    }
}

#[test]
fn a_server_that_does_not_stream_is_asked_at_once() {
    for protocol in Protocol::ALL {
        let acts = [Act::text("lost"), Act::text("one"), Act::text("two")];
        let model = Model::without_streams(acts);
        let questions = vec![question(model_of(protocol)); 2];
        let answers = ask_all(providers(&model).with_voice(Arc::new(Heard::default())), questions);
        let texts: Vec<String> =
            answers.into_iter().map(|it| it.unwrap().text.to_string()).collect();
        assert_eq!(texts, ["one", "two"], "{protocol:?}");
        // It is remembered.
        assert_eq!(model.seen().iter().filter(|seen| seen.is_stream).count(), 1);
    }
}

#[test]
fn an_error_in_the_middle_is_one() {
    for (model_name, frames) in [
        ("gpt-4o", "data: {\"error\": {\"message\": \"it fell over\", \"type\": \"x\"}}\n\n"),
        (
            "claude-x",
            "event: error\ndata: {\"type\": \"error\", \"error\": {\"message\": \"it fell over\"}}\n\n",
        ),
        ("gemini-x", "data: {\"error\": {\"message\": \"it fell over\", \"status\": \"x\"}}\n\n"),
    ] {
        let garbage = Failing::Garbage("text/event-stream".into(), frames.into());
        let model = Model::script([Act::Fail(garbage)]);
        let fault =
            ask(providers(&model).with_voice(Arc::new(Heard::default())), question(model_name));
        let fault = fault.unwrap_err();
        assert!(fault.message.contains("it fell over"), "{model_name}: {}", fault.message);
    }
}

#[test]
fn no_number_of_a_server_makes_room_for_itself() {
    let call = |index: u64| {
        let call = json!({"index": index, "id": "a", "function": {"name": "f", "arguments": "{}"}});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let frames = format!("{}{}data: {end}\n\ndata: [DONE]\n\n", call(4_294_967_295), call(0));
    let garbage = Failing::Garbage("text/event-stream".into(), frames);
    let model = Model::script([Act::Fail(garbage)]);
    let answer = ask(providers(&model).with_voice(Arc::new(Heard::default())), question("gpt-4o"));
    assert_eq!(answer.unwrap().uses.len(), 2);
}

#[test]
fn garbage_in_a_stream_is_called_what_it_is() {
    for protocol in Protocol::ALL {
        for frames in ["data: {not json}\n\n", "event: content_block_start\ndata: {not json}\n\n"] {
            let garbage = Failing::Garbage("text/event-stream".into(), frames.into());
            let model = Model::script(vec![Act::Fail(garbage); 4]);
            let heard = Arc::new(Heard::default());
            let fault = ask(providers(&model).with_voice(heard), question(model_of(protocol)));
            assert_eq!(fault.unwrap_err().kind, runtime::FaultKind::Model);
        }
    }
}
