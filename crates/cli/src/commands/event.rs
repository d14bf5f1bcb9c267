//! `quipu event`

use std::sync::Arc;

use anyhow::{Context, Result};
use history::kinds::referenced;
use value::Value;

use crate::Outcome;
use crate::args::history::Event;
use crate::find;
use crate::opened::{Access, open};
use crate::output;

pub(crate) fn run(arguments: &Event) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let (place, entry) = find::event(&*store, &arguments.id)?;
    if !arguments.format.is_json() {
        output::note(&place.to_string());
    }
    let mut event = entry.event.value();
    if arguments.full
        && let Value::Map(members) = &mut event
    {
        for member in Arc::make_mut(members).values_mut() {
            if let Some(id) = referenced(member) {
                let value = store.value(id)?;
                *member = value.with_context(|| format!("there is nothing behind {id}"))?;
            }
        }
    }
    output::print_json(&event)?;
    Ok(Outcome::Fine)
}
