//! Forks: a new run that goes on from any event of another one. No event is copied, and nothing
//! is written to the run that is forked; what cannot be shared is planned for.

mod copies;
mod error;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use copies::Copy;
pub use error::ForkError;
use history::kinds::records::{EventRef, Origin, PlanItem};
use history::kinds::words::{Mode, PlanMode, RunReason};
use history::kinds::{
    AgentForked, Blob, Body, Common, Kind, ResourceAttached, ResourceDetached, RunStarted, Sealed,
    What,
};
use history::plan::{self, Branches, Live, Wish};
use history::{Event, EventId, Ledger, Lineage, Link, Place, Stream, Timestamp};
use value::{Map, Text, Value};

use crate::live::{held_by_others, told};
use crate::{Append, Durability, Expected, Store, StoreError, append_checked};

/// What a fork should be.
#[derive(Clone, Debug)]
pub struct ForkRequest {
    /// The id of the new run.
    pub run: Text,
    /// Whose it is; the same agent's as the one it comes from, if nothing else is said.
    pub agent: Option<Text>,
    /// What the branch is called that it comes from.
    pub from_branch: Text,
    /// What its own branch is called.
    pub to_branch: Text,
    /// When.
    pub ts: Timestamp,
    /// What becomes of each resource that is in use there.
    pub wishes: BTreeMap<Text, Wish>,
    /// How it goes on, for whoever runs it.
    pub going_on: GoingOn,
    /// When it counts as done.
    pub durability: Durability,
}

/// How a fork goes on: members of its first event that this crate does not look into.
#[derive(Clone, Debug, Default)]
pub struct GoingOn {
    /// The hash of another graph's meaning.
    pub graph: Option<Text>,
    /// The other graph; the parent's where none is given.
    pub document: Option<Value>,
    /// How it runs.
    pub options: Option<Arc<Map>>,
    /// What it is made with.
    pub versions: Option<Arc<Map>>,
}

/// A fork that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Forked {
    /// The last event that it shares, in the run whose own event it is.
    pub from: Place,
    /// Its first own event.
    pub first: Place,
    /// The link of its last event.
    pub link: Link,
    /// What became of the resources.
    pub plan: Vec<PlanItem>,
    /// The copies that were wanted.
    pub copies: Vec<Copied>,
}

/// A resource of which a copy was wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Copied {
    /// Which one.
    pub resource: Text,
    /// What the fork has instead; nothing if there is no way to make a copy of such a resource,
    /// which the fork records as `unsupported` and goes on without it.
    pub restored: Option<Restored>,
}

/// A copy of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// Its id.
    pub resource: Text,
    /// Where it is, as it was asked for. The fork records it as an absolute path.
    pub folder: PathBuf,
}

/// Forks a run behind an event.
///
/// It takes as long for a long run as for a short one: only events about resources are read, and
/// other runs only if a resource is kept. A copy of a folder is made as the folder is now. Two
/// forks at the same moment may both take a resource over; the next one is told.
pub fn fork(store: &dyn Store, at: &Place, request: &ForkRequest) -> Result<Forked, ForkError> {
    let parting = Parting::find(store, at)?;
    let run = Stream::Run(request.run.clone());
    if store.stream(&run)?.is_some() {
        return Err(ForkError::Exists(run));
    }
    let agent = match &request.agent {
        Some(agent) => agent.clone(),
        None => parting.agent(store)?.ok_or_else(|| ForkError::NoAgent(at.clone()))?,
    };
    if request.from_branch == request.to_branch {
        return Err(ForkError::SameBranch(request.to_branch.clone()));
    }
    let InUse { live, mounts } = InUse::find(store, &parting.lineage)?;
    let is_kept = |wish: &Wish| matches!(wish, Wish::KeepByParent | Wish::KeepByFork);
    let elsewhere = match request.wishes.values().any(is_kept) {
        true => held_by_others(store, &parting.lineage)?,
        false => BTreeMap::new(),
    };
    let branches = Branches { from: &request.from_branch, to: &request.to_branch };
    let plan = plan::plan(&live, &request.wishes, branches, &elsewhere);
    let mut plan = plan.map_err(ForkError::Refused)?;
    let mut copies = copies::wanted(&live, request)?;
    copies::check(&copies)?;
    copies::make(store, &mut copies, request.durability)?;
    for item in plan.iter_mut().filter(|item| item.mode == PlanMode::Snapshot) {
        let copy = copies.iter().find(|copy| *copy.id() == item.resource);
        item.snapshot_ref = copy.map(|copy| copy.snapshot_id(&request.run).into());
    }
    let usable = live.usable();
    let taken = plan.iter().filter(|item| is_taken(item, &request.to_branch)).map(|item| {
        ResourceAttached {
            resource_ref: item.resource.clone(),
            mode: Some(usable.get(&item.resource).map_or(Mode::ReadWrite, |mode| (*mode).clone())),
            mount: mounts.get(&item.resource).cloned(),
        }
    });
    let writer = parting.begin(agent, request, &plan, &taken.collect::<Vec<_>>(), &copies);
    let append = Append {
        stream: &run,
        expected: Expected::Fork(parting.place.clone()),
        events: &writer.events,
        blobs: &writer.blobs,
        key: None,
        durability: request.durability,
        unverified: false,
    };
    let receipt = append_checked(store, &mut Ledger::knowing(live), &append).map_err(|source| {
        let left = copies.iter().filter_map(|copy| Some(copy.folder()?.to_path_buf())).collect();
        ForkError::Append { source, left }
    })?;
    Ok(Forked {
        from: parting.place,
        first: Place::new(run, receipt.first),
        link: receipt.link,
        copies: copies.iter().map(|copy| copy.copied(&request.run)).collect(),
        plan,
    })
}

