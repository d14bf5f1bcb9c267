//! Names of places, such as branches: where one points, moving it, and undoing a move.

use diagnostics::nearest;
use history::{Lineage, Operation, OperationId, Place, Stream, Target, Timestamp};

use crate::{MoveError, Store, StoreError, rules};

/// Who moves a name, and why.
#[derive(Clone, Debug)]
pub struct By {
    /// When.
    pub ts: Timestamp,
    /// Who.
    pub actor: Option<String>,
    /// Why. A move that does not go forward needs it.
    pub reason: Option<String>,
}

/// A name was not moved.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// There is no such event.
    #[error("there is no `{0}`")]
    NoPlace(Place),
    /// The name points nowhere.
    #[error("there is no name `{name}`")]
    NoName {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// The store did not move it.
    #[error("{0}")]
    Move(#[from] MoveError),
}

impl From<StoreError> for NameError {
    fn from(error: StoreError) -> NameError {
        NameError::Move(error.into())
    }
}

/// Whether something can be a name at all.
pub fn check(name: &str) -> Result<(), MoveError> {
    if rules::is_name(name) { Ok(()) } else { Err(MoveError::BadName(name.into())) }
}

/// Lets a name point to an event.
pub fn set(store: &dyn Store, name: &str, place: &Place, by: By) -> Result<OperationId, NameError> {
    let found = Lineage::locate(store, place)?;
    let (_, entry) = found.ok_or_else(|| NameError::NoPlace(place.clone()))?;
    let target = Target { place: place.clone(), link: entry.link };
    let previous = store.name(name)?.map(|(id, _)| id);
    move_to(store, name, previous, Some(target), by)
}

/// Lets a name point nowhere. Where it pointed stays known.
pub fn remove(store: &dyn Store, name: &str, by: By) -> Result<OperationId, NameError> {
    match store.name(name)? {
        Some((id, Operation { target: Some(_), .. })) => move_to(store, name, Some(id), None, by),
        _ => Err(no_name(store, name)?),
    }
}

/// Lets a name point to where it pointed before its last move, which is one more move: undoing
/// twice changes nothing. The reason is `undo`, if no other is given.
pub fn undo(store: &dyn Store, name: &str, by: By) -> Result<OperationId, NameError> {
    let mut operations = store.operations(name)?;
    let Some((last, _)) = operations.pop() else { return Err(no_name(store, name)?) };
    let target = operations.pop().and_then(|(_, before)| before.target);
    let reason = by.reason.or_else(|| Some("undo".into()));
    move_to(store, name, Some(last), target, By { reason, ..by })
}

/// The place that somebody means: by a name, as `run@seq`, or as a run, which is its last event.
pub fn resolve(store: &dyn Store, words: &str) -> Result<Option<Place>, StoreError> {
    if let Some((_, Operation { target: Some(target), .. })) = store.name(words)? {
        return Ok(Some(target.place));
    }
    let stream = Stream::from_words(words);
    if let Some(info) = store.stream(&stream)? {
        return Ok(Some(Place::new(stream, info.next.saturating_sub(1))));
    }
    let Some(place) = Place::parse(words) else { return Ok(None) };
    let info = store.stream(&place.stream)?;
    Ok(info.filter(|info| place.seq < info.next).map(|_| place))
}

fn move_to(
    store: &dyn Store,
    name: &str,
    previous: Option<OperationId>,
    target: Option<Target>,
    By { ts, actor, reason }: By,
) -> Result<OperationId, NameError> {
    let name = name.to_string();
    Ok(store.move_name(&Operation { name, previous, target, ts, actor, reason })?)
}

fn no_name(store: &dyn Store, name: &str) -> Result<NameError, StoreError> {
    let names = store.names()?;
    let known = names.iter().filter(|(_, last)| last.target.is_some());
    let near = nearest(name, known.map(|(_, last)| &*last.name)).map(str::to_string);
    Ok(NameError::NoName { name: name.into(), near })
}
