//! What a run waits for, found by whatever is asked about it: thousands of calls can be open at
//! the same time, and one answer must not cost a look at all of them.

use std::collections::{BTreeMap, BTreeSet};

use history::{EventId, Timestamp};
use value::Text;

use crate::approval::is_tool;
use crate::call::{CallId, Pending, Request, Stage};
use crate::plan::NodeNo;
use crate::request::is_recorded_when_it_leaves;
use crate::run::FiberNo;

/// A call that a fiber waits for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Waiting {
    pub(crate) pending: Pending,
    pub(crate) fiber: FiberNo,
    pub(crate) node: NodeNo,
    pub(crate) why: Why,
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The node takes it.
    Answer,
    /// The node is tried again.
    Retry,
    /// The question with this number has expired.
    Expiry(CallId),
    /// It is a question whether this call may leave, which this event asks for.
    Approval { call: CallId, request: EventId },
    /// A block of logic is given it.
    Fetch,
    /// A block of logic has done it.
    Act,
    /// It fulfils this wish of a model.
    Use(u32),
}

/// All calls that are open. Calls to models and tools are queued, leaving or under way; questions
/// and timers are none of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Open {
    calls: BTreeMap<CallId, Waiting>,
    /// Calls that wait for room. They leave in the order in which they were made.
    queued: BTreeSet<CallId>,
    /// The same for calls of models, which may have to wait for a budget too.
    queued_models: BTreeSet<CallId>,
    /// How many models are asked at the moment.
    models_asked: u64,
    /// Calls that wait for the policy.
    undecided: BTreeSet<CallId>,
    /// Calls that wait for a person to allow them, and the questions that ask for that.
    asking: BTreeMap<CallId, CallId>,
    /// Calls that may leave as soon as somebody records that they do, by their tools: each tool has
    /// room of its own.
    leaving: BTreeMap<Text, BTreeSet<CallId>>,
    /// By what names them to whoever answers.
    questions: BTreeSet<(Text, CallId)>,
    timers: BTreeSet<(Timestamp, CallId)>,
    /// The timers that end questions.
    expiries: BTreeMap<CallId, CallId>,
    /// The calls of tools, by the events that say what is wanted.
    intents: BTreeMap<EventId, CallId>,
}

impl Open {
    pub(crate) fn insert(&mut self, waiting: Waiting) {
        let id = waiting.pending.id;
        if let Request::Tool(_) = &waiting.pending.request {
            self.intents.insert(waiting.pending.intent, id);
        }
        match &waiting.pending.request {
            Request::Model(_) => self.queued_models.insert(id),
            Request::Tool(_) => self.queued.insert(id),
            Request::Question(question) => self.questions.insert((question.id.clone(), id)),
            Request::Timer(due) => self.timers.insert((*due, id)),
        };
        match waiting.why {
            Why::Expiry(question) => _ = self.expiries.insert(question, id),
            Why::Approval { call, .. } => {
                self.undecided.remove(&call);
                self.asking.insert(call, id);
                if let Some(about) = self.calls.get_mut(&call) {
                    about.pending.stage = Stage::Asked;
                }
            }
            Why::Answer | Why::Retry | Why::Fetch | Why::Act | Why::Use(_) => {}
        }
        self.calls.insert(id, waiting);
    }

    /// A call is over, and with it a question's timer, or a timer's question.
    pub(crate) fn close(&mut self, id: CallId) -> Option<Waiting> {
        let waiting = self.remove(id)?;
        let other = match waiting.why {
            Why::Expiry(question) => Some(question),
            _ => self.expiries.get(&id).copied(),
        };
        if let Some(other) = other {
            self.remove(other);
        }
        self.withdraw(id);
        Some(waiting)
    }

    /// Nobody need say any more whether a call may leave.
    fn withdraw(&mut self, call: CallId) {
        let Some(question) = self.asking.remove(&call) else { return };
        if let Some(timer) = self.expiries.get(&question).copied() {
            self.remove(timer);
        }
        self.remove(question);
    }

