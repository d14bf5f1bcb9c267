//! `quipu rewrite`

use anyhow::{Result, bail};
use diagnostics::{Source, render};
use frontends::document;
use graph::hash::Hashes;
use graph::rewrite::{INVALID, Patch, Refusal, VALIDATE, rewrite};
use value::{Map, Value};

use crate::Outcome;
use crate::args::Rewrite;
use crate::load::{Strictness, load, read_source};
use crate::output;

pub(crate) fn run(arguments: &Rewrite) -> Result<Outcome> {
    if arguments.file == "-" && arguments.patch == "-" {
        bail!("only one of FILE and PATCH can be read from standard input");
    }
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let patch = read_source(&arguments.patch)?;
    let result = match (&loaded.graph, &loaded.unmendable) {
        (None, _) => {
            output::show(&loaded.source, &loaded.findings);
            Err(refusal(INVALID, "the graph cannot be read"))
        }
        (Some(_), Some(finding)) => {
            let message = format!("the graph must be mended first, where it is written: {finding}");
            Err(refusal(VALIDATE, &message))
        }
        (Some(graph), None) => parse(&patch).and_then(|patch| rewrite(graph, &patch)),
    };
    print(&arguments.file, result.map(|graph| document::write(&graph, &Hashes::of(&graph))))
}

fn parse(source: &Source) -> Result<Patch, Refusal> {
    let (value, findings) = frontends::read_json(source);
    match (value, findings.first()) {
        (Some(value), None) => Patch::from_value(&value),
        (_, finding) => {
            let why = finding.map_or_else(String::new, |finding| render::line(source, finding));
            Err(refusal(INVALID, &format!("the patch cannot be read: {why}")))
        }
    }
}

fn refusal(code: &'static str, message: &str) -> Refusal {
    Refusal { code, message: message.to_string(), details: Value::Null }
}

fn print(file: &str, result: Result<Map, Refusal>) -> Result<Outcome> {
    match result {
        Ok(mut document) => {
            for findings in ["errors", "warnings", "diagnostics"] {
                document.insert(findings.into(), Value::list([]));
            }
            output::print_json(&Value::map([("ok", true.into()), ("ir", Value::from(document))]))?;
            Ok(Outcome::Fine)
        }
        Err(refusal) => {
            output::note(&format!("{file}: not changed: {}", refusal.message));
            let error = Value::map([
                ("code", refusal.code.into()),
                ("message", refusal.message.into()),
                ("details", refusal.details),
            ]);
            output::print_json(&Value::map([("ok", false.into()), ("error", error)]))?;
            Ok(Outcome::Found)
        }
    }
}
