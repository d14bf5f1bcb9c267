//! `quipu why`

use anyhow::{Context, Result};
use host::{Python, traced};
use runtime::why;

use crate::args::running::Why;
use crate::opened::{Access, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

pub(crate) fn run(arguments: &Why) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let place = find::place(&*store, &arguments.at)?;
    run_stream(&place.stream)?;
    let mut logic = Python::default();
    let traced = traced(&*store, &place.stream, Some(place.seq + 1), &mut logic)?;
    let why = why(&traced.plan, &place.stream.to_string(), &traced.steps, place.seq);
    let why = why.with_context(|| format!("nothing is known of `{place}`"))?;
    if arguments.format.is_json() {
        output::print_json(&why.to_value())?;
    } else {
        output::print(&why.to_string())?;
    }
    Ok(Outcome::Fine)
}
