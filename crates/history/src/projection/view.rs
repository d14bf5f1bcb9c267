//! A projection as somebody saw it at some time.

use value::Map;

use super::Projection;
use super::edges::{Edge, EdgeKind};
use super::node::{Aspect, Node, NodeRef};
use super::rows::Row;
use crate::Timestamp;

/// What is believed at one time: at most one row says something about one thing at a moment.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    projection: &'a Projection,
    known: u64,
    valid: Option<Timestamp>,
}

impl Projection {
    /// What is believed now, of all times.
    pub fn now(&self) -> View<'_> {
        self.as_of(u64::MAX)
    }

    /// What was believed when the event of this number was the last one.
    pub fn as_of(&self, seq: u64) -> View<'_> {
        View { projection: self, known: seq, valid: None }
    }

    /// What is believed now of a moment.
    pub fn valid_at(&self, moment: Timestamp) -> View<'_> {
        self.now().valid_at(moment)
    }
}

impl<'a> View<'a> {
    /// The same, but only what is true at a moment.
    pub fn valid_at(self, moment: Timestamp) -> View<'a> {
        View { valid: Some(moment), ..self }
    }

    /// All rows about nodes.
    pub fn nodes(self) -> impl Iterator<Item = &'a Row<Node>> {
        self.projection.nodes().iter().filter(move |row| self.shows(row))
    }

    /// All edges.
    pub fn edges(self) -> impl Iterator<Item = &'a Row<Edge>> {
        self.projection.edges().iter().filter(move |row| self.shows(row))
    }

    /// The edges of a kind that leave a node.
    pub fn leaving(self, node: &NodeRef, kind: EdgeKind) -> impl Iterator<Item = &'a Row<Edge>> {
        let rows = self.projection.leaving.get(&(node.clone(), kind));
        self.these(self.projection.edges(), rows)
    }

    /// The edges of a kind that lead to a node.
    pub fn arriving(self, node: &NodeRef, kind: EdgeKind) -> impl Iterator<Item = &'a Row<Edge>> {
        let rows = self.projection.arriving.get(&(node.clone(), kind));
        self.these(self.projection.edges(), rows)
    }

    /// The rows about a side of a node.
    pub fn about(self, node: &NodeRef, aspect: Aspect) -> impl Iterator<Item = &'a Row<Node>> {
        let rows = self.these(self.projection.nodes(), self.projection.about.get(node));
        rows.filter(move |row| row.what.aspect == aspect)
    }

    /// The row that begins last, about a side of a node.
    pub fn last(self, node: &NodeRef, aspect: Aspect) -> Option<&'a Row<Node>> {
        self.about(node, aspect).max_by_key(|row| row.valid.from)
    }

    /// All that is believed of a node, from all its sides; nothing if there is no such node.
    pub fn node(self, node: &NodeRef) -> Option<Map> {
        let sides = [Aspect::Itself, Aspect::Liveness, Aspect::Status];
        let rows = sides.into_iter().filter_map(|aspect| self.last(node, aspect));
        let mut found = None;
        for row in rows {
            let attrs = found.get_or_insert_with(Map::default);
            for (name, value) in row.what.attrs.iter() {
                attrs.insert(name.clone(), value.clone());
            }
        }
        found
    }

    fn these<T>(
        self,
        all: &'a [Row<T>],
        rows: Option<&'a Vec<usize>>,
    ) -> impl Iterator<Item = &'a Row<T>> {
        let rows = rows.map(Vec::as_slice).unwrap_or_default();
        rows.iter().map(move |row| &all[*row]).filter(move |row| self.shows(row))
    }

    fn shows<T>(self, row: &Row<T>) -> bool {
        row.known.contains(&self.known)
            && self.valid.is_none_or(|moment| row.valid.contains(&moment))
    }
}
