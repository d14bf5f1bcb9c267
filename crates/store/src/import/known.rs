//! Which events a stream has already, and whether the file has them in the same order.

use std::collections::HashSet;

use history::{EventId, Link, Place, Stream};

use super::lines::Current;
use super::{Import, ImportError, findings};

/// How many events are looked up at once.
const PAGE: usize = 256;

impl Import<'_> {
    /// Says, once for each stream, that an event which stands alone follows another one in the file
    /// than in the store, where it is at a number or else comes last.
    pub(super) fn check_order(&mut self, current: &Current<'_>, stream: &Stream, seq: Option<u64>) {
        let open = self.streams.open(stream);
        let differs = open.last.is_some_and(|last| match seq {
            // One that stands in the file twice is told as that.
            Some(seq) => seq < last && seq < open.before,
            None => last + 1 < open.next,
        });
        open.last = seq.filter(|seq| *seq < open.before).or(open.last);
        if differs && !std::mem::replace(&mut open.is_mixed, true) {
            let end = seq.is_none().then(|| Place::new(stream.clone(), open.next - 1));
            self.findings
                .add(current, findings::order_differs(stream, end, self.findings.importing.strict));
        }
    }

    /// Where a stream has an event. What says that it is of one run stands in no other, so that
    /// those it goes on from need not be asked.
    pub(super) fn known(
        &mut self,
        stream: &Stream,
        id: EventId,
    ) -> Result<Option<u64>, ImportError> {
        let open = self.streams.open(stream);
        let (cursor, before) = (open.cursor, open.before);
        if cursor < before && self.there(stream, cursor)?.is_some_and(|(there, _)| there == id) {
            self.streams.open(stream).cursor += 1;
            return Ok(Some(cursor));
        }
        if self.streams.open(stream).seen.is_none() {
            self.see(stream)?;
        }
        let open = self.streams.open(stream);
        if open.seen.as_ref().is_some_and(|seen| !seen.contains(&id.brief())) {
            return Ok(None);
        }
        let pending = (open.next - open.pending.len() as u64..).zip(&open.pending);
        if let Some((seq, _)) = pending.into_iter().find(|(_, event)| event.id() == id) {
            return Ok(Some(seq));
        }
        let Some(seq) = self.lookup(stream, id)? else { return Ok(None) };
        self.streams.open(stream).cursor = seq + 1;
        Ok(Some(seq))
    }

    /// Takes note of the ids that a stream has, once the store was asked for so many of them that
    /// reading all costs no more than asking did. Those of a very long stream take too much memory.
    fn see(&mut self, stream: &Stream) -> Result<(), ImportError> {
        /// Asking for one costs as much as reading so many.
        const COST: u64 = 256;
        /// So many take the room of one event of which everything is remembered.
        const TOGETHER: u64 = 8;
        let limit = self.limits.remembered;
        let open = self.streams.open(stream);
        open.asked += 1;
        let length = open.next - open.first;
        let size = usize::try_from(length / TOGETHER).unwrap_or(usize::MAX);
        if open.asked * COST < length || size > limit / 2 {
            return Ok(());
        }
        self.flush(stream)?;
        self.remember(size)?;
        let mut seen = HashSet::new();
        let mut from = 0;
        loop {
            let page = self.store.read(stream, from, PAGE)?;
            let Some(last) = page.last() else { break };
            from = last.seq + 1;
            seen.extend(page.iter().map(|entry| entry.event.id().brief()));
        }
        let open = self.streams.open(stream);
        (open.seen, open.asked) = (Some(seen), 0);
        // It counts even if all else was forgotten for it.
        self.streams.remembered = self.streams.remembered.max(size);
        Ok(())
    }

    /// Where a stream has an event, as the store knows it.
    fn lookup(&self, stream: &Stream, id: EventId) -> Result<Option<u64>, ImportError> {
        let prefix = id.to_string();
        let mut limit = 8;
        loop {
            let found = self.store.find(&prefix, limit)?;
            if let Some((place, _)) = found.iter().find(|(place, _)| place.stream == *stream) {
                return Ok(Some(place.seq));
            }
            if found.len() < limit {
                return Ok(None);
            }
            limit *= 8;
        }
    }

    /// The event that an open stream has at a number.
    pub(super) fn there(
        &mut self,
        stream: &Stream,
        seq: u64,
    ) -> Result<Option<(EventId, Link)>, ImportError> {
        let open = self.streams.open(stream);
        if seq >= open.next - open.pending.len() as u64 {
            self.flush(stream)?;
        }
        if let Some(known) = self.streams.open(stream).known(seq) {
            return Ok(Some(known));
        }
        let page = self.store.read(stream, seq, PAGE)?;
        let page = page.iter().map(|entry| (entry.seq, entry.event.id(), entry.link)).collect();
        self.streams.open(stream).known = page;
        let known = self.streams.open(stream).known(seq);
        self.remember(PAGE)?;
        Ok(known)
    }
}
