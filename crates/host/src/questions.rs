//! Questions to people: which are open, and what becomes of an answer, whoever drives the run.

use std::cell::{Cell, RefCell};

use history::kinds::{Kind, What};
use history::query::{self, RunFilter};
use history::{Lineage, Stream, Timestamp, Visit};
use runtime::{Answer, Input, Logic, Refusal, Request, Run, note, rest, split};
use store::{Append, AppendError, Durability, Expected, Store, StoreError, append_checked};
use value::{Text, Value};

use crate::capabilities::Who;
use crate::drive::DriveError;
use crate::load::load;

/// A question that nobody has answered yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Its id.
    pub question: Text,
    /// The run that asks.
    pub run: Text,
    /// What is asked.
    pub prompt: Option<Text>,
    /// What the answer must fit.
    pub schema: Option<Value>,
    /// What can be chosen from.
    pub options: Vec<Value>,
    /// What counts when nobody answers in time.
    pub default: Option<Value>,
    /// Until when.
    pub expires: Option<Timestamp>,
    /// What whoever answers must be allowed to do.
    pub capability: Option<Text>,
    /// Since when.
    pub asked: Timestamp,
}

/// So many runs are looked through.
const RUNS_MAX: usize = 100_000;

/// The open questions of all runs that wait, or of one; the oldest first.
pub fn open_questions(store: &dyn Store, only: Option<&Stream>) -> Result<Vec<Open>, StoreError> {
    let runs = match only {
        Some(stream) => vec![stream.clone()],
        None => {
            let waiting = RunFilter { status: Some("waiting".into()), ..RunFilter::default() };
            let found = query::runs(store, &waiting, RUNS_MAX)?;
            found.items.into_iter().map(|run| Stream::Run(run.run)).collect()
        }
    };
    let mut all = Vec::new();
    for stream in runs {
        all.extend(open_in(store, &stream)?);
    }
    all.sort_by_key(|open| open.asked);
    Ok(all)
}

/// The open questions of a run's lineage.
fn open_in(store: &dyn Store, stream: &Stream) -> Result<Vec<Open>, StoreError> {
    let (Some(lineage), Some(run)) = (Lineage::of(store, stream, None)?, stream.run_id()) else {
        return Ok(Vec::new());
    };
    let asked = query::questions(store, &lineage)?.into_iter().filter(|asked| asked.is_open);
    let open = asked.map(|asked| Open {
        question: asked.question.question_id,
        run: run.clone(),
        prompt: asked.question.prompt,
        schema: asked.question.schema,
        options: asked.question.options.unwrap_or_default(),
        default: asked.question.default,
        expires: asked.question.expires,
        capability: asked.question.capability,
        asked: asked.ts,
    });
    Ok(open.collect())
}

