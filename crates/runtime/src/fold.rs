//! A run from its events. What was recorded is taken in; everything else is derived again, and
//! what the engine would record is held against what was recorded.

use std::collections::BTreeSet;
use std::sync::Arc;

use history::kinds::words::{InterruptionReason, Role};
use history::kinds::{Fact, Kind, ModelResponse, Sealed, ToolResult, What as Said};
use history::{Event, EventId};
use value::{Text, Value};

use crate::advance::Watch;
use crate::approval::{self, PolicyChange};
use crate::call::{Answer, CallId, ModelAnswer, Pending};
use crate::change::Change;
use crate::difference::Difference;
use crate::input::{Begin, Input, Told, receive};
use crate::logic::{Block, Done, Given, Logic};
use crate::migrate::{Incompatible, Kept, migrate};
use crate::options::Options;
use crate::plan::Plan;
use crate::run::{Run, Status};
use crate::step::step;
use crate::{Fault, FaultKind, blocks, talk};

/// Folds the events of a run, one after the other.
pub struct Fold {
    plan: Arc<Plan>,
    run: Run,
    /// A change of which not all events were seen yet. It is taken in when they were.
    held: Option<(Change, usize)>,
    /// Events that belong to an input of which more must be seen.
    partial: Vec<(Event, Fact)>,
    /// A fork has begun, and nothing has come since but how: the engine goes on behind that.
    parting: bool,
}

impl Fold {
    /// Nothing yet.
    pub fn new(plan: Arc<Plan>) -> Fold {
        let run = Run::new(&plan);
        Fold { plan, run, held: None, partial: Vec::new(), parting: false }
    }

    /// Goes on with a run that was brought to another plan.
    pub(crate) fn resume(plan: Arc<Plan>, run: Run) -> Fold {
        Fold { plan, run, held: None, partial: Vec::new(), parting: false }
    }

    /// Brings the run to another plan, as it was after the last event: what comes goes on by that
    /// one. Where that cannot be, nothing changes.
    pub fn change_plan(&mut self, new: Arc<Plan>) -> Result<Vec<Kept>, Vec<Incompatible>> {
        let (run, kept) = migrate(self.run.clone(), &self.plan, &new)?;
        *self = Fold::resume(new, run);
        Ok(kept)
    }

    /// The run as the events so far left it: as it was after the last of them, before the engine
    /// went on.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The plan that it runs by.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The run, to go on with.
    pub fn finish(self) -> (Arc<Plan>, Run) {
        (self.plan, self.run)
    }

    /// Whether the last events belong to something of which more must come: a fork from there
    /// goes on before it.
    pub fn is_between(&self) -> bool {
        self.held.is_some() || !self.partial.is_empty()
    }

    /// Takes one more event in.
    pub fn take(
        &mut self,
        seq: u64,
        event: &Event,
        fact: &Fact,
        logic: &mut dyn Logic,
    ) -> Result<(), Difference> {
        self.take_watched(seq, event, fact, logic, &mut ())
    }

    /// Takes one more event in if the engine would record exactly this one next, and says what it
    /// says: an event that has the same id need not be read. Where there is no answer, the event
    /// must be read and taken.
    pub fn take_derived(&mut self, event: &Event, logic: &mut dyn Logic) -> Option<Box<Fact>> {
        // Only for these it is clear, unread, that the engine goes on as far as it can.
        let goes_on = match event.kind() {
            Kind::ToolCall => !blocks::may_tell_of_block(event),
            Kind::EffectStarted | Kind::ModelRequest | Kind::MessageCreated => true,
            _ => false,
        };
        if !goes_on || self.parting || !self.partial.is_empty() {
            return None;
        }
        self.go_on(logic, &mut (), None);
        if self.held.is_none() && event.kind() == Kind::EffectStarted {
            // Who makes calls makes the next one that may leave, as far as can be told unread.
            let leave = Input::Leave(self.run.open.next_leaving(|_| true)?);
            let change = receive(&self.plan, &self.run, &leave, self.run.now).ok()?;
            if change.events.first()?.event.id() == event.id() {
                self.held = Some((change, 0));
            }
        }
        let (change, seen) = self.held.as_mut()?;
        let derived = &mut change.events[*seen];
        if derived.event.id() != event.id() {
            return None;
        }
        let fact = derived.fact.take()?;
        self.matched(event, &mut ()).expect("it has the same id");
        Some(fact)
    }

