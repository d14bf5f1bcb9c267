//! Shelves as rows. Values are JSON on which floats stay floats.

use rusqlite::{Connection, OptionalExtension, params};
use value::{Digest, Value, json};

use super::SqliteStore;
use super::desk::{Desk, Until};
use super::read::{damaged, hash};
use crate::{AppendError, Change, Item, Shelves, StoreError, shelf};

impl Shelves for SqliteStore {
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError> {
        self.readers.with(|connection| {
            let sql = "SELECT key, value FROM shelf WHERE name = ?1 ORDER BY no";
            let mut statement = connection.prepare_cached(sql)?;
            let items = statement.query_and_then([shelf], |row| {
                let key: Option<Box<str>> = row.get(0)?;
                let value = value(shelf, row.get_ref(1)?.as_str().ok())?;
                Ok(Item { key: key.map(Into::into), value })
            })?;
            items.collect()
        })
    }

    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError> {
        self.readers.with(|connection| {
            let sql = "SELECT value FROM shelf WHERE name = ?1 AND key = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([shelf, key])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            value(shelf, row.get_ref(0)?.as_str().ok()).map(Some)
        })
    }

    fn shelf_writes(&self, shelf: &str) -> Result<u64, StoreError> {
        self.readers.with(|connection| {
            let sql = "SELECT count(*) FROM shelf_write WHERE name = ?1";
            let count = connection.prepare_cached(sql)?.query_row([shelf], |row| row.get(0));
            Ok(count.map(i64::cast_unsigned)?)
        })
    }

    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError> {
        let digest = shelf::check(shelf, changes)?;
        let taken = self.writer()?.alone(|desk| {
            desk.transaction(Until::Disk, |desk| desk.change_shelf(shelf, changes, key, digest))
        })?;
        match taken {
            Made::All(taken) => Ok(taken.map(|taken| value(shelf, Some(&taken))).transpose()?),
            Made::Others => Err(AppendError::ShelfKeyReused(shelf.to_string())),
            Made::NoRoom(most) => Err(AppendError::ShelfFull { shelf: shelf.to_string(), most }),
        }
    }
}

/// What became of changes.
enum Made {
    /// They are made, with what was taken.
    All(Option<String>),
    /// Others were made under their key.
    Others,
    /// So many items are there, and they were to be fewer.
    NoRoom(usize),
}

fn value(shelf: &str, text: Option<&str>) -> Result<Value, StoreError> {
    // Numbers beyond what JSON promises were kept with all their digits.
    let value = text.and_then(|text| json::read(text).ok());
    value
        .map(|(value, _)| value)
        .ok_or_else(|| damaged(format!("an item on the shelf `{shelf}` is no JSON")))
}

impl Desk {
    /// Makes changes, and says what was taken.
    fn change_shelf(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
        digest: Digest,
    ) -> rusqlite::Result<Made> {
        let connection = &self.connection;
        let before = connection
            .prepare_cached("SELECT digest, taken FROM shelf_write WHERE name = ?1 AND key = ?2")?
            .query_row(params![shelf, key.as_bytes()], |row| Ok((hash(row, 0)?, row.get(1)?)))
            .optional()?;
        if let Some((before, taken)) = before {
            return Ok(if before == digest { Made::All(taken) } else { Made::Others });
        }
        if let Some(most) = shelf::room(changes)
            && holds(connection, shelf)? >= most
        {
            return Ok(Made::NoRoom(most));
        }
        let mut taken = None;
        for change in changes {
            match change {
                Change::Set { key, value } => put(connection, shelf, Some(key), value)?,
                Change::Push(value) => put(connection, shelf, None, value)?,
                Change::Take => taken = take(connection, shelf)?,
                Change::Remove { key } => {
                    connection
                        .prepare_cached("DELETE FROM shelf WHERE name = ?1 AND key = ?2")?
                        .execute([shelf, key])?;
                }
                Change::Trim(left) => trim(connection, shelf, *left)?,
                Change::RemoveUnder { prefix } => {
                    remove_under(connection, shelf, prefix)?;
                }
                Change::Forget(until) => {
                    connection
                        .prepare_cached(
                            "DELETE FROM shelf WHERE name = ?1 AND
                                 json_type(value, '$.until') = 'integer' AND
                                 json_extract(value, '$.until') <= ?2",
                        )?
                        .execute(params![shelf, until])?;
                }
                // It was looked at before the first change.
                Change::IfFewer(_) => {}
            }
        }
        connection
            .prepare_cached(
                "INSERT INTO shelf_write(name, key, digest, taken) VALUES(?1, ?2, ?3, ?4)",
            )?
            .execute(params![shelf, key.as_bytes(), digest.as_bytes(), taken])?;
        Ok(Made::All(taken))
    }
}

fn holds(connection: &Connection, shelf: &str) -> rusqlite::Result<usize> {
    let sql = "SELECT count(*) FROM shelf WHERE name = ?1";
    let count: i64 = connection.prepare_cached(sql)?.query_row([shelf], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

fn put(
    connection: &Connection,
    shelf: &str,
    key: Option<&str>,
    value: &Value,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO shelf(name, key, value) VALUES(?1, ?2, ?3)
             ON CONFLICT(name, key) DO UPDATE SET value = excluded.value",
        )?
        .execute(params![shelf, key, json::compact(value)])
        .map(drop)
}

/// Only these are looked at, however many others there are: they stand together in the index.
fn remove_under(connection: &Connection, shelf: &str, prefix: &str) -> rusqlite::Result<()> {
    match behind(prefix) {
        Some(end) => connection
            .prepare_cached("DELETE FROM shelf WHERE name = ?1 AND key >= ?2 AND key < ?3")?
            .execute([shelf, prefix, &end]),
        None => connection
            .prepare_cached("DELETE FROM shelf WHERE name = ?1 AND key >= ?2")?
            .execute([shelf, prefix]),
    }
    .map(drop)
}

/// The first text behind all that begin so, by their bytes; none where nothing is behind them.
fn behind(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        // A range of characters knows which of them there are not.
        if let Some(next) = (last..=char::MAX).nth(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

fn trim(connection: &Connection, shelf: &str, left: usize) -> rusqlite::Result<()> {
    let left = i64::try_from(left).unwrap_or(i64::MAX);
    connection
        .prepare_cached(
            "DELETE FROM shelf WHERE name = ?1 AND no <=
                 (SELECT no FROM shelf WHERE name = ?1 ORDER BY no DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![shelf, left])
        .map(drop)
}

fn take(connection: &Connection, shelf: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(
            "DELETE FROM shelf WHERE no =
                 (SELECT no FROM shelf WHERE name = ?1 AND key IS NULL ORDER BY no LIMIT 1)
             RETURNING value",
        )?
        .query_row([shelf], |row| row.get(0))
        .optional()
}