/// Whether the fork takes a resource over.
fn is_taken(item: &PlanItem, branch: &Text) -> bool {
    item.mode == PlanMode::Keep && item.kept_by.as_ref() == Some(branch)
}

/// The resources in use where a run is forked.
struct InUse {
    live: Live,
    /// Where each can be found, as far as that was said.
    mounts: BTreeMap<Text, Text>,
}

impl InUse {
    fn find(store: &dyn Store, lineage: &Lineage) -> Result<InUse, StoreError> {
        let mut found = InUse { live: Live::default(), mounts: BTreeMap::new() };
        for fact in told(store, lineage)? {
            found.live.apply(&fact);
            if let What::ResourceAttached(ResourceAttached { resource_ref, mount, .. }) = fact.what
            {
                found.mounts.remove(&resource_ref);
                found.mounts.extend(mount.map(|mount| (resource_ref, mount)));
            }
        }
        Ok(found)
    }
}

/// Where two runs part.
struct Parting {
    lineage: Lineage,
    /// The last event that they share, in the run whose own event it is.
    place: Place,
    event: Event,
}

impl Parting {
    fn find(store: &dyn Store, at: &Place) -> Result<Parting, ForkError> {
        let nothing = || ForkError::NoPlace(at.clone());
        if at.stream.run_id().is_none() {
            return Err(ForkError::NotARun(at.stream.clone()));
        }
        let (place, entry) = Lineage::locate(store, at)?.ok_or_else(nothing)?;
        let lineage = Lineage::of(store, &at.stream, Some(at.seq + 1))?.ok_or_else(nothing)?;
        Ok(Parting { place, event: entry.event, lineage })
    }

    /// Whose run it is, by its start or else by the event itself.
    fn agent(&self, store: &dyn Store) -> Result<Option<Text>, StoreError> {
        let until = self.place.seq + 1;
        let start = store.last_of(&self.place.stream, &[Kind::RunStarted], until)?;
        let event = start.as_ref().map_or(&self.event, |start| &start.event);
        Ok(store.fact(event)?.and_then(|fact| fact.common.agent_id))
    }

    /// The events that a fork begins with.
    fn begin(
        &self,
        agent: Text,
        request: &ForkRequest,
        plan: &[PlanItem],
        taken: &[ResourceAttached],
        copies: &[Copy],
    ) -> Writer {
        let mut writer = Writer {
            common: Common {
                agent_id: Some(agent),
                run_id: Some(request.run.clone()),
                ..Common::at(request.ts)
            },
            events: Vec::new(),
            blobs: Vec::new(),
        };
        let event_id: EventId = self.event.id();
        let run_id = self.place.stream.run_id().expect("only runs are forked").clone();
        writer.add(&RunStarted {
            reason: Some(RunReason::Fork),
            from: Some(Origin { run_id, seq: self.place.seq.cast_signed(), event_id }),
            graph: request.going_on.graph.clone(),
            inputs: None,
            seed: None,
            versions: request.going_on.versions.clone(),
            document: request.going_on.document.clone(),
            options: request.going_on.options.clone(),
        });
        writer.add(&AgentForked {
            from_branch: request.from_branch.clone(),
            to_branch: request.to_branch.clone(),
            at_event: Some(EventRef { event_id }),
            volume_plan: (!plan.is_empty()).then(|| plan.to_vec()),
        });
        for item in plan {
            // Said in the fork too, so that whoever asks who has it is told.
            match taken.iter().find(|taken| taken.resource_ref == item.resource) {
                Some(attached) => writer.add(attached),
                None => writer.add(&ResourceDetached { resource_ref: item.resource.clone() }),
            }
            if let Some(copy) = copies.iter().find(|copy| *copy.id() == item.resource) {
                copy.tell(&mut writer, request, copies);
            }
        }
        writer
    }
}

/// Events of one append that have most in common.
struct Writer {
    common: Common,
    events: Vec<Event>,
    blobs: Vec<Blob>,
}

impl Writer {
    fn add(&mut self, body: &impl Body) {
        let Sealed { event, blobs, .. } = self.common.seal(body);
        self.events.push(event);
        self.blobs.extend(blobs);
    }
}
