//! Messages, conversations and models.

use std::sync::Arc;

use history::EventId;
use history::kinds::records::{EventRef, ExtRef, Message, Ref, Usage};
use history::kinds::words::{RewriteCause, Role};
use history::kinds::{
    HistoryAppend, HistoryRewritten, MessageCreated, ModelRequest, ModelResponse, Object,
    Substitution, SummaryCreated,
};
use value::{Text, Value};

use super::calls::Wanted;
use super::desk::Desk;
use super::run::Run;

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// The node.
    pub(super) node: Text,
    /// What created it.
    pub(super) event: EventId,
}

/// A model was asked, and has not answered.
#[derive(Clone, Debug)]
pub(super) struct Request {
    id: Text,
    correlation: Text,
    /// The message that its answer is, and the calls in it.
    answer: Option<(Text, Vec<Wanted>)>,
}

/// So many messages are remembered.
const SAID_MAX: usize = 8;

pub(super) fn part(members: Vec<(&str, Value)>) -> Object {
    Arc::new(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Creates a message, and gives its node.
pub(super) fn say(run: &mut Run, desk: &mut Desk, role: Role, content: Vec<Object>) -> Text {
    let id = desk.maybe(|desk| desk.name("message"));
    let created_at = desk.maybe(Desk::now);
    let message = Message {
        id: id.clone(),
        role: Some(role),
        content: Some(content),
        created_at,
        items: None,
    };
    let event = run.tell(desk, MessageCreated { message });
    let node = id.unwrap_or_else(|| event.to_string().into());
    if run.said.len() == SAID_MAX {
        run.said.remove(0);
    }
    run.said.push(Said { node: node.clone(), event });
    run.unlisted.push(node.clone());
    node
}

fn text_part(desk: &mut Desk) -> Object {
    let text = desk.words();
    part(vec![("type", "text".into()), ("text", text.into())])
}

pub(super) fn somebody_says(run: &mut Run, desk: &mut Desk) -> bool {
    let mut content = vec![text_part(desk)];
    if desk.random.one_in(6) {
        let url = "https://example.org/label.png".into();
        content.push(part(vec![("type", "image_url".into()), ("url", url)]));
    }
    let role = if run.listed == 0 && run.said.is_empty() { Role::System } else { Role::User };
    say(run, desk, role, content);
    true
}

pub(super) fn list(run: &mut Run, desk: &mut Desk) -> bool {
    if run.unlisted.is_empty() {
        return false;
    }
    let message_ref = run.unlisted.remove(0);
    let pos = desk.maybe(|_| run.listed);
    run.tell(desk, HistoryAppend { list: "main".into(), message_ref, pos });
    run.listed += 1;
    true
}

pub(super) fn rewrite(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(said) = run.said.last().filter(|_| run.listed > 3).cloned() else { return false };
    let to_pos = desk.random.between(1, run.listed as usize) as i64;
    let from_pos = desk.random.below(to_pos as usize) as i64;
    let cause = desk.one_of(&[RewriteCause::Compaction, RewriteCause::Trim, RewriteCause::Edit]);
    let replacement = vec![said.node];
    run.listed += 1 - (to_pos - from_pos);
    let list = "main".into();
    run.tell(desk, HistoryRewritten { list, from_pos, to_pos, replacement, cause: Some(cause) });
    true
}

pub(super) fn summarise(run: &mut Run, desk: &mut Desk) -> bool {
    if run.said.is_empty() {
        return false;
    }
    let sources = run.said.iter().map(|said| Ref::Event(said.event)).collect();
    let summary_ref = desk.name("summary");
    let text = desk.maybe(Desk::words);
    run.tell(desk, SummaryCreated { summary_ref, sources: Some(sources), text });
    true
}

pub(super) fn substitute(run: &mut Run, desk: &mut Desk) -> bool {
    let Some([.., earlier, later]) = run.said.get(..) else { return false };
    let substitution = Substitution {
        original_event: EventRef { event_id: earlier.event },
        replacement_event: EventRef { event_id: later.event },
        reason: desk.maybe(Desk::words),
    };
    // What was replaced is not replaced again.
    run.said.clear();
    run.tell(desk, substitution);
    true
}

pub(super) fn ask(run: &mut Run, desk: &mut Desk) -> bool {
    if run.request.is_some() || run.said.is_empty() {
        return false;
    }
    let request_id = desk.maybe(|_| run.number("q"));
    let correlation = desk.name("turn");
    let input_refs = run.said.iter().enumerate().map(|(index, said)| match index % 2 {
        0 => Ref::Event(said.event),
        _ => Ref::Node(said.node.clone()),
    });
    let request = ModelRequest {
        model: Some(desk.one_of(&["o4-mini", "claude-sonnet", "llama"]).into()),
        params: Some(part(vec![("temperature", Value::Float(0.2))])),
        input_refs: Some(input_refs.collect()),
        tools_spec: desk.maybe(Desk::value),
        request_id: request_id.clone(),
    };
    let event = run.tell_about(desk, Some(correlation.clone()), request);
    let id = request_id.unwrap_or_else(|| event.to_string().into());
    run.request = Some(Request { id, correlation, answer: None });
    true
}

pub(super) fn answer(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(mut request) = run.request.take_if(|request| request.answer.is_none()) else {
        return false;
    };
    let mut content = vec![text_part(desk)];
    if desk.random.one_in(4) {
        content.insert(0, part(vec![("type", "reasoning".into()), ("text", "hm".into())]));
    }
    let mut wanted = Vec::new();
    for _ in 0..desk.random.below(3) {
        let call = Wanted::new(desk, run.number("c"), request.correlation.clone());
        content.push(call.part());
        wanted.push(call);
    }
    let node = say(run, desk, Role::Assistant, content);
    request.answer = Some((node, wanted));
    run.request = Some(request);
    true
}

pub(super) fn respond(run: &mut Run, desk: &mut Desk) -> bool {
    let Some(request) = run.request.take_if(|request| request.answer.is_some()) else {
        return false;
    };
    let (output_ref, mut wanted) = request.answer.expect("asked for above");
    let (prompt, completion) = (desk.random.below(2000) as i64, desk.random.below(500) as i64);
    let usage = Usage {
        prompt_tokens: Some(prompt),
        completion_tokens: Some(completion),
        total_tokens: Some(prompt + completion),
    };
    let stream = |desk: &mut Desk| ExtRef { kind: "file".into(), id: desk.name("stream") };
    let response = ModelResponse {
        request_id: request.id,
        output_ref: Some(output_ref),
        usage: desk.maybe(|_| usage),
        finish_reason: desk.maybe(|desk| desk.one_of(&["stop", "tool_calls"]).into()),
        reasoning_ref: None,
        stream_ref: desk.maybe(stream),
        attempt: desk.maybe(|_| 1),
        cost: desk.maybe(|_| "0.0042".into()),
        error: None,
    };
    let event = run.tell_about(desk, Some(request.correlation), response);
    wanted.iter_mut().for_each(|wanted| wanted.by = Some(event));
    run.wanted.append(&mut wanted);
    true
}
