//! Lines of control, and the forks that they wait at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use history::{EventId, Timestamp};
use value::{Text, Value};

use super::{Failure, FiberNo, GroupNo};
use crate::blocks::Errand;
use crate::call::CallId;
use crate::doubt::Doubt;
use crate::frame::Frame;
use crate::plan::{LabelNo, NodeNo, Plan, Slot};
use crate::talk::Talk;

/// One line of control.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fiber {
    pub(crate) frame: Frame,
    pub(crate) mode: Mode,
    pub(crate) stack: Vec<Activation>,
    /// The fork it is a branch of, and which one it is.
    pub(crate) group: Option<(GroupNo, u32)>,
    /// How many processes it, and those it comes from, have begun.
    pub(crate) turns: u32,
    /// Attempts at nodes that failed: how deep, which node, how many.
    pub(crate) tries: Vec<Try>,
    /// The event that it goes on from.
    pub(crate) cause: Option<EventId>,
    /// What a block of logic has to do with stores that outlive the run, while it has.
    pub(crate) errand: Option<Box<Errand>>,
    /// What is said between the node that it is at and a model, while it is.
    pub(crate) talk: Option<Box<Talk>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Try {
    pub(crate) depth: u32,
    pub(crate) node: NodeNo,
    pub(crate) count: u32,
    /// What the calls of all attempts have in common, where it was a call that failed.
    pub(crate) effect: Option<Effect>,
}

/// An effect that is attempted several times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effect {
    /// The event that its idempotency key follows from.
    pub(crate) key: EventId,
    /// When it was first asked for: what is written under its key may hold that time.
    pub(crate) since: Timestamp,
    /// How often it has left.
    pub(crate) attempts: u32,
    /// What the attempts so far leave in doubt.
    pub(crate) doubt: Doubt,
}

/// What a fiber does next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mode {
    /// It begins a process.
    Enter(LabelNo),
    /// It runs a node.
    Go(NodeNo),
    /// Its label has ended: with a value, or by running out.
    Back(Option<Value>),
    /// A node has failed: by itself, or because of something that it had called.
    Failing(NodeNo, Box<Failure>),
    /// It waits for an answer.
    Waits(CallId, NodeNo),
    /// It waits for its branches.
    AtJoin(GroupNo, NodeNo),
}

/// A call that is under way in a fiber: which node made it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Activation {
    pub(crate) node: NodeNo,
    pub(crate) kind: ActivationKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ActivationKind {
    Call,
    Loop(Turns),
    /// How many turns were begun.
    While(u64),
}

/// How far a loop over a list is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turns {
    pub(crate) items: Arc<Vec<Value>>,
    /// Which one comes next.
    pub(crate) next: usize,
    /// What the name of the item held before, where it is to hold that again.
    pub(crate) before: Option<(Slot, Option<Value>)>,
}

/// The branches of one fork.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) owner: FiberNo,
    pub(crate) join: NodeNo,
    /// The label that begins with the join, where the fork led to one.
    pub(crate) label: Option<LabelNo>,
    pub(crate) branches: u32,
    pub(crate) needed: u32,
    pub(crate) alive: BTreeSet<FiberNo>,
    pub(crate) succeeded: BTreeMap<u32, Frame>,
    pub(crate) failed: BTreeMap<u32, Box<Failure>>,
    /// What each branch was given beside the frame of its owner, where it was given something.
    pub(crate) items: Vec<(Slot, Value)>,
    /// The most processes that one of them has begun.
    pub(crate) turns: u32,
    /// The event that the first of them to succeed went on from.
    pub(crate) cause: Option<EventId>,
}

impl Group {
    /// Whether it is clear how it ends.
    pub(crate) fn is_clear(&self) -> bool {
        self.is_met() || self.is_hopeless()
    }

    pub(crate) fn is_met(&self) -> bool {
        self.succeeded.len() >= self.needed as usize
    }

    fn is_hopeless(&self) -> bool {
        self.branches as usize - self.failed.len() < self.needed as usize
    }
}

impl Fiber {
    /// The branches that it waits for.
    pub(crate) fn waits_at(&self) -> Option<GroupNo> {
        match self.mode {
            Mode::AtJoin(group, _) => Some(group),
            _ => None,
        }
    }

    /// Where it is: `label/n1`.
    pub(super) fn place(&self, plan: &Plan) -> Text {
        match &self.mode {
            Mode::Enter(label) => plan.label(*label).id.clone(),
            Mode::Go(node)
            | Mode::Failing(node, _)
            | Mode::Waits(_, node)
            | Mode::AtJoin(_, node) => plan.node(*node).at.clone(),
            Mode::Back(_) => match self.stack.last() {
                Some(activation) => plan.node(activation.node).at.clone(),
                None => "".into(),
            },
        }
    }
}
