//! One statement: its parameters are bound, never pasted, and what it gives has an end.

use std::collections::BTreeSet;
use std::time::Duration;

use runtime::{Fault, FaultKind, Happened};
use rusqlite::types::{ToSqlOutput, Value as Own, ValueRef};
use rusqlite::{Connection, Error, ErrorCode, Statement};
use value::{Map, Text, Value, json};

use super::Right;
use super::connect::{trust, watch};
use crate::adapter::Contract;

/// How many rows an answer has at most.
const ROWS_MAX: usize = 10_000;

/// How much an answer holds at most, in bytes.
const BYTES_MAX: usize = 8 << 20;

/// Runs one statement, which ends after some time.
pub(super) fn run(
    connection: &mut Connection,
    right: Right,
    sql: &str,
    given: &[Value],
    time_max: Duration,
) -> Result<Value, Fault> {
    match right {
        Right::Query => {
            watch(connection, time_max).map_err(|error| told(right, &error))?;
            let mut statement = connection.prepare(sql).map_err(|error| told(right, &error))?;
            if !statement.readonly() {
                let message = "`sqlite.QUERY` only reads; what changes something is for \
                               `sqlite.EXECUTE`";
                return Err(Fault::new(FaultKind::Denied, message).with_happened(Happened::No));
            }
            bind(&mut statement, given).map_err(|why| refused(right, why))?;
            rows(&mut statement, right).map(Value::list)
        }
        Right::Execute => whole(connection, |connection| {
            watch(connection, time_max).map_err(|error| told(right, &error))?;
            let mut statement = connection.prepare(sql).map_err(|error| told(right, &error))?;
            bind(&mut statement, given).map_err(|why| refused(right, why))?;
            let before = connection.total_changes();
            // One that returns rows is done when all of them were taken.
            let mut rows = statement.raw_query();
            while rows.next().map_err(|error| told(right, &error))?.is_some() {}
            let count = connection.total_changes().saturating_sub(before);
            Ok(Value::map([("rows", Value::count(count))]))
        }),
    }
}

