//! Where the pieces of a lowered graph come from, so that findings about the graph are shown in
//! the text that its author wrote.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Diagnostic, Span};
use graph::Kind;
use value::{Pointer, Text};

use crate::yaml::Tree;

/// The places of labels, nodes, edges and declarations in a text that is no graph document.
#[derive(Debug, Default)]
pub struct Origins {
    /// The text as YAML, where it is that.
    tree: Option<Tree>,
    /// Whether it is lines of words instead.
    is_lines: bool,
    labels: BTreeMap<Text, LabelOrigin>,
    /// Places of the document that stand on lines of their own, with everything below them.
    lines: Vec<(Pointer, Span)>,
    /// By kind and name: the object that the declaration repeats.
    declarations: BTreeMap<(&'static str, Text), Pointer>,
}

/// Where a label comes from.
#[derive(Debug)]
pub(crate) struct LabelOrigin {
    pub(crate) at: Anchor,
    pub(crate) nodes: Vec<Anchor>,
    pub(crate) edges: Vec<Anchor>,
    /// Words of which slots were made, in the order of the nodes.
    pub(crate) slots: Vec<SlotSpan>,
}

/// The word that fills a slot; a slot of many values has several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotSpan {
    pub(crate) node: u32,
    pub(crate) slot: &'static str,
    pub(crate) span: Span,
}

impl LabelOrigin {
    pub(crate) fn new(at: Anchor) -> LabelOrigin {
        LabelOrigin { at, nodes: Vec::new(), edges: Vec::new(), slots: Vec::new() }
    }

    /// The word in a slot of a node: the one of this number, where there are several.
    fn slot(&self, node: &str, slot: &str, item: Option<&str>) -> Option<Anchor> {
        let node: u32 = node.parse().ok()?;
        let first = self.slots.partition_point(|own| own.node < node);
        let own = self.slots[first..].iter().take_while(|own| own.node == node);
        let mut own = own.filter(|own| own.slot == slot);
        let item = item.and_then(|item| item.parse().ok()).unwrap_or(0);
        own.nth(item).map(|own| Anchor::Span(own.span))
    }
}

impl Origins {
    /// Of a text of lines.
    pub(crate) fn of_lines() -> Origins {
        Origins { is_lines: true, ..Origins::default() }
    }

    pub(crate) fn label(&mut self, id: Text, origin: LabelOrigin) {
        self.labels.insert(id, origin);
    }

    pub(crate) fn declaration(&mut self, kind: &'static str, name: Text, pointer: Pointer) {
        self.declarations.entry((kind, name)).or_insert(pointer);
    }

    pub(crate) fn keep(&mut self, tree: Tree) {
        self.tree = Some(tree);
    }

    /// A place in the document that stands on a line of its own.
    pub(crate) fn line(&mut self, pointer: Pointer, span: Span) {
        self.lines.push((pointer, span));
    }

    /// Turns places in the graph into places in the text.
    pub fn trace(&self, findings: &mut [Diagnostic]) {
        if self.tree.is_none() && !self.is_lines {
            return;
        }
        for fix in findings.iter_mut().filter_map(|finding| finding.fix.as_mut()) {
            // What is right in a graph document need not be in another text.
            fix.safe &= !fix.edits.iter().any(|edit| matches!(edit.at, Anchor::Pointer(..)));
        }
        for anchor in findings.iter_mut().flat_map(Diagnostic::anchors_mut) {
            if let Anchor::Pointer(pointer, _) = anchor {
                *anchor = self.find(pointer);
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

    fn find(&self, pointer: &Pointer) -> Anchor {
        let tokens: Vec<String> = pointer.tokens().collect();
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let found = match tokens.as_slice() {
            ["labels", id, rest @ ..] => self.labels.get(*id).map(|label| {
                let item = |list: &[Anchor], index: &str| {
                    index.parse().ok().and_then(|index: usize| list.get(index).cloned())
                };
                let found = match rest {
                    ["nodes", index, "data" | "operands", slot, rest @ ..] if self.is_lines => {
                        let word = label.slot(index, slot, rest.first().copied());
                        word.or_else(|| item(&label.nodes, index))
                    }
                    ["nodes", index, .., slot] => item(&label.nodes, index).map(|node| {
                        self.tree.as_ref().map_or(node.clone(), |tree| of_slot(tree, node, slot))
                    }),
                    ["nodes", index] => item(&label.nodes, index),
                    ["edges", index, ..] => item(&label.edges, index),
                    _ => None,
                };
                found.unwrap_or_else(|| label.at.clone())
            }),
            ["declarations", kind, name, rest @ ..] => {
                let kind = Kind::find(kind).map(Kind::word);
                let tree = self.tree.as_ref();
                let place = kind.and_then(|kind| self.declarations.get(&(kind, Text::from(*name))));
                place.zip(tree).map(|(place, tree)| locate(tree, place, rest))
            }
            _ => {
                let above = |(place, _): &&(Pointer, Span)| pointer.is_at_or_below(place);
                // A line about an endpoint says more of it than the one about its service.
                let nearest =
                    self.lines.iter().filter(above).max_by_key(|(place, _)| place.as_str().len());
                nearest.map(|(_, span)| Anchor::Span(*span))
            }
        };
        found.unwrap_or_else(|| match self.tree {
            Some(_) => Anchor::Located(Span::default(), Pointer::root()),
            None => Anchor::Span(Span::default()),
        })
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
