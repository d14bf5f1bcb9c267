//! `quipu compile`

use anyhow::Result;
use diagnostics::{Severity, render};
use frontends::document;
use graph::hash::Hashes;
use value::{Map, Value, json};

use crate::Outcome;
use crate::args::Compile;
use crate::load::{Loaded, load};
use crate::output;

pub(crate) fn run(arguments: &Compile) -> Result<Outcome> {
    let loaded = load(&arguments.file, &arguments.reading, arguments.strict.into())?;
    match compiled(&loaded) {
        Some(document) => output::print_json(&document)?,
        None if arguments.format.is_json() => {
            // There is no graph to print, but scripts still get their one document.
            let mut document = Map::default();
            add_findings(&mut document, &loaded);
            output::print_json(&document.into())?;
        }
        None => {}
    }
    output::show(&loaded.source, &loaded.findings);
    Ok(if loaded.has_errors() { Outcome::Found } else { Outcome::Fine })
}

/// The whole document, findings included; nothing where the text could not be read.
fn compiled(loaded: &Loaded) -> Option<Value> {
    let graph = loaded.graph.as_ref()?;
    let mut document = document::write(graph, &Hashes::of(graph));
    add_findings(&mut document, loaded);
    Some(document.into())
}

fn add_findings(document: &mut Map, loaded: &Loaded) {
    let findings = findings(loaded);
    let lines = |severity: Severity| {
        let word = severity.word();
        let of = |finding: &&Value| {
            finding.get("severity").and_then(Value::as_text).is_some_and(|own| &**own == word)
        };
        let text = |finding: &Value, name: &str| {
            finding.get(name).and_then(Value::as_text).cloned().unwrap_or_default()
        };
        let line = |finding: &Value| {
            format!("{word}[{}]: {}", text(finding, "code"), text(finding, "message"))
        };
        Value::list(findings.iter().filter(of).map(|finding| Value::text(line(finding))))
    };
    document.insert("errors".into(), lines(Severity::Error));
    document.insert("warnings".into(), lines(Severity::Warning));
    document.insert("diagnostics".into(), Value::list(findings));
}

/// Findings that the document already carried, word for word, keep the places they had: those
/// are in the text that its author wrote. So compiling a compiled document changes nothing.
fn findings(loaded: &Loaded) -> Vec<Value> {
    let fresh: Vec<Value> =
        loaded.findings.iter().map(|finding| render::value(&loaded.source, finding)).collect();
    if fresh.is_empty() {
        return fresh;
    }
    let carried = json::read(&loaded.source.text).ok();
    let carried = carried.and_then(|(document, _)| document.get("diagnostics").cloned());
    match carried {
        Some(Value::List(carried)) if same_findings(&carried, &fresh) => carried.to_vec(),
        _ => fresh,
    }
}

/// Whether they say the same, wherever they say it.
fn same_findings(carried: &[Value], fresh: &[Value]) -> bool {
    let said = |findings: &[Value]| {
        let mut all: Vec<String> =
            findings.iter().map(|finding| json::canonical(&without_places(finding))).collect();
        all.sort();
        all
    };
    said(carried) == said(fresh)
}

fn without_places(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().filter(|(name, _)| !matches!(&***name, "file" | "span"));
            Value::map(kept.map(|(name, value)| (name.clone(), without_places(value))))
        }
        Value::List(items) => Value::list(items.iter().map(without_places)),
        other => other.clone(),
    }
}
