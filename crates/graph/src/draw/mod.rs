//! Pictures of a graph: an outline for a terminal, Mermaid for documents, SVG for everything
//! else. All three show the same scene, and none can be broken by what an author wrote: a graph
//! with errors is drawn with its errors.
//!
//! Nothing here decides what a node means. The words come from the op table, the colours from
//! what a node touches.

pub mod layout;
mod mermaid;
mod outline;
mod scene;
mod svg;
mod text;
mod views;

use crate::model::{Graph, Node};
use scene::Scene;

pub use views::{
    Chart, ChartKind, ChartLink, ChartNode, Mark, View, chart_mermaid, chart_svg, chart_text,
    view_mermaid, view_svg, view_text,
};

/// An outline for a terminal: every label, its nodes in walk order, and where control goes.
/// `only` is the id of the one label to draw.
pub fn outline(graph: &Graph, only: Option<&str>) -> String {
    outline::paint(&Scene::of(graph, only))
}

/// A Mermaid flowchart with a subgraph for each label.
pub fn mermaid(graph: &Graph, only: Option<&str>) -> String {
    mermaid::paint(&Scene::of(graph, only))
}

/// A self-contained SVG with a card for each label.
pub fn svg(graph: &Graph, only: Option<&str>) -> String {
    svg::paint(&Scene::of(graph, only))
}

/// What a node does, on one line.
pub fn words(node: &Node) -> String {
    text::Words::of(node).line()
}

#[cfg(test)]
mod tests;
