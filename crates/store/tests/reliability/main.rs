//! Nothing that was acknowledged is ever lost, and nothing that was changed is ever believed:
//! processes that are killed, power that fails, calls of the system that fail, bits that flip,
//! others that write at the same time.
//!
//! The suite takes a sample. `QUIPU_KILLS=10000`, `QUIPU_FAULTS=all` and `QUIPU_FLIPS=all` take
//! more; `QUIPU_SEED` begins elsewhere.

mod concurrency;
// They come between a process and Linux's libc.
#[cfg(target_os = "linux")]
mod faults;
mod flips;
mod kills;
#[cfg(target_os = "linux")]
mod power;
mod process;
mod processes;
mod proof;
mod written;

use std::path::{Path, PathBuf};

use store::{SqliteStore, StoreError};

/// Opens a store, which is made if it is not there.
fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path)
}

/// Where a suite begins its random choices.
fn seed() -> u64 {
    std::env::var("QUIPU_SEED").map_or(1, |seed| seed.parse().expect("QUIPU_SEED is a number"))
}

/// A folder that is gone when it is dropped.
struct Folder(PathBuf);

impl Folder {
    /// On the disk that builds go to.
    fn on_disk(name: &str) -> Folder {
        Folder::below(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
    }

    /// In memory where the system has a place for that: what is tested there needs no disk.
    fn in_memory(name: &str) -> Folder {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Folder::below(memory, name) } else { Folder::on_disk(name) }
    }

    fn below(parent: &Path, name: &str) -> Folder {
        let path = parent.join(format!("quipu-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("there is room for a folder");
        Folder(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // After a failure it is kept, to be looked at.
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
