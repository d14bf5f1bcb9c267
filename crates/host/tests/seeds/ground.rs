//! What all processes share: a store, the time, the world outside, and what became of the run so
//! far. Whoever adds events is heard here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use graph::{Again, Graph};
use history::kinds::words::InterruptionReason;
use history::kinds::{Fact, Sealed, What};
use history::{Event, EventId, Stream, Timestamp};
use host::Call;
use host::pinned::Pinned;
use runtime::{Answer, Begin, Fold, Request, Run, rest};
use sim::engine::blocks::Blocks;
use sim::engine::driven::{Logged, Setup, later};
use sim::engine::naive::BEGIN_MICROS;
use sim::engine::{Desk, Reply, World};
use store::{Archive, MemoryStore};
use value::{Map, Text, Value};

use crate::unrest::Unrest;

/// What all processes share.
pub(crate) struct Ground<'g> {
    pub(crate) store: MemoryStore,
    pub(crate) stream: Stream,
    pub(crate) pinned: &'g Pinned,
    begin: Begin,
    now: AtomicI64,
    unrest: Mutex<Unrest>,
    seen: Mutex<Seen<'g>>,
}

/// What can be seen from outside.
pub(crate) struct Seen<'g> {
    pub(crate) desk: Desk<'g>,
    /// Every event that was stored.
    pub(crate) log: Vec<Logged>,
    fold: Fold,
    /// The run, when it has gone as far as its events lead.
    pub(crate) view: Run,
    /// Whether more events follow from those that are stored.
    is_busy: bool,
    /// The names of calls, by how adapters know them.
    tools: BTreeMap<(Text, u64), Text>,
    models: Vec<Text>,
    counts: BTreeMap<Text, u64>,
    /// The calls that have left according to the store, by the event that asked for them.
    names: BTreeMap<EventId, Text>,
    left: BTreeMap<Text, Left>,
    /// The attempts that were made.
    made: BTreeSet<(Text, u32)>,
    given_up: BTreeSet<Text>,
    /// Calls that may leave, where somebody has to say so.
    allowed: BTreeSet<Text>,
    pub(crate) answered: BTreeSet<Text>,
    /// How many processes have ended in the middle of their work.
    broken_off: usize,
    /// The key that each call was made with, and which node uses a key.
    keys: BTreeMap<Text, Text>,
    users: BTreeMap<Text, Text>,
    pub(crate) happened: Happened,
    /// What must never happen, and did.
    pub(crate) wrong: Option<String>,
}

/// That a call leaves, as it is stored.
struct Left {
    attempt: u32,
    key: Text,
    /// How many processes had broken off before.
    broken_off: usize,
}

/// Something that can happen around a run, so that the tests know that it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Happening {
    Ended,
    Waited,
    Paused,
    DiedBeforeAppend,
    DiedAfterAppend,
    DiedInCall,
    Held,
    TakenOver,
    Conflict,
    Cancelled,
    Answered,
    AnsweredBefore,
    WrittenBetweenLooks,
    AnsweredAtOnce,
    AnsweredLater,
    CarriedOutAgain,
    Interrupted,
    NotedLate,
    Ruled,
    Approved,
}

/// All of them.
pub(crate) const HAPPENINGS: [Happening; 20] = [
    Happening::Ended,
    Happening::Waited,
    Happening::Paused,
    Happening::DiedBeforeAppend,
    Happening::DiedAfterAppend,
    Happening::DiedInCall,
    Happening::Held,
    Happening::TakenOver,
    Happening::Conflict,
    Happening::Cancelled,
    Happening::Answered,
    Happening::AnsweredBefore,
    Happening::WrittenBetweenLooks,
    Happening::AnsweredAtOnce,
    Happening::AnsweredLater,
    Happening::CarriedOutAgain,
    Happening::Interrupted,
    Happening::NotedLate,
    Happening::Ruled,
    Happening::Approved,
];

/// What happened, and how often.
pub(crate) type Happened = BTreeMap<Happening, usize>;

/// The next thing that happens to a run that waits for people and moments.
pub(crate) enum Due {
    /// A moment comes.
    Moment(Timestamp),
    /// A person answers this question.
    Reply(Timestamp, Text, Value),
}

