//! What was written is read again: whatever then says something else was lost on the way.

use std::collections::BTreeSet;

use diagnostics::Source;
use graph::Graph;
use graph::hash::Hashes;
use value::{Map, Text, Value};

use crate::{Given, Lost};

/// Members of a document that are about its text or its file, and not about the program.
const ABOUT_TEXT: [&str; 5] = ["name", "source", "meta", "stats", "required_emit_targets"];

/// What a text does not say, or says otherwise, of the graph that it was written from. Labels that
/// were cut into several are not compared.
pub(super) fn lost(graph: &Graph, text: &str, is_cut: &BTreeSet<Text>) -> Vec<Lost> {
    let mut reading = super::super::read(&Source::new("written", text), &Given::default());
    let Some(draft) = reading.draft.take() else { return Vec::new() };
    let again = graph::normalize(draft, &mut reading.findings);
    let (hashes, hashes_again) = (Hashes::of(graph), Hashes::of(&again));
    let mut lost = Vec::new();
    let mut say = |at: String, what: &str| lost.push(Lost { at, what: what.to_string() });
    for (id, label) in hashes.labels.iter().filter(|(id, _)| !is_cut.contains(*id)) {
        match hashes_again.labels.get(id) {
            Some(other) if other.label == label.label => {}
            Some(_) => say(id.to_string(), "it is written in another way"),
            None => say(id.to_string(), "it has another name now"),
        }
    }
    if begins_at(graph) != begins_at(&again) {
        let at = graph.entry().map_or("", |id| id);
        say("runtime_policy/entry".into(), &format!("begin there with `--label {at}`"));
    }
    let of_both = [
        ("capabilities", &graph.capabilities, &again.capabilities),
        ("", &told(graph), &told(&again)),
    ];
    for (group, own, other) in of_both {
        for (name, value) in own.iter().filter(|(_, value)| !is_empty(value)) {
            if other.get(name) != Some(value) {
                let at =
                    if group.is_empty() { name.to_string() } else { format!("{group}/{name}") };
                say(at, "not all of it is written");
            }
        }
    }
    lost
}

/// Everything beside labels and declarations, by name; services one by one.
fn told(graph: &Graph) -> Map {
    let mut told = Map::default();
    for (name, value) in graph.extra.iter().filter(|(name, _)| !ABOUT_TEXT.contains(&&***name)) {
        match value.as_map().filter(|_| &**name == "services") {
            Some(services) => {
                // Endpoints are told for themselves, and an empty core is none.
                for (service, declared) in services.iter().filter(|(name, _)| &***name != "core") {
                    told.insert(format!("services/{service}").into(), declared.clone());
                }
                let core = services.get("core");
                for member in ["mode", "path"] {
                    let value = core.and_then(|core| core.get(member)).cloned();
                    let value = value.filter(|value| *value != Value::text(""));
                    told.insert(format!("services/core/{member}").into(), value.into());
                }
            }
            None => _ = told.insert(name.clone(), value.clone()),
        }
    }
    let endpoints = graph.endpoints.iter().map(|endpoint| {
        let name = format!("endpoint {} {}", endpoint.method, endpoint.path);
        (Text::from(name), Value::Map(endpoint.members.clone()))
    });
    told.extend(endpoints);
    told.insert("crons".into(), Value::list(graph.crons.iter().cloned()));
    told
}

fn begins_at(graph: &Graph) -> Option<&Text> {
    let requested = graph.endpoints.iter().find_map(|endpoint| endpoint.label.as_ref());
    graph.entry().or(requested).or_else(|| graph.labels.keys().next())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Map(map) => map.is_empty(),
        Value::List(items) => items.is_empty(),
        _ => false,
    }
}