    fn remove(&mut self, id: CallId) -> Option<Waiting> {
        let waiting = self.calls.remove(&id)?;
        match &waiting.pending.request {
            Request::Model(_) => match self.queued_models.remove(&id) {
                true => {}
                false => self.models_asked -= 1,
            },
            Request::Tool(call) => {
                self.intents.remove(&waiting.pending.intent);
                let _ = self.queued.remove(&id)
                    || self.undecided.remove(&id)
                    || leaves(&mut self.leaving, &call.name(), id);
            }
            Request::Question(question) => {
                self.questions.remove(&(question.id.clone(), id));
            }
            Request::Timer(due) => drop(self.timers.remove(&(*due, id))),
        }
        match waiting.why {
            Why::Expiry(question) => _ = self.expiries.remove(&question),
            Why::Approval { call, .. } => _ = self.asking.remove(&call),
            Why::Answer | Why::Retry | Why::Fetch | Why::Act | Why::Use(_) => {}
        }
        Some(waiting)
    }

    pub(crate) fn get(&self, id: CallId) -> Option<&Waiting> {
        self.calls.get(&id)
    }

    /// The question of this name that was asked first.
    pub(crate) fn question(&self, name: &Text) -> Option<CallId> {
        let (found, id) = self.questions.range((name.clone(), 0)..).next()?;
        (found == name).then_some(*id)
    }

    /// The call of a tool that this event asked for.
    pub(crate) fn wanted_by(&self, intent: EventId) -> Option<CallId> {
        self.intents.get(&intent).copied()
    }

