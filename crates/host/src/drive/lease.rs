//! The right to drive a run: taken, kept and given back.

use std::time::{Duration, Instant};

use history::{Stream, Timestamp};
use store::{Holder, Lease};

use super::{DriveError, Driver, World};

/// How long a lease lasts without being renewed.
const LEASE_MS: u64 = 30_000;

/// Takes the lease of a run, if nobody has it.
pub(super) fn take(world: &World<'_>, stream: &Stream) -> Result<Lease, DriveError> {
    let holder = Holder::this_process();
    match world.store.acquire(stream, &holder, (world.clock)(), LEASE_MS)? {
        Ok(lease) => Ok(lease),
        Err(held) => {
            let holder = in_words(&held.holder);
            Err(DriveError::Held { holder, until: held.until })
        }
    }
}

impl Driver<'_> {
    /// Keeps the lease, when a third of its time is over.
    pub(super) fn renew(&mut self, now: Timestamp) -> Result<(), DriveError> {
        match self.renewed.elapsed() < Duration::from_millis(LEASE_MS / 3) {
            true => Ok(()),
            false => self.make_sure(now),
        }
    }

    /// Keeps the lease, or stops: whoever has it now makes the calls. Somebody may have it although
    /// its time is not over here, where clocks differ or this process stood still.
    pub(super) fn make_sure(&mut self, now: Timestamp) -> Result<(), DriveError> {
        self.renewed = Instant::now();
        match &self.lease {
            Some(lease) if !self.world.store.renew(&self.stream, lease, now, LEASE_MS)? => {
                self.lease = None;
                Err(DriveError::TakenOver)
            }
            _ => Ok(()),
        }
    }
}

/// However a driver ends, nothing of its run is under way any more, and others may drive it.
impl Drop for Driver<'_> {
    fn drop(&mut self) {
        for call in std::mem::take(&mut self.under_way).into_keys() {
            self.world.dispatcher.cancel(self.run.id(), call);
        }
        if let Some(lease) = self.lease.take() {
            // A lease that cannot be given back ends by itself.
            let _ = self.world.store.release(&self.stream, &lease);
        }
    }
}

/// A process of this machine by its number, which is what people can look for.
fn in_words(holder: &Holder) -> String {
    let own = Holder::this_process();
    let split = |name: &str| {
        let (rest, begun) = name.rsplit_once(' ')?;
        let (machine, number) = rest.rsplit_once(' ')?;
        Some((machine.to_owned(), number.to_owned(), begun.to_owned()))
    };
    match (split(own.name()), split(holder.name())) {
        (Some((here, ..)), Some((there, number, _))) if here == there => {
            format!("process {number}")
        }
        _ => format!("`{holder}`, on another machine"),
    }
}
