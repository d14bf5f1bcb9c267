//! What can be asked of a store, as SQL. Everything that is read is hashed again.

use history::kinds::Kind;
use history::{
    BlobId, Entry, Event, EventId, Link, Operation, OperationId, Place, Stream, StreamInfo,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use value::{Digest, json};

use super::{ID_BATCH, ID_SPAN, KIND_BATCH};
use crate::{Arrival, Damage, StoreError};

/// Numbers beyond what SQLite has stand behind everything that is there.
pub(super) fn bounded(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn limited(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The beginning of an id as a number that SQLite has, of the same order.
pub(super) fn id8(id: EventId) -> i64 {
    (id.brief() ^ (1 << 63)).cast_signed()
}

/// A column with a hash.
pub(super) fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    Ok(Digest::from_bytes(row.get(column)?))
}

/// Whether all of a stream's own events from a number on, up to another one, were written here.
pub(super) fn written_here(
    connection: &Connection,
    stream: &Stream,
    from: u64,
    until: u64,
) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached(
        "SELECT coalesce((SELECT here FROM written WHERE stream = s.no AND seq <= max(?2, s.first)
             ORDER BY seq DESC LIMIT 1), 0)
         AND NOT EXISTS(SELECT 1 FROM written
             WHERE stream = s.no AND seq > ?2 AND seq < ?3 AND NOT here)
         FROM stream s WHERE s.name = ?1",
    )?;
    let asked = params![stream.name(), bounded(from), bounded(until)];
    Ok(statement.query_row(asked, |row| row.get(0)).optional()?.unwrap_or(false))
}

const INFO: &str = "SELECT s.name, s.first, h.next, h.link, s.fork_seq, p.name
    FROM stream s LEFT JOIN head h ON h.stream = s.no LEFT JOIN stream p ON p.no = s.parent";

fn info(row: &Row<'_>) -> Result<StreamInfo, StoreError> {
    let stream = named(row.get_ref(0)?)?;
    let damaged = |what: &str| {
        let first = Place::new(stream.clone(), row.get(1).unwrap_or(0));
        StoreError::Damaged(Damage::at(first, what).into())
    };
    let info = about(row, stream.clone());
    let info = info.map_err(|_| damaged("where its stream begins and ends cannot be read"))?;
    if info.first < info.next { Ok(info) } else { Err(damaged("its stream ends before it begins")) }
}

fn about(row: &Row<'_>, stream: Stream) -> Result<StreamInfo, StoreError> {
    let parent = match row.get::<_, Option<u64>>(4)? {
        Some(seq) => Some(Place::new(named(row.get_ref(5)?)?, seq)),
        None => None,
    };
    Ok(StreamInfo {
        stream,
        parent,
        first: row.get(1)?,
        next: row.get(2)?,
        link: Link(hash(row, 3)?),
    })
}

/// What came in order, all of it behind where it was to begin. With a flipped bit an index is out
/// of order, and whoever goes on behind the last of what it got would go in circles.
fn in_order<T, K: PartialOrd>(
    items: Vec<T>,
    key: impl Fn(&T) -> K,
    is_behind: impl FnOnce(&K) -> bool,
) -> Result<Vec<T>, StoreError> {
    let begins = items.first().is_none_or(|first| is_behind(&key(first)));
    if begins && items.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])) {
        return Ok(items);
    }
    Err(damaged("an index is out of order".into()))
}

pub(super) fn damaged(what: String) -> StoreError {
    StoreError::Damaged(what.into())
}

fn named(column: ValueRef<'_>) -> Result<Stream, StoreError> {
    let name = column.as_str().ok();
    name.and_then(Stream::from_name)
        .ok_or_else(|| damaged(format!("{column:?} is not the name of a stream")))
}

pub(super) fn stream(
    connection: &Connection,
    stream: &Stream,
) -> Result<Option<StreamInfo>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{INFO} WHERE s.name = ?1"))?;
    let mut rows = statement.query([stream.name()])?;
    rows.next()?.map(info).transpose()
}

