//! From a graph to a spec, with a report of what a spec cannot say.
//!
//! A graph that came from a spec keeps what its author declared: processes are written from the
//! declarations, and edges from the labels and links. Other labels are cut into processes where
//! their meaning carries over. What was written is read again, so that nothing that it does not
//! say goes unreported.

mod acts;
mod calls;
mod layout;
mod made;
mod python;
mod said;
mod sheet;
mod told;

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, Severity, Source, codes};
use graph::hash::Hashes;
use graph::{ASSUMED, Graph, Kind};
use value::{Map, Ordered, Text, Value};

use super::fields::{self, Holds};
use super::{Ontology, declare};
use crate::Lost;
use made::Made;
use sheet::{Sheet, beginning};
use told::Told;

/// How that is written which a graph does not keep.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// Whether a way back to an earlier process is a loop edge, and not a flow edge.
    loops_back: bool,
    /// Whether gates have a branch edge for each condition, and not only where the author wrote one.
    all_branches: bool,
    /// Whether every name that a gate asks for has an initial value, and not only those that
    /// nothing writes.
    all_names: bool,
}

/// The manners to try, the usual one first.
const MANNERS: [Manner; 5] = [
    Manner { loops_back: true, all_branches: false, all_names: false },
    Manner { loops_back: true, all_branches: false, all_names: true },
    Manner { loops_back: false, all_branches: false, all_names: false },
    Manner { loops_back: true, all_branches: true, all_names: false },
    Manner { loops_back: false, all_branches: true, all_names: false },
];

/// The spec that says what a graph says, and what of it could not be said.
pub fn write(graph: &Graph) -> (String, Vec<Lost>) {
    let known = Hashes::of(graph);
    let mut best: Option<(String, Vec<Lost>)> = None;
    for manner in MANNERS {
        let (text, mut lost) = written(graph, manner);
        let differing = differing(graph, &known, &text);
        let is_as_meant = differing.is_empty();
        lost.extend(differing);
        if best.as_ref().is_none_or(|(_, least)| lost.len() < least.len()) {
            best = Some((text, lost));
        }
        if is_as_meant {
            break;
        }
    }
    best.unwrap_or_default()
}

fn written(graph: &Graph, manner: Manner) -> (String, Vec<Lost>) {
    let (mut sheet, mut lost) = (Sheet::default(), Vec::new());
    head(graph, &mut sheet);
    entities(graph, &mut sheet, &mut lost);
    let mut told = Told::new(graph, manner);
    for (id, label) in &graph.labels {
        if let Some(declared) = graph.declarations.of(Kind::Processes).get(id) {
            told.process(id, label, declared, &mut sheet);
        }
    }
    let mut made = Made::new(graph);
    if !is_told(graph) {
        made.labels(&mut sheet);
        lost.append(&mut made.lost);
    }
    told.links(&mut sheet);
    for link in told.unused() {
        let text = |name| link.get(name).and_then(Value::as_text).map_or("", |text| &**text);
        let at = format!("{}->{}", text("from"), text("to"));
        let what = format!("no label has this {} edge any more: it is left out", text("type"));
        lost.push(Lost { at, what });
    }
    for kind in [Kind::Policies, Kind::Handlers] {
        for (id, declared) in graph.declarations.of(kind) {
            sheet.processes.push(beginning([("id", id), ("type", word(kind))], declared));
        }
    }
    for (name, declared) in graph.declarations.of(Kind::Schemas) {
        sheet.schemas.push(beginning([("name", name)], declared));
    }
    state(graph, &made.initial(manner.all_names), &mut sheet, &mut lost);
    elsewhere(graph, &mut lost);
    (sheet.to_text(), lost)
}

/// Whether every label was a process of a spec.
fn is_told(graph: &Graph) -> bool {
    let processes = graph.declarations.of(Kind::Processes);
    !graph.labels.is_empty() && graph.labels.keys().all(|id| processes.contains_key(id))
}

/// The type of node that becomes a kind of declaration; processes say theirs.
fn word(kind: Kind) -> &'static str {
    fields::nodes().find(|def| def.becomes == kind).map_or("step", |def| def.word)
}

/// Name, version and what else is about all of it.
fn head(graph: &Graph, sheet: &mut Sheet) {
    let mut keep = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            sheet.head.insert(name.into(), value);
        }
    };
    let said = |name: &str| graph.extra.get(name).cloned();
    keep("name", said("name").or(Some("Converted".into())));
    keep("version", said("version").or(Some("1.0".into())));
    keep("description", said("description"));
    keep("entry_point", graph.runtime_policy.get("entry").cloned());
    let policy = |name: &str| graph.runtime_policy.get(name).cloned();
    let tail = [
        ("metadata", said("metadata")),
        ("contracts", said("contracts")),
        ("checkpointing", policy("checkpointing")),
    ];
    for (name, value) in tail {
        sheet.tail.extend(value.map(|value| (name.into(), value)));
    }
}

