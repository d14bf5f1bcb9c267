//! What SQLite takes for the same bytes without anything of ours: rows of one plain table.

use std::path::Path;

use rusqlite::{Connection, params};

/// A plain table.
pub(crate) struct Bare(Connection);

impl Bare {
    /// An empty table in the settings of a store's file. `synchronous` is FULL or NORMAL.
    pub(crate) fn new(path: &Path, like: &Path, synchronous: &str) -> Bare {
        let open = |path| Connection::open(path).expect("a file can be made");
        let page: i64 = open(like)
            .pragma_query_value(None, "page_size", |row| row.get(0))
            .expect("every file has a page size");
        let connection = open(path);
        connection.pragma_update(None, "page_size", page).expect("a new file takes it");
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 2000;
                 PRAGMA cache_size = -32768; PRAGMA synchronous = {synchronous};
                 CREATE TABLE bare(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;"
            ))
            .expect("a new file takes it");
        Bare(connection)
    }

    /// Adds one row.
    pub(crate) fn insert(&self, bytes: &[u8]) {
        let mut insert = self
            .0
            .prepare_cached("INSERT INTO bare(bytes) VALUES (?1)")
            .expect("the table is there");
        insert.execute(params![bytes]).expect("there is room");
    }
}
