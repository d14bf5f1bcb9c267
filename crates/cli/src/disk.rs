//! Files as they are, but for those that were changed and are not written yet.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use value::Text;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The files that can be read from here.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// By their real paths: two names may be one file.
    changed: BTreeMap<PathBuf, Changed>,
}

/// A file that is to have another text, both without a byte order mark.
#[derive(Debug)]
pub(crate) struct Changed {
    /// The name that it is known by.
    pub(crate) name: Text,
    /// As it is on the disk.
    pub(crate) before: String,
    /// As it should be.
    pub(crate) after: String,
}

impl Disk {
    /// The bytes of a file, and at most one more than are wanted.
    pub(crate) fn read(&self, file: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        if !self.changed.is_empty()
            && let Some(changed) = self.changed.get(&file.canonicalize()?)
        {
            return Ok(changed.after.clone().into_bytes());
        }
        let mut bytes = Vec::new();
        File::open(file)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Gives a file another text, for whoever reads it from here.
    pub(crate) fn change(&mut self, file: PathBuf, name: Text, before: String, after: String) {
        let first = Changed { name, before, after: String::new() };
        self.changed.entry(file).or_insert(first).after = after;
    }

    /// What was changed.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Changed> {
        self.changed.values()
    }

    /// Writes what was changed: each file at once, and none of them before all can be written as
    /// far as one can see.
    pub(crate) fn write(&self) -> Result<()> {
        let cannot = |changed: &Changed| format!("cannot write `{}`", changed.name);
        let mut kept = Vec::with_capacity(self.changed.len());
        for (file, changed) in &self.changed {
            kept.push(Kept::of(file, changed).with_context(|| cannot(changed))?);
        }
        for ((file, changed), kept) in self.changed.iter().zip(kept) {
            kept.write(file, changed).with_context(|| cannot(changed))?;
        }
        Ok(())
    }
}

/// What a file keeps when it gets another text.
struct Kept {
    mark: &'static [u8],
    permissions: fs::Permissions,
}

impl Kept {
    fn of(file: &Path, changed: &Changed) -> Result<Kept> {
        let permissions = file.metadata()?.permissions();
        if permissions.readonly() {
            bail!("it is read-only");
        }
        let bytes = fs::read(file)?;
        let (mark, rest) = match bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK, rest),
            None => (&[][..], &*bytes),
        };
        if rest != changed.before.as_bytes() {
            bail!("somebody else changed it meanwhile");
        }
        Ok(Kept { mark, permissions })
    }

    fn write(self, file: &Path, changed: &Changed) -> Result<()> {
        let mut name = file.file_name().context("it has no name")?.to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let part = file.with_file_name(name);
        let written = File::create_new(&part).and_then(|mut created| {
            created.set_permissions(self.permissions)?;
            created.write_all(self.mark)?;
            created.write_all(changed.after.as_bytes())?;
            created.sync_all()?;
            fs::rename(&part, file)
        });
        if written.is_err() {
            // It is of no use to anybody; if it cannot be removed, it does no harm.
            let _ = fs::remove_file(&part);
        }
        Ok(written?)
    }
}
