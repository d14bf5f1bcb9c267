//! Takes histories in: exports, and events as spec 5 writes them, one for each line.
//!
//! The file is read line by line. Values come first, so that an event never stands in the store
//! before what it refers to; then events, in the order of the file; then forks whose origin came
//! after them; then names. Whatever fails in between, the same import again completes it.
//!
//! A line that cannot be kept is said, and the rest of its stream in this file is not taken,
//! because its order would be lost for ever. Other streams go on. A line that nobody can read
//! might be anybody's: after it, no event is taken that does not say its place itself, and what
//! else cannot be read is counted only, because most often it has the same cause.

mod add;
mod findings;
mod known;
mod ledgers;
mod lines;
mod names;
mod place;
mod rehearsal;
mod streams;
mod values;

use std::io;

use diagnostics::{Diagnostic, Severity, Source};
use history::Timestamp;
use history::line::{Line, NotALine, Whose};
pub use lines::Input;
use value::Text;

use self::add::{LIMITS, Limits};
use self::ledgers::Ledgers;
use self::lines::{Current, Lines, Spot, Stretches};
use self::rehearsal::Rehearsal;
use self::streams::Streams;
use crate::{AppendError, MoveError, Store, StoreError};

/// How to import.
#[derive(Clone, Debug)]
pub struct Importing {
    /// The name to show for the file.
    pub file: Text,
    /// Whether nothing at all is taken if anything is wrong.
    pub strict: bool,
    /// What time it is.
    pub now: Timestamp,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// Events that are new.
    pub added: u64,
    /// Events that were there before.
    pub repeated: u64,
    /// Lines that were not taken because of what was said about a line before them.
    pub left: u64,
    /// Streams with new events.
    pub runs: u64,
    /// Large values that are new.
    pub blobs: u64,
    /// Moves of names that are new.
    pub names: u64,
    /// Errors that were found.
    pub errors: u64,
    /// Warnings that were found.
    pub warnings: u64,
    /// Whether nothing was taken because of them.
    pub refused: bool,
}

/// An import broke off. What was taken is sound, and the same import again goes on.
#[derive(Debug, thiserror::Error)]
#[error("it broke off after {} new events", done.added)]
pub struct BrokenOff {
    /// What was done until then. Under `strict` nothing is, as long as it is only tried.
    pub done: Imported,
    /// Why.
    #[source]
    pub why: Box<ImportError>,
}

/// Why an import breaks off.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read, or nothing can be put aside.
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
    /// The store refused what it should have taken; somebody else writes to it.
    #[error("{0}")]
    Append(#[from] AppendError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Who is told what is wrong with a line. Places are pointers as far as they are places in JSON.
pub type Tell<'a> = dyn FnMut(&Source, Diagnostic) + 'a;

/// Imports a file. Under `strict` it is read twice: nothing is written before all of it is known
/// to be right.
pub fn import(
    store: &dyn Store,
    input: &mut dyn Input,
    importing: &Importing,
    tell: &mut Tell<'_>,
) -> Result<Imported, BrokenOff> {
    if importing.strict {
        let nothing = |why| BrokenOff { done: Imported::default(), why: Box::new(why) };
        let rehearsal = Rehearsal::new(store).map_err(|error| nothing(error.into()))?;
        let rehearsed = run(&rehearsal, input, importing, LIMITS, tell);
        let rehearsed = rehearsed.map_err(|broken| nothing(*broken.why))?;
        if rehearsed.errors > 0 {
            let Imported { errors, warnings, .. } = rehearsed;
            return Ok(Imported { errors, warnings, refused: true, ..Imported::default() });
        }
        return run(store, input, importing, LIMITS, &mut |_, _| {});
    }
    run(store, input, importing, LIMITS, tell)
}

fn run(
    store: &dyn Store,
    input: &mut dyn Input,
    importing: &Importing,
    limits: Limits,
    tell: &mut Tell<'_>,
) -> Result<Imported, BrokenOff> {
    let mut import = Import {
        store,
        limits,
        findings: Findings { importing, tell, done: Imported::default() },
        streams: Streams::default(),
        ledgers: Ledgers::default(),
        moves: Stretches::default(),
        lost_at: None,
    };
    let result = import.all(input);
    let (events, runs) = import.streams.untaken();
    let mut done = import.findings.done;
    done.added -= events;
    done.runs -= runs;
    match result {
        Ok(()) => Ok(done),
        Err(why) => Err(BrokenOff { done, why: Box::new(why) }),
    }
}

/// An import under way.
struct Import<'a> {
    store: &'a dyn Store,
    limits: Limits,
    findings: Findings<'a>,
    streams: Streams,
    ledgers: Ledgers,
    /// Lines about names, which wait until all events are there.
    moves: Stretches,
    /// The line after which nobody knows which event that stands alone follows which.
    lost_at: Option<usize>,
}

