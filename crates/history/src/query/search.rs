//! Events by what they say.

use std::collections::BTreeSet;

use value::{Map, Text, Value};

use super::events::{Told, walk};
use super::reading::{EVENTS_MAX, each_stream, lineage_at, lineage_of, members_hold};
use super::{At, Found, Order, QueryError};
use crate::archive::Archive;
use crate::kinds::{Kind, ROWS};
use crate::{Event, Lineage, Place, Timestamp, Visit};

/// What is looked for. What is not said does not matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// In this run's lineage; else in all streams, each event where it stands.
    pub run: Option<Text>,
    /// Of one of these kinds, by name. Kinds of others count too.
    pub kinds: Vec<Text>,
    /// A call of this tool, `tool` or `server.tool`, or the result of such a call.
    pub tool: Option<Text>,
    /// Something with this status, outcome, exit or decision.
    pub status: Option<Text>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Not at or behind.
    pub until: Option<Timestamp>,
    /// With this in its canonical form. The case of ASCII letters does not matter.
    pub text: Option<Text>,
    /// Which end of each stream comes first.
    pub order: Order,
    /// Behind this place, where an earlier search ended.
    pub after: Option<Place>,
    /// How many are wanted.
    pub limit: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            run: None,
            kinds: Vec::new(),
            tool: None,
            status: None,
            since: None,
            until: None,
            text: None,
            order: Order::Oldest,
            after: None,
            limit: 100,
        }
    }
}

/// The members that say how something ended.
const STATUS: &[&str] = &["status", "outcome", "exit", "decision"];

/// Events by what they say, stream by stream. This needs the kinds that are asked for, or those
/// that have what is asked for, or all.
pub fn search<A: Archive + ?Sized>(
    archive: &A,
    search: &Search,
    at: &At,
) -> Result<Found<Told>, QueryError<A::Error>> {
    let mut reader = Reader { archive, search, at, items: Vec::new(), left: EVENTS_MAX };
    let mut too_many = false;
    match (&search.run, &at.place) {
        (Some(run), _) => reader.read(&lineage_of(archive, run, at)?)?,
        (None, Some(place)) => reader.read(&lineage_at(archive, place)?)?,
        (None, None) => {
            too_many = each_stream(archive, |info| {
                let after = search.after.as_ref();
                let is_done = after.is_some_and(|after| after.stream.name() > info.stream.name());
                if is_done { Ok(()) } else { reader.read(&Lineage::own(&info)) }
            })?;
        }
    }
    let truncated = too_many || reader.left == 0;
    Ok(Found::first(reader.items, search.limit, truncated))
}

struct Reader<'a, A: ?Sized> {
    archive: &'a A,
    search: &'a Search,
    at: &'a At,
    items: Vec<Told>,
    /// How many events may still be read.
    left: usize,
}

impl<A: Archive + ?Sized> Reader<'_, A> {
    fn read(&mut self, lineage: &Lineage) -> Result<(), A::Error> {
        if self.items.len() > self.search.limit {
            return Ok(());
        }
        let search = self.search;
        let calls = self.calls(lineage)?;
        let kinds = search.kinds();
        let after = search.after.as_ref();
        let after = after.filter(|after| lineage.owner(after.seq) == Some(&after.stream));
        let from = after.and_then(|after| match search.order {
            Order::Oldest => Some(after.seq + 1),
            Order::Newest => after.seq.checked_sub(1),
        });
        // Before the first event there is none.
        if search.order == Order::Newest && after.is_some_and(|after| after.seq == 0) {
            return Ok(());
        }
        walk(self.archive, lineage, kinds.as_deref(), search.order, from, |place, entry| {
            if self.left == 0 {
                return Visit::Stop;
            }
            self.left -= 1;
            if search.matches(&entry.event, self.at, &calls) {
                self.items.push(Told { place, event: entry.event });
            }
            if self.items.len() > search.limit { Visit::Stop } else { Visit::More }
        })
    }

    /// The ids of the calls of the tool that is asked for. A fork's result may be of a call that
    /// its parent made.
    fn calls(&mut self, lineage: &Lineage) -> Result<BTreeSet<Text>, A::Error> {
        let mut ids = BTreeSet::new();
        let Some(last) = lineage.segments().last().filter(|_| self.search.tool.is_some()) else {
            return Ok(ids);
        };
        let whole = Lineage::of(self.archive, &last.stream, Some(last.until))?;
        let Some(whole) = whole else { return Ok(ids) };
        whole.visit(self.archive, Some(&[Kind::ToolCall]), 0, |_, entry| {
            if self.left == 0 {
                return Visit::Stop;
            }
            self.left -= 1;
            let members = entry.event.members();
            let id = members.get("call_id").and_then(Value::as_text);
            ids.extend(id.filter(|_| self.search.calls(&members)).cloned());
            Visit::More
        })?;
        Ok(ids)
    }
}

