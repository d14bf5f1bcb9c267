//! `quipu runs`

use anyhow::Result;
use history::Stream;
use history::query::{self, Item, RunFilter, RunState};
use value::Value;

use super::log::time;
use crate::Outcome;
use crate::args::history::Runs;
use crate::opened::{Access, open};
use crate::output::{self, plural};

pub(crate) fn run(arguments: &Runs) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let text = |text: &Option<String>| text.as_deref().map(Into::into);
    let filter = RunFilter {
        agent: text(&arguments.agent),
        status: arguments.status.map(|status| output::word(status).into()),
        since: arguments.since.as_deref().map(time).transpose()?,
        until: arguments.until.as_deref().map(time).transpose()?,
        text: text(&arguments.id),
    };
    let found = query::runs(&*store, &filter, arguments.limit)?;
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("runs", Value::list(found.items.iter().map(Item::value))),
            ("truncated", found.truncated.into()),
        ]))?;
        return Ok(Outcome::Fine);
    }
    if found.items.is_empty() {
        let is_any = filter == RunFilter::default();
        output::note(if is_any { "there is no run yet" } else { "there is no such run" });
    } else {
        let rows: Vec<[String; 6]> = found.items.iter().map(row).collect();
        output::print(&output::table(&rows))?;
    }
    if found.truncated {
        output::note("there are more; the list was cut");
    }
    Ok(Outcome::Fine)
}

fn row(run: &RunState) -> [String; 6] {
    [
        Stream::Run(run.run.clone()).to_string(),
        run.status.to_string(),
        run.agent.as_deref().unwrap_or("-").to_string(),
        run.started.map_or_else(|| "-".to_string(), |ts| ts.to_string()[..19].replace('T', " ")),
        plural(run.events, "event"),
        run.parent.as_ref().map(|place| format!("from {place}")).unwrap_or_default(),
    ]
}
