//! Leases in memory.

use std::sync::PoisonError;

use history::{Stream, Timestamp};

use super::MemoryStore;
use crate::lease::{self, Kept};
use crate::{Held, Holder, Lease, Leases, StoreError};

impl MemoryStore {
    /// Works with the last lease of a stream, which is there if `lease` is it.
    fn leased<T>(
        &self,
        stream: &Stream,
        lease: &Lease,
        work: impl FnOnce(&mut Kept) -> T,
    ) -> Option<T> {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = leases.get_mut(&stream.name())?;
        (kept.epoch == lease.epoch && kept.holder.is_some()).then(|| work(kept))
    }
}

impl Leases for MemoryStore {
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError> {
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let name = stream.name();
        Ok(Kept::next(leases.get(&name).cloned(), holder, now, ttl_ms).map(|kept| {
            let lease = Lease { epoch: kept.epoch };
            leases.insert(name, kept);
            lease
        }))
    }

    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError> {
        let renewed = self.leased(stream, lease, |kept| kept.until = lease::after(now, ttl_ms));
        Ok(renewed.is_some())
    }

    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError> {
        self.leased(stream, lease, |kept| kept.holder = None);
        Ok(())
    }
}
