//! The shapes of the data: a card for each schema, and who makes and takes it.

use std::collections::BTreeMap;

use value::Value;

use crate::declarations;
use crate::model::Graph;

use super::super::text::clean;
use super::View;
use super::cast;
use super::picture::{Kind, Line, Link, Node, Picture, Tie};
use super::story::{Deed, Story};

/// So many are named in a remark.
const NAMED_MAX: usize = 4;

/// The picture of a graph.
pub(super) fn picture(graph: &Graph) -> Picture {
    let mut picture = Picture::new(graph, View::Schemas);
    let schemas = graph.declarations.of(declarations::Kind::Schemas);
    let places: BTreeMap<&str, usize> =
        schemas.keys().enumerate().map(|(at, name)| (&**name, at)).collect();
    for (name, declared) in schemas.iter() {
        let mut node = Node::new(Kind::Schema, name, name);
        let about = declared.get("description").and_then(Value::as_text);
        node.about.extend(about.map(|about| clean(about)));
        let at = picture.nodes.len();
        for (field, declared) in graph.declarations.fields(name) {
            let written = declared.get("type").and_then(Value::as_text).map_or("", |text| text);
            let mut targets: Vec<usize> = named(written, &places).collect();
            targets.sort_unstable();
            targets.dedup();
            for to in targets {
                let line = Some(node.lines.len());
                picture.links.push(Link { line, ..Link::new(at, to, Tie::Names) });
            }
            node.lines.push(Line::Pair(clean(field), clean(&type_text(written, declared))));
        }
        picture.add(node);
    }
    for (at, remarks) in roles(graph, &places) {
        for (word, names) in remarks {
            let more = names.len().saturating_sub(NAMED_MAX);
            let mut text = names[..names.len().min(NAMED_MAX)].join(", ");
            if more > 0 {
                text += &format!(" and {more} more");
            }
            picture.nodes[at].lines.push(Line::Remark(format!("{word} {text}")));
        }
    }
    picture
}

/// The type of a field as its author wrote it, with what else decides what it may hold.
fn type_text(written: &str, field: &Value) -> String {
    let mut text = written.to_string();
    if field.get("optional") == Some(&Value::Bool(true)) {
        text += " optional";
    }
    match field.get("default") {
        None | Some(Value::Null) => text,
        Some(default) => format!("{text} = {}", value::json::compact(default)),
    }
}

/// The schemas that a type names: `list<Plan>`, `Plan | Draft`. The words of an enum name none.
fn named<'a>(written: &'a str, places: &'a BTreeMap<&str, usize>) -> impl Iterator<Item = usize> {
    let mut depth = 0_usize;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = written.split_inclusive(move |letter| !is_part(letter)).filter(move |word| {
        let is_outside = depth == 0;
        match word.chars().next_back() {
            Some('[') => depth += 1,
            Some(']') => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_outside
    });
    words
        .filter_map(move |word| places.get(word.trim_end_matches(|letter| !is_part(letter))))
        .copied()
}

type Roles<'a> = BTreeMap<usize, Vec<(&'static str, Vec<String>)>>;

/// Who makes, takes, keeps and sends each schema.
fn roles<'a>(graph: &'a Graph, places: &BTreeMap<&str, usize>) -> Roles<'a> {
    let mut roles: Roles<'a> = BTreeMap::new();
    let mut note = |schema: &str, word: &'static str, who: &str| {
        let Some(at) = places.get(schema) else { return };
        let roles = roles.entry(*at).or_default();
        let known = roles.iter().position(|(other, _)| *other == word);
        let known = known.unwrap_or_else(|| {
            roles.push((word, Vec::new()));
            roles.len() - 1
        });
        let names = &mut roles[known].1;
        let who = clean(who);
        // Beyond those that are named only their number counts.
        if !names.iter().take(64).any(|name| *name == who) {
            names.push(who);
        }
    };
    for process in &Story::of(graph).processes {
        for deed in &process.deeds {
            let Deed::Call(call) = deed else { continue };
            if !matches!(call.of, declarations::Kind::Agents | declarations::Kind::Tools) {
                continue;
            }
            for target in &call.targets {
                if let Some(schema) = call.gives {
                    note(schema, "made by", target);
                }
                if let Some(schema) = call.takes {
                    note(schema, "taken by", target);
                }
            }
        }
    }
    for relation in cast::relations(graph).filter(|relation| relation.kind == Tie::Flow) {
        if let Some(schema) = relation.data {
            note(schema, "given by", relation.from);
        }
    }
    for (of, member, word) in [
        (declarations::Kind::Stores, "schema", "kept in"),
        (declarations::Kind::Channels, "message_schema", "sent on"),
        (declarations::Kind::Handlers, "error_schema", "handled by"),
    ] {
        for (id, declared) in graph.declarations.of(of).iter() {
            if let Some(schema) = declared.get(member).and_then(Value::as_text) {
                note(schema, word, id);
            }
        }
    }
    roles
}
