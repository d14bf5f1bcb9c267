//! Appends of the program's own, which are held to what events must say together. An import flags
//! what it cannot vouch for instead.

use history::kinds::{Blob, Fact};
use history::{Event, Ledger};

use crate::{Append, AppendError, Receipt, Store, StoreError};

/// Adds events if the ledger of all that came before allows each of them, and takes them into it.
/// Whoever goes on appending keeps the ledger, so that nothing is read again. What is refused
/// leaves no trace in it.
pub fn append_checked(
    store: &dyn Store,
    ledger: &mut Ledger,
    append: &Append<'_>,
) -> Result<Receipt, AppendError> {
    let (receipt, after) = append_known(store, ledger.clone(), append, &[])?;
    *ledger = after;
    Ok(receipt)
}

/// The same for whoever has the events read again anyway after something went wrong: the ledger
/// comes back only if nothing did, so that it need not be copied. `facts` are what the events say,
/// in the same order; those that are missing are read.
pub fn append_known(
    store: &dyn Store,
    mut ledger: Ledger,
    append: &Append<'_>,
    facts: &[Option<Box<Fact>>],
) -> Result<(Receipt, Ledger), AppendError> {
    for (at, event) in append.events.iter().enumerate() {
        let known = facts.get(at).and_then(Option::as_deref);
        let read = match known {
            Some(_) => None,
            None => fact(store, append.blobs, event)?,
        };
        let fact = known.or(read.as_ref());
        debug_assert!(known.is_none() || known == self::fact(store, append.blobs, event)?.as_ref());
        let violations = ledger.check(event, fact, None);
        if !violations.is_empty() {
            return Err(AppendError::Unlawful(violations));
        }
        ledger.apply(event, fact);
    }
    Ok((store.append(append)?, ledger))
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
