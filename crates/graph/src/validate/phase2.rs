//! Phase 2: ids are canonical, every edge has a legal port, one way on, branches are complete,
//! exits and guards say what is true, slots are filled, and everything can be reached.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::Value;

use crate::index::Index;
use crate::model::{Edge, Graph, Label, Node, ToKind};
use crate::normalize::returned;
use crate::ops::{Leads, OpDef, Port, SlotKind};
use crate::place;

/// Runs the check.
pub fn phase2(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    for (id, label) in &graph.labels {
        let index = Index::new(label);
        ids(id, label, findings);
        for (position, node) in label.nodes.iter().enumerate() {
            let Some(op) = node.def() else { continue };
            ports(id, node, op, &index, position, findings);
            slots(id, node, op, findings);
            effect(id, node, op, findings);
        }
        guards(id, label, &index, findings);
        exits(id, label, &index, findings);
        reachable(id, label, &index, findings);
    }
}

fn ids(id: &str, label: &Label, findings: &mut Vec<Diagnostic>) {
    let wrong = label.nodes.iter().enumerate().find(|(position, node)| {
        !node.id.is_empty() && node.id.strip_prefix('n') != Some(&*(position + 1).to_string())
    });
    let Some((position, node)) = wrong else { return };
    // A repeated id is reported as such; its successors would only repeat that.
    if label.nodes[..position].iter().any(|other| other.id == node.id) {
        return;
    }
    let at = Anchor::value(place::of_node(id, node, "id"));
    let message =
        format!("the ids of label `{id}` are not `n1` to `n{}` in order", label.nodes.len());
    findings.push(Diagnostic::new(&codes::IDS_NOT_CONTIGUOUS, at, message).help(format!(
        "from here on: `{}` should be `n{}`",
        node.id,
        position + 1
    )));
}

fn ports(
    id: &str,
    node: &Node,
    op: &'static OpDef,
    index: &Index<'_>,
    position: usize,
    findings: &mut Vec<Diagnostic>,
) {
    let mut taken: Vec<(Port, &Edge)> = Vec::new();
    for edge in index.edges_from(position).filter(|edge| !edge.analysis_only) {
        let Some(port) = edge.port else { continue };
        let Some(def) = op.port(port) else {
            findings.push(illegal_port(id, node, op, edge, port));
            continue;
        };
        match (def.to, edge.to_kind) {
            (Leads::Node, ToKind::Label) => findings.push(wrong_kind(id, edge, op, port, "a node")),
            (Leads::Label, ToKind::Node) => {
                findings.push(wrong_kind(id, edge, op, port, "a label"))
            }
            _ => {}
        }
        match taken.iter().find(|(other, _)| *other == port) {
            Some((_, first)) if !def.many => {
                findings.push(repeated_port(id, node, edge, first, port))
            }
            Some(_) => {}
            None => taken.push((port, edge)),
        }
    }
    for def in op.ports.iter().filter(|def| def.required) {
        if !taken.iter().any(|(port, _)| *port == def.port) {
            findings.push(missing_port(id, node, op, def.port));
        }
    }
}

fn slots(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    for slot in op.slots.iter().filter(|slot| slot.required) {
        let given = node.data.get(slot.name).is_some_and(|value| *value != Value::Null);
        if node.operands.get(slot.name).is_none() && !given && !kept(node, slot.name) {
            let at = Anchor::value(place::of_data(id, node, slot.name));
            let message =
                format!("`{}` of label `{id}` is `{}` without `{}`", node.id, op.name, slot.name);
            findings.push(Diagnostic::new(&codes::MISSING_SLOT, at, message).help(op.doc));
        }
    }
}

fn kept(node: &Node, slot: &str) -> bool {
    node.extra.get("operands").is_some_and(|operands| operands.get(slot).is_some())
}

fn effect(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    let right = op.effect();
    if node.effect != right {
        let at = Anchor::value(place::of_node(id, node, "effect"));
        let (given, right) = (node.effect.word(), right.word());
        let message = format!("the effect of `{}` is `{right}`, not `{given}`", op.name);
        findings.push(
            Diagnostic::new(&codes::WRONG_EFFECT, at.clone(), message)
                .help("effects follow from the op; leave the member out")
                .fix(format!("write `{right}`"), at, format!("\"{right}\"")),
        );
    }
}

