//! What events amount to that are in the store already. Forks of one run share what they fold.

use std::collections::BTreeMap;
use std::sync::Arc;

use history::kinds::Fact;
use history::{Event, Ledger, Lineage, Place, Stream, Visit};
use value::Map;

use crate::{Store, StoreError};

/// So many ledgers of places that forks go on from are kept.
const KEPT_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Ledgers {
    /// Each up to and with the event at a place, in the stream whose own event that is.
    kept: BTreeMap<Place, Arc<Ledger>>,
}

impl Ledgers {
    /// What the events of a stream's lineage before a number amount to.
    pub(super) fn at(
        &mut self,
        store: &dyn Store,
        stream: &Stream,
        until: u64,
    ) -> Result<Arc<Ledger>, StoreError> {
        let Some(lineage) = Lineage::of(store, stream, Some(until))? else {
            return Ok(Arc::default());
        };
        let nearest = lineage.segments().iter().rev().find_map(|segment| {
            let place = |seq| Place::new(segment.stream.clone(), seq);
            self.kept.range(place(segment.from)..place(segment.until)).next_back()
        });
        let (from, mut ledger) = match nearest {
            Some((place, ledger)) => (place.seq + 1, ledger.clone()),
            None => (0, Arc::default()),
        };
        let (mut last, mut failed) = (None, None);
        lineage.visit(store, None, from, |place, entry| {
            match fact(store, &entry.event, &entry.event.members()) {
                Ok(fact) => Arc::make_mut(&mut ledger).apply(&entry.event, fact.as_ref()),
                Err(error) => {
                    failed = Some(error);
                    return Visit::Stop;
                }
            }
            last = Some(place);
            Visit::More
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(last) = last {
            if self.kept.len() == KEPT_MAX {
                self.kept.clear();
            }
            self.kept.insert(last, ledger.clone());
        }
        Ok(ledger)
    }
}

/// What an event says, with what stands behind hashes as far as it is there.
pub(super) fn fact(
    store: &dyn Store,
    event: &Event,
    members: &Map,
) -> Result<Option<Fact>, StoreError> {
    if !event.body().contains("\"$blob\"") {
        return Ok(Fact::read(event.kind(), members));
    }
    store.fact(event)
}
