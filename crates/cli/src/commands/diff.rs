//! `quipu diff`

use anyhow::{Result, bail};
use graph::diff::{Declared, Diff, EdgeRef, LabelDiff, diff};
use value::{Map, Text, Value};

use crate::Outcome;
use crate::args;
use crate::load::{Strictness, load, unreadable};
use crate::output;

pub(crate) fn run(arguments: &args::Diff) -> Result<Outcome> {
    if arguments.old == "-" && arguments.new == "-" {
        bail!("only one of OLD and NEW can be read from standard input");
    }
    let old = load(&arguments.old, &arguments.reading, Strictness::Normal)?;
    let Some(old) = &old.graph else { return unreadable(&old, arguments.format.is_json()) };
    let new = load(&arguments.new, &arguments.reading, Strictness::Normal)?;
    let Some(new) = &new.graph else { return unreadable(&new, arguments.format.is_json()) };
    let found = diff(old, new);
    if arguments.format.is_json() {
        output::print_json(&describe(&found))?;
    } else {
        output::print(&found.summary())?;
    }
    Ok(if found.is_empty() { Outcome::Fine } else { Outcome::Found })
}

fn describe(found: &Diff) -> Value {
    let labels = &found.labels;
    let node = |label: &Text, node: &graph::Node| {
        Value::map([
            ("label", Value::Text(label.clone())),
            ("node", Value::Text(node.id.clone())),
            ("op", node.op.name().into()),
        ])
    };
    let added =
        labels.iter().flat_map(|diff| diff.added.iter().map(|added| node(&diff.label, added)));
    let removed =
        labels.iter().flat_map(|diff| diff.removed.iter().map(|gone| node(&diff.label, gone)));
    let text = |text: &Text| Value::Text(text.clone());
    Value::map([
        ("added", Value::list(added)),
        ("removed", Value::list(removed)),
        ("changed", Value::list(labels.iter().flat_map(changed))),
        ("edges", edges(found)),
        ("entries", entries(found)),
        (
            "reordered",
            Value::list(labels.iter().filter(|diff| diff.reordered).map(|diff| text(&diff.label))),
        ),
        (
            "labels",
            Value::map([
                ("added", Value::list(found.added_labels.iter().map(|(id, _)| text(id)))),
                ("removed", Value::list(found.removed_labels.iter().map(text))),
            ]),
        ),
        ("declarations", declarations(&found.declarations)),
        (
            "document",
            Value::list(found.document.iter().map(|(part, old, new)| {
                Value::map([
                    ("field", part.word().into()),
                    ("old", old.clone()),
                    ("new", new.clone()),
                ])
            })),
        ),
        ("summary", found.summary().into()),
    ])
}

fn changed(diff: &LabelDiff) -> Vec<Value> {
    let slots = diff.changed.iter().map(|changed| {
        let mut map = Map::default();
        map.insert("label".into(), Value::Text(diff.label.clone()));
        map.insert("node".into(), Value::Text(changed.node.clone()));
        if changed.new_node != changed.node {
            map.insert("new_node".into(), Value::Text(changed.new_node.clone()));
        }
        map.insert("field".into(), Value::Text(changed.field.clone()));
        map.insert("old".into(), changed.old.clone());
        map.insert("new".into(), changed.new.clone());
        map.into()
    });
    slots.collect()
}

/// Labels that begin with another node.
fn entries(found: &Diff) -> Value {
    let entry = |diff: &LabelDiff| {
        let (old, new) = diff.entry.as_ref()?;
        Some(Value::map([
            ("label", Value::Text(diff.label.clone())),
            ("old", old.clone().into()),
            ("new", new.clone().into()),
        ]))
    };
    Value::list(found.labels.iter().filter_map(entry))
}

fn edges(found: &Diff) -> Value {
    let edge = |label: &Text, edge: &EdgeRef| {
        Value::map([
            ("label", Value::Text(label.clone())),
            ("from", Value::Text(edge.from.clone())),
            ("port", edge.port.word().into()),
            ("to", Value::Text(edge.to.clone())),
            ("to_kind", edge.to_kind.word().into()),
        ])
    };
    let of = |list: fn(&LabelDiff) -> &Vec<EdgeRef>| {
        let all = found
            .labels
            .iter()
            .flat_map(|diff| list(diff).iter().map(|found| edge(&diff.label, found)));
        Value::list(all)
    };
    let rewired = found.labels.iter().flat_map(|diff| {
        diff.edges_rewired.iter().map(|rewired| {
            Value::map([
                ("label", Value::Text(diff.label.clone())),
                ("from", Value::Text(rewired.old.from.clone())),
                ("new_from", Value::Text(rewired.new.from.clone())),
                ("port", rewired.old.port.word().into()),
                ("old_to", Value::Text(rewired.old.to.clone())),
                ("new_to", Value::Text(rewired.new.to.clone())),
                ("old_to_kind", rewired.old.to_kind.word().into()),
                ("new_to_kind", rewired.new.to_kind.word().into()),
            ])
        })
    });
    Value::map([
        ("added", of(|diff| &diff.edges_added)),
        ("removed", of(|diff| &diff.edges_removed)),
        ("rewired", Value::list(rewired)),
    ])
}

fn declarations(found: &[Declared]) -> Value {
    let of = |wanted: fn(&Declared) -> bool| {
        Value::list(found.iter().filter(|declared| wanted(declared)).map(|declared| {
            Value::map([
                ("kind", declared.kind.word().into()),
                ("name", Value::Text(declared.name.clone())),
                ("old", declared.old.clone().into()),
                ("new", declared.new.clone().into()),
            ])
        }))
    };
    Value::map([
        ("added", of(|declared| declared.old.is_none())),
        ("removed", of(|declared| declared.new.is_none())),
        ("changed", of(|declared| declared.old.is_some() && declared.new.is_some())),
    ])
}
