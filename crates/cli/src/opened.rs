//! Which store a command works on, and what it says when that is not as it was written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use history::Timestamp;
use store::{MemoryStore, SqliteStore, Store, StoreError};
use value::Value;

use crate::args::history::StoreChoice;
use crate::output;

/// Where histories are kept unless somebody says otherwise.
const DEFAULT: &str = "sqlite:.quipu/quipu.db";

/// What a command does with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It reads it, and it must be there.
    Read,
    /// It writes to it, and it must be there.
    Change,
    /// It writes to it, and makes it if it is not there.
    Create,
}

/// Opens the store that was chosen, for several to use.
pub(crate) fn open_shared(choice: &StoreChoice, access: Access) -> Result<Arc<dyn Store>> {
    Ok(Arc::from(open(choice, access)?))
}

/// The store as the command line names it: commands that are proposed must name it too.
static NAMED: OnceLock<String> = OnceLock::new();

/// The store as the command line names it, if it does.
pub(crate) fn named() -> Option<&'static str> {
    NAMED.get().map(String::as_str)
}

/// Opens the store that was chosen.
pub(crate) fn open(choice: &StoreChoice, access: Access) -> Result<Box<dyn Store>> {
    if let Some(named) = &choice.store {
        NAMED.get_or_init(|| named.clone());
    }
    let Some(path) = path(choice)? else { return Ok(Box::new(MemoryStore::default())) };
    if access != Access::Create && !path.exists() {
        bail!("there is no store at `{}` yet; `quipu run FILE` makes one", path.display());
    }
    Ok(match access {
        Access::Read => Box::new(open_reader(&path)?),
        Access::Change | Access::Create => Box::new(SqliteStore::open(&path)?),
    })
}

/// A store of an older version is brought to the current one first.
fn open_reader(path: &Path) -> Result<SqliteStore, StoreError> {
    match SqliteStore::open_reader(path) {
        Err(error @ StoreError::Unusable(_)) => match SqliteStore::open(path) {
            Ok(brought) => {
                drop(brought);
                SqliteStore::open_reader(path)
            }
            Err(_) => Err(error),
        },
        other => other,
    }
}

/// Where the store that was chosen is; nowhere if it is in memory.
pub(crate) fn path(choice: &StoreChoice) -> Result<Option<PathBuf>> {
    let chosen = match &choice.store {
        Some(chosen) => chosen.clone(),
        None => match std::env::var("QUIPU_STORE") {
            Ok(chosen) if !chosen.is_empty() => chosen,
            _ => DEFAULT.to_string(),
        },
    };
    match chosen.split_once(':') {
        None if chosen == "memory" => Ok(None),
        Some(("sqlite", path)) if !path.is_empty() => Ok(Some(Path::new(path).to_path_buf())),
        Some((kind @ ("postgres" | "git"), _)) => bail!("`{kind}` stores cannot be used yet"),
        _ => bail!("`{chosen}` is no store; write `sqlite:PATH` or `memory`"),
    }
}

/// Whether a command could not go on because a store is not as it was written.
pub(crate) fn is_damage(error: &anyhow::Error) -> bool {
    let is_damaged = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref(), Some(StoreError::Damaged { .. }))
    };
    error.chain().any(is_damaged)
}

/// What a script gets instead of what it asked for.
pub(crate) fn refusal(error: &anyhow::Error) -> Value {
    let why = Value::map([("code", "DAMAGED".into()), ("message", output::told(error).into())]);
    Value::map([("ok", false.into()), ("error", why)])
}

/// What time it is. `QUIPU_NOW` says so where an example must come out the same every time.
pub(crate) fn now() -> Result<Timestamp> {
    if let Ok(text) = std::env::var("QUIPU_NOW") {
        return Timestamp::parse(&text)
            .with_context(|| format!("`{text}` in QUIPU_NOW is no time"));
    }
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}

/// A number as JSON. Canonical JSON has none beyond 2^53; no count comes near.
pub(crate) fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
