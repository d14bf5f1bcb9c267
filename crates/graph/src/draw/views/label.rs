//! What one label tells: its nodes as deeds, and the conditions on the way out of it as clauses.

use std::collections::BTreeMap;

use value::{Text, Value};

use crate::contracts::Verb;
use crate::declarations;
use crate::effects::Touches;
use crate::index::Index;
use crate::model::{Edge, Extra, Label, Node};
use crate::operand::{Filled, Operand};
use crate::ops::{OpDef, Port, Runs, SlotKind};

use super::super::text::{Words, clean, slot_text};
use super::story::{Call, Deed, How, To, Way};

/// What a label tells.
#[derive(Default)]
pub(super) struct Told<'a> {
    /// What is done, in order.
    pub deeds: Vec<Deed<'a>>,
    /// Where control can go, in the order in which that is decided.
    pub ways: Vec<Way<'a>>,
    /// What it waits for before it begins.
    pub join: Option<String>,
}

/// How a node was come to.
#[derive(Clone)]
struct Came {
    how: How,
    clause: String,
    label: String,
    source: String,
    fails: bool,
}

impl Came {
    fn plainly() -> Came {
        let (clause, label, source) = (String::new(), String::new(), String::new());
        Came { how: How::Next, clause, label, source, fails: false }
    }

    fn way(self, to: To<'_>) -> Way<'_> {
        let Came { how, clause, label, source, .. } = self;
        Way { to, how, clause, label, source, is_back: false }
    }
}

/// Follows control through a label, each node once, in the order in which it decides.
pub(super) fn tell<'a>(places: &BTreeMap<&str, usize>, label: &'a Label) -> Told<'a> {
    let index = Index::new(label);
    let mut told = Told::default();
    let mut seen = vec![false; label.nodes.len()];
    let mut stack: Vec<(usize, Came)> =
        index.entry().map(|entry| (entry, Came::plainly())).into_iter().collect();
    while let Some((at, mut came)) = stack.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let node = &label.nodes[at];
        let Some(op) = node.def() else {
            told.deeds.push(Deed::Other(Words::of(node).line()));
            continue;
        };
        let mut edges: Vec<usize> = index.edge_indices_from(at).collect();
        edges.retain(|edge| !label.edges[*edge].analysis_only);
        edges.sort_by_key(|edge| {
            label.edges[*edge].port.map_or(usize::MAX, |port| op.port_rank(port))
        });
        let retry = edges.iter().copied().find(|edge| label.edges[*edge].port == Some(Port::Retry));
        let retry = retry.and_then(|edge| index.target(edge)).map(|guard| &label.nodes[guard]);
        act(&mut told, &mut came, node, op, retry);
        if op.runs == Runs::Return {
            let to = if came.fails { To::Failure } else { To::End };
            told.ways.push(came.way(to));
            continue;
        }
        let place = |id: &'a Text| places.get(&**id).map_or(To::Missing(id), |at| To::Process(*at));
        if let Some(callee) = callee(node, op) {
            let called = Came { how: How::Call, clause: "call".to_string(), ..Came::plainly() };
            told.ways.push(called.way(place(callee)));
        }
        // A label that just stops ends the run too.
        let is_guard = matches!(op.runs, Runs::Guard(_));
        let goes_on = |edge: &usize| label.edges[*edge].port.is_none_or(|port| !port.is_failure());
        if !is_guard && !edges.iter().any(goes_on) {
            told.ways.push(came.clone().way(if came.fails { To::Failure } else { To::End }));
        }
        let mut followed = Vec::new();
        for edge_at in edges {
            let edge = &label.edges[edge_at];
            let Some(goes) = go(node, op, edge, &came) else { continue };
            match index.target(edge_at) {
                Some(target) => followed.push((target, goes)),
                None if edge.is_to_label() => told.ways.push(goes.way(place(&edge.to))),
                None => {}
            }
        }
        stack.extend(followed.into_iter().rev());
    }
    told
}

/// Notes what a node does.
fn act<'a>(
    told: &mut Told<'a>,
    came: &mut Came,
    node: &'a Node,
    op: &'static OpDef,
    retry: Option<&Node>,
) {
    let deed = match op.runs {
        Runs::Control if op.joins => {
            if told.deeds.is_empty() && told.ways.is_empty() {
                told.join = Some(Words::of(node).line());
            }
            return;
        }
        Runs::Control | Runs::Return | Runs::Call | Runs::Guard(_) => return,
        Runs::Person => Deed::Other(asked(node)),
        Runs::Pure | Runs::Adapter | Runs::Store(..) => match deed(node, op, retry) {
            Some(deed) => deed,
            None => {
                came.fails |= node.verb() == Some(Verb::Fail);
                return;
            }
        },
    };
    // What follows after something was done is no longer decided here.
    if came.how == How::Otherwise {
        *came = Came { label: std::mem::take(&mut came.label), ..Came::plainly() };
    }
    told.deeds.push(deed);
}

fn asked(node: &Node) -> String {
    let Words { what, out } = Words::of(node);
    let options = node.operands.one("options");
    let options = match options {
        Some(Operand::Lit(Value::List(options))) => {
            let words = options.iter().filter_map(Value::as_text).map(|word| clean(word));
            words.collect::<Vec<_>>().join(" / ")
        }
        _ => String::new(),
    };
    let out = out.map(|out| format!(" -> {out}")).unwrap_or_default();
    if options.is_empty() { what + &out } else { format!("{what} ({options}){out}") }
}

