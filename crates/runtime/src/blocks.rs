//! Blocks of logic, and the stores that they use.
//!
//! A block touches nothing. Stores that live in the run it is given, and what it does to them
//! follows from that. Stores that outlive the run are read before the block runs, and written
//! after it, by calls that are recorded like any other: so nothing that a block saw or did to
//! them is lost, and running it again repeats no effect.

use std::collections::VecDeque;

use value::{Digest, Map, Text, Value, json};

use crate::call::{Answer, Request, ToolCall};
use crate::change::{Change, Spent, Taken, What};
use crate::kept::{is_outside, store_call};
use crate::logic::{BlockStore, Done, Given, Logic, StoreAct};
use crate::open::{Waiting, Why};
use crate::plan::{NodeNo, Plan, PlanNode, Slot, Step, StoreDef};
use crate::record::Recorder;
use crate::request::{failed_at_once, tool_change};
use crate::run::{Fiber, FiberNo, Run};
use crate::stores::{StoreKind, StoreVerb};
use crate::{Fault, FaultKind};
use graph::{Again, Touches};
use history::Event;
use history::kinds::words::TimeSource;
use history::kinds::{Kind, What as Said};

/// As whose call it is told that a block failed. Nothing else is called there, so that whoever reads
/// of such a call reads of a block.
const SERVER: &str = "logic";

/// Whether it is blocks that are called there.
pub(crate) fn is_server(server: &str) -> bool {
    server == SERVER
}

/// Whether an event tells that a block failed, as far as that can be told unread.
pub fn may_tell_of_block(event: &Event) -> bool {
    let server = event.written("server").map(|written| written.trim_matches('"'));
    event.kind() == Kind::ToolCall && server.is_some_and(is_server)
}

/// Whether it is told that a block failed. How, the next event says.
pub(crate) fn tells_of_block(said: &Said) -> bool {
    matches!(said, Said::ToolCall(call) if call.server.as_deref().is_some_and(is_server))
}

/// What a block has to do with stores that outlive the run. It goes with the fiber, and ends with
/// the node: a node that fails and is tried again begins a new one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Errand {
    /// What was read for the block, until it runs.
    pub(crate) fetched: Vec<(Text, Value)>,
    /// What the block did, once it has run. Its names are written when nothing is owed any more.
    done: Done,
    /// What it did to stores that outlive the run and is not done yet.
    owed: VecDeque<StoreAct>,
}

/// Runs a block, or what must come before or after it.
///
/// What a block changed follows from what it was given, so that it is not stored; an error or a
/// limit is, because the next run of it might meet none.
#[expect(clippy::too_many_arguments, reason = "it is one arm of a match")]
pub(crate) fn run(
    plan: &Plan,
    run: &Run,
    interpreter: &mut dyn Logic,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    block: u32,
    slots: Option<&[Slot]>,
) -> Result<Change, Fault> {
    let here = plan.node(node);
    let block = &plan.blocks[block as usize];
    let leaves = |call, why| {
        let mut change = tool_change(run, own, fiber, node, here, call);
        if let What::Requested { calls, .. } = &mut change.what {
            calls.iter_mut().for_each(|(_, own)| *own = why);
        }
        change
    };
    if let Some(act) = own.errand.as_ref().and_then(|errand| errand.owed.front()) {
        return Ok(leaves(act_call(plan, run, act)?, Why::Act));
    }
    if let Some(call) = block.stores.iter().find_map(|store| fetch(plan, run, own, store)) {
        return Ok(leaves(call, Why::Fetch));
    }
    let data: Map = match slots {
        Some(slots) => {
            let held = slots.iter().filter_map(|slot| Some((*slot, own.frame.get(*slot)?)));
            held.map(|(slot, value)| (run.name(plan, slot).clone(), value.clone())).collect()
        }
        None => run.named(plan, &own.frame),
    };
    let stores = block.stores.iter().map(|store| contents(plan, run, own, store)).collect();
    let given = Given { data, stores, now: run.now, nth: run.counts.blocks + 1 };
    match interpreter.run(block, &given) {
        Ok(done) => ran(plan, run, fiber, node, here, done),
        Err(fault) => Ok(failed(run, own, fiber, node, here, &given, fault)),
    }
}

