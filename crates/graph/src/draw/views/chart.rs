//! A chart of rules: which of them feed which. It is drawn as views of agents are, and knows
//! nothing of rules but their names and what goes from one to the other.

use super::super::text::clean;
use super::picture::{Kind, Line, Link, Node, Picture, Subject, Tie};
use super::{mermaid, outline, svg};

/// What a chart of rules shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The name of it all; may be empty.
    pub name: String,
    /// Rules, and what else facts come from.
    pub nodes: Vec<ChartNode>,
    /// What goes from one to the other.
    pub links: Vec<ChartLink>,
}

/// A rule, or something else that facts come from.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartNode {
    /// What it is.
    pub kind: ChartKind,
    /// Its name.
    pub name: String,
    /// What else is to be said of it.
    pub remarks: Vec<String>,
}

/// What a node of a chart is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// A rule.
    Rule,
    /// Facts that are there at first.
    Facts,
    /// Everybody else.
    Outside,
}

/// Something goes from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLink {
    /// The position of the node that acts.
    pub from: usize,
    /// The position of the node that waits for it.
    pub to: usize,
    /// Whether facts are taken away, and not brought.
    pub retracts: bool,
    /// Which facts.
    pub label: String,
    /// What else is to be said of it.
    pub remark: String,
}

/// A chart as a self-contained SVG.
pub fn chart_svg(chart: &Chart) -> String {
    svg::paint(&picture(chart))
}

/// A chart as a Mermaid flowchart.
pub fn chart_mermaid(chart: &Chart) -> String {
    mermaid::paint(&picture(chart))
}

/// A chart as an outline for a terminal.
pub fn chart_text(chart: &Chart) -> String {
    outline::paint(&picture(chart))
}

fn picture(chart: &Chart) -> Picture {
    let nodes = chart.nodes.iter().map(|node| {
        let kind = match node.kind {
            ChartKind::Rule => Kind::Rule,
            ChartKind::Facts => Kind::Facts,
            ChartKind::Outside => Kind::Outside,
        };
        let mut drawn = Node::new(kind, &node.name, &node.name);
        drawn.lines = node.remarks.iter().map(|text| Line::Remark(clean(text))).collect();
        drawn
    });
    let nodes: Vec<Node> = nodes.collect();
    let is_known = |link: &&ChartLink| link.from.max(link.to) < nodes.len();
    let links = chart.links.iter().filter(is_known).map(|link| {
        let tie = if link.retracts { Tie::Retracts } else { Tie::Asserts };
        let note = clean(&link.remark);
        Link { note, ..Link::saying(link.from, link.to, tie, clean(&link.label)) }
    });
    let links = links.collect();
    Picture { subject: Subject::Rules, name: clean(&chart.name), nodes, links, marks: Vec::new() }
}
