//! What can happen: every kind of event, with its members.
//!
//! `table` is the only place that lists kinds. From its rows come the typed structs, the fast
//! writer ([`Common::seal`]), what is checked on import, and `docs/events.md`.
//!
//! ```
//! use history::kinds::{Common, Kind, ToolResult, words::ToolStatus};
//! let common = Common { run_id: Some("r1".into()), ..Common::at(history::Timestamp::from_micros(0)) };
//! let result = ToolResult {
//!     call_id: "c1".into(), status: Some(ToolStatus::Ok), result: None, error: None,
//! };
//! let sealed = common.seal(&result);
//! assert_eq!(sealed.event.kind(), Kind::ToolResult);
//! assert_eq!(sealed.event.fact().unwrap().common.run_id.as_deref(), Some("r1"));
//! ```

mod approval;
mod field;
mod flaw;
pub mod records;
mod seal;
mod summary;
mod table;
pub mod words;

pub use field::{Enumeration, Field, Member, Object, Record, Shape, Write};
pub use flaw::{Flaw, FlawKind, flaws};
pub use seal::{BLOB_FROM, Blob, Common, Sealed, Writer, referenced};
pub use summary::summary;
pub use table::*;

use value::Map;

use crate::Event;

/// What a kind of event is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Something is meant to happen.
    Intent,
    /// Something was seen to have happened.
    Observation,
    /// What holds from now on is something else.
    Transition,
    /// Where something comes from.
    Provenance,
    /// Can be had again, and counts for nothing.
    Cache,
}

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    /// Which kind.
    pub kind: Kind,
    /// Its name in events.
    pub name: &'static str,
    /// What it is for.
    pub class: Class,
    /// Which of the members that every kind may have it must have: above all whose it is.
    pub needs: &'static [&'static str],
    /// What it means.
    pub doc: &'static str,
    /// Its members beside those that every kind has.
    pub members: &'static [Member],
}

/// The members of one kind of event.
pub trait Body: Sized {
    /// Which kind.
    const KIND: Kind;

    /// Reads them; nothing where one that nothing can be said without is missing or of the wrong
    /// kind.
    fn read(members: &Map) -> Option<Self>;

    /// Hands every member, its own and the common ones, to a writer, in the order of RFC 8785.
    fn write(&self, common: &Common, writer: &mut Writer);
}

/// An event, read: what all kinds have, and what its kind has.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What all kinds have.
    pub common: Common,
    /// What its kind has.
    pub what: What,
}

impl Event {
    /// What it says, typed. Nothing for unknown kinds, and where a member is missing or of the
    /// wrong kind that says which thing it is about: such an event counts for what its kind says.
    /// Other members that are not as they must be count as not there.
    ///
    /// Members that stand behind a hash must have been put back before ([`Event::fact_with`]).
    pub fn fact(&self) -> Option<Fact> {
        Fact::read(self.kind(), &self.members())
    }

    /// The same with the values behind hashes, as far as they can be had.
    pub fn fact_with(
        &self,
        blob: impl FnMut(crate::BlobId) -> Option<value::Value>,
    ) -> Option<Fact> {
        let mut members = self.members();
        seal::resolve(&mut members, |_| true, blob);
        Fact::read(self.kind(), &members)
    }

    /// The same, but what may hold anything stays behind its hash: nothing hangs on it.
    pub(crate) fn fact_in_short(
        &self,
        blob: impl FnMut(crate::BlobId) -> Option<value::Value>,
    ) -> Option<Fact> {
        let row = self.kind().row()?;
        let mut members = self.members();
        let is_any = |member: &&Member| matches!(member.shape, Shape::Any | Shape::Object);
        let any: Vec<_> = row.members.iter().filter(is_any).map(|member| member.name).collect();
        seal::resolve(&mut members, |name| !any.contains(&name), blob);
        Fact::read(self.kind(), &members)
    }
}

impl Fact {
    /// Reads the members of an event of this kind.
    pub fn read(kind: Kind, members: &Map) -> Option<Fact> {
        Some(Fact { common: Common::read(members)?, what: What::read(kind, members)? })
    }
}
