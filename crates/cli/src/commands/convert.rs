//! `quipu convert`

use anyhow::{Context, Result};
use frontends::{Lost, ainl, document, ontology};
use graph::Graph;
use graph::hash::Hashes;
use value::{Value, json};

use crate::args::{Convert, ToFormat};
use crate::load::{Strictness, load, unreadable};
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Convert) -> Result<Outcome> {
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let is_json = arguments.format.is_json();
    let Some(graph) = loaded.graph.as_ref().filter(|_| !loaded.has_errors()) else {
        return unreadable(&loaded, is_json);
    };
    let (text, lost) = written(graph, arguments.to);
    if let Some(file) = &arguments.output {
        std::fs::write(file, &text).with_context(|| format!("cannot write `{file}`"))?;
    }
    if is_json {
        let lost = lost.iter().map(|lost| {
            Value::map([("at", Value::text(&*lost.at)), ("what", Value::text(&*lost.what))])
        });
        let converted = [
            ("ok", lost.len().eq(&0).into()),
            ("text", Value::text(&*text)),
            ("lost", Value::list(lost)),
        ];
        output::print_json(&Value::map(converted))?;
    } else {
        if arguments.output.is_none() {
            output::print_file(&text)?;
        }
        for lost in &lost {
            output::note(&format!("{}: {}", lost.at, lost.what));
        }
        if !lost.is_empty() {
            output::note(&format!("{} not carried over", output::plural(lost.len(), "thing")));
        }
    }
    Ok(if lost.is_empty() { Outcome::Fine } else { Outcome::Found })
}

fn written(graph: &Graph, to: ToFormat) -> (String, Vec<Lost>) {
    match to {
        ToFormat::Graph => {
            let document = document::write(graph, &Hashes::of(graph));
            (json::pretty(&document.into()) + "\n", Vec::new())
        }
        ToFormat::Ainl => ainl::write(graph),
        ToFormat::Ontology => ontology::write(graph),
    }
}
