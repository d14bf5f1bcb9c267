//! `quipu gc`

use anyhow::Result;
use store::{Clean, gc};
use value::Value;

use crate::Outcome;
use crate::args::history::Gc;
use crate::opened::{Access, count, open};
use crate::output::{self, plural};

pub(crate) fn run(arguments: &Gc) -> Result<Outcome> {
    let clean = if arguments.dry_run { Clean::DryRun } else { Clean::Remove };
    let access = if arguments.dry_run { Access::Read } else { Access::Change };
    let store = open(&arguments.store, access)?;
    let cleaned = gc(&*store, clean)?;
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("removed", count(cleaned.removed)),
            ("bytes", count(cleaned.bytes)),
            ("dry_run", arguments.dry_run.into()),
        ]))?;
    } else {
        let what = plural(cleaned.removed, "value");
        let verb = if arguments.dry_run { "would be removed" } else { "removed" };
        output::print(&format!("{what} {verb}, {} bytes", cleaned.bytes))?;
    }
    Ok(Outcome::Fine)
}
