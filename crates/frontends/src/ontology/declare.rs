//! Declarations: what the labels refer to, with every field the author gave.

use std::collections::BTreeMap;

use graph::validate::REDUCERS;
use graph::{ASSUMED, Declarations, IN_LABELS, Kind};
use value::{Map, Ordered, Pointer, Text, Value};

use super::call_schemas;
use super::control::passed;
use super::effects::is_made;
use super::fields::{EdgeType, NodeType};
use super::spec::{Line, Spec, Thing};
use crate::origins::Origins;
use crate::yaml::{Node, Tree};

/// Declares everything of a spec but its inputs.
pub(super) fn declare(spec: &Spec<'_>, origins: &mut Origins) -> Declarations {
    let mut declared = Declarations::default();
    for (position, thing) in spec.things.iter().enumerate() {
        let Some(def) = thing.def else { continue };
        if thing.id.is_empty() || spec.find(thing.id) != Some(position) {
            continue;
        }
        let id: Text = thing.id.into();
        origins.declaration(def.becomes.word(), id.clone(), thing.place.pointer());
        let keeps_type = def.becomes == Kind::Processes;
        let left_out: &[&str] = if keeps_type { &["id", "logic"] } else { &["id", "type"] };
        declared.of_mut(def.becomes).insert(id, without(thing.tree, left_out).into());
    }
    for schema in spec.schemas.iter().filter(|schema| !schema.name.is_empty()) {
        if spec.schema(schema.name).is_some_and(|first| first.place == schema.place) {
            let name: Text = schema.name.into();
            origins.declaration(Kind::Schemas.word(), name.clone(), schema.place.pointer());
            declared.of_mut(Kind::Schemas).insert(name, without(schema.tree, &["name"]).into());
        }
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for line in &spec.edges {
        link(spec, line, &mut taken, &mut declared, origins);
    }
    reducers(spec, &mut declared, origins);
    declared
}

fn without(tree: &Tree, names: &[&str]) -> Map {
    let entries = tree.as_map().unwrap_or_default().iter();
    entries
        .filter(|(key, value)| !names.contains(&&*key.text) && !matches!(value.node, Node::Null))
        .map(|(key, value)| (key.text.clone(), value.to_value()))
        .collect()
}

/// What the nodes and edges of labels say of an edge; nothing where they do not have it at all.
fn said_by_labels(spec: &Spec<'_>, line: &Line<'_>) -> Option<&'static [&'static str]> {
    let from = spec.thing(line.from);
    let is = |thing: Option<&Thing<'_>>, is: NodeType| thing.is_some_and(|thing| thing.is(is));
    let to = spec.thing(line.to);
    let acts = |thing: Option<&Thing<'_>>| thing.is_some_and(is_made);
    let both_passed = passed(spec, line.from).is_some() && passed(spec, line.to).is_some();
    Some(match line.def?.is {
        EdgeType::Flow if both_passed => &[],
        EdgeType::Loop if both_passed => &["condition", "max_iterations"],
        EdgeType::Branch if both_passed => &["condition", "priority"],
        EdgeType::Invoke if acts(from) && is(to, NodeType::Agent) => {
            &["input", "output", "return_to", "async", "retry", "timeout"]
        }
        // Of several tools one is chosen when the step runs; each edge keeps what it says.
        EdgeType::Invoke if acts(from) && is(to, NodeType::Tool) => {
            match spec.find(line.from).map(|from| spec.tools_of(from)) == Some(1) {
                true => &["input", "async", "retry", "timeout"],
                false => &[],
            }
        }
        EdgeType::Read if acts(from) => match call_schemas::asked(spec, line) {
            Some(_) => &["query", "query_key"],
            None => &["query_key"],
        },
        EdgeType::Write | EdgeType::Publish if acts(from) => &["data"],
        EdgeType::Subscribe if acts(to) => &[],
        _ => return None,
    })
}

