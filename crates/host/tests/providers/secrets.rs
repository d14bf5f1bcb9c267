//! The key is in the request, and nowhere else.

use std::sync::Arc;

use loopback::{Act, Failing, Model, Protocol};
use serde_json::json;

use crate::desk::{CANARY, Heard, ask, configured, model_of, providers, question};

#[test]
fn no_error_shows_the_key() {
    let echo = format!("Incorrect API key provided: {CANARY}");
    let half = format!("key {} is wrong", &CANARY[..14]);
    let page = format!("<html>Bearer {CANARY}</html>");
    let json = "application/json".to_owned();
    let acts = vec![
        Act::status(401, &echo),
        Act::status(400, &echo),
        Act::status(500, &echo),
        Act::status(403, &half),
        Act::Fail(Failing::Status(401, json!(echo), vec![("x-key".into(), CANARY.into())])),
        Act::Fail(Failing::Status(401, json!({"error": {"nested": CANARY}}), Vec::new())),
        Act::Fail(Failing::Garbage("text/html".into(), page)),
        Act::Fail(Failing::Garbage(json.clone(), format!("{{\"x\": \"{CANARY}\""))),
        Act::Fail(Failing::Garbage(
            json,
            json!({"error": {"message": echo}, "type": "error"}).to_string(),
        )),
        Act::Fail(Failing::Garbage("text/event-stream".into(), format!("data: {CANARY}\n\n"))),
    ];
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            for act in &acts {
                let model = Model::script(vec![act.clone(); 4]);
                let mut providers = providers(&model);
                if is_stream {
                    providers = providers.with_voice(Arc::new(Heard::default()));
                }
                let fault = ask(providers, question(model_of(protocol))).unwrap_err();
                let sent = &model.seen()[0];
                let shown = sent.headers.values().any(|value| value.contains(CANARY));
                assert!(shown, "the provider itself gets it");
                assert!(!sent.path.contains(CANARY) && !sent.body.to_string().contains(CANARY));
                for text in [fault.to_string(), format!("{fault:?}")] {
                    for piece in [CANARY, &CANARY[..12], &CANARY[10..]] {
                        assert!(!text.contains(piece), "{protocol:?} {act:?}: {text}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_wrong_key_that_is_echoed_is_not_shown() {
    for protocol in Protocol::ALL {
        let model = Model::with_key("another", |_| Act::text("never"));
        let fault = ask(providers(&model), question(model_of(protocol))).unwrap_err();
        assert!(fault.message.contains("wrong key: {secret:key}"), "{}", fault.message);
        assert!(fault.message.contains("_API_KEY`"), "{}", fault.message);
    }
}

#[test]
fn a_key_in_a_file_is_read_when_it_is_needed() {
    let file = std::env::temp_dir().join(format!("quipu-key-{}", std::process::id()));
    let model = Model::with_key("from-a-file-0123456789", |_| Act::text("welcome"));
    let toml = format!(
        "[models.mine]\nprovider = \"openai\"\nbase_url = \"LOOPBACK\"\nkey = {{ file = {:?} }}",
        file.display().to_string()
    );
    let fault = ask(configured(&model, &toml), question("mine")).unwrap_err();
    assert!(fault.message.contains("cannot be read"), "{}", fault.message);
    std::fs::write(&file, "from-a-file-0123456789\n").unwrap();
    assert_eq!(&*ask(configured(&model, &toml), question("mine")).unwrap().text, "welcome");
    std::fs::write(&file, "wrong-key-0123456789\n").unwrap();
    let fault = ask(configured(&model, &toml), question("mine")).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(fault.message.contains("{secret:key}") && !fault.message.contains("wrong-key-0"));
}
