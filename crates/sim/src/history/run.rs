//! A run at some moment: what is open, and what can happen next.

use history::kinds::records::{EventRef, Origin, PlanItem};
use history::kinds::words::{Mode, PlanMode, RunReason};
use history::kinds::{AgentForked, Common, RunStarted, StateSet, What};
use history::{EventId, Place, Stream};
use value::Text;

use super::calls::{Call, Stage, Wanted};
use super::desk::Desk;
use super::talk::{Request, Said};
use super::things::{Policy, Resource};
use super::{calls, talk, things};

/// A run. Forking starts from a copy.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) id: Text,
    pub(super) agent: Text,
    pub(super) branch: Text,
    next: u64,
    last: Option<EventId>,
    /// What was said last.
    pub(super) said: Vec<Said>,
    /// Messages that are in no conversation yet.
    pub(super) unlisted: Vec<Text>,
    /// How long the conversation is.
    pub(super) listed: i64,
    pub(super) request: Option<Request>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) calls: Vec<Call>,
    /// How many calls and requests there were: their names count anew in every run.
    pub(super) numbered: usize,
    pub(super) resources: Vec<Resource>,
    pub(super) handles: Vec<Text>,
    pub(super) proposed: Vec<Policy>,
    /// The policy in force, by its digest.
    pub(super) policy: Option<Text>,
    pub(super) questions: Vec<Text>,
    pub(super) timers: Vec<Text>,
    /// Whether it started another agent: one is enough.
    pub(super) has_spawned: bool,
}

/// Something that can happen in a run. It says whether it did.
type Action = fn(&mut Run, &mut Desk) -> bool;

/// What happens often stands here often.
const ACTIONS: &[Action] = &[
    talk::somebody_says,
    talk::somebody_says,
    talk::list,
    talk::list,
    talk::list,
    talk::ask,
    talk::ask,
    talk::ask,
    talk::answer,
    talk::answer,
    talk::answer,
    talk::respond,
    talk::respond,
    talk::respond,
    talk::rewrite,
    talk::summarise,
    talk::substitute,
    calls::call,
    calls::call,
    calls::call,
    calls::decide,
    calls::decide,
    calls::decide,
    calls::start,
    calls::start,
    calls::finish,
    calls::finish,
    calls::finish,
    calls::interrupt,
    things::register,
    things::attach,
    things::attach,
    things::detach,
    things::snapshot,
    things::restore,
    things::transfer,
    things::probe,
    things::open,
    things::close,
    things::propose,
    things::decide,
    things::activate,
    things::listen,
    things::question,
    things::question,
    things::wait,
    things::wait,
    things::observe,
    things::pause,
    things::spawn,
    things::keep_view,
];

impl Run {
    pub(super) fn new(id: Text, agent: Text) -> Run {
        Run {
            id,
            agent,
            branch: "main".into(),
            next: 0,
            last: None,
            said: Vec::new(),
            unlisted: Vec::new(),
            listed: 0,
            request: None,
            wanted: Vec::new(),
            calls: Vec::new(),
            numbered: 0,
            resources: Vec::new(),
            handles: Vec::new(),
            proposed: Vec::new(),
            policy: None,
            questions: Vec::new(),
            timers: Vec::new(),
            has_spawned: false,
        }
    }

    pub(super) fn stream(&self) -> Stream {
        Stream::Run(self.id.clone())
    }

    /// Where its last event stands.
    pub(super) fn place(&self) -> Place {
        Place::new(self.stream(), self.next - 1)
    }

    /// Its last event.
    pub(super) fn last(&self) -> EventId {
        self.last.expect("a run begins with an event")
    }

    /// How many events it and its parents have.
    pub(super) fn len(&self) -> i64 {
        self.next.cast_signed()
    }

    /// Something happens: the first thing, from a random one on, that can.
    pub(super) fn step(&mut self, desk: &mut Desk) {
        let first = desk.random.below(ACTIONS.len());
        let mut actions = ACTIONS.iter().cycle().skip(first).take(ACTIONS.len());
        let happened = actions.any(|action| action(self, desk));
        assert!(happened, "somebody can always say something");
    }

