//! Events and histories from a seed. [`event`] knows only what the table of kinds says;
//! [`histories`] are what agents could have done, and fit together.
//!
//! ```
//! let pieces = sim::history::histories(7, 200);
//! assert_eq!(pieces, sim::history::histories(7, 200));
//! assert!(pieces.iter().map(|piece| piece.events.len()).sum::<usize>() >= 200);
//! ```

mod calls;
mod desk;
mod event;
mod run;
mod talk;
mod things;

use desk::Desk;
pub use event::{event, text, value};
use history::kinds::Blob;
use history::kinds::records::Origin;
use history::kinds::words::{Exit, MergeStrategy, RunReason};
use history::kinds::{
    AgentCreated, BranchMerged, LeaseAcquired, LeaseReleased, ResourceLivenessProbe, RunCancelled,
    RunFinished, RunStarted,
};
use history::{Event, Place, Stream};
use run::Run;
use value::Text;

use crate::Random;

/// Events that are appended to one stream together. A stream may have several pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Which stream.
    pub stream: Stream,
    /// The last event that is the parent's, for the first piece of a fork.
    pub fork_of: Option<Place>,
    /// The events.
    pub events: Vec<Event>,
    /// The values that stand beside them.
    pub blobs: Vec<Blob>,
}

/// What several agents did, about so many events, in an order in which it can be appended. All
/// references lead somewhere, and nothing happens that must not.
pub fn histories(seed: u64, size: usize) -> Vec<Piece> {
    let mut world = World {
        desk: Desk::new(Random::new(seed)),
        pieces: Vec::new(),
        agents: Vec::new(),
        live: Vec::new(),
        saved: Vec::new(),
        leases: Vec::new(),
    };
    let main = world.agent("main".into());
    world.run(main, "run-1".into(), RunReason::User);
    while world.desk.count < size {
        world.go_on();
    }
    world.pieces
}

struct World {
    desk: Desk,
    pieces: Vec<Piece>,
    agents: Vec<Text>,
    /// Runs that are not over.
    live: Vec<Run>,
    /// Runs as they were at some moment, to fork from.
    saved: Vec<Run>,
    /// Resource, holder and epoch of every lease that is held.
    leases: Vec<(Text, Text, i64)>,
}

/// How many runs go on at a time, so that some of them become long.
const LIVE_MAX: usize = 8;

/// How many moments are kept to fork from.
const SAVED_MAX: usize = 24;

impl World {
    fn go_on(&mut self) {
        match self.desk.random.below(24) {
            0 if self.agents.len() < 6 => {
                let name = self.desk.name("agent");
                self.agent(name);
            }
            1 | 2 if self.live.len() < LIVE_MAX => {
                let agent = self.desk.random.pick(&self.agents).clone();
                let id = self.desk.name("run");
                let reason = self.desk.one_of(&[RunReason::User, RunReason::Schedule]);
                self.run(agent, id, reason);
            }
            3..=5 if self.live.len() < 2 * LIVE_MAX && !self.saved.is_empty() => self.fork(),
            6 => self.beside_runs(),
            7 => self.beside_agents(),
            8 => self.merge(),
            _ => self.burst(),
        }
    }

    /// Makes a piece of what was written.
    fn close(&mut self, stream: Stream, fork_of: Option<Place>) {
        let (events, blobs) = self.desk.take();
        if !events.is_empty() {
            self.pieces.push(Piece { stream, fork_of, events, blobs });
        }
    }

    fn agent(&mut self, id: Text) -> Text {
        let name = self.desk.maybe(Desk::words);
        self.desk.write_for(&id, AgentCreated { name });
        self.agents.push(id.clone());
        self.close(Stream::Agent(id.clone()), None);
        id
    }

    fn run(&mut self, agent: Text, id: Text, reason: RunReason) {
        let mut run = Run::new(id.clone(), agent);
        let started = RunStarted {
            reason: Some(reason),
            from: None,
            graph: self.desk.maybe(Desk::digest),
            inputs: self.desk.maybe(Desk::object),
            seed: self.desk.maybe(|desk| desk.random.below(1 << 50) as i64),
            versions: None,
            document: None,
            options: None,
        };
        run.tell(&mut self.desk, started);
        self.live.push(run);
        self.close(Stream::Run(id), None);
    }

