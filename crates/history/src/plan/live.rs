//! Which resources are in use at some place of a history.

use std::collections::{BTreeMap, BTreeSet};

use value::Text;

use crate::kinds::records::{PlanItem, Resource};
use crate::kinds::words::{Capability, Mode, PlanMode};
use crate::kinds::{Fact, Kind, What};

/// The resources that the events of a lineage speak of, and how each is used now.
///
/// It keeps one entry for each resource that was ever named, which is what a fork copies: there
/// are few of them beside events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    resources: BTreeMap<Text, Held>,
    /// Whether a fork has just begun, so that a plan that follows is about this branch.
    begins: bool,
}

/// What is known of one resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Held {
    /// What it is; nothing if nobody registered it.
    pub resource: Option<Resource>,
    /// The resource it is a part of.
    pub part_of: Option<Text>,
    /// How it is used.
    pub attachment: Attachment,
    /// The other branch that has it since a fork.
    pub away: Option<Text>,
}

/// How a resource is used.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Attachment {
    /// It was never attached by itself: a part goes with the whole.
    #[default]
    None,
    /// It can be used.
    Attached(Mode),
    /// It can no longer be used.
    Detached,
}

impl Live {
    /// The kinds of events that make a difference to it. Reading only these is enough.
    pub const KINDS: &'static [Kind] = &[
        Kind::RunStarted,
        Kind::ResourceRegistered,
        Kind::ResourceTransferred,
        Kind::ResourceAttached,
        Kind::ResourceDetached,
        Kind::AgentForked,
        Kind::BranchMerged,
    ];

    /// What is known of a resource.
    pub fn get(&self, id: &str) -> Option<&Held> {
        self.resources.get(id)
    }

    /// Takes the next event in.
    pub fn apply(&mut self, fact: &Fact) {
        let begins = std::mem::take(&mut self.begins);
        match &fact.what {
            What::RunStarted(started) => self.begins = started.from.is_some(),
            What::ResourceRegistered(event) => {
                let held = self.held(&event.resource.id);
                held.resource = Some(event.resource.clone());
                held.part_of = event.part_of.clone();
            }
            What::ResourceTransferred(event) => {
                let held = self.held(&event.resource_ref);
                held.away = None;
                // A part that is given away no longer goes with the whole.
                if held.attachment == Attachment::None && event.to.run_id != fact.common.run_id {
                    held.attachment = Attachment::Detached;
                }
            }
            What::ResourceAttached(event) => {
                let held = self.held(&event.resource_ref);
                // Who does not say that nothing is written may write.
                let mode = event.mode.clone().unwrap_or(Mode::ReadWrite);
                held.attachment = Attachment::Attached(mode);
                held.away = None;
            }
            What::ResourceDetached(event) => {
                self.held(&event.resource_ref).attachment = Attachment::Detached;
            }
            What::AgentForked(event) if begins => {
                let plan = event.volume_plan.iter().flatten();
                plan.for_each(|item| self.follow(item, &event.to_branch, &event.from_branch));
            }
            What::BranchMerged(event) => {
                let plan = event.resource_plan.iter().flatten();
                plan.for_each(|item| self.follow(item, &event.into, &event.from));
            }
            // Whoever reads only some kinds must come to the same.
            _ => self.begins = begins,
        }
    }

    /// Knows of a resource, although nobody registered it.
    pub(crate) fn name(&mut self, id: &Text) {
        self.held(id);
    }

    /// Whether a fork has just begun.
    pub fn begins(&self) -> bool {
        self.begins
    }

    /// What a plan says of one resource, seen from the branch `own`.
    fn follow(&mut self, item: &PlanItem, own: &Text, other: &Text) {
        let away = match (&item.mode, &item.kept_by) {
            (PlanMode::Keep, Some(branch)) if branch != own => Some(branch.clone()),
            (PlanMode::Keep | PlanMode::Other(_), _) => return,
            (PlanMode::Snapshot, _) => Some(other.clone()),
            (PlanMode::Discard, _) => None,
        };
        let held = self.held(&item.resource);
        held.attachment = Attachment::Detached;
        held.away = away;
    }

    /// Resources that can be used, each with how: a part like the whole it belongs to, unless it
    /// was attached by itself.
    pub fn usable(&self) -> BTreeMap<&Text, &Mode> {
        let mut usable = BTreeMap::new();
        let mut parts: BTreeMap<&Text, Vec<&Text>> = BTreeMap::new();
        for (id, held) in &self.resources {
            match (&held.attachment, &held.part_of) {
                (Attachment::Attached(mode), _) => _ = usable.insert(id, mode),
                (Attachment::None, Some(whole)) => parts.entry(whole).or_default().push(id),
                (Attachment::None | Attachment::Detached, _) => {}
            }
        }
        let mut open: Vec<(&Text, &Mode)> = usable.iter().map(|(id, mode)| (*id, *mode)).collect();
        while let Some((whole, mode)) = open.pop() {
            for part in parts.remove(whole).into_iter().flatten() {
                usable.insert(part, mode);
                open.push((part, mode));
            }
        }
        usable
    }

    /// Resources that can be written, and so must have one owner.
    pub fn writable(&self) -> BTreeSet<&Text> {
        let usable = self.usable().into_iter();
        usable.filter(|(_, mode)| **mode != Mode::ReadOnly).map(|(id, _)| id).collect()
    }

    fn held(&mut self, id: &Text) -> &mut Held {
        self.resources.entry(id.clone()).or_default()
    }
}

impl Held {
    /// Whether it says that it can do this.
    pub fn can(&self, capability: &Capability) -> bool {
        let known = self.resource.as_ref().and_then(|known| known.capabilities.as_ref());
        known.is_some_and(|known| known.contains(capability))
    }

    /// Whether no snapshot holds what it is.
    pub fn is_imperative(&self) -> bool {
        self.resource.as_ref().and_then(|known| known.imperative).unwrap_or(false)
    }
}
