//! Where runs and agents come from, and what came from them.

use std::collections::{BTreeMap, BTreeSet};

use value::{Text, Value};

use super::reading::{Events, beginning, each_stream, lineage_of, read_lineage, ts};
use super::sources::{Subject, agent_of};
use super::{At, Found, Item, QueryError, joined, maybe};
use crate::archive::{Archive, StreamInfo};
use crate::kinds::{Kind, What};
use crate::projection::Seen;
use crate::{Lineage, Place, Stream, Timestamp};

/// The kinds that this needs, beside how runs began.
const KINDS: &[Kind] = &[Kind::SubagentSpawned];

/// So many generations are enough.
const DEPTH_MAX: usize = 1000;

/// What somebody is to the one that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The run that a fork goes on from.
    Parent,
    /// A fork.
    Child,
    /// The agent that started this one.
    SpawnedBy,
    /// An agent that this one started.
    Spawned,
}

impl Relation {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Relation::Parent => "parent",
            Relation::Child => "child",
            Relation::SpawnedBy => "spawned_by",
            Relation::Spawned => "spawned",
        }
    }
}

/// A relative of a run or an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Relative {
    /// What it is.
    pub relation: Relation,
    /// How many steps away it is.
    pub depth: usize,
    /// Its run, if it is known.
    pub run: Option<Text>,
    /// Its agent, if it is known.
    pub agent: Option<Text>,
    /// Where a fork parts: the last event that both have.
    pub forked_at: Option<Place>,
    /// Where it is said.
    pub place: Option<Place>,
    /// When.
    pub ts: Option<Timestamp>,
}

/// Parents of a run from the nearest to the root, its forks, who spawned it and whom it spawned.
/// For an agent, the forks are those of its runs.
///
/// Forks are never known in a lineage: as of a place, those that go on from events up to it.
pub fn ancestry<A: Archive + ?Sized>(
    archive: &A,
    subject: &Subject,
    at: &At,
    limit: usize,
) -> Result<Found<Relative>, QueryError<A::Error>> {
    let (mut forks, mut spawns) = (Vec::new(), Events::default());
    let mut runs: BTreeMap<Stream, StreamInfo> = BTreeMap::new();
    let too_many = each_stream(archive, |info| {
        read_lineage(archive, &Lineage::own(&info), KINDS, &mut spawns)?;
        if info.parent.is_some() {
            forks.push(info.clone());
        }
        if info.stream.run_id().is_some() {
            runs.insert(info.stream.clone(), info);
        }
        Ok::<_, A::Error>(())
    })?;
    let agent = match subject {
        Subject::Agent(agent) | Subject::Thing(agent) => Some(agent.clone()),
        Subject::Run(run) => {
            let info = runs.get(&Stream::Run(run.clone()));
            let info = info.ok_or_else(|| QueryError::Unknown(run.to_string()))?;
            agent_of(beginning(archive, info)?)
        }
    };
    let mut family = Family { archive, at, forks, runs, items: Vec::new() };
    if let Subject::Run(run) = subject {
        family.parents(run)?;
        family.children(run)?;
    } else if let Some(agent) = &agent {
        family.forks_of(agent)?;
    }
    let known = |seen: &&Seen| ts(seen).is_some_and(|ts| at.time.is_none_or(|time| ts <= time));
    let known: Vec<_> = spawns.seen.iter().filter(known).filter_map(Spawn::read).collect();
    match subject {
        Subject::Run(run) => {
            let lineage = lineage_of(archive, run, at)?;
            let is_its =
                |place: &Place| lineage.owner(place.seq).is_some_and(|own| *own == place.stream);
            family.spawners(Some(run), agent.as_ref(), &known);
            family.spawned(known.iter().filter(|spawn| is_its(&spawn.seen.place)), &known);
        }
        Subject::Agent(_) | Subject::Thing(_) => {
            family.spawners(None, agent.as_ref(), &known);
            family.spawned(known.iter().filter(|spawn| spawn.parent == agent), &known);
        }
    }
    let truncated = too_many || spawns.truncated;
    Ok(Found::first(family.items, limit, truncated))
}

struct Spawn<'a> {
    seen: &'a Seen,
    parent: Option<Text>,
    child: Text,
    child_run: Option<Text>,
}

impl Spawn<'_> {
    fn read(seen: &Seen) -> Option<Spawn<'_>> {
        let fact = seen.fact.as_ref()?;
        let What::SubagentSpawned(what) = &fact.what else { return None };
        Some(Spawn {
            seen,
            parent: fact.common.agent_id.clone(),
            child: what.subagent.id.clone(),
            child_run: what.child_run.clone(),
        })
    }
}

struct Family<'a, A: ?Sized> {
    archive: &'a A,
    at: &'a At,
    /// All streams that go on from another.
    forks: Vec<StreamInfo>,
    runs: BTreeMap<Stream, StreamInfo>,
    items: Vec<Relative>,
}