impl<'g> Ground<'g> {
    /// Where nothing has happened yet.
    pub(crate) fn new(
        graph: &'g Graph,
        pinned: &'g Pinned,
        seed: u64,
        setup: &Setup,
        inputs: &Map,
        unrest: Unrest,
    ) -> Ground<'g> {
        let begin = Begin {
            run: "r1".into(),
            graph: pinned.checksum.clone(),
            document: pinned.document.clone(),
            inputs: inputs.clone(),
            options: setup.options(&pinned.plan),
            seed: 7,
            versions: host::versions(),
        };
        let seen = Seen {
            desk: Desk::new(graph, World::seeded(seed)),
            log: Vec::new(),
            fold: Fold::new(pinned.plan.clone()),
            view: Run::new(&pinned.plan),
            is_busy: false,
            tools: BTreeMap::new(),
            models: Vec::new(),
            counts: BTreeMap::new(),
            names: BTreeMap::new(),
            left: BTreeMap::new(),
            made: BTreeSet::new(),
            given_up: BTreeSet::new(),
            allowed: BTreeSet::new(),
            answered: BTreeSet::new(),
            broken_off: 0,
            keys: BTreeMap::new(),
            users: BTreeMap::new(),
            happened: Happened::new(),
            wrong: None,
        };
        Ground {
            store: MemoryStore::default(),
            stream: Stream::run("r1"),
            pinned,
            begin,
            now: AtomicI64::new(BEGIN_MICROS),
            unrest: Mutex::new(unrest),
            seen: Mutex::new(seen),
        }
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen<'g>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn unrest(&self) -> MutexGuard<'_, Unrest> {
        self.unrest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) -> Begin {
        self.begin.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.now.load(Ordering::Relaxed))
    }

    /// So many microseconds pass, or the clock is put back.
    pub(crate) fn pass(&self, micros: i64) {
        self.now.fetch_add(micros, Ordering::Relaxed);
    }

    /// It becomes this late, unless it is.
    pub(crate) fn wait_until(&self, moment: Timestamp) {
        self.now.fetch_max(moment.micros(), Ordering::Relaxed);
    }

    /// Something happened that must not.
    pub(crate) fn wrong(&self, what: String) {
        self.seen().wrong.get_or_insert(what);
    }

    /// Something happened that may.
    pub(crate) fn happens(&self, what: Happening) {
        self.seen().happens(what);
    }

    /// Events were added.
    pub(crate) fn hear(&self, events: &[Event]) {
        let mut seen = self.seen();
        for event in events {
            match self.store.fact(event) {
                Ok(Some(fact)) => seen.hear(event, fact),
                other => drop(seen.wrong.get_or_insert(format!("cannot be read: {other:?}"))),
            }
        }
        seen.look_again(&self.pinned.plan);
    }

    /// A process ends in the middle of its work, or stands still.
    pub(crate) fn breaks_off(&self) {
        self.seen().broken_off += 1;
    }

    /// A call is carried out: its name, and what it answers.
    pub(crate) fn carry_out(&self, call: &Call) -> (Text, Answer) {
        self.seen().carry_out(call)
    }
}