/// Declares an edge as a link, as far as the labels do not say it.
fn link(
    spec: &Spec<'_>,
    line: &Line<'_>,
    taken: &mut BTreeMap<String, usize>,
    declared: &mut Declarations,
    origins: &mut Origins,
) {
    let Some(def) = line.def else { return };
    if line.from.is_empty() || line.to.is_empty() {
        return;
    }
    let said = said_by_labels(spec, line);
    let entries = line.tree.as_map().unwrap_or_default();
    let is_said = |key: &str| {
        matches!(key, "type" | "from" | "to" | "label") || said.unwrap_or_default().contains(&key)
    };
    let is_all_said = said.is_some()
        && entries
            .iter()
            .all(|(key, value)| is_said(&key.text) || matches!(value.node, Node::Null));
    if is_all_said {
        return;
    }
    let base = format!("{}->{}:{}", line.from, line.to, def.word);
    let count = taken.entry(base.clone()).and_modify(|count| *count += 1).or_insert(1);
    let name: Text = if *count == 1 { base.into() } else { format!("{base}#{count}").into() };
    origins.declaration(Kind::Links.word(), name.clone(), line.place.pointer());
    let mut members = without(line.tree, &[]);
    if said.is_some() {
        members.insert(IN_LABELS.into(), true.into());
    }
    declared.of_mut(Kind::Links).insert(name, members.into());
}

fn reducers(spec: &Spec<'_>, declared: &mut Declarations, origins: &mut Origins) {
    let channels = spec.tree.get("state").and_then(|state| state.get("channels"));
    let place = Pointer::root().child("state").child("channels");
    let channels = channels.and_then(Tree::as_list).unwrap_or_default();
    for (index, channel) in channels.iter().enumerate() {
        if let Some(name) = channel.get("name").and_then(Tree::as_text) {
            let mut members = without(channel, &["name"]);
            // A word that there is not was reported, and says nothing.
            let said = members.get("reducer").and_then(Value::as_text);
            let is_word = |said: &Text| REDUCERS.contains(&&**said) || **said == *"custom";
            if !said.is_some_and(is_word) {
                members.insert("reducer".into(), "replace".into());
            }
            origins.declaration(Kind::Reducers.word(), name.clone(), place.child(index));
            declared.of_mut(Kind::Reducers).insert(name.clone(), members.into());
        }
    }
}

/// Declares what a run is given: by the state, and by people.
pub(super) fn inputs(spec: &Spec<'_>, declared: &mut Declarations) {
    let state = spec.tree.get("state");
    let initial = state.and_then(|state| state.get("initial")).and_then(Tree::as_map);
    let initial = initial.unwrap_or_default().iter();
    let from_state = state.and_then(|state| state.get("schema")).and_then(Tree::as_text);
    let people = spec
        .of_type(NodeType::Human)
        .flat_map(|(person, _)| spec.edges_from(person).filter(|line| line.is(EdgeType::Flow)));
    let from_people = people.filter_map(|line| line.text("data"));
    let inputs = given(
        declared,
        initial.map(|(key, value)| (key.text.clone(), value.to_value())),
        from_state,
        from_people,
    );
    declared
        .of_mut(Kind::Inputs)
        .extend(inputs.into_iter().map(|(name, members)| (name, members.into())));
}

/// The inputs that follow from the state's initial values, its schema, and the schemas of what
/// people say.
pub(super) fn given<'n>(
    declared: &Declarations,
    initial: impl Iterator<Item = (Text, Value)>,
    from_state: Option<&'n Text>,
    from_people: impl Iterator<Item = &'n Text>,
) -> Ordered<Map> {
    let mut inputs: Ordered<Map> = Ordered::default();
    let mut add = |name: &Text, members: Map| match inputs.get_mut(name) {
        Some(known) => {
            for (member, value) in members {
                if !known.contains_key(&member) {
                    known.insert(member, value);
                }
            }
        }
        None => drop(inputs.insert(name.clone(), members)),
    };
    for (name, value) in initial {
        let members = [("default", value), ("from", "initial".into())];
        add(&name, members.map(|(name, value)| (name.into(), value)).into_iter().collect());
    }
    let schemas = from_state.into_iter().map(|schema| (schema, "state"));
    for (schema, from) in schemas.chain(from_people.map(|schema| (schema, "user"))) {
        for (name, field) in declared.fields(schema) {
            let kept = ["type", "default", "optional"].into_iter();
            let mut members: Map =
                kept.filter_map(|key| Some((key.into(), field.get(key)?.clone()))).collect();
            members.insert("from".into(), from.into());
            add(name, members);
        }
    }
    inputs
}

/// Declares the names that are read somewhere and written nowhere: a run must be given them.
pub(super) fn assume(
    declared: &mut Declarations,
    read: impl Iterator<Item = Text>,
    is_written: impl Fn(&str) -> bool,
) {
    for name in read {
        let inputs = declared.of_mut(Kind::Inputs);
        if !name.starts_with('_') && !inputs.contains_key(&name) && !is_written(&name) {
            inputs.insert(name, Value::map([("from", Value::text(ASSUMED))]));
        }
    }
}
