//! Temperature, limits, thought and stops, as each provider takes them.

use loopback::{Act, Model, Protocol};
use serde_json::{Value as Json, json};

use crate::desk::{ask, configured, map, model_of, providers, question};

fn sent(model: &str, params: &str) -> Json {
    let server = Model::script([Act::text("ok")]);
    let mut asked = question(model);
    asked.params = map(params);
    ask(providers(&server), asked).unwrap();
    server.seen()[0].body.clone()
}

#[test]
fn temperature_limit_and_stops_are_sent() {
    let params = r#"{"temperature": 0.5, "max_tokens": 77, "stop": ["END", "."]}"#;
    for (protocol, temperature, limit, stop) in [
        (Protocol::OpenAi, "/temperature", "/max_tokens", "/stop"),
        (Protocol::Anthropic, "/temperature", "/max_tokens", "/stop_sequences"),
        (
            Protocol::Gemini,
            "/generationConfig/temperature",
            "/generationConfig/maxOutputTokens",
            "/generationConfig/stopSequences",
        ),
    ] {
        let body = sent(model_of(protocol), params);
        assert_eq!(body.pointer(temperature), Some(&json!(0.5)));
        assert_eq!(body.pointer(limit), Some(&json!(77)));
        assert_eq!(body.pointer(stop), Some(&json!(["END", "."])));
        let body = sent(model_of(protocol), "{}");
        assert_eq!(body.pointer(temperature), None);
        assert_eq!(body.pointer(limit), Some(&json!(host::models::MAX_TOKENS)));
        assert_eq!(body.pointer(stop), None);
    }
    assert_eq!(sent("gpt-5-mini", "{}")["max_completion_tokens"], host::models::MAX_TOKENS);
}

#[test]
fn thought_is_asked_for() {
    for (model, thinking, place, value) in [
        ("gpt-5", "low", "/reasoning_effort", Some(json!("low"))),
        ("gpt-5", "high", "/reasoning_effort", Some(json!("high"))),
        ("gpt-5", "extended", "/reasoning_effort", Some(json!("high"))),
        ("gpt-5", "none", "/reasoning_effort", None),
        ("gpt-5.1", "none", "/reasoning_effort", Some(json!("none"))),
        ("claude-sonnet-4-5", "low", "/thinking/budget_tokens", Some(json!(1024))),
        ("claude-sonnet-4-5", "high", "/thinking/budget_tokens", Some(json!(24000))),
        ("claude-sonnet-4-5", "extended", "/thinking/type", Some(json!("enabled"))),
        ("claude-opus-4-6", "extended", "/output_config/effort", Some(json!("max"))),
        ("claude-sonnet-4-5", "none", "/thinking", None),
        (
            "gemini-2.5-flash",
            "none",
            "/generationConfig/thinkingConfig/thinkingBudget",
            Some(json!(0)),
        ),
        (
            "gemini-2.5-pro",
            "none",
            "/generationConfig/thinkingConfig/thinkingBudget",
            Some(json!(128)),
        ),
        (
            "gemini-2.5-flash",
            "high",
            "/generationConfig/thinkingConfig/thinkingBudget",
            Some(json!(24000)),
        ),
        (
            "gemini-3-pro",
            "high",
            "/generationConfig/thinkingConfig/thinkingLevel",
            Some(json!("HIGH")),
        ),
    ] {
        // What is thought comes on top of what is answered: the server refuses what is too little.
        let body = sent(model, &format!(r#"{{"thinking": "{thinking}", "max_tokens": 100}}"#));
        assert_eq!(body.pointer(place), value.as_ref(), "{model} {thinking}: {body}");
    }
}

#[test]
fn the_spec_is_stronger_than_quipu_toml() {
    let server = Model::script([Act::text("ok")]);
    let toml = r#"
        [models.mine]
        provider = "openai"
        base_url = "LOOPBACK"
        key = { env = "OPENAI_API_KEY" }
        params = { temperature = 0.25, max_tokens = 9 }
    "#;
    let mut asked = question("mine");
    asked.params = map(r#"{"temperature": 1}"#);
    ask(configured(&server, toml), asked).unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].body["temperature"], 1.0);
    assert_eq!(seen[0].body["max_tokens"], 9);
    assert!(seen[0].headers["authorization"].ends_with(crate::desk::CANARY));
}
