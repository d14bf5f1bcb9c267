//! Where one writes at a time: transactions, what they cost the disk, and what is left when they
//! fail. What is written is in `write`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use history::{Link, Stream};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use value::Digest;

use super::connect;
use super::fault::{is_full, leaves_doubt};
use super::read::last_position;
use super::schema;
use crate::StoreError;

/// The log goes into the file when it has so many pages that are not there yet.
const LOG_PAGES: i64 = 2_000;

/// From so many on readers are waited for, since they keep the log from beginning anew.
const LOG_PAGES_MAX: i64 = 4 * LOG_PAGES;

/// The length of the log is looked at after so many commits: looking takes a part of the time that
/// a commit of one event takes.
const LOOK_EVERY: u32 = 8;

/// So long others are waited for by who shortens the log. Who reads longer makes it longer.
const READERS_PATIENCE: Duration = Duration::from_millis(50);

/// The connection that writes, and what it remembers.
pub(super) struct Desk {
    pub(super) connection: Connection,
    /// What is remembered holds as long as every transaction goes well, and nobody else writes.
    pub(super) remembered: Remembered,
    /// Changes when somebody else writes.
    version: i64,
    /// Whether a commit waits for the disk.
    waits: bool,
    /// Whether there may be commits that are not on the disk, of whomever.
    unsynced: bool,
    /// So long may the log become.
    log_limit: i64,
    /// How many commits there were since its length was looked at.
    unlooked: u32,
    /// Why nothing is written any more.
    broken: Option<String>,
    /// Where the file is, and which one it was when it was opened.
    file: (PathBuf, Option<Identity>),
}

/// The device and the number of a file.
type Identity = (u64, u64);

/// What only those who write can change, kept so that it need not be read again.
#[derive(Default)]
pub(super) struct Remembered {
    /// Streams that were written to.
    pub(super) heads: HashMap<Stream, Head>,
    /// The position of the last event, once it is known.
    pub(super) last: Option<i64>,
    /// The position up to which batches have been looked for.
    pub(super) indexed: i64,
    /// Events whose ids are not in the index yet. It ends with the last event, and may lack those
    /// that were added by others.
    pub(super) tail: Vec<Unindexed>,
}

/// What the indexes hold of an event.
#[derive(Clone, Copy)]
pub(super) struct Unindexed {
    pub(super) position: i64,
    /// The beginning of its id.
    pub(super) id8: i64,
    pub(super) stream: i64,
    pub(super) kind: i64,
    pub(super) seq: i64,
}

/// Where a stream goes on.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) no: i64,
    /// The stream and the last event that is its parent's.
    pub(super) parent: Option<(i64, u64)>,
    pub(super) first: u64,
    pub(super) next: u64,
    pub(super) link: Link,
    pub(super) genesis: Digest,
    /// Whether its last event was written here.
    pub(super) here: bool,
}

/// How durable a transaction is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Until {
    /// The operating system has it.
    System,
    /// The disk has it.
    Disk,
}

impl Desk {
    /// Brings what a crash left in the log into the file: some of it may never have reached the
    /// disk, and a sync that failed before would not be made up for by a later one. Whoever reads
    /// or writes meanwhile is not waited for.
    pub(super) fn open(connection: Connection, path: &Path) -> Result<Desk, StoreError> {
        let version = version(&connection)?;
        let unsynced = match checkpoint(&connection, "PASSIVE") {
            Ok((is_blocked, pages, done)) => is_blocked || pages != done,
            // Somebody may make room while it is open.
            Err(error) if is_full(&error) => true,
            Err(error) => return Err(error.into()),
        };
        Ok(Desk {
            connection,
            remembered: Remembered::default(),
            version,
            waits: true,
            unsynced,
            log_limit: LOG_PAGES_MAX,
            unlooked: 0,
            broken: None,
            file: (path.to_path_buf(), identity(path)),
        })
    }

    /// Does work that is written as a whole or not at all.
    pub(super) fn transaction<T>(
        &mut self,
        until: Until,
        work: impl FnOnce(&mut Desk) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if let Some(reason) = &self.broken {
            return Err(StoreError::Poisoned(reason.clone()));
        }
        match self.attempt(until, work) {
            Ok(done) => Ok(done),
            Err(error) => {
                self.remembered = Remembered::default();
                if !self.connection.is_autocommit()
                    && let Err(error) = self.connection.execute_batch("ROLLBACK")
                {
                    self.give_up(error.to_string());
                }
                Err(error)
            }
        }
    }