pub(super) fn streams(
    connection: &Connection,
    after: Option<&Stream>,
    limit: usize,
) -> Result<Vec<StreamInfo>, StoreError> {
    let sql = format!("{INFO} WHERE s.name > ?1 ORDER BY s.name LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    // Every name is behind the empty one.
    let after = after.map(Stream::name).unwrap_or_default();
    let rows = statement.query_and_then(params![after, limited(limit)], info)?;
    let infos = rows.collect::<Result<Vec<_>, _>>()?;
    in_order(infos, |info| info.stream.name(), |first| *first > after)
}

/// An event, from the columns `seq, kind, id, link, body` that begin here.
fn entry(row: &Row<'_>, at: usize, stream: &Stream) -> Result<Entry, StoreError> {
    let seq = row.get(at)?;
    let id = hash(row, at + 2).map(EventId);
    let damaged = |what: &str| {
        let place = Some(Place::new(stream.clone(), seq));
        let event_id = id.as_ref().ok().copied();
        StoreError::Damaged(Damage { place, event_id, what: what.into() }.into())
    };
    let Ok(known) = id else { return Err(damaged("its id is no hash")) };
    let link = Link(hash(row, at + 3).map_err(|_| damaged("its link is no hash"))?);
    let body = row.get_ref(at + 4)?.as_str().map_err(|_| damaged("its body is no text"))?;
    // A newer program may have named kinds that this one does not know.
    let kind = Kind::from_number(row.get(at + 1)?).unwrap_or(Kind::Unknown);
    let event = Event::from_store(known, kind, body).ok_or_else(|| {
        let is_same = Digest::of(body.as_bytes()) == known.0;
        damaged(if is_same {
            "its body is no event"
        } else {
            "its body is not what its id was computed from"
        })
    })?;
    Ok(Entry { seq, link, event })
}

pub(super) fn read(
    connection: &Connection,
    stream: &Stream,
    from: u64,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT p.seq, e.kind, e.id, e.link, e.body, e.position
         FROM placed p LEFT JOIN event e
             ON e.position = p.position AND e.stream = p.stream AND e.seq = p.seq
         WHERE p.stream = (SELECT no FROM stream WHERE name = ?1) AND p.seq >= ?2
         ORDER BY p.seq LIMIT ?3",
    )?;
    let rows = params![stream.name(), bounded(from), limited(limit)];
    let rows = statement.query_and_then(rows, |row| match row.get_ref(5)? {
        ValueRef::Null => Err(lost(stream, row.get(0)?)),
        _ => entry(row, 0, stream),
    })?;
    in_order(rows.collect::<Result<_, _>>()?, |entry| entry.seq, |first| *first >= from)
}

pub(super) fn read_kinds(
    connection: &Connection,
    stream: &Stream,
    kinds: &[Kind],
    from: u64,
    until: u64,
    limit: usize,
) -> Result<Vec<Entry>, StoreError> {
    let kinds = distinct(kinds);
    let Some(no) = number(connection, stream)?.filter(|_| !kinds.is_empty()) else {
        return Ok(Vec::new());
    };
    // Each kind is in order in the index, and SQLite merges them as far as the limit needs it.
    let one = |kind: &Kind| {
        let kind = kind.number();
        format!(
            "SELECT seq, position FROM event_kind
             WHERE stream = ?1 AND kind = {kind} AND seq >= ?2 AND seq < ?3 UNION ALL "
        )
    };
    let all = kinds.iter().map(one).collect::<String>() + &younger(&kinds);
    let mut statement = connection.prepare_cached(&format!("{all} ORDER BY seq LIMIT ?4"))?;
    let rows = params![no, bounded(from), bounded(until), limited(limit)];
    let rows = statement.query_and_then(rows, |row| at(connection, row, no, stream))?;
    in_order(rows.collect::<Result<_, _>>()?, |entry| entry.seq, |first| *first >= from)
}

pub(super) fn last_of(
    connection: &Connection,
    stream: &Stream,
    kinds: &[Kind],
    until: u64,
) -> Result<Option<Entry>, StoreError> {
    let Some(no) = number(connection, stream)? else { return Ok(None) };
    let kinds = distinct(kinds);
    let one = |kind: &Kind| {
        let kind = kind.number();
        format!(
            "SELECT * FROM (SELECT seq, position FROM event_kind
                 WHERE stream = ?1 AND kind = {kind} AND seq >= ?2 AND seq < ?3
                 ORDER BY seq DESC LIMIT 1) UNION ALL "
        )
    };
    let all = kinds.iter().map(one).collect::<String>() + &younger(&kinds);
    let mut statement = connection.prepare_cached(&format!("{all} ORDER BY seq DESC LIMIT 1"))?;
    let mut rows = statement.query(params![no, 0, bounded(until)])?;
    rows.next()?.map(|row| at(connection, row, no, stream)).transpose()
}

