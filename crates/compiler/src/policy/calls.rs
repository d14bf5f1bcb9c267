//! What nodes do: forbidden, on no allow-list, or in need of somebody who agrees.

use std::cell::OnceCell;

use diagnostics::{Diagnostic, codes};
use graph::Operand;
use graph::ops::{Runs, SlotKind};
use graph::policy::{List, Rule, Rulebook, Scope, Subject};
use value::{Text, Value};

use super::passed::Unpassed;
use super::starts;
use crate::flow::{Flow, NodeId};
use crate::paths::{at_node, at_slot, shown};

/// So many findings of one rule are shown; who has more wants to look at the rule.
const FINDINGS_MAX: usize = 100;

/// What a rule is about, at a node.
struct Hit {
    at: NodeId,
    /// What the node does, in words.
    does: String,
    is_decided: bool,
}

pub(super) fn check(flow: &Flow<'_>, book: &Rulebook, findings: &mut Vec<Diagnostic>) {
    let denied: Vec<(&Rule, &Scope)> = book.nodes(List::Deny).collect();
    let asked: Vec<(&Rule, &Scope)> = book.nodes(List::Ask).collect();
    let allowed: Vec<&Scope> = book.nodes(List::Allow).map(|(_, scope)| scope).collect();
    if denied.is_empty() && asked.is_empty() && allowed.is_empty() {
        return;
    }
    let hits = |count: usize| (0..count).map(|_| Vec::new()).collect::<Vec<Vec<Hit>>>();
    let (mut forbidden, mut to_ask, mut unlisted) =
        (hits(denied.len()), hits(asked.len()), Vec::new());
    for (at, node) in flow.nodes() {
        for subject in Subject::of(flow.graph, flow.label_id(at), node) {
            let hit = || hit(flow, at, &subject);
            let mut is_denied = false;
            for ((_, scope), hits) in denied.iter().zip(&mut forbidden) {
                if scope.matches(&subject) {
                    hits.push(hit());
                    is_denied |= scope.from.is_none();
                }
            }
            for ((_, scope), hits) in asked.iter().zip(&mut to_ask) {
                if scope.matches(&subject) {
                    hits.push(hit());
                }
            }
            let is_listed = || allowed.iter().any(|scope| scope.matches(&subject));
            // What is forbidden outright needs no second reason.
            if book.lists_all() && subject.leaves() && !is_denied && !is_listed() {
                unlisted.push(hit());
            }
        }
    }
    let anywhere = OnceCell::new();
    let anywhere = || anywhere.get_or_init(|| Unpassed::new(flow, &roots(flow), &|_| false));
    for ((rule, scope), mut hits) in denied.into_iter().zip(forbidden) {
        let own = own_ways(flow, scope, &hits, &|_| false);
        keep_reached(own.as_ref(), &mut hits);
        few(hits, findings, |hit| {
            let path = path(own.as_ref(), anywhere, hit.at);
            forbid(flow, book, rule, scope, &hit, &path)
        });
    }
    few(unlisted, findings, |hit| not_listed(flow, book, &hit, &path(None, anywhere, hit.at)));
    for ((rule, scope), mut hits) in asked.into_iter().zip(to_ask) {
        let asks = |at: NodeId| flow.asks(at) && asks_for(flow, at, rule.capability.as_ref());
        let own = own_ways(flow, scope, &hits, &asks);
        keep_reached(own.as_ref(), &mut hits);
        let unasked = OnceCell::new();
        let unasked = || unasked.get_or_init(|| Unpassed::new(flow, &roots(flow), &asks));
        hits.retain(|hit| {
            own.is_some() || unasked().reaches(hit.at) || !anywhere().reaches(hit.at)
        });
        few(hits, findings, |hit| {
            let path = path(own.as_ref(), unasked, hit.at);
            unapproved(flow, book, rule, &hit, &path)
        });
    }
}

/// Everywhere a run can begin, and where control comes by ways that no edge shows.
fn roots(flow: &Flow<'_>) -> Vec<NodeId> {
    flow.roots.iter().chain(&flow.side_roots).copied().collect()
}

/// What can be reached from where a rule says, if it says so.
fn own_ways(
    flow: &Flow<'_>,
    scope: &Scope,
    hits: &[Hit],
    passes: &dyn Fn(NodeId) -> bool,
) -> Option<Unpassed> {
    let from = scope.from.as_ref().filter(|_| !hits.is_empty())?;
    Some(Unpassed::new(flow, &starts(flow, from), passes))
}

fn keep_reached(own: Option<&Unpassed>, hits: &mut Vec<Hit>) {
    hits.retain(|hit| own.is_none_or(|own| own.reaches(hit.at)));
}

