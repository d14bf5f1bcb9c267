//! Who takes part: entities, policies and handlers as nodes of a picture, each once.

use std::collections::BTreeMap;

use value::{Ordered, Value};

use crate::declarations;
use crate::model::Graph;

use super::super::text::clean;
use super::picture::{Kind, Line, Node, Picture, Tie};

/// What can be used, with what pictures call it.
const ENTITIES: [(declarations::Kind, Kind); 9] = [
    (declarations::Kind::Agents, Kind::Agent),
    (declarations::Kind::Tools, Kind::Tool),
    (declarations::Kind::Stores, Kind::Store),
    (declarations::Kind::Channels, Kind::Channel),
    (declarations::Kind::People, Kind::Person),
    (declarations::Kind::Configs, Kind::Config),
    (declarations::Kind::Teams, Kind::Team),
    (declarations::Kind::Conversations, Kind::Conversation),
    (declarations::Kind::Worlds, Kind::World),
];

/// The entities that are in a picture so far.
pub(super) struct Cast<'a> {
    graph: &'a Graph,
    known: BTreeMap<(Kind, &'a str), usize>,
    /// Whether they stand beside those who use them.
    beside: bool,
}

impl<'a> Cast<'a> {
    /// Nobody yet.
    pub(super) fn new(graph: &'a Graph, beside: bool) -> Cast<'a> {
        Cast { graph, known: BTreeMap::new(), beside }
    }

    /// The node of an entity that something is known to be, declared or not.
    pub(super) fn entity(
        &mut self,
        picture: &mut Picture,
        of: declarations::Kind,
        id: &'a str,
    ) -> usize {
        let kind = ENTITIES.iter().find(|(other, _)| *other == of).map(|(_, kind)| *kind);
        self.node(picture, kind.unwrap_or(Kind::Missing), self.graph.declarations.of(of), id)
    }

    /// The node of whatever is declared under this id, if anything is.
    pub(super) fn find(&mut self, picture: &mut Picture, id: &'a str) -> Option<usize> {
        let declared = |of| self.graph.declarations.of(of).contains_key(id);
        let (of, _) = ENTITIES.into_iter().find(|(of, _)| declared(*of))?;
        Some(self.entity(picture, of, id))
    }

    /// All that are declared.
    pub(super) fn all(&mut self, picture: &mut Picture) {
        for (of, _) in ENTITIES {
            for id in self.graph.declarations.of(of).keys() {
                self.entity(picture, of, id);
            }
        }
    }

    /// The node of a policy or a handler.
    pub(super) fn guard(&mut self, picture: &mut Picture, kind: Kind, id: &'a str) -> usize {
        let of = match kind {
            Kind::Policy => declarations::Kind::Policies,
            _ => declarations::Kind::Handlers,
        };
        self.node(picture, kind, self.graph.declarations.of(of), id)
    }

    fn node(
        &mut self,
        picture: &mut Picture,
        kind: Kind,
        declared: &Ordered<Value>,
        id: &'a str,
    ) -> usize {
        if let Some(known) = self.known.get(&(kind, id)) {
            return *known;
        }
        let mut node = match declared.get(id) {
            Some(declared) => described(kind, id, declared),
            None => {
                let mut node = Node::new(kind, id, id);
                node.about.push("not declared".to_string());
                node
            }
        };
        node.beside = self.beside;
        let at = picture.add(node);
        self.known.insert((kind, id), at);
        at
    }
}

/// A node with what its declaration says: the label above, the most telling members below.
pub(super) fn described(kind: Kind, id: &str, declared: &Value) -> Node {
    let text = |name: &str| declared.get(name).and_then(Value::as_text).map(|text| clean(text));
    let label = text("label").filter(|label| !label.trim().is_empty());
    let mut node = Node::new(kind, id, &label.unwrap_or_else(|| id.to_string()));
    for member in telling(kind) {
        if let Some(words) = declared.get(member).and_then(words) {
            node.lines.push(Line::Words(match *member {
                "model" | "store_type" | "channel_type" | "tool_type" | "role" | "effect"
                | "strategy" => words,
                name => format!("{}: {words}", name.replace('_', " ")),
            }));
        }
    }
    node.about.extend(text("description"));
    node
}

/// The members that are shown, by kind.
fn telling(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Agent => &["model", "tools"],
        Kind::Tool => &["tool_type", "side_effects"],
        Kind::Store => &["store_type", "schema"],
        Kind::Channel => &["channel_type", "message_schema"],
        Kind::Person => &["role"],
        Kind::Team => &["strategy", "manager"],
        Kind::Conversation => &["max_turns"],
        Kind::Policy => &["effect", "condition"],
        Kind::Handler => &["retry"],
        Kind::Spawn => &["template", "cardinality", "aggregation"],
        Kind::Protocol => &["max_rounds"],
        _ => &[],
    }
}

/// A declared value in a few words; none where it has none.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::Text(text) => clean(text),
        Value::List(items) => {
            let words: Vec<String> = items.iter().filter_map(words).collect();
            words.join(", ")
        }
        Value::Map(map) => {
            let count = map.get("max_retries").filter(|count| matches!(count, Value::Int(_)));
            count.map(|count| format!("{}x", value::json::compact(count)))?
        }
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => value::json::compact(value),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The ids that a member names: one, or a list of them, plain or as `{entity, role}`.
pub(super) fn named<'a>(declared: &'a Value, member: &str) -> Vec<(&'a str, Option<&'a str>)> {
    let one = |item: &'a Value| {
        let text = |name: &str| item.get(name).and_then(Value::as_text).map(|text| &**text);
        match item {
            Value::Text(id) => Some((&**id, None)),
            _ => Some((text("entity").or_else(|| text("id"))?, text("role"))),
        }
    };
    match declared.get(member) {
        Some(Value::List(items)) => items.iter().filter_map(one).collect(),
        Some(item) => one(item).into_iter().collect(),
        None => Vec::new(),
    }
}

/// A relation that no label expresses.
pub(super) struct Relation<'a> {
    /// The id it leaves.
    pub from: &'a str,
    /// The id it leads to.
    pub to: &'a str,
    /// What it means.
    pub kind: Tie,
    /// What it says.
    pub label: String,
    /// The schema of what goes along it.
    pub data: Option<&'a str>,
}

/// All of them, in document order.
pub(super) fn relations(graph: &Graph) -> impl Iterator<Item = Relation<'_>> {
    let links = graph.declarations.of(declarations::Kind::Links).values();
    // What the labels show already is not shown twice.
    let links = links.filter(|link| link.get(declarations::IN_LABELS) != Some(&Value::Bool(true)));
    links.filter_map(|link| {
        let text = |name: &str| link.get(name).and_then(Value::as_text).map(|text| &**text);
        let word = text("type").unwrap_or_default();
        let kind = Tie::find(word);
        let said = ["label", "condition"].into_iter().find_map(text);
        let said = said.or((kind == Tie::Other).then_some(word));
        let label = clean(said.unwrap_or_default());
        Some(Relation { from: text("from")?, to: text("to")?, kind, label, data: text("data") })
    })
}
