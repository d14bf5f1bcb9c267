//! `quipu export`

use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use store::{Store, export};

use crate::Outcome;
use crate::args::history::Export;
use crate::opened::{Access, find_run, open};
use crate::output;

pub(crate) fn run(arguments: &Export) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let selected: Vec<_> =
        arguments.runs.iter().map(|run| find_run(&*store, run)).collect::<Result<_>>()?;
    let selected = (!selected.is_empty()).then_some(selected.as_slice());
    match &arguments.output {
        None => write(&*store, selected, &mut output::page())?,
        Some(file) => {
            let created = std::fs::File::create(file);
            let created = created.with_context(|| format!("cannot write `{file}`"))?;
            let mut out = BufWriter::with_capacity(1 << 16, created);
            write(&*store, selected, &mut out)
                .with_context(|| format!("cannot write all of `{file}`"))?;
        }
    }
    Ok(Outcome::Fine)
}

fn write(
    store: &dyn Store,
    selected: Option<&[history::Stream]>,
    out: &mut dyn Write,
) -> Result<()> {
    export(store, selected, out)?;
    Ok(out.flush()?)
}
