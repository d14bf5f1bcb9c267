//! Opens a database so that a statement reaches it and nothing else.

use std::path::Path;
use std::time::{Duration, Instant};

use runtime::{Fault, FaultKind, Happened};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

/// How long somebody else may hold the database.
const BUSY_MAX: Duration = Duration::from_secs(5);

/// The longest statement, in bytes.
const SQL_MAX: i32 = 1 << 20;

/// The longest value, in bytes.
const VALUE_MAX: i32 = 16 << 20;

/// After so many steps of a statement one looks at the clock.
const STEPS: i32 = 1_000;

/// What may be looked up about a table without reading or changing it.
const LOOKS: &[&str] = &[
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// A connection whose statements are watched.
pub(super) fn open(path: &Path, access: Access) -> Result<Connection, Fault> {
    let flags = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    // The path is a path, and no URI with settings in it.
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = connection.map_err(|error| match path.exists() {
        true => unusable(format!("the database cannot be opened: {error}")),
        false => unusable(format!("there is no database `{}` yet", path.display())),
    })?;
    let failed = |error: rusqlite::Error| unusable(format!("the database cannot be used: {error}"));
    connection.busy_timeout(BUSY_MAX).map_err(failed)?;
    let owner: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    if owner == store::APPLICATION_ID {
        let message = "the database is a store of Quipu, which keeps what happened: no agent may \
                       look into it or change it; name another file as `path` of \
                       `[adapters.sqlite]`";
        return Err(Fault::new(FaultKind::Denied, message).with_happened(Happened::No));
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(failed)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(failed)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_MAX),
        (Limit::SQLITE_LIMIT_LENGTH, VALUE_MAX),
    ] {
        connection.set_limit(limit, most).map_err(failed)?;
    }
    Ok(connection)
}

fn unusable(message: String) -> Fault {
    Fault::new(FaultKind::Tool, format!("sqlite: {message}")).with_happened(Happened::No)
}

/// From now on statements are judged, and end after some time.
pub(super) fn watch(connection: &mut Connection, time_max: Duration) -> rusqlite::Result<()> {
    connection.authorizer(Some(judge))?;
    let began = Instant::now();
    connection.progress_handler(STEPS, Some(move || began.elapsed() > time_max))
}

/// What we say ourselves is not judged.
pub(super) fn trust(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
    connection.progress_handler(0, None::<fn() -> bool>)
}

/// Other files, settings, and beginning or ending transactions are nothing for a statement.
fn judge(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Unknown { .. } => Authorization::Deny,
        AuthAction::Pragma { pragma_name, .. } if !LOOKS.contains(&pragma_name) => {
            Authorization::Deny
        }
        AuthAction::Function { function_name } if is_dangerous(function_name) => {
            Authorization::Deny
        }
        _ => Authorization::Allow,
    }
}

/// They take code from elsewhere, or take a number for a place in memory.
fn is_dangerous(function: &str) -> bool {
    ["load_extension", "fts3_tokenizer"].iter().any(|name| function.eq_ignore_ascii_case(name))
}