/// What a node that computes or calls does; nothing where it does nothing worth telling.
fn deed<'a>(node: &'a Node, op: &'static OpDef, retry: Option<&Node>) -> Option<Deed<'a>> {
    // Names with a line in front keep count of something that is shown where it is asked.
    if op.runs == Runs::Pure && node.writes.iter().all(|name| name.starts_with('_')) {
        return None;
    }
    let other = || Some(Deed::Other(Words::of(node).line()));
    let Some(verb) = node.verb() else { return other() };
    let of = match verb {
        Verb::InvokeAgent => declarations::Kind::Agents,
        Verb::CallTool => declarations::Kind::Tools,
        Verb::ReadStore | Verb::WriteStore => declarations::Kind::Stores,
        Verb::Receive | Verb::Publish => declarations::Kind::Channels,
        Verb::Logic => return Some(Deed::Logic(&node.writes)),
        Verb::Noop | Verb::Fail => return None,
    };
    let targets = targets(node, op);
    if targets.is_empty() {
        return other();
    }
    let held = |kind: SlotKind| {
        let slot = op.slot_of(kind)?;
        node.operands.text(slot.name).map(|schema| &**schema)
    };
    Some(Deed::Call(Call {
        of,
        targets,
        reads: node.contract().is_some_and(|contract| contract.touches == Touches::Read),
        takes: held(SlotKind::Takes),
        gives: held(SlotKind::Gives),
        retry: retry.map(|guard| Words::of(guard).line()),
    }))
}

/// The entity that is named, or those that are chosen from.
fn targets<'a>(node: &'a Node, op: &'static OpDef) -> Vec<&'a str> {
    let slot = op.slot_of(SlotKind::FirstValue);
    if let Some(Operand::Lit(Value::Text(id))) = slot.and_then(|slot| node.operands.one(slot.name))
    {
        return vec![id];
    }
    let slot = op.slot_of(SlotKind::Values);
    let Some(Filled::Many(choices)) = slot.and_then(|slot| node.operands.get(slot.name)) else {
        return Vec::new();
    };
    let text = |operand: &'a Operand| match operand {
        Operand::Lit(Value::Text(id)) => Some(&**id),
        _ => None,
    };
    choices.iter().filter_map(text).collect()
}

fn callee<'a>(node: &'a Node, op: &'static OpDef) -> Option<&'a Text> {
    match node.operands.one(op.slot_of(SlotKind::Callee)?.name)? {
        Operand::Label(callee) => Some(callee),
        _ => None,
    }
}

/// How control goes along an edge; none where it does not.
fn go(node: &Node, op: &'static OpDef, edge: &Edge, came: &Came) -> Option<Came> {
    let text = |extra: &Extra, name: &str| {
        extra.get(name).and_then(Value::as_text).map(|text| clean(text)).unwrap_or_default()
    };
    let gate = node.clause();
    let of_gate = |name: &str| {
        let text = gate.and_then(|gate| gate.get(name)).and_then(Value::as_text);
        text.map(|text| clean(text)).unwrap_or_default()
    };
    let label = text(&edge.extra, "label");
    let source = of_gate("source");
    let fresh =
        |how: How, clause: String| Came { how, clause, label: label.clone(), ..Came::plainly() };
    Some(match edge.port? {
        Port::Then => {
            let clause = op.slot_of(SlotKind::Condition).and_then(|slot| slot_text(node, slot));
            let clause = counted(&clean(&clause.unwrap_or_else(|| "?".to_string())));
            let label = if label.is_empty() { of_gate("text") } else { label.clone() };
            Came { label, source, ..fresh(How::When, clause) }
        }
        Port::Else => {
            let otherwise = gate.and_then(|gate| gate.get("else")?.get("source")?.as_text());
            let source = otherwise.map(|text| clean(text)).unwrap_or_default();
            Came { source, ..fresh(How::Otherwise, "else".to_string()) }
        }
        Port::Branch => fresh(How::Branch, String::new()),
        Port::Retry => return None,
        Port::Err | Port::Handler => fresh(How::Error, "on error".to_string()),
        Port::Next if matches!(op.runs, Runs::Guard(_)) => return None,
        Port::Next if op.port(Port::Branch).is_some() => fresh(How::Joined, String::new()),
        Port::Next => {
            let label = if label.is_empty() { came.label.clone() } else { label.clone() };
            Came { label, ..came.clone() }
        }
        Port::Body => fresh(How::Call, Words::of(node).line()),
        Port::After => came.clone(),
        port @ (Port::Goto | Port::Expired) => fresh(How::When, port.word().to_string()),
    })
}

/// A clause with the counter of a loop in words: `a < 3 and _loops_x_y < 5` says that it is
/// gone at most five times.
fn counted(clause: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in clause.split(" and ") {
        let bound = part.strip_prefix("_loops_").and_then(|part| part.split_once(" < "));
        match bound.filter(|(_, count)| count.parse::<u32>().is_ok()) {
            Some((_, count)) => parts.push(format!("at most {count} times")),
            None => parts.push(part.to_string()),
        }
    }
    parts.join(" and ")
}