    pub(crate) fn take_watched(
        &mut self,
        seq: u64,
        event: &Event,
        fact: &Fact,
        logic: &mut dyn Logic,
        watch: &mut dyn Watch,
    ) -> Result<(), Difference> {
        let differs = |derived: Option<Event>, why: Option<String>| {
            Err(Difference { seq, recorded: event.clone(), derived: derived.map(Box::new), why })
        };
        let is_told = !is_of_engine(fact);
        self.parting = begins_fork(fact) || self.parting && (is_told || sets(fact));
        if begins_fork(fact) {
            // What the parent would have recorded next is not this run's.
            self.held = None;
            self.partial.clear();
        }
        if self.held.is_none() && self.partial.is_empty() && blocks::tells_of_block(&fact.what) {
            // How it failed is in the next event.
            self.partial.push((event.clone(), fact.clone()));
            return Ok(());
        }
        let failed_block = self.failed_block(fact);
        if let Some((nth, fault)) = failed_block {
            let mut failing = FailsAgain { inner: logic, nth, fault };
            self.go_on(&mut failing, watch, None);
            let Some((call, _)) = self.partial.pop() else { return Ok(()) };
            return match self.matched(&call, watch) {
                Ok(()) => self.matched(event, watch).or_else(|derived| differs(derived, None)),
                Err(derived) => {
                    let derived = derived.map(Box::new);
                    Err(Difference {
                        seq: seq.saturating_sub(1),
                        recorded: call,
                        derived,
                        why: None,
                    })
                }
            };
        }
        if let Some((call, Fact { what: Said::ToolCall(_), .. })) = self.partial.last() {
            let why = Some("what follows does not say how the block failed".into());
            let recorded = call.clone();
            return Err(Difference { seq: seq.saturating_sub(1), recorded, derived: None, why });
        }
        // What others wrote stands before what the engine does next, wherever that is.
        let stays = self.parting || is_told;
        let until = if stays { Some(self.run.steps()) } else { stops_at(fact) };
        self.go_on(logic, watch, until);
        if self.held.is_some() {
            return self.matched(event, watch).or_else(|derived| differs(derived, None));
        }
        let is_beginning = is_beginning_of_answer(fact)
            || is_beginning_of_end(fact)
            || matches!(fact.what, Said::ApprovalRequested(_));
        if is_beginning && self.partial.is_empty() {
            self.partial.push((event.clone(), fact.clone()));
            return Ok(());
        }
        let before = self.partial.pop();
        let Some(input) = self.input(event, fact, before.as_ref()) else {
            return differs(None, Some("the engine would wait here".into()));
        };
        match receive(&self.plan, &self.run, &input, fact.common.ts) {
            Err(refusal) => differs(None, Some(refusal.to_string())),
            Ok(change) => {
                self.held = Some((change, 0));
                if let Some((earlier, _)) = before
                    && let Err(derived) = self.matched(&earlier, watch)
                {
                    let derived = derived.map(Box::new);
                    return Err(Difference {
                        seq: seq.saturating_sub(1),
                        recorded: earlier,
                        derived,
                        why: None,
                    });
                }
                self.matched(event, watch).or_else(|derived| differs(derived, None))
            }
        }
    }

    /// How many events were taken in that the engine's were not held against yet.
    pub(crate) fn unmatched(&self) -> u64 {
        self.partial.len() as u64
    }

    /// Steps until something would be recorded, or nothing can go on.
    pub(crate) fn go_on(
        &mut self,
        logic: &mut dyn Logic,
        watch: &mut dyn Watch,
        until: Option<u64>,
    ) {
        while self.held.is_none() && until != Some(self.run.steps()) {
            let change = step(&self.plan, &self.run, &mut RunsAgain(logic));
            let Some(change) = change else { return };
            if change.events.is_empty() {
                watch.see(&self.plan, &self.run, &change);
                self.run.apply(&self.plan, change);
            } else {
                self.held = Some((change, 0));
            }
        }
    }

    /// Holds the next event of the change that is waited for against a recorded one.
    fn matched(&mut self, event: &Event, watch: &mut dyn Watch) -> Result<(), Option<Event>> {
        let Some((change, seen)) = &mut self.held else { return Err(None) };
        let Some(derived) = change.events.get(*seen).map(|sealed| &sealed.event) else {
            return Err(None);
        };
        if derived.id() != event.id() {
            return Err(Some(derived.clone()));
        }
        *seen += 1;
        if *seen == change.events.len()
            && let Some((change, _)) = self.held.take()
        {
            watch.see(&self.plan, &self.run, &change);
            self.run.apply(&self.plan, change);
        }
        Ok(())
    }

