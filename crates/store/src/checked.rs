//! Appends of the program's own, which are held to what events must say together. An import flags
//! what it cannot vouch for instead.

use history::kinds::{Blob, Fact};
use history::{Event, Ledger};

use crate::{Append, AppendError, Receipt, Store, StoreError};

/// Adds events if the ledger of all that came before allows each of them, and takes them into it.
/// Whoever goes on appending keeps the ledger, so that nothing is read again.
pub fn append_checked(
    store: &dyn Store,
    ledger: &mut Ledger,
    append: &Append<'_>,
) -> Result<Receipt, AppendError> {
    let mut after = ledger.clone();
    for event in append.events {
        let fact = fact(store, append.blobs, event)?;
        let violations = after.check(event, fact.as_ref(), None);
        if !violations.is_empty() {
            return Err(AppendError::Unlawful(violations));
        }
        after.apply(event, fact.as_ref());
    }
    let receipt = store.append(append)?;
    *ledger = after;
    Ok(receipt)
}

/// What an event says that is not in the store yet, with the values that come with it.
fn fact(store: &dyn Store, blobs: &[Blob], event: &Event) -> Result<Option<Fact>, StoreError> {
    let mut failed = None;
    let fact = event.fact_with(|id| match blobs.iter().find(|blob| blob.id() == id) {
        Some(blob) => Blob::read(blob.bytes()),
        None => store.value(id).unwrap_or_else(|error| {
            failed = Some(error);
            None
        }),
    });
    failed.map_or(Ok(fact), Err)
}
