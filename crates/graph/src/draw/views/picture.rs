//! What is drawn: nodes with a heading and lines, and links between them. All text in it is
//! clean; how much of it fits is for painters to decide.

use std::collections::BTreeMap;

use diagnostics::Severity;
use value::Value;

use crate::model::Graph;

use super::super::text::clean;
pub(super) use super::kinds::{Dash, Kind, Tie};
use super::{Mark, View};

/// A picture to be painted.
#[derive(Debug)]
pub(super) struct Picture {
    /// What it is about.
    pub subject: Subject,
    /// The name of the agent; may be empty.
    pub name: String,
    /// What there is to see.
    pub nodes: Vec<Node>,
    /// How it hangs together.
    pub links: Vec<Link>,
    /// All findings: how bad, about what, and what. The worst come first.
    pub marks: Vec<(Severity, String, String)>,
}

/// What a picture is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// An agent, in one of its views.
    Agent(View),
    /// Rules, and which of them feed which.
    Rules,
}

impl Subject {
    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Subject::Agent(view) => view.word(),
            Subject::Rules => "rules",
        }
    }

    /// Whether it goes from left to right.
    pub(super) fn is_across(self) -> bool {
        self == Subject::Agent(View::Schemas)
    }

    /// Whether links lead down in the direction of their arrows; else whoever acts stands above.
    pub(super) fn follows_arrows(self) -> bool {
        matches!(self, Subject::Agent(View::Flow) | Subject::Rules)
    }
}

/// Something with a shape.
#[derive(Debug)]
pub(super) struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its name in the graph; for what has none of its own, that of what it belongs to.
    pub id: String,
    /// Further names that it stands for.
    pub stands_for: Vec<String>,
    /// Its heading: the author's label, or the id.
    pub title: String,
    /// What else is to be said of it.
    pub lines: Vec<Line>,
    /// What is said to those who ask: a description, or text that is too long to be shown.
    pub about: Vec<String>,
    /// Whether it stands beside whatever it is linked to, and not by itself.
    pub beside: bool,
    /// What is wrong with it.
    pub marks: Vec<(Severity, String)>,
}

/// A line of a node.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// Plain words.
    Words(String),
    /// A name and what it is: the field of a schema and its type.
    Pair(String, String),
    /// A remark about the node, less important.
    Remark(String),
}

/// A connection, in the direction of its arrow.
#[derive(Debug)]
pub(super) struct Link {
    /// The node it leaves.
    pub from: usize,
    /// The node it leads to.
    pub to: usize,
    /// What it means.
    pub kind: Tie,
    /// What decides about it, or what it is about.
    pub label: String,
    /// The schema of what goes along it, and of what comes back.
    pub carries: (String, String),
    /// The author's own words for it, where they say more.
    pub note: String,
    /// Where the label comes from.
    pub source: String,
    /// The line of its node that it leaves from.
    pub line: Option<usize>,
}

impl Link {
    /// A link without words.
    pub(super) fn new(from: usize, to: usize, kind: Tie) -> Link {
        Link {
            from,
            to,
            kind,
            label: String::new(),
            carries: (String::new(), String::new()),
            note: String::new(),
            source: String::new(),
            line: None,
        }
    }

    /// A link that says something.
    pub(super) fn saying(from: usize, to: usize, kind: Tie, label: String) -> Link {
        Link { label, ..Link::new(from, to, kind) }
    }

    /// What it is about, what it carries: the one line that a picture has room for.
    pub(super) fn words(&self) -> String {
        let carries = match (self.carries.0.is_empty(), self.carries.1.is_empty()) {
            (true, true) => String::new(),
            (false, true) => self.carries.0.clone(),
            (true, false) => format!("\u{2192} {}", self.carries.1),
            (false, false) => format!("{} \u{2192} {}", self.carries.0, self.carries.1),
        };
        let gap = if self.label.is_empty() || carries.is_empty() { "" } else { ": " };
        format!("{}{gap}{carries}", self.label)
    }

    /// Whoever acts, and what is acted on.
    pub(super) fn roles(&self) -> (usize, usize) {
        if self.kind.is_inward() { (self.to, self.from) } else { (self.from, self.to) }
    }

    /// What stands by itself, and what stands beside it, where one end does.
    pub(super) fn beside(&self, nodes: &[Node]) -> Option<(usize, usize)> {
        match (nodes[self.from].beside, nodes[self.to].beside) {
            (false, true) => Some((self.from, self.to)),
            (true, false) => Some((self.to, self.from)),
            (true, true) | (false, false) => None,
        }
    }
}

impl Picture {
    /// A picture with nothing in it yet.
    pub(super) fn new(graph: &Graph, view: View) -> Picture {
        let name = graph.extra.get("name").and_then(Value::as_text);
        let name = name.map(|name| clean(name)).unwrap_or_default();
        Picture {
            subject: Subject::Agent(view),
            name,
            nodes: Vec::new(),
            links: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Adds a node, and says which one it is.
    pub(super) fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Puts findings on what they are about.
    pub(super) fn mark(&mut self, marks: &[Mark]) {
        let mut by_id: BTreeMap<String, Vec<(Severity, String)>> = BTreeMap::new();
        for mark in marks {
            let (on, text) = (clean(&mark.on), clean(&mark.text));
            by_id.entry(on.clone()).or_default().push((mark.severity, text.clone()));
            self.marks.push((mark.severity, on, text));
        }
        self.marks.sort_by_key(|mark| mark.0);
        for node in self.nodes.iter_mut().filter(|node| !node.kind.is_sign()) {
            let ids = std::iter::once(&node.id).chain(&node.stands_for);
            node.marks = ids.filter_map(|id| by_id.get(id)).flatten().cloned().collect();
            node.marks.sort_by_key(|mark| mark.0);
        }
    }

    /// The kinds of nodes that occur, in the order of legends.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<Kind> = self.nodes.iter().map(|node| node.kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// The kinds of links that occur, in the order of legends.
    pub(super) fn ties(&self) -> Vec<Tie> {
        let mut ties: Vec<Tie> = self.links.iter().map(|link| link.kind).collect();
        ties.sort();
        ties.dedup();
        ties
    }

    /// What it says when there is nothing to see.
    pub(super) fn nothing(&self) -> &'static str {
        match self.subject {
            Subject::Agent(View::Flow) => "no processes",
            Subject::Agent(View::Architecture) => "no entities",
            Subject::Agent(View::Schemas) => "no schemas",
            Subject::Rules => "no rules",
        }
    }
}

impl Node {
    /// A node of which only the name is known.
    pub(super) fn new(kind: Kind, id: &str, title: &str) -> Node {
        let (id, title) = (clean(id), clean(title));
        Node {
            kind,
            id,
            stands_for: Vec::new(),
            title,
            lines: Vec::new(),
            about: Vec::new(),
            beside: false,
            marks: Vec::new(),
        }
    }
}