/// Events of some kinds that are not in the index yet, from the number `?2` to `?3` of the stream
/// `?1`. There are fewer than a batch of them, so that only the last places are looked through.
fn younger(kinds: &[Kind]) -> String {
    let kinds = kinds.iter().map(|kind| kind.number().to_string()).collect::<Vec<_>>().join(",");
    format!(
        "SELECT seq, position FROM placed
         WHERE stream = ?1 AND kind IN ({kinds}) AND seq < ?3
             AND seq >= max(?2, (SELECT next FROM head WHERE stream = ?1)
                 - (SELECT max(position) % {KIND_BATCH} FROM event))
             AND position > (SELECT max(position) / {KIND_BATCH} * {KIND_BATCH} FROM event)"
    )
}

fn distinct(kinds: &[Kind]) -> Vec<Kind> {
    let mut kinds = kinds.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn number(connection: &Connection, stream: &Stream) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT no FROM stream WHERE name = ?1")?;
    statement.query_row([stream.name()], |row| row.get(0)).optional()
}

/// The event that an index names by its number and position.
fn at(
    connection: &Connection,
    named: &Row<'_>,
    no: i64,
    stream: &Stream,
) -> Result<Entry, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, kind, id, link, body FROM event
         WHERE position = ?1 AND stream = ?2 AND seq = ?3",
    )?;
    let seq = named.get(0)?;
    let mut rows = statement.query([named.get(1)?, no, seq])?;
    match rows.next()? {
        Some(row) => entry(row, 0, stream),
        None => Err(lost(stream, seq.cast_unsigned())),
    }
}

fn lost(stream: &Stream, seq: u64) -> StoreError {
    StoreError::Damaged(Damage::at(Place::new(stream.clone(), seq), "it is missing").into())
}

/// The position of the last event.
pub(super) fn last_position(connection: &Connection) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("SELECT max(position) FROM event")?;
    Ok(statement.query_row([], |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0))
}

/// The last position that is in an index which is filled in batches.
pub(super) fn indexed(last: i64, batch: i64) -> i64 {
    last - last % batch
}

/// The part of the index that a position is in.
pub(super) fn span(position: i64) -> i64 {
    (position - 1) / ID_SPAN
}

pub(super) fn find(
    connection: &Connection,
    prefix: &str,
    limit: usize,
) -> Result<Vec<(Place, EventId)>, StoreError> {
    /// Fewer digits fit so many events that looking through all of them ends soon.
    const DIGITS_MIN: usize = 4;
    let digits = prefix.len();
    let (Some(low), Some(high)) = (padded(prefix, "0"), padded(prefix, "f")) else {
        return Ok(Vec::new());
    };
    let found = |row: &Row<'_>| -> Result<_, StoreError> {
        Ok((Place::new(named(row.get_ref(0)?)?, row.get(1)?), EventId(hash(row, 2)?)))
    };
    // The index only grows, and holds all up to here whatever is added meanwhile.
    let indexed =
        if digits < DIGITS_MIN { 0 } else { indexed(last_position(connection)?, ID_BATCH) };
    let mut places: Vec<(Place, EventId)> = Vec::new();
    if indexed > 0 {
        let mut statement = connection.prepare_cached(
            "WITH RECURSIVE spans(span) AS
                 (SELECT min(span) FROM event_id UNION ALL
                  SELECT (SELECT min(i.span) FROM event_id i WHERE i.span > spans.span)
                  FROM spans WHERE span IS NOT NULL)
             SELECT s.name, e.seq, e.id FROM spans
             CROSS JOIN event_id i ON i.span = spans.span AND i.id8 BETWEEN ?1 AND ?2
             CROSS JOIN event e ON e.position = i.position CROSS JOIN stream s ON s.no = e.stream
             WHERE i.position <= ?3 AND e.id BETWEEN ?4 AND ?5
             ORDER BY i.position LIMIT ?6",
        )?;
        let (low8, high8) = (id8(low), id8(high));
        let (low, high) = (low.as_bytes(), high.as_bytes());
        let rows = params![low8, high8, indexed, low, high, limited(limit)];
        places = statement.query_and_then(rows, found)?.collect::<Result<_, _>>()?;
    }
    let mut statement = connection.prepare_cached(
        "SELECT s.name, e.seq, e.id FROM event e CROSS JOIN stream s ON s.no = e.stream
         WHERE e.position > ?1 AND e.id BETWEEN ?2 AND ?3 ORDER BY e.position LIMIT ?4",
    )?;
    let left = limited(limit.saturating_sub(places.len()));
    let rows = params![indexed, low.as_bytes(), high.as_bytes(), left];
    for place in statement.query_and_then(rows, found)? {
        places.push(place?);
    }
    Ok(places)
}

