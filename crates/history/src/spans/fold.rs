//! Takes in the events of a run, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::{Text, Value};

use super::agents::Agents;
use super::call::{Asked, Call, Ended, Failure, Notes};
use super::{Attribute, Content, SpanKind, names};
use crate::kinds::records::Message;
use crate::kinds::words::InterruptionReason;
use crate::kinds::{Common, Fact, What};
use crate::{EventId, Place, Stream, Timestamp};

/// What is known of a run while its events are read.
pub struct Spans {
    pub(super) stream: Stream,
    pub(super) run: Text,
    pub(super) content: Content,
    pub(super) calls: Vec<Call>,
    pub(super) root: Root,
    /// The first event of each stream that the run consists of.
    pub(super) first: BTreeMap<Stream, (u64, EventId)>,
    /// What the graph says of agents.
    pub(super) agents: Agents,
    pub(super) by_event: BTreeMap<EventId, usize>,
    pub(super) by_name: BTreeMap<(Name, Text), usize>,
    pub(super) by_node: BTreeMap<Option<Text>, Vec<usize>>,
    pub(super) messages: BTreeMap<Text, Arc<Message>>,
}

/// What is known of the whole run.
#[derive(Default)]
pub(super) struct Root {
    pub(super) times: Option<(Timestamp, Timestamp)>,
    pub(super) agent: Option<Text>,
    pub(super) is_graph: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) notes: Notes,
    pub(super) ended: Option<Ended>,
    /// The event that it was forked from: run, number, event.
    pub(super) from: Option<(Text, i64, EventId)>,
}

/// By what an answer names its call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    Model,
    Tool,
    Question,
    Timer,
}

impl Spans {
    /// Nothing is known yet of a run.
    pub fn new(run: impl Into<Text>, content: Content) -> Spans {
        let run = run.into();
        Spans::of_stream(Stream::Run(run.clone()), run, content)
    }

    pub(super) fn of_stream(stream: Stream, run: Text, content: Content) -> Spans {
        Spans {
            stream,
            run,
            content,
            calls: Vec::new(),
            root: Root::default(),
            first: BTreeMap::new(),
            agents: Agents::default(),
            by_event: BTreeMap::new(),
            by_name: BTreeMap::new(),
            by_node: BTreeMap::new(),
            messages: BTreeMap::new(),
        }
    }

    /// The first event of a stream. Without it, the first one that is taken in counts as that.
    pub(super) fn begins(&mut self, stream: &Stream, seq: u64, event: EventId) {
        self.first.entry(stream.clone()).or_insert((seq, event));
    }

