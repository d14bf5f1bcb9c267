//! From what is known of a run to its spans.

use std::collections::BTreeMap;

use value::{Text, Value};

use super::call::{Asked, Call, Chat, Ended, Failure};
use super::fold::Spans;
use super::turns::{Turns, last_chat, wanted};
use super::{
    Attribute, Content, Span, SpanId, SpanKind, SpanLink, SpanStatus, Trace, TraceId, names, root,
};
use crate::{EventId, Stream, Timestamp};

impl Spans {
    /// All spans; nothing where no event of the run has a time.
    pub fn finish(mut self) -> Option<Trace> {
        let (start, end) = self.root.times?;
        let (seq, first) = *self.first.get(&self.stream)?;
        let (trace, root_id) = root(&self.stream, seq, first);
        let calls = std::mem::take(&mut self.calls);
        let mut spans = vec![self.whole(root_id, seq, first.to_string().into())];
        let turns = Turns::of(&calls);
        let wanted = wanted(&calls);
        let mut of_turn: BTreeMap<usize, usize> = BTreeMap::new();
        let mut of_call: BTreeMap<usize, SpanId> = BTreeMap::new();
        for (number, call) in calls.iter().enumerate().filter(|(_, call)| is_told(call)) {
            let id = SpanId::of(trace, "call", call.place.seq, call.event);
            let mut span = self.call(call, id, root_id, (start, end));
            let about = match &call.asked {
                Asked::Approval { call: Some(about) } => of_call.get(about).copied(),
                _ => None,
            };
            if let Some(turn) = turns.of_call[number] {
                let at = *of_turn.entry(turn).or_insert_with(|| {
                    let id = SpanId::of(trace, "turn", call.place.seq, call.event);
                    let last = last_chat(&calls, &turns.calls[turn]);
                    spans.push(self.turn(id, &span, call, last, &wanted));
                    spans.len() - 1
                });
                span.parent = Some(spans[at].id);
                spans[at].open |= span.open;
                spans[at].may_grow |= span.may_grow;
            }
            if about.is_some() {
                span.parent = about;
            }
            of_call.insert(number, id);
            spans.push(span);
        }
        let is_open = |span: &mut Span| span.attributes.push((names::OPEN, true.into()));
        spans.iter_mut().filter(|span| span.open).for_each(is_open);
        widen(&mut spans);
        Some(Trace { id: trace, run: self.run, spans })
    }

    /// The whole run.
    fn whole(&mut self, id: SpanId, seq: u64, first: Text) -> Span {
        let root = std::mem::take(&mut self.root);
        let agent = root.agent.unwrap_or_else(|| self.run.clone());
        let (operation, name) = match root.is_graph {
            true => ("invoke_workflow", names::WORKFLOW_NAME),
            false => ("invoke_agent", names::AGENT_NAME),
        };
        let mut attributes = vec![
            (names::OPERATION_NAME, operation.into()),
            (name, agent.clone().into()),
            (names::SEQ, Value::count(seq)),
            (names::EVENT, first.into()),
        ];
        attributes.extend(self.shared());
        attributes.extend(root.attributes);
        let links = root.from.map(|(run, seq, event)| self.fork(&mut attributes, &run, seq, event));
        self.root.ended = root.ended.clone();
        let (start, end) = root.times.unwrap_or_else(|| {
            let never = Timestamp::from_micros(0);
            (never, never)
        });
        let status =
            self.status(root.ended.as_ref().and_then(|end| end.failure.clone()), &mut attributes);
        Span {
            id,
            parent: None,
            name: format!("{operation} {agent}"),
            kind: SpanKind::Internal,
            start,
            end,
            attributes,
            notes: root.notes.kept,
            notes_dropped: root.notes.dropped,
            links: links.flatten().into_iter().collect(),
            status,
            open: root.ended.is_none(),
            may_grow: root.ended.is_none(),
        }
    }

    /// Says where a run was forked, and links to the run whose event that is, as far as that is
    /// known here.
    fn fork(
        &self,
        attributes: &mut Vec<Attribute>,
        run: &Text,
        seq: i64,
        event: EventId,
    ) -> Option<SpanLink> {
        let said = [
            (names::FORK_RUN, Value::Text(run.clone())),
            (names::FORK_SEQ, Value::Int(seq)),
            (names::FORK_EVENT, event.into()),
        ];
        attributes.extend(said.clone());
        // The event may be one of the parent's own parents.
        let parents = self.first.iter().filter(|(stream, _)| **stream != self.stream);
        let owner = parents
            .filter(|(_, (first, _))| i64::try_from(*first).is_ok_and(|first| first <= seq))
            .max_by_key(|(_, (first, _))| *first);
        let (stream, (first, first_event)) = owner?;
        let (trace, span) = root(stream, *first, *first_event);
        Some(SpanLink { trace, span, attributes: said.to_vec() })
    }

    /// What every span says.
    fn shared(&self) -> [Attribute; 2] {
        [(names::CONVERSATION_ID, self.run.clone().into()), (names::RUN, self.run.clone().into())]
    }

