//! Which resources are in use at the end of a lineage, and which of them other branches hold.

use std::collections::{BTreeMap, BTreeSet};

use history::kinds::words::PlanMode;
use history::kinds::{Fact, Kind, What};
use history::plan::Live;
use history::{Lineage, Stream, StreamInfo, Timestamp, Visit};
use value::Text;

use crate::{Store, StoreError};

/// The resources in use. Only events about resources are read.
pub(crate) fn live(store: &dyn Store, lineage: &Lineage) -> Result<Live, StoreError> {
    let mut live = Live::default();
    told(store, lineage)?.iter().for_each(|fact| live.apply(fact));
    Ok(live)
}

/// What a lineage says about resources, and what its agents say outside of their runs. Streams
/// have no common order but time; each keeps its own order, whatever its clock says.
pub(crate) fn told(store: &dyn Store, lineage: &Lineage) -> Result<Vec<Fact>, StoreError> {
    let own = keyed(facts(store, lineage)?);
    let agents: BTreeSet<&Text> =
        own.iter().filter_map(|(_, fact)| fact.common.agent_id.as_ref()).collect();
    let mut all = Vec::new();
    for agent in agents {
        // Whatever the agent has now, its runs can use.
        if let Some(info) = store.stream(&Stream::Agent(agent.clone()))? {
            all.extend(keyed(facts(store, &Lineage::own(&info))?));
        }
    }
    all.extend(own);
    all.sort_by_key(|(key, _)| *key);
    Ok(all.into_iter().map(|(_, fact)| fact).collect())
}

/// Each with when it counts as told.
fn keyed(facts: Vec<Fact>) -> Vec<(Timestamp, Fact)> {
    let mut latest = Timestamp::from_micros(i64::MIN);
    let keyed = facts.into_iter().map(|fact| {
        // Nothing comes between the start of a fork and its plan.
        if !matches!(fact.what, What::AgentForked(_)) {
            latest = latest.max(fact.common.ts);
        }
        (latest, fact)
    });
    keyed.collect()
}

fn facts(store: &dyn Store, lineage: &Lineage) -> Result<Vec<Fact>, StoreError> {
    let mut facts = Vec::new();
    let mut failed = None;
    lineage.visit(store, Some(Live::KINDS), 0, |_, entry| match store.fact(&entry.event) {
        Ok(fact) => {
            facts.extend(fact);
            Visit::More
        }
        Err(error) => {
            failed = Some(error);
            Visit::Stop
        }
    })?;
    failed.map_or(Ok(facts), Err)
}

/// Resources that forks of the lineage's runs, or forks of those, took over and still hold, each
/// with the branch. Every stream is listed, but only such forks are read.
pub(crate) fn held_by_others(
    store: &dyn Store,
    lineage: &Lineage,
) -> Result<BTreeMap<Text, Text>, StoreError> {
    let mut forks = forks(store)?;
    let mut held = BTreeMap::new();
    let own: BTreeSet<&Stream> = lineage.segments().iter().map(|part| &part.stream).collect();
    let mut open: Vec<Stream> = own.iter().map(|stream| (*stream).clone()).collect();
    while let Some(parent) = open.pop() {
        for other in forks.remove(&parent).into_iter().flatten() {
            if !own.contains(&other.stream) {
                held.extend(taken_by(store, &other)?);
                open.push(other.stream);
            }
        }
    }
    Ok(held)
}

/// All forks, by the streams that they go on from.
fn forks(store: &dyn Store) -> Result<BTreeMap<Stream, Vec<StreamInfo>>, StoreError> {
    const PAGE: usize = 512;
    let mut forks: BTreeMap<Stream, Vec<StreamInfo>> = BTreeMap::new();
    let mut after = None;
    loop {
        let page = store.streams(after.as_ref(), PAGE)?;
        let Some(last) = page.last() else { return Ok(forks) };
        after = Some(last.stream.clone());
        for info in page {
            if let Some(parent) = &info.parent {
                forks.entry(parent.stream.clone()).or_default().push(info);
            }
        }
    }
}

/// The resources that a fork took over and still holds, each with its branch.
fn taken_by(store: &dyn Store, fork: &StreamInfo) -> Result<Vec<(Text, Text)>, StoreError> {
    let begin = store.read_kinds(&fork.stream, &[Kind::AgentForked], fork.first, fork.next, 1)?;
    let Some(entry) = begin.first() else { return Ok(Vec::new()) };
    let Some(Fact { what: What::AgentForked(forked), .. }) = store.fact(&entry.event)? else {
        return Ok(Vec::new());
    };
    let branch = forked.to_branch;
    let mut taken = forked.volume_plan.unwrap_or_default();
    taken.retain(|item| item.mode == PlanMode::Keep && item.kept_by.as_ref() == Some(&branch));
    if taken.is_empty() {
        return Ok(Vec::new());
    }
    let Some(whole) = Lineage::of(store, &fork.stream, None)? else { return Ok(Vec::new()) };
    let live = live(store, &whole)?;
    let writable = live.writable();
    let still = taken.into_iter().filter(|item| writable.contains(&item.resource));
    Ok(still.map(|item| (item.resource, branch.clone())).collect())
}
