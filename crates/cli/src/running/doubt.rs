//! Calls that may have happened when a process died, and how a run goes on in either case.

use anyhow::Result;
use history::kinds::words::InterruptionReason;
use history::kinds::{Kind, What};
use history::{Lineage, Stream, Visit};
use runtime::{FaultKind, Run};
use store::Store;
use value::Text;

use super::report::{quoted, same_store};

/// What a run failed of that did not know whether its calls had happened.
pub(super) struct Doubt {
    /// The event that tells of it: before it, the calls are still open.
    pub(super) seq: u64,
    run: Text,
    /// The nodes whose calls they are, one for each call.
    nodes: Vec<Text>,
    /// One of them is a wish of a model: what its node answers is the model's answer.
    is_wish: bool,
}

impl Doubt {
    /// The doubt that a run failed of, if it was one. Both the doubt and its calls may be events of
    /// a run that this one was forked from.
    pub(super) fn of(store: &dyn Store, run: &Run) -> Result<Option<Doubt>> {
        if run.failure().is_none_or(|failure| failure.fault.kind != FaultKind::Interrupted) {
            return Ok(None);
        }
        let lineage = Lineage::of(store, &Stream::Run(run.id().clone()), None)?;
        let Some(lineage) = lineage else { return Ok(None) };
        let mut last = Ok(None);
        lineage.visit(store, Some(&[Kind::Interruption]), 0, |_, entry| {
            match store.fact(&entry.event) {
                // Calls that were given up because of the doubt are in none.
                Ok(fact) => match fact.map(|fact| fact.what) {
                    Some(What::Interruption(it))
                        if it.reason == Some(InterruptionReason::Crash) =>
                    {
                        last = Ok(Some((entry.seq, it.affects)));
                    }
                    _ => {}
                },
                Err(error) => last = Err(error),
            }
            if last.is_ok() { Visit::More } else { Visit::Stop }
        })?;
        let Some((seq, affects)) = last? else { return Ok(None) };
        let mut nodes = Ok(Vec::new());
        let mut is_wish = false;
        lineage.visit(store, Some(&[Kind::ToolCall]), 0, |_, call| {
            let id = call.event.id();
            if affects.iter().any(|affected| affected.event_id == id) {
                match (store.fact(&call.event), &mut nodes) {
                    (Ok(Some(fact)), Ok(nodes)) => {
                        // Of all calls only wishes belong to a question.
                        is_wish |= fact.common.correlation_id.is_some();
                        nodes.extend(fact.common.at);
                    }
                    (Ok(None), Ok(_)) => {}
                    (Err(error), _) => nodes = Err(error),
                    (Ok(_), Err(_)) => {}
                }
            }
            if nodes.is_ok() && call.seq < seq { Visit::More } else { Visit::Stop }
        })?;
        Ok(Some(Doubt { seq, run: run.id().clone(), nodes: nodes?, is_wish }))
    }

    /// The command that goes on if the calls have not happened: it makes them again.
    pub(super) fn if_not(&self) -> String {
        format!("quipu fork {}@{} --live{}", self.run, self.seq.saturating_sub(1), same_store())
    }

    /// The command that goes on if they have, with a place for what each of them answered; or why no
    /// command can say so.
    pub(super) fn if_happened(&self) -> Result<String, String> {
        if self.is_wish {
            let node = self.nodes.first().map_or("", |node| node);
            return Err(format!(
                "a model at {node} wanted it, and `--output` would give the model's answer"
            ));
        }
        let mut command = self.if_not();
        for (at, node) in self.nodes.iter().enumerate() {
            if self.nodes[..at].contains(node) {
                return Err(format!("several calls of {node} are in doubt"));
            }
            command.push_str(&format!(" --output {}=VALUE", quoted(node)));
        }
        Ok(command)
    }
}
