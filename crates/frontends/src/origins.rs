//! Where the pieces of a lowered graph come from, so that findings about the graph are shown in
//! the text that its author wrote.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, Span};
use graph::Kind;
use value::{Pointer, Text};

use crate::yaml::Tree;

/// The places of labels, nodes, edges and declarations in a YAML text.
#[derive(Debug, Default)]
pub struct Origins {
    tree: Option<Tree>,
    labels: BTreeMap<Text, LabelOrigin>,
    /// By kind and name: the object that the declaration repeats.
    declarations: BTreeMap<(&'static str, Text), Pointer>,
}

/// Where a label comes from.
#[derive(Debug)]
pub(crate) struct LabelOrigin {
    pub(crate) at: Anchor,
    pub(crate) nodes: Vec<Anchor>,
    pub(crate) edges: Vec<Anchor>,
}

impl Origins {
    pub(crate) fn label(&mut self, id: Text, origin: LabelOrigin) {
        self.labels.insert(id, origin);
    }

    pub(crate) fn declaration(&mut self, kind: &'static str, name: Text, pointer: Pointer) {
        self.declarations.entry((kind, name)).or_insert(pointer);
    }

    pub(crate) fn keep(&mut self, tree: Tree) {
        self.tree = Some(tree);
    }

    /// Turns places in the graph into places in the text.
    pub fn trace(&self, findings: &mut [Diagnostic]) {
        let Some(tree) = &self.tree else { return };
        for anchor in findings.iter_mut().flat_map(Diagnostic::anchors_mut) {
            if let Anchor::Pointer(pointer, _) = anchor {
                *anchor = self.find(tree, pointer);
            }
        }
    }

    /// The process, entity, schema or label that a place in the text belongs to.
    pub fn owner(&self, pointer: &Pointer) -> Option<Text> {
        let tokens: Vec<String> = pointer.tokens().collect();
        let mut tokens = tokens.iter().map(String::as_str);
        let (list, item) = (tokens.next()?, tokens.next()?);
        let Some(tree) = &self.tree else {
            // A graph document names them in its pointers.
            return match list {
                "labels" => Some(item.into()),
                "declarations" => tokens.next().map(Text::from),
                _ => None,
            };
        };
        let index: usize = item.parse().ok()?;
        let item = tree.get(list)?.as_list()?.get(index)?;
        ["id", "name", "from"].iter().find_map(|name| item.get(name)?.as_text().cloned())
    }

    fn find(&self, tree: &Tree, pointer: &Pointer) -> Anchor {
        let tokens: Vec<String> = pointer.tokens().collect();
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let found = match tokens.as_slice() {
            ["labels", id, rest @ ..] => self.labels.get(*id).map(|label| {
                let item = |list: &[Anchor], index: &str| {
                    index.parse().ok().and_then(|index: usize| list.get(index).cloned())
                };
                let found = match rest {
                    ["nodes", index, .., slot] => {
                        item(&label.nodes, index).map(|node| of_slot(tree, node, slot))
                    }
                    ["nodes", index] => item(&label.nodes, index),
                    ["edges", index, ..] => item(&label.edges, index),
                    _ => None,
                };
                found.unwrap_or_else(|| label.at.clone())
            }),
            ["declarations", kind, name, rest @ ..] => {
                let kind = Kind::find(kind).map(Kind::word);
                let place = kind.and_then(|kind| self.declarations.get(&(kind, Text::from(*name))));
                place.map(|place| locate(tree, place, rest))
            }
            _ => None,
        };
        found.unwrap_or_else(|| Anchor::Located(Span::default(), Pointer::root()))
    }
}

/// The member of an edge that a slot was made of, where there is one.
fn of_slot(tree: &Tree, node: Anchor, slot: &str) -> Anchor {
    let Some(place) = node.pointer().filter(|place| place.as_str().starts_with("/edges/")) else {
        return node;
    };
    let members: &[&str] = match slot {
        "input" => &["input", "query", "data"],
        "output" => &["output"],
        "timeout_ms" => &["timeout"],
        "args" => &["query_key"],
        "cond" => &["condition"],
        _ => &[],
    };
    let depth = place.tokens().count() + 1;
    let mut found = members.iter().map(|member| locate(tree, place, &[*member]));
    let is_there =
        |anchor: &Anchor| anchor.pointer().is_some_and(|at| at.tokens().count() == depth);
    found.find(is_there).unwrap_or(node)
}

/// A place below another one, as deep as it can be followed.
fn locate(tree: &Tree, place: &Pointer, rest: &[&str]) -> Anchor {
    let mut here = tree;
    let mut pointer = Pointer::root();
    let mut span = tree.span;
    let tokens: Vec<String> = place.tokens().collect();
    let tokens = tokens.iter().map(String::as_str);
    for token in tokens.chain(rest.iter().copied()) {
        let next = match here.as_list() {
            Some(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
            None => here.get(token),
        };
        let Some(next) = next else { break };
        (here, span) = (next, next.span);
        pointer = pointer.child(token);
    }
    // Of an object its name is enough.
    if here.as_map().is_some() {
        span = crate::ontology::heading(here);
    }
    Anchor::Located(span, pointer)
}
