//! Opens connections. Whatever is no store of ours is refused before anything touches it.

use std::fmt::Write;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::filesystem;
use super::schema::{self, Contents};
use crate::{StoreError, directories};

/// How long one waits for others, who hold a store for moments only: while they write, when it is
/// opened after a crash, and when the last one closes it. It is counted in looks.
const LOOKS: i32 = 5_000;

/// The time between two looks. Those who write one after the other leave a store alone for
/// microseconds only, so that whoever looks seldom might wait for long.
const LOOK: Duration = Duration::from_millis(1);

/// So many looks come sooner: most wait for one short append.
const EARLY_LOOKS: i32 = 20;
const EARLY_LOOK: Duration = Duration::from_micros(100);

/// So many statements stay prepared: all there are.
const STATEMENTS: usize = 64;

/// A SQLite file has this many bytes at least, if it has any: SQLite takes a shorter one for new.
const SMALLEST: u64 = 512;

/// So many connections wait for the next reader.
const READERS: usize = 8;

/// Where a store is, with every link followed, so that all who open it find the same log.
pub(super) fn locate(path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |error: std::io::Error| {
        StoreError::Unusable(format!("`{}` cannot be opened: {error}", path.display()))
    };
    let located = match fs::canonicalize(path) {
        Ok(located) => located,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            let Some(name) = path.file_name() else { return Err(failed(error)) };
            // Before anything is made there.
            if let Some(there) = folder.ancestors().find_map(|above| fs::canonicalize(above).ok()) {
                filesystem::check(&there)?;
            }
            directories::create(folder).map_err(failed)?;
            fs::canonicalize(folder).map_err(failed)?.join(name)
        }
        Err(error) => return Err(failed(error)),
    };
    if located.is_dir() {
        return Err(StoreError::Unusable(format!("`{}` is a folder", path.display())));
    }
    filesystem::check(&located)?;
    Ok(located)
}

/// Refuses a file that is there and not ours, without writing anything beside it or into it. Only
/// a file with a journal or log beside it must be opened to tell whose it is: SQLite then takes
/// back what a crash left half done in a journal, as the program would whose it is; a log stays.
pub(super) fn look(path: &Path) -> Result<Contents, StoreError> {
    let not_a_store = || StoreError::Unusable(format!("`{}` is not a store", path.display()));
    // Not by reading the file: closing it would let go of the locks that this process has on it.
    let Ok(length) = fs::metadata(path).map(|file| file.len()) else {
        return Ok(Contents::Nothing);
    };
    // What is in the file counts only together with its journal or log, which may have been left
    // by a crash. Opening it brings them together, and will tell whose it is.
    let has_more = |end| fs::metadata(beside(path, end)).is_ok_and(|file| file.len() > 0);
    if has_more("-journal") || has_more("-wal") {
        return Ok(Contents::Current);
    }
    if (1..SMALLEST).contains(&length) {
        return Err(not_a_store());
    }
    let connection = unlocked(path)?;
    match connection.pragma_query_one::<i64>(None, "application_id") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(not_a_store())
        }
        // Without locks a file that is being written can look torn. Opening it will tell.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            Ok(Contents::Current)
        }
        _ => schema::look(&connection, path),
    }
}

/// The file beside a store whose name goes on like this.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_os_string();
    beside.push(end);
    PathBuf::from(beside)
}

/// A connection that writes, beside others.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags)?;
    recognize(&connection, path)?;
    // The tables come first: who finds the log beside the file must find in the file whose it is.
    schema::prepare(&connection, path)?;
    if begin_log(&connection)? != "wal" {
        let path = path.display();
        return Err(StoreError::Unusable(format!("`{path}` cannot have a log beside it")));
    }
    // The log is brought into the file where it can be told when that fails; see `write`.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -32_768)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// Has what is written go into a log. Whoever else opens the store now is in the way of that for a
/// moment, and SQLite does not wait here.
fn begin_log(connection: &Connection) -> rusqlite::Result<String> {
    let mut looks = 0;
    loop {
        match connection.query_one("PRAGMA journal_mode = WAL", [], |row| row.get(0)) {
            Err(error) if is_busy(&error) && wait(looks) => looks += 1,
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// A connection that reads. It may write, if the system lets it, only so that the last one to
/// close leaves a single file.
fn reader(path: &Path) -> Result<Connection, StoreError> {
    let quiet = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    for flags in [OpenFlags::SQLITE_OPEN_READ_WRITE, OpenFlags::SQLITE_OPEN_READ_ONLY] {
        match open(path, flags | quiet).and_then(|connection| readable(connection, path)) {
            Err(StoreError::System(error)) if is_denied(&*error) => {}
            other => return other,
        }
    }
    if fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0) {
        return Err(StoreError::Unusable(format!(
            "`{}` was not closed, and cannot be read while its folder cannot be written",
            path.display()
        )));
    }
    readable(unlocked(path)?, path)
}

fn readable(connection: Connection, path: &Path) -> Result<Connection, StoreError> {
    connection.pragma_update(None, "query_only", true)?;
    match recognize(&connection, path)? {
        Contents::Current => Ok(connection),
        Contents::Older(version) => Err(StoreError::Unusable(format!(
            "`{}` has the old version {version}: open it for writing once",
            path.display()
        ))),
        Contents::Nothing => Err(StoreError::Unusable(format!("`{}` is empty", path.display()))),
    }
}

/// Whether the system does not let a file or the log beside it be opened this way.
fn is_denied(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let code = error.downcast_ref().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

/// A connection that takes no locks and looks for no log.
fn unlocked(path: &Path) -> Result<Connection, StoreError> {
    let mut address = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                address.push(char::from(*byte));
            }
            _ => write!(address, "%{byte:02x}").expect("text can grow"),
        }
    }
    address.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    open(Path::new(&address), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(wait))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Until it is known to be ours, closing it brings no log into it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Waits for others who hold the store, as often as it makes sense.
pub(super) fn wait(looks: i32) -> bool {
    std::thread::sleep(if looks < EARLY_LOOKS { EARLY_LOOK } else { LOOK });
    looks < LOOKS
}

/// Keeps others from closing their connections as long as it lives. The last connection to close
/// leaves one file; two at the same time would each take the other one for the last. What is locked
/// is the folder, so that nothing is left behind; where that cannot be, the log may be.
pub(super) fn closing(path: &Path) -> Option<File> {
    let folder = File::open(path.parent()?).ok()?;
    let mut looks = 0;
    loop {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::WouldBlock) if wait(looks) => looks += 1,
            Err(_) => return None,
        }
    }
}

/// Looks at what a connection leads to. From then on closing it may clear up.
fn recognize(connection: &Connection, path: &Path) -> Result<Contents, StoreError> {
    let contents = schema::look(connection, path)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(contents)
}

/// Connections that read, each for one caller at a time.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Opens the first one, so that what cannot be read is known now.
    pub(super) fn open(path: &Path) -> Result<Readers, StoreError> {
        let first = reader(path)?;
        Ok(Readers { path: path.to_path_buf(), idle: Mutex::new(vec![first]) })
    }

    /// Closes those that wait.
    pub(super) fn close(&mut self) {
        self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Lends one out.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let connection = match lent {
            Some(connection) => connection,
            None => reader(&self.path)?,
        };
        let done = work(&connection);
        let mut idle = idle();
        if idle.len() < READERS {
            idle.push(connection);
        }
        done
    }
}
