//! Brings a run to another graph: every place that it is at must be there too, and mean the same.
//! What cannot be brought over is refused with its reason, and nothing is guessed.

use std::collections::BTreeMap;
use std::fmt;

use value::{Text, Value};

use crate::call::{ModelCall, Request};
use crate::frame::Frame;
use crate::open::Waiting;
use crate::plan::{LabelNo, ModelStep, NodeNo, Plan, Slot, Step};
use crate::request;
use crate::run::{
    Activation, ActivationKind, Fiber, FiberNo, Group, GroupNo, Mode, Run, Try, Turns,
};
use crate::schema::SchemaId;
use crate::stores::{Channel, Contents};

/// So many fibers are listed one by one.
const LISTED_MAX: usize = 20;

/// Something that was brought over.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Where it is now: a node, a label, a store, a name.
    pub at: Text,
    /// What it is.
    pub what: Text,
}

/// Something that cannot be brought over.
#[derive(Clone, Debug, PartialEq)]
pub struct Incompatible {
    /// Where it is in the old graph.
    pub at: Text,
    /// Why not.
    pub why: Text,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.why)
    }
}

/// Brings a run from one plan to another, and lists what came along.
pub fn migrate(
    mut run: Run,
    old: &Plan,
    new: &Plan,
) -> Result<(Run, Vec<Kept>), Vec<Incompatible>> {
    let slots = slots(&mut run, old, new);
    let mut moving = Moving { old, new, slots, kept: Vec::new(), refused: Vec::new() };
    moving.path(&mut run);
    moving.calls(&mut run);
    run.groups.values_mut().for_each(|group| moving.group(group));
    let fibers = std::mem::take(&mut run.fibers);
    let groups = &run.groups;
    run.fibers = fibers.into_iter().map(|(no, own)| (no, moving.fiber(groups, no, own))).collect();
    let count = run.fibers.len();
    if count > LISTED_MAX {
        let what = format!("{} more fibers go on", count - LISTED_MAX);
        moving.kept.push(Kept { at: "".into(), what: what.into() });
    }
    run.last_frame = moving.frame(&run.last_frame);
    moving.new_inputs(&mut run);
    run.stores = moving.stores(&run);
    run.channels = moving.channels(&run);
    match moving.refused.is_empty() {
        true => Ok((run, moving.kept)),
        false => Err(moving.refused),
    }
}

/// The model that is asked in the place of every agent's own, and that of whoever has none.
type Models<'a> = (Option<&'a Text>, Option<&'a Text>);

/// The new slot of every old one. Names that the new plan does not know stay names of the run.
fn slots(run: &mut Run, old: &Plan, new: &Plan) -> Vec<Slot> {
    let names: Vec<Text> = old.names.iter().chain(&run.more_names).cloned().collect();
    run.more_names.clear();
    run.more_slots.clear();
    names.iter().map(|name| run.intern(new, name)).collect()
}

struct Moving<'p> {
    old: &'p Plan,
    new: &'p Plan,
    slots: Vec<Slot>,
    kept: Vec<Kept>,
    refused: Vec<Incompatible>,
}

