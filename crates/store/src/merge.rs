//! Merges: the decision how two branches become one, recorded in the run that goes on. Histories
//! are not woven into each other; events that are picked are adopted by reference.

use history::kinds::records::{EventRef, Origin, PlanItem};
use history::kinds::words::MergeStrategy;
use history::kinds::{BranchMerged, Common, Kind};
use history::plan::{self, Branches, Refusal};
use history::{EventId, Ledger, Lineage, Link, Place, Timestamp};
use value::Text;

use crate::live::live;
use crate::names::resolve;
use crate::{Append, AppendError, Durability, Expected, Store, StoreError, append_checked};

/// How two branches should become one.
#[derive(Clone, Debug)]
pub struct MergeRequest {
    /// The branch that goes on: a name, or a run.
    pub into: Text,
    /// The branch that ends in it: a name, a place, or a run.
    pub from: Text,
    /// Which side counts.
    pub strategy: MergeStrategy,
    /// The events that are adopted; only for `cherry_pick`.
    pub picked: Vec<EventId>,
    /// Who owns what both can write.
    pub resources: Vec<PlanItem>,
    /// Why.
    pub reason: Option<Text>,
    /// When.
    pub ts: Timestamp,
    /// When it counts as done.
    pub durability: Durability,
}

/// A merge that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// Where.
    pub place: Place,
    /// The link there.
    pub link: Link,
}

/// Branches were not merged, and nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There is no such branch.
    #[error("there is no `{0}`: neither a name nor a run")]
    NoBranch(Text),
    /// Only runs have branches.
    #[error("`{0}` is no run, and only runs can be merged")]
    NotARun(Text),
    /// The branch does not point to the end of its run, where a merge is recorded.
    #[error("`{branch}` is at `{place}`, and its run goes on to `{end}`: fork it there first")]
    NotAtTheEnd {
        /// The branch.
        branch: Text,
        /// Where it points.
        place: Place,
        /// The last event of its run.
        end: Place,
    },
    /// There is nothing to merge.
    #[error("`{from}` is part of `{into}` already")]
    Part {
        /// The branch that goes on.
        into: Text,
        /// The branch that ends in it.
        from: Text,
    },
    /// Events are picked, and the strategy is another one; or none are, and should be.
    #[error("the strategy `cherry_pick` needs picked events, and no other has them")]
    Picked,
    /// An event that cannot be picked.
    #[error("`{id}` is no event of `{from}`")]
    NotThere {
        /// Which event.
        id: EventId,
        /// The branch it should be in.
        from: Text,
    },
    /// The resources cannot be shared out like this.
    #[error("{}", .0.iter().map(Refusal::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Refusal>),
    /// The merge could not be written.
    #[error("{0}")]
    Append(#[from] AppendError),
}

impl From<StoreError> for MergeError {
    fn from(error: StoreError) -> MergeError {
        MergeError::Append(error.into())
    }
}

/// Records how two branches become one, behind the last event of the run that `into` names. No
/// name is moved.
pub fn merge(store: &dyn Store, request: &MergeRequest) -> Result<Merged, MergeError> {
    let into = Branch::find(store, &request.into, End::Last)?;
    let from = Branch::find(store, &request.from, End::Named)?;
    if into.lineage.owner(from.place.seq) == from.lineage.owner(from.place.seq) {
        let (into, from) = (request.into.clone(), request.from.clone());
        return Err(MergeError::Part { into, from });
    }
    if request.picked.is_empty() != (request.strategy != MergeStrategy::CherryPick) {
        return Err(MergeError::Picked);
    }
    if let Some(id) = missing(store, &from.lineage, &request.picked)? {
        return Err(MergeError::NotThere { id, from: request.from.clone() });
    }
    let branches = Branches { from: &request.from, to: &request.into };
    let (own, other) = (live(store, &into.lineage)?, live(store, &from.lineage)?);
    let refusals = plan::check_merge(&own, &other, branches, &request.resources);
    if !refusals.is_empty() {
        return Err(MergeError::Refused(refusals));
    }
    let stream = &into.place.stream;
    let start = store.last_of(stream, &[Kind::RunStarted], into.place.seq + 1)?;
    let start = start.map(|start| store.fact(&start.event)).transpose()?.flatten();
    let common = Common {
        agent_id: start.and_then(|start| start.common.agent_id),
        run_id: stream.run_id().cloned(),
        ..Common::at(request.ts)
    };
    let picked = request.picked.iter().map(|event_id| EventRef { event_id: *event_id });
    let sealed = common.seal(&BranchMerged {
        into: request.into.clone(),
        from: request.from.clone(),
        merged: Some(from.origin),
        strategy: Some(request.strategy.clone()),
        picked: (!request.picked.is_empty()).then(|| picked.collect()),
        resource_plan: (!request.resources.is_empty()).then(|| request.resources.clone()),
        reason: request.reason.clone(),
    });
    let append = Append {
        stream,
        expected: Expected::Next(into.place.seq + 1),
        events: &[sealed.event],
        blobs: &sealed.blobs,
        key: None,
        durability: request.durability,
        unverified: false,
    };
    let receipt = append_checked(store, &mut Ledger::knowing(own), &append)?;
    Ok(Merged { place: Place::new(stream.clone(), receipt.first), link: receipt.link })
}

/// Which event of a branch counts as its end.
#[derive(PartialEq)]
enum End {
    /// The last one of its run.
    Last,
    /// The one that it names.
    Named,
}

struct Branch {
    place: Place,
    lineage: Lineage,
    /// Its last event, in the run whose own event it is.
    origin: Origin,
}

impl Branch {
    fn find(store: &dyn Store, words: &Text, end: End) -> Result<Branch, MergeError> {
        let nothing = || MergeError::NoBranch(words.clone());
        let place = resolve(store, words)?.ok_or_else(nothing)?;
        let info = store.stream(&place.stream)?.ok_or_else(nothing)?;
        let last = info.next.saturating_sub(1);
        if end == End::Last && place.seq != last {
            let end = Place::new(place.stream.clone(), last);
            return Err(MergeError::NotAtTheEnd { branch: words.clone(), place, end });
        }
        let until = Some(place.seq.saturating_add(1));
        let lineage = Lineage::of(store, &place.stream, until)?.ok_or_else(nothing)?;
        let entry = lineage.entry(store, place.seq)?.ok_or_else(nothing)?;
        let owner = lineage.owner(place.seq).and_then(|owner| owner.run_id());
        let run_id = owner.ok_or_else(|| MergeError::NotARun(words.clone()))?.clone();
        let (seq, event_id) = (place.seq.cast_signed(), entry.event.id());
        let origin = Origin { run_id, seq, event_id };
        Ok(Branch { place, lineage, origin })
    }
}

/// The first of some events that is not in a lineage.
fn missing(
    store: &dyn Store,
    lineage: &Lineage,
    ids: &[EventId],
) -> Result<Option<EventId>, StoreError> {
    /// An event stands in few places: adopting it elsewhere adds none.
    const PLACES_MAX: usize = 1000;
    for id in ids {
        let places = store.find(&id.to_string(), PLACES_MAX)?;
        let is_there = |place: &Place| lineage.owner(place.seq) == Some(&place.stream);
        if !places.iter().any(|(place, _)| is_there(place)) {
            return Ok(Some(*id));
        }
    }
    Ok(None)
}
