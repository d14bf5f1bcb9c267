//! The tables, and which version of them a file has.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::StoreError;

/// Says in a file's header that it is ours: `QUPU`.
pub const APPLICATION_ID: i64 = 0x5155_5055;

/// From nothing to version 1, from 1 to 2, and so on. What was released is never changed.
const VERSIONS: &[&str] = &[
    // An event's position is its place in the order of arrival, from 1 and without gaps.
    // `event_id` holds the first eight bytes of ids, for all events up to the last position
    // that is a multiple of `ID_BATCH`, apart for each `ID_SPAN` positions: so a batch touches
    // few pages, however many events there are.
    "CREATE TABLE stream(
        no INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        parent INTEGER,
        fork_seq INTEGER,
        first INTEGER NOT NULL,
        next INTEGER NOT NULL,
        link BLOB NOT NULL
    ) STRICT;
    CREATE TABLE event(
        position INTEGER PRIMARY KEY,
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        id BLOB NOT NULL,
        link BLOB NOT NULL,
        body TEXT NOT NULL,
        UNIQUE(stream, seq)
    ) STRICT;
    CREATE INDEX event_kind ON event(stream, kind, seq);
    CREATE TABLE event_id(
        span INTEGER NOT NULL,
        id8 INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY(span, id8, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE idempotency(
        stream INTEGER NOT NULL,
        key BLOB NOT NULL,
        seq INTEGER NOT NULL,
        count INTEGER NOT NULL,
        digest BLOB NOT NULL,
        PRIMARY KEY(stream, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE blob(
        no INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        bytes BLOB NOT NULL
    ) STRICT;
    CREATE TABLE operation(
        no INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        id BLOB NOT NULL UNIQUE,
        body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX operation_name ON operation(name);",
    // An append changes as few pages as can be, since each of them is written and synced. `place`
    // says where the events of a stream are. Behind them, with the largest number there is, stands
    // the head of the stream: the number of the next event, and the last link. It is on the same
    // page as the last place. `event_kind` is filled in batches, as `event_id` is.
    //
    // The last lease of each stream is kept; released ones have no holder. What was pushed on a
    // shelf has no key. `shelf_write` holds what was done under which idempotency key, and what it
    // took.
    "CREATE TABLE place(
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        kind INTEGER,
        position INTEGER NOT NULL,
        link BLOB,
        PRIMARY KEY(stream, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO place(stream, seq, kind, position) SELECT stream, seq, kind, position FROM event;
    INSERT INTO place(stream, seq, position, link)
        SELECT no, 9223372036854775807, next, link FROM stream;
    ALTER TABLE stream DROP COLUMN next;
    ALTER TABLE stream DROP COLUMN link;
    ALTER TABLE event RENAME TO event_1;
    CREATE TABLE event(
        position INTEGER PRIMARY KEY,
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        id BLOB NOT NULL,
        link BLOB NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    INSERT INTO event SELECT position, stream, seq, kind, id, link, body FROM event_1
        ORDER BY position;
    DROP TABLE event_1;
    CREATE VIEW placed AS SELECT stream, seq, kind, position FROM place
        WHERE seq < 9223372036854775807;
    CREATE VIEW head AS SELECT stream, position AS next, link FROM place
        WHERE seq = 9223372036854775807;
    CREATE TABLE event_kind(
        stream INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY(stream, kind, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO event_kind SELECT stream, kind, seq, position FROM event
        WHERE position <= (SELECT max(position) / 1024 * 1024 FROM event);
    CREATE TABLE lease(
        stream TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        holder TEXT,
        until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE shelf(
        no INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        key TEXT,
        value TEXT NOT NULL,
        UNIQUE(name, key)
    ) STRICT;
    CREATE TABLE shelf_write(
        name TEXT NOT NULL,
        key BLOB NOT NULL,
        digest BLOB NOT NULL,
        taken TEXT,
        PRIMARY KEY(name, key)
    ) STRICT, WITHOUT ROWID;",
    // From which event of a stream on all were written here, or none; before the first row none
    // were. Of runs that were there before nobody knows, so that none of them is trusted to say
    // what to call. Policies that were in force stay so.
    "CREATE TABLE written(
        stream INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        here INTEGER NOT NULL,
        PRIMARY KEY(stream, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO written SELECT no, first, 1 FROM stream WHERE name NOT GLOB 'run:*';",
];

/// What a file is.
#[derive(Debug, PartialEq)]
pub(super) enum Contents {
    /// A database without anything in it.
    Nothing,
    /// A store that this program can read.
    Current,
    /// A store of an older program.
    Older(usize),
}

/// Looks at what a connection leads to. Whatever is not ours is refused.
pub(super) fn look(connection: &Connection, path: &Path) -> Result<Contents, StoreError> {
    // All at one moment: somebody else may be making it.
    let reading = connection.unchecked_transaction()?;
    contents(&reading, path)
}

fn contents(connection: &Connection, path: &Path) -> Result<Contents, StoreError> {
    let application: i64 = connection.pragma_query_one(None, "application_id")?;
    let version: i64 = connection.pragma_query_one(None, "user_version")?;
    let is_empty: bool =
        connection
            .query_one("SELECT NOT EXISTS(SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
    if is_empty && application == 0 && version == 0 {
        return Ok(Contents::Nothing);
    }
    if application != APPLICATION_ID {
        let path = path.display();
        return Err(StoreError::Unusable(format!("`{path}` is a database of another program")));
    }
    match usize::try_from(version) {
        Ok(version) if version == VERSIONS.len() => Ok(Contents::Current),
        Ok(version) if (1..VERSIONS.len()).contains(&version) => Ok(Contents::Older(version)),
        _ => Err(StoreError::Unusable(format!(
            "`{}` has version {version}; this program knows versions up to {}: use a newer one",
            path.display(),
            VERSIONS.len()
        ))),
    }
}

/// Brings a file to the current version, all of it or nothing.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    match look(connection, path)? {
        Contents::Current => return Ok(()),
        // It can be set only before there is anything.
        Contents::Nothing => connection.pragma_update(None, "page_size", PAGE_SIZE)?,
        Contents::Older(_) => {}
    }
    let change = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Somebody else may have been faster.
    let done = match contents(&change, path)? {
        Contents::Current => return Ok(()),
        Contents::Older(version) => version,
        Contents::Nothing => 0,
    };
    change.execute_batch(&VERSIONS[done..].concat())?;
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    change.pragma_update(None, "user_version", VERSIONS.len() as i64)?;
    Ok(change.commit()?)
}

/// Writes something that changes nothing, so that a commit has something to bring to the disk.
pub(super) fn touch(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", VERSIONS.len() as i64)
}

/// A small append changes two or three pages, and all of them are synced: with pages of 8 KB it
/// takes longer.
const PAGE_SIZE: i64 = 4096;

#[cfg(test)]
mod tests {
    use history::kinds::ROWS;

    use super::*;

    /// Events of kinds that a program does not know are kept as kind 0.
    #[test]
    fn every_version_knows_how_many_kinds_there_were() {
        const KINDS: &[usize] = &[49, 49, 49];
        assert_eq!(
            (KINDS.len(), KINDS.last()),
            (VERSIONS.len(), Some(&ROWS.len())),
            "the table of kinds has changed, and stores may hold events of the new kinds as kind 0, \
             where nobody finds them and `verify` calls them damaged: add a version to `VERSIONS` \
             that sets `kind` of the rows with `kind = 0` by the name in their body \
             (`UPDATE event SET kind = N WHERE kind = 0 AND body ->> 'kind' = 'NAME'`), and the \
             number of kinds to `KINDS`; before the first release it is enough to change the last \
             number"
        );
    }
}
