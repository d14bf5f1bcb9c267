//! The transactions that are open: each has a connection of its own, which lives in this process and
//! no longer. Whoever asks for one that is not here is told so, and nothing happens outside of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use runtime::{Fault, FaultKind, Happened};
use rusqlite::Connection;
use value::Text;

use super::connect::trust;

/// A transaction that nobody asks for is rolled back after this: its run may have failed long ago,
/// and nobody else can write meanwhile.
const IDLE_MAX: Duration = Duration::from_secs(5 * 60);

/// A run, and the id of one of its transactions.
pub(super) type Key = (Text, Text);

#[derive(Debug)]
struct Open {
    connection: Connection,
    name: Text,
    used: Instant,
}

/// All that are open.
#[derive(Debug, Default)]
pub(super) struct Transactions(Mutex<BTreeMap<Key, Arc<Mutex<Open>>>>);

impl Transactions {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Mutex<Open>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Rolls back what nobody asks for any more.
    pub(super) fn sweep(&self) {
        self.all().retain(|_, open| match open.try_lock() {
            Ok(open) => open.used.elapsed() < IDLE_MAX,
            // Somebody uses it.
            Err(_) => true,
        });
    }

    /// A transaction has begun on a connection.
    pub(super) fn begun(&self, key: Key, name: Text, connection: Connection) {
        let open = Open { connection, name, used: Instant::now() };
        self.all().insert(key, Arc::new(Mutex::new(open)));
    }

    /// Does something within a transaction. One that SQLite has given up meanwhile is gone.
    pub(super) fn within<T>(
        &self,
        key: &Key,
        work: impl FnOnce(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let open = self.all().get(key).map(Arc::clone).ok_or_else(|| gone("the transaction"))?;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.connection.is_autocommit() {
            return Err(gone("the transaction"));
        }
        let done = work(&mut open.connection);
        open.used = Instant::now();
        if !open.connection.is_autocommit() {
            return done;
        }
        self.all().remove(key);
        done.map_err(|fault| {
            let message = format!("{}; with it the transaction was rolled back", fault.message);
            Fault { message: message.into(), ..fault }
        })
    }

    /// Ends a transaction. False if there is none.
    pub(super) fn end(&self, key: &Key, name: &Text, sql: &str) -> Result<bool, Fault> {
        let Some(open) = self.all().get(key).map(Arc::clone) else { return Ok(false) };
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.name != *name {
            let message =
                format!("the transaction that is open is `{}`, and not `{name}`", open.name);
            return Err(Fault::new(FaultKind::Failed, message).with_happened(Happened::No));
        }
        if open.connection.is_autocommit() {
            self.all().remove(key);
            return Ok(false);
        }
        let ended = trust(&mut open.connection).and_then(|()| open.connection.execute_batch(sql));
        ended.map_err(|error| {
            let message = format!("the transaction `{name}` could not end: {error}");
            Fault::new(FaultKind::Tool, message).with_happened(Happened::Maybe)
        })?;
        self.all().remove(key);
        Ok(true)
    }
}

/// Nobody here holds it.
pub(super) fn gone(what: &str) -> Fault {
    let message = format!(
        "{what} is gone: the process that held it has ended, or nobody asked for it for a long \
         time, and SQLite has rolled it back; nothing of it was kept"
    );
    Fault::new(FaultKind::Tool, message).with_happened(Happened::No)
}