    pub(super) fn tell(&mut self, desk: &mut Desk, what: impl Into<What>) -> EventId {
        self.tell_about(desk, None, what)
    }

    /// Writes an event that belongs together with others.
    pub(super) fn tell_about(
        &mut self,
        desk: &mut Desk,
        correlation: Option<Text>,
        what: impl Into<What>,
    ) -> EventId {
        let last = self.last.map(|event_id| EventRef { event_id });
        let often = desk.random.one_in(6);
        let common = Common {
            agent_id: Some(self.agent.clone()),
            run_id: Some(self.id.clone()),
            correlation_id: correlation,
            at: desk.maybe(|desk| format!("triage/n{}", desk.random.between(1, 9)).into()),
            parent: last.clone().filter(|_| often),
            causes: last.filter(|_| desk.random.one_in(6)).map(|last| vec![last]),
            v: often.then_some(1),
            ..Common::at(desk.now())
        };
        let id = desk.write(&common, what);
        self.last = Some(id);
        self.next += 1;
        id
    }

    /// The name of one more call or request, which only its own run knows.
    pub(super) fn number(&mut self, what: &str) -> Text {
        self.numbered += 1;
        format!("{what}{}", self.numbered).into()
    }

    /// Another run that goes on from here. What only one of them can hold stays with this one.
    pub(super) fn fork(&self, desk: &mut Desk, id: Text, branch: Text) -> Run {
        let mut fork = Run { id, branch, ..self.clone() };
        let from = Origin {
            run_id: self.id.clone(),
            seq: self.place().seq.cast_signed(),
            event_id: self.last(),
        };
        let started = RunStarted {
            reason: Some(RunReason::Fork),
            from: Some(from),
            graph: None,
            inputs: None,
            seed: None,
            versions: None,
            document: None,
            options: None,
        };
        fork.tell(desk, started);
        // Parts come after what they belong to.
        let mut alone: Vec<Resource> = Vec::new();
        let mut shared = Vec::new();
        for resource in fork.resources {
            let is_part = alone.iter().any(|whole| resource.goes_with.as_ref() == Some(&whole.id));
            let is_alone = is_part || resource.attached == Some(Mode::ReadWrite);
            if is_alone { &mut alone } else { &mut shared }.push(resource);
        }
        fork.resources = shared;
        fork.resources.iter_mut().for_each(|resource| resource.is_own = false);
        let plan = |resource: Resource| self.plan(desk, resource);
        let plan: Vec<PlanItem> = alone.into_iter().map(plan).collect();
        let forked = AgentForked {
            from_branch: self.branch.clone(),
            to_branch: fork.branch.clone(),
            at_event: Some(EventRef { event_id: self.last() }),
            volume_plan: (!plan.is_empty()).then_some(plan),
        };
        fork.tell(desk, forked);
        fork.handles.clear();
        for call in &mut fork.calls {
            call.stage = match call.stage {
                // Whether it happened is the parent's to find out.
                Stage::Started => Stage::Interrupted,
                // What was allowed there was allowed once.
                Stage::Asked(_) | Stage::Allowed => Stage::Made,
                other => other,
            };
        }
        if desk.random.one_in(3) {
            let values = desk.object();
            fork.tell(desk, StateSet { values });
        }
        fork
    }

    fn plan(&self, desk: &mut Desk, resource: Resource) -> PlanItem {
        let snapshot = resource.snapshots.last().cloned();
        let (mode, kept_by, snapshot_ref) = match (snapshot, desk.random.below(3)) {
            (Some(snapshot), 0) => (PlanMode::Snapshot, None, Some(snapshot.into())),
            (_, 1) => (PlanMode::Discard, None, None),
            _ => (PlanMode::Keep, Some(self.branch.clone()), None),
        };
        PlanItem { resource: resource.id, mode, kept_by, snapshot_ref }
    }
}
