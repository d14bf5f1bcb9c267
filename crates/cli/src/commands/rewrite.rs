//! `quipu rewrite`

use anyhow::{Context, Result, bail};
use frontends::document;
use graph::hash::Hashes;
use graph::rewrite::{INVALID, Patch, Refusal, rewrite};
use value::{Map, Value, json};

use crate::Outcome;
use crate::args::Rewrite;
use crate::load::{Strictness, load, read_text};
use crate::output;

pub(crate) fn run(arguments: &Rewrite) -> Result<Outcome> {
    if arguments.file == "-" && arguments.patch == "-" {
        bail!("only one of FILE and PATCH can be read from standard input");
    }
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let patch = read_text(&arguments.patch).context("the patch cannot be read")?;
    let Some(graph) = &loaded.graph else {
        output::show(&loaded.source, &loaded.findings);
        let refusal = refusal(INVALID, "the graph cannot be read");
        return print(&arguments.file, Err(refusal));
    };
    let result = json::parse(&patch)
        .map_err(|error| {
            let at = format!("{}:{}:{}", arguments.patch, error.line, error.column.max(1));
            refusal(INVALID, &format!("the patch is not JSON: {} ({at})", error.message))
        })
        .and_then(|patch| Patch::from_value(&patch))
        .and_then(|patch| rewrite(graph, &patch));
    print(&arguments.file, result.map(|graph| document::write(&graph, &Hashes::of(&graph))))
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