fn ran(
    plan: &Plan,
    run: &Run,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    done: Done,
) -> Result<Change, Fault> {
    // All of it is looked at before any of it is done.
    for act in &done.acted {
        let (_, def) = find(plan, act.store())?;
        def.allows(match act {
            StoreAct::Write { .. } => StoreVerb::Write,
            StoreAct::Take { .. } => StoreVerb::Read,
        })?;
    }
    let mut recorder = Recorder::new(run, Some(&here.at));
    if done.looked_at_clock {
        recorder.observed(TimeSource::Clock, Value::text(run.now.to_string()));
    }
    let digest = digest(run, &done);
    let what = What::Ran { fiber, node, done: Box::new(done), digest };
    Ok(Change { events: recorder.events, what })
}

fn failed(
    run: &Run,
    own: &Fiber,
    fiber: FiberNo,
    node: NodeNo,
    here: &PlanNode,
    given: &Given,
    fault: Fault,
) -> Change {
    let call = ToolCall {
        server: SERVER.into(),
        tool: "python".into(),
        args: [("nth".into(), Value::Int(given.nth.cast_signed()))].into_iter().collect(),
        touches: Touches::Nothing,
        again: Again::Freely,
        nth: 1,
        store: None,
        timeout_ms: None,
    };
    failed_at_once(run, own, fiber, node, here, &call, fault)
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
    for act in &done.acted {
        text.push('/');
        json::write_text(&mut text, act.store());
        if let StoreAct::Write { key, value, .. } = act {
            json::write_canonical(&mut text, &key.clone().into());
            json::write_canonical(&mut text, value);
        }
    }
    Digest::of(text.as_bytes())
}

fn find<'p>(plan: &'p Plan, id: &str) -> Result<(u32, &'p StoreDef), Fault> {
    let found = (0..).zip(&plan.stores).find(|(_, def)| *def.id == *id);
    found.ok_or_else(|| Fault::new(FaultKind::Store, format!("there is no store `{id}`")))
}

fn fetched<'f>(own: &'f Fiber, id: &str) -> Option<&'f Value> {
    let fetched = &own.errand.as_ref()?.fetched;
    fetched.iter().find(|(own, _)| **own == *id).map(|(_, value)| value)
}

/// The call that reads a store for a block, where that must be.
fn fetch(plan: &Plan, run: &Run, own: &Fiber, store: &BlockStore) -> Option<ToolCall> {
    let (_, def) = find(plan, &store.id).ok()?;
    let is_wanted = store.reads && def.can_read && is_outside(run, def);
    if !is_wanted || fetched(own, &store.id).is_some() {
        return None;
    }
    Some(match def.kind {
        // Reading a queue would take from it, and a protocol has its own answer to no question: the
        // block must see all there is, and takes nothing yet.
        StoreKind::Queue | StoreKind::Speaks(..) => store_call(run, def, StoreVerb::ReadAll, None),
        _ => store_call(run, def, StoreVerb::Read, None),
    })
}

/// What a block finds in a store, or what reading it comes to.
fn contents(plan: &Plan, run: &Run, own: &Fiber, store: &BlockStore) -> Result<Value, Fault> {
    let (at, def) = find(plan, &store.id)?;
    def.allows(StoreVerb::Read)?;
    if !is_outside(run, def) {
        return Ok(run.stores[at as usize].to_value());
    }
    fetched(own, &store.id).cloned().ok_or_else(|| {
        let message = format!("store `{0}` is not read by name: write `state.{0}.read()`", def.id);
        Fault::new(FaultKind::Logic, message)
    })
}

/// The call that does to a store what a block did.
fn act_call(plan: &Plan, run: &Run, act: &StoreAct) -> Result<ToolCall, Fault> {
    let (_, def) = find(plan, act.store())?;
    Ok(match act {
        StoreAct::Take { .. } => store_call(run, def, StoreVerb::Read, None),
        StoreAct::Write { key, value, .. } => {
            let key = key.clone().map(|key| ("key", Value::Text(key)));
            let args = key.into_iter().chain([("value", value.clone())]);
            store_call(run, def, StoreVerb::Write, args)
        }
    })
}

