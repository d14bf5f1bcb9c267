//! What all pictures show: cards with rows, and the ways that lead out of each row. Names are
//! resolved here, once; painters only see positions.

use std::collections::BTreeMap;

use crate::effects::Touches;
use crate::index::Index;
use crate::model::{Edge, Graph, Label, Node};
use crate::operand::Operand;
use crate::ops::{Port, Runs, SlotKind};
use crate::query::method_word;

use super::text::{Words, clean};

/// A picture to be painted.
pub(super) struct Scene<'a> {
    /// The labels to draw, in document order.
    pub cards: Vec<Card<'a>>,
    /// What ways lead to and what is no card; each thing once.
    pub outside: Vec<Outside>,
    /// The label that was asked for, where the graph has none of that name.
    pub not_found: Option<String>,
}

/// A label.
pub(super) struct Card<'a> {
    /// Its id, clean.
    pub id: String,
    /// What runs it from outside: `POST /orders`.
    pub endpoints: Vec<String>,
    /// Its nodes in walk order.
    pub rows: Vec<Row<'a>>,
    /// How many of them a walk from the entry reaches; the rest comes last.
    pub reached: usize,
}

/// A node.
pub(super) struct Row<'a> {
    /// The node.
    pub node: &'a Node,
    /// Its id, clean.
    pub id: String,
    /// What it does.
    pub words: Words,
    /// What it touches.
    pub kind: Kind,
    /// Where control can go from here, in the order of the op's ports; calls first.
    pub ways: Vec<Way>,
}

/// A way out of a row.
pub(super) struct Way {
    /// The port, or `call`, or the unknown word that the author wrote; clean.
    pub word: String,
    /// How it is drawn.
    pub style: Style,
    /// Where it leads.
    pub to: To,
}

/// How a way is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// Simply on; it needs no word.
    Next,
    /// Control goes there.
    Plain,
    /// Control goes there when something failed.
    Failure,
    /// Control goes there and comes back.
    Call,
}

/// Where a way leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// The row of the same card.
    Row(usize),
    /// The card.
    Card(usize),
    /// What is no card.
    Outside(usize),
}

/// Something that ways lead to and that is not drawn, or not there.
pub(super) struct Outside {
    /// Its id, clean.
    pub id: String,
    /// Why it is outside.
    pub why: Why,
}

/// Why something is outside a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// A label that is not drawn.
    Elsewhere,
    /// A label that does not exist.
    NoLabel,
    /// A node that does not exist in the label of this card.
    NoNode(usize),
}

impl Outside {
    /// What a picture shows in its place.
    pub(super) fn text(&self) -> String {
        let text = match self.why {
            Why::Elsewhere => format!("label {}", self.id),
            Why::NoLabel => format!("no label {}", self.id),
            Why::NoNode(_) => format!("no node {}", self.id),
        };
        text.trim_end().to_string()
    }

    /// Whether it should exist and does not.
    pub(super) fn is_missing(&self) -> bool {
        self.why != Why::Elsewhere
    }
}

/// What a node touches, as pictures show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Computed in the core.
    Pure,
    /// Looks outside.
    Read,
    /// Changes something outside.
    Write,
    /// Asks a model.
    Model,
    /// Asks a person.
    Person,
    /// Decides where control goes.
    Control,
    /// Protects another node.
    Guard,
    /// An op that nobody knows.
    Unknown,
}

impl Kind {
    /// The kind of a node.
    pub(super) fn of(node: &Node) -> Kind {
        let Some(op) = node.def() else { return Kind::Unknown };
        match op.runs {
            Runs::Pure => Kind::Pure,
            Runs::Control | Runs::Return | Runs::Call => Kind::Control,
            Runs::Guard(_) => Kind::Guard,
            Runs::Person => Kind::Person,
            Runs::Store(touches, ..) => Kind::touching(touches),
            // A verb that cannot even be read may do anything.
            Runs::Adapter => {
                node.contract().map_or(Kind::Write, |contract| Kind::touching(contract.touches))
            }
        }
    }

    fn touching(touches: Touches) -> Kind {
        match touches {
            Touches::Nothing => Kind::Pure,
            Touches::Clock | Touches::Random | Touches::Read => Kind::Read,
            Touches::Write => Kind::Write,
            Touches::Model => Kind::Model,
            Touches::Person => Kind::Person,
        }
    }

    /// Its name in legends.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Pure => "pure",
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Model => "model",
            Kind::Person => "person",
            Kind::Control => "control",
            Kind::Guard => "guard",
            Kind::Unknown => "unknown",
        }
    }

    /// Its colours: for a surface, and for a line on it.
    pub(super) fn colours(self) -> (&'static str, &'static str) {
        match self {
            Kind::Pure => ("#f8fafc", "#94a3b8"),
            Kind::Read => ("#e8f1fd", "#2f7fd6"),
            Kind::Write => ("#fdeedd", "#d9730d"),
            Kind::Model => ("#f1eafd", "#8250df"),
            Kind::Person => ("#fde8f3", "#cf3a8a"),
            Kind::Control => ("#e5f6ee", "#1a936f"),
            Kind::Guard => ("#fdf8d8", "#b79a0b"),
            Kind::Unknown => ("#fde8e8", "#d1242f"),
        }
    }
}

