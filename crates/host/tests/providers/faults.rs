//! What goes wrong, and what is done about it.

use std::sync::Arc;
use std::time::Duration;

use host::models::Named;
use host::{Adapter, Calling};
use loopback::{Act, Failing, Model, Protocol};
use runtime::FaultKind;
use serde_json::json;
use value::Value;

use crate::desk::{
    Heard, ask, ask_all, call, configured, detail, map, model_of, offered, providers, question,
    variables,
};

/// Asks in all protocols, without and with somebody who listens.
fn everywhere(
    acts: &[Act],
    check: impl Fn(Protocol, Result<runtime::ModelAnswer, runtime::Fault>, usize),
) {
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            let model = Model::script(acts.to_vec());
            let mut providers = providers(&model);
            if is_stream {
                providers = providers.with_voice(Arc::new(Heard::default()));
            }
            let answer = ask(providers, question(model_of(protocol)));
            check(protocol, answer, model.seen().len());
            assert_eq!(model.complaints(), [""; 0]);
        }
    }
}

#[test]
fn what_passes_is_asked_again() {
    for acts in [
        vec![Act::status(429, "slow down").with_header("retry-after", "0"), Act::text("ok")],
        vec![
            Act::status(503, "busy").with_header("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT"),
            Act::text("ok"),
        ],
        vec![Act::status(529, "overloaded"), Act::text("ok")],
        vec![
            Act::status(500, "oops"),
            Act::status(502, "oops"),
            Act::status(504, "x"),
            Act::text("ok"),
        ],
        vec![Act::dropped("half of a text"), Act::text("ok")],
    ] {
        let asked = acts.len();
        everywhere(&acts, |protocol, answer, seen| {
            assert_eq!(&*answer.unwrap().text, "ok", "{protocol:?}");
            assert_eq!(seen, asked);
        });
    }
}

#[test]
fn it_is_not_asked_for_ever() {
    let acts = vec![Act::status(500, "it broke down"); 9];
    everywhere(&acts, |protocol, answer, seen| {
        let fault = answer.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Model);
        assert!(fault.message.contains("asked 4 times"), "{}", fault.message);
        assert!(fault.message.contains("status 500: it broke down"), "{}", fault.message);
        assert_eq!(detail(&fault, "status"), Some(Value::Int(500)));
        assert_eq!(detail(&fault, "attempts"), Some(Value::Int(4)));
        let provider = match protocol {
            Protocol::OpenAi => "openai",
            Protocol::Anthropic => "anthropic",
            Protocol::Gemini => "gemini",
        };
        assert_eq!(detail(&fault, "provider"), Some(provider.into()));
        assert_eq!(seen, 4);
    });
}

#[test]
fn what_does_not_pass_fails_at_once() {
    for (status, hint) in [
        (400, ""),
        (401, "look at `"),
        (403, "look at `"),
        (404, "is there such a model"),
        (422, ""),
    ] {
        everywhere(&[Act::status(status, "this will not do")], |_, answer, seen| {
            let fault = answer.unwrap_err();
            assert!(fault.message.contains(&format!("status {status}: this will not do")));
            assert!(fault.message.contains(hint), "{}", fault.message);
            assert_eq!(seen, 1);
        });
    }
}

#[test]
fn nobody_waits_longer_than_there_is_time() {
    let act = Act::status(429, "come back tomorrow").with_header("retry-after", "86400");
    everywhere(&[act], |_, answer, seen| {
        let fault = answer.unwrap_err();
        let why = "come back tomorrow (it may answer in 86400 s, and only ";
        assert!(fault.message.contains(why), "{}", fault.message);
        assert_eq!((detail(&fault, "attempts"), seen), (Some(Value::Int(1)), 1));
    });
    let spent = json!({"error": {"message": "you have none left", "code": "insufficient_quota"}});
    everywhere(&[Act::Fail(Failing::Status(429, spent, Vec::new()))], |_, answer, seen| {
        assert!(answer.unwrap_err().message.contains("you have none left"));
        assert_eq!(seen, 1);
    });
}

#[test]
fn gemini_says_in_its_body_when_to_come_back() {
    let body = json!([{"error": {"message": "quota", "details": [{"retryDelay": "86400s"}]}}]);
    let model = Model::script([Act::Fail(Failing::Status(429, body, Vec::new()))]);
    let fault = ask(providers(&model), question("gemini-2.5-pro")).unwrap_err();
    assert!(fault.message.contains("status 429: quota"), "{}", fault.message);
    assert_eq!(model.seen().len(), 1);
}

#[test]
fn a_server_that_hangs_is_given_up() {
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            let model = Model::script([Act::Fail(Failing::Hangs)]);
            let mut providers = providers(&model);
            if is_stream {
                providers = providers.with_voice(Arc::new(Heard::default()));
            }
            let mut asked = question(model_of(protocol));
            asked.timeout_ms = Some(200);
            let fault = ask(providers, asked).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Timeout);
            assert!(fault.message.contains("no answer within 0.2 s"), "{}", fault.message);
        }
    }
    let model = Model::script([Act::Fail(Failing::Hangs)]);
    let toml = "[models.slow]\nprovider = \"openai\"\nbase_url = \"LOOPBACK\"\ntimeout = \"150ms\"";
    let fault = ask(configured(&model, toml), question("slow")).unwrap_err();
    assert!(fault.message.contains("no answer within 0.15 s"), "{}", fault.message);
}

