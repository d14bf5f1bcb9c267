//! Which resources are in use at the end of a lineage, and which of them other branches hold.

use std::collections::BTreeMap;

use history::kinds::words::PlanMode;
use history::kinds::{Fact, Kind, What};
use history::plan::Live;
use history::{Event, Lineage, Stream, Visit};
use value::{Text, Value, json};

use crate::{Store, StoreError};

/// The resources in use. Only events about resources are read.
pub(crate) fn live(store: &dyn Store, lineage: &Lineage) -> Result<Live, StoreError> {
    let mut live = Live::default();
    let mut failed = None;
    lineage.visit(store, Some(Live::KINDS), 0, |_, entry| match fact(store, &entry.event) {
        Ok(fact) => {
            fact.iter().for_each(|fact| live.apply(fact));
            Visit::More
        }
        Err(error) => {
            failed = Some(error);
            Visit::Stop
        }
    })?;
    failed.map_or(Ok(live), Err)
}

/// What an event says, with the values that stand beside it.
pub(crate) fn fact(store: &dyn Store, event: &Event) -> Result<Option<Fact>, StoreError> {
    let mut failed = None;
    let read = |bytes: Vec<u8>| -> Option<Value> {
        Some(json::read(std::str::from_utf8(&bytes).ok()?).ok()?.0)
    };
    let fact = event.fact_with(|id| match store.blob(id) {
        Ok(bytes) => bytes.and_then(read),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    failed.map_or(Ok(fact), Err)
}

/// Resources that forks of the lineage's runs, or forks of those, took over and still hold, each
/// with the branch. Every stream is looked at, but only such forks are read.
pub(crate) fn held_by_others(
    store: &dyn Store,
    lineage: &Lineage,
) -> Result<BTreeMap<Text, Text>, StoreError> {
    const PAGE: usize = 512;
    let is_own =
        |stream: &Stream| lineage.segments().iter().any(|segment| segment.stream == *stream);
    let mut held = BTreeMap::new();
    let mut after = None;
    loop {
        let page = store.streams(after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { return Ok(held) };
        after = Some(last.stream.clone());
        for other in page.iter().filter(|other| other.parent.is_some() && !is_own(&other.stream)) {
            let Some(whole) = Lineage::of(store, &other.stream, None)? else { continue };
            if !whole.segments().iter().any(|segment| is_own(&segment.stream)) {
                continue;
            }
            let kinds = &[Kind::AgentForked];
            let begin = store.read_kinds(&other.stream, kinds, other.first, other.next, 1)?;
            let Some(entry) = begin.first() else { continue };
            let Some(Fact { what: What::AgentForked(forked), .. }) = fact(store, &entry.event)?
            else {
                continue;
            };
            let mut taken = forked.volume_plan.unwrap_or_default();
            taken.retain(|item| {
                item.mode == PlanMode::Keep && item.kept_by.as_ref() == Some(&forked.to_branch)
            });
            if taken.is_empty() {
                continue;
            }
            let live = live(store, &whole)?;
            let writable = live.writable();
            let still = taken.into_iter().filter(|item| writable.contains(&item.resource));
            held.extend(still.map(|item| (item.resource, forked.to_branch.clone())));
        }
    }
}
