//! What every backend asks of a request before it writes. Only what can be known from what others
//! can already see; what must be decided while nobody else writes is each backend's own.

use std::collections::BTreeSet;

use history::kinds::records::Origin;
use history::kinds::{Blob, Kind, referenced};
use history::{Archive, BlobId, Entry, Event, Lineage, Operation, OperationId, Place, Stream};
use value::json;

use crate::{Append, AppendError, Expected, MoveError, StoreError, VALUE_MAX};

/// Whether events may stand where they should, as far as they themselves say: what else stands
/// there would be damage.
pub(crate) fn check_events(append: &Append<'_>) -> Result<(), AppendError> {
    if append.events.is_empty() {
        return Err(AppendError::Empty);
    }
    check_sizes(append.events.iter().map(|event| event.body().len()))?;
    check_blobs(append.blobs)?;
    let mut own = String::new();
    if let Stream::Run(id) | Stream::Agent(id) = append.stream {
        json::write_text(&mut own, id);
    }
    // Reading them all would take longer than writing them.
    let says = |event: &Event, name, own: Option<&str>| match event.written(name) {
        Some(written) if written.starts_with('"') => Some(written) != own,
        _ => false,
    };
    let is_suspect = |event: &&Event| match append.stream {
        Stream::Run(_) => says(event, "run_id", Some(&own)),
        Stream::Agent(_) => says(event, "agent_id", Some(&own)) || says(event, "run_id", None),
        Stream::Store => says(event, "agent_id", None) || says(event, "run_id", None),
    };
    for event in append.events.iter().filter(is_suspect) {
        if let Some((member, id)) = append.stream.contradicted_by(&event.members()) {
            return Err(AppendError::Elsewhere { stream: append.stream.clone(), member, id });
        }
    }
    Ok(())
}

/// Whether values can be kept.
pub(crate) fn check_blobs(blobs: &[Blob]) -> Result<(), AppendError> {
    check_sizes(blobs.iter().map(|blob| blob.bytes().len()))
}

fn check_sizes(mut sizes: impl Iterator<Item = usize>) -> Result<(), AppendError> {
    sizes.find(|size| *size > VALUE_MAX).map_or(Ok(()), |size| Err(AppendError::TooLarge(size)))
}

/// The event a stream is to fork from, with its place in the stream whose own event it is. The
/// first event of the fork must say the same.
pub(crate) fn origin(
    archive: &impl Archive<Error = StoreError>,
    append: &Append<'_>,
) -> Result<Option<(Place, Entry)>, AppendError> {
    let Expected::Fork(place) = &append.expected else { return Ok(None) };
    if let Some(other) = [append.stream, &place.stream].into_iter().find(|it| it.run_id().is_none())
    {
        return Err(AppendError::NotARun(other.clone()));
    }
    let Some((owner, entry)) = Lineage::locate(archive, place)? else { return Ok(None) };
    let named = append.events.first().and_then(named_origin);
    let is_it = match named {
        Some(from) if from.event_id == entry.event.id() && from.seq == bounded(owner.seq) => {
            // It may be named by way of a fork that shares it.
            let run = Stream::Run(from.run_id);
            run == owner.stream
                || Lineage::locate(archive, &Place::new(run, owner.seq))?
                    .is_some_and(|(other, _)| other == owner)
        }
        _ => false,
    };
    if !is_it {
        return Err(AppendError::NotFrom { stream: append.stream.clone(), origin: owner });
    }
    Ok(Some((owner, entry)))
}

/// What a run goes on from, if its first event says so.
fn named_origin(event: &Event) -> Option<Origin> {
    let from = event.written("from").filter(|_| event.kind() == Kind::RunStarted)?;
    Origin::from_members(json::read(from).ok()?.0.as_map()?)
}

fn bounded(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// The hashes that the events refer to, and that did not come with them.
pub(crate) fn blobs_needed(append: &Append<'_>) -> BTreeSet<BlobId> {
    let mut needed = BTreeSet::new();
    if append.unverified {
        return needed;
    }
    // Most events refer to nothing, and reading them all would take longer than writing them.
    for event in append.events.iter().filter(|event| event.body().contains("{\"$blob\":\"")) {
        needed.extend(event.members().values().filter_map(referenced));
    }
    append.blobs.iter().for_each(|blob| {
        needed.remove(&blob.id());
    });
    needed
}

/// What is to be done about a move.
pub(crate) enum Move {
    /// Note it.
    Make(OperationId),
    /// It was noted before.
    Made(OperationId),
}

/// Whether a name may be moved, given the last operation on it.
pub(crate) fn check_move(
    archive: &impl Archive<Error = StoreError>,
    last: Option<&(OperationId, Operation)>,
    operation: &Operation,
) -> Result<Move, MoveError> {
    if !is_name(&operation.name) {
        return Err(MoveError::BadName(operation.name.clone()));
    }
    let id = operation.id();
    let actual = last.map(|(id, _)| *id);
    if actual == Some(id) {
        return Ok(Move::Made(id));
    }
    if actual != operation.previous {
        return Err(MoveError::Conflict { name: operation.name.clone(), actual });
    }
    let target = match &operation.target {
        None => None,
        Some(target) => match Lineage::locate(archive, &target.place)? {
            Some((_, entry)) if entry.link == target.link => Some(&target.place),
            _ => return Err(MoveError::NoTarget(target.place.clone())),
        },
    };
    let left = last.and_then(|(_, last)| last.target.as_ref()).map(|target| &target.place);
    let is_forward = match (left, target) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(left), Some(target)) => is_before(archive, left, target)?,
    };
    if !is_forward && operation.reason.as_deref().is_none_or(str::is_empty) {
        return Err(MoveError::NeedsReason(operation.name.clone()));
    }
    Ok(Move::Make(id))
}

/// Whether an event is another one, or part of what led to it.
fn is_before(
    archive: &impl Archive<Error = StoreError>,
    early: &Place,
    late: &Place,
) -> Result<bool, StoreError> {
    let Some((early, _)) = Lineage::locate(archive, early)? else { return Ok(false) };
    let lineage = Lineage::of(archive, &late.stream, Some(late.seq + 1))?;
    Ok(lineage.is_some_and(|lineage| lineage.owner(early.seq) == Some(&early.stream)))
}

/// Names are written in commands and shown in lists, so that they are kept plain.
pub(crate) fn is_name(name: &str) -> bool {
    const LENGTH_MAX: usize = 200;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    (1..=LENGTH_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with('-')
        && !name.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_store_keeps_is_refused() {
        assert!(check_sizes([0, VALUE_MAX].into_iter()).is_ok());
        let refused = check_sizes([1, VALUE_MAX + 1].into_iter());
        assert!(matches!(refused, Err(AppendError::TooLarge(size)) if size == VALUE_MAX + 1));
    }
}
