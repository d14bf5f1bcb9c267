//! Large values: they come last in an export, and are kept first.

use history::BlobId;
use history::kinds::Blob;
use history::line::Line;
use value::Digest;

use super::lines::{Current, Lines};
use super::{Findings, ImportError, Imported, findings};
use crate::{Durability, Store};

/// So many bytes are kept at once.
const BATCH: usize = 8 << 20;

/// Keeps every value of the file that is what it is said to be. What is wrong with the others is
/// said when their lines come.
pub(super) fn keep(
    store: &dyn Store,
    lines: &mut Lines<'_>,
    done: &mut Imported,
) -> Result<(), ImportError> {
    let mut batch: Vec<Blob> = Vec::new();
    let mut size = 0;
    while let Some(spot) = lines.read()? {
        let Ok(current) = lines.current(spot) else { continue };
        if !Line::may_be_blob(current.text) {
            continue;
        }
        let Ok(Line::Blob { id, bytes }) = Line::read(current.text) else { continue };
        let blob = Blob::new(bytes);
        if blob.id() != id || store.has_blob(id)? || batch.iter().any(|other| other.id() == id) {
            continue;
        }
        size += blob.bytes().len();
        batch.push(blob);
        if size > BATCH || batch.len() == 512 {
            put(store, &mut batch, done)?;
            size = 0;
        }
    }
    put(store, &mut batch, done)
}

fn put(store: &dyn Store, batch: &mut Vec<Blob>, done: &mut Imported) -> Result<(), ImportError> {
    if !batch.is_empty() {
        store.put_blobs(batch, Durability::Group)?;
        done.blobs += batch.len() as u64;
        batch.clear();
    }
    Ok(())
}

/// Whether the bytes of a line are what they are said to be.
pub(super) fn check(findings: &mut Findings<'_>, current: &Current<'_>, id: BlobId, bytes: &[u8]) {
    let computed = BlobId(Digest::of(bytes));
    if computed != id {
        findings.add(current, findings::blob_mismatch(computed));
    }
}