/// The questions whose ids begin like this, with the runs that ask them: open ones, or else those
/// that were answered.
pub fn find_questions(
    store: &dyn Store,
    words: &str,
    only: Option<&Stream>,
) -> Result<Vec<(Stream, Text)>, StoreError> {
    // Every name begins with nothing: whoever gives none means none.
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let open = open_questions(store, only)?;
    let found = open.into_iter().filter(|open| open.question.starts_with(words));
    let found: Vec<_> = found.map(|open| (Stream::Run(open.run), open.question)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let runs = match only {
        Some(stream) => vec![stream.clone()],
        None => {
            let found = query::runs(store, &RunFilter::default(), RUNS_MAX)?;
            found.items.into_iter().map(|run| Stream::Run(run.run)).collect()
        }
    };
    let mut answered = Vec::new();
    for stream in runs {
        let Some(info) = store.stream(&stream)? else { continue };
        let mut failed = None;
        Lineage::own(&info).visit(store, Some(&[Kind::QuestionAsked]), 0, |_, entry| {
            match store.fact(&entry.event).map(|fact| fact.map(|it| it.what)) {
                Ok(Some(What::QuestionAsked(question)))
                    if question.question_id.starts_with(words) =>
                {
                    answered.push((stream.clone(), question.question_id));
                }
                Ok(_) => {}
                Err(error) => failed = Some(error),
            }
            if failed.is_none() { Visit::More } else { Visit::Stop }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
    }
    Ok(answered)
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answered {
    /// It counts.
    Taken,
    /// Somebody was first.
    Before {
        /// What they said.
        answer: Value,
        /// When.
        ts: Timestamp,
    },
    /// It cannot be taken.
    Refused(String),
}

/// Answers a question that needs no capability. The run goes on when somebody drives it.
pub fn answer_question(
    store: &dyn Store,
    logic: &mut dyn Logic,
    stream: &Stream,
    question: &Text,
    value: &Value,
    actor: Option<Text>,
    now: Timestamp,
) -> Result<Answered, DriveError> {
    let who = Who { name: actor, ..Who::default() };
    answer_as(store, logic, stream, question, value, &who, now)
}

/// Answers a question, if whoever does so may. The run goes on when somebody drives it.
pub fn answer_as(
    store: &dyn Store,
    logic: &mut dyn Logic,
    stream: &Stream,
    question: &Text,
    value: &Value,
    who: &Who,
    now: Timestamp,
) -> Result<Answered, DriveError> {
    let expired = Cell::new(None);
    let refused = RefCell::new(None);
    let given = give(store, stream, logic, now, When::AtRest, |run| {
        let (call, asked) = run.pending().find_map(|pending| match &pending.request {
            Request::Question(asked) if asked.id == *question => Some((pending.id, asked)),
            _ => None,
        })?;
        // What its author chose for this case counts, although nobody has noticed yet.
        expired.set(asked.expires.filter(|expires| now >= *expires));
        let answer = Answer::Person(value.clone(), who.name.clone());
        *refused.borrow_mut() = who.refused(asked.capability.as_ref());
        let is_taken = expired.get().is_none() && refused.borrow().is_none();
        is_taken.then_some(Input::Answer(call, answer))
    })?;
    if let Some(why) = refused.into_inner() {
        return Ok(Answered::Refused(why));
    }
    if let Some(expired) = expired.get() {
        return Ok(Answered::Refused(format!(
            "it expired at {expired}; `quipu resume {stream}` goes on without an answer"
        )));
    }
    Ok(match given {
        Ok(()) => Answered::Taken,
        Err(Refusal::NotWaiting | Refusal::Over) => match first_answer(store, stream, question)? {
            Some((answer, ts)) => Answered::Before { answer, ts },
            None => Answered::Refused("nobody waits for an answer to this any more".into()),
        },
        Err(refusal) => Answered::Refused(refusal.to_string()),
    })
}

/// What was answered to a question, and when.
pub(crate) fn first_answer(
    store: &dyn Store,
    stream: &Stream,
    question: &Text,
) -> Result<Option<(Value, Timestamp)>, StoreError> {
    let Some(lineage) = Lineage::of(store, stream, None)? else { return Ok(None) };
    let mut found = Ok(None);
    lineage.visit(store, Some(&[Kind::QuestionAnswered]), 0, |_, entry| {
        match store.fact(&entry.event) {
            Err(error) => found = Err(error),
            Ok(Some(fact)) => {
                if let What::QuestionAnswered(answer) = &fact.what
                    && answer.question_id == *question
                {
                    let value = answer.answer.clone().unwrap_or_default();
                    found = Ok(Some((value, fact.common.ts)));
                    return Visit::Stop;
                }
            }
            Ok(None) => {}
        }
        if found.is_ok() { Visit::More } else { Visit::Stop }
    })?;
    found
}

/// When a run takes an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once: a fork changes before it goes on, and a run that should end goes no further.
    AtOnce,
    /// Where it can go no further without one, as whoever drives it does.
    AtRest,
}

/// Gives a run an input from outside, whoever drives it. Nothing leaves: whoever drives the run
/// sees the input, and goes on.
pub fn give(
    store: &dyn Store,
    stream: &Stream,
    logic: &mut dyn Logic,
    now: Timestamp,
    when: When,
    mut input: impl FnMut(&Run) -> Option<Input>,
) -> Result<Result<(), Refusal>, DriveError> {
    loop {
        let mut loaded = load(store, stream, None, logic)?;
        let mut all = Vec::new();
        let mut more = when == When::AtRest;
        while more {
            let rest = rest(&loaded.plan, &mut loaded.run, logic);
            all.extend(rest.events);
            more = rest.more;
        }
        let Some(input) = input(&loaded.run) else { return Ok(Err(Refusal::NotWaiting)) };
        // Only noted: what follows is for whoever drives the run, and can let it leave.
        match note(&loaded.plan, &mut loaded.run, &input, now) {
            Ok(events) => all.extend(events),
            Err(refusal) => return Ok(Err(refusal)),
        }
        let (events, blobs) = split(all);
        let append = Append {
            stream,
            expected: Expected::Next(loaded.next),
            events: &events,
            blobs: &blobs,
            key: None,
            durability: Durability::Fsync,
            unverified: false,
        };
        match append_checked(store, &mut loaded.ledger, &append) {
            Ok(_) => return Ok(Ok(())),
            // Somebody else was faster: look again.
            Err(AppendError::Conflict { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
