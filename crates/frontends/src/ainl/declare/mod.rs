//! Lines that declare something: services, types, endpoints, what runs by the clock.

use diagnostics::Diagnostic;
use graph::draft::Draft;
use graph::ops::OpDef;

use super::program::Program;
use crate::origins::Origins;

/// An op that declares.
pub(crate) struct Declares {
    pub(crate) word: &'static str,
    /// How many words must follow it.
    pub(crate) least: usize,
}

static DECLARES: &[Declares] = &[Declares { word: "S", least: 2 }];

/// The op of this word.
pub(crate) fn find(word: &str) -> Option<&'static Declares> {
    DECLARES.iter().find(|op| op.word == word)
}

/// All words that declare.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    DECLARES.iter().map(|op| op.word)
}

/// Whether a step may stand outside of labels.
pub(crate) fn stands_alone(op: &OpDef) -> bool {
    op.slots.iter().any(|slot| slot.kind == graph::ops::SlotKind::Adapter) || op.returns()
}

/// Puts what is declared into the draft.
pub(crate) fn declare(
    program: &Program<'_>,
    draft: &mut Draft,
    origins: &mut Origins,
    findings: &mut Vec<Diagnostic>,
) {
    let _ = (program, draft, origins, findings);
}
