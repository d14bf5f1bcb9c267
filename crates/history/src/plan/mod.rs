//! What becomes of resources when a branch forks or two become one. A history can be shared by
//! any number of branches; a folder or a container cannot, so each has exactly one owner.
//!
//! Nothing here touches a resource.

mod live;
mod refusal;

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::nearest;
pub use live::{Attachment, Held, Live};
pub use refusal::Refusal;
use value::Text;

use crate::kinds::records::PlanItem;
use crate::kinds::words::{Capability, PlanMode};

/// What somebody wants to become of one resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// The branch that is forked keeps it.
    KeepByParent,
    /// The fork takes it over.
    KeepByFork,
    /// The fork gets a copy.
    Snapshot {
        /// Where the copy goes.
        into: Option<Text>,
    },
    /// The fork goes on without it.
    Discard,
}

/// The branches that part or become one.
#[derive(Clone, Copy, Debug)]
pub struct Branches<'a> {
    /// The one that is forked, or that ends in the other.
    pub from: &'a Text,
    /// The fork, or the one that goes on.
    pub to: &'a Text,
}

/// Makes a plan of wishes. `elsewhere` says which resources other branches hold, and which.
pub fn plan(
    live: &Live,
    wishes: &BTreeMap<Text, Wish>,
    branches: Branches<'_>,
    elsewhere: &BTreeMap<Text, Text>,
) -> Result<Vec<PlanItem>, Vec<Refusal>> {
    let items = wishes.iter().map(|(resource, wish)| {
        let (mode, kept_by) = match wish {
            Wish::KeepByParent => (PlanMode::Keep, Some(branches.from.clone())),
            Wish::KeepByFork => (PlanMode::Keep, Some(branches.to.clone())),
            Wish::Snapshot { .. } => (PlanMode::Snapshot, None),
            Wish::Discard => (PlanMode::Discard, None),
        };
        PlanItem { resource: resource.clone(), mode, kept_by, snapshot_ref: None }
    });
    let items: Vec<PlanItem> = items.collect();
    let mut refusals = check(live, &items);
    for item in &items {
        let resource = || item.resource.clone();
        match (&item.mode, live.get(&item.resource), elsewhere.get(&item.resource)) {
            // A copy of something that lives on is made at a moment that nobody chose.
            (PlanMode::Snapshot, Some(held), _)
                if held.is_imperative() && held.can(&Capability::Snapshot) =>
            {
                refusals.push(Refusal::NoSnapshot { resource: resource(), imperative: true });
            }
            (PlanMode::Snapshot, Some(Held { resource: None, .. }), _) => {
                refusals.push(Refusal::NoSnapshot { resource: resource(), imperative: false });
            }
            (PlanMode::Keep, _, Some(branch)) => {
                refusals.push(Refusal::Held { resource: resource(), branch: branch.clone() });
            }
            _ => {}
        }
    }
    if refusals.is_empty() { Ok(items) } else { Err(refusals) }
}

/// Whether a fork's plan can be followed: it says what becomes of each resource that can be
/// written, and names no other than can be used.
pub fn check(live: &Live, items: &[PlanItem]) -> Vec<Refusal> {
    let usable: BTreeSet<&Text> = live.usable().into_keys().collect();
    let mut refusals = settle(&live.writable(), &usable, items);
    for item in items {
        let is_copy = item.mode == PlanMode::Snapshot;
        let held = live.get(&item.resource).filter(|held| held.resource.is_some());
        if is_copy && held.is_some_and(|held| !held.can(&Capability::Snapshot)) {
            let resource = item.resource.clone();
            refusals.push(Refusal::NoSnapshot { resource, imperative: false });
        }
    }
    refusals
}

/// Whether a merge leaves each resource that both branches can write to one of them.
pub fn check_merge(
    into: &Live,
    from: &Live,
    branches: Branches<'_>,
    items: &[PlanItem],
) -> Vec<Refusal> {
    let both = &into.writable() & &from.writable();
    let usable = into.usable().into_keys().chain(from.usable().into_keys()).collect();
    let mut refusals = settle(&both, &usable, items);
    for item in items {
        let resource = item.resource.clone();
        match &item.kept_by {
            _ if item.mode == PlanMode::Snapshot && both.contains(&resource) => {
                refusals.push(Refusal::TwoOwners { resource });
            }
            Some(branch) if branch != branches.from && branch != branches.to => {
                refusals.push(Refusal::Stranger { resource, branch: branch.clone() });
            }
            _ => {}
        }
    }
    refusals
}

/// What a plan for `open` may not lack, and for other than `usable` may not have.
fn settle(open: &BTreeSet<&Text>, usable: &BTreeSet<&Text>, items: &[PlanItem]) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let mut named = BTreeSet::new();
    for item in items {
        let resource = item.resource.clone();
        if !named.insert(&item.resource) {
            refusals.push(Refusal::Twice { resource });
        } else if !usable.contains(&resource) {
            let near = nearest(&resource, usable.iter().map(|id| &***id)).map(Text::from);
            refusals.push(Refusal::NotLive { resource, near });
        } else if item.mode == PlanMode::Keep && item.kept_by.is_none() {
            refusals.push(Refusal::KeptByNobody { resource });
        }
    }
    let resources: Vec<Text> = open.difference(&named).map(|id| (*id).clone()).collect();
    if !resources.is_empty() {
        refusals.push(Refusal::Missing { resources });
    }
    refusals
}
