//! `quipu replay`

use anyhow::{Context, Result};
use host::pinned::pin;
use host::{LoadError, Python, replay};
use runtime::Difference;
use value::{Value, json};

use crate::args::Reading;
use crate::args::running::Replay;
use crate::opened::{Access, count, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Replay) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let stream = find::run(&*store, &arguments.run)?;
    run_stream(&stream)?;
    let is_json = arguments.format.is_json();
    let plan = match &arguments.graph {
        None => None,
        Some(file) => match super::run::graph(file, &Reading::default(), is_json)? {
            Ok(graph) => {
                let pinned = pin(&graph).with_context(|| format!("`{file}` cannot run"))?;
                Some(pinned.plan)
            }
            Err(outcome) => return Ok(outcome),
        },
    };
    let mut logic = Python::default();
    let (events, difference) = match replay(&*store, &stream, plan, &mut logic) {
        Ok(events) => (events, None),
        Err(LoadError::Differs(place, difference)) => (place.seq, Some(difference)),
        Err(error) => return Err(error.into()),
    };
    if is_json {
        let first = difference.as_deref().map(value);
        output::print_json(&Value::map([
            ("ok", difference.is_none().into()),
            ("events", count(events)),
            ("first_difference", first.into()),
        ]))?;
    } else {
        match &difference {
            None => output::print(&format!(
                "{}: every one is derived again, and nothing was called",
                output::plural(events, "event")
            ))?,
            Some(difference) => output::print(&text(difference))?,
        }
    }
    Ok(if difference.is_none() { Outcome::Fine } else { Outcome::Found })
}

fn value(difference: &Difference) -> Value {
    Value::map([
        ("seq", count(difference.seq)),
        ("recorded", difference.recorded.value()),
        ("derived", difference.derived.as_ref().map(|event| event.value()).into()),
        ("why", difference.why.clone().into()),
    ])
}

/// Both sides, without what is the same in both.
fn text(difference: &Difference) -> String {
    let seq = difference.seq;
    let recorded = difference.recorded.value();
    let Some(derived) = &difference.derived else {
        let why = difference.why.as_deref().unwrap_or("nothing");
        let kind = difference.recorded.kind().name();
        return format!("they part at {seq}: `{kind}` was recorded, and {why}");
    };
    let derived = derived.value();
    let mut lines = vec![format!("they part at {seq}:")];
    let names = recorded.as_map().into_iter().chain(derived.as_map());
    let mut names: Vec<_> = names.flat_map(|map| map.keys().cloned()).collect();
    names.sort();
    names.dedup();
    for name in names.iter().filter(|name| &***name != "event_id") {
        let (own, other) = (recorded.get(name), derived.get(name));
        if own != other {
            let shown = |value: Option<&Value>| value.map_or("-".to_owned(), json::compact);
            lines.push(format!("  {name}"));
            lines.push(format!("    recorded  {}", shown(own)));
            lines.push(format!("    derived   {}", shown(other)));
        }
    }
    lines.join("\n")
}
