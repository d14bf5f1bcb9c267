//! A run: everything that its events so far amount to. Only `apply` changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use history::kinds::records::Origin;
use history::{EventId, Timestamp};
use value::{Digest, Map, Text, Value};

use crate::Fault;
use crate::call::{CallId, Pending, Request, Stage};
use crate::change::Spent;
use crate::doubt::Doubt;
use crate::frame::Frame;
use crate::money::Money;
use crate::open::{Open, Waiting};
use crate::options::Options;
use crate::plan::{LabelNo, NodeNo, Plan, Slot};
use crate::stores::{Channel, Contents};

mod fiber;

pub(crate) use self::fiber::{Activation, ActivationKind, Effect, Fiber, Group, Mode, Try, Turns};

/// The number of a fiber, in the order in which they began.
pub(crate) type FiberNo = u32;
/// The number of the branches of one fork.
pub(crate) type GroupNo = u32;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was begun yet.
    New,
    /// It goes on, or waits for something.
    Running,
    /// It ended.
    Done,
    /// It failed.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// A run at some moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub(crate) id: Text,
    pub(crate) agent: Text,
    pub(crate) status: Status,
    /// Where it goes on from, for a fork.
    pub(crate) from: Option<Origin>,
    /// The time of the input that it works on.
    pub(crate) now: Timestamp,
    /// When it began; for a fork so long before its beginning as its parent had run until then.
    pub(crate) began: Timestamp,
    pub(crate) seed: u64,
    pub(crate) options: Options,
    pub(crate) fibers: BTreeMap<FiberNo, Fiber>,
    /// Those that can go on: by the processes they have begun, then by age.
    pub(crate) ready: BTreeSet<(u32, FiberNo)>,
    /// Whose turn it is, until it comes to the next process, waits or ends.
    pub(crate) turn: Option<FiberNo>,
    pub(crate) groups: BTreeMap<GroupNo, Group>,
    /// Groups of which it is clear how they end.
    pub(crate) settled: VecDeque<GroupNo>,
    /// What it waits for.
    pub(crate) open: Open,
    /// Calls that nobody waits for any more, but that may still be answered.
    pub(crate) abandoned: BTreeMap<CallId, Waiting>,
    pub(crate) counts: Counts,
    /// The first processes begun.
    pub(crate) path: Vec<LabelNo>,
    /// Labels in the path that the plan does not have any more, behind those that it has.
    pub(crate) more_labels: Vec<Text>,
    /// Names that the plan does not know, behind those that it does.
    pub(crate) more_names: Vec<Text>,
    pub(crate) more_slots: BTreeMap<Text, Slot>,
    pub(crate) stores: Vec<Contents>,
    pub(crate) channels: Vec<Channel>,
    /// The caches, queues and memories that live as long as the run, by their ids.
    pub(crate) kept: BTreeMap<Text, Contents>,
    /// What the last model or tool answered.
    pub(crate) last_output: Value,
    pub(crate) result: Value,
    pub(crate) error: Option<Box<Failure>>,
    /// The frame of the first fiber when it ended.
    pub(crate) last_frame: Frame,
    /// What was computed since the last event, and is not stored.
    pub(crate) derived: Option<Digest>,
    /// The last event.
    pub(crate) last_event: Option<EventId>,
}

/// Everything that is counted over the run's whole lineage.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) calls: u32,
    pub(crate) requests: u32,
    pub(crate) questions: u32,
    pub(crate) fibers: u32,
    pub(crate) groups: u32,
    pub(crate) ids: u32,
    pub(crate) visits: u64,
    pub(crate) steps: u64,
    /// Blocks of logic that were run.
    pub(crate) blocks: u64,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cost: Money,
    /// Calls of tools that were denied: by a decider, a policy, a person or whoever answers them.
    pub(crate) denied: u64,
    /// The most that one answer of a model took, of each.
    pub(crate) dearest: Option<Spent>,
    /// Calls by server and tool: a store is read under the name that a tool may have.
    by_tool: BTreeMap<(Text, Text), u64>,
}

impl Counts {
    /// The number that the next call of a tool would have among all of its calls.
    pub(crate) fn nth_of(&self, server: &Text, tool: &Text) -> u64 {
        self.by_tool.get(&(server.clone(), tool.clone())).copied().unwrap_or(0) + 1
    }

    /// A tool is called once more.
    pub(crate) fn called(&mut self, (server, tool): (Text, Text)) {
        *self.by_tool.entry((server, tool)).or_default() += 1;
    }
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// The node whose fault it is, as `label/n1`: the innermost one.
    pub at: Option<Text>,
    /// The event that told of it, if one did.
    pub event: Option<EventId>,
    /// What it leaves in doubt, and so may not be repeated because of it.
    pub(crate) doubt: Doubt,
}

