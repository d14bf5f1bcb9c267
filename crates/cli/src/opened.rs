//! From what a user writes to a store, a run or an event in it.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, bail};
use diagnostics::nearest;
use history::{Lineage, Place, Stream, Timestamp};
use store::{MemoryStore, SqliteStore, Store, StoreError};
use value::Value;

use crate::args::history::StoreChoice;

/// Where histories are kept unless somebody says otherwise.
const DEFAULT: &str = "sqlite:.quipu/quipu.db";

/// What a command does with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It must be there.
    Read,
    /// It is made if it is not there.
    Write,
}

/// Opens the store that was chosen.
pub(crate) fn open(choice: &StoreChoice, access: Access) -> Result<Box<dyn Store>> {
    let chosen = match &choice.store {
        Some(chosen) => chosen.clone(),
        None => match std::env::var("QUIPU_STORE") {
            Ok(chosen) if !chosen.is_empty() => chosen,
            _ => DEFAULT.to_string(),
        },
    };
    let path = match chosen.split_once(':') {
        None if chosen == "memory" => return Ok(Box::new(MemoryStore::default())),
        Some(("sqlite", path)) if !path.is_empty() => path,
        Some((kind @ ("postgres" | "git"), _)) => bail!("`{kind}` stores cannot be used yet"),
        _ => bail!("`{chosen}` is no store; write `sqlite:PATH` or `memory`"),
    };
    let path = Path::new(path);
    match access {
        Access::Write => Ok(Box::new(SqliteStore::open(path)?)),
        Access::Read if !path.exists() => {
            bail!("there is no store at `{}` yet; `quipu import FILE` makes one", path.display())
        }
        Access::Read => Ok(Box::new(SqliteStore::open_reader(path)?)),
    }
}

/// The run that a user means: by its id, by the beginning of its id, or `last`.
pub(crate) fn find_run(store: &dyn Store, words: &str) -> Result<Stream> {
    let exact = Stream::from_words(words);
    if store.stream(&exact)?.is_some() {
        return Ok(exact);
    }
    if words == "last" {
        let newest = history::query::runs(store, &history::query::RunFilter::default(), 1)?;
        let newest = newest.items.into_iter().next();
        return Ok(Stream::Run(newest.context("there is no run yet")?.run));
    }
    let begins = exact.name();
    let found = store.streams(Some(&exact), 2)?;
    let mut found = found.into_iter().filter(|info| info.stream.name().starts_with(&begins));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.stream),
        (Some(one), Some(other)) => {
            bail!("`{words}` could be `{}`, `{}` or others", one.stream, other.stream)
        }
        (None, _) => Err(no_run(store, words)?),
    }
}

fn no_run(store: &dyn Store, words: &str) -> Result<anyhow::Error> {
    /// Enough to find a misspelt id among.
    const LOOKED_AT: usize = 10_000;
    let streams = store.streams(None, LOOKED_AT)?;
    let names: Vec<String> = streams.iter().map(|info| info.stream.to_string()).collect();
    Ok(match nearest(words, names.iter().map(String::as_str)) {
        Some(near) => anyhow!("there is no run `{words}`; did you mean `{near}`?"),
        None => anyhow!("there is no run `{words}`; `quipu runs` lists all of them"),
    })
}

/// The place that a user means; a run alone means its last event.
pub(crate) fn find_place(store: &dyn Store, words: &str) -> Result<Place> {
    let (run, seq) = split_place(words);
    let stream = find_run(store, run)?;
    let info = store.stream(&stream)?.context("a run that was found is there")?;
    let seq = seq.unwrap_or(info.next - 1);
    if seq >= info.next {
        bail!("`{stream}` ends at {}", Place::new(stream.clone(), info.next - 1));
    }
    Ok(Place::new(stream, seq))
}

/// `RUN@SEQ` in its parts. A run's id may have an `@` of its own.
pub(crate) fn split_place(words: &str) -> (&str, Option<u64>) {
    match words.rsplit_once('@') {
        Some((run, seq)) if Place::parse(words).is_some() => (run, seq.parse().ok()),
        _ => (words, None),
    }
}

/// The place of the event that a user means: by `RUN@SEQ`, its id, or the beginning of its id.
pub(crate) fn find_event(store: &dyn Store, words: &str) -> Result<(Place, store::Entry)> {
    let digits = words.strip_prefix("sha256:").unwrap_or(words);
    let is_id = (4..=64).contains(&digits.len())
        && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut found = if is_id { store.find(digits, 100)? } else { Vec::new() };
    let place = match found.as_slice() {
        [] if is_id && split_place(words).1.is_none() => {
            find_place(store, words).map_err(|_| anyhow!("there is no event `{words}`"))?
        }
        [] => find_place(store, words)?,
        [(_, first), rest @ ..] if rest.iter().any(|(_, id)| id != first) => {
            bail!("`{words}` could be several events; write more digits")
        }
        // The same event may stand in several runs; it is the same everywhere.
        _ => found.swap_remove(0).0,
    };
    let lineage = Lineage::of(store, &place.stream, None)?;
    let lineage = lineage.with_context(|| format!("there is no run `{}`", place.stream))?;
    let entry = lineage.entry(store, place.seq)?;
    let entry = entry.with_context(|| format!("there is no event `{place}`"))?;
    let owner = lineage.owner(place.seq).cloned().unwrap_or(place.stream);
    Ok((Place::new(owner, place.seq), entry))
}

/// Whether a command could not go on because a store is not as it was written.
pub(crate) fn is_damage(error: &anyhow::Error) -> bool {
    let is_damaged = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref(), Some(StoreError::Damaged(_)))
    };
    error.chain().any(is_damaged)
}

/// What a script gets instead of what it asked for.
pub(crate) fn refusal(error: &anyhow::Error) -> Value {
    let why = Value::map([("code", "DAMAGED".into()), ("message", format!("{error:#}").into())]);
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
