//! `quipu replay`

use anyhow::{Context, Result};
use host::pinned::pin;
use host::{LoadError, Python, replay};
use runtime::Difference;
use value::Value;

use super::run::begun_again;
use crate::args::ConfigOf;
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
        Some(file) => match begun_again(file, &*store, &stream, ConfigOf::Place, is_json, &[])? {
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
        let first = difference.as_deref().map(Difference::to_value);
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
            Some(difference) => output::print(&difference.to_string())?,
        }
    }
    Ok(if difference.is_none() { Outcome::Fine } else { Outcome::Found })
}