impl<'a> Scene<'a> {
    /// The scene of a graph, or of one label of it.
    pub(super) fn of(graph: &'a Graph, only: Option<&str>) -> Scene<'a> {
        let drawn = |id: &str| only.is_none_or(|only| only == id);
        let labels = || graph.labels.iter().filter(|(id, _)| drawn(id));
        let positions = labels().enumerate().map(|(at, (id, _))| (&**id, at)).collect();
        let mut endpoints: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for endpoint in &graph.endpoints {
            if let Some(label) = &endpoint.label {
                let text = clean(&format!("{} {}", method_word(&endpoint.method), endpoint.path));
                endpoints.entry(label).or_default().push(text);
            }
        }
        let mut places = Places { graph, positions, outside: Vec::new(), known: BTreeMap::new() };
        let cards = labels()
            .enumerate()
            .map(|(at, (id, label))| {
                let endpoints = endpoints.remove(&**id).unwrap_or_default();
                Card { id: clean(id), endpoints, ..card(&mut places, at, label) }
            })
            .collect();
        let not_found = only.filter(|only| !graph.labels.contains_key(only)).map(clean);
        Scene { cards, outside: places.outside, not_found }
    }

    /// The kinds that occur, in the order of legends.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let mut seen: Vec<_> =
            self.cards.iter().flat_map(|card| &card.rows).map(|row| row.kind).collect();
        seen.sort();
        seen.dedup();
        seen
    }
}

/// Where everything is that ways lead to.
struct Places<'a> {
    graph: &'a Graph,
    positions: BTreeMap<&'a str, usize>,
    outside: Vec<Outside>,
    known: BTreeMap<(Why, &'a str), usize>,
}

impl<'a> Places<'a> {
    fn label(&mut self, id: &'a str) -> To {
        match self.positions.get(id) {
            Some(position) => To::Card(*position),
            None if self.graph.names_label(id) => self.outside(Why::Elsewhere, id),
            None => self.outside(Why::NoLabel, id),
        }
    }

    fn outside(&mut self, why: Why, id: &'a str) -> To {
        let position = *self.known.entry((why, id)).or_insert_with(|| {
            self.outside.push(Outside { id: clean(id), why });
            self.outside.len() - 1
        });
        To::Outside(position)
    }
}

/// The card of a label, still without its name.
fn card<'a>(places: &mut Places<'a>, at: usize, label: &'a Label) -> Card<'a> {
    let index = Index::new(label);
    let (order, reached) = index.walk();
    let mut row_of = vec![0; label.nodes.len()];
    for (row, node) in order.iter().enumerate() {
        row_of[*node] = row;
    }
    let mut rows = Vec::with_capacity(order.len());
    for position in order {
        let node = &label.nodes[position];
        let mut edges: Vec<usize> = index.edge_indices_from(position).collect();
        edges.retain(|edge| !label.edges[*edge].analysis_only);
        edges.sort_by_key(|edge| rank(node, &label.edges[*edge]));
        let mut ways: Vec<Way> = call(places, node).into_iter().collect();
        ways.extend(edges.into_iter().map(|edge_at| {
            let edge = &label.edges[edge_at];
            let to = match index.target(edge_at) {
                Some(target) => To::Row(row_of[target]),
                None if edge.is_to_label() => places.label(&edge.to),
                None => places.outside(Why::NoNode(at), &edge.to),
            };
            way(edge, to)
        }));
        let (id, words) = (clean(&node.id), Words::of(node));
        rows.push(Row { node, id, words, kind: Kind::of(node), ways });
    }
    Card { id: String::new(), endpoints: Vec::new(), rows, reached }
}

fn rank(node: &Node, edge: &Edge) -> usize {
    let known = node.def().zip(edge.port);
    known.map_or(usize::MAX, |(op, port)| op.port_rank(port))
}

fn call<'a>(places: &mut Places<'a>, node: &'a Node) -> Option<Way> {
    let slot = node.def()?.slot_of(SlotKind::Callee)?;
    let Some(Operand::Label(callee)) = node.operands.one(slot.name) else { return None };
    Some(Way { word: "call".to_string(), style: Style::Call, to: places.label(callee) })
}

fn way(edge: &Edge, to: To) -> Way {
    let (word, style) = match edge.port {
        Some(Port::Next) => ("next".to_string(), Style::Next),
        Some(port) if port.is_failure() => (port.word().to_string(), Style::Failure),
        Some(port) => (port.word().to_string(), Style::Plain),
        None => {
            let written = edge.extra.get("port").and_then(value::Value::as_text);
            (clean(written.map_or("?", |word| word)), Style::Plain)
        }
    };
    Way { word, style, to }
}