impl Search {
    /// Whether an event calls the tool that is asked for.
    fn calls(&self, members: &Map) -> bool {
        let text = |name: &str| members.get(name).and_then(Value::as_text);
        let own = text("tool");
        let whole = || Some(format!("{}.{}", text("server")?, own?));
        let Some(tool) = &self.tool else { return false };
        own == Some(tool) || whole().as_deref() == Some(tool)
    }

    /// The kinds that can match; nothing if that is not known.
    fn kinds(&self) -> Option<Vec<Kind>> {
        if !self.kinds.is_empty() {
            return Some(self.kinds.iter().map(|name| Kind::find(name)).collect());
        }
        // Kinds of others may have such members, too, so that they are looked at.
        let having = |names: &[&str]| {
            let rows = ROWS
                .iter()
                .filter(|row| row.members.iter().any(|member| names.contains(&member.name)));
            Some(rows.map(|row| row.kind).chain([Kind::Unknown]).collect())
        };
        match (&self.tool, &self.status) {
            (Some(_), _) => having(&["tool", "call_id"]),
            (None, Some(_)) => having(STATUS),
            (None, None) => None,
        }
    }

    /// `calls` are the ids of the calls of the tool that is asked for.
    fn matches(&self, event: &Event, at: &At, calls: &BTreeSet<Text>) -> bool {
        // The text is the cheapest to look at: the event need not be read for it.
        if let Some(text) = &self.text
            && !contains(event.body(), text)
        {
            return false;
        }
        let needs_members = !self.kinds.is_empty()
            || self.tool.is_some()
            || self.status.is_some()
            || self.since.is_some()
            || self.until.is_some()
            || at.time.is_some();
        !needs_members || self.matches_members(&event.members(), at, calls)
    }

    fn matches_members(&self, members: &Map, at: &At, calls: &BTreeSet<Text>) -> bool {
        let text = |name: &str| members.get(name).and_then(Value::as_text);
        if !self.kinds.is_empty() && !text("kind").is_some_and(|kind| self.kinds.contains(kind)) {
            return false;
        }
        let is_result = || {
            text("kind").is_some_and(|kind| **kind == *Kind::ToolResult.name())
                && text("call_id").is_some_and(|id| calls.contains(id))
        };
        if self.tool.is_some() && !self.calls(members) && !is_result() {
            return false;
        }
        if let Some(status) = &self.status
            && !STATUS.iter().any(|name| text(name) == Some(status))
        {
            return false;
        }
        let ts = Event::ts(members);
        self.since.is_none_or(|since| ts.is_some_and(|ts| since <= ts))
            && self.until.is_none_or(|until| ts.is_some_and(|ts| ts < until))
            && members_hold(members, at)
    }
}

/// Whether a text has another in it, whatever the case of ASCII letters.
fn contains(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let Some(first) = part.first() else { return true };
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let Some(last) = text.len().checked_sub(part.len()) else { return false };
    (0..=last).any(|at| {
        (text[at] == lower || text[at] == upper)
            && text[at..at + part.len()].eq_ignore_ascii_case(part)
    })
}
