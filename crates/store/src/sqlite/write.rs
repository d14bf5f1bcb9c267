//! What is written: events at their places, and what belongs to them.

use history::kinds::Blob;
use history::{BlobId, EventId, Link, Operation, OperationId, Stream, chain};
use rusqlite::{OptionalExtension, params};
use value::{Digest, json};

use super::desk::{Desk, Head, Unindexed, Until};
use super::queue::{Outcome, Request};
use super::read::{bounded, has_blob, hash, id8, indexed, span};
use super::{ID_BATCH, KIND_BATCH};
use crate::{AppendError, Durability, Expected, Receipt, StoreError};

/// So many streams are remembered.
const HEADS_MAX: usize = 65_536;

impl Durability {
    pub(super) fn until(self) -> Until {
        match self {
            Durability::Os => Until::System,
            Durability::Group | Durability::Fsync => Until::Disk,
        }
    }
}

impl Desk {
    /// Adds what several callers bring, in one transaction. What one of them may not do hurts
    /// no other; what the disk cannot do hurts all.
    pub(super) fn append(&mut self, requests: &[Request<'_>]) -> Vec<Outcome> {
        let until = requests.iter().map(|request| request.durability).max();
        let until = until.expect("somebody wants something").until();
        let done = self.transaction(until, |desk| {
            let outcomes = requests.iter().map(|request| desk.add(request));
            let outcomes = outcomes.collect::<rusqlite::Result<Vec<Outcome>>>()?;
            desk.index()?;
            Ok(outcomes)
        });
        match done {
            Ok(outcomes) => outcomes,
            Err(error) => shared(error, requests.len()),
        }
    }

    /// Refuses a request before anything of it is written, or writes all of it.
    fn add(&mut self, request: &Request<'_>) -> rusqlite::Result<Outcome> {
        let head = self.head(&request.stream)?;
        let receipt = match self.check(request, head)? {
            Err(refused) => return Ok(Err(refused)),
            Ok(Some(receipt)) => receipt,
            Ok(None) => {
                for id in &request.needed {
                    if !has_blob(&self.connection, *id)? {
                        return Ok(Err(AppendError::NoBlob(*id)));
                    }
                }
                self.insert(request, head)?
            }
        };
        self.keep(&request.blobs)?;
        Ok(Ok(receipt))
    }

    /// What was answered before, or nothing if the events are new and belong where they should.
    fn check(
        &mut self,
        request: &Request<'_>,
        head: Option<Head>,
    ) -> rusqlite::Result<Result<Option<Receipt>, AppendError>> {
        let stream = || request.stream.clone().into_owned();
        let Some(head) = head else {
            return Ok(match &request.expected {
                Expected::Next(expected) if *expected > 0 => {
                    let expected = *expected;
                    Err(AppendError::Conflict { stream: stream(), expected, actual: 0 })
                }
                Expected::Fork(place) if request.origin.is_none() => {
                    Err(AppendError::NoOrigin(place.clone()))
                }
                _ => Ok(None),
            });
        };
        if let Some(used) = self.used(head.no, request.key)? {
            return Ok(used.map(Some).ok_or_else(|| AppendError::KeyReused(stream())));
        }
        let (at, refused) = match request.expected {
            Expected::Next(expected) if expected == head.next => return Ok(Ok(None)),
            Expected::Next(expected) => {
                let actual = head.next;
                let at = (head.first..actual).contains(&expected).then_some(expected);
                (at, AppendError::Conflict { stream: stream(), expected, actual })
            }
            Expected::New | Expected::Fork(_) => {
                let is_same = match (&request.origin, head.parent) {
                    (None, None) => request.expected == Expected::New,
                    (Some((place, _)), Some((parent, seq))) => {
                        seq == place.seq
                            && self.head(&place.stream)?.is_some_and(|head| head.no == parent)
                    }
                    _ => false,
                };
                (is_same.then_some(head.first), AppendError::Exists(stream()))
            }
        };
        let Some(first) = at else { return Ok(Err(refused)) };
        Ok(self.repeated(head.no, first, request)?.map(Some).ok_or(refused))
    }

    /// What was answered when a key was used before; nothing inside if that was for other events.
    fn used(
        &self,
        stream: i64,
        key: Option<(Digest, Digest)>,
    ) -> rusqlite::Result<Option<Option<Receipt>>> {
        let Some((key, digest)) = key else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT i.seq, i.digest, e.link FROM idempotency i
             JOIN placed p ON p.stream = i.stream AND p.seq = i.seq + i.count - 1
             JOIN event e ON e.position = p.position
             WHERE i.stream = ?1 AND i.key = ?2",
        )?;
        let used = statement.query_row(params![stream, key.as_bytes()], |row| {
            let receipt = Receipt { first: row.get(0)?, link: Link(hash(row, 2)?), repeated: true };
            Ok((hash(row, 1)? == digest).then_some(receipt))
        });
        used.optional()
    }

