//! What stands further on in the text: not known yet where it is used, but worth pointing at.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::Span;

use super::expr::field_of;
use crate::syntax::token::Atom;
use crate::syntax::tree::{Node, NodeKind, Top};

/// Names of a whole text.
#[derive(Default)]
pub(super) struct Ahead {
    /// Functions and templates that it defines, and where.
    pub(super) functions: BTreeMap<String, Span>,
    pub(super) templates: BTreeMap<String, Span>,
    /// Names that patterns and initial facts begin with.
    pub(super) facts: BTreeSet<String>,
}

impl Ahead {
    pub(super) fn of(tops: &[Top]) -> Ahead {
        let mut ahead = Ahead::default();
        for top in tops {
            let nodes = top.node.list().unwrap_or_default();
            let Some(name) = nodes.get(1) else { continue };
            let named = || name.symbol().map(|word| (word.to_owned(), name.span));
            match top.node.head() {
                Some("deffunction") => ahead.functions.extend(named()),
                Some("deftemplate") => ahead.templates.extend(named()),
                Some("defrule" | "deffacts") => {
                    let asked = nodes.iter().take_while(|node| node.symbol() != Some("=>"));
                    ahead.facts.extend(asked.filter_map(Node::head).map(str::to_owned));
                }
                _ => {}
            }
        }
        ahead
    }
}

/// A short list as it was written, to be written again within another one.
pub(super) fn written(node: &Node) -> Option<String> {
    const LENGTH_MAX: usize = 40;
    fn add(node: &Node, out: &mut String) -> Option<()> {
        match &node.kind {
            NodeKind::Atom(Atom::Text(raw)) => *out += &format!("\"{raw}\""),
            NodeKind::Atom(Atom::Single(name)) => *out += &format!("?{name}"),
            NodeKind::Atom(Atom::Many(name)) => *out += &format!("$?{name}"),
            NodeKind::Atom(Atom::Global(name)) => *out += &format!("?*{name}*"),
            NodeKind::Atom(atom) => *out += &field_of(*atom)?.to_string(),
            NodeKind::List(nodes) => {
                for (place, node) in nodes.iter().enumerate() {
                    out.push(if place == 0 { '(' } else { ' ' });
                    add(node, out)?;
                }
                out.push_str(if nodes.is_empty() { "()" } else { ")" });
            }
        }
        (out.len() <= LENGTH_MAX).then_some(())
    }
    let mut out = String::new();
    add(node, &mut out)?;
    // Help is one line.
    (!out.contains(char::is_control)).then_some(out)
}