impl Run {
    /// Nothing yet.
    pub fn new(plan: &Plan) -> Run {
        let never = Timestamp::from_micros(0);
        Run {
            id: "".into(),
            agent: plan.name.clone(),
            status: Status::New,
            from: None,
            now: never,
            began: never,
            seed: 0,
            options: Options::default(),
            fibers: BTreeMap::new(),
            ready: BTreeSet::new(),
            turn: None,
            groups: BTreeMap::new(),
            settled: VecDeque::new(),
            open: Open::default(),
            abandoned: BTreeMap::new(),
            counts: Counts::default(),
            path: Vec::new(),
            more_labels: Vec::new(),
            more_names: Vec::new(),
            more_slots: BTreeMap::new(),
            stores: plan.stores.iter().map(|store| Contents::new(store.kind)).collect(),
            channels: plan.channels.iter().map(|it| Channel::new(&it.declared)).collect(),
            kept: BTreeMap::new(),
            last_output: Value::Null,
            result: Value::Null,
            error: None,
            last_frame: Frame::default(),
            derived: None,
            last_event: None,
        }
    }

    /// Its id.
    pub fn id(&self) -> &Text {
        &self.id
    }

    /// Whose it is.
    pub fn agent(&self) -> &Text {
        &self.agent
    }

    /// When it began; for a fork so long before its beginning as its parent had run until then.
    pub fn since(&self) -> Timestamp {
        self.began
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// What it was begun with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The time of the last input.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// When it must end, where that is limited.
    pub fn deadline(&self) -> Option<Timestamp> {
        let limit = i64::try_from(self.options.limits.time_ms?).unwrap_or(i64::MAX);
        let micros = self.began.micros().saturating_add(limit.saturating_mul(1_000));
        Some(Timestamp::from_micros(micros))
    }

    /// What it waits for, in the order in which it was asked for.
    pub fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.open.iter().map(|waiting| &waiting.pending)
    }

    /// One of the things it waits for.
    pub fn pending_call(&self, id: CallId) -> Option<&Pending> {
        self.open.get(id).map(|waiting| &waiting.pending)
    }

    /// Whether a call was given up, and its answer would only be noted.
    pub fn has_abandoned(&self, id: CallId) -> bool {
        self.abandoned.contains_key(&id)
    }

    /// Whether it waits for people and moments only.
    pub fn waits_for_others(&self) -> bool {
        self.status == Status::Running && !self.open.is_empty() && self.open.is_of_others()
    }

    /// How many steps it has taken.
    pub fn steps(&self) -> u64 {
        self.counts.steps
    }

    /// What its models took: tokens of prompts and answers, calls, and what they cost.
    pub fn usage(&self) -> Usage {
        Usage {
            prompt_tokens: self.counts.prompt_tokens,
            completion_tokens: self.counts.completion_tokens,
            model_calls: self.counts.requests,
            tool_calls: self.counts.by_tool.values().sum(),
            denied: self.counts.denied,
            steps: self.counts.steps,
            visits: self.counts.visits,
            cost: self.counts.cost,
        }
    }