impl Import<'_> {
    fn all(&mut self, input: &mut dyn Input) -> Result<(), ImportError> {
        values::keep(self.store, &mut Lines::new(input)?, &mut self.findings.done)?;
        let mut lines = Lines::new(input)?;
        while let Some(spot) = lines.read()? {
            self.line(spot, &lines)?;
        }
        self.settle(&mut lines)?;
        self.names(&mut lines)
    }

    /// Takes the current line.
    fn line(&mut self, spot: Spot, lines: &Lines<'_>) -> Result<(), ImportError> {
        let current = match lines.current(spot) {
            _ if lines.is_too_long() => {
                self.unreadable(spot, lines, |_| findings::too_long());
                return Ok(());
            }
            Err(error) => {
                self.unreadable(spot, lines, |source| findings::not_utf8(source, error));
                return Ok(());
            }
            Ok(current) => current,
        };
        match Line::read(current.text) {
            Ok(Line::Event { stream, seq, link, event }) => {
                self.placed(&current, &stream, seq, link, event)
            }
            Ok(Line::Bare(event)) => self.bare(&current, event),
            Ok(Line::Operation { .. }) => {
                self.moves.add(&current);
                Ok(())
            }
            Ok(Line::Blob { id, bytes }) => {
                values::check(&mut self.findings, &current, id, &bytes);
                Ok(())
            }
            Err(not_a_line) => self.broken(&current, not_a_line),
        }
    }

    /// A line that nobody can read might be anybody's.
    fn unreadable(
        &mut self,
        spot: Spot,
        lines: &Lines<'_>,
        find: impl FnOnce(&Source) -> Diagnostic,
    ) {
        if self.is_lost(spot) {
            self.findings.done.left += 1;
            return;
        }
        let text = lines.lossy();
        let source = Source::piece(self.findings.importing.file.clone(), spot.number, text);
        let found = find(&source);
        self.lose_order(spot, lines.is_open(), &source, found);
    }

    fn broken(&mut self, current: &Current<'_>, line: NotALine) -> Result<(), ImportError> {
        if self.is_lost(current.spot) && matches!(line.whose, Whose::Alone(_) | Whose::Anybody) {
            self.findings.done.left += 1;
            return Ok(());
        }
        let source = self.findings.source(current);
        let whose = line.whose.clone();
        let mut found = findings::not_a_line(&source, line);
        match whose {
            Whose::Nobody => {}
            Whose::Alone(stream) | Whose::Placed(stream) => self.stop(&stream, &mut found)?,
            Whose::Anybody => {
                self.lose_order(current.spot, current.is_open, &source, found);
                return Ok(());
            }
        }
        self.findings.report(&source, found);
        Ok(())
    }

    /// Whether nobody knows any more which event that stands alone follows which.
    fn is_lost(&self, spot: Spot) -> bool {
        self.lost_at.is_some_and(|line| spot.number > line)
    }

    fn lose_order(&mut self, spot: Spot, is_open: bool, source: &Source, mut found: Diagnostic) {
        self.lost_at = Some(spot.number);
        match findings::misshapen(source) {
            Some(cause) => found = cause,
            None if is_open => {
                findings::add_help(&mut found, "the file ends in this line; is it all of it?");
            }
            None => findings::add_help(
                &mut found,
                "events behind it are not taken, because nobody knows what is missing, unless \
                 they are lines of an export",
            ),
        }
        self.findings.report(source, found);
    }
}

