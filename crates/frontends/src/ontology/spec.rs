//! A spec as it was read: its nodes and edges with their rows, and where everything stands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use diagnostics::{Anchor, Span};
use value::{Pointer, Text};

use super::fields::{EdgeDef, EdgeType, NodeDef, NodeType};
use crate::yaml::Tree;

/// A spec. What could not be understood is left out, and was reported.
#[derive(Debug)]
pub(super) struct Spec<'t> {
    /// The whole document.
    pub(super) tree: &'t Tree,
    /// Entities, then processes, each in the author's order.
    pub(super) things: Vec<Thing<'t>>,
    pub(super) edges: Vec<Line<'t>>,
    pub(super) schemas: Vec<Schema<'t>>,
    /// How many nodes cannot be named: their ids are missing, or whole lists are.
    pub(super) nameless: usize,
    /// How many schemas have no name.
    pub(super) nameless_schemas: usize,
    /// Whether the list of schemas could not be read.
    pub(super) lacks_schemas: bool,
    by_id: BTreeMap<&'t str, usize>,
    /// Ids that several nodes have: which is meant cannot be told.
    ambiguous: BTreeSet<&'t str>,
    by_schema: BTreeMap<&'t str, usize>,
    /// For each node the edges that leave it, in order.
    leaving: Vec<Vec<u32>>,
    /// For each node how many tools it calls.
    tools: Vec<u32>,
    /// For each node that receives messages the subscribe edges that lead to it.
    receiving: BTreeMap<&'t str, Vec<u32>>,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing<'t> {
    /// Empty where there is none.
    pub(super) id: &'t str,
    /// Nothing where its type is missing or unknown.
    pub(super) def: Option<&'static NodeDef>,
    pub(super) place: Place,
    pub(super) tree: &'t Tree,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Nothing where its type is missing or unknown.
    pub(super) def: Option<&'static EdgeDef>,
    /// Empty where there is none.
    pub(super) from: &'t str,
    /// Empty where there is none.
    pub(super) to: &'t str,
    pub(super) place: Place,
    pub(super) tree: &'t Tree,
}

/// A schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'t> {
    /// Empty where there is none.
    pub(super) name: &'t str,
    pub(super) place: Place,
    pub(super) tree: &'t Tree,
}

/// An item of one of the lists of a spec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) list: &'static str,
    pub(super) index: usize,
}

impl Place {
    /// The item.
    pub(super) fn pointer(self) -> Pointer {
        Pointer::root().child(self.list).child(self.index)
    }

    /// A member of the item: at its value where it is there, else at the item.
    pub(super) fn member(self, tree: &Tree, name: &str) -> Anchor {
        let span = tree.get(name).map_or_else(|| heading(tree), |value| value.span);
        Anchor::Located(span, self.pointer().child(name))
    }
}

/// What names an object best: its id or name, else its first key.
pub(crate) fn heading(tree: &Tree) -> Span {
    for name in ["id", "name", "type"] {
        if let Some(value) = tree.get(name).filter(|value| value.as_text().is_some()) {
            return value.span;
        }
    }
    match tree.as_map().and_then(|entries| entries.first()) {
        Some((key, _)) => key.span,
        None => tree.span,
    }
}

impl<'t> Thing<'t> {
    pub(super) fn is(&self, is: NodeType) -> bool {
        self.def.is_some_and(|def| def.is == is)
    }

    /// A member that is text.
    pub(super) fn text(&self, name: &str) -> Option<&'t Text> {
        self.tree.get(name)?.as_text()
    }

    /// The processes that the branches inside of a gate and its default lead to.
    pub(super) fn own_targets(&self) -> impl Iterator<Item = &'t Text> {
        let branches = self.tree.get("branches").and_then(Tree::as_list).unwrap_or_default();
        let targets = branches.iter().filter_map(|branch| branch.get("target")?.as_text());
        targets.chain(self.text("default"))
    }

    /// For a message: `` agent `lead` ``.
    pub(super) fn shown(&self) -> Shown<'t> {
        let kind = if self.place.list == "entities" { "an entity" } else { "a process" };
        match self.def {
            Some(def) if self.id.is_empty() => Shown { word: def.word, name: "", kind },
            Some(def) => Shown { word: def.word, name: self.id, kind },
            None => Shown { word: "", name: self.id, kind },
        }
    }
}

/// How a node is called in messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'t> {
    word: &'static str,
    name: &'t str,
    kind: &'static str,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.word, self.name) {
            ("", "") => f.write_str(self.kind),
            ("", name) => write!(f, "`{name}`"),
            (word, "") => f.write_str(&with_article(word)),
            (word, name) => write!(f, "{} `{name}`", spoken(word)),
        }
    }
}

/// `error_handler` as `error handler`.
pub(super) fn spoken(word: &str) -> String {
    word.replace('_', " ")
}