    /// A turn, as long as the first of its calls until the others are known.
    fn turn(
        &self,
        id: SpanId,
        within: &Span,
        first: &Call,
        last: Option<(&Call, &Chat)>,
        wanted: &BTreeMap<EventId, u64>,
    ) -> Span {
        let at = first.at.as_ref();
        let agent = at.and_then(|at| self.agents.at.get(at));
        let known = agent.and_then(|agent| self.agents.known.get(agent));
        let name = known.and_then(|(label, _)| label.clone()).or(agent.cloned());
        let name = name.or(at.cloned()).unwrap_or_else(|| "agent".into());
        let mut attributes = vec![
            (names::OPERATION_NAME, "invoke_agent".into()),
            (names::AGENT_NAME, name.clone().into()),
        ];
        attributes.extend(agent.map(|agent| (names::AGENT_ID, agent.clone().into())));
        let asked = [names::PROVIDER_NAME, names::REQUEST_MODEL];
        let of_first = first.attributes.iter().filter(|(name, _)| asked.contains(name));
        attributes.extend(of_first.cloned());
        attributes.extend(self.shared());
        attributes.extend(at.map(|at| (names::AT, at.clone().into())));
        attributes.push((names::SEQ, Value::count(first.place.seq)));
        attributes.push((names::EVENT, first.event.into()));
        let failure = last.and_then(|(last, _)| last.ended.as_ref()?.failure.clone());
        let status = self.status(failure, &mut attributes);
        // A call that failed may be tried again, and one that wants tools goes on.
        let goes_on = last.is_some_and(|(last, said)| {
            let has_tools = said.answer.is_some_and(|answer| wanted.contains_key(&answer));
            last.has_failed() || said.wants_tools || has_tools
        });
        Span {
            id,
            parent: within.parent,
            name: format!("invoke_agent {name}"),
            kind: SpanKind::Internal,
            start: within.start,
            end: within.end,
            attributes,
            notes: Vec::new(),
            notes_dropped: 0,
            links: Vec::new(),
            status,
            open: false,
            may_grow: goes_on && self.root.ended.is_none(),
        }
    }

    fn call(
        &self,
        call: &Call,
        id: SpanId,
        parent: SpanId,
        (from, to): (Timestamp, Timestamp),
    ) -> Span {
        let mut attributes = call.attributes.clone();
        attributes.extend(self.shared());
        attributes.extend(call.at.iter().map(|at| (names::AT, at.clone().into())));
        attributes.push((names::SEQ, Value::count(call.place.seq)));
        attributes.push((names::EVENT, call.event.into()));
        let is_inherited = call.place.stream != self.stream;
        if is_inherited {
            attributes.push((names::INHERITED, true.into()));
        }
        let start = if is_inherited { from } else { call.start };
        let (end, failure) = match &call.ended {
            Some(Ended { at, failure }) => (*at, failure.clone()),
            None => (to, None),
        };
        let status = self.status(failure, &mut attributes);
        let is_open = call.ended.is_none();
        Span {
            id,
            parent: Some(parent),
            name: call.name.clone(),
            kind: call.kind,
            start,
            // Clocks may go backwards; nothing takes less than no time.
            end: end.max(start),
            attributes,
            notes: call.notes.kept.clone(),
            notes_dropped: call.notes.dropped,
            links: self.asked_before(call, is_inherited).into_iter().collect(),
            status,
            open: is_open,
            may_grow: is_open && self.root.ended.is_none(),
        }
    }

    /// Where a parent of a fork asked, the fork answers: its span there.
    fn asked_before(&self, call: &Call, is_inherited: bool) -> Option<SpanLink> {
        let stream: &Stream = &call.place.stream;
        let (_, first) = self.first.get(stream).filter(|_| is_inherited)?;
        let trace = TraceId::of(stream, *first);
        let span = SpanId::of(trace, "call", call.place.seq, call.event);
        Some(SpanLink { trace, span, attributes: Vec::new() })
    }

    /// How a span ended. What a failure says may quote what was said, and is content.
    fn status(&self, failure: Option<Failure>, attributes: &mut Vec<Attribute>) -> SpanStatus {
        let Some(failure) = failure else { return SpanStatus::Unset };
        attributes.push((names::ERROR_TYPE, failure.kind));
        SpanStatus::Error(failure.message.filter(|_| self.content == Content::Told))
    }
}

/// Whether a call has a span: those that the run has to do with. A moment that only limits
/// something else has none.
fn is_told(call: &Call) -> bool {
    call.is_own && !matches!(call.asked, Asked::Timer { was_awaited: false, .. })
}

/// Makes every span as long as what is part of it.
fn widen(spans: &mut [Span]) {
    let places: BTreeMap<SpanId, usize> =
        spans.iter().enumerate().map(|(at, span)| (span.id, at)).collect();
    // Parts stand behind what they are part of.
    for at in (0..spans.len()).rev() {
        let (start, end) = (spans[at].start, spans[at].end);
        let parent = spans[at].parent.and_then(|parent| places.get(&parent).copied());
        if let Some(parent) = parent {
            let parent = &mut spans[parent];
            parent.start = parent.start.min(start);
            parent.end = parent.end.max(end);
        }
    }
}