    /// In the order in which they were made.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Waiting> {
        self.calls.values()
    }

    /// To change which node one belongs to, and nothing else.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.calls.values_mut()
    }

    pub(crate) fn ids(&self) -> Vec<CallId> {
        self.calls.keys().copied().collect()
    }

    /// The call, the question whether it may leave, and the timers beside both, where there are
    /// some.
    pub(crate) fn with_expiry(&self, id: CallId) -> impl Iterator<Item = &Waiting> {
        let question = self.asking.get(&id).copied();
        let timer = self.expiries.get(&question.unwrap_or(id)).copied();
        [Some(id), question, timer].into_iter().flatten().filter_map(|id| self.calls.get(&id))
    }

    /// The events of the questions whether calls may leave.
    pub(crate) fn approval_questions(&self) -> impl Iterator<Item = EventId> {
        let questions = self.asking.values().filter_map(|question| self.calls.get(question));
        questions.map(|question| question.pending.intent)
    }

    pub(crate) fn next_undecided(&self) -> Option<CallId> {
        self.undecided.first().copied()
    }

    /// A call that waited for room waits for the policy.
    pub(crate) fn undecided(&mut self, id: CallId) {
        let Some(waiting) = self.calls.get_mut(&id) else { return };
        self.queued.remove(&id);
        self.undecided.insert(id);
        waiting.pending.stage = Stage::Undecided;
    }

    /// A call is allowed under a policy, and waits for room again.
    pub(crate) fn clear(&mut self, id: CallId, policy: Option<Text>) -> Option<&Waiting> {
        self.withdraw(id);
        let waiting = self.calls.get_mut(&id)?;
        self.undecided.remove(&id);
        self.queued.insert(id);
        waiting.pending.stage = Stage::Queued;
        waiting.pending.allowed_by = policy;
        Some(waiting)
    }

    /// Another policy decides about all calls of tools that have not left, or that are free to run
    /// again: none of them counts as allowed.
    pub(crate) fn decide_anew(&mut self) {
        let asking: Vec<CallId> = self.asking.keys().copied().collect();
        asking.into_iter().for_each(|call| self.withdraw(call));
        for (id, Waiting { pending, .. }) in &mut self.calls {
            let Request::Tool(call) = &pending.request else { continue };
            let is_free = !is_recorded_when_it_leaves(call);
            if !is_tool(pending) || pending.stage == Stage::Started && !is_free {
                continue;
            }
            leaves(&mut self.leaving, &call.name(), *id);
            self.undecided.remove(id);
            self.queued.insert(*id);
            pending.stage = Stage::Queued;
            pending.allowed_by = None;
        }
    }

    /// The next call that waits for room; not of a model where models must wait.
    pub(crate) fn next_queued(&self, models_wait: impl FnOnce() -> bool) -> Option<CallId> {
        let other = self.queued.first().copied();
        let Some(model) = self.queued_models.first().copied() else { return other };
        match models_wait() {
            true => other,
            false => Some(other.map_or(model, |other| other.min(model))),
        }
    }

    /// How many models are asked at the moment.
    pub(crate) fn models_asked(&self) -> u64 {
        self.models_asked
    }

    /// The first of the calls that may leave as soon as somebody records that they do, and for which
    /// there is room.
    pub(crate) fn next_leaving(
        &self,
        mut has_room: impl FnMut(&Pending) -> bool,
    ) -> Option<CallId> {
        let mut firsts: Vec<CallId> =
            self.leaving.values().filter_map(|calls| calls.first().copied()).collect();
        firsts.sort_unstable();
        firsts.into_iter().find(|call| has_room(&self.calls[call].pending))
    }

    /// How many have left, or may.
    pub(crate) fn in_flight(&self) -> u64 {
        let undecided = self.undecided.len() + self.asking.len();
        let queued = self.queued.len() + self.queued_models.len();
        let others = queued + undecided + self.questions.len() + self.timers.len();
        (self.calls.len() - others) as u64
    }

    /// A call that waited for room may leave, and has left where that need not be recorded.
    pub(crate) fn allow(&mut self, id: CallId) {
        let Some(waiting) = self.calls.get_mut(&id) else { return };
        self.queued.remove(&id);
        if self.queued_models.remove(&id) {
            self.models_asked += 1;
        }
        let pending = &mut waiting.pending;
        pending.stage = match &pending.request {
            Request::Tool(call) if is_recorded_when_it_leaves(call) => {
                self.leaving.entry(call.name()).or_default().insert(id);
                Stage::Leaving
            }
            _ => Stage::Started,
        };
    }

    /// A call has left: for the first time, or once more.
    pub(crate) fn left(&mut self, id: CallId) {
        let Some(Waiting { pending, .. }) = self.calls.get_mut(&id) else { return };
        let was_leaving = match &pending.request {
            Request::Tool(call) => leaves(&mut self.leaving, &call.name(), id),
            _ => false,
        };
        match was_leaving {
            true => pending.stage = Stage::Started,
            false => pending.attempt += 1,
        }
    }

    /// Nothing has left yet: what was under way is the business of another run.
    pub(crate) fn begin_anew(&mut self, now: Timestamp) {
        self.leaving.clear();
        self.undecided.clear();
        let asking: Vec<CallId> = self.asking.keys().copied().collect();
        asking.into_iter().for_each(|call| self.withdraw(call));
        for (id, waiting) in &mut self.calls {
            waiting.pending.stage = Stage::Queued;
            waiting.pending.attempt = 1;
            waiting.pending.allowed_by = None;
            match waiting.pending.request {
                Request::Model(_) => _ = self.queued_models.insert(*id),
                Request::Tool(_) => {
                    // What it writes is written now, and under a key of this run.
                    waiting.pending.since = now;
                    self.queued.insert(*id);
                }
                Request::Question(_) | Request::Timer(_) => {}
            }
        }
        self.models_asked = 0;
    }

    /// The next moment that is waited for, and by which call.
    pub(crate) fn next_timer(&self) -> Option<(Timestamp, CallId)> {
        self.timers.first().copied()
    }

    /// Whether it is moments and people only that are waited for.
    pub(crate) fn is_of_others(&self) -> bool {
        self.calls.len() == self.questions.len() + self.timers.len() + self.asking.len()
    }

    pub(crate) fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Whether moments are waited for that are not the end of a question.
    pub(crate) fn has_own_timers(&self) -> bool {
        self.timers.len() > self.expiries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// A call is none any more that may leave. Says whether it was one.
fn leaves(leaving: &mut BTreeMap<Text, BTreeSet<CallId>>, tool: &Text, id: CallId) -> bool {
    let Some(calls) = leaving.get_mut(tool) else { return false };
    let was_there = calls.remove(&id);
    if calls.is_empty() {
        leaving.remove(tool);
    }
    was_there
}
