//! CLIPS on the same programs, by `bench/peers/clips/run`.

use std::path::Path;
use std::process::{Command, Stdio};

use value::{Value, json};

use crate::jobs::{Job, Kind};
use crate::table::Figure;

/// What CLIPS takes, and how it was measured; nothing where it cannot be.
pub(crate) fn measure(folder: &Path, job: &Job) -> Option<(Figure, String)> {
    let (rules, facts) = (folder.join("rules.clp"), folder.join("facts.txt"));
    std::fs::write(&rules, &job.rules).ok()?;
    std::fs::write(&facts, job.facts.join("\n")).ok()?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/peers/clips/run");
    let mut command = Command::new("python3");
    command.arg(script).stdin(Stdio::null()).stderr(Stdio::inherit());
    match job.kind {
        Kind::Once => command.arg("once").args([&rules, &facts]),
        Kind::Cycle { count, nodes } => {
            let numbers = [count, nodes].map(|number| number.to_string());
            command.arg("cycle").args([&rules, &facts]).args(numbers)
        }
        // CLIPS has no forks.
        Kind::Fork { .. } => return None,
    };
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let answers = text.lines().filter_map(|line| json::parse(line).ok());
    let figures = answers.filter_map(|answer| figure(&answer));
    // Of the ways to change facts the fastest one counts.
    figures.min_by(|a, b| a.0.us().total_cmp(&b.0.us()))
}

fn figure(answer: &Value) -> Option<(Figure, String)> {
    let number = |name: &str| match answer.get(name)? {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    };
    let by = answer.get("by")?.as_text()?;
    let fired = number("fired")? as u64;
    match answer.get("way").and_then(Value::as_text) {
        Some(way) => {
            let figure = Figure { assert_us: 0.0, run_us: number("us")?, fired };
            Some((figure, format!("{by}, {way}")))
        }
        None => {
            let (assert_us, run_us) = (number("assert_us")?, number("run_us")?);
            Some((Figure { assert_us, run_us, fired }, by.to_string()))
        }
    }
}
