//! Any text is a `quipu.toml` or findings with places in it, never a panic.
#![no_main]

use std::path::Path;

use diagnostics::{Position, Source};
use host::config::{Config, ConfigError};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("quipu.toml", text);
    match Config::parse(&source, Path::new("/project")) {
        Ok(_) => {}
        Err(ConfigError::Wrong(findings)) => {
            assert!(!findings.is_empty());
            for finding in &findings {
                assert!(is_inside(text, finding.at), "{finding:?}");
            }
        }
        Err(other) => panic!("a text is read without files: {other}"),
    }
});

/// Lines and columns count from 1, and the end of a line is a place, too.
fn is_inside(text: &str, at: Position) -> bool {
    let line = text.split('\n').nth(at.line - 1);
    line.is_some_and(|line| at.col <= line.chars().count() + 1)
}
