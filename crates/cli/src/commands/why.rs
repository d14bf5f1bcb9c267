//! `quipu why`

use anyhow::{Context, Result};
use history::Visit;
use host::{Python, Told, tell};
use runtime::Trail;

use crate::args::running::Why;
use crate::opened::{Access, open};
use crate::running::run_stream;
use crate::{Outcome, find, output};

/// What happens is recorded by so many events more, behind the first: a question, its answer and
/// what follows from it are told together.
const TOGETHER_MAX: u64 = 3;

pub(crate) fn run(arguments: &Why) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let place = find::place(&*store, &arguments.at)?;
    run_stream(&place.stream)?;
    let mut logic = Python::default();
    let mut trail = Trail::new(place.seq);
    let until = Some(place.seq + 1 + TOGETHER_MAX);
    let plan = tell(&*store, &place.stream, until, &mut logic, &mut |told| {
        if let Told::Step(step) = told {
            trail.add(step);
        }
        Visit::More
    })?;
    let why = trail.why(&plan, &place.stream.to_string());
    let why = why.with_context(|| format!("nothing is known of `{place}`"))?;
    if arguments.format.is_json() {
        output::print_json(&why.to_value())?;
    } else {
        output::print(&why.to_string())?;
    }
    Ok(Outcome::Fine)
}
