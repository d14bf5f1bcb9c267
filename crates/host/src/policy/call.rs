//! What a policy is told of a call.

use graph::Again;
use runtime::{Pending, Request, Run};
use value::{Map, Text, Value};

/// The names that a policy may look at, and what stands for those that a test leaves out.
fn usual() -> [(&'static str, Value); 12] {
    [
        ("server", "tool".into()),
        ("tool", "".into()),
        ("args", Map::default().into()),
        ("touches", "write".into()),
        ("again", "ask".into()),
        ("agent", "".into()),
        ("run", "".into()),
        ("node", "".into()),
        ("began", "".into()),
        ("nth", Value::Int(1)),
        ("cost_so_far", Value::Float(0.0)),
        ("tokens_so_far", Value::Int(0)),
    ]
}

/// What is known of a call that waits for the policy, in a run that began with a label.
pub fn about(run: &Run, pending: &Pending, agent: &Text, began: &Text) -> Map {
    let mut told: Map = usual().map(|(name, value)| (name.into(), value)).into_iter().collect();
    let Request::Tool(call) = &pending.request else { return told };
    let usage = run.usage();
    let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
    let again = match call.again {
        Again::Freely => "free",
        Again::WithKey => "key",
        Again::ByAsking => "ask",
    };
    for (name, value) in [
        ("server", Value::Text(call.server.clone())),
        ("tool", Value::Text(call.tool.clone())),
        ("args", call.args.clone().into()),
        ("touches", call.touches.word().into()),
        ("again", again.into()),
        ("agent", Value::Text(agent.clone())),
        ("run", Value::Text(run.id().clone())),
        ("node", Value::Text(pending.at.clone())),
        ("began", Value::Text(began.clone())),
        ("nth", Value::count(call.nth)),
        ("cost_so_far", usage.cost.to_string().parse().map_or(Value::Null, Value::Float)),
        ("tokens_so_far", Value::count(tokens)),
    ] {
        told.insert(name.into(), value);
    }
    told
}

/// A call as a test writes it. What it leaves out is as usual.
pub fn with_defaults(given: &Map) -> Result<Map, String> {
    let mut told: Map = usual().map(|(name, value)| (name.into(), value)).into_iter().collect();
    for (name, value) in given {
        if told.get(name).is_none() {
            let known: Vec<&str> = usual().iter().map(|(name, _)| *name).collect();
            return Err(format!("a call has no `{name}`; it has {}", known.join(", ")));
        }
        told.insert(name.clone(), value.clone());
    }
    Ok(told)
}