/// `an agent`, `a tool`.
pub(super) fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {}", spoken(word))
}

impl<'t> Line<'t> {
    /// The edge, at where it leads to.
    pub(super) fn anchor(&self) -> Anchor {
        let span = self.tree.get("to").map_or_else(|| heading(self.tree), |to| to.span);
        Anchor::Located(span, self.place.pointer())
    }

    pub(super) fn is(&self, is: EdgeType) -> bool {
        self.def.is_some_and(|def| def.is == is)
    }

    /// A member that is text.
    pub(super) fn text(&self, name: &str) -> Option<&'t Text> {
        self.tree.get(name)?.as_text()
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.def {
            Some(def) => write!(f, "the {} edge", def.word)?,
            None => f.write_str("the edge")?,
        }
        if !self.from.is_empty() {
            write!(f, " from `{}`", self.from)?;
        }
        if !self.to.is_empty() {
            write!(f, " to `{}`", self.to)?;
        }
        Ok(())
    }
}

impl<'t> Spec<'t> {
    pub(super) fn new(
        tree: &'t Tree,
        things: Vec<Thing<'t>>,
        edges: Vec<Line<'t>>,
        schemas: Vec<Schema<'t>>,
    ) -> Spec<'t> {
        let (mut by_id, mut ambiguous) = (BTreeMap::new(), BTreeSet::new());
        for (index, thing) in things.iter().enumerate().filter(|(_, thing)| !thing.id.is_empty()) {
            if *by_id.entry(thing.id).or_insert(index) != index {
                ambiguous.insert(thing.id);
            }
        }
        let nameless_schemas = schemas.iter().filter(|schema| schema.name.is_empty()).count();
        let mut by_schema = BTreeMap::new();
        for (index, schema) in
            schemas.iter().enumerate().filter(|(_, found)| !found.name.is_empty())
        {
            by_schema.entry(schema.name).or_insert(index);
        }
        let mut receiving: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut tools = vec![0; things.len()];
        let mut leaving = vec![Vec::new(); things.len()];
        for (edge, line) in (0..).zip(&edges) {
            if let Some(from) = by_id.get(line.from) {
                leaving[*from].push(edge);
            }
            let from_to = by_id.get(line.from).zip(by_id.get(line.to));
            if let Some((from, to)) = from_to.filter(|_| line.is(EdgeType::Invoke)) {
                tools[*from] += u32::from(things[*to].is(NodeType::Tool));
            }
            if line.is(EdgeType::Subscribe) {
                receiving.entry(line.to).or_default().push(edge);
            }
        }
        Spec {
            ambiguous,
            leaving,
            tools,
            receiving,
            tree,
            things,
            edges,
            schemas,
            nameless: 0,
            nameless_schemas,
            lacks_schemas: false,
            by_id,
            by_schema,
        }
    }

    /// The position of the node with this id; of two the first.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The type of the node with this id, where it can be told.
    pub(super) fn type_of(&self, id: &str) -> Option<&'static NodeDef> {
        self.thing(id).and_then(|thing| thing.def).filter(|_| !self.ambiguous.contains(id))
    }

    pub(super) fn thing(&self, id: &str) -> Option<&Thing<'t>> {
        self.find(id).map(|index| &self.things[index])
    }

    /// The edges that leave a node, in order.
    pub(super) fn edges_from(&self, thing: usize) -> impl Iterator<Item = &Line<'t>> {
        self.leaving[thing].iter().map(|edge| &self.edges[*edge as usize])
    }

    /// How many tools a node calls.
    pub(super) fn tools_of(&self, thing: usize) -> usize {
        self.tools[thing] as usize
    }

    /// The subscribe edges that lead to a node, as positions.
    pub(super) fn receivers(&self, id: &str) -> &[u32] {
        self.receiving.get(id).map_or(&[], Vec::as_slice)
    }

    pub(super) fn schema(&self, name: &str) -> Option<&Schema<'t>> {
        self.by_schema.get(name).map(|index| &self.schemas[*index])
    }

    pub(super) fn processes(&self) -> impl Iterator<Item = (usize, &Thing<'t>)> {
        self.things.iter().enumerate().filter(|(_, thing)| thing.place.list == "processes")
    }

    pub(super) fn of_type(&self, is: NodeType) -> impl Iterator<Item = (usize, &Thing<'t>)> {
        self.things.iter().enumerate().filter(move |(_, thing)| thing.is(is))
    }

    /// Ids of nodes that will do.
    pub(super) fn ids(&self, fits: impl Fn(NodeType) -> bool) -> impl Iterator<Item = &'t str> {
        self.things
            .iter()
            .filter(move |thing| thing.def.is_none_or(|def| fits(def.is)))
            .map(|thing| thing.id)
            .filter(|id| !id.is_empty())
    }
}
