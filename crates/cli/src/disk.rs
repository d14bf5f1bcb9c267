//! Files as they are, but for those that were changed and are not written yet.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The files that can be read from here.
#[derive(Debug, Default)]
pub(crate) struct Disk {
    /// By their real paths: two names may be one file.
    changed: BTreeMap<PathBuf, Vec<u8>>,
}

impl Disk {
    /// The bytes of a file, and at most one more than are wanted.
    pub(crate) fn read(&self, file: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        if !self.changed.is_empty()
            && let Some(bytes) = self.changed.get(&file.canonicalize()?)
        {
            return Ok(bytes.clone());
        }
        let mut bytes = Vec::new();
        File::open(file)?.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
