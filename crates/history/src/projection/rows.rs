//! Rows with two times: when something is true, and when it was believed.
//!
//! What is believed of one thing over time is a sequence of changes. A change says what holds
//! from a moment on, up to the next change; a late one ends where the next begins. Whatever was
//! believed before stays, with the number of the event that ended the belief.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use crate::{EventId, Place, Timestamp};

/// From a moment on, up to and without another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<T> {
    /// The first moment.
    pub from: T,
    /// Behind the last moment; nothing if there is no end yet.
    pub to: Option<T>,
}

impl<T: PartialOrd> Span<T> {
    /// Whether a moment is in it.
    pub fn contains(&self, moment: &T) -> bool {
        self.from <= *moment && self.to.as_ref().is_none_or(|to| moment < to)
    }
}

/// An event that says something, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Where it stands.
    pub place: Place,
    /// Which event.
    pub event: EventId,
}

/// Something that is believed, or was.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<T> {
    /// What.
    pub what: T,
    /// When it is true.
    pub valid: Span<Timestamp>,
    /// When it was believed, in numbers of the lineage.
    pub known: Span<u64>,
    /// Which event says that it begins.
    pub said: Said,
}

/// All rows about things of one sort. A key stands for what can only be one thing at a time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rows<K, T> {
    rows: Vec<Row<T>>,
    /// What holds from when on: a row, or nothing. Only what is believed now.
    changes: BTreeMap<(K, Timestamp), Option<usize>>,
}

impl<K, T> Default for Rows<K, T> {
    fn default() -> Rows<K, T> {
        Rows { rows: Vec::new(), changes: BTreeMap::new() }
    }
}

impl<K: Ord + Clone, T: Clone> Rows<K, T> {
    pub(super) fn all(&self) -> &[Row<T>] {
        &self.rows
    }

    /// Whether anything was ever said of a thing that still counts.
    pub(super) fn has(&self, key: &K) -> bool {
        self.changes_of(key).next().is_some()
    }

    /// What holds at a moment, and since when.
    pub(super) fn at(&self, key: &K, moment: Timestamp) -> Option<(Timestamp, Option<usize>)> {
        let before = self.changes.range(..=(key.clone(), moment)).next_back();
        before.filter(|((of, _), _)| of == key).map(|((_, since), row)| (*since, *row))
    }

    /// When what holds at a moment ends.
    pub(super) fn next(&self, key: &K, moment: Timestamp) -> Option<Timestamp> {
        let behind = (Bound::Excluded((key.clone(), moment)), Bound::Unbounded);
        let next = self.changes.range(behind).next();
        next.filter(|((of, _), _)| of == key).map(|((_, at), _)| *at)
    }

    /// From a moment on something else holds, or nothing. Says which rows are new.
    pub(super) fn change(
        &mut self,
        (known, said): (u64, &Said),
        key: K,
        from: Timestamp,
        what: Option<T>,
    ) -> Range<usize> {
        let first = self.rows.len();
        let next = self.next(&key, from);
        if let Some((since, Some(old))) = self.at(&key, from) {
            self.rows[old].known.to = Some(known);
            if since < from {
                let mut row = self.rows[old].clone();
                row.valid.to = Some(from);
                row.known = Span { from: known, to: None };
                self.changes.insert((key.clone(), since), Some(self.rows.len()));
                self.rows.push(row);
            }
        }
        let row = what.map(|what| {
            self.rows.push(Row {
                what,
                valid: Span { from, to: next },
                known: Span { from: known, to: None },
                said: said.clone(),
            });
            self.rows.len() - 1
        });
        self.changes.insert((key, from), row);
        first..self.rows.len()
    }

    fn changes_of(&self, key: &K) -> impl Iterator<Item = Option<usize>> {
        let start = (key.clone(), Timestamp::from_micros(i64::MIN));
        self.changes.range(start..).take_while(move |((of, _), _)| of == key).map(|(_, row)| *row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn moment(at: i64) -> Timestamp {
        Timestamp::from_micros(at)
    }

    fn shown(rows: &Rows<(), char>) -> Vec<String> {
        let end = |to: Option<i64>| to.map_or(String::new(), |to| to.to_string());
        let line = |row: &Row<char>| {
            let valid = format!(
                "{}..{}",
                row.valid.from.micros(),
                end(row.valid.to.map(Timestamp::micros))
            );
            let known = format!("{}..{}", row.known.from, end(row.known.to.map(u64::cast_signed)));
            format!("{} {valid} known {known}", row.what)
        };
        rows.all().iter().map(line).collect()
    }

    #[test]
    fn a_late_word_holds_until_the_next_one_and_overwrites_nothing() {
        let mut rows = Rows::default();
        let event = EventId(value::Digest::of(b""));
        let said = Said { place: Place::new(Stream::Store, 0), event };
        for (known, at, what) in [
            (0, 10, Some('a')),
            (1, 50, None),
            (2, 30, Some('b')),
            (3, 30, Some('c')),
            (4, 5, Some('d')),
        ] {
            rows.change((known, &said), (), moment(at), what);
        }
        assert_eq!(
            shown(&rows),
            [
                "a 10.. known 0..1",
                "a 10..50 known 1..2",
                "a 10..30 known 2..",
                "b 30..50 known 2..3",
                "c 30..50 known 3..",
                "d 5..10 known 4..",
            ]
        );
        assert!(rows.has(&()));
    }
}
