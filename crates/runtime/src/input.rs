//! What comes from outside, and what it changes.

use history::kinds::words::{InterruptionReason, RunReason};
use history::kinds::{RunStarted, Sealed};
use history::{Event, Timestamp};
use value::{Map, Text, Value};

use crate::answer;
use crate::approval::{self, PolicyChange, Ruling};
use crate::call::{Answer, CallId, Request, Stage};
use crate::change::{Began, Change, Spent, What};
use crate::open::Waiting;
use crate::options::Options;
use crate::plan::Plan;
use crate::record::Recorder;
use crate::request;
use crate::run::{Failure, Run, Status};
use crate::{Fault, FaultKind};

/// Something from outside.
#[derive(Clone, Debug)]
pub enum Input {
    /// The run begins.
    Begin(Box<Begin>),
    /// A call is answered.
    Answer(CallId, Answer),
    /// Somebody makes a call, for the first time or once more. It is an input and does not follow
    /// from anything: only who makes the call knows.
    Leave(CallId),
    /// The policy says what becomes of a call.
    Decided(CallId, Box<Ruling>),
    /// Another policy comes into force.
    Policy(Box<PolicyChange>),
    /// Calls were under way when a process died, and must not run again unasked.
    Interrupted(Vec<CallId>),
    /// Values are set, in every fiber.
    Set(Map),
    /// The run stops for now. `step` says where, if it could have gone on.
    Pause {
        /// Why.
        reason: Option<Text>,
        /// After how many steps.
        step: Option<u64>,
    },
    /// Somebody ends the run.
    Cancel {
        /// Why.
        reason: Option<Text>,
        /// Who.
        actor: Option<Text>,
        /// After how many steps, if it could have gone on.
        step: Option<u64>,
    },
    /// The run's time is over.
    Tick {
        /// After how many steps, if it could have gone on.
        step: Option<u64>,
    },
    /// An event of the run that others wrote: how it was forked, what became of its resources.
    Told(Box<Told>),
}

/// How a run begins.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Its id.
    pub run: Text,
    /// The hash of the graph's meaning.
    pub graph: Text,
    /// The graph.
    pub document: Value,
    /// What it is given.
    pub inputs: Map,
    /// How it runs.
    pub options: Options,
    /// What randomness follows from.
    pub seed: u64,
    /// What it was made with.
    pub versions: Map,
}

/// An event that others wrote.
#[derive(Clone, Debug)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// What it says, where it begins a fork.
    pub fork: Option<(Text, RunStarted)>,
}