impl Moving<'_> {
    fn keep(&mut self, at: &Text, what: impl Into<Text>) {
        self.kept.push(Kept { at: at.clone(), what: what.into() });
    }

    fn refuse(&mut self, at: &Text, why: String) {
        self.refused.push(Incompatible { at: at.clone(), why: why.into() });
    }

    fn label(&self, id: &str) -> Option<LabelNo> {
        let place = self.new.labels.iter().position(|label| *label.id == *id)?;
        LabelNo::try_from(place).ok()
    }

    /// The node that an old one is now: the same one, or the only one of its label that does the
    /// same; or why there is none.
    fn node(&self, old: NodeNo) -> Result<NodeNo, String> {
        let was = self.old.node(old);
        let id = &self.old.label(was.label).id;
        let label = self.label(id).ok_or_else(|| format!("there is no label `{id}` any more"))?;
        let inside = (0..).zip(&self.new.nodes).filter(|(_, node)| node.label == label);
        let alike: Vec<(NodeNo, &Text)> = inside
            .filter(|(_, node)| node.hash == was.hash)
            .map(|(number, node)| (number, &node.at))
            .collect();
        let same = alike.iter().find(|(_, at)| **at == was.at);
        match (same, alike.as_slice()) {
            (Some((same, _)), _) | (None, [(same, _)]) => Ok(*same),
            (None, []) => Err("the node has changed".into()),
            (None, several) => {
                Err(format!("{} nodes could be it: its number has changed", several.len()))
            }
        }
    }

    fn frame(&self, old: &Frame) -> Frame {
        let mut frame = Frame::with_room(self.new.names.len());
        for (slot, value) in old.iter() {
            frame.set(self.slots[slot as usize], Some(value.clone()));
        }
        frame
    }

    /// What was begun stays in the path, also where the new graph does not have it.
    fn path(&self, run: &mut Run) {
        let ids: Vec<Text> =
            run.path.iter().map(|label| run.label_id(self.old, *label).clone()).collect();
        run.more_labels.clear();
        let mut known: BTreeMap<&Text, LabelNo> =
            self.new.labels.iter().map(|label| &label.id).zip(0..).collect();
        let mut path = Vec::with_capacity(ids.len());
        for id in &ids {
            let next = self.new.labels.len() + run.more_labels.len();
            let next = LabelNo::try_from(next).expect("there are fewer labels than that");
            let label = *known.entry(id).or_insert(next);
            if label == next {
                run.more_labels.push(id.clone());
            }
            path.push(label);
        }
        run.path = path;
    }

    fn calls(&mut self, run: &mut Run) {
        let (all, other) = (run.options.model.clone(), run.options.llm.clone());
        for waiting in run.open.iter_mut() {
            self.call(waiting, (all.as_ref(), other.as_ref()));
        }
        // Nobody waits for these, so that one that has no node any more need not be known.
        run.abandoned.retain(|_, waiting| match self.node(waiting.node) {
            Ok(node) => {
                waiting.node = node;
                true
            }
            Err(_) => false,
        });
    }

    fn call(&mut self, waiting: &mut Waiting, models: Models<'_>) {
        let at = waiting.pending.at.clone();
        let name = waiting.pending.name.clone();
        let node = match self.node(waiting.node) {
            Ok(node) => node,
            Err(why) => return self.refuse(&at, format!("its call {name} is open, and {why}")),
        };
        if let Some(why) = self.asks_otherwise(&waiting.pending.request, waiting.node, node, models)
        {
            let why = format!("its call {name} is open, and {why}; fork before that call");
            return self.refuse(&at, why);
        }
        waiting.node = node;
        waiting.pending.at = self.new.node(node).at.clone();
        self.keep(&self.new.node(node).at.clone(), format!("call {name} stays open"));
    }

    /// Why the new graph would have asked for something else, if it would.
    fn asks_otherwise(
        &self,
        request: &Request,
        old: NodeNo,
        new: NodeNo,
        models: Models<'_>,
    ) -> Option<String> {
        let (was, is) = (&self.old.node(old).step, &self.new.node(new).step);
        let input = |step: &Step| match step {
            Step::Model(step) => step.input,
            Step::Tool(step) => step.input,
            Step::Effect(step) => step.input,
            Step::WriteStore { input, .. } => *input,
            _ => None,
        };
        if let (Some(was), Some(is)) = (input(was), input(is))
            && !self.is_same_schema(was, is)
        {
            let name = &self.old.schemas.schema(was).name;
            return Some(format!("schema `{name}` has changed"));
        }
        match (request, is) {
            (Request::Model(call), Step::Model(step)) if !self.asks_same(call, step, models) => {
                Some(format!("agent `{}` has changed", call.agent))
            }
            _ => None,
        }
    }

    fn is_same_schema(&self, old: SchemaId, new: SchemaId) -> bool {
        self.old.schemas.instruction(old) == self.new.schemas.instruction(new)
    }

    fn asks_same(&self, call: &ModelCall, step: &ModelStep, (all, other): Models<'_>) -> bool {
        let agent = &self.new.agents[step.agent as usize];
        call.agent == agent.id
            && call.model == request::model(all, other, agent)
            && call.params == agent.params
            && call.system == request::system(self.new, step)
    }

    fn fiber(
        &mut self,
        groups: &BTreeMap<GroupNo, Group>,
        number: FiberNo,
        mut own: Fiber,
    ) -> Fiber {
        own.frame = self.frame(&own.frame);
        own.stack = own.stack.into_iter().filter_map(|one| self.activation(one)).collect();
        let tries = own.tries.iter().filter_map(|one| {
            let node = self.node(one.node).ok()?;
            Some(Try { node, ..*one })
        });
        own.tries = tries.collect();
        let listed = (number as usize) < LISTED_MAX;
        let place = match &mut own.mode {
            Mode::Enter(label) => {
                let id = self.old.label(*label).id.clone();
                match self.label(&id) {
                    Some(new) => *label = new,
                    None => self.refuse(&id, "it is about to begin, and is gone".into()),
                }
                Some((id, "it begins next"))
            }
            Mode::Go(node) => self.place(node, "it runs next").map(|at| (at, "it runs next")),
            Mode::Failing(node, failure) => {
                let own = failure.at.as_ref() == Some(&self.old.node(*node).at);
                let at = self.place(node, "it has failed");
                if own {
                    failure.at.clone_from(&at);
                }
                at.map(|at| (at, "its failure is handled next"))
            }
            // What is wrong with these is said of the call and of the branches.
            Mode::Waits(_, node) => {
                *node = self.node(*node).unwrap_or(*node);
                None
            }
            Mode::AtJoin(group, node) => {
                *node = groups[group].join;
                None
            }
            Mode::Back(_) => None,
        };
        if let Some((at, what)) = place.filter(|_| listed) {
            self.keep(&at, what);
        }
        own
    }

    /// Moves a place; says where it is now.
    fn place(&mut self, node: &mut NodeNo, state: &str) -> Option<Text> {
        match self.node(*node) {
            Ok(new) => {
                *node = new;
                Some(self.new.node(new).at.clone())
            }
            Err(why) => {
                let at = self.old.node(*node).at.clone();
                self.refuse(&at, format!("{state}, and {why}"));
                None
            }
        }
    }

    fn activation(&mut self, mut own: Activation) -> Option<Activation> {
        if let ActivationKind::Loop(Turns { before: Some((slot, _)), .. }) = &mut own.kind {
            *slot = self.slots[*slot as usize];
        }
        let mut node = own.node;
        let at = self.place(&mut node, "what it called is under way")?;
        self.keep(&at, "what it called is under way");
        Some(Activation { node, ..own })
    }

    fn group(&mut self, group: &mut Group) {
        if let Some(at) = self.place(&mut group.join, "branches are waited for here") {
            self.keep(&at, "branches are waited for here");
        }
        if let Some(label) = &mut group.label {
            let id = &self.old.label(*label).id;
            match self.label(id).filter(|new| self.new.label(*new).entry == Some(group.join)) {
                Some(new) => *label = new,
                None => self.refuse(
                    id,
                    "branches are waited for here, and it does not begin with their join any more"
                        .into(),
                ),
            }
        }
        for (slot, _) in &mut group.items {
            *slot = self.slots[*slot as usize];
        }
        for frame in group.succeeded.values_mut() {
            *frame = self.frame(frame);
        }
    }

    /// Inputs that the old graph did not know have their defaults.
    fn new_inputs(&mut self, run: &mut Run) {
        for (slot, value) in &self.new.initial {
            let name = &self.new.names[*slot as usize];
            if self.old.slots.contains_key(name) {
                continue;
            }
            let mut is_new = false;
            let waiting = run.groups.values_mut().flat_map(|group| group.succeeded.values_mut());
            let frames = run.fibers.values_mut().map(|fiber| &mut fiber.frame).chain(waiting);
            for frame in frames {
                if frame.get(*slot).is_none() {
                    frame.set(*slot, Some(value.clone()));
                    is_new = true;
                }
            }
            if is_new {
                self.keep(name, "is new, and holds its default");
            }
        }
    }

    fn stores(&mut self, run: &Run) -> Vec<Contents> {
        let mut stores = Vec::new();
        for def in &self.new.stores {
            let place = self.old.stores.iter().position(|old| old.id == def.id);
            let held = place.map(|place| &run.stores[place]);
            let is_empty = held.is_none_or(Contents::is_empty);
            match held.filter(|_| !is_empty) {
                None => stores.push(Contents::new(def.kind)),
                Some(held) if held.kind().holds_like(def.kind) => {
                    let is_same = held.kind() == def.kind;
                    let anew = || Contents::from_value(def.kind, &held.to_value());
                    stores.push(if is_same { held.clone() } else { anew() });
                    self.keep(&def.id, "the store keeps what it holds");
                }
                Some(_) => {
                    self.refuse(
                        &def.id,
                        "the store holds something, and is of another kind".into(),
                    );
                    stores.push(Contents::new(def.kind));
                }
            }
        }
        for (old, held) in self.old.stores.iter().zip(&run.stores) {
            let is_gone = !self.new.stores.iter().any(|def| def.id == old.id);
            if is_gone && !held.is_empty() {
                self.refuse(&old.id, "the store holds something, and is gone".into());
            }
        }
        stores
    }

    fn channels(&mut self, run: &Run) -> Vec<Channel> {
        let no_messages = Value::list([]);
        let mut channels = Vec::new();
        for def in &self.new.channels {
            let place = self.old.channels.iter().position(|old| old.id == def.id);
            let messages = place.map(|place| run.channels[place].to_value());
            let messages = messages.filter(|messages| *messages != no_messages);
            let channel = Channel::new(&def.declared);
            channels.push(match messages {
                None => channel,
                Some(messages) => {
                    self.keep(&def.id, "the channel keeps its messages");
                    channel.with_messages(&messages)
                }
            });
        }
        for (old, held) in self.old.channels.iter().zip(&run.channels) {
            let is_gone = !self.new.channels.iter().any(|def| def.id == old.id);
            if is_gone && held.to_value() != no_messages {
                self.refuse(&old.id, "the channel holds messages, and is gone".into());
            }
        }
        channels
    }
}
