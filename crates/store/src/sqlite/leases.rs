//! Leases as rows.

use history::{Stream, Timestamp};
use rusqlite::{OptionalExtension, params};

use super::desk::{Desk, Until};
use super::{SqliteStore, read};
use crate::lease::{self, Kept};
use crate::{Held, Holder, Lease, Leases, StoreError};

impl Leases for SqliteStore {
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        self.leasing(|desk| {
            let name = stream.name();
            let next = Kept::next(desk.last_lease(&name)?, holder, now, ttl_ms);
            let Ok(kept) = next else { return Ok(next.map(|kept| Lease { epoch: kept.epoch })) };
            desk.connection
                .prepare_cached(
                    "INSERT INTO lease(stream, epoch, holder, until) VALUES(?1, ?2, ?3, ?4)
                     ON CONFLICT(stream) DO UPDATE
                     SET epoch = excluded.epoch, holder = excluded.holder, until = excluded.until",
                )?
                .execute(params![name, kept.epoch, holder.name(), kept.until.micros()])?;
            Ok(Ok(Lease { epoch: kept.epoch }))
        })
    }

    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError> {
        self.leasing(|desk| {
            let sql = "UPDATE lease SET until = ?3
                       WHERE stream = ?1 AND epoch = ?2 AND holder IS NOT NULL";
            let until = lease::after(now, ttl_ms).micros();
            let renewed = desk.connection.prepare_cached(sql)?.execute(params![
                stream.name(),
                read::bounded(lease.epoch),
                until
            ])?;
            Ok(renewed > 0)
        })
    }

    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError> {
        self.leasing(|desk| {
            let sql = "UPDATE lease SET holder = NULL WHERE stream = ?1 AND epoch = ?2";
            let released = params![stream.name(), read::bounded(lease.epoch)];
            desk.connection.prepare_cached(sql)?.execute(released).map(drop)
        })
    }
}

impl SqliteStore {
    /// Nobody who drives a run waits for the disk: a lease is worth nothing once the machine is
    /// down.
    fn leasing<T>(
        &self,
        work: impl FnOnce(&mut Desk) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.writer()?.alone(|desk| desk.transaction(Until::System, work))
    }
}

impl Desk {
    fn last_lease(&self, stream: &str) -> rusqlite::Result<Option<Kept>> {
        let sql = "SELECT epoch, holder, until FROM lease WHERE stream = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let kept = statement.query_row([stream], |row| {
            let holder: Option<Box<str>> = row.get(1)?;
            Ok(Kept {
                epoch: row.get(0)?,
                holder: holder.map(Holder::named),
                until: Timestamp::from_micros(row.get(2)?),
            })
        });
        kept.optional()
    }
}