/// `Err @nX` and `Retry @nX` are edges from exactly that node, and a guard without such an edge
/// does nothing.
fn guards(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    let mut protected: Vec<Vec<&Edge>> = vec![Vec::new(); label.nodes.len()];
    for (position, edge) in label.edges.iter().enumerate() {
        if let Some(target) = index.target(position)
            && let Some(port) = label.nodes[target].def().and_then(OpDef::guards)
            && edge.port == Some(port)
        {
            protected[target].push(edge);
        }
    }
    for (node, edges) in label.nodes.iter().zip(&protected) {
        let Some(op) = node.def() else { continue };
        let Some(port) = op.guards() else { continue };
        let slot = op.slot_of(SlotKind::Protects);
        let named = slot.and_then(|slot| node.data.get(slot.name)?.as_text());
        match named {
            Some(named) if !edges.iter().any(|edge| edge.from == *named) => {
                let at = Anchor::value(place::of_data(id, node, "at_node_id"));
                let message = format!(
                    "`{}` of label `{id}` names `{named}`, but no `{port}` edge comes from there",
                    node.id
                );
                let found = Diagnostic::new(&codes::WRONG_TARGETING, at, message);
                findings.push(match edges.first() {
                    Some(edge) => found
                        .label(
                            Anchor::value(place::of_edge(id, edge, "from")),
                            "it protects this one",
                        )
                        .help(format!("name `{}`, or change the edge", edge.from)),
                    None => found.help(format!(
                        "add an edge from `{named}` to `{}` with port `{port}`",
                        node.id
                    )),
                });
            }
            None if edges.is_empty() => {
                let at = Anchor::value(place::of_node(id, node, "id"));
                let message =
                    format!("`{}` of label `{id}` is `{}` and protects nothing", node.id, op.name);
                findings.push(Diagnostic::new(&codes::PROTECTS_NOTHING, at, message).help(
                    format!("add an edge with port `{port}` from the node that it should protect"),
                ));
            }
            _ => {}
        }
    }
}

fn exits(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    let mut listed = vec![0u32; label.nodes.len()];
    for (position, exit) in label.exits.iter().enumerate() {
        let place = || place::of_label(id, "exits").child(position);
        let Some(found) = index.find(&exit.node) else { continue };
        let node = &label.nodes[found];
        listed[found] += 1;
        if !node.def().is_some_and(|op| op.returns()) {
            let message = format!(
                "label `{id}` lists `{}` as an exit, but it is `{}`",
                exit.node,
                node.op.name()
            );
            findings.push(
                Diagnostic::new(&codes::WRONG_EXITS, Anchor::value(place()), message).help(
                    "exits are the nodes that return; leave the member out to have them filled in",
                ),
            );
        } else if exit.var != returned(node) {
            let right = returned(node).unwrap_or_else(|| "null".into());
            let message = format!("the exit `{}` of label `{id}` returns `{right}`", exit.node);
            findings.push(
                Diagnostic::new(&codes::WRONG_EXITS, Anchor::value(place().child("var")), message)
                    .label(Anchor::value(place::of_node(id, node, "id")), "as this node says"),
            );
        } else if listed[found] == 2 {
            let message = format!("label `{id}` lists the exit `{}` twice", exit.node);
            findings.push(Diagnostic::new(&codes::WRONG_EXITS, Anchor::value(place()), message));
        }
    }
    for (node, listed) in label.nodes.iter().zip(listed) {
        if listed == 0 && node.def().is_some_and(|op| op.returns()) && !node.id.is_empty() {
            let message =
                format!("label `{id}` returns at `{}`, which its exits do not list", node.id);
            findings.push(
                Diagnostic::new(
                    &codes::WRONG_EXITS,
                    Anchor::value(place::of_label(id, "exits")),
                    message,
                )
                .label(Anchor::value(place::of_node(id, node, "id")), "it returns here"),
            );
        }
    }
}

