//! Nodes, and what joins them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use graph::protocols::Protocol;
use value::{Map, Text, Value, json};

use super::Settings;
use super::entries::{Edit, Entries};
use super::query::{Query, id_text, only, refused, with};
use crate::Fault;

/// The three parts of an edge, in the words of graphs and in those of triples.
const PARTS: [(&str, &str); 3] = [("from", "subject"), ("rel", "predicate"), ("to", "object")];

/// What writing a value comes to.
pub(super) fn edits(value: &Value, made: &mut Vec<Edit>) -> Result<(), Fault> {
    if let Some(removed) = only(value, "remove") {
        return removed.iter().try_for_each(|removed| {
            let key = match removed.as_map() {
                Some(members) => key_of(members)?,
                None => None,
            };
            let key = key.ok_or_else(|| {
                refused("what is removed is named as `{node: ID}` or as `{from, rel, to}`")
            })?;
            made.push(Edit::Remove { key });
            Ok(())
        });
    }
    let members = match value {
        Value::List(items) => return items.iter().try_for_each(|item| edits(item, made)),
        Value::Map(members) => members,
        other => return Err(refused(format!("{} is neither node nor edge", other.kind()))),
    };
    let lists = ["nodes", "edges"].map(|name| members.get(name).and_then(Value::as_list));
    if lists.iter().any(Option::is_some) {
        let all = lists.into_iter().flatten().flatten();
        return all.into_iter().try_for_each(|item| edits(item, made));
    }
    made.push(held(members)?);
    Ok(())
}

/// How a node or an edge is kept: edges in the words of graphs, nodes with their id as `node`.
pub(super) fn held(members: &Map) -> Result<Edit, Fault> {
    let Some(key) = key_of(members)? else {
        return Err(refused("a node has a `node`; an edge has a `from`, a `rel` and a `to`"));
    };
    let ends = ends(members)?;
    let value = match &ends {
        Some(ends) => {
            let words = PARTS.iter().flat_map(|(own, other)| [*own, *other]);
            let others: Map = without(members, &words.collect::<Vec<_>>());
            let [from, rel, to] = ends.each_ref().map(|end| Value::Text(end.clone()));
            with("from", from, &with_map("rel", rel, &with_map("to", to, &others)))
        }
        None => {
            let (name, id) = node_id(members).ok_or_else(|| refused("a node has a `node`"))?;
            with("node", Value::Text(id), &without(members, &[name]))
        }
    };
    Ok(Edit::Put { key, value })
}

fn with_map(name: &str, value: Value, others: &Map) -> Map {
    with(name, value, others).as_map().cloned().unwrap_or_default()
}

fn without(members: &Map, names: &[&str]) -> Map {
    let others = members.iter().filter(|(name, _)| !names.contains(&&***name));
    others.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn node_id(members: &Map) -> Option<(&'static str, Text)> {
    ["node", "id"].into_iter().find_map(|name| Some((name, id_text(members.get(name)?)?)))
}

/// The parts of an edge, if it is one.
fn ends(members: &Map) -> Result<Option<[Text; 3]>, Fault> {
    if members.contains_key("node") {
        return Ok(None);
    }
    let part = |(own, other): (&str, &str)| members.get(own).or_else(|| members.get(other));
    let parts = PARTS.map(part);
    if parts[0].is_none() && parts[2].is_none() {
        return Ok(None);
    }
    let parts = parts.map(|part| part.and_then(id_text));
    match parts {
        [Some(from), Some(rel), Some(to)] => Ok(Some([from, rel, to])),
        _ => Err(refused("an edge has a `from`, a `rel` and a `to`, which are texts")),
    }
}

/// What a node or an edge is kept under.
fn key_of(members: &Map) -> Result<Option<Text>, Fault> {
    let parts: Vec<Text> = match ends(members)? {
        Some(ends) => ends.into(),
        None => node_id(members).into_iter().map(|(_, id)| id).collect(),
    };
    let key = json::compact(&Value::list(parts.iter().cloned().map(Value::Text)));
    Ok((!parts.is_empty()).then(|| key.into()))
}

/// Everything, as it can be written again.
pub(super) fn all(entries: &Entries) -> Value {
    let (edges, nodes): (Vec<_>, Vec<_>) = entries.values().cloned().partition(is_edge);
    Value::map([("nodes", Value::list(nodes)), ("edges", Value::list(edges))])
}

/// What answers a query.
pub(super) fn read(
    entries: &Entries,
    settings: &Settings,
    query: Option<&Value>,
) -> Result<Value, Fault> {
    let asked = match query {
        None => return Ok(all(entries)),
        Some(Value::Map(members)) => (**members).clone(),
        Some(id) => {
            let id = id_text(id).ok_or_else(|| {
                refused(format!(
                    "a graph is asked with a node or an object, not with {}",
                    id.kind()
                ))
            })?;
            [(Text::from("node"), Value::Text(id))].into_iter().collect()
        }
    };
    let asks = |name| asked.get(name).is_some_and(|value| !matches!(value, Value::Null));
    if asks("edges") {
        let query = Query::new(Protocol::Graph, &asked, &["edges", "limit"])?;
        let wanted = query.map("edges")?.cloned().unwrap_or_default();
        let limit = query.whole("limit", settings.limit)?;
        let parts = Query::new(Protocol::Graph, &wanted, &["from", "rel", "to"])?;
        let parts = ["from", "rel", "to"].map(|name| parts.id(name).map(|part| (name, part)));
        let parts: Vec<(&str, Option<Text>)> = parts.into_iter().collect::<Result<_, _>>()?;
        let fits = |edge: &&Value| {
            let mut parts = parts.iter().filter_map(|(name, part)| Some((name, part.as_ref()?)));
            parts.all(|(name, part)| edge.get(name).and_then(Value::as_text) == Some(part))
        };
        let edges = entries.values().filter(|value| is_edge(value)).filter(fits);
        return Ok(Value::list(edges.take(limit).cloned()));
    }
    if asks("node") {
        let known = ["node", "rel", "direction", "depth", "limit"];
        let query = Query::new(Protocol::Graph, &asked, &known)?;
        let start = query.id("node")?.unwrap_or_else(|| "".into());
        let depth = query.whole("depth", settings.depth)?;
        let limit = query.whole("limit", settings.limit)?;
        let walk = Walk::new(entries, &query, "both")?;
        return Ok(Value::list(walk.around(&start, depth, limit)));
    }
    let query = Query::new(Protocol::Graph, &asked, &["from", "to", "rel", "direction", "depth"])?;
    let (Some(from), Some(to)) = (query.id("from")?, query.id("to")?) else {
        return Err(refused(
            "a graph is asked for a `node`, for `edges`, or for the path `from` one `to` another",
        ));
    };
    let depth = query.whole("depth", u32::MAX)?;
    let walk = Walk::new(entries, &query, "out")?;
    Ok(walk.path(&from, &to, depth).map(Value::list).into())
}

fn is_edge(value: &Value) -> bool {
    value.get("node").is_none()
}

/// The edges that may be followed, by where they are followed from.
struct Walk<'e> {
    entries: &'e Entries,
    ways: BTreeMap<&'e str, Vec<(&'e str, &'e Value)>>,
}