impl Seen<'_> {
    fn happens(&mut self, what: Happening) {
        *self.happened.entry(what).or_default() += 1;
    }

    fn hear(&mut self, event: &Event, fact: Fact) {
        self.desk.hear(&fact);
        let seq = self.log.len() as u64;
        if let Err(difference) = self.fold.take(seq, event, &fact, &mut Blocks::default()) {
            self.wrong.get_or_insert(format!("event {seq} is not what follows: {difference:?}"));
        }
        match &fact.what {
            What::ToolCall(call) if call.server.as_deref() != Some("logic") => {
                let tool = call.tool.clone().unwrap_or_default();
                let nth = self.counts.entry(tool.clone()).or_default();
                *nth += 1;
                self.tools.insert((tool, *nth), call.call_id.clone());
                self.names.insert(event.id(), call.call_id.clone());
            }
            What::ModelRequest(request) => {
                self.models.push(request.request_id.clone().unwrap_or_default());
            }
            What::EffectStarted(started) => {
                let attempt = u32::try_from(started.attempt.unwrap_or(0)).unwrap_or(0);
                let key = started.idem_key.clone().unwrap_or_default();
                if let Some(name) = self.names.get(&started.call.event_id) {
                    let left = Left { attempt, key, broken_off: self.broken_off };
                    self.left.insert(name.clone(), left);
                }
            }
            What::ApprovalDecided(decided) => {
                let about = decided.call.as_ref().and_then(|call| self.names.get(&call.event_id));
                match (about, decided.outcome.allows()) {
                    (Some(name), true) => _ = self.allowed.insert(name.clone()),
                    (Some(name), false) => _ = self.allowed.remove(name),
                    (None, _) => {}
                }
                if decided.request.is_some() {
                    self.happens(Happening::Approved);
                }
            }
            What::Interruption(interruption) => {
                let is_crash = interruption.reason == Some(InterruptionReason::Crash);
                for call in &interruption.affects {
                    if let Some(name) = self.names.get(&call.event_id).cloned() {
                        self.gives_up(name, is_crash);
                    }
                }
            }
            What::ToolResult(result) => {
                self.answered.insert(result.call_id.clone());
                if self.given_up.contains(&result.call_id) {
                    self.happens(Happening::NotedLate);
                }
            }
            _ => {}
        }
        let sealed = Sealed { event: event.clone(), blobs: Vec::new(), fact: None };
        self.log.push(Logged { sealed, fact });
    }

    /// Only a process that broke off leaves a call in doubt.
    fn gives_up(&mut self, name: Text, is_crash: bool) {
        if is_crash {
            self.happens(Happening::Interrupted);
            if self.left.get(&name).is_none_or(|left| left.broken_off == self.broken_off) {
                self.wrong.get_or_insert(format!("`{name}` is in doubt, and nobody broke off"));
            }
        }
        self.given_up.insert(name);
    }

    fn look_again(&mut self, plan: &runtime::Plan) {
        self.view = self.fold.run().clone();
        let mut further = self.view.clone();
        loop {
            let rest = rest(plan, &mut further, &mut Blocks::default());
            self.is_busy = !rest.events.is_empty();
            match self.is_busy {
                true => return,
                false if rest.more => {}
                false => break,
            }
        }
        self.view = further;
    }

    /// No call leaves before it is stored that it does, and the same effect has the same key.
    fn carry_out(&mut self, call: &Call) -> (Text, Answer) {
        let name = match &call.request {
            Request::Tool(tool) => self.tools.get(&(tool.tool.clone(), tool.nth)).cloned(),
            Request::Model(model) => self.models.get(model.turn as usize - 1).cloned(),
            Request::Question(_) | Request::Timer(_) => None,
        };
        let Some(name) = name else {
            self.wrong.get_or_insert(format!("a call was made that is not stored: {call:?}"));
            return (Text::default(), Answer::Value(Value::Null));
        };
        let is_recorded =
            matches!(&call.request, Request::Tool(tool) if tool.again != Again::Freely);
        let is_stored = |left: &Left| left.attempt == call.attempt && left.key == call.key;
        if is_recorded && !self.left.get(&name).is_some_and(is_stored) {
            self.wrong.get_or_insert(format!("`{name}` was made as it is not stored: {call:?}"));
        }
        let needs_allow = matches!(&call.request, Request::Tool(tool) if tool.store.is_none());
        if needs_allow && self.view.policy().is_some() && !self.allowed.contains(&name) {
            self.wrong.get_or_insert(format!("`{name}` was made, and nobody allowed it"));
        }
        if is_recorded && !self.made.insert((name.clone(), call.attempt)) {
            self.wrong.get_or_insert(format!("an attempt of `{name}` was made twice"));
        }
        let key = self.keys.entry(name.clone()).or_insert_with(|| call.key.clone());
        if *key != call.key {
            self.wrong.get_or_insert(format!("`{name}` was made with two keys"));
        }
        let user = self.users.entry(call.key.clone()).or_insert_with(|| call.at.clone());
        if *user != call.at {
            self.wrong.get_or_insert(format!("`{name}` was made with the key of `{user}`"));
        }
        let is_asked_for =
            matches!(&call.request, Request::Tool(tool) if tool.again == Again::ByAsking);
        let answer = self.desk.carry_out_named(&name);
        if self.desk.carried_out.get(&name) != Some(&1) {
            self.happens(Happening::CarriedOutAgain);
            if is_asked_for {
                self.wrong.get_or_insert(format!("`{name}` was carried out twice"));
            }
        }
        (name, answer)
    }

    /// The run as its events left it.
    pub(crate) fn stored(&self) -> &Run {
        self.fold.run()
    }

    /// What happens next to a run that waits for nothing else.
    pub(crate) fn next_due(&self) -> Option<Due> {
        if self.is_busy || !self.view.waits_for_others() {
            return None;
        }
        let due = self.view.pending().filter_map(|pending| match &pending.request {
            Request::Timer(due) => Some((*due, pending.id, Due::Moment(*due))),
            Request::Question(question) => match self.desk.reply(pending) {
                Reply::Silence => None,
                Reply::After(delay, value) => {
                    let at = later(pending.since, *delay);
                    Some((at, pending.id, Due::Reply(at, question.id.clone(), value.clone())))
                }
            },
            Request::Model(_) | Request::Tool(_) => None,
        });
        due.min_by_key(|(at, call, _)| (*at, *call)).map(|(.., due)| due)
    }

    /// The questions that are open, with what the person who is asked says, if anything.
    pub(crate) fn open_questions(&self) -> Vec<(Text, Option<Value>)> {
        let open = self.view.pending().filter_map(|pending| match &pending.request {
            Request::Question(question) => Some((
                question.id.clone(),
                match self.desk.reply(pending) {
                    Reply::After(_, value) => Some(value.clone()),
                    Reply::Silence => None,
                },
            )),
            _ => None,
        });
        open.collect()
    }
}
