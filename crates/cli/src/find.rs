//! From what a user writes to a run, a place or an event.

use anyhow::{Context, Result, anyhow, bail};
use diagnostics::nearest;
use history::query::{self, RunFilter};
use history::{Lineage, Operation, Place, Stream};
use store::{Entry, Store, names};

/// The run that a user means: by its id, the beginning of its id, a branch, or `last`.
pub(crate) fn run(store: &dyn Store, words: &str) -> Result<Stream> {
    if words == "last" {
        let newest = query::runs(store, &RunFilter::default(), 1)?.items.into_iter().next();
        return Ok(Stream::Run(newest.context("there is no run yet")?.run));
    }
    // Every name begins with nothing: whoever gives none, as a script by mistake, means none.
    if words.is_empty() {
        bail!("a run has a name; `quipu runs` lists all of them");
    }
    let exact = Stream::from_words(words);
    if store.stream(&exact)?.is_some() {
        return Ok(exact);
    }
    if let Some(place) = branch(store, words)? {
        return Ok(place.stream);
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

/// Where a branch points.
fn branch(store: &dyn Store, words: &str) -> Result<Option<Place>> {
    Ok(match store.name(words)? {
        Some((_, Operation { target: Some(target), .. })) => Some(target.place),
        _ => None,
    })
}

fn no_run(store: &dyn Store, words: &str) -> Result<anyhow::Error> {
    /// Enough to find a misspelt id among.
    const LOOKED_AT: usize = 10_000;
    let agent = Stream::Agent(words.into());
    if store.stream(&agent)?.is_some() {
        return Ok(anyhow!("there is no run `{words}`; the agent's own events are in `{agent}`"));
    }
    let streams = store.streams(None, LOOKED_AT)?;
    let names: Vec<String> = streams.iter().map(|info| info.stream.to_string()).collect();
    Ok(match nearest(words, names.iter().map(String::as_str)) {
        Some(near) => anyhow!("there is no run `{words}`; did you mean `{near}`?"),
        None => anyhow!("there is no run `{words}`; `quipu runs` lists all of them"),
    })
}

/// The place that a user means; a run alone means its last event.
pub(crate) fn place(store: &dyn Store, words: &str) -> Result<Place> {
    let (name, seq) = split(words);
    if seq.is_none()
        && store.stream(&Stream::from_words(name))?.is_none()
        && let Some(place) = branch(store, name)?
    {
        return Ok(place);
    }
    let stream = run(store, name)?;
    let info = store.stream(&stream)?.context("a run that was found is there")?;
    let last = info.next.saturating_sub(1);
    let seq = seq.unwrap_or(last);
    if seq > last {
        bail!("`{stream}` ends at {}", Place::new(stream.clone(), last));
    }
    Ok(Place::new(stream, seq))
}

/// `RUN@SEQ` in its parts. A run's id may have an `@` of its own.
pub(crate) fn split(words: &str) -> (&str, Option<u64>) {
    match words.rsplit_once('@') {
        Some((run, seq)) if Place::parse(words).is_some() => (run, seq.parse().ok()),
        _ => (words, None),
    }
}

/// The event that a user means, where it stands itself: by `RUN@SEQ`, its id, or the beginning of
/// its id.
pub(crate) fn event(store: &dyn Store, words: &str) -> Result<(Place, Entry)> {
    const DIGITS_MIN: usize = 4;
    let place = if split(words).1.is_some() {
        place(store, words)?
    } else {
        let digits = words.strip_prefix("sha256:").unwrap_or(words).to_ascii_lowercase();
        let is_id = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id || !(DIGITS_MIN..=64).contains(&digits.len()) {
            bail!("`{words}` is no event; write `RUN@SEQ`, or four digits of its id or more");
        }
        let mut found = store.find(&digits, 100)?;
        match found.as_slice() {
            [] => bail!("there is no event `{words}`"),
            [(_, first), rest @ ..] if rest.iter().any(|(_, id)| id != first) => {
                bail!("`{words}` could be several events; write more digits")
            }
            // The same event may stand in several runs; it is the same everywhere.
            _ => found.swap_remove(0).0,
        }
    };
    let found = Lineage::locate(store, &place)?;
    found.with_context(|| format!("there is no event `{place}`"))
}

/// Whether a word has another meaning where a run or a branch is named.
pub(crate) fn means_else(word: &str) -> bool {
    word == "last" || word.contains('@') || Stream::from_name(word).is_some()
}

/// Refuses names of branches that would never be found by their name.
pub(crate) fn check_branch(store: &dyn Store, name: &str) -> Result<()> {
    names::check(name)?;
    if means_else(name) {
        bail!("a branch cannot be called `{name}`, which has a meaning");
    }
    if store.stream(&Stream::run(name))?.is_some() {
        bail!("a branch cannot be called `{name}`, as a run is");
    }
    Ok(())
}
