//! A run from a store: its events folded, with the logic that they do not hold.

use std::sync::Arc;

use history::kinds::What;
use history::{Entry, Ledger, Lineage, Place, Stream, Visit};
use runtime::{Difference, Fold, Logic, Plan, Run};
use store::{Store, StoreError};

use crate::pinned::{self, PinnedError};

/// A run as its events left it.
pub struct Loaded {
    /// What it runs by.
    pub plan: Arc<Plan>,
    /// The run.
    pub run: Run,
    /// The number that its next event will have.
    pub next: u64,
    /// What its next events are held to.
    pub ledger: Ledger,
}

/// Why a run cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is none.
    #[error("there is no run `{0}`")]
    NoRun(Stream),
    /// Its history was not written by this engine: there is no graph in it.
    #[error(
        "`{0}` was not run by Quipu: there is no graph in its history, so that it can be read, but neither replayed nor gone on with"
    )]
    Foreign(Stream),
    /// The engine would have done something else.
    #[error("`{0}` is not what the engine derives from its history")]
    Differs(Place, Box<Difference>),
    /// The graph in its history is of no use.
    #[error(transparent)]
    Pinned(#[from] PinnedError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Loads a run, up to an event where that is given: as it was after that event, before the engine
/// went on.
pub fn load(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
    logic: &mut dyn Logic,
) -> Result<Loaded, LoadError> {
    let lineage = Lineage::of(store, stream, until)?;
    let lineage = lineage.ok_or_else(|| LoadError::NoRun(stream.clone()))?;
    let mut folding = Folding { store, fold: None, ledger: Ledger::default(), next: 0 };
    let mut failed = None;
    lineage.visit(store, None, 0, |place, entry| match folding.take(&place, &entry, logic) {
        Ok(()) => Visit::More,
        Err(error) => {
            failed = Some(error);
            Visit::Stop
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let fold = folding.fold.ok_or_else(|| LoadError::Foreign(stream.clone()))?;
    let (plan, run) = fold.finish();
    Ok(Loaded { plan, run, next: folding.next, ledger: folding.ledger })
}

struct Folding<'a> {
    store: &'a dyn Store,
    fold: Option<Fold>,
    ledger: Ledger,
    next: u64,
}

impl Folding<'_> {
    fn take(
        &mut self,
        place: &Place,
        entry: &Entry,
        logic: &mut dyn Logic,
    ) -> Result<(), LoadError> {
        let fact = history::Archive::fact(self.store, &entry.event)?;
        self.ledger.apply(&entry.event, fact.as_ref());
        self.next = entry.seq + 1;
        let foreign = || LoadError::Foreign(place.stream.clone());
        let fact = fact.ok_or_else(foreign)?;
        if let What::RunStarted(started) = &fact.what
            && started.from.is_none()
        {
            let document = started.document.as_ref().ok_or_else(foreign)?;
            self.fold = Some(Fold::new(Arc::new(pinned::plan(document)?)));
        }
        let fold = self.fold.as_mut().ok_or_else(foreign)?;
        fold.take(entry.seq, &entry.event, &fact, logic)
            .map_err(|difference| LoadError::Differs(place.clone(), Box::new(difference)))
    }
}
