//! A run from a store: its events folded, with the logic that they do not hold.

use std::sync::Arc;

use history::kinds::{Kind, RunStarted, What};
use history::{Entry, Ledger, Lineage, Place, Stream, Visit};
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
    #[error("{0}")]
    Pinned(#[from] PinnedError),
    /// The store could not be read.
    #[error("{0}")]
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
    let folded = tell_all(store, stream, until, logic, &mut |told| {
        if let Told::Step(step) = told {
            steps.push(step);
        }
        Visit::More
    })?;
    let (plan, run) = folded.fold.finish();
    Ok(Traced { plan, run, steps, next: folded.next })
}

/// What is told of a run.
pub enum Told<'a> {
    /// An event stands here in its history.
    Event(&'a Place, &'a Entry),
    /// It did something.
    Step(Step),
}

/// Hears of a run, as long as it wants more.
pub type Tell<'a> = dyn FnMut(Told<'_>) -> Visit + 'a;

/// Tells of a run in order, up to an event where that is given: each event, and behind it what
/// follows from it. Nothing of it is kept. Gives back the plan that the run goes by.
pub fn tell(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
    logic: &mut dyn Logic,
    tell: &mut Tell<'_>,
) -> Result<Arc<Plan>, LoadError> {
    Ok(tell_all(store, stream, until, logic, tell)?.fold.finish().0)
}

fn tell_all(
    store: &dyn Store,
    stream: &Stream,
    until: Option<u64>,
    logic: &mut dyn Logic,
    tell: &mut Tell<'_>,
) -> Result<Folded, LoadError> {
    let mut telling = Telling { tell, visit: Visit::More, between: Vec::new() };
    let folded = fold(store, stream, until, None, logic, Some(&mut telling));
    telling.events();
    let mut folded = folded?;
    if until.is_none() && telling.visit == Visit::More {
        let last = folded.next.saturating_sub(1);
        runtime::trace_rest(&mut folded.fold, last, logic, &mut |step| telling.step(step));
    }
    Ok(folded)
}

/// Brings events and steps into their order.
struct Telling<'a, 't> {
    tell: &'a mut Tell<'t>,
    visit: Visit,
    /// Events that belong to something of which more must come. What comes before that may still
    /// have to be told.
    between: Vec<(Place, Entry)>,
}

impl Telling<'_, '_> {
    fn step(&mut self, step: Step) {
        self.visit = (self.tell)(Told::Step(step));
    }

    fn events(&mut self) {
        for (place, entry) in self.between.drain(..) {
            if self.visit == Visit::More {
                self.visit = (self.tell)(Told::Event(&place, &entry));
            }
        }
    }
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
    mut telling: Option<&mut Telling<'_, '_>>,
) -> Result<Folded, LoadError> {
    let lineage = Lineage::of(store, stream, until)?;
    let lineage = lineage.ok_or_else(|| LoadError::NoRun(stream.clone()))?;
    let mut folding = Folding { store, other_plan, fold: None, ledger: Ledger::default(), next: 0 };
    let mut failed = None;
    lineage.visit(store, None, 0, |place, entry| {
        let taken = folding.take(&place, &entry, logic, telling.as_deref_mut());
        if let Err(error) = taken {
            failed = Some(error);
            return Visit::Stop;
        }
        let Some(telling) = &mut telling else { return Visit::More };
        telling.between.push((place, entry));
        if !folding.is_between() {
            telling.events();
        }
        telling.visit
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
    /// Whether the last events belong to something of which more must come.
    fn is_between(&self) -> bool {
        self.fold.as_ref().is_some_and(Fold::is_between)
    }

    fn take(
        &mut self,
        place: &Place,
        entry: &Entry,
        logic: &mut dyn Logic,
        telling: Option<&mut Telling<'_, '_>>,
    ) -> Result<(), LoadError> {
        // What the engine derives need not be read, if nobody looks at what happens.
        let fold = self.fold.as_mut().filter(|_| telling.is_none());
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
        let taken = match telling {
            Some(telling) => {
                let mut tell = |step| telling.step(step);
                runtime::trace(fold, entry.seq, &entry.event, &fact, logic, &mut tell)
            }
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
                (None, Some(document)) => {
                    Arc::new(pinned::plan(document, started.versions.as_deref())?)
                }
                (None, None) => return Err(foreign()),
            };
            self.fold = Some(Fold::new(plan));
        } else if let (Some(document), None) = (&started.document, &self.other_plan) {
            let plan = Arc::new(pinned::plan(document, started.versions.as_deref())?);
            let fold = self.fold.as_mut().ok_or_else(foreign)?;
            fold.change_plan(plan).map_err(|refused| {
                let list: Vec<String> = refused.iter().map(ToString::to_string).collect();
                LoadError::Migration(list.join("; "))
            })?;
        }
        Ok(())
    }
}
