//! Questions about large values that any store can answer.

use history::BlobId;
use value::Digest;

use crate::{Store, StoreError};

/// Whether there are bytes behind a hash, without reading them: whether it is the next one behind
/// the hash before it.
pub(crate) fn is_there(store: &dyn Store, id: BlobId) -> Result<bool, StoreError> {
    let mut bytes = *id.as_bytes();
    let mut borrows = true;
    for byte in bytes.iter_mut().rev() {
        if borrows {
            (*byte, borrows) = byte.overflowing_sub(1);
        }
    }
    // No hash is before the one of nothing but zeros.
    let before = (!borrows).then_some(BlobId(Digest::from_bytes(bytes)));
    Ok(store.blobs(before, 1)?.first().is_some_and(|(found, _)| *found == id))
}
