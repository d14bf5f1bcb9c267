//! The right to drive a run: taken, kept and given back.

use std::time::{Duration, Instant};

use history::Stream;
use store::{Holder, Lease};

use super::{DriveError, Driver, World};

/// How long a lease lasts without being renewed.
const LEASE_MS: u64 = 30_000;

/// The right to drive a run. However it ends, others may have it then.
pub(super) struct Claim<'a> {
    world: &'a World<'a>,
    stream: Stream,
    /// None after somebody else has taken it.
    lease: Option<Lease>,
    renewed: Instant,
}

impl<'a> Claim<'a> {
    /// Takes the lease of a run, if nobody has it.
    pub(super) fn take(world: &'a World<'a>, stream: &Stream) -> Result<Claim<'a>, DriveError> {
        let holder = Holder::this_process();
        match world.store.acquire(stream, &holder, (world.clock)(), LEASE_MS)? {
            Ok(lease) => {
                let (stream, lease) = (stream.clone(), Some(lease));
                Ok(Claim { world, stream, lease, renewed: Instant::now() })
            }
            Err(held) => {
                let holder = in_words(&held.holder);
                Err(DriveError::Held { holder, until: held.until })
            }
        }
    }

    /// Keeps the lease, when a third of its time is over.
    pub(super) fn renew(&mut self) -> Result<(), DriveError> {
        let is_fresh = self.renewed.elapsed() < Duration::from_millis(LEASE_MS / 3);
        match is_fresh && self.lease.is_some() {
            true => Ok(()),
            false => self.make_sure(),
        }
    }

    /// Keeps the lease, or stops: whoever has it now makes the calls. Somebody may have it although
    /// its time is not over here, where clocks differ or this process stood still.
    pub(super) fn make_sure(&mut self) -> Result<(), DriveError> {
        self.renewed = Instant::now();
        let (store, now) = (self.world.store, (self.world.clock)());
        let lease = self.lease.as_ref().ok_or(DriveError::TakenOver)?;
        if !store.renew(&self.stream, lease, now, LEASE_MS)? {
            self.lease = None;
            return Err(DriveError::TakenOver);
        }
        Ok(())
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(lease) = self.lease.take() {
            // A lease that cannot be given back ends by itself.
            let _ = self.world.store.release(&self.stream, &lease);
        }
    }
}

/// However a driver ends, nothing of its run is under way any more.
impl Drop for Driver<'_> {
    fn drop(&mut self) {
        self.withdraw_all();
        self.give_up(self.under_way.iter().copied().collect());
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
