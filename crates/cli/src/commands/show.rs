//! `quipu show`

use anyhow::{Context, Result};
use diagnostics::Diagnostic;
use graph::draw::{self, Mark, View};
use graph::{Graph, Kind};

use super::no_label;
use crate::Outcome;
use crate::args::{Picture, Show, ShowView};
use crate::load::{Loaded, Strictness, load, unreadable};
use crate::output;

pub(crate) fn run(arguments: &Show) -> Result<Outcome> {
    let loaded = load(&arguments.file, &arguments.reading, Strictness::Normal)?;
    let Some(graph) = &loaded.graph else { return unreadable(&loaded, false) };
    let only = arguments.label.as_deref();
    if let Some(id) = only.filter(|id| !graph.labels.contains_key(id)) {
        return Err(no_label(graph, id));
    }
    let picture = match view(arguments, graph) {
        Some(view) => {
            let marks = marks(&loaded);
            match arguments.picture {
                Picture::Text => draw::view_text(graph, view, &marks),
                Picture::Mermaid => draw::view_mermaid(graph, view, &marks),
                Picture::Svg => draw::view_svg(graph, view, &marks),
            }
        }
        None => match arguments.picture {
            Picture::Text => draw::outline(graph, only),
            Picture::Mermaid => draw::mermaid(graph, only),
            Picture::Svg => draw::svg(graph, only),
        },
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

/// Which view is drawn; none where labels are, node by node.
fn view(arguments: &Show, graph: &Graph) -> Option<View> {
    match arguments.view {
        Some(ShowView::Flow) => Some(View::Flow),
        Some(ShowView::Architecture) => Some(View::Architecture),
        Some(ShowView::Schemas) => Some(View::Schemas),
        Some(ShowView::Labels) => None,
        None if arguments.label.is_some() => None,
        None => (!graph.declarations.of(Kind::Processes).is_empty()).then_some(View::Flow),
    }
}

/// The findings, on what they are about.
fn marks(loaded: &Loaded) -> Vec<Mark> {
    let mark = |finding: &Diagnostic| {
        let on = loaded.origins.owner(finding.at.pointer()?)?;
        Some(Mark {
            on,
            severity: finding.severity,
            text: format!("{} ({})", finding.message, finding.code.id),
        })
    };
    loaded.findings.iter().filter_map(mark).collect()
}