/// Changes something as a whole, or not at all: left to itself SQLite keeps what `OR FAIL` has done
/// before it failed. Within a transaction nothing else is undone with it.
fn whole<T>(
    connection: &mut Connection,
    work: impl FnOnce(&mut Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let right = Right::Execute;
    let say = |connection: &mut Connection, sql: &str| {
        trust(connection).and_then(|()| connection.execute_batch(sql))
    };
    say(connection, "SAVEPOINT quipu").map_err(|error| told(right, &error))?;
    let done = work(connection).and_then(|done| {
        say(connection, "RELEASE quipu").map_err(|error| told(right, &error))?;
        Ok(done)
    });
    // Some errors undo the whole transaction, and there is nothing left to go back to.
    if done.is_ok() || connection.is_autocommit() {
        return done;
    }
    match say(connection, "ROLLBACK TO quipu; RELEASE quipu") {
        Ok(()) => done,
        Err(error) => {
            let message = format!("sqlite.{}: it could not be undone: {error}", right.verb());
            done.map_err(|fault| Fault::new(fault.kind, message).with_happened(lost(right)))
        }
    }
}

/// One object names parameters (`:name`), one list or what else is given fills them in order.
fn bind(statement: &mut Statement<'_>, given: &[Value]) -> Result<(), String> {
    if let [Value::Map(named)] = given {
        return bind_named(statement, named);
    }
    let items: &[Value] = match given {
        [Value::List(items)] => items,
        _ => given,
    };
    let needed = statement.parameter_count();
    if items.len() != needed {
        let (given, needed) = (items.len(), needed);
        return Err(format!("the statement takes {needed} parameters, and {given} are given"));
    }
    for (index, item) in (1..).zip(items) {
        let bound = statement.raw_bind_parameter(index, parameter(item));
        bound.map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn bind_named(statement: &mut Statement<'_>, named: &Map) -> Result<(), String> {
    for index in 1..=statement.parameter_count() {
        let name = statement.parameter_name(index).unwrap_or_default().to_owned();
        let bare = name.trim_start_matches([':', '@', '$', '?']);
        let Some(item) = named.get(bare) else {
            return Err(format!("the parameter `{name}` is not given"));
        };
        let bound = statement.raw_bind_parameter(index, parameter(item));
        bound.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What SQLite has no kind for is bound as JSON, which its functions read.
fn parameter(item: &Value) -> ToSqlOutput<'_> {
    match item {
        Value::Null => ToSqlOutput::Owned(Own::Null),
        Value::Bool(is) => ToSqlOutput::Owned(Own::Integer(i64::from(*is))),
        Value::Int(number) => ToSqlOutput::Owned(Own::Integer(*number)),
        Value::Float(number) => ToSqlOutput::Owned(Own::Real(*number)),
        Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        other => ToSqlOutput::Owned(Own::Text(json::compact(other))),
    }
}

fn rows(statement: &mut Statement<'_>, right: Right) -> Result<Vec<Value>, Fault> {
    let names: Vec<Text> = statement.column_names().map(Text::from).collect();
    let mut seen = BTreeSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(*name)) {
        let why = format!("two columns are called `{twice}`; name one of them with `AS`");
        return Err(refused(right, why));
    }
    let mut found = Vec::new();
    let mut bytes = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|error| told(right, &error))? {
        if found.len() == ROWS_MAX {
            let why = format!("there are more than {ROWS_MAX} rows; say `LIMIT`");
            return Err(refused(right, why));
        }
        let mut object = Map::default();
        for (index, name) in names.iter().enumerate() {
            let column = row.get_ref(index).map_err(|error| told(right, &error))?;
            // Before it is taken: one row can hold more than there is room for.
            bytes += name.len() + size(column);
            if bytes > BYTES_MAX {
                let why = format!("the rows hold more than {BYTES_MAX} bytes; say `LIMIT`");
                return Err(refused(right, why));
            }
            let value = value(name, column).map_err(|why| refused(right, why))?;
            object.insert(name.clone(), value);
        }
        found.push(object.into());
    }
    Ok(found)
}

fn value(name: &str, column: ValueRef<'_>) -> Result<Value, String> {
    Ok(match column {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) if number.is_finite() => Value::Float(number),
        ValueRef::Real(_) => Value::Null,
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::text(text),
            Err(_) => return Err(format!("the column `{name}` is no UTF-8 text")),
        },
        ValueRef::Blob(_) => {
            return Err(format!("the column `{name}` holds bytes; say `hex({name})`"));
        }
    })
}

fn size(column: ValueRef<'_>) -> usize {
    match column {
        ValueRef::Text(bytes) => bytes.len(),
        _ => 8,
    }
}

/// A statement that cannot be run like that. Whatever it did is undone.
fn refused(right: Right, why: String) -> Fault {
    let message = format!("sqlite.{}: {why}", right.verb());
    Fault::new(FaultKind::Tool, message).with_happened(Happened::No)
}

/// What SQLite says. A statement that fails has done nothing, unless the disk failed under it.
fn told(right: Right, error: &Error) -> Fault {
    let verb = right.verb();
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            let message = format!(
                "`sqlite.{verb}` may not do this: other files, settings (`PRAGMA`), and beginning \
                 or ending transactions (that is what `Tx` is for) are nothing for a statement"
            );
            Fault::new(FaultKind::Denied, message).with_happened(Happened::No)
        }
        Some(ErrorCode::OperationInterrupted) => {
            let message = format!("`sqlite.{verb}` took too long, and was undone");
            Fault::new(FaultKind::Timeout, message).with_happened(Happened::No)
        }
        Some(ErrorCode::SystemIoFailure) => {
            let message = format!("sqlite.{verb}: {error}");
            Fault::new(FaultKind::Tool, message).with_happened(lost(right))
        }
        _ => refused(right, error.to_string()),
    }
}

/// What is known where nobody can say what was done.
fn lost(right: Right) -> Happened {
    Contract { touches: right.touches(), ..Contract::CAREFUL }.lost()
}