    /// The block that failed, if the event before says that one did.
    fn failed_block(&self, fact: &Fact) -> Option<(u64, Fault)> {
        let (_, before) = self.partial.last()?;
        let (Said::ToolCall(call), Said::ToolResult(result)) = (&before.what, &fact.what) else {
            return None;
        };
        let nth = match call.args.as_ref()?.get("nth")? {
            Value::Int(nth) => u64::try_from(*nth).ok()?,
            _ => return None,
        };
        Some((nth, Fault::from_error(result.error.as_ref()?)))
    }

    /// The input that an event records.
    fn input(&self, event: &Event, fact: &Fact, before: Option<&(Event, Fact)>) -> Option<Input> {
        let run = fact.common.run_id.clone();
        Some(match &fact.what {
            Said::RunStarted(started) if started.from.is_none() => Input::Begin(Box::new(Begin {
                run: run?,
                graph: started.graph.clone()?,
                document: started.document.clone()?,
                inputs: started.inputs.as_deref().cloned().unwrap_or_default(),
                options: Options::started(started.options.as_deref(), started.versions.as_deref()),
                seed: started.seed.unwrap_or(0).cast_unsigned(),
                versions: started.versions.as_deref().cloned().unwrap_or_default(),
            })),
            Said::RunStarted(started) => {
                let fork = Some((run?, started.clone()));
                Input::Told(Box::new(Told { event: event.clone(), fork }))
            }
            Said::ModelResponse(response) => self.model_answer(response, before)?,
            Said::ToolResult(result) => {
                let call = self.call(&result.call_id)?;
                Input::Answer(call, tool_answer(result))
            }
            Said::QuestionAnswered(answer) => {
                let asked = self.run.open.question(&answer.question_id)?;
                let value = answer.answer.clone().unwrap_or_default();
                Input::Answer(asked, Answer::Person(value, answer.actor.clone()))
            }
            Said::TimerFired(timer) => Input::Answer(self.call(&timer.timer)?, Answer::Due),
            Said::EffectStarted(effect) => {
                Input::Leave(self.run.open.wanted_by(effect.call.event_id)?)
            }
            Said::ApprovalDecided(decided) => {
                let call = self.run.open.wanted_by(decided.call.as_ref()?.event_id)?;
                Input::Decided(call, Box::new(approval::ruling_in(decided)?))
            }
            Said::QuestionAsked(asked) => {
                let call = self.run.open.wanted_by(asked.call.as_ref()?.event_id)?;
                let ruling = approval::ruling_of(&self.run, call, asked, fact.common.ts)?;
                Input::Decided(call, Box::new(ruling))
            }
            Said::PolicyActivated(activated) => Input::Policy(Box::new(PolicyChange {
                policy: activated.policy_ref.clone(),
                actor: activated.actor.clone(),
                notes: activated.notes.clone(),
            })),
            Said::Interruption(interruption) => {
                let affected: BTreeSet<EventId> =
                    interruption.affects.iter().map(|affected| affected.event_id).collect();
                let calls = self.run.pending();
                let calls = calls.filter(|pending| affected.contains(&pending.intent));
                Input::Interrupted(calls.map(|pending| pending.id).collect())
            }
            Said::StateSet(set) => Input::Set((*set.values).clone()),
            Said::RunPaused(paused) => {
                Input::Pause { reason: paused.reason.clone(), step: unsigned(paused.step) }
            }
            Said::RunCancelled(cancelled) => Input::Cancel {
                reason: cancelled.reason.clone(),
                actor: cancelled.actor.clone(),
                step: unsigned(cancelled.step),
            },
            Said::RunFinished(finished) => Input::Tick { step: unsigned(finished.step) },
            _ if is_of_engine(fact) => return None,
            _ => Input::Told(Box::new(Told { event: event.clone(), fork: None })),
        })
    }

    fn call(&self, name: &Text) -> Option<CallId> {
        // Behind a letter stands the number.
        let id = name.get(1..)?.parse().ok()?;
        self.run.known_call(id).filter(|pending| pending.name == *name).map(|pending| pending.id)
    }

    fn model_answer(
        &self,
        response: &ModelResponse,
        before: Option<&(Event, Fact)>,
    ) -> Option<Input> {
        let call = self.call(&response.request_id)?;
        if let Some(error) = &response.error {
            return Some(Input::Answer(call, Answer::Failed(Fault::from_error(error))));
        }
        let said = match before.map(|(_, fact)| &fact.what) {
            Some(Said::MessageCreated(created)) => talk::read(&created.message)?,
            _ => return None,
        };
        let usage = response.usage.as_ref();
        let tokens = |count: Option<i64>| unsigned(count).unwrap_or(0);
        Some(Input::Answer(
            call,
            Answer::Model(Box::new(ModelAnswer {
                prompt_tokens: tokens(usage.and_then(|usage| usage.prompt_tokens)),
                completion_tokens: tokens(usage.and_then(|usage| usage.completion_tokens)),
                finish_reason: response.finish_reason.clone(),
                cost: response.cost.clone(),
                ..said
            })),
        ))
    }
}

