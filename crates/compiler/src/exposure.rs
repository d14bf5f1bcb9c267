//! Private data, text from outside and a way out on one path: an agent that reads both can be
//! told by the one to send the other away.

use std::collections::{BTreeSet, VecDeque};

use diagnostics::{Diagnostic, codes};
use graph::ops::SlotKind;
use graph::{Kind, Operand};
use value::{Text, Value};

use crate::calls::{Call, Calls};
use crate::effects::side_effects;
use crate::flow::{Flow, NodeId};
use crate::names::Names;
use crate::paths::{self, at_node, at_slot};

/// What a node brings, or what has been met on a path; bits.
type Marks = u8;
const PRIVATE: Marks = 1;
const UNTRUSTED: Marks = 2;
const BOTH: Marks = PRIVATE | UNTRUSTED;
/// An agent has read both.
const LED: Marks = 4;
const STATES: usize = 8;

/// One finding for each call that sends something out.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let declared = flow.graph.declarations.of(Kind::Tools);
    if declared.is_empty() {
        return;
    }
    findings.extend(armed(flow, calls));
    let tools = |at: NodeId| {
        let is_call = calls.of(at) == Some(Call::Tool);
        let named = if is_call { flow.node(at).tools() } else { Vec::new() };
        named.into_iter().filter_map(|id| Some((id, declared.get(id)?)))
    };
    let outward: Vec<NodeId> = flow
        .order
        .iter()
        .copied()
        .filter(|at| tools(*at).any(|(_, tool)| sends_out(tool)))
        .collect();
    if outward.is_empty() {
        return;
    }
    let links = flow.graph.declarations.of(Kind::Links).values();
    let mut published: BTreeSet<&Text> =
        links.filter_map(|link| link.get("to")?.as_text()).collect();
    published.extend(flow.nodes().filter_map(|(at, _)| match calls.of(at) {
        Some(Call::Publish(channel)) => Some(channel),
        _ => None,
    }));
    let brings: Vec<Marks> = flow
        .nodes()
        .map(|(at, _)| match calls.of(at) {
            Some(Call::Read(store)) if is_kept(flow, store) => PRIVATE,
            Some(Call::Receive(channel)) if !published.contains(channel) => UNTRUSTED,
            Some(Call::Tool) => tools(at).fold(0, |marks, (_, tool)| marks | answers_with(tool)),
            _ => 0,
        })
        .collect();
    let (leads, given) = led(flow, names, calls, &brings);
    // A tool that is given only what no agent wrote can send nothing else out.
    let is_given = |at: &NodeId| calls.takes(*at).is_none() || given[*at as usize] == BOTH;
    let outward: Vec<NodeId> = outward.into_iter().filter(is_given).collect();
    for (at, path) in exposed(flow, &brings, &leads, &outward) {
        let Some((tool, _)) = tools(at).find(|(_, tool)| sends_out(tool)) else { continue };
        findings.push(exposure(flow, tool, at, &path, &brings, &leads));
    }
}

/// Agents that have all three among their own tools: one finding for each.
fn armed(flow: &Flow<'_>, calls: &Calls<'_>) -> Vec<Diagnostic> {
    let declarations = &flow.graph.declarations;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for at in flow.order.iter().copied().filter(|at| calls.of(*at) == Some(Call::Agent)) {
        let Some(agent) = flow.node(at).target().filter(|agent| seen.insert(*agent)) else {
            continue;
        };
        let listed = declarations
            .of(Kind::Agents)
            .get(agent)
            .and_then(|agent| agent.get("tools")?.as_list());
        let tools: Vec<(&Text, &Value)> = listed
            .unwrap_or_default()
            .iter()
            .filter_map(|id| {
                Some((id.as_text()?, declarations.of(Kind::Tools).get(id.as_text()?)?))
            })
            .collect();
        let bringing = |mark: Marks| tools.iter().find(|(_, tool)| answers_with(tool) & mark != 0);
        let (Some((untrusted, _)), Some((private, _)), Some((out, _))) = (
            bringing(UNTRUSTED),
            bringing(PRIVATE),
            tools.iter().find(|(_, tool)| sends_out(tool)),
        ) else {
            continue;
        };
        let message = format!(
            "text from `{untrusted}` can lead the agent `{agent}` to send private data of `{private}` out by `{out}`"
        );
        let at_agent = at_slot(flow, at, SlotKind::FirstValue);
        found.push(
            Diagnostic::new(&codes::EXPOSURE, at_agent, message)
                .help(format!("give `{out}` to an agent that does not read `{untrusted}`, or ask a person first"))
                .path(paths::shown(flow, &[at])),
        );
    }
    found
}

/// Whether a store outlives a run, so that others' data may be in it.
fn is_kept(flow: &Flow<'_>, store: &Text) -> bool {
    let store = flow.graph.declarations.of(Kind::Stores).get(store);
    store
        .and_then(|store| store.get("retention")?.as_text())
        .is_some_and(|kept| &**kept == "persistent")
}

/// What comes with the answers of a tool.
fn answers_with(tool: &Value) -> Marks {
    let kind = tool.get("tool_type").and_then(Value::as_text).map_or("", |kind| kind);
    let outside = if matches!(kind, "browser" | "mcp" | "api") { UNTRUSTED } else { 0 };
    let private = if tool.get("auth_required") == Some(&Value::Bool(true)) { PRIVATE } else { 0 };
    outside | private
}

