//! Whether a run was begun here. What a history says is data: only in the store in which it was
//! written does it say what to open and what to call. Elsewhere its operator says so.

use history::kinds::What;
use history::{Lineage, Stream};
use store::{Store, StoreError};

/// Whether a run, up to an event where that is given, was begun with options that were written
/// here, and nothing that was added to it since came by an import.
///
/// A fork that was made here says itself how it goes on, whatever it comes from. One that does not
/// say it goes on as its parent, and is trusted as far as that.
pub fn begun_here(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
) -> Result<bool, StoreError> {
    let Some(lineage) = Lineage::of(store, stream, until)? else { return Ok(false) };
    for part in lineage.segments().iter().rev() {
        if !store.written_here(&part.stream, part.from, part.until)? {
            return Ok(false);
        }
        let first = store.read(&part.stream, part.from, 1)?;
        let first = first.first().map(|entry| store.fact(&entry.event)).transpose()?.flatten();
        match first.map(|first| first.what) {
            Some(What::RunStarted(started)) if started.options.is_some() => return Ok(true),
            _ => {}
        }
    }
    // All of it was written here, and nothing of it says how to go on.
    Ok(true)
}
