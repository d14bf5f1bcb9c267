//! What tools were asked to do, and what became of it.

use std::collections::BTreeMap;

use value::{Text, Value};

use super::approval::{Approval, Requests};
use super::reading::{Events, holds, lineage_of, read_lineage};
use super::{At, Found, Item, QueryError, joined, shown};
use crate::archive::Archive;
use crate::kinds::words::{ApprovalOutcome, InterruptionReason, ToolStatus};
use crate::kinds::{Kind, What};
use crate::projection::Said;
use crate::{EventId, Place, Timestamp, duration_words};

/// The kinds that this needs.
const KINDS: &[Kind] = &[
    Kind::ToolCall,
    Kind::EffectStarted,
    Kind::ToolResult,
    Kind::ApprovalRequested,
    Kind::ApprovalDecided,
    Kind::Interruption,
    Kind::Substitution,
];

/// A tool call with all that is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The event that asks for it.
    pub said: Said,
    /// When it was asked for.
    pub ts: Timestamp,
    /// Which server.
    pub server: Option<Text>,
    /// Which tool.
    pub tool: Option<Text>,
    /// Its id.
    pub call_id: Text,
    /// The event that led to it.
    pub requested_by: Option<EventId>,
    /// Whether somebody had to decide about it, and how they did.
    pub approval: Option<Approval>,
    /// Whether it ran although nobody had allowed it who was asked.
    pub unallowed: bool,
    /// When it left.
    pub attempts: Vec<Attempt>,
    /// Why it was interrupted, and where that is said.
    pub interrupted: Option<(Text, Said)>,
    /// Its result. Where one was put in the place of another, the one that counts.
    pub result: Option<Outcome>,
    /// The event that counts in place of the call or of its result.
    pub substituted_by: Option<EventId>,
}

/// An effect that left.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Where that is said.
    pub place: Place,
    /// Which attempt it is.
    pub attempt: Option<i64>,
    /// When.
    pub ts: Timestamp,
    /// The key by which the other side knows it again.
    pub idem_key: Option<Text>,
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The event that says so.
    pub said: Said,
    /// How it ended; `unknown` if that is not said.
    pub status: Text,
    /// When.
    pub ts: Timestamp,
}

/// The tool calls of a run's lineage, in order.
pub fn calls<A: Archive + ?Sized>(
    archive: &A,
    run: &Text,
    at: &At,
    limit: usize,
) -> Result<Found<Call>, QueryError<A::Error>> {
    let lineage = lineage_of(archive, run, at)?;
    let mut events = Events::default();
    read_lineage(archive, &lineage, KINDS, &mut events)?;
    let mut fold = Fold::default();
    for seen in &events.seen {
        if let Some(fact) = seen.fact.as_ref().filter(|fact| holds(fact, at)) {
            let said = Said { place: seen.place.clone(), event: seen.id };
            fold.apply(said, fact.common.ts, &fact.what);
        }
    }
    Ok(Found::first(fold.finish(), limit, events.truncated))
}

#[derive(Default)]
struct Fold {
    calls: Vec<Call>,
    by_event: BTreeMap<EventId, usize>,
    by_id: BTreeMap<Text, usize>,
    requests: Requests,
    /// All results, by event.
    results: BTreeMap<EventId, Outcome>,
    /// What counts in place of what.
    substitutes: BTreeMap<EventId, EventId>,
}

impl Fold {
    fn apply(&mut self, said: Said, ts: Timestamp, what: &What) {
        match what {
            What::ToolCall(call) => {
                self.by_event.insert(said.event, self.calls.len());
                self.by_id.insert(call.call_id.clone(), self.calls.len());
                self.calls.push(Call {
                    said,
                    ts,
                    server: call.server.clone(),
                    tool: call.tool.clone(),
                    call_id: call.call_id.clone(),
                    requested_by: call.requested_by.as_ref().map(|by| by.event_id),
                    approval: None,
                    unallowed: false,
                    attempts: Vec::new(),
                    interrupted: None,
                    result: None,
                    substituted_by: None,
                });
            }
            What::EffectStarted(start) => {
                if let Some(call) = self.call(start.call.event_id) {
                    let (attempt, idem_key) = (start.attempt, start.idem_key.clone());
                    call.runs();
                    call.attempts.push(Attempt { place: said.place, attempt, ts, idem_key });
                }
                // An interruption may name the effect rather than the call.
                if let Some(index) = self.by_event.get(&start.call.event_id).copied() {
                    self.by_event.insert(said.event, index);
                }
            }
            What::ApprovalRequested(request) => {
                self.requests.ask(said.event, request);
                if let Some(call) = self.call(request.call.event_id) {
                    call.approval.get_or_insert_default().ask(said.place, request);
                }
            }
            What::ApprovalDecided(event) => {
                let decided = self.requests.decide(said.place, ts, event);
                if let Some((call, decision, is_first)) = decided
                    && let Some(call) = self.call(call)
                {
                    call.approval.get_or_insert_default().decide(decision, is_first);
                }
            }
            What::ToolResult(result) => {
                let status = result.status.as_ref().map_or("unknown", ToolStatus::word).into();
                let outcome = Outcome { said: said.clone(), status, ts };
                self.results.insert(said.event, outcome.clone());
                if let Some(index) = self.by_id.get(&result.call_id) {
                    let call = &mut self.calls[*index];
                    // Others record no effects, but what was done was done.
                    if result.status == Some(ToolStatus::Ok) && call.attempts.is_empty() {
                        call.runs();
                    }
                    // The first one counts, unless another is put in its place.
                    call.result.get_or_insert(outcome);
                }
            }
            What::Interruption(interruption) => {
                for affected in &interruption.affects {
                    if let Some(call) = self.call(affected.event_id) {
                        let reason = interruption.reason.as_ref();
                        let reason = reason.map_or("unknown", InterruptionReason::word);
                        call.interrupted = Some((reason.into(), said.clone()));
                    }
                }
            }
            What::Substitution(substitution) => {
                let old = substitution.original_event.event_id;
                self.substitutes.insert(old, substitution.replacement_event.event_id);
            }
            _ => {}
        }
    }