/// The shortest way to a node. Where nothing leads to it, somebody may still begin there.
fn path<'f>(
    own: Option<&Unpassed>,
    anywhere: impl Fn() -> &'f Unpassed,
    at: NodeId,
) -> Vec<NodeId> {
    let path = match own {
        Some(own) => own.path(at),
        None => anywhere().path(at),
    };
    path.unwrap_or_else(|| vec![at])
}

/// The first of them, and how many there are besides.
fn few<T>(all: Vec<T>, findings: &mut Vec<Diagnostic>, found: impl Fn(T) -> Diagnostic) {
    let more = all.len().saturating_sub(FINDINGS_MAX);
    let shown = all.into_iter().take(FINDINGS_MAX).map(found);
    findings.extend(shown);
    if let Some(last) = findings.last_mut().filter(|_| more > 0) {
        let help = last.help.take().unwrap_or_default();
        last.help = Some(format!("{help}; and {more} more like it").into());
    }
}

fn hit(flow: &Flow<'_>, at: NodeId, subject: &Subject<'_>) -> Hit {
    let node = flow.node(at);
    let place = format!("`{}/{}`", flow.label_id(at), node.id);
    let is_wish = node.verb() == Some(graph::Verb::InvokeAgent) && subject.is_decided;
    let does = match (subject.name(), node.target()) {
        (Some(name), Some(agent)) if is_wish => {
            format!("the agent `{agent}` of {place} may call `{name}`")
        }
        (Some(name), _) => format!("{place} calls `{name}`"),
        (None, _) => format!("{place} is `{}`", node.op.name()),
    };
    Hit { at, does, is_decided: subject.is_decided }
}

fn forbid(
    flow: &Flow<'_>,
    book: &Rulebook,
    rule: &Rule,
    scope: &Scope,
    hit: &Hit,
    path: &[NodeId],
) -> Diagnostic {
    let origins = scope.from.as_ref().map(|from| from.origins(flow.graph)).unwrap_or_default();
    let first = path.first().map(|first| flow.label_id(*first));
    let origin = origins.iter().find(|origin| Some(&origin.label) == first);
    let led = origin.map(|origin| format!(", and {origin} leads there")).unwrap_or_default();
    let message = format!("{}{led}: forbidden by {}", hit.does, book.named(rule));
    Diagnostic::new(&codes::FORBIDDEN, place(flow, hit.at), message)
        .help("take it out, or have the rule changed")
        .path(shown(flow, path))
}

fn not_listed(flow: &Flow<'_>, book: &Rulebook, hit: &Hit, path: &[NodeId]) -> Diagnostic {
    let message = format!("{}, which no `allow` rule of {} allows", hit.does, book.file);
    Diagnostic::new(&codes::NOT_ON_ALLOW_LIST, place(flow, hit.at), message)
        .help("take it out, or have it added to `allow`")
        .path(shown(flow, path))
}

fn unapproved(
    flow: &Flow<'_>,
    book: &Rulebook,
    rule: &Rule,
    hit: &Hit,
    path: &[NodeId],
) -> Diagnostic {
    let of = rule.capability.as_ref().map(|capability| format!(" of `{capability}`"));
    let message = format!(
        "{}, and no `Ask`{} comes before, as wanted by {}",
        hit.does,
        of.unwrap_or_default(),
        book.named(rule)
    );
    let (code, help) = match hit.is_decided {
        true => (
            &codes::APPROVAL_AT_RUN_TIME,
            "a run under this policy asks by itself; for all others put an `Ask` on every way to it",
        ),
        false => (
            &codes::NOBODY_ASKS,
            "put an `Ask` on every way to it: no run asks its policy about this by itself",
        ),
    };
    Diagnostic::new(code, place(flow, hit.at), message).help(help).path(shown(flow, path))
}

/// Where it says what a node calls, else the node.
fn place(flow: &Flow<'_>, at: NodeId) -> diagnostics::Anchor {
    let names = flow.node(at).def().is_some_and(|op| op.runs == Runs::Adapter);
    match names {
        true => at_slot(flow, at, SlotKind::Adapter),
        false => at_node(flow, at),
    }
}

/// Whether a question is put to somebody who may do this.
fn asks_for(flow: &Flow<'_>, at: NodeId, capability: Option<&Text>) -> bool {
    let Some(wanted) = capability else { return true };
    let node = flow.node(at);
    let slot = node.def().and_then(|op| op.slot("capability"));
    match slot.and_then(|slot| node.operands.one(slot.name)) {
        Some(Operand::Lit(Value::Text(own))) => own == wanted,
        _ => slot.and_then(|slot| node.operands.text(slot.name)) == Some(wanted),
    }
}
