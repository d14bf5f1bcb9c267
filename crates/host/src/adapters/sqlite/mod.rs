//! `sqlite.QUERY`, `sqlite.EXECUTE` and the transactions around them, on one database.

mod connect;
mod statement;
mod transactions;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use graph::Touches;
use runtime::{Answer, Fault, FaultKind, Happened, ToolCall};
use value::{Text, Value, json};

use self::connect::Access;
use self::transactions::{Key, Transactions};
use super::{denied, missing, others, refused, taken, text};
use crate::adapter::{Adapter, Call, Calling, shorter};

/// How long a statement may take where nobody says.
const TIME_MAX: Duration = Duration::from_secs(30);

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// Reading.
    Query,
    /// Everything else.
    Execute,
}

impl Right {
    /// Both, with the words of `allow`.
    pub(crate) const ALL: [(&str, Right); 2] =
        [("query", Right::Query), ("execute", Right::Execute)];

    fn verb(self) -> &'static str {
        match self {
            Right::Query => "QUERY",
            Right::Execute => "EXECUTE",
        }
    }

    fn touches(self) -> Touches {
        match self {
            Right::Query => Touches::Read,
            Right::Execute => Touches::Write,
        }
    }
}

/// A database that agents may use.
#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    path: PathBuf,
    allow: Vec<Right>,
    timeout: Option<Duration>,
    open: Arc<Transactions>,
}

impl Sqlite {
    pub(crate) fn new(path: PathBuf, allow: Vec<Right>, timeout: Option<Duration>) -> Sqlite {
        Sqlite { path, allow, timeout, open: Arc::default() }
    }

    pub(super) fn look(&self) -> Result<String, String> {
        let path = self.path.display();
        let words = Right::ALL.iter().filter(|(_, right)| self.allow.contains(right));
        let words: Vec<&str> = words.map(|(word, _)| *word).collect();
        match (self.path.is_file(), self.allow.contains(&Right::Execute)) {
            (true, _) => Ok(format!("{} in `{path}`", words.join(", "))),
            (false, true) => Ok(format!("`{path}` will be made by the first `sqlite.EXECUTE`")),
            (false, false) => Err(format!("there is no file `{path}`")),
        }
    }

    /// Why something may not be done.
    fn not_allowed(&self, right: Right, what: &str) -> Option<Calling> {
        if self.allow.contains(&right) {
            return None;
        }
        let words = Right::ALL.iter().filter(|(_, own)| self.allow.contains(own) || *own == right);
        let words = Value::list(words.map(|(word, _)| Value::from(*word)));
        Some(denied(format!(
            "`{what}` is not allowed; if it is meant, write in quipu.toml:\n\n\
             [adapters.sqlite]\nallow = {}\n",
            json::compact(&words)
        )))
    }

    fn statement(&self, call: &Call, tool: &ToolCall) -> Calling {
        let right = Right::ALL.iter().find(|(_, right)| right.verb() == &*tool.tool);
        let Some((_, right)) = right.copied() else {
            let message = format!(
                "there is no `sqlite.{}`, but `sqlite.QUERY` and `sqlite.EXECUTE`",
                tool.tool
            );
            return missing(message);
        };
        if let Some(denied) = self.not_allowed(right, &tool.name()) {
            return denied;
        }
        let Some(sql) = text(&tool.args).cloned() else {
            return refused(format!("`sqlite.{}` needs a statement, as text", tool.tool));
        };
        let given = others(&tool.args).to_vec();
        let key = key(call, tool);
        let (own, time_max) = (self.clone(), self.time_max(tool));
        later(right.touches(), move || match &key {
            Some(key) => own.open.within(key, |connection| {
                statement::run(connection, right, &sql, &given, time_max)
            }),
            None => {
                let access = if right == Right::Query { Access::Read } else { Access::Write };
                let mut connection = connect::open(&own.path, access)?;
                statement::run(&mut connection, right, &sql, &given, time_max)
            }
        })
    }

    fn transaction(&self, call: &Call, tool: &ToolCall) -> Calling {
        let word = |name: &str| tool.args.get(name).and_then(Value::as_text).cloned();
        let name = word("target").unwrap_or_else(|| "".into());
        let adapter = word("adapter").unwrap_or_else(|| "".into());
        if &*adapter != "sqlite" {
            return other_adapter(&name, &adapter);
        }
        let Some(key) = key(call, tool) else {
            return refused(format!("`{}` needs a transaction", tool.name()));
        };
        let reads = word("mode").is_some_and(|mode| matches!(&*mode, "readonly" | "read"));
        let right = if reads { Right::Query } else { Right::Execute };
        if let Some(denied) = self.not_allowed(right, &format!("Tx begin {name}")) {
            return denied;
        }
        let (own, verb) = (self.clone(), tool.tool.clone());
        later(Touches::Write, move || match &*verb {
            "BEGIN" => own.begin(key, name, reads),
            "COMMIT" => match own.open.end(&key, &name, "COMMIT")? {
                true => Ok(Value::Null),
                false => Err(transactions::gone(&format!("the transaction `{name}`"))),
            },
            // What is gone is rolled back.
            "ROLLBACK" => own.open.end(&key, &name, "ROLLBACK").map(|_| Value::Null),
            other => {
                let message = format!("there is no `txn.{other}`");
                Err(Fault::new(FaultKind::Missing, message).with_happened(Happened::No))
            }
        })
    }

    fn begin(&self, key: Key, name: Text, reads: bool) -> Result<Value, Fault> {
        let (access, sql) = match reads {
            true => (Access::Read, "BEGIN DEFERRED"),
            false => (Access::Write, "BEGIN IMMEDIATE"),
        };
        let connection = connect::open(&self.path, access)?;
        connection.execute_batch(sql).map_err(|error| {
            let message = format!("the transaction `{name}` could not begin: {error}");
            Fault::new(FaultKind::Tool, message).with_happened(Happened::No)
        })?;
        self.open.begun(key, name, connection);
        Ok(Value::Null)
    }

    fn time_max(&self, tool: &ToolCall) -> Duration {
        shorter(self.timeout, tool.timeout_ms).unwrap_or(TIME_MAX)
    }
}

/// A transaction of something that has none here.
pub(super) fn other_adapter(name: &str, adapter: &str) -> Calling {
    missing(format!(
        "the transaction `{name}` cannot begin: it is about `{adapter}`, and only `sqlite` has \
         transactions here; declare it as `Txn {name} sqlite`"
    ))
}

impl Adapter for Sqlite {
    fn call(&self, call: Call) -> Calling {
        let Some(tool) = taken(&call) else { return Calling::misrouted(&call) };
        self.open.sweep();
        match &*tool.server {
            "txn" => self.transaction(&call, tool),
            _ => self.statement(&call, tool),
        }
    }
}

/// The transaction that a call belongs to.
fn key(call: &Call, tool: &ToolCall) -> Option<Key> {
    let id = tool.args.get("txid").and_then(Value::as_text)?;
    Some((call.run.clone(), id.clone()))
}

/// SQLite waits for disks and locks: that is nothing for the threads that carry calls.
fn later(
    touches: Touches,
    work: impl FnOnce() -> Result<Value, Fault> + Send + 'static,
) -> Calling {
    Calling::Later(Box::pin(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.into(),
            Err(_) => {
                let contract =
                    crate::adapter::Contract { touches, ..crate::adapter::Contract::CAREFUL };
                let fault = Fault::new(FaultKind::Tool, "sqlite: the call was given up");
                Answer::Failed(fault.with_happened(contract.lost()))
            }
        }
    }))
}