#[test]
fn garbage_is_called_what_it_is() {
    for (kind, body, why) in [
        ("text/html", "<html>sign in</html>", "text/html and no JSON: <html>sign in"),
        ("application/json", "{\"choices\": [", "it is no JSON"),
        ("application/json", "{}", "no answer of a model"),
        ("application/json", "[]", "no answer of a model"),
        ("application/json", "null", "no answer of a model"),
        ("application/json", "{\"choices\": [], \"candidates\": [], \"content\": 7}", "no answer"),
        ("text/plain", "", "nothing at all"),
    ] {
        for protocol in Protocol::ALL {
            let garbage = Failing::Garbage(kind.to_owned(), body.to_owned());
            let model = Model::script(vec![Act::Fail(garbage); 4]);
            let fault = ask(providers(&model), question(model_of(protocol))).unwrap_err();
            assert_eq!(fault.kind, FaultKind::Model);
            assert!(fault.message.contains(why), "{protocol:?} {body}: {}", fault.message);
            assert_eq!(model.seen().len(), 1);
        }
    }
}

#[test]
fn an_answer_without_anything_is_asked_for_again() {
    everywhere(&[Act::text(""), Act::text("  \n"), Act::text("ok")], |protocol, answer, seen| {
        assert_eq!(&*answer.unwrap().text, "ok", "{protocol:?}");
        assert_eq!(seen, 3);
    });
}

#[test]
fn an_error_in_place_of_an_answer_is_one() {
    for protocol in Protocol::ALL {
        let body = json!({"type": "error", "error": {"message": "all is lost", "type": "x"}});
        let garbage = Failing::Garbage("application/json".into(), body.to_string());
        let model = Model::script([Act::Fail(garbage)]);
        let fault = ask(providers(&model), question(model_of(protocol))).unwrap_err();
        assert!(fault.message.contains("reported an error: all is lost"), "{}", fault.message);
    }
}

#[test]
fn a_model_that_wants_what_cannot_be_read_is_asked_again() {
    // As weak models do it: arguments that are no object.
    for protocol in Protocol::ALL {
        let acts = [Act::tools([("search", json!("not an object"))]), Act::text("ok")];
        let model = Model::script(acts);
        let mut asked = question(model_of(protocol));
        asked.tools = Arc::new(vec![offered("search")]);
        assert_eq!(&*ask(providers(&model), asked).unwrap().text, "ok");
    }
}

#[test]
fn an_answer_can_be_too_large() {
    for protocol in Protocol::ALL {
        let model = Model::script([Act::text(&"x".repeat(17 << 20))]);
        let fault = ask(providers(&model), question(model_of(protocol))).unwrap_err();
        assert!(fault.message.contains("larger than 16 MiB"), "{}", fault.message);
    }
}

#[test]
fn where_nobody_is_it_is_said_what_to_do() {
    // Nobody listens on a port that was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    for protocol in Protocol::ALL {
        let variables = variables(&format!("{url}/v1"), &url);
        let providers = host::models::Providers::new(&host::config::Config::default(), variables)
            .with_patience(crate::desk::patience());
        let fault = ask(providers, question(model_of(protocol))).unwrap_err();
        for word in ["cannot be reached at", &url, "_BASE_URL` right?", "--model stub:high"] {
            assert!(fault.message.contains(word), "{}", fault.message);
        }
        assert_eq!(detail(&fault, "attempts"), Some(Value::Int(4)));
    }
}

#[test]
fn redirects_are_not_followed() {
    let model =
        Model::script([Act::status(307, "moved").with_header("location", "http://127.0.0.1:1/")]);
    let fault = ask(providers(&model), question("claude-x")).unwrap_err();
    assert!(fault.message.contains("redirects are not followed"), "{}", fault.message);
}

#[test]
fn a_call_that_is_given_up_ends() {
    let model = Model::script([Act::Fail(Failing::Hangs), Act::text("next")]);
    let named = Named::new(Arc::new(providers(&model)), None, Default::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let Calling::Later(future) = named.call(call(question("gpt-4o"))) else { panic!("later") };
        let a_while = || tokio::time::sleep(Duration::from_millis(5));
        let arrived = async {
            while model.seen().is_empty() {
                a_while().await;
            }
        };
        tokio::select! {
            answer = future => panic!("it hangs, and does not say {answer:?}"),
            () = arrived => {}
        }
        // The server notices: nobody is left at the other end.
        while model.left() == 0 {
            a_while().await;
        }
    });
    assert_eq!(&*ask(providers(&model), question("gpt-4o")).unwrap().text, "next");
}

#[test]
fn without_a_key_nobody_is_asked() {
    let providers =
        host::models::Providers::new(&host::config::Config::default(), Arc::new(|_: &str| None));
    let fault = ask(providers, question("claude-x")).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Model);
    for word in
        ["`ANTHROPIC_API_KEY` is not set", "export ANTHROPIC_API_KEY=...", "--model stub:high"]
    {
        assert!(fault.message.contains(word), "{}", fault.message);
    }
    assert_eq!(detail(&fault, "attempts"), Some(Value::Int(0)));
}

#[test]
fn connections_are_used_again() {
    // Ten questions over one connection: the server sees them all, and none fails.
    for protocol in Protocol::ALL {
        let model = Model::start(|_| Act::text("again"));
        let questions = vec![question(model_of(protocol)); 10];
        let answers = ask_all(providers(&model), questions);
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    }
}

#[test]
fn parameters_that_cannot_be_are_said() {
    let model = Model::script([]);
    let mut asked = question("gpt-4o");
    asked.params = map(r#"{"temperature": "hot"}"#);
    let fault = ask(providers(&model), asked).unwrap_err();
    assert!(fault.message.contains("`temperature` must be a number from 0 to 2"));
    assert!(model.seen().is_empty());
}
