//! What events must say together: a result needs a call, an effect its decision, a fork a plan.
//!
//! A [`Ledger`] takes the events of one stream's lineage in order. Before each, it can say which
//! invariants that event would break: the engine refuses to append such an event, and an import
//! flags it. What an event says by itself is checked elsewhere (`kinds`), and so are names, which
//! are the store's (a name only moves to a link that exists).

mod asked;
mod calls;
mod course;
mod layers;
mod policies;
mod resources;
mod violation;

use asked::Asked;
use calls::Calls;
use course::Course;
use policies::Policies;
use resources::Resources;
pub use violation::Violation;

use crate::kinds::records::EventRef;
use crate::kinds::{Fact, What};
use crate::plan::Live;
use crate::{Event, EventId, Timestamp};

/// What the events so far amount to, as far as later ones can contradict them.
///
/// For each event it keeps 16 bytes, because any event can be referred to; for each call, model
/// request, question and snapshot its id and how far it has come; beside these, the policies, the
/// resources, and the timers and handles that are open. Of what events hold it keeps nothing. A
/// clone shares almost all of it, so that a fork's ledger costs next to nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    course: Course,
    calls: Calls,
    asked: Asked,
    policies: Policies,
    resources: Resources,
}

impl Ledger {
    /// Of what came before, only the resources are known, so that nothing else that is missing
    /// counts against an event.
    pub fn knowing(live: Live) -> Ledger {
        let mut ledger = Ledger { course: Course::cut(), ..Ledger::default() };
        ledger.resources.live = live;
        ledger
    }

    /// Which invariants an event would break as the next one. `fact` is what it says, if that can
    /// be read; `recorded` is when it was recorded, if that tells something about its `ts`.
    pub fn check(
        &self,
        event: &Event,
        fact: Option<&Fact>,
        recorded: Option<Timestamp>,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        self.course.check(event, fact, &mut found);
        if let Some(fact) = fact {
            self.calls.check(event.id(), &fact.what, &self.course, &self.policies, &mut found);
            self.course.check_references(&fact.what, &mut found);
            self.asked.check(&fact.what, &self.course, &mut found);
            self.policies.check(&fact.what, &mut found);
            self.resources.check(&fact.what, &mut found);
            clock(fact.common.ts, recorded, &mut found);
            // Where what came before is not here, nothing that is missing counts against it.
            // In the stream of an agent, references lead to its runs.
            if self.course.is_cut() {
                found.retain(|violation| !violation.is_about_absence());
            } else if fact.common.run_id.is_none() {
                found.retain(|violation| !matches!(violation, Violation::UnknownEvent { .. }));
            }
        }
        found
    }

    /// Takes the next event in, whatever is wrong with it. What it breaks is flagged once: later
    /// events are held against what it says.
    pub fn apply(&mut self, event: &Event, fact: Option<&Fact>) {
        if let Some(fact) = fact {
            self.calls.apply(event.id(), fact);
            self.asked.apply(event.id(), fact);
            self.policies.apply(&fact.what);
            self.resources.apply(fact);
        }
        self.course.apply(event, fact);
    }

    /// The resources that are in use.
    pub fn live(&self) -> &Live {
        &self.resources.live
    }
}

/// Further than this from when it was recorded, a time is a mistake or a lie.
const CLOCK_SPAN_MAX: i64 = 24 * 60 * 60 * 1_000_000;

fn clock(ts: Timestamp, recorded: Option<Timestamp>, found: &mut Vec<Violation>) {
    if let Some(recorded) = recorded
        && ts.micros().abs_diff(recorded.micros()) > CLOCK_SPAN_MAX.unsigned_abs()
    {
        found.push(Violation::ClockSuspect { ts, recorded });
    }
}

/// The members of an event that name another one of the same lineage, with where they stand.
fn references(what: &What) -> Vec<(&'static str, Option<usize>, EventId)> {
    let one = |member, id| vec![(member, None, id)];
    let maybe = |member, given: Option<&EventRef>| {
        given.map(|given| (member, None, given.event_id)).into_iter().collect()
    };
    match what {
        What::ToolCall(call) => maybe("requested_by", call.requested_by.as_ref()),
        What::Substitution(event) => one("original_event", event.original_event.event_id),
        What::AgentForked(event) => maybe("at_event", event.at_event.as_ref()),
        What::EffectStarted(event) => one("call", event.call.event_id),
        What::ApprovalRequested(event) => one("call", event.call.event_id),
        What::QuestionAsked(event) => maybe("call", event.call.as_ref()),
        What::ApprovalDecided(event) => {
            let members = [("request", &event.request), ("call", &event.call)];
            let given =
                members.into_iter().filter_map(|(name, given)| Some((name, given.as_ref()?)));
            given.map(|(name, given)| (name, None, given.event_id)).collect()
        }
        What::Interruption(event) => {
            let affected = event.affects.iter().enumerate();
            affected.map(|(index, one)| ("affects", Some(index), one.event_id)).collect()
        }
        _ => Vec::new(),
    }
}