    fn burst(&mut self) {
        if self.live.is_empty() {
            return;
        }
        let at = self.desk.random.below(self.live.len());
        for _ in 0..self.desk.random.between(1, 9) {
            self.live[at].step(&mut self.desk);
            if self.desk.random.one_in(5) {
                let kept = self.desk.random.below(SAVED_MAX);
                self.saved.truncate(SAVED_MAX);
                self.saved.insert(kept.min(self.saved.len()), self.live[at].clone());
            }
        }
        let spawned = std::mem::take(&mut self.desk.spawned);
        let stream = self.live[at].stream();
        if spawned.is_empty() && self.desk.random.one_in(15) {
            let mut run = self.live.swap_remove(at);
            self.end(&mut run);
        }
        self.close(stream, None);
        for (agent, run) in spawned {
            self.agent(agent.clone());
            self.run(agent, run, RunReason::Subagent);
        }
    }

    fn end(&mut self, run: &mut Run) {
        if self.desk.random.one_in(4) {
            let reason = self.desk.maybe(Desk::words);
            run.tell(
                &mut self.desk,
                RunCancelled { reason, actor: Some("ada".into()), step: None },
            );
        } else {
            let exit = Some(self.desk.one_of(&[Exit::Success, Exit::Success, Exit::Error]));
            let error = (exit == Some(Exit::Error)).then(|| self.desk.error());
            let result = self.desk.maybe(Desk::value);
            run.tell(
                &mut self.desk,
                RunFinished { exit, summary_ref: None, result, error, step: None },
            );
        }
    }

    fn fork(&mut self) {
        // Several runs may go on from one moment.
        let at = self.desk.random.below(self.saved.len());
        let saved = match self.desk.random.one_in(2) {
            true => self.saved[at].clone(),
            false => self.saved.remove(at),
        };
        let (id, branch) = (self.desk.name("run"), self.desk.name("try"));
        let fork = saved.fork(&mut self.desk, id, branch);
        self.close(fork.stream(), Some(saved.place()));
        self.live.push(fork);
    }

    /// Says how another run of the same agent was merged into a run.
    fn merge(&mut self) {
        let saved = self.saved.iter().find(|saved| {
            let is_other = |run: &&Run| run.agent == saved.agent && run.id != saved.id;
            self.live.iter().any(|run| is_other(&run))
        });
        let Some(saved) = saved.cloned() else { return };
        let into = self.live.iter_mut().find(|run| run.agent == saved.agent && run.id != saved.id);
        let into = into.expect("found above");
        let merged = BranchMerged {
            into: into.branch.clone(),
            from: saved.branch.clone(),
            merged: Some(Origin {
                run_id: saved.id.clone(),
                seq: saved.place().seq.cast_signed(),
                event_id: saved.last(),
            }),
            strategy: Some(self.desk.one_of(&[MergeStrategy::Ours, MergeStrategy::Theirs])),
            picked: None,
            resource_plan: None,
            reason: self.desk.maybe(Desk::words),
        };
        into.tell(&mut self.desk, merged);
        let stream = into.stream();
        self.close(stream, None);
    }

    /// Something that belongs to an agent and to no run.
    fn beside_runs(&mut self) {
        let agent = self.desk.random.pick(&self.agents).clone();
        things::beside_runs(&mut self.desk, &agent);
        self.close(Stream::Agent(agent), None);
    }

    /// Something that belongs to nobody.
    fn beside_agents(&mut self) {
        match self.desk.random.below(4) {
            0 => {
                let (resource, holder) = (self.desk.name("gpu"), self.desk.name("host"));
                let epoch = self.desk.random.between(1, 9) as i64;
                self.leases.push((resource.clone(), holder.clone(), epoch));
                let ttl = self.desk.maybe(|_| 30_000);
                self.desk.write_alone(LeaseAcquired { resource, holder, epoch, ttl });
            }
            1 => {
                let Some((resource, holder, epoch)) = self.leases.pop() else { return };
                self.desk.write_alone(LeaseReleased { resource, holder, epoch });
            }
            2 => {
                let (resource_ref, status) = (self.desk.name("host"), self.desk.liveness());
                self.desk.write_alone(ResourceLivenessProbe { resource_ref, status });
            }
            _ => self.desk.write_foreign(),
        }
        self.close(Stream::Store, None);
    }
}
