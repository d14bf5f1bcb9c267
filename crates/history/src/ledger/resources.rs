//! Resources: what is known of each, and who has it.

use std::collections::BTreeSet;

use value::Text;

use super::Violation;
use super::layers::Layers;
use crate::kinds::words::{Capability, Mode, RestoreOutcome};
use crate::kinds::{Fact, What};
use crate::plan::{self, Live};

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Resources {
    pub(super) live: Live,
    /// Of which resource each snapshot is.
    snapshots: Layers<Text, Text>,
    /// The handles that are open.
    handles: BTreeSet<Text>,
}

impl Resources {
    pub(super) fn check(&self, what: &What, found: &mut Vec<Violation>) {
        let named = match what {
            What::ResourceAttached(event) => Some(&event.resource_ref),
            What::ResourceDetached(event) => Some(&event.resource_ref),
            What::ResourceTransferred(event) => Some(&event.resource_ref),
            What::SnapshotCreated(event) => Some(&event.resource_ref),
            _ => None,
        };
        if let Some(resource) = named.filter(|resource| self.live.get(resource).is_none()) {
            found.push(Violation::UnknownResource { resource: resource.clone() });
        }
        match what {
            What::ResourceAttached(event) if event.mode != Some(Mode::ReadOnly) => {
                let held = self.live.get(&event.resource_ref);
                if let Some(branch) = held.and_then(|held| held.away.clone()) {
                    let resource = event.resource_ref.clone();
                    found.push(Violation::HeldElsewhere { resource, branch });
                }
            }
            What::RestoreAttempted(event) if event.outcome != RestoreOutcome::Unsupported => {
                let resource = self.snapshots.get(&event.snapshot_ref);
                let held = resource.and_then(|resource| self.live.get(resource));
                if let (Some(resource), Some(held)) = (resource, held)
                    && held.resource.is_some()
                    && (held.is_imperative() || !held.can(&Capability::Restore))
                {
                    found.push(Violation::RestoreUnsupported {
                        resource: resource.clone(),
                        imperative: held.is_imperative(),
                    });
                }
            }
            What::AgentForked(event) if self.live.begins() => {
                let items = event.volume_plan.as_deref().unwrap_or_default();
                let refusals = plan::check(&self.live, items);
                found.extend(refusals.into_iter().map(Violation::BrokenPlan));
            }
            What::HandleClosed(event) if !self.handles.contains(&event.handle_ref) => {
                found.push(Violation::HandleNotOpen { handle: event.handle_ref.clone() });
            }
            _ => {}
        }
    }

    pub(super) fn apply(&mut self, fact: &Fact) {
        match &fact.what {
            What::SnapshotCreated(event) => {
                self.live.name(&event.resource_ref);
                self.snapshots.insert(event.snapshot_ref.clone(), event.resource_ref.clone());
            }
            What::HandleOpened(event) => _ = self.handles.insert(event.handle.id.clone()),
            What::HandleClosed(event) => _ = self.handles.remove(&event.handle_ref),
            _ => {}
        }
        self.live.apply(fact);
    }
}
