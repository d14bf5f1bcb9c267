//! `quipu show`

use anyhow::{Context, Result};
use graph::draw;

use super::no_label;
use crate::Outcome;
use crate::args::{Picture, Show};
use crate::load::{Strictness, load, unreadable};
use crate::output;

pub(crate) fn run(arguments: &Show) -> Result<Outcome> {
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let Some(graph) = &loaded.graph else { return unreadable(&loaded, false) };
    let only = arguments.label.as_deref();
    if let Some(id) = only.filter(|id| !graph.labels.contains_key(id)) {
        return Err(no_label(graph, id));
    }
    let picture = match arguments.picture {
        Picture::Text => draw::outline(graph, only),
        Picture::Mermaid => draw::mermaid(graph, only),
        Picture::Svg => draw::svg(graph, only),
    };
    match &arguments.output {
        Some(file) => {
            std::fs::write(file, picture).with_context(|| format!("cannot write `{file}`"))?
        }
        None => output::print(&picture)?,
    }
    if let Some(counts) = output::count(&loaded.findings) {
        output::note(&format!("{}: {counts}; `quipu check` shows them", arguments.file));
    }
    Ok(Outcome::Fine)
}
