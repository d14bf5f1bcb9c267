//! What the core does itself although it looks like an effect: the clock, randomness from the
//! run's seed, and the stores that live as long as the run.

use history::kinds::words::TimeSource;
use value::{Digest, Map, Text, Value};

use crate::Fault;
use crate::call::ToolCall;
use crate::change::{Change, Kept, What};
use crate::plan::{ClockForm, KeepStep, NodeNo, Plan, PlanNode, Slot, Step, StoreDef};
use crate::record::Recorder;
use crate::request::{shaped, tool_change, visible};
use crate::run::{Fiber, FiberNo, Run};
use crate::step::value_of;
use crate::stores::{Contents, Deed, StoreUse, StoreVerb, Where, name_of, number};

/// The clock says what time the input had that the run works on.
pub(crate) fn clock(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    form: ClockForm,
    slot: Option<Slot>,
) -> Change {
    let value = match form {
        ClockForm::Seconds => Value::Float(run.now.micros() as f64 / 1e6),
        ClockForm::Text => Value::text(run.now.to_string()),
    };
    observed(run, fiber, node, here, TimeSource::Clock, value, slot)
}

/// A UUID that follows from the seed.
pub(crate) fn uuid(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    slot: Option<Slot>,
) -> Change {
    let seed = format!("uuid\n{}\n{}\n{}", run.id, run.seed, run.counts.ids + 1);
    let hex = format!("{:x}", Digest::of(seed.as_bytes()));
    // Version 4, as far as its digits say.
    let uuid = format!(
        "{}-{}-4{}-8{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..32]
    );
    observed(run, fiber, node, here, TimeSource::Random, Value::text(uuid), slot)
}

fn observed(
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    source: TimeSource,
    value: Value,
    slot: Option<Slot>,
) -> Change {
    let mut recorder = Recorder::new(run, Some(&here.at));
    recorder.observed(source, value.clone());
    let what = What::Wrote { fiber, node, slot, value, to: here.next };
    Change { events: recorder.events, what }
}

/// Reads or writes a store, a channel, a cache or a queue.
pub(crate) fn keep(
    plan: &Plan,
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
) -> Result<Change, Fault> {
    let frame = &own.frame;
    let shape = |input: &Option<_>| match input {
        Some(schema) => shaped(plan, run, own, *schema),
        None => visible(plan, run, own),
    };
    let (kept, slot, value) = match &here.step {
        Step::ReadStore { store, key, query, out } => {
            let key = key.as_ref().map(|key| value_of(frame, key));
            let key = match query {
                Some(schema) => Some(query_of(shaped(plan, run, own, *schema), key)),
                None => key,
            };
            let def = &plan.stores[*store as usize];
            if is_outside(run, def) {
                let args = key.map(|key| ("key", key));
                let call = store_call(run, def, StoreVerb::Read, args);
                return Ok(tool_change(run, own, fiber, node, here, call));
            }
            def.allows(StoreVerb::Read)?;
            let mut contents = run.stores[*store as usize].clone();
            let value = contents.read(key.as_ref(), run.now)?;
            (Kept::Store(*store, Box::new(contents)), *out, value)
        }
        Step::WriteStore { store, input } => {
            let written = Value::from(shape(input));
            let def = &plan.stores[*store as usize];
            if is_outside(run, def) {
                let call = store_call(run, def, StoreVerb::Write, [("value", written)]);
                return Ok(tool_change(run, own, fiber, node, here, call));
            }
            def.allows(StoreVerb::Write)?;
            let mut contents = run.stores[*store as usize].clone();
            contents.write(None, written, run.now)?;
            (Kept::Store(*store, Box::new(contents)), None, Value::Null)
        }
        Step::Receive { channel, out } => {
            let mut held = run.channels[*channel as usize].clone();
            let value = held.receive();
            (Kept::Channel(*channel, Box::new(held)), *out, value)
        }
        Step::Publish { channel, input } => {
            let mut held = run.channels[*channel as usize].clone();
            held.publish(Value::from(shape(input)))?;
            (Kept::Channel(*channel, Box::new(held)), None, Value::Null)
        }
        Step::Keep(step) => return keep_named(plan, run, own, fiber, node, here, step),
        _ => unreachable!("only these keep something"),
    };
    let kept = Box::new(kept);
    Ok(Change::derived(What::StoreChanged { fiber, node, kept, slot, value }))
}