/// What becomes of an answer that a block waited for, or owed.
pub(crate) fn taken(waiting: &Waiting, answer: &Answer) -> Taken {
    let store = match &waiting.pending.request {
        Request::Tool(call) => call.store.as_ref().map(|store| store.id.clone()),
        _ => None,
    };
    match (answer, store) {
        (Answer::Failed(fault), _) => Taken::Failed(fault.clone(), Spent::default()),
        (Answer::Value(value), Some(store)) if waiting.why == Why::Fetch => {
            Taken::Fetched(store, value.clone())
        }
        (Answer::Value(value), _) => Taken::Acted(value.clone()),
        _ => Taken::Acted(Value::Null),
    }
}

impl Run {
    /// A block has run: what it did to stores of the run is done, the rest is owed.
    pub(crate) fn ran(&mut self, plan: &Plan, fiber: FiberNo, node: NodeNo, mut done: Done) {
        let mut owed = VecDeque::new();
        for act in std::mem::take(&mut done.acted) {
            let Ok((at, def)) = find(plan, act.store()) else { continue };
            if is_outside(self, def) {
                owed.push_back(act);
                continue;
            }
            let now = self.now;
            let contents = &mut self.stores[at as usize];
            match act {
                // The interpreter has made the same write on a copy.
                StoreAct::Write { key, value, .. } => {
                    drop(contents.write(key.as_deref(), value, now));
                }
                StoreAct::Take { .. } => drop(contents.read(None, now)),
            }
        }
        if owed.is_empty() {
            self.own(fiber).errand = None;
            return self.finished_block(plan, fiber, node, done);
        }
        self.own(fiber).errand = Some(Box::new(Errand { fetched: Vec::new(), done, owed }));
    }

    /// One of the things that a block did to stores is done.
    pub(crate) fn acted(&mut self, plan: &Plan, fiber: FiberNo, node: NodeNo) {
        let is_last = self.owes_one(fiber);
        let Some(errand) = &mut self.own(fiber).errand else { return };
        errand.owed.pop_front();
        if is_last {
            let done = std::mem::take(&mut errand.done);
            self.own(fiber).errand = None;
            self.finished_block(plan, fiber, node, done);
        }
    }

    /// Whether a block has only one thing left to do.
    pub(crate) fn owes_one(&self, fiber: FiberNo) -> bool {
        self.fiber(fiber).errand.as_ref().is_some_and(|errand| errand.owed.len() == 1)
    }

    fn finished_block(&mut self, plan: &Plan, fiber: FiberNo, node: NodeNo, done: Done) {
        for (name, value) in done.set {
            let slot = self.intern(plan, &name);
            self.own(fiber).frame.set(slot, Some(value));
        }
        for name in done.removed {
            if let Some(slot) = self.slot(plan, &name) {
                self.own(fiber).frame.set(slot, None);
            }
        }
        if let Step::Logic { returned: Some(slot), .. } = &plan.node(node).step {
            self.own(fiber).frame.set(*slot, Some(Value::Bool(done.returned)));
        }
        self.go_on(fiber, node, plan.node(node).next);
    }
}

/// Whether a block may read a store; nothing where it cannot reach it at all.
///
/// What its text does not show, like a store that is handed to a function, is found by words:
/// nothing reaches a store without its name, and nothing reads without `read`.
pub(crate) fn reads(read: &logic::Block, code: &str, id: &str) -> Option<bool> {
    let has_word = |wanted: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        code.split(|letter: char| !is_part(letter)).any(|word| word == wanted)
    };
    let mut uses = read.stores.iter().filter(|(used, _)| **used == *id).peekable();
    let is_clear = uses.peek().is_some() && !read.inexact;
    if is_clear {
        return Some(uses.any(|(_, access)| *access == logic::Access::Read));
    }
    has_word(id).then(|| has_word("read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_what_its_text_says_or_might_mean() {
        let reads = |code: &str| reads(&logic::read(code), code, "s");
        assert_eq!(reads("state.s.write(1)"), Some(false));
        assert_eq!(reads("state.s.write(state.s.read())"), Some(true));
        assert_eq!(reads("state.s.write(state.t.read())"), Some(false));
        assert_eq!(
            reads("def f(x):\n    return x.read()\nstate.data['a'] = f(state.s)"),
            Some(true)
        );
        assert_eq!(reads("def f(x):\n    x.s.write(1)\nf(state)"), Some(false));
        assert_eq!(reads("k = 'a'\nstate.data[k] = 1"), None);
        assert_eq!(reads("state.data['ss'] = state.t.read()"), None);
    }
}
