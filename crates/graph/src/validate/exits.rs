//! Part of phase 2: `exits` are the label's returns, no more and no less.

use diagnostics::{Anchor, Diagnostic, codes};

use crate::index::Index;
use crate::model::{Label, Node};
use crate::normalize::returned;
use crate::place;

const HELP: &str = "leave `exits` out to have them filled in";

pub(super) fn exits(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    // Where ids are missing or repeated, or an exit names no node, that is the finding.
    let is_named = |(at, node): (usize, &Node)| index.find(&node.id) == Some(at);
    if !label.nodes.iter().enumerate().all(is_named)
        || label.exits.iter().any(|exit| index.find(&exit.node).is_none())
    {
        return;
    }
    let mut listed = vec![0u32; label.nodes.len()];
    for (position, exit) in label.exits.iter().enumerate() {
        let place = || place::of_label(id, "exits").child(position);
        let Some(found) = index.find(&exit.node) else { continue };
        let node = &label.nodes[found];
        listed[found] += 1;
        let returns = node.def().is_some_and(|op| op.returns());
        let right = returned(node);
        // Older compilers list the word as it was written: `$user`, `0.50`.
        let slot = node.def().and_then(|op| op.slots.first());
        let written = slot.and_then(|slot| node.data.get(slot.name)?.as_text());
        let is_right = exit.var == right || (exit.var.is_some() && exit.var.as_ref() == written);
        let (at, message) = if !returns {
            let op = node.op.name();
            (place(), format!("label `{id}` lists `{}` as an exit, but it is `{op}`", exit.node))
        } else if !is_right {
            let word = |var: &Option<value::Text>| var.clone().unwrap_or_else(|| "null".into());
            let (right, given) = (word(&right), word(&exit.var));
            let message = format!(
                "the exit `{}` of label `{id}` returns `{right}`, not `{given}`",
                exit.node
            );
            (place().child("var"), message)
        } else if listed[found] == 2 {
            (place(), format!("label `{id}` lists the exit `{}` twice", exit.node))
        } else {
            continue;
        };
        let own = Anchor::value(place::of_node(id, node, "op"));
        findings.push(
            Diagnostic::new(&codes::WRONG_EXITS, Anchor::value(at), message)
                .label(own, "the node it names")
                .help(HELP),
        );
    }
    for (node, listed) in label.nodes.iter().zip(listed) {
        if listed == 0 && node.def().is_some_and(|op| op.returns()) {
            let message =
                format!("label `{id}` returns at `{}`, which its exits do not list", node.id);
            let at = Anchor::value(place::of_label(id, "exits"));
            findings.push(
                Diagnostic::new(&codes::WRONG_EXITS, at, message)
                    .label(Anchor::value(place::of_node(id, node, "op")), "it returns here")
                    .help(HELP),
            );
        }
    }
}
