//! Part of phase 2: what is called is known; and contracts that are declared say something.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{Pointer, Value};

use crate::contracts::{self, CORE, find, namespaces, verbs_of};
use crate::declarations::Kind;
use crate::model::{Graph, Node};
use crate::ops::{OpDef, Runs, SlotKind};
use crate::place;

const DECLARE: &str = "declare it in a contract file (docs/contracts.md)";

/// A verb that no contract names.
pub(super) fn verbs(id: &str, node: &Node, op: &'static OpDef, findings: &mut Vec<Diagnostic>) {
    if op.runs != Runs::Adapter || node.declared.is_some() {
        return;
    }
    let Some((namespace, verb)) = node.adapter() else { return };
    // Of `core`, it is the function that there is not.
    if namespace == CORE || find(namespace, verb).is_some() {
        return;
    }
    let (is_split, slot) = (node.is_split(), op.slot_of(SlotKind::Adapter));
    let Some(slot) = slot else { return };
    let at = Anchor::value(match node.data.get(slot.name) {
        Some(_) => place::of_data(id, node, slot.name),
        None => place::of_node(id, node, "operands").child(slot.name),
    });
    let name = if verb.is_empty() { namespace.to_owned() } else { format!("{namespace}.{verb}") };
    let message = format!(
        "no contract names `{name}`: it counts as a write that must not be repeated unasked"
    );
    let found = Diagnostic::new(&codes::UNKNOWN_VERB, at.clone(), message);
    let written = node.data.get(slot.name).and_then(Value::as_text).filter(|_| !is_split);
    findings.push(match (meant(namespace, verb), written) {
        (Some(near), Some(_)) => found
            .help(format!("did you mean `{near}`? else {DECLARE}"))
            .fix(format!("write `{near}`"), at, format!("\"{near}\""))
            .unsure(),
        (Some(near), None) => found.help(format!("did you mean `{near}`? else {DECLARE}")),
        (None, _) if verbs_of(namespace).next().is_some() => {
            let verbs: Vec<&str> = verbs_of(namespace).take(12).collect();
            found.help(format!("`{namespace}` has {}; else {DECLARE}", verbs.join(", ")))
        }
        (None, _) => found.help(DECLARE),
    });
}

/// The verb that was probably meant: of this namespace, else of one with a name like it.
fn meant(namespace: &str, verb: &str) -> Option<String> {
    if let Some(near) = nearest(verb, verbs_of(namespace)) {
        return Some(format!("{namespace}.{near}"));
    }
    let near = nearest(namespace, namespaces().filter(|space| find(space, verb).is_some()))?;
    Some(format!("{near}.{}", verb.to_ascii_uppercase()))
}

/// Contracts that say nothing, or speak of a verb that has one.
pub(super) fn declared(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let place = Pointer::root().child("declarations").child(Kind::Contracts.word());
    for (name, contract) in graph.declarations.of(Kind::Contracts) {
        findings.extend(contract_of(name, contract, &place.child(&**name)));
    }
}

/// What is wrong with the contract that somebody declares of a verb.
pub fn contract_of(name: &str, contract: &Value, place: &Pointer) -> Vec<Diagnostic> {
    let read = contracts::read(name, contract);
    if let Some(own) = name.split_once('.').and_then(|(space, verb)| find(space, verb)) {
        // Tables of others repeat what is known, and may.
        if read.is_ok_and(|read| own.agrees(&read, contract)) {
            return Vec::new();
        }
        let message = format!("`{name}` has a contract already, which cannot be changed");
        let at = Anchor::key(place.clone());
        let found = Diagnostic::new(&codes::CONTRACT_OF_BUILT_IN, at, message);
        return vec![found.help("leave it away; to change what answers it, bind it")];
    }
    let Err(bad) = read else { return Vec::new() };
    let findings = bad.into_iter().map(|bad| {
        let at = match &bad.member {
            Some(member) if contract.get(member).is_some() => Anchor::value(place.child(&**member)),
            _ => Anchor::key(place.clone()),
        };
        Diagnostic::new(&codes::BAD_CONTRACT, at, bad.message).help(bad.help)
    });
    findings.collect()
}
