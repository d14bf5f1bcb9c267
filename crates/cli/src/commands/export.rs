//! `quipu export`

use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use store::{Store, export};

use crate::Outcome;
use crate::args::history::Export;
use crate::find;
use crate::opened::{self, Access, open};
use crate::output;

pub(crate) fn run(arguments: &Export) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let selected: Vec<_> =
        arguments.runs.iter().map(|run| find::run(&*store, run)).collect::<Result<_>>()?;
    let selected = (!selected.is_empty()).then_some(selected.as_slice());
    match &arguments.output {
        None => write(&*store, selected, &mut output::page()),
        Some(file) => write_file(&*store, selected, Path::new(file), arguments),
    }
    .map(|()| Outcome::Fine)
}

/// Writes beside the file first, so that nothing is lost if not all can be written.
fn write_file(
    store: &dyn Store,
    selected: Option<&[history::Stream]>,
    file: &Path,
    arguments: &Export,
) -> Result<()> {
    if let Some(own) = opened::path(&arguments.store)?
        && is_part_of(&own, file)
    {
        bail!("`{}` is the store itself", file.display());
    }
    // Behind a link is what was meant.
    let file = &std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let there = std::fs::metadata(file).ok();
    let written = match &there {
        // A device or a pipe is written to; there is nothing to lose.
        Some(there) if !there.is_file() => File::options()
            .write(true)
            .open(file)
            .map_err(anyhow::Error::from)
            .and_then(|opened| write(store, selected, &mut BufWriter::new(opened))),
        _ => replace(store, selected, file, there.map(|there| there.permissions())),
    };
    written.with_context(|| format!("cannot write `{}`", file.display()))
}

fn replace(
    store: &dyn Store,
    selected: Option<&[history::Stream]>,
    file: &Path,
    permissions: Option<Permissions>,
) -> Result<()> {
    let mut name = file.file_name().context("say which file to write")?.to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let part = file.with_file_name(name);
    let written = File::create_new(&part).map_err(anyhow::Error::from).and_then(|created| {
        if let Some(permissions) = permissions {
            created.set_permissions(permissions)?;
        }
        let mut out = BufWriter::with_capacity(1 << 16, created);
        write(store, selected, &mut out)?;
        out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
        Ok(std::fs::rename(&part, file)?)
    });
    if written.is_err() {
        // It is of no use to anybody; if it cannot be removed, it does no harm.
        let _ = std::fs::remove_file(&part);
    }
    written
}

/// Whether a file is a store's, or one of those beside it.
fn is_part_of(store: &Path, file: &Path) -> bool {
    let located = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (store, file) = (located(store), located(file));
    let beside = |end: &str| {
        let mut path = store.clone().into_os_string();
        path.push(end);
        PathBuf::from(path)
    };
    ["", "-wal", "-shm", "-journal"].iter().any(|end| beside(end) == file)
}

fn write(
    store: &dyn Store,
    selected: Option<&[history::Stream]>,
    out: &mut dyn Write,
) -> Result<()> {
    export(store, selected, out)?;
    Ok(out.flush()?)
}
