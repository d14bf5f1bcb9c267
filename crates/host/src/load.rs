//! A run from a store: its events folded, with the logic that they do not hold.

use std::sync::Arc;

use history::kinds::{Fact, Kind, RunStarted, What};
use history::{Entry, Event, Ledger, Lineage, Place, Stream, Visit};
use runtime::{Difference, Fold, Logic, Plan, Run, Step};
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
    #[error("`{0}` was not run by Quipu: there is no graph in its history to go by")]
    Foreign(Stream),
    /// The engine would have done something else.
    #[error("`{0}` is not what the engine derives from its history; `quipu replay` shows both")]
    Differs(Place, Box<Difference>),
    /// Its last events belong to something of which the rest is missing.
    #[error(
        "the history of `{0}` ends in the middle of what belongs together: it was cut off, and \
         cannot go on from there; `quipu fork {0}@SEQ` can go on from an event before"
    )]
    CutOff(Stream),
    /// It was forked with a graph that it does not fit.
    #[error("it does not fit the graph that it was forked with: {0}")]
    Migration(String),
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
    let folding = fold(store, stream, until, None, logic, None)?;
    if until.is_none() && folding.fold.is_between() {
        // Whoever went on would record its beginning once more.
        return Err(LoadError::CutOff(stream.clone()));
    }
    let (plan, run) = folding.fold.finish();
    Ok(Loaded { plan, run, next: folding.next, ledger: folding.ledger })
}

/// A run and everything that it did.
pub struct Traced {
    /// What it runs by.
    pub plan: Arc<Plan>,
    /// The run.
    pub run: Run,
    /// What it did, derived again.
    pub steps: Vec<Step>,
    /// The number that its next event will have.
    pub next: u64,
}

/// Loads a run with everything that it did, up to an event where that is given.
pub fn traced(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
    logic: &mut dyn Logic,
) -> Result<Traced, LoadError> {
    let mut steps = Vec::new();
    let mut take = |fold: &mut Fold, seq, event: &Event, fact: &Fact, logic: &mut dyn Logic| {
        runtime::trace(fold, seq, event, fact, logic, &mut steps)
    };
    let folded = fold(store, stream, until, None, logic, Some(&mut take));
    let Folded { mut fold, next, .. } = folded?;
    if until.is_none() {
        runtime::trace_rest(&mut fold, next.saturating_sub(1), logic, &mut steps);
    }
    let (plan, run) = fold.finish();
    Ok(Traced { plan, run, steps, next })
}

/// Derives a run again, with another graph where one is given. Nothing is called but logic.
pub fn replay(
    store: &dyn Store,
    stream: &Stream,
    plan: Option<Arc<Plan>>,
    logic: &mut dyn Logic,
) -> Result<u64, LoadError> {
    Ok(fold(store, stream, None, plan, logic, None)?.next)
}

/// Takes one event into a fold.
type Take<'a> =
    dyn FnMut(&mut Fold, u64, &Event, &Fact, &mut dyn Logic) -> Result<(), Difference> + 'a;

struct Folded {
    fold: Fold,
    next: u64,
    ledger: Ledger,
}

fn fold(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
    other_plan: Option<Arc<Plan>>,
    logic: &mut dyn Logic,
    mut watch: Option<&mut Take<'_>>,
) -> Result<Folded, LoadError> {
    let lineage = Lineage::of(store, stream, until)?;
    let lineage = lineage.ok_or_else(|| LoadError::NoRun(stream.clone()))?;
    let mut folding = Folding { store, other_plan, fold: None, ledger: Ledger::default(), next: 0 };
    let mut failed = None;
    lineage.visit(store, None, 0, |place, entry| {
        match folding.take(&place, &entry, logic, watch.as_deref_mut()) {
            Ok(()) => Visit::More,
            Err(error) => {
                failed = Some(error);
                Visit::Stop
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let fold = folding.fold.ok_or_else(|| LoadError::Foreign(stream.clone()))?;
    Ok(Folded { fold, next: folding.next, ledger: folding.ledger })
}

struct Folding<'a> {
    store: &'a dyn Store,
    /// What is run by, whatever the history says.
    other_plan: Option<Arc<Plan>>,
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
        watch: Option<&mut Take<'_>>,
    ) -> Result<(), LoadError> {
        // What the engine derives need not be read, if nobody looks at what happens.
        let fold = self.fold.as_mut().filter(|_| watch.is_none());
        if let Some(fact) = fold.and_then(|fold| fold.take_derived(&entry.event, logic)) {
            self.ledger.apply(&entry.event, Some(&fact));
            self.next = entry.seq + 1;
            return Ok(());
        }
        let fact = history::Archive::fact(self.store, &entry.event)?;
        self.ledger.apply(&entry.event, fact.as_ref());
        self.next = entry.seq + 1;
        let foreign = || LoadError::Foreign(place.stream.clone());
        if entry.event.kind() == Kind::Unknown && self.fold.is_some() {
            // Whoever writes what this version does not know changes nothing that it derives.
            return Ok(());
        }
        let fact = fact.ok_or_else(foreign)?;
        if let What::RunStarted(started) = &fact.what {
            self.begin(started, foreign)?;
        }
        let fold = self.fold.as_mut().ok_or_else(foreign)?;
        let taken = match watch {
            Some(take) => take(fold, entry.seq, &entry.event, &fact, logic),
            None => fold.take(entry.seq, &entry.event, &fact, logic),
        };
        taken.map_err(|difference| LoadError::Differs(place.clone(), Box::new(difference)))
    }

    /// A run begins with its graph; a fork goes on with its parent's, or with one of its own.
    fn begin(
        &mut self,
        started: &RunStarted,
        foreign: impl Fn() -> LoadError,
    ) -> Result<(), LoadError> {
        if started.from.is_none() {
            let plan = match (&self.other_plan, &started.document) {
                (Some(plan), _) => plan.clone(),
                (None, Some(document)) => Arc::new(pinned::plan(document)?),
                (None, None) => return Err(foreign()),
            };
            self.fold = Some(Fold::new(plan));
        } else if let (Some(document), None) = (&started.document, &self.other_plan) {
            let plan = Arc::new(pinned::plan(document)?);
            let fold = self.fold.as_mut().ok_or_else(foreign)?;
            fold.change_plan(plan).map_err(|refused| {
                let list: Vec<String> = refused.iter().map(ToString::to_string).collect();
                LoadError::Migration(list.join("; "))
            })?;
        }
        Ok(())
    }
}
