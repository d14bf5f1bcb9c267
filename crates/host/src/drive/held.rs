//! Calls whose leaving was recorded although nobody was there to make them: the answer of a person
//! led to them, or the process was about to stop. They are not in doubt.
//!
//! A `run_paused` names them. Whoever makes one of them later records that it leaves once more.

use std::collections::BTreeSet;

use graph::Again;
use history::kinds::{Kind, What};
use history::{Lineage, Stream, Visit};
use runtime::{CallId, Pending, Request, Run, Stage};
use store::{Store, StoreError};
use value::Text;

/// What stands before the names.
const WORDS: &str = "held back: ";

/// The reason that names calls, behind another one if there is one.
pub(crate) fn reason(why: Option<&str>, held: &[Text]) -> Option<Text> {
    let named = (!held.is_empty()).then(|| format!("{WORDS}{}", held.join(", ")));
    match (why, named) {
        (Some(why), Some(named)) => Some(format!("{why}; {named}").into()),
        (why, named) => why.map(Into::into).or(named.map(Into::into)),
    }
}

fn names(reason: &str) -> impl Iterator<Item = &str> {
    let named = reason.split_once(WORDS).map(|(_, named)| named);
    named.into_iter().flat_map(|named| named.split(", "))
}

/// Whether the history says that a call has left. Of those that may run again freely it does not.
pub(crate) fn has_left(pending: &Pending) -> bool {
    let is_recorded = matches!(&pending.request, Request::Tool(call)
        if call.again != Again::Freely);
    pending.stage == Stage::Started && is_recorded
}

/// The calls of a run that were held back, and have not left since.
pub(crate) fn held(
    store: &dyn Store,
    stream: &Stream,
    run: &Run,
) -> Result<BTreeSet<CallId>, StoreError> {
    let mut held = BTreeSet::new();
    let (Some(lineage), true) = (Lineage::of(store, stream, None)?, run.pending().any(has_left))
    else {
        return Ok(held);
    };
    let mut failed = None;
    const KINDS: &[Kind] = &[Kind::EffectStarted, Kind::RunPaused];
    lineage.visit(store, Some(KINDS), 0, |_, entry| match store.fact(&entry.event) {
        Err(error) => {
            failed = Some(error);
            Visit::Stop
        }
        Ok(fact) => {
            match fact.map(|fact| fact.what) {
                Some(What::EffectStarted(effect)) => {
                    let intent = effect.call.event_id;
                    let left = run.pending().filter(|pending| pending.intent == intent);
                    left.for_each(|pending| {
                        held.remove(&pending.id);
                    });
                }
                Some(What::RunPaused(paused)) => {
                    let reason = paused.reason.unwrap_or_default();
                    for name in names(&reason) {
                        let found = run.pending().find(|pending| *pending.name == *name);
                        held.extend(found.map(|pending| pending.id));
                    }
                }
                _ => {}
            }
            Visit::More
        }
    })?;
    failed.map_or(Ok(held), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_what_is_read_from_it() {
        let read = |reason: &str| names(reason).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(reason(None, &[]), None);
        let both = reason(Some("interrupted"), &["c1".into(), "c12".into()]).unwrap();
        assert_eq!(&*both, "interrupted; held back: c1, c12");
        assert_eq!(read(&both), ["c1", "c12"]);
        assert_eq!(read(&reason(None, &["c3".into()]).unwrap()), ["c3"]);
        assert_eq!(read("interrupted"), [""; 0]);
    }
}
