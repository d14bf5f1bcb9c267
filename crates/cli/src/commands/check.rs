//! `quipu check`

use anyhow::Result;
use diagnostics::render;
use value::Value;

use crate::Outcome;
use crate::args::Check;
use crate::load::{Loaded, load};
use crate::output;

pub(crate) fn run(arguments: &Check) -> Result<Outcome> {
    let mut files = Vec::with_capacity(arguments.files.len());
    for file in &arguments.files {
        files.push(load(file, &arguments.reading, arguments.strict.into())?);
    }
    let ok = !files.iter().any(Loaded::has_errors);
    if arguments.format.is_json() {
        let files = files.iter().map(describe);
        output::print_json(&Value::map([("ok", ok.into()), ("files", Value::list(files))]))?;
    } else {
        for file in &files {
            output::show(&file.source, &file.findings);
            output::note(&summary(file));
        }
    }
    Ok(if ok { Outcome::Fine } else { Outcome::Found })
}

fn describe(file: &Loaded) -> Value {
    let findings = file.findings.iter().map(|finding| render::value(&file.source, finding));
    Value::map([
        ("file", Value::Text(file.source.file.clone())),
        ("format", file.format.word().into()),
        ("diagnostics", Value::list(findings)),
    ])
}

fn summary(file: &Loaded) -> String {
    let name = &file.source.file;
    match (&file.graph, output::count(&file.findings)) {
        (_, Some(counts)) => {
            let worst = file.findings.iter().min_by_key(|finding| finding.severity);
            let code = worst.map_or("", |finding| finding.code.id);
            format!("{name}: {counts} (`quipu explain {code}` says more)")
        }
        (Some(graph), None) => {
            let nodes: usize = graph.labels.values().map(|label| label.nodes.len()).sum();
            let labels = output::plural(graph.labels.len(), "label");
            format!("{name}: ok ({labels}, {})", output::plural(nodes, "node"))
        }
        (None, None) => format!("{name}: nothing to check"),
    }
}
