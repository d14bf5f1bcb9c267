//! How a run goes: it begins, it may be forked, it ends; and what came before what.

use std::collections::BTreeSet;

use value::Text;

use super::layers::Layers;
use super::{Violation, references};
use crate::kinds::words::Exit;
use crate::kinds::{Class, Fact, Kind, Substitution, What};
use crate::{Event, EventId};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    /// The run that is going on. A fork's lineage begins with its parents' runs.
    run: Option<Text>,
    end: End,
    /// Whether the first run goes on from events that are not here.
    cut: bool,
    last: Option<EventId>,
    count: u64,
    /// The number of each event, by the brief of its id; its first, if it was repeated. Two ids
    /// that begin alike can hide a reference that leads nowhere, but never allow an effect.
    numbers: Layers<u64, u64>,
    /// Events that will replace earlier ones, by substitutions that came first.
    promised: BTreeSet<EventId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum End {
    #[default]
    Open,
    /// Somebody ended it; how it finished may still follow.
    Cancelled,
    Finished,
}

impl Course {
    /// It goes on from events that are not here.
    pub(super) fn cut() -> Course {
        Course { cut: true, ..Course::default() }
    }

    /// Whether an event is in the lineage.
    pub(super) fn has(&self, id: EventId) -> bool {
        self.numbers.get(&id.brief()).is_some()
    }

    /// Whether an event was announced as the replacement of an earlier one.
    pub(super) fn promised(&self, id: EventId) -> bool {
        self.promised.contains(&id)
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) fn check(&self, event: &Event, fact: Option<&Fact>, found: &mut Vec<Violation>) {
        let kind = event.kind();
        let run = run_of(event, fact);
        let goes_on = run.is_none() || run == self.run;
        match (kind, run) {
            (Kind::RunStarted, Some(run)) => {
                if goes_on {
                    found.push(Violation::StartedTwice { run });
                } else if self.run.is_some()
                    && let Some(last) = self.last
                    && let Some(What::RunStarted(started)) = fact.map(|fact| &fact.what)
                {
                    let from = started.from.as_ref();
                    let seq = self.count.cast_signed() - 1;
                    if from.is_none_or(|from| from.event_id != last || from.seq != seq) {
                        let claimed = from.map(|from| (from.seq, from.event_id));
                        found.push(Violation::WrongOrigin { claimed, actual: (seq, last) });
                    }
                }
            }
            // How runs of others begin is theirs.
            (Kind::Unknown, Some(_)) if !goes_on => {}
            (_, Some(run)) if !goes_on => found.push(Violation::NotStarted { run, kind }),
            _ if goes_on && !may_follow(self.end, kind) => {
                found.push(Violation::AfterTheEnd { kind });
            }
            _ => {}
        }
    }

    pub(super) fn check_references(&self, what: &What, found: &mut Vec<Violation>) {
        for (member, index, id) in references(what) {
            if !self.has(id) {
                found.push(Violation::UnknownEvent { member, index, id });
            }
        }
        if let What::Substitution(Substitution { original_event, replacement_event, .. }) = what {
            let number = |id: EventId| self.numbers.get(&id.brief()).copied();
            let original = number(original_event.event_id);
            let replacement = number(replacement_event.event_id);
            if original.is_some() && replacement.is_some() && replacement <= original {
                found.push(Violation::SubstitutionBackwards {
                    original: original_event.event_id,
                    replacement: replacement_event.event_id,
                });
            }
        }
    }

    pub(super) fn apply(&mut self, event: &Event, fact: Option<&Fact>) {
        let run = run_of(event, fact);
        if run.is_some() && run != self.run {
            self.run = run;
            self.end = End::Open;
        }
        match (event.kind(), fact.map(|fact| &fact.what)) {
            (_, Some(What::RunStarted(started))) if self.count == 0 => {
                self.cut = started.from.is_some();
            }
            // Whoever handed a run off may come back to it.
            (_, Some(What::RunFinished(finished))) if finished.exit == Some(Exit::HandedOff) => {}
            (Kind::RunFinished, _) => self.end = End::Finished,
            (Kind::RunCancelled, _) if self.end == End::Open => self.end = End::Cancelled,
            (_, Some(What::Substitution(event))) if !self.has(event.replacement_event.event_id) => {
                self.promised.insert(event.replacement_event.event_id);
            }
            _ => {}
        }
        self.promised.remove(&event.id());
        if !self.has(event.id()) {
            self.numbers.insert(event.id().brief(), self.count);
        }
        self.last = Some(event.id());
        self.count += 1;
    }
}

/// The run of an event, whether or not what else it says can be read. What kinds of others mean to
/// a run is theirs to say.
fn run_of(event: &Event, fact: Option<&Fact>) -> Option<Text> {
    match fact {
        Some(fact) => fact.common.run_id.clone(),
        None if event.kind() == Kind::Unknown => None,
        None => Event::stream(&event.members()).run_id().cloned(),
    }
}

/// Whether an event of this kind may stand behind the end of its run: what was seen late, and what
/// is said about the history itself.
fn may_follow(end: End, kind: Kind) -> bool {
    match (end, kind) {
        (End::Open, _) | (End::Cancelled, Kind::RunFinished) => true,
        (End::Finished, Kind::RunFinished) => false,
        (
            _,
            Kind::Interruption
            | Kind::Substitution
            | Kind::BranchMerged
            | Kind::Redacted
            | Kind::Pruned
            | Kind::KeyDestroyed,
        ) => true,
        (_, kind) => {
            kind.row().is_none_or(|row| !matches!(row.class, Class::Intent | Class::Transition))
        }
    }
}
