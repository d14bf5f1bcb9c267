//! Views of an agent: what runs in which order, who works with whom, and what shapes the data
//! has. Each view makes one [`picture::Picture`] of a graph, and each output paints any of them.
//!
//! Only the graph is asked, never the text it came from, so a view is the same for every format
//! and for a document that was compiled elsewhere.

mod architecture;
mod cast;
mod chart;
mod flow;
mod kinds;
mod label;
mod mermaid;
mod outline;
mod picture;
mod schemas;
mod story;
mod svg;

use diagnostics::Severity;
use value::Text;

use crate::model::Graph;
use picture::Picture;

pub use chart::{Chart, ChartKind, ChartLink, ChartNode, chart_mermaid, chart_svg, chart_text};

/// What a picture of an agent is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// What runs after what, and what each process uses.
    Flow,
    /// Who works with whom, and what is kept where.
    Architecture,
    /// The shapes of the data, and who makes and takes them.
    Schemas,
}

impl View {
    /// All views.
    pub const ALL: [View; 3] = [View::Flow, View::Architecture, View::Schemas];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            View::Flow => "flow",
            View::Architecture => "architecture",
            View::Schemas => "schemas",
        }
    }

    /// The view with this word.
    pub fn find(word: &str) -> Option<View> {
        View::ALL.into_iter().find(|view| view.word() == word)
    }
}

/// A finding to be shown where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The id of a process or an entity, or the name of a schema.
    pub on: Text,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, on one line.
    pub text: String,
}

/// A view as a self-contained SVG.
pub fn view_svg(graph: &Graph, view: View, marks: &[Mark]) -> String {
    svg::paint(&picture(graph, view, marks))
}

/// A view as a Mermaid flowchart.
pub fn view_mermaid(graph: &Graph, view: View, marks: &[Mark]) -> String {
    mermaid::paint(&picture(graph, view, marks))
}

/// A view as an outline for a terminal.
pub fn view_text(graph: &Graph, view: View, marks: &[Mark]) -> String {
    outline::paint(&picture(graph, view, marks))
}

fn picture(graph: &Graph, view: View, marks: &[Mark]) -> Picture {
    let mut picture = match view {
        View::Flow => flow::picture(graph),
        View::Architecture => architecture::picture(graph),
        View::Schemas => schemas::picture(graph),
    };
    picture.mark(marks);
    picture
}

#[cfg(test)]
mod tests;