    fn attempt<T>(
        &mut self,
        until: Until,
        work: impl FnOnce(&mut Desk) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let waits = until == Until::Disk;
        if waits && self.is_gone() {
            let path = self.file.0.display();
            let reason = format!("`{path}` was removed or replaced while it was open");
            self.give_up(reason.clone());
            return Err(StoreError::Unusable(reason));
        }
        if self.waits != waits {
            let word = if waits { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.waits = waits;
        }
        self.run("BEGIN IMMEDIATE")?;
        let before = self.connection.total_changes();
        let done = self.recall().and_then(|()| work(self));
        let done = done.and_then(|done| {
            // What is asked for may be there already, but not on the disk.
            if waits && self.unsynced && self.connection.total_changes() == before {
                schema::touch(&self.connection)?;
            }
            Ok(done)
        });
        let done = match done {
            Ok(done) => done,
            Err(error) => {
                if leaves_doubt(&error) {
                    self.give_up(error.to_string());
                }
                return Err(error.into());
            }
        };
        let has_changes = self.connection.total_changes() != before;
        if let Err(error) = self.run("COMMIT") {
            if !is_full(&error) {
                self.give_up(error.to_string());
            }
            return Err(error.into());
        }
        self.unsynced = !waits && (self.unsynced || has_changes);
        self.shorten_log();
        Ok(done)
    }

    /// Whether nobody will find what is written: SQLite would go on in a file without a name.
    fn is_gone(&self) -> bool {
        let (path, opened) = &self.file;
        opened.is_some() && identity(path) != *opened
    }

    fn run(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute([]).map(drop)
    }

    /// Forgets what others may have changed, and reads what is not remembered.
    fn recall(&mut self) -> rusqlite::Result<()> {
        let version = version(&self.connection)?;
        if self.version != version {
            self.version = version;
            self.remembered = Remembered::default();
            self.unsynced = true;
        }
        if self.remembered.last.is_none() {
            let last = last_position(&self.connection)?;
            self.remembered.indexed = last;
            self.remembered.last = Some(last);
        }
        Ok(())
    }

    /// Brings a long log into the file. What was committed is safe whether this goes well or not.
    fn shorten_log(&mut self) {
        self.unlooked += 1;
        if self.unlooked < LOOK_EVERY {
            return;
        }
        self.unlooked = 0;
        match self.try_shorten_log() {
            Err(error) if !is_full(&error) => self.give_up(error.to_string()),
            _ => {}
        }
    }

    fn try_shorten_log(&mut self) -> rusqlite::Result<()> {
        let (_, pages, done) = checkpoint(&self.connection, "NOOP")?;
        if pages >= self.log_limit {
            let (is_blocked, ..) = self.checkpoint_soon("RESTART")?;
            self.log_limit = if is_blocked { pages + LOG_PAGES } else { LOG_PAGES_MAX };
        } else if pages - done >= LOG_PAGES {
            checkpoint(&self.connection, "PASSIVE")?;
        }
        Ok(())
    }

    /// After this nothing is written: what did not reach the disk cannot be sent there again.
    fn give_up(&mut self, reason: String) {
        self.broken.get_or_insert(reason);
        // The connection must not do on closing what it failed to do before.
        let no_more = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let _ = self.connection.set_db_config(no_more, true);
    }

    /// Brings the log into the file while others read and write, if they make room soon.
    fn checkpoint_soon(&mut self, mode: &str) -> rusqlite::Result<(bool, i64, i64)> {
        self.connection.busy_timeout(READERS_PATIENCE)?;
        let done = checkpoint(&self.connection, mode);
        self.connection.busy_handler(Some(connect::wait))?;
        done
    }

    /// Leaves the file whole, whoever has it open besides.
    pub(super) fn close(mut self) {
        if self.broken.is_none() {
            let _ = self.checkpoint_soon("TRUNCATE");
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Elsewhere a file that is open keeps its name.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

/// A number that is another one after another connection has written something.
fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}

/// Brings the log into the file: whether somebody was in the way, how many pages the log has, and
/// how many of them are in the file.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<(bool, i64, i64)> {
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}