/// Whether what a tool does can be seen from outside, by its own description.
fn sends_out(tool: &Value) -> bool {
    const WORDS: [&str; 10] =
        ["email", "mail", "http", "send", "publish", "api", "web", "webhook", "upload", "tweet"];
    let is_word = |part: &str| {
        WORDS.iter().any(|word| {
            part.strip_prefix(word).is_some_and(|rest| matches!(rest, "" | "s" | "es" | "ing"))
        })
    };
    let mut effects = side_effects(tool).peekable();
    let kind = tool.get("tool_type").and_then(Value::as_text).map_or("", |kind| kind);
    let by_kind = matches!(kind, "shell" | "browser") && effects.peek().is_some();
    by_kind
        || effects.any(|effect| {
            let effect = effect.to_lowercase();
            effect.split(|letter: char| !letter.is_alphanumeric()).any(is_word)
        })
}

/// Agents that are given both: private data and text from outside, or what was made of them; and
/// what each node is given.
fn led(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    brings: &[Marks],
) -> (Vec<bool>, Vec<Marks>) {
    let mut marks: Vec<Marks> = vec![0; names.len()];
    let all = brings.iter().fold(0, |all, marks| all | marks);
    let given = |at: NodeId, marks: &[Marks]| {
        // An agent without a schema is given everything.
        if calls.of(at) == Some(Call::Agent) && calls.takes(at).is_none() {
            return all;
        }
        names.reads(at).iter().fold(0, |given, name| given | marks[*name as usize])
    };
    loop {
        let mut is_stable = true;
        for at in &flow.order {
            let gives = brings[*at as usize] | given(*at, &marks);
            for name in names.writes(*at) {
                is_stable &= marks[*name as usize] & gives == gives;
                marks[*name as usize] |= gives;
            }
        }
        if is_stable {
            break;
        }
    }
    let given: Vec<Marks> = flow.nodes().map(|(at, _)| given(at, &marks)).collect();
    let is_led =
        |(at, _): (NodeId, _)| calls.of(at) == Some(Call::Agent) && given[at as usize] == BOTH;
    (flow.nodes().map(is_led).collect(), given)
}

/// Shortest paths that meet all three before they come to a call that sends something out.
fn exposed(
    flow: &Flow<'_>,
    brings: &[Marks],
    leads: &[bool],
    outward: &[NodeId],
) -> Vec<(NodeId, Vec<NodeId>)> {
    const NOBODY: u32 = u32::MAX;
    if !leads.contains(&true) {
        return Vec::new();
    }
    let place = |at: NodeId, marks: Marks| at as usize * STATES + marks as usize;
    let mut before = vec![NOBODY; flow.len() * STATES];
    let mut queue: VecDeque<(NodeId, Marks)> = VecDeque::new();
    for root in &flow.roots {
        before[place(*root, 0)] = place(*root, 0) as u32;
        queue.push_back((*root, 0));
    }
    while let Some((at, marks)) = queue.pop_front() {
        let here = place(at, marks) as u32;
        let is_led = leads[at as usize] && marks & BOTH == BOTH;
        let marks = marks | brings[at as usize] | if is_led { LED } else { 0 };
        // A person who is asked sees what the agent wants.
        let marks = if flow.asks(at) { marks & !LED } else { marks };
        for arc in flow.out(at) {
            let there = &mut before[place(arc.to, marks)];
            if *there == NOBODY {
                *there = here;
                queue.push_back((arc.to, marks));
            }
        }
    }
    let all = BOTH | LED;
    let found = outward.iter().filter(|at| before[place(**at, all)] != NOBODY);
    found
        .map(|at| {
            let mut path = vec![*at];
            let mut step = place(*at, all);
            while before[step] as usize != step {
                step = before[step] as usize;
                path.push((step / STATES) as NodeId);
            }
            path.reverse();
            (*at, path)
        })
        .collect()
}

/// What a node calls, in one word; where that is chosen as it runs, the label it is in.
fn target<'g>(flow: &Flow<'g>, at: NodeId) -> &'g str {
    let node = flow.node(at);
    let slot = node.def().and_then(|op| op.slot_of(SlotKind::FirstValue));
    match slot.and_then(|slot| node.operands.one(slot.name)) {
        Some(Operand::Lit(Value::Text(id))) => id,
        _ => flow.label_id(at),
    }
}

fn exposure(
    flow: &Flow<'_>,
    tool: &Text,
    at: NodeId,
    path: &[NodeId],
    brings: &[Marks],
    leads: &[bool],
) -> Diagnostic {
    let earlier = &path[..path.len() - 1];
    let first = |mark: Marks| earlier.iter().find(|at| brings[**at as usize] & mark != 0);
    // The agent that comes after both is the one that is led.
    let agent = earlier.iter().rev().find(|at| leads[**at as usize]);
    let name = |at: Option<&NodeId>| at.map_or("", |at| target(flow, *at));
    let (private, untrusted) = (first(PRIVATE), first(UNTRUSTED));
    let message = format!(
        "text from `{}` can lead the agent `{}` to send private data of `{}` out by `{tool}`",
        name(untrusted),
        name(agent),
        name(private)
    );
    let mut found =
        Diagnostic::new(&codes::EXPOSURE, at_slot(flow, at, SlotKind::FirstValue), message);
    for (place, what) in [
        (untrusted, "text from outside"),
        (private, "private data"),
        (agent, "the agent that reads both"),
    ] {
        if let Some(place) = place {
            found = found.label(at_node(flow, *place), what);
        }
    }
    found
        .help(format!("ask a person before `{tool}`, or keep one of the three away from this path"))
        .path(paths::shown(flow, path))
}
