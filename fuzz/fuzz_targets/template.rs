//! Any texts are the templates of an HTTP tool, or findings with places in them, never a panic.
#![no_main]

use std::path::Path;

use diagnostics::Source;
use host::config::{Config, ConfigError};
use libfuzzer_sys::fuzz_target;
use value::json;

fuzz_target!(|texts: (&str, &str, &str, &str)| {
    let (url, name, header, body) = texts;
    let quoted = |text: &str| json::compact(&text.into());
    let text = format!(
        "[tools.a]\nhttp = {}\nheaders = {{ {} = {} }}\nbody = {{ x = {}, y = [{}] }}\n",
        quoted(&format!("POST {url}")),
        quoted(name),
        quoted(header),
        quoted(body),
        quoted(url),
    );
    match Config::parse(&Source::new("quipu.toml", text.as_str()), Path::new("/project")) {
        Ok(_) => {}
        Err(ConfigError::Wrong(findings)) => assert!(!findings.is_empty()),
        Err(other) => panic!("a text is read without files: {other}"),
    }
});
