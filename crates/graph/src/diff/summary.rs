//! A difference in words.

use std::fmt::Write;

use value::json;

use super::{Diff, EdgeRef, LabelDiff};
use crate::model::ToKind;

impl Diff {
    /// One line for each difference, grouped by label; `no changes` where there is none.
    pub fn summary(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (id, label) in &self.added_labels {
            let count = label.nodes.len();
            let nodes = if count == 1 { "node" } else { "nodes" };
            lines.push(format!("label {id}: added ({count} {nodes})"));
        }
        for id in &self.removed_labels {
            lines.push(format!("label {id}: removed"));
        }
        for label in &self.labels {
            summarise(label, &mut lines);
        }
        for declared in &self.declarations {
            let what = match (&declared.old, &declared.new) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            };
            lines.push(format!("{} {}: {what}", declared.kind.word(), declared.name));
        }
        for (part, _, _) in &self.document {
            lines.push(format!("{}: changed", part.word()));
        }
        if lines.is_empty() { "no changes".to_string() } else { lines.join("\n") }
    }
}

fn summarise(label: &LabelDiff, lines: &mut Vec<String>) {
    let id = &label.label;
    let mut add = |text: String| lines.push(format!("label {id}: {text}"));
    for node in &label.removed {
        add(format!("removed {} {}", node.id, node.op.name()));
    }
    for node in &label.added {
        add(format!("added {} {}", node.id, node.op.name()));
    }
    for changed in &label.changed {
        let moved = match changed.node == changed.new_node {
            true => String::new(),
            false => format!(" (now {})", changed.new_node),
        };
        let (old, new) = (json::compact(&changed.old), json::compact(&changed.new));
        add(format!(
            "changed {}{moved} {}.{}: {old} -> {new}",
            changed.node, changed.op, changed.field
        ));
    }
    for edge in &label.edges_removed {
        add(format!("removed edge {}", describe(edge)));
    }
    for edge in &label.edges_added {
        add(format!("added edge {}", describe(edge)));
    }
    for rewired in &label.edges_rewired {
        let (old, new) = (&rewired.old, &rewired.new);
        add(format!("rewired {} {}: {} -> {}", old.from, old.port, target(old), target(new)));
    }
    match &label.entry {
        Some((_, Some(new))) if label.added.iter().any(|node| node.id == *new) => {
            add(format!("begins with the added {new}"));
        }
        Some((_, Some(new))) => add(format!("begins with {new}, by the new numbers")),
        Some((_, None)) => add("has no first node any more".to_string()),
        None => {}
    }
    if label.reordered {
        add("nodes that nothing reaches, or edges of one port, are in another order".to_string());
    }
}

fn describe(edge: &EdgeRef) -> String {
    let mut text = String::new();
    write!(text, "{} {} -> {}", edge.from, edge.port, target(edge))
        .expect("writing to text cannot fail");
    text
}

fn target(edge: &EdgeRef) -> String {
    match edge.to_kind {
        ToKind::Node => edge.to.to_string(),
        ToKind::Label => format!("label {}", edge.to),
    }
}