fn entities(graph: &Graph, sheet: &mut Sheet, lost: &mut Vec<Lost>) {
    let kinds: BTreeSet<Kind> =
        fields::nodes().filter(|def| def.is.is_entity()).map(|def| def.becomes).collect();
    for kind in kinds {
        for (id, declared) in graph.declarations.of(kind) {
            let mut entity = beginning([("id", id), ("type", word(kind))], declared);
            complete(id, kind, &mut entity, lost);
            sheet.entities.push(entity);
        }
    }
}

/// Fills in what a spec needs of an entity and a graph does not.
fn complete(id: &Text, kind: Kind, entity: &mut Map, lost: &mut Vec<Lost>) {
    let own = fields::nodes().filter(|def| def.becomes == kind).flat_map(|def| def.fields);
    for field in fields::COMMON.iter().chain(own).filter(|field| field.required) {
        if entity.contains_key(field.name) {
            continue;
        }
        let value = match field.holds {
            Holds::Word(words, _) => words.first().map_or("", |word| word),
            _ if field.name == "label" => id,
            _ => "default",
        };
        entity.insert(field.name.into(), Value::text(value));
        if field.name != "label" {
            let what =
                format!("a spec needs `{}` of it: say which, in place of `{value}`", field.name);
            lost.push(Lost { at: format!("declarations/{}/{id}", kind.word()), what });
        }
    }
}

/// The member `state`: reducers, initial values, and the schema whose fields a run is given.
fn state(graph: &Graph, more: &Map, sheet: &mut Sheet, lost: &mut Vec<Lost>) {
    let declared = &graph.declarations;
    let mut state = Map::default();
    let from = |input: &Value| input.get("from").and_then(Value::as_text).cloned();
    let is_from = |input: &Value, word: &str| from(input).is_some_and(|from| *from == *word);
    let initial = || {
        let inputs = declared.of(Kind::Inputs).iter();
        let initial = inputs.filter(|(_, input)| is_from(input, "initial"));
        initial
            .map(|(name, input)| (name.clone(), input.get("default").cloned().unwrap_or_default()))
    };
    let people: BTreeSet<&Text> = declared.of(Kind::People).keys().collect();
    let links = declared.of(Kind::Links).values();
    let from_people: Vec<&Text> = links
        .filter(|link| {
            let text = |name| link.get(name).and_then(Value::as_text);
            text("type").is_some_and(|word| &**word == "flow")
                && text("from").is_some_and(|from| people.contains(from))
        })
        .filter_map(|link| link.get("data").and_then(Value::as_text))
        .collect();
    let wanted: Ordered<&Map> = declared
        .of(Kind::Inputs)
        .iter()
        .filter(|(_, input)| !is_from(input, ASSUMED))
        .filter_map(|(name, input)| Some((name.clone(), input.as_map()?)))
        .collect();
    // Which schema the state has is not kept: it is the one that gives these inputs.
    let gives = |schema: Option<&Text>| {
        let given = declare::given(declared, initial(), schema, from_people.iter().copied());
        given.len() == wanted.len()
            && given.iter().all(|(name, members)| wanted.get(name) == Some(&members))
    };
    let schema = declared.of(Kind::Schemas).keys().find(|schema| gives(Some(schema)));
    if gives(None) || !is_told(graph) {
        // Nothing is missing, or everything has an initial value.
    } else if let Some(schema) = schema {
        state.insert("schema".into(), Value::Text(schema.clone()));
    } else {
        let what = "no schema of the state gives these inputs: declare them under `state`";
        lost.push(Lost { at: "declarations/inputs".into(), what: what.into() });
    }
    let channels: Vec<Value> = declared
        .of(Kind::Reducers)
        .iter()
        .filter_map(|(name, members)| channel(name, members, lost))
        .collect();
    if !channels.is_empty() {
        state.insert("channels".into(), Value::list(channels));
    }
    let mut initial: Map = initial().collect();
    for (name, value) in more {
        if !initial.contains_key(name) {
            initial.insert(name.clone(), value.clone());
        }
    }
    if !initial.is_empty() {
        state.insert("initial".into(), initial.into());
    }
    if !state.is_empty() {
        sheet.tail.insert("state".into(), state.into());
    }
}

