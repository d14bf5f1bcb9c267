//! `quipu compile`

use anyhow::Result;
use diagnostics::{Severity, codes, render};
use frontends::document;
use graph::hash::Hashes;
use value::{Map, Value, json};

use crate::Outcome;
use crate::args::Compile;
use crate::load::{Loaded, load_under};
use crate::output;
use crate::policies::{Policies, config_beside};

pub(crate) fn run(arguments: &Compile) -> Result<Outcome> {
    let file = &arguments.file;
    let mut policies = Policies::default();
    let own = policies.of_workspace(config_beside(file).as_deref())?;
    let books: Vec<_> = own.iter().flat_map(|policy| policy.books()).collect();
    let loaded = load_under(file, &arguments.reading, arguments.strict.into(), &books)?;
    let mut findings = findings(&loaded);
    findings.extend(policies.errors());
    let has_errors = findings.iter().any(|finding| is(finding, "severity", "error"));
    let document = match &loaded.graph {
        Some(graph) => Some(document::write(graph, &Hashes::of(graph))),
        // There is no graph to print, but scripts still get their one document.
        None => arguments.format.is_json().then(Map::default),
    };
    if let Some(mut document) = document {
        add_findings(&mut document, findings);
        output::print_json(&document.into())?;
    }
    policies.show();
    output::show(&loaded.source, &loaded.findings);
    Ok(if has_errors { Outcome::Found } else { Outcome::Fine })
}

fn is(finding: &Value, name: &str, word: &str) -> bool {
    finding.get(name).and_then(Value::as_text).is_some_and(|own| &**own == word)
}

fn add_findings(document: &mut Map, findings: Vec<Value>) {
    let lines = |severity: Severity| {
        let word = severity.word();
        let text = |finding: &Value, name: &str| {
            finding.get(name).and_then(Value::as_text).cloned().unwrap_or_default()
        };
        let line = |finding: &Value| {
            format!("{word}[{}]: {}", text(finding, "code"), text(finding, "message"))
        };
        let of = findings.iter().filter(|finding| is(finding, "severity", word));
        Value::list(of.map(|finding| Value::text(line(finding))))
    };
    document.insert("errors".into(), lines(Severity::Error));
    document.insert("warnings".into(), lines(Severity::Warning));
    document.insert("diagnostics".into(), Value::list(findings));
}

/// What is wrong, with what the document already carried. Compiling a compiled document changes
/// nothing: findings about the text it was compiled from are kept, since that text is not here;
/// findings about the graph keep the places they had, if they still say the same.
fn findings(loaded: &Loaded) -> Vec<Value> {
    let fresh: Vec<Value> =
        loaded.findings.iter().map(|finding| render::value(&loaded.source, finding)).collect();
    let carried = &loaded.carried;
    if carried.is_empty() {
        return fresh;
    }
    let about_graph = |finding: &&Value| !is_about_text(finding);
    let known: Vec<&Value> = carried.iter().filter(about_graph).collect();
    if same_findings(&known, &fresh.iter().collect::<Vec<_>>()) {
        return carried.clone();
    }
    let kept = carried.iter().filter(|finding| is_about_text(finding)).cloned();
    kept.chain(fresh).collect()
}

/// Whether a finding is about a text that is no graph document.
fn is_about_text(finding: &Value) -> bool {
    let code = finding.get("code").and_then(Value::as_text).and_then(|code| codes::find(code));
    code.is_some_and(|code| code.of_source)
}

/// Whether they say the same, wherever they say it.
fn same_findings(carried: &[&Value], fresh: &[&Value]) -> bool {
    let said = |findings: &[&Value]| {
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
            let kept =
                map.iter().filter(|(name, _)| !matches!(&***name, "file" | "span" | "pointer"));
            Value::map(kept.map(|(name, value)| (name.clone(), without_places(value))))
        }
        Value::List(items) => Value::list(items.iter().map(without_places)),
        other => other.clone(),
    }
}
