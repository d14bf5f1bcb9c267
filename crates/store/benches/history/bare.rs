//! What SQLite takes for the same bytes without anything of ours: rows of one plain table.

use std::cell::Cell;
use std::path::Path;

use rusqlite::{Connection, params};

/// A plain table.
pub(crate) struct Bare {
    connection: Connection,
    /// What the last commit waited for.
    waited: Cell<Option<Commit>>,
}

/// What a commit waits for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Commit {
    /// The disk.
    Synced,
    /// The operating system.
    Written,
}

impl Bare {
    /// An empty table in the settings of a store's file.
    pub(crate) fn new(path: &Path, like: &Path) -> Bare {
        let open = |path| Connection::open(path).expect("a file can be made");
        let page: i64 = open(like)
            .pragma_query_value(None, "page_size", |row| row.get(0))
            .expect("every file has a page size");
        let connection = open(path);
        connection.pragma_update(None, "page_size", page).expect("a new file takes it");
        connection
            .execute_batch(
                "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 2000;
                 PRAGMA cache_size = -32768;
                 CREATE TABLE bare(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;",
            )
            .expect("a new file takes it");
        Bare { connection, waited: Cell::new(None) }
    }

    /// Adds rows, in one commit.
    pub(crate) fn insert<'a>(&self, commit: Commit, rows: impl IntoIterator<Item = &'a [u8]>) {
        let connection = &self.connection;
        if self.waited.replace(Some(commit)) != Some(commit) {
            let synchronous = match commit {
                Commit::Synced => "FULL",
                Commit::Written => "NORMAL",
            };
            connection.pragma_update(None, "synchronous", synchronous).expect("it is a setting");
        }
        let transaction = connection.unchecked_transaction().expect("nobody else writes");
        {
            let mut insert = transaction
                .prepare_cached("INSERT INTO bare(bytes) VALUES (?1)")
                .expect("the table is there");
            for row in rows {
                insert.execute(params![row]).expect("there is room");
            }
        }
        transaction.commit().expect("there is room");
    }

    /// Reads rows by their numbers.
    pub(crate) fn read(&self, first: usize, count: usize) -> usize {
        let mut select = self
            .connection
            .prepare_cached("SELECT bytes FROM bare WHERE id >= ?1 LIMIT ?2")
            .expect("the table is there");
        let rows = select.query_map(params![first as i64, count as i64], |row| {
            row.get_ref(0).map(|bytes| bytes.as_blob().map_or(0, <[u8]>::len))
        });
        rows.expect("it can be read").map(|length| length.expect("it can be read")).sum()
    }
}