    /// Takes an event in. Those of a run's parents come before its own.
    pub fn take(&mut self, place: &Place, event: EventId, fact: &Fact) {
        self.begins(&place.stream, place.seq, event);
        let common = &fact.common;
        let is_own = place.stream == self.stream;
        if is_own {
            let (from, to) = self.root.times.unwrap_or((common.ts, common.ts));
            self.root.times = Some((from.min(common.ts), to.max(common.ts)));
            if self.root.agent.is_none() {
                self.root.agent = common.agent_id.clone();
            }
        }
        let said = Said { place, event, common, is_own };
        match &fact.what {
            What::RunStarted(started) => self.started(&said, started),
            What::MessageCreated(created) if self.content == Content::Told => {
                let id = created.message.id.clone();
                let id = id.unwrap_or_else(|| event.to_string().into());
                self.messages.insert(id, Arc::new(created.message.clone()));
            }
            What::ModelRequest(request) => self.model_request(&said, request),
            What::ModelResponse(response) => self.model_response(&said, response),
            What::ToolCall(call) => self.tool_call(&said, call),
            What::ToolResult(result) => self.tool_result(&said, result),
            What::QuestionAsked(asked) => self.question(&said, asked),
            What::QuestionAnswered(answered) => self.question_answered(&said, answered),
            What::EffectStarted(started) => {
                let attempt: Value = started.attempt.into();
                if let Some(number) = self.about(&said, started.call.event_id) {
                    // An interruption may name this event instead of the call.
                    self.by_event.insert(event, number);
                    let call = &mut self.calls[number];
                    call.ended = None;
                    call.set(names::ATTEMPT, attempt.clone());
                    let seq = (names::SEQ, Value::count(place.seq));
                    call.notes.add("attempt", common.ts, vec![(names::ATTEMPT, attempt), seq]);
                }
            }
            What::ApprovalRequested(request) => {
                let about = self.about(&said, request.call.event_id);
                let name = about.map_or("call", |call| subject(&self.calls[call]));
                let name = format!("approval {name}");
                let mut attributes = Vec::new();
                let policy = request.policy_digest.clone();
                attributes.extend(policy.map(|policy| (names::POLICY_DIGEST, policy.into())));
                self.asked(&said, Asked::Approval { call: about }, name, attributes);
            }
            What::ApprovalDecided(decided) => self.decided(&said, decided),
            What::Interruption(interruption) => {
                let word = interruption.reason.as_ref().map_or("", InterruptionReason::word);
                let reason = names::word(word);
                let note = vec![(names::REASON, reason), (names::SEQ, Value::count(place.seq))];
                let mut is_known = false;
                for affected in &interruption.affects {
                    if let Some(number) = self.about(&said, affected.event_id) {
                        let call = &mut self.calls[number];
                        call.notes.add("interruption", common.ts, note.clone());
                        if call.ended.is_none() {
                            call.end(common.ts, Some(Failure::of(word)));
                        }
                        is_known = true;
                    }
                }
                if !is_known && is_own {
                    self.root.notes.add("interruption", common.ts, note);
                }
            }
            What::Substitution(substitution) => {
                if let Some(number) = self.about(&said, substitution.original_event.event_id) {
                    self.calls[number].set(names::SUBSTITUTED, true);
                }
            }
            What::TimerSet(set) => {
                let asked = Asked::Timer { due: set.due, was_awaited: false };
                let number = self.asked(&said, asked, "wait".to_owned(), Vec::new());
                self.by_name.insert((Name::Timer, set.timer.clone()), number);
            }
            What::TimerFired(fired) => self.fired(&said, &fired.timer),
            other if is_own => self.course(&said, other),
            _ => {}
        }
    }

    pub(super) fn asked(
        &mut self,
        said: &Said<'_>,
        asked: Asked,
        name: String,
        attributes: Vec<Attribute>,
    ) -> usize {
        let number = self.calls.len();
        self.by_event.insert(said.event, number);
        self.by_node.entry(said.common.at.clone()).or_default().push(number);
        self.calls.push(Call {
            place: said.place.clone(),
            event: said.event,
            at: said.common.at.clone(),
            start: said.common.ts,
            is_own: said.is_own,
            asked,
            name,
            kind: SpanKind::Internal,
            attributes,
            notes: Notes::default(),
            ended: None,
        });
        number
    }

    /// The call that an answer is for, which is the run's own if the answer is.
    pub(super) fn answered(&mut self, said: &Said<'_>, by: Name, id: &Text) -> Option<&mut Call> {
        let number = *self.by_name.get(&(by, id.clone()))?;
        let call = &mut self.calls[number];
        call.is_own |= said.is_own;
        Some(call)
    }

    /// The call that an event belongs to.
    pub(super) fn about(&mut self, said: &Said<'_>, event: EventId) -> Option<usize> {
        let number = *self.by_event.get(&event)?;
        self.calls[number].is_own |= said.is_own;
        Some(number)
    }
}

/// An event, where it stands.
pub(super) struct Said<'a> {
    pub(super) place: &'a Place,
    pub(super) event: EventId,
    pub(super) common: &'a Common,
    pub(super) is_own: bool,
}

/// What a call is a call of.
fn subject(call: &Call) -> &str {
    call.name.split_once(' ').map_or(&*call.name, |(_, subject)| subject)
}