impl<A: Archive + ?Sized> Family<'_, A> {
    fn parents(&mut self, run: &Text) -> Result<(), A::Error> {
        let mut stream = Stream::Run(run.clone());
        for depth in 1..=DEPTH_MAX {
            let Some(info) = self.runs.get(&stream).cloned() else { break };
            let Some(parent) = info.parent.clone() else { break };
            let began = beginning(self.archive, &info)?;
            let agent = match self.runs.get(&parent.stream) {
                Some(info) => agent_of(beginning(self.archive, info)?),
                None => None,
            };
            self.items.push(Relative {
                relation: Relation::Parent,
                depth,
                run: parent.stream.run_id().cloned(),
                agent,
                forked_at: Some(parent.clone()),
                place: began.as_ref().map(|seen| seen.place.clone()),
                ts: began.as_ref().and_then(ts),
            });
            stream = parent.stream;
        }
        Ok(())
    }

    fn children(&mut self, run: &Text) -> Result<(), A::Error> {
        let mut by_parent: BTreeMap<&Stream, Vec<&StreamInfo>> = BTreeMap::new();
        for info in &self.forks {
            let parent = info.parent.iter().map(|parent| &parent.stream);
            parent.for_each(|parent| by_parent.entry(parent).or_default().push(info));
        }
        let start = Stream::Run(run.clone());
        let mut level = vec![start.clone()];
        let mut met = BTreeSet::from([start]);
        let mut found = Vec::new();
        for depth in 1..=DEPTH_MAX {
            let infos = level.iter().flat_map(|stream| by_parent.get(stream).into_iter().flatten());
            let infos: Vec<_> = infos.filter(|info| self.is_by(info)).collect();
            level = Vec::new();
            for info in infos {
                if met.insert(info.stream.clone()) {
                    level.push(info.stream.clone());
                    found.extend(self.fork(info, depth)?);
                }
            }
            if level.is_empty() {
                break;
            }
        }
        self.items.extend(found);
        Ok(())
    }

    /// Whether a fork parts where one looks from, or before.
    fn is_by(&self, info: &StreamInfo) -> bool {
        let (Some(place), Some(parent)) = (&self.at.place, &info.parent) else { return true };
        place.stream != parent.stream || parent.seq <= place.seq
    }

    fn fork(&self, info: &StreamInfo, depth: usize) -> Result<Option<Relative>, A::Error> {
        let began = beginning(self.archive, info)?;
        let when = began.as_ref().and_then(ts);
        if self.at.time.is_some_and(|time| when.is_none_or(|when| when > time)) {
            return Ok(None);
        }
        Ok(Some(Relative {
            relation: Relation::Child,
            depth,
            run: info.stream.run_id().cloned(),
            forked_at: info.parent.clone(),
            place: began.as_ref().map(|seen| seen.place.clone()),
            ts: when,
            agent: agent_of(began),
        }))
    }

    fn forks_of(&mut self, agent: &Text) -> Result<(), A::Error> {
        for info in &self.forks {
            let fork = self.fork(info, 1)?.filter(|fork| fork.agent.as_ref() == Some(agent));
            self.items.extend(fork);
        }
        Ok(())
    }

    /// The agents above, the nearest first.
    fn spawners(&mut self, run: Option<&Text>, agent: Option<&Text>, spawns: &[Spawn<'_>]) {
        let (mut by_run, mut by_agent) = (BTreeMap::new(), BTreeMap::new());
        for spawn in spawns {
            by_agent.entry(&spawn.child).or_insert(spawn);
            if let Some(run) = &spawn.child_run {
                by_run.entry(run).or_insert(spawn);
            }
        }
        let (mut run, mut agent) = (run.cloned(), agent.cloned());
        let mut met = BTreeSet::new();
        for depth in 1..=DEPTH_MAX {
            let by_run = run.as_ref().and_then(|run| by_run.get(run));
            let spawn = by_run.or_else(|| agent.as_ref().and_then(|agent| by_agent.get(agent)));
            let Some(spawn) = spawn.filter(|spawn| met.insert(&spawn.seen.place)) else { break };
            (run, agent) = (spawn.seen.place.stream.run_id().cloned(), spawn.parent.clone());
            let (run, agent) = (run.clone(), agent.clone());
            self.items.push(relative(Relation::SpawnedBy, depth, spawn, run, agent));
        }
    }

    /// The agents below, level by level.
    fn spawned<'s>(&mut self, first: impl Iterator<Item = &'s Spawn<'s>>, spawns: &'s [Spawn<'s>]) {
        let mut by_parent: BTreeMap<&Text, Vec<&Spawn<'_>>> = BTreeMap::new();
        for spawn in spawns {
            spawn.parent.iter().for_each(|parent| by_parent.entry(parent).or_default().push(spawn));
        }
        let mut level: Vec<_> = first.collect();
        let mut met = BTreeSet::new();
        for depth in 1..=DEPTH_MAX {
            level.retain(|spawn| met.insert(&spawn.seen.place));
            for spawn in &level {
                let (run, agent) = (spawn.child_run.clone(), Some(spawn.child.clone()));
                self.items.push(relative(Relation::Spawned, depth, spawn, run, agent));
            }
            let next = level.iter().flat_map(|spawn| by_parent.get(&spawn.child)).flatten();
            level = next.copied().collect();
            if level.is_empty() {
                break;
            }
        }
    }
}

fn relative(
    relation: Relation,
    depth: usize,
    spawn: &Spawn<'_>,
    run: Option<Text>,
    agent: Option<Text>,
) -> Relative {
    let (place, ts) = (Some(spawn.seen.place.clone()), ts(spawn.seen));
    Relative { relation, depth, run, agent, forked_at: None, place, ts }
}

impl Item for Relative {
    fn value(&self) -> Value {
        Value::map([
            ("relation", self.relation.word().into()),
            ("depth", Value::Int(self.depth as i64)),
            ("run", maybe(self.run.as_ref())),
            ("agent", maybe(self.agent.as_ref())),
            ("forked_at", maybe(self.forked_at.as_ref())),
            ("place", maybe(self.place.as_ref())),
            ("ts", maybe(self.ts)),
        ])
    }

    fn line(&self) -> String {
        let run = self.run.as_ref().map(|run| format!("run {run}"));
        let agent = self.agent.as_ref().map(|agent| format!("agent {agent}"));
        let forked = self.forked_at.as_ref().map(|place| format!("at {place}"));
        let words = [run, agent, forked].into_iter().flatten();
        joined([self.relation.word().to_string()].into_iter().chain(words))
    }
}
