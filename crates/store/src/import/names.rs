//! Moves of names: each must follow the one before it, in the file or in the store.

use std::collections::BTreeSet;

use history::line::Line;
use history::{Operation, OperationId};

use super::lines::{Current, Lines, Stretches};
use super::{Import, ImportError, findings, of_store};
use crate::MoveError;

/// The name whose moves are being read.
struct Name {
    name: String,
    known: BTreeSet<OperationId>,
}

impl Import<'_> {
    /// Makes the moves that waited for all events to be there.
    pub(super) fn names(&mut self, lines: &mut Lines<'_>) -> Result<(), ImportError> {
        let moves: Stretches = std::mem::take(&mut self.moves);
        let mut name = None;
        let mut stopped = BTreeSet::new();
        for (from, count) in moves.iter() {
            lines.go_to(from)?;
            for _ in 0..count {
                let Some(spot) = lines.read()? else { break };
                let Ok(current) = lines.current(spot) else { continue };
                let Ok(Line::Operation { id, operation }) = Line::read(current.text) else {
                    continue;
                };
                if !stopped.contains(&operation.name)
                    && !self.moved(&current, &mut name, id, &operation)?
                {
                    stopped.insert(operation.name);
                }
            }
        }
        Ok(())
    }

    /// Makes a move; if it cannot be made, nothing that follows it can.
    fn moved(
        &mut self,
        current: &Current<'_>,
        last: &mut Option<Name>,
        id: OperationId,
        operation: &Operation,
    ) -> Result<bool, ImportError> {
        let computed = operation.id();
        if computed != id {
            self.findings.add(current, findings::wrong_operation_id(computed));
            return Ok(false);
        }
        if last.as_ref().is_none_or(|last| last.name != operation.name) {
            let known = self.store.operations(&operation.name)?.into_iter().map(|(id, _)| id);
            *last = Some(Name { name: operation.name.clone(), known: known.collect() });
        }
        let Some(last) = last else { return Ok(false) };
        if last.known.contains(&id) {
            return Ok(true);
        }
        match self.store.move_name(operation) {
            Ok(_) => {
                self.findings.done.names += 1;
                last.known.insert(id);
                Ok(true)
            }
            // That the events are missing was said when they were left out.
            Err(MoveError::NoTarget(place)) if self.streams.is_stopped(&place.stream) => Ok(false),
            Err(error) => {
                let mut found = findings::broken_name(of_store(error)?);
                let rest = format!("the rest of `{}` in this file is not taken", operation.name);
                findings::add_help(&mut found, &rest);
                self.findings.add(current, found);
                Ok(false)
            }
        }
    }
}
