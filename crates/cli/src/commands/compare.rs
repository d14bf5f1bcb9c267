//! `quipu compare`

use anyhow::Result;
use host::{Python, traced};
use runtime::{Story, compare};
use store::Store;

use crate::args::running::Compare;
use crate::opened::{Access, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Compare) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let comparison = compare(&story(&*store, &arguments.a)?, &story(&*store, &arguments.b)?);
    if arguments.format.is_json() {
        output::print_json(&comparison.to_value())?;
    } else {
        output::print(&comparison.to_string())?;
    }
    Ok(if comparison.is_equal() { Outcome::Fine } else { Outcome::Found })
}

/// What a run did, up to an event where one is named.
fn story(store: &dyn Store, words: &str) -> Result<Story> {
    let place = find::place(store, words)?;
    run_stream(&place.stream)?;
    let until = find::split(words).1.map(|seq| seq + 1);
    let traced = traced(store, &place.stream, until, &mut Python::default())?;
    Ok(Story::new(place.stream.to_string(), traced.plan, traced.run, traced.steps))
}