fn reachable(id: &str, label: &Label, index: &Index<'_>, findings: &mut Vec<Diagnostic>) {
    // Where an edge leads nowhere, that is the finding; what it should reach would only repeat it.
    let leads_nowhere = |edge: &Edge| edge.is_to_node() && index.find(&edge.to).is_none();
    if index.entry().is_none() || label.edges.iter().any(leads_nowhere) {
        return;
    }
    let (order, reached) = index.walk();
    // One finding for each stretch: what follows an unreachable node is a consequence.
    let mut explained = vec![false; label.nodes.len()];
    for node in &order[reached..] {
        if std::mem::replace(&mut explained[*node], true) {
            continue;
        }
        let mut stack = vec![*node];
        let mut follow = 0;
        while let Some(from) = stack.pop() {
            for target in index.edge_indices_from(from).filter_map(|edge| index.target(edge)) {
                if !std::mem::replace(&mut explained[target], true) {
                    follow += 1;
                    stack.push(target);
                }
            }
        }
        findings.push(unreachable(id, label, *node, follow));
    }
}

fn unreachable(id: &str, label: &Label, position: usize, follow: usize) -> Diagnostic {
    let node = &label.nodes[position];
    let more = match follow {
        0 => String::new(),
        1 => " (nor the node after it)".to_string(),
        count => format!(" (nor {count} nodes after it)"),
    };
    let message = format!("node `{}` of label `{id}` cannot be reached{more}", node.id);
    let found = Diagnostic::new(
        &codes::UNREACHABLE,
        Anchor::value(place::of_node(id, node, "id")),
        message,
    );
    let before = position.checked_sub(1).map(|before| &label.nodes[before]);
    match before.and_then(|before| Some((before, before.def()?))) {
        Some((before, op)) if op.port(Port::Next).is_none() => found
            .label(
                Anchor::value(place::of_node(id, before, "id")),
                format!("`{}` does not go on from here", op.name),
            )
            .help("move it to the label that control goes to, or remove it"),
        _ => found.help("lead an edge to it, or remove it"),
    }
}

fn illegal_port(id: &str, node: &Node, op: &'static OpDef, edge: &Edge, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "port"));
    let message =
        format!("`{}` of label `{id}` is `{}`, which has no port `{port}`", node.id, op.name);
    let found = Diagnostic::new(&codes::ILLEGAL_PORT, at, message);
    let words: Vec<_> = op.ports.iter().map(|def| def.port.word()).collect();
    match nearest(port.word(), words.iter().copied()) {
        Some(near) => found.help(format!("did you mean `{near}`?")),
        None if words.is_empty() => found.help("nothing runs after it; remove the edge"),
        None => found.help(format!("it has {}", words.join(", "))),
    }
}

fn wrong_kind(id: &str, edge: &Edge, op: &OpDef, port: Port, wanted: &str) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "to_kind"));
    let message = format!(
        "the port `{port}` of `{}` leads to {wanted}, not to the {} `{}`",
        op.name,
        edge.to_kind.word(),
        edge.to
    );
    Diagnostic::new(&codes::WRONG_TARGET_KIND, at, message)
}

fn repeated_port(id: &str, node: &Node, edge: &Edge, first: &Edge, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_edge(id, edge, "to"));
    let message = format!("`{}` of label `{id}` has more than one `{port}` edge", node.id);
    Diagnostic::new(&codes::REPEATED_PORT, at, message)
        .label(Anchor::value(place::of_edge(id, first, "to")), "the first one")
        .help("control can take only one of them")
}

fn missing_port(id: &str, node: &Node, op: &'static OpDef, port: Port) -> Diagnostic {
    let at = Anchor::value(place::of_node(id, node, "id"));
    let message = format!("`{}` of label `{id}` is `{}` without a `{port}` edge", node.id, op.name);
    let found = Diagnostic::new(&codes::MISSING_PORT, at, message);
    match op.target_slot(port).and_then(|slot| node.data.get(slot.name)?.as_text()) {
        Some(named) => found.help(format!("its data names `{named}`: add an edge to that label")),
        None => found.help(format!("add an edge with port `{port}`")),
    }
}