impl<'e> Walk<'e> {
    fn new(entries: &'e Entries, query: &Query<'_>, default: &str) -> Result<Walk<'e>, Fault> {
        let rel = query.text("rel")?;
        let direction = query.text("direction")?.map_or(default, |word| word);
        let (forth, back) = match direction {
            "out" => (true, false),
            "in" => (false, true),
            "both" => (true, true),
            other => {
                return Err(refused(format!(
                    "`direction` is `out`, `in` or `both`, not `{other}`"
                )));
            }
        };
        let mut ways: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
        for edge in entries.values().filter(|value| is_edge(value)) {
            let part = |name| edge.get(name).and_then(Value::as_text);
            let (Some(from), Some(to)) = (part("from"), part("to")) else { continue };
            if rel.is_some_and(|rel| part("rel") != Some(rel)) {
                continue;
            }
            if forth {
                ways.entry(from).or_default().push((to, edge));
            }
            if back {
                ways.entry(to).or_default().push((from, edge));
            }
        }
        // The order of writing is nobody's business here.
        for ways in ways.values_mut() {
            ways.sort_by(|(one, by), (other, by_other)| {
                one.cmp(other).then_with(|| rel_of(by).cmp(&rel_of(by_other)))
            });
        }
        Ok(Walk { entries, ways })
    }

    fn ways(&self, node: &str) -> &[(&'e str, &'e Value)] {
        self.ways.get(node).map_or(&[], Vec::as_slice)
    }

    /// The nodes around one, nearest first, then by id.
    fn around(&self, start: &'e str, depth: usize, limit: usize) -> Vec<Value> {
        let mut known = BTreeSet::from([start]);
        let mut found = Vec::new();
        let mut here = vec![start];
        for distance in 1..=depth {
            let mut next: BTreeMap<&str, &Value> = BTreeMap::new();
            for (to, edge) in here.iter().flat_map(|node| self.ways(node)) {
                if !known.contains(to) {
                    next.entry(to).or_insert(edge);
                }
            }
            if next.is_empty() || found.len() >= limit {
                break;
            }
            known.extend(next.keys().copied());
            here = next.keys().copied().collect();
            found.extend(next.into_iter().map(|(node, via)| (node, distance, via)));
        }
        found.truncate(limit);
        let shown = found.into_iter().map(|(node, distance, via)| {
            let key = json::compact(&Value::list([Value::text(node)]));
            let known = self.entries.get(&key).and_then(Value::as_map);
            let no_members = Map::default();
            let others = without(known.unwrap_or(&no_members), &["node", "depth", "via"]);
            let others = with_map("via", via.clone(), &others);
            with("node", Value::text(node), &with_map("depth", Value::count(distance), &others))
        });
        shown.collect()
    }

    /// The edges of a shortest way. Of several the one whose nodes come first.
    fn path(&self, from: &'e str, to: &str, depth: usize) -> Option<Vec<Value>> {
        let mut before: BTreeMap<&str, Option<(&str, &Value)>> = BTreeMap::from([(from, None)]);
        let mut left = VecDeque::from([(from, 0)]);
        while let Some((node, distance)) = left.pop_front() {
            if node == to {
                let mut edges = Vec::new();
                let mut here = node;
                while let Some(Some((earlier, edge))) = before.get(here) {
                    edges.push((*edge).clone());
                    here = earlier;
                }
                edges.reverse();
                return Some(edges);
            }
            if distance == depth {
                continue;
            }
            for (next, edge) in self.ways(node) {
                if !before.contains_key(next) {
                    before.insert(next, Some((node, edge)));
                    left.push_back((next, distance + 1));
                }
            }
        }
        None
    }
}

fn rel_of(edge: &Value) -> Option<&Text> {
    edge.get("rel").and_then(Value::as_text)
}