    /// What was answered when these events were added at this place, if they were.
    fn repeated(
        &self,
        stream: i64,
        first: u64,
        request: &Request<'_>,
    ) -> rusqlite::Result<Option<Receipt>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT e.id, e.link FROM placed p CROSS JOIN event e ON e.position = p.position
             WHERE p.stream = ?1 AND p.seq >= ?2 ORDER BY p.seq",
        )?;
        let mut rows = statement.query(params![stream, bounded(first)])?;
        let mut link = None;
        for event in &*request.events {
            match rows.next()? {
                Some(row) if hash(row, 0)? == event.id().0 => link = Some(Link(hash(row, 1)?)),
                _ => return Ok(None),
            }
        }
        Ok(link.map(|link| Receipt { first, link, repeated: true }))
    }

    fn insert(&mut self, request: &Request<'_>, head: Option<Head>) -> rusqlite::Result<Receipt> {
        let stream = &*request.stream;
        let genesis = head.map_or_else(|| chain::genesis(stream), |head| head.genesis);
        let origin = request.origin.as_ref().filter(|_| head.is_none());
        let (first, mut previous) = match (head, origin) {
            (Some(head), _) => (head.next, Some(head.link)),
            (None, Some((place, link))) => (place.seq + 1, Some(*link)),
            (None, None) => (0, None),
        };
        let mut links = Vec::with_capacity(request.events.len());
        for (seq, event) in (first..).zip(&*request.events) {
            let link = chain::link(&genesis, seq, previous, event.id());
            links.push(link);
            previous = Some(link);
        }
        let link = previous.expect("there is at least one event");
        let next = first + request.events.len() as u64;
        let was_here = head.is_some_and(|head| head.here);
        let here = request.here;
        let head = match head {
            Some(head) => self.advance(Head { next, link, here, ..head })?,
            None => {
                let parent = match origin {
                    Some((place, _)) => self.head(&place.stream)?.map(|head| (head.no, place.seq)),
                    None => None,
                };
                self.begin(stream, Head { no: 0, parent, first, next, link, genesis, here })?
            }
        };
        self.insert_events(request, head.no, first, &links)?;
        if was_here != here {
            let sql = "INSERT INTO written(stream, seq, here) VALUES(?1, ?2, ?3)";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.execute(params![head.no, bounded(first), here])?;
        }
        if let Some((key, digest)) = request.key {
            let mut statement = self.connection.prepare_cached(
                "INSERT INTO idempotency(stream, key, seq, count, digest)
                 VALUES(?1, ?2, ?3, ?4, ?5)",
            )?;
            let count = next - first;
            statement.execute(params![head.no, key.as_bytes(), first, count, digest.as_bytes()])?;
        }
        if self.remembered.heads.len() >= HEADS_MAX {
            self.remembered.heads.clear();
        }
        self.remembered.heads.insert(stream.clone(), head);
        Ok(Receipt { first, link, repeated: false })
    }

    fn insert_events(
        &mut self,
        request: &Request<'_>,
        stream: i64,
        first: u64,
        links: &[Link],
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO event(position, stream, seq, kind, id, link, body)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?;
        let mut placing = self.connection.prepare_cached(
            "INSERT INTO place(stream, seq, kind, position) VALUES(?1, ?2, ?3, ?4)",
        )?;
        let mut position = self.remembered.last.expect("a transaction recalls it");
        for ((seq, event), link) in (bounded(first)..).zip(&*request.events).zip(links) {
            // Only damage puts an event so far behind; SQLite then refuses the same position.
            position = position.saturating_add(1);
            let (id, kind) = (event.id(), event.kind().number());
            statement.execute(params![
                position,
                stream,
                seq,
                kind,
                id.as_bytes(),
                link.as_bytes(),
                event.body()
            ])?;
            placing.execute([stream, seq, kind, position])?;
            let id8 = id8(id);
            self.remembered.tail.push(Unindexed { position, id8, stream, kind, seq });
        }
        self.remembered.last = Some(position);
        Ok(())
    }

    /// Puts whole batches into the indexes, in order: one by one they would touch a page each.
    fn index(&mut self) -> rusqlite::Result<()> {
        let last = self.remembered.last.expect("a transaction recalls it");
        let before = std::mem::replace(&mut self.remembered.indexed, last);
        let (from, until) = (indexed(before, KIND_BATCH), indexed(last, KIND_BATCH));
        if from == until {
            return Ok(());
        }
        let mut batch = self.unindexed(from, until)?;
        batch.sort_unstable_by_key(|event| (event.stream, event.kind, event.seq));
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO event_kind(stream, kind, seq, position) VALUES(?1, ?2, ?3, ?4)",
        )?;
        for event in &batch {
            statement.execute([event.stream, event.kind, event.seq, event.position])?;
        }
        let (from, until) = (indexed(before, ID_BATCH), indexed(last, ID_BATCH));
        if from == until {
            return Ok(());
        }
        let mut batch = self.unindexed(from, until)?;
        batch.sort_unstable_by_key(|event| (span(event.position), event.id8, event.position));
        let mut statement = self
            .connection
            .prepare_cached("INSERT INTO event_id(span, id8, position) VALUES(?1, ?2, ?3)")?;
        for event in &batch {
            statement.execute([span(event.position), event.id8, event.position])?;
        }
        self.remembered.tail.retain(|event| event.position > until);
        Ok(())
    }

    /// The events behind a position, up to another one. Those that are not remembered were added
    /// before, and are read.
    fn unindexed(&self, from: i64, until: i64) -> rusqlite::Result<Vec<Unindexed>> {
        let tail = &self.remembered.tail;
        let known = tail.first().map_or(i64::MAX, |event| event.position);
        let mut statement = self.connection.prepare_cached(
            "SELECT position, id, stream, kind, seq FROM event WHERE position > ?1 AND position < ?2",
        )?;
        let rows = statement.query_map([from, known.min(until + 1)], |row| {
            Ok(Unindexed {
                position: row.get(0)?,
                id8: id8(EventId(hash(row, 1)?)),
                stream: row.get(2)?,
                kind: row.get(3)?,
                seq: row.get(4)?,
            })
        })?;
        let mut events = rows.collect::<rusqlite::Result<Vec<Unindexed>>>()?;
        let is_meant = |event: &&Unindexed| event.position > from && event.position <= until;
        events.extend(tail.iter().filter(is_meant));
        Ok(events)
    }

    fn begin(&self, stream: &Stream, head: Head) -> rusqlite::Result<Head> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO stream(name, parent, fork_seq, first) VALUES(?1, ?2, ?3, ?4)",
        )?;
        let (parent, seq) = head.parent.unzip();
        let no = statement.insert(params![stream.name(), parent, seq, head.first])?;
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO place(stream, seq, position, link)
             VALUES(?1, 9223372036854775807, ?2, ?3)",
        )?;
        statement.execute(params![no, head.next, head.link.as_bytes()])?;
        Ok(Head { no, ..head })
    }

    fn advance(&self, head: Head) -> rusqlite::Result<Head> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE place SET position = ?2, link = ?3
             WHERE stream = ?1 AND seq = 9223372036854775807",
        )?;
        statement.execute(params![head.no, head.next, head.link.as_bytes()])?;
        Ok(head)
    }

    /// Where a stream goes on, if there is one.
    fn head(&self, stream: &Stream) -> rusqlite::Result<Option<Head>> {
        if let Some(head) = self.remembered.heads.get(stream) {
            return Ok(Some(*head));
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT s.no, s.parent, s.fork_seq, s.first, h.next, h.link,
                 (SELECT here FROM written w WHERE w.stream = s.no ORDER BY w.seq DESC LIMIT 1)
             FROM stream s LEFT JOIN head h ON h.stream = s.no WHERE s.name = ?1",
        )?;
        let head = statement.query_row([stream.name()], |row| {
            Ok(Head {
                no: row.get(0)?,
                parent: row.get::<_, Option<i64>>(1)?.zip(row.get(2)?),
                first: row.get(3)?,
                next: row.get(4)?,
                link: Link(hash(row, 5)?),
                genesis: chain::genesis(stream),
                here: row.get::<_, Option<bool>>(6)?.unwrap_or(false),
            })
        });
        head.optional()
    }

    /// Keeps bytes that are not there yet.
    pub(super) fn keep(&self, blobs: &[Blob]) -> rusqlite::Result<()> {
        for blob in blobs {
            if !has_blob(&self.connection, blob.id())? {
                let sql = "INSERT INTO blob(hash, bytes) VALUES(?1, ?2)";
                let mut statement = self.connection.prepare_cached(sql)?;
                statement.execute(params![blob.id().as_bytes(), blob.bytes()])?;
            }
        }
        Ok(())
    }

    /// Forgets bytes, if no event came behind the last one that was seen. Says whether.
    pub(super) fn remove(&self, ids: &[BlobId], seen: u64) -> rusqlite::Result<bool> {
        if self.remembered.last.is_some_and(|last| last > bounded(seen)) {
            return Ok(false);
        }
        let mut statement = self.connection.prepare_cached("DELETE FROM blob WHERE hash = ?1")?;
        ids.iter().try_for_each(|id| statement.execute([id.as_bytes()]).map(drop))?;
        Ok(true)
    }

    /// Notes a move of a name.
    pub(super) fn note(&self, id: OperationId, operation: &Operation) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached("INSERT INTO operation(name, id, body) VALUES(?1, ?2, ?3)")?;
        let body = json::canonical(&operation.value());
        statement.execute(params![operation.name, id.as_bytes(), body]).map(drop)
    }
}

/// The hash of what a key stands for.
pub(super) fn digest(ids: impl Iterator<Item = EventId>) -> Digest {
    Digest::of(&ids.flat_map(|id| *id.as_bytes()).collect::<Vec<u8>>())
}

/// What stopped all of them, for each.
pub(super) fn shared(error: StoreError, count: usize) -> Vec<Outcome> {
    let again = |error: &StoreError| match error {
        StoreError::Unusable(why) => StoreError::Unusable(why.clone()),
        StoreError::Busy(why) => StoreError::Busy(why.clone()),
        StoreError::Damaged(why) => StoreError::Damaged(why.clone()),
        StoreError::Full => StoreError::Full,
        StoreError::Poisoned(why) => StoreError::Poisoned(why.clone()),
        StoreError::System(why) => StoreError::System(why.to_string().into()),
    };
    let others = (1..count).map(|_| Err(again(&error).into())).collect::<Vec<_>>();
    std::iter::once(Err(error.into())).chain(others).collect()
}
