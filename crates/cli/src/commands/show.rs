//! `quipu show`

use anyhow::{Context, Result, bail};
use diagnostics::Diagnostic;
use frontends::Format;
use graph::draw::{self, Mark, View};
use graph::{Graph, Kind};

use super::{no_label, show_rules};
use crate::Outcome;
use crate::args::{Picture, Show, ShowView};
use crate::disk::Disk;
use crate::load::{Loaded, Strictness, load_from, unreadable};
use crate::output;

pub(crate) fn run(arguments: &Show) -> Result<Outcome> {
    let (file, strictness) = (&arguments.file, Strictness::Normal);
    let loaded = load_from(&Disk::default(), file, &arguments.reading, strictness, &[])?;
    if loaded.format == Format::Rules {
        return rules(arguments, &loaded);
    }
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
    finish(arguments, &loaded, picture)
}

/// Draws which rules feed which.
fn rules(arguments: &Show, loaded: &Loaded) -> Result<Outcome> {
    if arguments.view.is_some() || arguments.label.is_some() {
        bail!("`{}` is a file of rules, which have no labels and one view", arguments.file);
    }
    let Some(book) = loaded.rules.as_ref().filter(|_| !loaded.has_errors()) else {
        return unreadable(loaded, false);
    };
    let name = std::path::Path::new(file_of(arguments)).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let (picture, is_whole) = show_rules::picture(book.program(), &name, arguments.picture);
    if !is_whole {
        output::note("there are too many ways from rule to rule; not all of them are drawn");
    }
    finish(arguments, loaded, picture)
}

/// Nothing where the text has no file.
fn file_of(arguments: &Show) -> &str {
    if arguments.file == "-" { "" } else { &arguments.file }
}

fn finish(arguments: &Show, loaded: &Loaded, picture: String) -> Result<Outcome> {
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