fn unsigned(number: Option<i64>) -> Option<u64> {
    number.and_then(|number| u64::try_from(number).ok())
}

fn is_beginning_of_answer(fact: &Fact) -> bool {
    matches!(&fact.what, Said::MessageCreated(created)
        if created.message.role == Some(Role::Assistant))
}

fn begins_fork(fact: &Fact) -> bool {
    matches!(&fact.what, Said::RunStarted(started) if started.from.is_some())
}

fn sets(fact: &Fact) -> bool {
    matches!(fact.what, Said::StateSet(_))
}

/// Whether only the engine writes such an event. The others are taken as they are told: how a run
/// was forked or merged, what became of resources, policies, leases and what was redacted.
fn is_of_engine(fact: &Fact) -> bool {
    matches!(
        fact.what,
        Said::RunStarted(_)
            | Said::RunFinished(_)
            | Said::RunPaused(_)
            | Said::RunCancelled(_)
            | Said::MessageCreated(_)
            | Said::ModelRequest(_)
            | Said::ModelResponse(_)
            | Said::ToolCall(_)
            | Said::EffectStarted(_)
            | Said::ToolResult(_)
            | Said::ApprovalRequested(_)
            | Said::ApprovalDecided(_)
            | Said::PolicyActivated(_)
            | Said::Interruption(_)
            | Said::Substitution(_)
            | Said::QuestionAsked(_)
            | Said::QuestionAnswered(_)
            | Said::StateSet(_)
            | Said::TimeObserved(_)
            | Said::TimerSet(_)
            | Said::TimerFired(_)
    )
}

/// Calls that are given up although the engine would go on waiting: the run's time is over, which
/// the next event says.
fn is_beginning_of_end(fact: &Fact) -> bool {
    matches!(&fact.what, Said::Interruption(interruption)
        if interruption.reason == Some(InterruptionReason::Canceled))
}

/// After how many steps the run was stopped, if it could have gone on.
fn stops_at(fact: &Fact) -> Option<u64> {
    match &fact.what {
        Said::RunPaused(paused) => unsigned(paused.step),
        Said::RunCancelled(cancelled) => unsigned(cancelled.step),
        Said::RunFinished(finished) => unsigned(finished.step),
        _ => None,
    }
}

fn tool_answer(result: &ToolResult) -> Answer {
    match (&result.error, &result.result) {
        (Some(error), _) => Answer::Failed(Fault::from_error(error)),
        (None, Some(result)) => Answer::Value(result.get("value").cloned().unwrap_or_default()),
        (None, None) => Answer::Value(Value::Null),
    }
}

/// Runs blocks, but the one that failed fails again as it did.
struct FailsAgain<'a> {
    inner: &'a mut dyn Logic,
    nth: u64,
    fault: Fault,
}

impl Logic for FailsAgain<'_> {
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.again(block, given)
    }

    fn again(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        if given.nth == self.nth {
            return Err(self.fault.clone());
        }
        self.inner.again(block, given)
    }
}

/// Runs blocks that have run before.
struct RunsAgain<'a>(&'a mut dyn Logic);

impl Logic for RunsAgain<'_> {
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.0.again(block, given)
    }
}

/// Runs no blocks, for graphs that have none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLogic;

impl Logic for NoLogic {
    fn run(&mut self, _: &Block, _: &Given) -> Result<Done, Fault> {
        Err(Fault::new(FaultKind::Logic, "there is no interpreter here"))
    }
}

impl Run {
    /// One of the things it waits for, or that were given up and may still be answered.
    pub fn known_call(&self, id: CallId) -> Option<&Pending> {
        let known = self.open.get(id).or_else(|| self.abandoned.get(&id));
        known.map(|waiting| &waiting.pending)
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.status != Status::New
    }
}

/// The events of a change and what stands beside them, ready to be stored.
pub fn split(sealed: Vec<Sealed>) -> (Vec<Event>, Vec<history::kinds::Blob>) {
    let mut blobs = Vec::new();
    let events = sealed.into_iter().map(|mut one| {
        blobs.append(&mut one.blobs);
        one.event
    });
    let events = events.collect();
    (events, blobs)
}
