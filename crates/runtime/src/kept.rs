//! What the core does itself although it looks like an effect: the clock, randomness from the
//! run's seed, logic, and the stores that live as long as the run.

use history::Timestamp;
use history::kinds::words::TimeSource;
use value::{Digest, Map, Value, json};

use crate::call::ToolCall;
use crate::change::{Change, Kept, What};
use crate::logic::{Done, Given, Logic};
use crate::plan::{ClockForm, NodeNo, Operand, Plan, PlanNode, Slot, Step};
use crate::record::Recorder;
use crate::request::{shaped, tool_change, visible};
use crate::run::{Fiber, FiberNo, Run};
use crate::step::value_of;
use crate::{Fault, FaultKind};
use graph::{Again, Touches};

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

/// Runs a block. What it changed follows from what it was given, so that it is not stored; an
/// error or a limit is, because the next run of it might meet none.
#[expect(clippy::too_many_arguments, reason = "it is one arm of a match")]
pub(crate) fn logic(
    plan: &Plan,
    run: &Run,
    interpreter: &mut dyn Logic,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    block: u32,
    slots: Option<&[Slot]>,
) -> Result<Change, Fault> {
    let block = &plan.blocks[block as usize];
    let data: Map = match slots {
        Some(slots) => {
            let held = slots.iter().filter_map(|slot| Some((*slot, own.frame.get(*slot)?)));
            held.map(|(slot, value)| (run.name(plan, slot).clone(), value.clone())).collect()
        }
        None => run.named(plan, &own.frame),
    };
    let stores = block.stores.iter().map(|(id, _)| {
        let at = plan.stores.iter().position(|store| store.id == *id);
        at.map_or(Value::Null, |at| run.stores[at].to_value())
    });
    let nth = run.counts.blocks + 1;
    let given = Given { data, stores: stores.collect(), now: run.now, nth };
    let outcome = interpreter.run(block, &given);
    let here = plan.node(node);
    let mut recorder = Recorder::new(run, Some(&here.at));
    match outcome {
        Ok(done) => {
            if done.looked_at_clock {
                recorder.observed(TimeSource::Clock, Value::text(run.now.to_string()));
            }
            let digest = digest(run, &done);
            let what = What::Ran { fiber, node, done: Box::new(done), digest };
            Ok(Change { events: recorder.events, what })
        }
        Err(fault) => {
            let call = ToolCall {
                server: "logic".into(),
                tool: "python".into(),
                args: [("nth".into(), Value::Int(nth.cast_signed()))].into_iter().collect(),
                touches: Touches::Nothing,
                again: Again::Freely,
                nth: 1,
                store: None,
                timeout_ms: None,
            };
            Ok(crate::request::failed_at_once(run, own, fiber, node, here, &call, fault))
        }
    }
}

/// What a block did, together with what was computed before it since the last event.
fn digest(run: &Run, done: &Done) -> Digest {
    let mut text = run.derived.map(|before| before.to_string()).unwrap_or_default();
    for (name, value) in &done.set {
        json::write_text(&mut text, name);
        json::write_canonical(&mut text, value);
    }
    for name in &done.removed {
        text.push('-');
        json::write_text(&mut text, name);
    }
    Digest::of(text.as_bytes())
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
        Step::ReadStore { store, key, out } => {
            let key = key.as_ref().map(|key| value_of(frame, key));
            let def = &plan.stores[*store as usize];
            if def.persistent && !run.options.rehearsal {
                let mut args = Map::default();
                args.insert("store".into(), Value::Text(def.id.clone()));
                args.extend(key.map(|key| ("key".into(), key)));
                let call = store_call(plan, run, *store, "read", args);
                return Ok(tool_change(run, own, fiber, node, here, call));
            }
            if !def.can_read {
                return Err(not_allowed(&def.id, "read"));
            }
            let mut contents = run.stores[*store as usize].clone();
            let value = contents.read(key.as_ref());
            (Kept::Store(*store, Box::new(contents)), *out, value)
        }
        Step::WriteStore { store, input } => {
            let written = Value::from(shape(input));
            let def = &plan.stores[*store as usize];
            if def.persistent && !run.options.rehearsal {
                let mut args = Map::default();
                args.insert("store".into(), Value::Text(def.id.clone()));
                args.insert("value".into(), written);
                let call = store_call(plan, run, *store, "write", args);
                return Ok(tool_change(run, own, fiber, node, here, call));
            }
            if !def.can_write {
                return Err(not_allowed(&def.id, "written"));
            }
            let mut contents = run.stores[*store as usize].clone();
            contents.write(None, written)?;
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
        Step::CacheGet { cache, key, out, fallback } => {
            let key = key_of(frame, key);
            let held = run.caches.get(&(cache.clone(), key));
            let fresh = held.filter(|(_, until)| until.is_none_or(|until| run.now < until));
            let value = match (fresh, fallback) {
                (Some((value, _)), _) => value.clone(),
                (None, Some(fallback)) => value_of(frame, fallback),
                (None, None) => Value::Null,
            };
            (Kept::Nothing, *out, value)
        }
        Step::CacheSet { cache, key, value, ttl_s } => {
            let until = ttl_s.map(|ttl| {
                let ttl = i64::try_from(ttl).unwrap_or(i64::MAX).saturating_mul(1_000_000);
                Timestamp::from_micros(run.now.micros().saturating_add(ttl))
            });
            let (key, value) = (key_of(frame, key), value_of(frame, value));
            (Kept::Cache(cache.clone(), key, value, until), None, Value::Null)
        }
        Step::QueuePut { queue, value, out } => {
            let value = value_of(frame, value);
            (Kept::Queue(queue.clone(), value.clone()), *out, value)
        }
        _ => unreachable!("only these keep something"),
    };
    Ok(Change::derived(What::StoreChanged { fiber, node, kept, slot, value }))
}

fn key_of(frame: &crate::frame::Frame, operand: &Operand) -> value::Text {
    match value_of(frame, operand) {
        Value::Text(text) => text,
        other => json::canonical(&other).into(),
    }
}

fn not_allowed(store: &str, does: &str) -> Fault {
    let message = format!("store `{store}` may not be {does}: see its `access`");
    Fault::new(FaultKind::Denied, message)
}

/// A call of a store that outlives the run.
fn store_call(plan: &Plan, run: &Run, store: u32, verb: &str, args: Map) -> ToolCall {
    let kind = plan.stores[store as usize].kind;
    // Reading a queue takes from it.
    let is_write = verb == "write" || kind == crate::stores::StoreKind::Queue;
    ToolCall {
        nth: run.counts.by_tool.get(verb).copied().unwrap_or(0) + 1,
        server: "store".into(),
        tool: verb.into(),
        args,
        touches: if is_write { Touches::Write } else { Touches::Read },
        again: if is_write { Again::WithKey } else { Again::Freely },
        store: Some(kind),
        timeout_ms: None,
    }
}