/// Why an input cannot be taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// Nobody waits for this call: it was answered, or never made.
    NotWaiting,
    /// The run has ended.
    Over,
    /// It has begun already, or not yet.
    OutOfPlace,
    /// It could go on without this, and must first: what comes from outside is recorded where the
    /// run waits, so that whoever replays it knows where that was.
    Busy,
    /// Its time is not over yet.
    Early,
    /// The answer does not fit the question.
    Unfit(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::NotWaiting => f.write_str("nobody waits for this answer"),
            Refusal::Over => f.write_str("the run has ended"),
            Refusal::OutOfPlace => f.write_str("the run cannot take this now"),
            Refusal::Busy => f.write_str("the run must go on before it can take this"),
            Refusal::Early => f.write_str("the run's time is not over yet"),
            Refusal::Unfit(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Refusal {}

/// The change that an input makes.
pub(crate) fn receive(
    plan: &Plan,
    run: &Run,
    input: &Input,
    ts: Timestamp,
) -> Result<Change, Refusal> {
    let ts = if run.status == Status::New { ts } else { ts.max(run.now) };
    match (input, run.status) {
        (Input::Begin(begin), Status::New) => return Ok(begun(plan, begin, ts)),
        (Input::Begin(_), _) | (_, Status::New) => return Err(Refusal::OutOfPlace),
        (Input::Told(told), _) if told.fork.is_some() => return Ok(told_of(told, ts)),
        // These say where it stopped, if it could have gone on.
        (Input::Pause { step, .. } | Input::Cancel { step, .. } | Input::Tick { step }, _)
            if *step != run.can_go_on().then(|| run.steps()) =>
        {
            return Err(Refusal::OutOfPlace);
        }
        (Input::Pause { .. } | Input::Cancel { .. } | Input::Tick { .. }, _) => {}
        (Input::Told(told), _) => return Ok(told_of(told, ts)),
        // A fork changes before it goes on.
        (Input::Set(_), _) if run.from.is_some() => {}
        _ if run.can_go_on() => return Err(Refusal::Busy),
        _ => {}
    }
    if let Input::Answer(call, answer) = input {
        return answered(plan, run, *call, answer, ts);
    }
    if run.status != Status::Running {
        return Err(Refusal::Over);
    }
    let mut recorder = Recorder::new(run, None).at_time(ts);
    let what = match input {
        Input::Leave(call) => {
            let waiting = run.open.get(*call).ok_or(Refusal::NotWaiting)?;
            let again = match waiting.pending.stage {
                Stage::Queued | Stage::Undecided | Stage::Asked => {
                    return Err(Refusal::NotWaiting);
                }
                Stage::Leaving => 0,
                Stage::Started => 1,
            };
            let mut recorder = Recorder::new(run, Some(&waiting.pending.at)).at_time(ts);
            recorder.effect_started(&waiting.pending, waiting.pending.attempt + again);
            let what = What::Left { call: *call, ts };
            return Ok(Change { events: recorder.events, what });
        }
        Input::Decided(call, ruling) => return approval::ruled(run, *call, ruling, ts),
        Input::Policy(change) => return Ok(approval::changed(run, change, ts)),
        Input::Interrupted(calls) => {
            let known = calls.iter().filter_map(|call| run.open.get(*call));
            let is_question =
                |waiting: &Waiting| matches!(waiting.pending.request, Request::Question(_));
            // Questions outlive processes: only whoever answers them can have gone.
            let reason = match known.clone().all(is_question) {
                true => InterruptionReason::Shutdown,
                false => InterruptionReason::Crash,
            };
            let intents = request::affected(known);
            if intents.is_empty() {
                return Err(Refusal::NotWaiting);
            }
            recorder.interruption(reason, intents);
            What::Interrupted { calls: calls.clone(), ts }
        }
        Input::Set(values) => {
            recorder.state_set(values);
            let values = values.iter().map(|(name, value)| (name.clone(), value.clone()));
            What::WasSet { values: values.collect(), ts }
        }
        Input::Pause { reason, step } => {
            recorder.paused(reason.as_ref(), *step);
            What::Noted { ts }
        }
        Input::Cancel { reason, actor, step } => {
            // That it was cancelled comes first: it says where the engine stopped.
            recorder.cancelled(reason.as_ref(), actor.as_ref(), *step);
            request::give_up(run.open.iter(), &mut recorder);
            let fault = Fault::new(
                FaultKind::Cancelled,
                reason.clone().unwrap_or_else(|| "somebody cancelled the run".into()),
            );
            let failure = Some(Box::new(Failure::new(fault, None)));
            What::Finished { ts, status: Status::Cancelled, result: Value::Null, failure }
        }
        Input::Tick { step } => {
            if run.deadline().is_none_or(|deadline| ts < deadline) {
                return Err(Refusal::Early);
            }
            let most = run.options.limits.time_ms.unwrap_or(0);
            let fault = Fault::new(FaultKind::Time, format!("{most} ms are over"));
            if step.is_none() {
                request::give_up(run.open.iter(), &mut recorder);
            }
            recorder.finished(Err(&fault), *step);
            if step.is_some() {
                // As where it is cancelled: what says where the engine stopped comes first.
                request::give_up(run.open.iter(), &mut recorder);
            }
            let failure = Some(Box::new(Failure::new(fault, None)));
            What::Finished { ts, status: Status::Failed, result: Value::Null, failure }
        }
        Input::Begin(_) | Input::Told(_) | Input::Answer(..) => unreachable!("handled above"),
    };
    Ok(Change { events: recorder.events, what })
}

fn begun(plan: &Plan, begin: &Begin, ts: Timestamp) -> Change {
    let mut blank = Run::new(plan);
    blank.id = begin.run.clone();
    blank.now = ts;
    let mut recorder = Recorder::new(&blank, None);
    recorder.add(&RunStarted {
        reason: Some(RunReason::User),
        from: None,
        graph: Some(begin.graph.clone()),
        document: Some(begin.document.clone()),
        inputs: Some(begin.inputs.clone().into()),
        seed: Some(begin.seed.cast_signed()),
        versions: Some(begin.versions.clone().into()),
        options: Some(begin.options.recorded(Some(&begin.versions))),
    });
    let began = Began {
        run: begin.run.clone(),
        agent: plan.name.clone(),
        ts,
        seed: begin.seed,
        options: begin.options.clone(),
        inputs: begin.inputs.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        from: None,
    };
    Change { events: recorder.events, what: What::Began(Box::new(began)) }
}

fn told_of(told: &Told, ts: Timestamp) -> Change {
    let events = vec![Sealed { event: told.event.clone(), blobs: Vec::new(), fact: None }];
    let what = match &told.fork {
        None => What::Noted { ts },
        Some((run, started)) => What::Began(Box::new(Began {
            run: run.clone(),
            agent: "".into(),
            ts,
            seed: 0,
            options: Options::started(started.options.as_deref(), started.versions.as_deref()),
            inputs: Vec::new(),
            from: started.from.clone(),
        })),
    };
    Change { events, what }
}

fn answered(
    plan: &Plan,
    run: &Run,
    call: CallId,
    answer: &Answer,
    ts: Timestamp,
) -> Result<Change, Refusal> {
    if let Some(waiting) = run.abandoned.get(&call) {
        // Noted, so that nothing is lost that may have happened.
        let mut recorder = Recorder::new(run, Some(&waiting.pending.at)).at_time(ts);
        match (answer, &waiting.pending.request) {
            (Answer::Model(answer), _) => recorder.model_answer(&waiting.pending, answer).1,
            (Answer::Value(value), _) => recorder.tool_result(&waiting.pending, Ok(value)),
            (Answer::Failed(fault), Request::Tool(_)) => {
                recorder.tool_result(&waiting.pending, Err(fault))
            }
            _ => return Err(Refusal::NotWaiting),
        };
        let spent = match answer {
            Answer::Model(answer) => answer::spent(answer),
            _ => Spent::default(),
        };
        let what = What::Late { call, ts, spent };
        return Ok(Change { events: recorder.events, what });
    }
    if run.status != Status::Running {
        return Err(Refusal::Over);
    }
    let waiting = run.open.get(call).ok_or(Refusal::NotWaiting)?;
    let fits = match (&waiting.pending.request, answer) {
        (Request::Model(_), Answer::Model(_) | Answer::Failed(_)) => true,
        (Request::Tool(_), Answer::Value(_) | Answer::Failed(_)) => {
            waiting.pending.stage == Stage::Started
        }
        (Request::Question(question), Answer::Person(value, _)) => {
            match answer::refused(question, value) {
                None => true,
                Some(why) => return Err(Refusal::Unfit(why)),
            }
        }
        (Request::Timer(due), Answer::Due) => ts >= *due,
        _ => false,
    };
    if !fits {
        return Err(Refusal::OutOfPlace);
    }
    Ok(answer::answered(plan, run, waiting, answer, ts, false))
}