/// The first or last id that begins with these digits.
fn padded(prefix: &str, digit: &str) -> Option<EventId> {
    let is_short = prefix.len() <= 64 && !prefix.starts_with("sha256:");
    is_short.then(|| EventId::parse(&(prefix.to_string() + &digit.repeat(64 - prefix.len()))))?
}

pub(super) fn blob(connection: &Connection, id: BlobId) -> Result<Option<Vec<u8>>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blob WHERE hash = ?1")?;
    let bytes: Option<Vec<u8>> =
        statement.query_row([id.as_bytes()], |row| row.get(0)).optional()?;
    match bytes {
        Some(bytes) if Digest::of(&bytes) != id.0 => {
            Err(damaged(format!("the bytes behind `{id}` are others")))
        }
        other => Ok(other),
    }
}

pub(super) fn has_blob(connection: &Connection, id: BlobId) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM blob WHERE hash = ?1")?.exists([id.as_bytes()])
}

pub(super) fn blobs(
    connection: &Connection,
    after: Option<BlobId>,
    limit: usize,
) -> Result<Vec<(BlobId, u64)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT hash, length(bytes) FROM blob WHERE hash > ?1 ORDER BY hash LIMIT ?2",
    )?;
    // Every hash is behind no bytes.
    let after = after.as_ref().map_or(&[][..], |id| id.as_bytes());
    let rows = params![after, limited(limit)];
    let rows = statement
        .query_and_then(rows, |row| Ok::<_, StoreError>((BlobId(hash(row, 0)?), row.get(1)?)))?;
    let is_behind = |first: &BlobId| first.as_bytes().as_slice() > after;
    in_order(rows.collect::<Result<_, _>>()?, |(id, _)| *id, is_behind)
}

pub(super) fn arrivals(
    connection: &Connection,
    after: u64,
    limit: usize,
) -> Result<Vec<Arrival>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT e.position, s.name, e.seq, e.kind, e.id, e.link, e.body
         FROM event e CROSS JOIN stream s ON s.no = e.stream
         WHERE e.position > ?1 ORDER BY e.position LIMIT ?2",
    )?;
    let arrival = |row: &Row<'_>| {
        let stream = named(row.get_ref(1)?)?;
        let entry = entry(row, 2, &stream)?;
        Ok(Arrival { position: row.get(0)?, stream, entry })
    };
    let rows = statement.query_and_then(params![bounded(after), limited(limit)], arrival)?;
    let arrivals = rows.collect::<Result<Vec<Arrival>, StoreError>>()?;
    in_order(arrivals, |arrival| arrival.position, |first| *first > after)
}

/// Which operations on names.
pub(super) enum Of<'a> {
    /// The last one on each name, by name.
    Names,
    /// The last one on this name.
    Last(&'a str),
    /// All on this name.
    All(&'a str),
}

pub(super) fn operations(
    connection: &Connection,
    of: Of<'_>,
) -> Result<Vec<(OperationId, Operation)>, StoreError> {
    let (sql, name) = match of {
        Of::Names => (
            "SELECT id, body FROM operation
             WHERE ?1 = '' AND no IN (SELECT max(no) FROM operation GROUP BY name) ORDER BY name",
            "",
        ),
        Of::Last(name) => {
            ("SELECT id, body FROM operation WHERE name = ?1 ORDER BY no DESC LIMIT 1", name)
        }
        Of::All(name) => ("SELECT id, body FROM operation WHERE name = ?1 ORDER BY no", name),
    };
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_and_then([name], operation)?.collect()
}

fn operation(row: &Row<'_>) -> Result<(OperationId, Operation), StoreError> {
    let id = OperationId(hash(row, 0)?);
    let value = row.get_ref(1)?.as_str().ok().and_then(|body| json::parse(body).ok());
    match value.as_ref().and_then(Operation::read) {
        Some(operation) if operation.id() == id => Ok((id, operation)),
        _ => Err(damaged(format!("the move `{id}` of a name is not what was written"))),
    }
}
