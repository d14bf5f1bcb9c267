//! What the names of a block stand for: `state`, `state.data`, or something in it.

use std::collections::BTreeMap;

use super::keys::Key;

/// What an expression gives, as far as it matters for `state.data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// `state`
    State,
    /// `state.data`
    Data,
    /// `state.<name>`, a store.
    Store(&'a str),
    /// The value of a key, or something in it; changing it changes the key. Without a key,
    /// it is not known of which.
    Inside(Option<Key>),
    /// A fresh list or dict of things that are [`Place::Inside`].
    Fresh(Option<Key>),
    /// Anything else.
    Elsewhere,
}

impl<'a> Place<'a> {
    /// What its items are.
    pub(super) fn item(self) -> Place<'a> {
        match self {
            Place::Inside(key) | Place::Fresh(key) => Place::Inside(key),
            _ => Place::Elsewhere,
        }
    }

    /// What it is if it may also be something else.
    pub(super) fn or(self, other: Place<'a>) -> Place<'a> {
        match (self, other) {
            (one, other) if one == other => one,
            (one, Place::Elsewhere) | (Place::Elsewhere, one) => one,
            (Place::Fresh(_), Place::Fresh(_)) => Place::Fresh(None),
            (Place::Inside(_) | Place::Fresh(_), Place::Inside(_) | Place::Fresh(_)) => {
                Place::Inside(None)
            }
            // All of it is more than a part of it.
            (Place::Inside(_) | Place::Fresh(_) | Place::Store(_), other) => other,
            (one, _) => one,
        }
    }

    /// What a copy of it is.
    pub(super) fn copy(self) -> Place<'a> {
        match self {
            Place::Inside(key) | Place::Fresh(key) => Place::Fresh(key),
            Place::Data => Place::Fresh(None),
            _ => Place::Elsewhere,
        }
    }
}

/// Scopes are not told apart: a name stands for one thing at a time.
pub(super) struct Places<'a> {
    names: BTreeMap<&'a str, Place<'a>>,
}

impl Default for Places<'_> {
    fn default() -> Self {
        Places { names: BTreeMap::from([("state", Place::State)]) }
    }
}

impl<'a> Places<'a> {
    pub(super) fn of(&self, name: &str) -> Place<'a> {
        self.names.get(name).copied().unwrap_or(Place::Elsewhere)
    }

    /// The name now stands for this, or perhaps still for what it did.
    pub(super) fn bind(&mut self, name: &'a str, place: Place<'a>, conditional: bool) {
        let place = if conditional { self.of(name).or(place) } else { place };
        if place == Place::Elsewhere {
            self.names.remove(name);
        } else {
            self.names.insert(name, place);
        }
    }
}
