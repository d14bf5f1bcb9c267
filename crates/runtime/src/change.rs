//! What can happen to a run: one decision each. What came from outside, or leaves, carries the
//! events that record it; the rest can be derived again, and is never stored.

use history::kinds::Sealed;
use history::kinds::records::Origin;
use history::{EventId, Timestamp};
use value::{Digest, Text, Value};

use crate::call::{CallId, Pending};
use crate::doubt::Doubt;
use crate::frame::Frame;
use crate::money::Money;
use crate::open::Why;
use crate::options::Options;
use crate::plan::{LabelNo, NodeNo, Slot, To};
use crate::run::{Failure, FiberNo, GroupNo, Status};
use crate::stores::{Channel, Contents};
use crate::talk::Talk;
use crate::{Fault, logic};

/// One thing that happens.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// What it is recorded as; nothing where it can be derived.
    pub(crate) events: Vec<Sealed>,
    pub(crate) what: What,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The run begins, or goes on as a fork.
    Began(Box<Began>),
    /// Something was answered.
    Answered {
        call: CallId,
        ts: Timestamp,
        taken: Box<Taken>,
    },
    /// A call that nobody waits for was answered, and paid for all the same.
    Late {
        call: CallId,
        ts: Timestamp,
        spent: Spent,
    },
    /// Somebody makes a call, for the first time or once more.
    Left {
        call: CallId,
        ts: Timestamp,
    },
    /// Calls that were under way when the process died, and must not be repeated.
    Interrupted {
        calls: Vec<CallId>,
        ts: Timestamp,
    },
    /// Values were set by a fork.
    WasSet {
        values: Vec<(Text, Value)>,
        ts: Timestamp,
    },
    /// Time has passed, or the run was paused.
    Noted {
        ts: Timestamp,
    },

    Entered {
        fiber: FiberNo,
        label: LabelNo,
    },
    Moved {
        fiber: FiberNo,
        node: NodeNo,
        to: To,
    },
    Decided {
        fiber: FiberNo,
        node: NodeNo,
        holds: bool,
        to: To,
    },
    Wrote {
        fiber: FiberNo,
        node: NodeNo,
        slot: Option<Slot>,
        value: Value,
        to: To,
    },
    Called {
        fiber: FiberNo,
        node: NodeNo,
        label: LabelNo,
    },
    LoopBegan {
        fiber: FiberNo,
        node: NodeNo,
        items: std::sync::Arc<Vec<Value>>,
    },
    /// A loop begins its next turn; it enters its body as a process in the first one only.
    Turned {
        fiber: FiberNo,
        node: NodeNo,
        item: Option<(Slot, Value)>,
        /// What the turn before returned, where that is kept.
        last: Option<(Slot, Value)>,
        body: LabelNo,
        first: bool,
    },
    /// What a turn returned is kept before it is clear whether there is another.
    TurnReturned {
        fiber: FiberNo,
        slot: Slot,
        value: Value,
    },
    /// A loop or a call is over; with a slot, what it returned is kept.
    CameBack {
        fiber: FiberNo,
        node: NodeNo,
        slot: Option<Slot>,
        value: Value,
        to: To,
    },
    Returned {
        fiber: FiberNo,
        node: NodeNo,
        value: Value,
    },
    /// A node failed; with `pops`, the call that it had made is over.
    Failed {
        fiber: FiberNo,
        node: NodeNo,
        fault: Box<Fault>,
        doubt: Doubt,
        pops: bool,
    },
    TriedAgain {
        fiber: FiberNo,
        node: NodeNo,
        count: u32,
    },
    Handled {
        fiber: FiberNo,
        node: NodeNo,
        handler: LabelNo,
    },
    Unwound {
        fiber: FiberNo,
    },
    Forked {
        fiber: FiberNo,
        node: NodeNo,
        branches: Vec<(LabelNo, Option<(Slot, Value)>)>,
    },
    /// A branch is finished.
    Arrived {
        fiber: FiberNo,
    },
    BranchFailed {
        fiber: FiberNo,
        node: NodeNo,
        failure: Box<Failure>,
    },
    Joined {
        group: GroupNo,
        frame: Frame,
    },
    JoinFailed {
        group: GroupNo,
        failure: Box<Failure>,
    },
    LogicFailed {
        fiber: FiberNo,
        node: NodeNo,
        fault: Box<Fault>,
    },
    Ran {
        fiber: FiberNo,
        node: NodeNo,
        done: Box<logic::Done>,
        digest: Digest,
    },
    StoreChanged {
        fiber: FiberNo,
        node: NodeNo,
        /// Apart, because changes are moved about for every step, and this one is large.
        kept: Box<Kept>,
        slot: Option<Slot>,
        value: Value,
    },
    Requested {
        fiber: FiberNo,
        node: NodeNo,
        calls: Vec<(Pending, Why)>,
    },
    /// A call may leave; it has, where that need not be recorded.
    Allowed {
        call: CallId,
        /// What it costs by its estimate.
        cost: Money,
    },
    /// The policy must say whether a call may leave.
    Undecided {
        call: CallId,
    },
    /// The policy allows a call.
    Cleared {
        call: CallId,
        ts: Timestamp,
    },
    /// The policy does not allow a call.
    Denied {
        call: CallId,
        ts: Timestamp,
        fault: Box<Fault>,
    },
    /// The policy has a person asked whether a call may leave.
    AskedFor {
        call: CallId,
        ts: Timestamp,
        calls: Box<[(Pending, Why); 2]>,
    },
    /// Another policy is in force.
    PolicyChanged {
        policy: Text,
        ts: Timestamp,
    },
    /// A decision did not allow it.
    Refused {
        call: CallId,
        fault: Box<Fault>,
    },
    /// The run is over.
    Finished {
        ts: Timestamp,
        status: Status,
        result: Value,
        failure: Option<Box<Failure>>,
    },
}

/// What changed in what the run keeps.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Store(u32, Box<Contents>),
    Channel(u32, Box<Channel>),
    Named(Text, Box<Contents>),
}

#[derive(Clone, Debug)]
pub(crate) struct Began {
    pub(crate) run: Text,
    pub(crate) agent: Text,
    pub(crate) ts: Timestamp,
    pub(crate) seed: u64,
    pub(crate) options: Options,
    pub(crate) inputs: Vec<(Text, Value)>,
    pub(crate) from: Option<Origin>,
}

/// What becomes of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Taken {
    /// Names are written, and control goes on.
    Wrote { writes: Vec<(Slot, Value)>, output: Option<Value>, to: To, spent: Spent },
    /// The node runs again.
    Again,
    /// What is in a store, for the block that waits for it.
    Fetched(Text, Value),
    /// What a block did to a store is done, with what that gave.
    Acted(Value),
    /// The model has said something, and the talk goes on.
    Talked(Box<Talk>, Spent),
    /// What came of one of the model's wishes.
    Used(u32, Result<Value, Fault>),
    /// A person allows this call.
    Approved(CallId),
    /// Nobody allows this call.
    Disapproved(CallId, Fault),
    /// The node fails.
    Failed(Fault, Spent),
}

/// What a model's answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spent {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cost: crate::money::Money,
}

impl Change {
    /// Something that can be derived again.
    pub(crate) fn derived(what: What) -> Change {
        Change { events: Vec::new(), what }
    }

    /// The last event that records it.
    pub(crate) fn last_event(&self) -> Option<EventId> {
        self.events.last().map(|sealed| sealed.event.id())
    }
}