    /// The processes in the order in which they began, and how many more there were.
    pub fn path<'a>(&'a self, plan: &'a Plan) -> (impl Iterator<Item = &'a Text>, u64) {
        let omitted = self.counts.visits - self.path.len() as u64;
        (self.path.iter().map(|label| self.label_id(plan, *label)), omitted)
    }

    pub(crate) fn label_id<'a>(&'a self, plan: &'a Plan, label: LabelNo) -> &'a Text {
        match plan.labels.get(label as usize) {
            Some(known) => &known.id,
            None => &self.more_labels[label as usize - plan.labels.len()],
        }
    }

    /// What it gave back.
    pub fn result(&self) -> &Value {
        &self.result
    }

    /// What the last model or tool answered.
    pub fn last_output(&self) -> &Value {
        &self.last_output
    }

    /// Why it failed.
    pub fn failure(&self) -> Option<&Failure> {
        self.error.as_deref()
    }

    /// The names and what they hold: of the first fiber, whether it goes on or has ended.
    pub fn state(&self, plan: &Plan) -> Map {
        let frame = self.fibers.get(&0).map_or(&self.last_frame, |fiber| &fiber.frame);
        self.named(plan, frame)
    }

    /// Where its fibers are: each as `label/n1`, in the order in which they began.
    pub fn places(&self, plan: &Plan) -> Vec<Text> {
        self.fibers.values().map(|fiber| fiber.place(plan)).collect()
    }

    /// Where the first of them is.
    pub fn first_place(&self, plan: &Plan) -> Option<Text> {
        self.fibers.values().next().map(|fiber| fiber.place(plan))
    }

    pub(crate) fn named(&self, plan: &Plan, frame: &Frame) -> Map {
        frame.iter().map(|(slot, value)| (self.name(plan, slot).clone(), value.clone())).collect()
    }

    pub(crate) fn name<'a>(&'a self, plan: &'a Plan, slot: Slot) -> &'a Text {
        match plan.name(slot) {
            Some(name) => name,
            None => &self.more_names[slot as usize - plan.names.len()],
        }
    }

    /// The slot of a name, if anything knows it.
    pub(crate) fn slot(&self, plan: &Plan, name: &str) -> Option<Slot> {
        plan.slots.get(name).or_else(|| self.more_slots.get(name)).copied()
    }

    pub(crate) fn fiber(&self, fiber: FiberNo) -> &Fiber {
        &self.fibers[&fiber]
    }

    /// Whether a node is the join that the fork of this branch waits at.
    pub(crate) fn is_own_join(&self, fiber: &Fiber, node: NodeNo) -> bool {
        fiber.group.is_some_and(|(group, _)| self.groups[&group].join == node)
    }

    /// Whether it has ended, one way or another.
    pub fn is_over(&self) -> bool {
        matches!(self.status, Status::Done | Status::Failed | Status::Cancelled)
    }

    /// Whether the answer to a call is worth waiting for although nobody needs it: it changes
    /// something outside, and what became of that should be known.
    pub fn awaits_late(&self, call: CallId) -> bool {
        let waiting = self.abandoned.get(&call);
        waiting.is_some_and(|waiting| {
            matches!(&waiting.pending.request, Request::Tool(call)
                if call.touches == graph::Touches::Write)
        })
    }

    /// The next moment that it waits for, and the call that is answered then.
    pub fn next_timer(&self) -> Option<(Timestamp, CallId)> {
        self.open.next_timer()
    }

    /// Whether it waits for people, among others.
    pub fn has_questions(&self) -> bool {
        self.open.has_questions()
    }

    /// The next call that leaves, if there is room for it.
    pub(crate) fn next_queued(&self) -> Option<CallId> {
        let has_room = || self.open.in_flight() < self.options.limits.in_flight;
        self.open.next_queued(|| self.models_wait()).filter(|_| has_room())
    }

    /// Whether models that are asked at the moment might use a budget up, each taking as much as the
    /// dearest so far. As long as nothing is known of that, they are asked one by one.
    fn models_wait(&self) -> bool {
        let (asked, limits) = (self.open.models_asked(), &self.options.limits);
        if asked == 0 || (limits.tokens.is_none() && limits.cost.is_none()) {
            return false;
        }
        let Some(dearest) = self.counts.dearest else { return true };
        let used = self.counts.prompt_tokens.saturating_add(self.counts.completion_tokens);
        let each = dearest.prompt_tokens.saturating_add(dearest.completion_tokens);
        let tokens = used.saturating_add(each.saturating_mul(asked + 1));
        let cost = self.counts.cost.plus(dearest.cost.times(asked + 1));
        limits.tokens.is_some_and(|most| tokens > most)
            || limits.cost.is_some_and(|most| cost > most)
    }

    /// What a fiber waits for.
    pub(crate) fn calls_of(&self, fiber: FiberNo) -> impl Iterator<Item = &Waiting> {
        let call = match self.fibers.get(&fiber).map(|fiber| &fiber.mode) {
            Some(Mode::Waits(call, _)) => Some(*call),
            _ => None,
        };
        let talk = self.fibers.get(&fiber).and_then(|fiber| fiber.talk.as_deref());
        let others = talk
            .into_iter()
            .flat_map(|talk| talk.calls())
            .filter(move |other| Some(*other) != call);
        let calls = call.into_iter().chain(others);
        calls.flat_map(|call| self.open.with_expiry(call))
    }

    /// Whether it waits for moments that are not the end of a question.
    pub fn has_timers_of_its_own(&self) -> bool {
        self.open.has_own_timers()
    }

    /// Whether it could go on without anything from outside.
    pub fn can_go_on(&self) -> bool {
        if self.status != Status::Running {
            return false;
        }
        self.counts.steps >= self.options.limits.steps
            || !self.settled.is_empty()
            || self.next_queued().is_some()
            || (!self.ready.is_empty() && !self.is_held_up())
    }

    /// Whether nobody goes on, because the fiber whose turn it is waits for an answer that is
    /// said to come at once.
    pub(crate) fn is_held_up(&self) -> bool {
        let turn = self.turn.and_then(|turn| self.fibers.get(&turn));
        let Some(Mode::Waits(call, _)) = turn.map(|fiber| &fiber.mode) else { return false };
        let Some(Waiting { pending, .. }) = self.open.get(*call) else { return false };
        // What waits for a person may wait for long.
        self.options.in_turn
            && pending.stage != Stage::Asked
            && matches!(pending.request, Request::Model(_) | Request::Tool(_))
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Tokens of prompts.
    pub prompt_tokens: u64,
    /// Tokens of answers.
    pub completion_tokens: u64,
    /// Calls of models.
    pub model_calls: u32,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Those of them that were denied.
    pub denied: u64,
    /// Steps.
    pub steps: u64,
    /// Processes begun.
    pub visits: u64,
    /// What models cost.
    pub cost: Money,
}
