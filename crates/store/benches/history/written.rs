//! The events that are written.

use history::kinds::records::{EventRef, Message, Origin, Ref, Usage};
use history::kinds::words::{Mode, Role, RunReason, ToolStatus};
use history::kinds::{
    AgentForked, Common, EffectStarted, MessageCreated, ModelRequest, ModelResponse, Object,
    ResourceAttached, RunStarted, Sealed, ToolCall, ToolResult,
};
use history::{EventId, Place, Timestamp};
use sim::Random;
use value::{Text, Value};

/// How many events of every run are about resources, however long it is.
pub(crate) const RESOURCES: usize = 100;

/// A text of this length that nothing can compress much.
pub(crate) fn text(random: &mut Random, length: usize) -> String {
    (0..length).map(|_| char::from(random.between(0x23, 0x5b) as u8)).collect()
}

/// What all events of a run have.
pub(crate) fn common(run: &str, at: usize) -> Common {
    Common {
        run_id: Some(run.into()),
        agent_id: Some("agent".into()),
        ..Common::at(Timestamp::from_micros(1_700_000_000_000_000 + at as i64))
    }
}

/// An event of 600 bytes: most are messages, and some attach a resource.
pub(crate) fn event(run: &str, at: usize, size: usize, filler: &str) -> Sealed {
    let common = common(run, at);
    if at.is_multiple_of((size / RESOURCES).max(1)) {
        return common.seal(&ResourceAttached {
            resource_ref: format!("volume-{}", at % 7).into(),
            mode: Some(Mode::ReadWrite),
            mount: Some(filler[..440].into()),
        });
    }
    // Another beginning for each, so that no two are alike.
    let begin = at % 50;
    message(&common, format!("m{at:09}").into(), Role::User, &filler[begin..begin + 402])
}

fn message(common: &Common, id: Text, role: Role, text: &str) -> Sealed {
    let part = object([("type", "text".into()), ("text", text.into())]);
    let (role, content) = (Some(role), Some(vec![part]));
    let message = Message { id: Some(id), role, content, created_at: None, items: None };
    common.seal(&MessageCreated { message })
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Object {
    match Value::map(members) {
        Value::Map(map) => map,
        _ => unreachable!("an object was made"),
    }
}

/// One turn of a conversation: a prompt, a request, an answer, a response.
pub(crate) fn turn(run: &str, at: usize, prompt: &str, answer: &str) -> [Sealed; 4] {
    let id = |who: &str| Text::from(format!("{who}{at}"));
    let common = common(run, at);
    let request = ModelRequest {
        model: Some("a-model".into()),
        params: Some(object([("temperature", Value::Int(0))])),
        input_refs: Some(vec![Ref::Node(id("p"))]),
        tools_spec: None,
        request_id: Some(id("q")),
    };
    let response = ModelResponse {
        request_id: id("q"),
        output_ref: Some(id("a")),
        usage: Some(Usage {
            prompt_tokens: Some(250),
            completion_tokens: Some(250),
            total_tokens: Some(500),
        }),
        finish_reason: Some("stop".into()),
        reasoning_ref: None,
        stream_ref: None,
        attempt: None,
        cost: None,
        error: None,
    };
    [
        message(&common, id("p"), Role::User, prompt),
        common.seal(&request),
        message(&common, id("a"), Role::Assistant, answer),
        common.seal(&response),
    ]
}

/// What an engine adds between two effects: the result of one, and the intent of the next.
pub(crate) fn step(run: &str, at: usize, filler: &str) -> [Sealed; 3] {
    let common = common(run, at);
    let text = |from: usize| object([("text", filler[from..from + 100].into())]);
    let result = common.seal(&ToolResult {
        call_id: format!("c{at}").into(),
        status: Some(ToolStatus::Ok),
        result: Some(text(at % 50)),
        error: None,
    });
    let call = common.seal(&ToolCall {
        server: Some("tools".into()),
        tool: Some("send".into()),
        call_id: format!("c{}", at + 1).into(),
        args: Some(text(at % 50 + 1)),
        requested_by: None,
        effect_class: None,
    });
    let started = common.seal(&EffectStarted {
        call: EventRef { event_id: call.event.id() },
        attempt: Some(1),
        idem_key: Some(call.event.id().to_string().into()),
        lease_epoch: Some(1),
    });
    [result, call, started]
}

/// The two events that a fork begins with.
pub(crate) fn fork(run: &str, from: &Place, event_id: EventId) -> [Sealed; 2] {
    let parent: Text = from.stream.to_string().into();
    let common = common(run, 0);
    let seq = from.seq.cast_signed();
    let started = RunStarted {
        reason: Some(RunReason::Fork),
        from: Some(Origin { run_id: parent.clone(), seq, event_id }),
        graph: None,
        inputs: None,
        seed: None,
        versions: None,
        document: None,
        options: None,
    };
    let forked = AgentForked {
        from_branch: parent,
        to_branch: run.into(),
        at_event: Some(EventRef { event_id }),
        volume_plan: None,
    };
    [common.seal(&started), common.seal(&forked)]
}
