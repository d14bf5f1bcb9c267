//! The keys of a block, and what is known of each.

use std::collections::BTreeMap;
use std::ops::Range;

use value::Text;

use crate::block::Need;

/// A key, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(usize);

/// Keys by number. What changes from place to place is counted here and listed in `written`
/// and `guards`, so that leaving a branch takes back only what the branch added.
#[derive(Default)]
pub(super) struct Keys<'a> {
    numbers: BTreeMap<&'a str, Key>,
    entries: Vec<Entry<'a>>,
    reads: Vec<Key>,
    writes: Vec<Key>,
    needs: Vec<(Key, Range<usize>, bool)>,
    written: Vec<Key>,
    guards: Vec<Key>,
}

struct Entry<'a> {
    name: &'a str,
    is_read: bool,
    is_written: bool,
    is_needed: bool,
    /// May have been written before this place.
    written_here: bool,
    /// How many conditions around this place say that it is there.
    guards_here: usize,
}

impl<'a> Keys<'a> {
    pub(super) fn key(&mut self, name: &'a str) -> Key {
        let next = Key(self.entries.len());
        let key = *self.numbers.entry(name).or_insert(next);
        if key == next {
            self.entries.push(Entry {
                name,
                is_read: false,
                is_written: false,
                is_needed: false,
                written_here: false,
                guards_here: 0,
            });
        }
        key
    }

    pub(super) fn read(&mut self, key: Key) {
        if !std::mem::replace(&mut self.entries[key.0].is_read, true) {
            self.reads.push(key);
        }
    }

    pub(super) fn write(&mut self, key: Key) {
        let entry = &mut self.entries[key.0];
        if !std::mem::replace(&mut entry.is_written, true) {
            self.writes.push(key);
        }
        if !std::mem::replace(&mut entry.written_here, true) {
            self.written.push(key);
        }
    }

    /// The key must be there, unless it is known to be. Only the first such place is kept,
    /// and then the first that is always reached.
    pub(super) fn need(&mut self, key: Key, range: Range<usize>, always: bool) {
        let entry = &mut self.entries[key.0];
        if entry.written_here || entry.guards_here > 0 {
            return;
        }
        if !std::mem::replace(&mut entry.is_needed, true) {
            self.needs.push((key, range, always));
        } else if always
            && let Some(need) = self.needs.iter_mut().find(|need| need.0 == key && !need.2)
        {
            *need = (key, range, always);
        }
    }

    /// How much has been written, to be given to [`Keys::set_aside`].
    pub(super) fn written(&self) -> usize {
        self.written.len()
    }

    /// Takes back what was written since: another branch did not see it.
    pub(super) fn set_aside(&mut self, mark: usize) -> Vec<Key> {
        let aside = self.written.split_off(mark);
        aside.iter().for_each(|key| self.entries[key.0].written_here = false);
        aside
    }

    /// After the branches, either may have written.
    pub(super) fn bring_back(&mut self, aside: Vec<Key>) {
        aside.into_iter().for_each(|key| self.write(key));
    }

    pub(super) fn guards(&self) -> usize {
        self.guards.len()
    }

    pub(super) fn guard(&mut self, key: Key) {
        self.entries[key.0].guards_here += 1;
        self.guards.push(key);
    }

    /// Forgets the conditions added since.
    pub(super) fn release(&mut self, mark: usize) {
        for key in self.guards.drain(mark..) {
            self.entries[key.0].guards_here -= 1;
        }
    }

    /// What was read, written and needed.
    pub(super) fn finish(self) -> (Vec<Text>, Vec<Text>, Vec<Need>) {
        let texts: Vec<Text> = self.entries.iter().map(|entry| entry.name.into()).collect();
        let text = |key: &Key| texts[key.0].clone();
        let needs = self.needs.into_iter();
        (
            self.reads.iter().map(text).collect(),
            self.writes.iter().map(text).collect(),
            needs.map(|(key, range, always)| Need { key: text(&key), range, always }).collect(),
        )
    }
}
