//! `quipu event`

use anyhow::Result;

use crate::Outcome;
use crate::args::history::Event;
use crate::opened::{Access, find_event, open};
use crate::output;

pub(crate) fn run(arguments: &Event) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let (place, entry) = find_event(&*store, &arguments.id)?;
    if !arguments.format.is_json() {
        output::note(&place.to_string());
    }
    output::print_json(&entry.event.value())?;
    Ok(Outcome::Fine)
}