    fn call(&mut self, event: EventId) -> Option<&mut Call> {
        self.by_event.get(&event).map(|index| &mut self.calls[*index])
    }

    fn finish(mut self) -> Vec<Call> {
        for call in &mut self.calls {
            let result = call.result.as_ref().map(|result| result.said.event);
            let replaced = result.and_then(|result| last(&self.substitutes, result));
            call.substituted_by = replaced.or_else(|| last(&self.substitutes, call.said.event));
            if let Some(outcome) = replaced.and_then(|event| self.results.get(&event)) {
                call.result = Some(outcome.clone());
            }
        }
        self.calls
    }
}

/// What counts in the end in place of an event, if anything does.
fn last(substitutes: &BTreeMap<EventId, EventId>, event: EventId) -> Option<EventId> {
    /// A history that is wrong may go round in circles.
    const STEPS_MAX: usize = 1000;
    let mut found = None;
    for _ in 0..STEPS_MAX {
        match substitutes.get(&found.unwrap_or(event)) {
            Some(next) => found = Some(*next),
            None => break,
        }
    }
    found
}

impl Call {
    /// It leaves, whether or not it may.
    fn runs(&mut self) {
        self.unallowed |= self.approval.as_ref().is_some_and(|approval| !approval.allows());
    }

    /// How far it has come: the status of its result, or `interrupted`, `in_doubt` (it left, and
    /// nobody knows what became of it), `denied`, `expired` or `undecided` (nobody allowed it), or
    /// `open`.
    pub fn status(&self) -> &str {
        if let Some(result) = &self.result {
            return &result.status;
        }
        match self.approval.as_ref().and_then(Approval::outcome) {
            _ if self.interrupted.is_some() => "interrupted",
            _ if !self.attempts.is_empty() => "in_doubt",
            Some(outcome) if outcome.denies() => "denied",
            Some(ApprovalOutcome::Expired) => "expired",
            Some(outcome) if !outcome.allows() => "undecided",
            _ => "open",
        }
    }

    /// How long it took from when it last left, or else from when it was asked for.
    pub fn duration_ms(&self) -> Option<i64> {
        self.duration().map(|micros| micros / 1000)
    }

    /// The same in microseconds. Clocks may go backwards; nothing takes less than no time.
    fn duration(&self) -> Option<i64> {
        let began = self.attempts.last().map_or(self.ts, |attempt| attempt.ts);
        let ended = self.result.as_ref()?.ts;
        (ended >= began).then(|| ended.micros() - began.micros())
    }
}

impl Item for Call {
    fn value(&self) -> Value {
        let attempts = self.attempts.iter().map(|attempt| {
            Value::map([
                ("place", shown(&attempt.place)),
                ("attempt", attempt.attempt.into()),
                ("ts", shown(attempt.ts)),
                ("idem_key", attempt.idem_key.clone().into()),
            ])
        });
        let result = self.result.as_ref().map(|result| {
            Value::map([
                ("place", shown(&result.said.place)),
                ("event_id", result.said.event.into()),
                ("status", result.status.clone().into()),
                ("ts", shown(result.ts)),
            ])
        });
        let interrupted = self.interrupted.as_ref().map(|(reason, said)| {
            Value::map([("place", shown(&said.place)), ("reason", reason.clone().into())])
        });
        Value::map([
            ("place", shown(&self.said.place)),
            ("event_id", self.said.event.into()),
            ("ts", shown(self.ts)),
            ("server", self.server.clone().into()),
            ("tool", self.tool.clone().into()),
            ("call_id", self.call_id.clone().into()),
            ("requested_by", self.requested_by.into()),
            ("status", self.status().into()),
            ("approval", self.approval.as_ref().map(Approval::value).into()),
            ("unallowed", self.unallowed.into()),
            ("attempts", Value::list(attempts)),
            ("interrupted", interrupted.into()),
            ("result", result.into()),
            ("duration_ms", self.duration_ms().into()),
            ("substituted_by", self.substituted_by.into()),
        ])
    }

    fn line(&self) -> String {
        let known = |name: &Option<Text>| name.as_deref().unwrap_or("?").to_string();
        let tool = format!("{}.{}", known(&self.server), known(&self.tool));
        let took = self.duration().map(duration_words).unwrap_or_default();
        let status = self.status().to_string();
        let approval = self.approval.as_ref().map(Approval::words).unwrap_or_default();
        let words = [self.said.place.to_string(), tool, self.call_id.to_string(), status, took];
        let unallowed = if self.unallowed { "ran unallowed" } else { "" };
        joined(words.into_iter().chain([approval, unallowed.to_string()]))
    }
}