/// A query by a schema: its fields as the frame has them. A value that is named besides is what is
/// asked: its members, or else its text.
fn query_of(mut query: Map, asked: Option<Value>) -> Value {
    match asked {
        None | Some(Value::Null) => {}
        Some(Value::Map(members)) => {
            query.extend(members.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        Some(other) => drop(query.insert("text".into(), other)),
    }
    query.into()
}

/// What is done to a cache, a queue or a memory: by an effect, or in the core where nothing of the
/// run may outlive it.
fn keep_named(
    plan: &Plan,
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    step: &KeepStep,
) -> Result<Change, Fault> {
    let def = step.def;
    let named = step.name.as_ref().map(|name| name_of(&value_of(&own.frame, name)));
    let name = match def.at {
        Where::Named => named.unwrap_or_else(|| "".into()),
        Where::Own(name, _) => name.into(),
    };
    let id: Text = format!("{}/{name}", def.space).into();
    let mut args: Map = [("store".into(), Value::Text(id.clone()))].into_iter().collect();
    if let Where::Own(_, Some(kind)) = def.at {
        args.insert("kind".into(), kind.into());
    }
    for (taken, operand) in &step.args {
        args.insert((*taken).into(), value_of(&own.frame, operand));
    }
    declared(plan, def.deed, &name, &mut args);
    if !step.of_run && !run.options.rehearsal {
        let (server, tool) = def.parts();
        let (server, tool) = (server.into(), tool.into());
        let store = StoreUse { id, kind: def.kind(), verb: StoreVerb::Does(def.deed) };
        let (touches, again) = store.contract();
        let nth = run.counts.nth_of(&server, &tool);
        let (store, timeout_ms) = (Some(store), None);
        let call = ToolCall { server, tool, args, touches, again, nth, store, timeout_ms };
        return Ok(tool_change(run, own, fiber, node, here, call));
    }
    let held = run.kept.get(&id).cloned();
    let mut contents = held.unwrap_or_else(|| Contents::new(def.kind()));
    let once = run.counts.steps.to_string();
    let value = contents.does(def.deed, &args, run.now, &once)?;
    let kept = Box::new(Kept::Named(id, Box::new(contents)));
    Ok(Change::derived(What::StoreChanged { fiber, node, kept, slot: step.out, value }))
}

/// What the graph declares counts where nothing else is said: null and a time of 0 say nothing.
fn declared(plan: &Plan, deed: Deed, name: &str, args: &mut Map) {
    let says = |value: &Value, name: &str| match name {
        "ttl_s" => !matches!(value, Value::Null) && number(value) != Some(0.0),
        _ => !matches!(value, Value::Null),
    };
    for optional in ["default", "ttl_s"] {
        if args.get(optional).is_some_and(|value| !says(value, optional)) {
            args.remove(optional);
        }
    }
    let (member, value) = match deed {
        Deed::Get => ("default", plan.declared.instead(name).cloned()),
        Deed::Set => ("ttl_s", plan.declared.ttl_s(name).cloned()),
        Deed::Put => ("max_size", plan.declared.max_size(name).map(Value::Int)),
        _ => return,
    };
    if let (None, Some(value)) = (args.get(member), value) {
        args.insert(member.into(), value);
    }
}

/// Whether a store is kept outside of the run.
pub(crate) fn is_outside(run: &Run, def: &StoreDef) -> bool {
    def.persistent && !run.options.rehearsal
}

/// A call of a store that outlives the run.
pub(crate) fn store_call(
    run: &Run,
    def: &StoreDef,
    verb: StoreVerb,
    args: impl IntoIterator<Item = (&'static str, Value)>,
) -> ToolCall {
    let store = StoreUse { id: def.id.clone(), kind: def.kind, verb };
    let (touches, again) = store.contract();
    let named = [("store", Value::Text(def.id.clone()))].into_iter();
    let all = (verb == StoreVerb::ReadAll).then_some(("all", Value::Bool(true)));
    let (server, tool) = ("store".into(), verb.word().into());
    ToolCall {
        nth: run.counts.nth_of(&server, &tool),
        server,
        tool,
        args: named.chain(all).chain(args).map(|(name, value)| (name.into(), value)).collect(),
        touches,
        again,
        store: Some(store),
        timeout_ms: None,
    }
}