/// How parallel writes of a name merge, where a spec has a word for it.
fn channel(name: &Text, members: &Value, lost: &mut Vec<Lost>) -> Option<Value> {
    let mut lose = |what: String| {
        lost.push(Lost { at: format!("declarations/reducers/{name}"), what });
    };
    let mut channel = beginning([("name", name)], members);
    let word = channel.get("reducer").and_then(Value::as_text).map_or("replace", |word| word);
    let own = match word {
        "append" => "list<object>",
        "merge" | "replace" | "custom" => "object",
        _ => {
            lose(format!(
                "a spec has no reducer `{word}`: write one value only, or merge in logic"
            ));
            return None;
        }
    };
    if !channel.contains_key("type") {
        lose(format!("a spec needs its type: say which, in place of `{own}`"));
        channel.insert("type".into(), own.into());
    }
    Some(channel.into())
}

/// What belongs to a whole program, and has no place in a spec.
fn elsewhere(graph: &Graph, lost: &mut Vec<Lost>) {
    for endpoint in &graph.endpoints {
        let at = format!("{} {}", graph::query::method_word(&endpoint.method), endpoint.path);
        let what = "a spec has no endpoints: start a run where the request comes in".to_string();
        lost.push(Lost { at, what });
    }
    for cron in &graph.crons {
        let label = cron.get("label").and_then(Value::as_text).map_or("", |label| label);
        let what = "a spec has no clock: start a run of it from outside".to_string();
        lost.push(Lost { at: format!("cron {label}"), what });
    }
    for (name, declared) in &graph.capabilities {
        let names: Vec<&str> =
            declared.as_map().into_iter().flat_map(Map::keys).map(|name| &**name).collect();
        if !names.is_empty() {
            let what = format!("a spec has no such declarations: {}", names.join(", "));
            lost.push(Lost { at: format!("capabilities/{name}"), what });
        }
    }
}

/// Reads what was written, and says where it differs from the graph or breaks a rule.
fn differing(graph: &Graph, known: &Hashes, text: &str) -> Vec<Lost> {
    let mut lost = Vec::new();
    let later = graph.declarations.of(Kind::Processes).values().any(is_later)
        || !graph.declarations.of(Kind::Worlds).is_empty();
    let ontologies: &[Ontology] =
        if later { &[Ontology::V02] } else { &[Ontology::V1, Ontology::V02] };
    for ontology in ontologies {
        lost = differing_as(graph, known, text, *ontology);
        if lost.is_empty() {
            break;
        }
    }
    lost
}

fn is_later(process: &Value) -> bool {
    let word = process.get("type").and_then(Value::as_text);
    word.and_then(|word| fields::node(word)).is_some_and(|def| def.is.is_later_process())
}

fn differing_as(graph: &Graph, known: &Hashes, text: &str, ontology: Ontology) -> Vec<Lost> {
    let mut lost = Vec::new();
    let reading = super::read(&Source::new("written.yaml", text.to_string()), ontology);
    let mut findings = reading.findings;
    let Some(draft) = reading.draft else {
        return vec![Lost { at: "the spec".into(), what: "it cannot be read again".into() }];
    };
    let again = graph::normalize(draft, &mut findings);
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let what = format!("the spec breaks {}: {}", finding.code.id, finding.message);
        lost.push(Lost { at: "the spec".into(), what });
    }
    if !is_told(graph) {
        let unwritten = findings.iter().filter(|found| *found.code == codes::UNWRITTEN_NAME);
        let what = |found: &Diagnostic| Lost { at: "the spec".into(), what: found.message.clone() };
        lost.extend(unwritten.map(what));
        return lost;
    }
    let hashes = Hashes::of(&again);
    for (id, label) in &known.labels {
        if hashes.labels.get(id).is_none_or(|own| own.label != label.label) {
            let what = "a process cannot do exactly this: compare it with `quipu diff`".to_string();
            lost.push(Lost { at: id.to_string(), what });
        }
    }
    for kind in Kind::ALL {
        for (name, declared) in graph.declarations.of(kind) {
            if again.declarations.of(kind).get(name) != Some(declared) {
                let at = format!("declarations/{}/{name}", kind.word());
                lost.push(Lost { at, what: "a spec says it in another way".to_string() });
            }
        }
    }
    for (name, value) in &graph.runtime_policy {
        if again.runtime_policy.get(name) != Some(value) {
            let what = "a spec cannot say it: give it when the spec is run".to_string();
            lost.push(Lost { at: format!("runtime_policy/{name}"), what });
        }
    }
    if lost.is_empty() && hashes.checksum != known.checksum {
        let what = "it does not mean exactly the same: compare it with `quipu diff`".to_string();
        lost.push(Lost { at: "the spec".into(), what });
    }
    lost
}