/// Counts findings, and hands them on.
struct Findings<'a> {
    importing: &'a Importing,
    tell: &'a mut Tell<'a>,
    done: Imported,
}

impl Findings<'_> {
    fn source(&self, current: &Current<'_>) -> Source {
        Source::piece(self.importing.file.clone(), current.spot.number, current.text)
    }

    fn add(&mut self, current: &Current<'_>, found: Diagnostic) {
        self.report(&self.source(current), found);
    }

    fn report(&mut self, source: &Source, mut found: Diagnostic) {
        if self.importing.strict && found.code.strict {
            found.severity = Severity::Error;
        }
        match found.severity {
            Severity::Error => self.done.errors += 1,
            Severity::Warning => self.done.warnings += 1,
            Severity::Note => {}
        }
        (self.tell)(source, found);
    }
}

/// A name cannot be moved for reasons of the store's own.
fn of_store(error: MoveError) -> Result<String, ImportError> {
    match error {
        MoveError::Store(error) => Err(error.into()),
        other => Ok(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use history::line::Line;

    use super::*;
    use crate::{Archive, Durability, Expected, MemoryStore, export};

    fn exported(store: &dyn Store) -> String {
        let mut out = Vec::new();
        export(store, None, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// A generated history, as an export.
    fn generated(seed: u64) -> String {
        let store = MemoryStore::default();
        for piece in sim::history::histories(seed, 400) {
            let next = store.stream(&piece.stream).unwrap().map(|info| info.next);
            let expected = match (next, piece.fork_of) {
                (Some(next), _) => Expected::Next(next),
                (None, Some(place)) => Expected::Fork(place),
                (None, None) => Expected::New,
            };
            let append = crate::Append {
                stream: &piece.stream,
                expected,
                events: &piece.events,
                blobs: &piece.blobs,
                key: None,
                durability: Durability::Os,
                unverified: false,
            };
            store.append(&append).unwrap();
        }
        exported(&store)
    }

    /// The same events in another order of runs, each alone.
    fn alone(exported: &str) -> String {
        let mut lines: Vec<(u64, String)> = Vec::new();
        for line in exported.lines() {
            lines.push(match Line::read(line) {
                Ok(Line::Event { seq, event, .. }) => (seq, value::json::canonical(&event.value())),
                _ => (u64::MAX, line.into()),
            });
        }
        // Round and round, as a log of many runs would be.
        lines.sort_by_key(|(seq, _)| *seq);
        lines.into_iter().map(|(_, line)| line + "\n").collect()
    }

    #[test]
    fn what_is_found_and_kept_does_not_depend_on_memory() {
        let importing =
            Importing { file: "f".into(), strict: false, now: Timestamp::from_micros(i64::MAX) };
        let small = [
            Limits { batch: 1, pending: usize::MAX, remembered: usize::MAX },
            Limits { batch: usize::MAX, pending: 2000, remembered: usize::MAX },
            Limits { batch: 7, pending: usize::MAX, remembered: 3 },
            Limits { batch: usize::MAX, pending: usize::MAX, remembered: 40 },
        ];
        for seed in 0..3 {
            let placed = generated(seed);
            let alone = alone(&placed);
            for file in [placed.clone(), alone.clone(), format!("{alone}{alone}{placed}")] {
                // The second time, the store has a part of it.
                let half = file.len() / 2 + file[file.len() / 2..].find('\n').unwrap() + 1;
                let import = |limits| {
                    let store = MemoryStore::default();
                    let mut found = Vec::new();
                    let mut done = Vec::new();
                    for file in [&file[..half], &file] {
                        let mut input = Cursor::new(file.as_bytes());
                        let tell = &mut |source: &Source, finding| {
                            found.push((source.first_line(), finding));
                        };
                        done.push(run(&store, &mut input, &importing, limits, tell).unwrap());
                    }
                    (done, found, exported(&store))
                };
                let usual = import(LIMITS);
                assert!(usual.2 == placed, "seed {seed}");
                for limits in small {
                    assert!(import(limits) == usual, "seed {seed}, {limits:?}");
                }
            }
        }
    }
}
