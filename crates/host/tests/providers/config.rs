//! What `quipu.toml` says of models.

use std::path::Path;
use std::time::Duration;

use diagnostics::Source;
use expect_test::{Expect, expect};
use host::config::{Config, ConfigError};
use host::secrets;

use crate::desk::map;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(&Source::new("quipu.toml", text), Path::new("/project"))
}

fn check(text: &str, findings: Expect) {
    findings.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn everything_can_be_said() {
    let text = r#"
        [models.fast]
        provider = "ollama"
        model = "qwen2.5:7b"
        base_url = "http://127.0.0.1:11434/v1"
        key = { env = "MY_KEY" }
        timeout = "60s"
        params = { temperature = 0.2, max_tokens = 2000, thinking = "low", stop = ["END"] }
        price = { input = "0.15", output = "0.60", cached = "0" }
        [models."gpt-4o"]
        key = { file = "./key" }
    "#;
    let config = parse(text).unwrap();
    let fast = &config.models["fast"];
    assert_eq!(fast.provider.map(|it| it.name), Some("ollama"));
    assert_eq!(fast.model.as_deref(), Some("qwen2.5:7b"));
    assert_eq!(fast.base_url.as_deref(), Some("http://127.0.0.1:11434/v1"));
    assert_eq!(fast.key, Some(secrets::Source::Variable("MY_KEY".into())));
    assert_eq!(fast.timeout, Some(Duration::from_secs(60)));
    let params = r#"{"temperature": 0.2, "max_tokens": 2000, "thinking": "low", "stop": ["END"]}"#;
    assert_eq!(fast.params, map(params));
    assert_eq!(fast.price.as_ref().map(|it| &*it.output), Some("0.60"));
    let other = &config.models["gpt-4o"];
    assert_eq!(other.key, Some(secrets::Source::File("/project/./key".into())));
    assert!(other.provider.is_none() && other.params.is_empty());
}

#[test]
fn a_key_must_not_stand_there() {
    let error = parse("[models.m]\nkey = \"sk-canary\"").unwrap_err().to_string();
    let what = "quipu.toml:2:7: a secret must not stand here; write `{ env = \"NAME\" }` or";
    assert!(error.starts_with(what) && !error.contains("sk-canary"), "{error}");
    for text in ["{}", "{ env = \"A\", file = \"b\" }", "{ env = 1 }", "{ value = \"sk-canary\" }"]
    {
        let error = parse(&format!("[models.m]\nkey = {text}")).unwrap_err().to_string();
        assert!(!error.contains("sk-canary"), "{error}");
    }
}

#[test]
fn everything_that_is_wrong_is_said_in_one_pass() {
    check(
        r#"
[models.m]
provider = "opnai"
model = ""
base_url = "127.0.0.1"
timeout = 0
params = { temperature = "hot", top_p = 1, max_tokens = 0 }
price = { input = 0.15 }
kee = 1
[models.n]
params = 3
base_url = "http://a:b@c"
"#,
        expect![[r#"
            quipu.toml:3:12: unknown provider `opnai`; did you mean `openai`?
            quipu.toml:4:9: `model` must be the model's name at its provider, as text
            quipu.toml:5:12: `base_url` is no address
            quipu.toml:6:11: `timeout` must be a duration such as `"60s"`, or a whole number of seconds from 1 on
            quipu.toml:7:26: `temperature` must be a number from 0 to 2
            quipu.toml:7:33: unknown key `top_p`; there are `temperature`, `max_tokens`, `thinking`, `stop`
            quipu.toml:7:57: `max_tokens` must be a whole number from 1 on
            quipu.toml:8:9: a price needs `output`
            quipu.toml:8:19: `input` must be a decimal number as text, such as `"0.15"`
            quipu.toml:9:1: unknown key `kee`; did you mean `key`?
            quipu.toml:11:10: `params` must be a table such as `{ temperature = 0.2, max_tokens = 2000 }`
            quipu.toml:12:12: `base_url` must not hold a name or a password: give the key with `key`"#]],
    );
}
