//! Requests: which there may be, and whether each asks who is calling before it does anything.

use diagnostics::{Anchor, Diagnostic, codes};
use graph::ops::Does;
use graph::policy::{About, List, Rule, Rulebook, Subject, is_about, request};
use graph::{Endpoint, Node};
use value::{Pointer, Value};

use super::passed::Unpassed;
use crate::flow::{Flow, NodeId};
use crate::paths::shown;

pub(super) fn check(flow: &Flow<'_>, book: &Rulebook, findings: &mut Vec<Diagnostic>) {
    for rule in book.rules.iter().filter(|rule| rule.list == List::Deny) {
        let About::Endpoints { paths, without_auth } = &rule.about else { continue };
        for endpoint in flow.graph.endpoints.iter().filter(|one| is_about(paths, one)) {
            findings.extend(match without_auth {
                true => unauthenticated(flow, book, rule, endpoint),
                false => Some(forbidden(book, rule, endpoint)),
            });
        }
    }
}

fn forbidden(book: &Rulebook, rule: &Rule, endpoint: &Endpoint) -> Diagnostic {
    let message =
        format!("the endpoint `{}`: forbidden by {}", request(endpoint), book.named(rule));
    Diagnostic::new(&codes::FORBIDDEN, at(endpoint), message)
        .help("take it out, or have the rule changed")
}

/// A request that is served to anybody: the way to the first thing that it does or gives back.
fn unauthenticated(
    flow: &Flow<'_>,
    book: &Rulebook,
    rule: &Rule,
    endpoint: &Endpoint,
) -> Option<Diagnostic> {
    let declares = flow.graph.capabilities.get("auth").and_then(Value::as_map);
    if declares.is_some_and(|auth| !auth.is_empty()) {
        return None;
    }
    let label = flow.find_label(endpoint.label.as_ref()?)?;
    let entry = flow.labels[label].entry?;
    let passes = |at: NodeId| asks_who_calls(flow, flow.node(at));
    let unpassed = Unpassed::new(flow, &[entry], &passes);
    let does = |at: &NodeId| {
        let subjects = || Subject::of(flow.graph, flow.label_id(*at), flow.node(*at));
        let is_end = flow.is_end[*at as usize];
        !passes(*at) && (is_end || subjects().iter().any(Subject::leaves))
    };
    let first = unpassed.order().iter().copied().find(does)?;
    let path = unpassed.path(first)?;
    let message = format!(
        "the endpoint `{}` comes to `{}/{}` whoever is calling: forbidden by {}",
        request(endpoint),
        flow.label_id(first),
        flow.node(first).id,
        book.named(rule)
    );
    let found = Diagnostic::new(&codes::ENDPOINT_WITHOUT_AUTH, at(endpoint), message);
    let help = "declare `auth`, or begin the label with an `Enf` of a policy that needs it";
    Some(found.help(help).path(shown(flow, &path)))
}

fn at(endpoint: &Endpoint) -> Anchor {
    let at = ["services", "core", "eps", &endpoint.path, &endpoint.method];
    Anchor::key(at.iter().fold(Pointer::root(), |at, step| at.child(step)))
}

/// Whether a node fails for whoever is unknown.
fn asks_who_calls(flow: &Flow<'_>, node: &Node) -> bool {
    let Some(op) = node.def().filter(|op| op.does == Does::Enforce) else { return false };
    let policy = op.slot("policy").and_then(|slot| node.operands.text(slot.name));
    let Some(policy) = policy else { return false };
    if &**policy == "auth" || policy.starts_with("role:") {
        return true;
    }
    let declared = flow.graph.capabilities.get("policy").and_then(|all| all.get(policy));
    let wants = |name: &str| {
        let wanted = declared.and_then(|policy| policy.get("constraints")?.get(name));
        wanted.is_some_and(|wanted| {
            let no =
                wanted.as_text().is_some_and(|word| matches!(&**word, "" | "0" | "false" | "no"));
            !no && graph::truthy(wanted)
        })
    };
    ["auth", "require_auth", "role"].into_iter().any(wants)
}
