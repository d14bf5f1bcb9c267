//! One process writes at a time: a file beside the store, locked as long as it is open.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::connect::beside;
use crate::StoreError;

/// The right to write. Whoever dies loses it, since the system lets go of the lock.
pub(super) struct Lock {
    path: PathBuf,
    /// Locked while it is open.
    _file: File,
}

impl Lock {
    /// Takes it, or says who has it.
    pub(super) fn take(store: &Path) -> Result<Lock, StoreError> {
        let path = beside(store, "-lock");
        let failed = |error: io::Error| {
            StoreError::Unusable(format!("`{}` cannot be locked: {error}", path.display()))
        };
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(held(store, &path)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // The holder before may have removed the file after it was opened here: then this
            // is a lock that nobody else would meet.
            if is_at(&file, &path).map_err(failed)? {
                file.set_len(0).map_err(failed)?;
                write!(file, "{}", std::process::id()).map_err(failed)?;
                return Ok(Lock { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, so that nobody else's can be hit. What cannot be removed
        // is in nobody's way.
        let _ = fs::remove_file(&self.path);
    }
}

fn held(store: &Path, lock: &Path) -> StoreError {
    let holder = fs::read_to_string(lock).unwrap_or_default();
    let holder = match holder.trim() {
        "" => "another process".into(),
        pid => format!("process {pid}"),
    };
    StoreError::Busy(format!("`{}` is being written by {holder}", store.display()))
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere a file that is open is not removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
