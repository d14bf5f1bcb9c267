//! `quipu state`

use anyhow::Result;
use host::{Python, load};
use value::{Value, json};

use crate::args::running::State;
use crate::opened::{Access, count, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &State) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let place = find::place(&*store, &arguments.at)?;
    run_stream(&place.stream)?;
    let mut logic = Python::default();
    let loaded = load(&*store, &place.stream, Some(place.seq + 1), &mut logic)?;
    let state = loaded.run.state(&loaded.plan);
    let places = loaded.run.places(&loaded.plan);
    if arguments.format.is_json() {
        let at = places.first().cloned();
        output::print_json(&Value::map([
            ("run", place.stream.to_string().into()),
            ("seq", count(place.seq)),
            ("state", state.into()),
            ("at", at.into()),
            ("fibers", Value::list(places.into_iter().map(Value::Text))),
        ]))?;
        return Ok(Outcome::Fine);
    }
    let rows: Vec<[String; 2]> =
        state.iter().map(|(name, value)| [name.to_string(), json::compact(value)]).collect();
    output::print(&output::table(&rows))?;
    if !places.is_empty() {
        output::note(&format!("at {}", places.join(", ")));
    }
    Ok(Outcome::Fine)
}
