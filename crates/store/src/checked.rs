//! Appends of the program's own, which are held to what events must say together. An import flags
//! what it cannot vouch for instead.

use history::Ledger;

use crate::live::fact_beside;
use crate::{Append, AppendError, Receipt, Store};

/// Adds events if the ledger of all that came before allows each of them, and takes them into it.
/// Whoever goes on appending keeps the ledger, so that nothing is read again.
pub fn append_checked(
    store: &dyn Store,
    ledger: &mut Ledger,
    append: &Append<'_>,
) -> Result<Receipt, AppendError> {
    let mut after = ledger.clone();
    for event in append.events {
        let fact = fact_beside(store, append.blobs, event)?;
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
