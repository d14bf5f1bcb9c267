//! What a run did, derived again from its events: one step for each change worth showing. No step
//! is ever stored.

mod approvals;
mod line;
mod members;
mod watch;

use history::Event;
use history::kinds::Fact;
use value::{Map, Text, Value};

use crate::call::Request;
use crate::difference::Difference;
use crate::fold::Fold;
use crate::logic::{Done, Logic};
use crate::run::Status;
use crate::{Failure, Fault};

pub use approvals::Approval;
pub(crate) use line::{Asking, shown, words};
pub(crate) use members::object;
pub(crate) use watch::target;

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Step {
    /// The number of the last event before it; where events record it, that of the last of these.
    pub seq: u64,
    /// How many events record it. None where it follows from what was before.
    pub events: u64,
    /// In which fiber.
    pub fiber: u32,
    /// Where, as `label/n1`, or the label that begins. Nothing for what concerns the whole run.
    pub at: Text,
    /// What.
    pub what: StepKind,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// The run begins, or goes on as a fork.
    Began {
        /// What it was given.
        inputs: Map,
        /// Where it was forked, as `run@seq`.
        from: Option<Text>,
    },
    /// A fork sets values.
    Given {
        /// Which, in every fiber.
        values: Vec<(Text, Value)>,
    },
    /// A process begins.
    Entered,
    /// Control goes one of several ways.
    Decided(Box<Decided>),
    /// A name is written.
    Wrote {
        /// Which.
        name: Text,
        /// What it holds from now on.
        value: Value,
    },
    /// A label is called.
    Called {
        /// Which.
        label: Text,
    },
    /// A loop begins.
    Looped {
        /// How many items there are; nothing where a condition decides.
        items: Option<u64>,
    },
    /// A loop begins its next turn.
    Turned {
        /// Which turn, from 1 on.
        turn: u64,
        /// The name that is written, and the item.
        item: Option<(Text, Value)>,
        /// The condition that holds, with the values it looks at.
        condition: Option<Seen>,
    },
    /// A call or a loop is over.
    CameBack {
        /// The name that is written; nothing where nothing was returned that a loop keeps.
        name: Option<Text>,
        /// What was returned.
        value: Value,
        /// How many turns there were, where it is a loop.
        turns: Option<u64>,
        /// The condition that does not hold any more, with the values it looks at.
        condition: Option<Seen>,
        /// Where control goes; nothing where the label ends.
        to: Option<Text>,
    },
    /// A label returns a value.
    Returned {
        /// Which.
        value: Value,
    },
    /// Branches begin.
    Forked {
        /// The number of the fork in the run.
        group: u32,
        /// Where they are waited for.
        join: Text,
        /// What is waited for.
        strategy: Text,
        /// The branches.
        branches: Vec<Branch>,
    },
    /// A branch is finished.
    Arrived,
    /// A branch fails.
    BranchFailed {
        /// How.
        fault: Fault,
    },
    /// It is decided how the branches end.
    Joined(Box<Joined>),
    /// A block of logic ran.
    Ran {
        /// What it did.
        done: Box<Done>,
    },
    /// A store, channel, cache or queue of the run was used.
    Kept {
        /// What was done, as `store.read`.
        verb: &'static str,
        /// Which one.
        id: Text,
        /// The name that is written, and what was read.
        wrote: Option<(Text, Value)>,
    },
    /// Something is wanted from outside.
    Requested {
        /// The name of the call in events.
        call: Text,
        /// What is wanted.
        request: Request,
    },
    /// A call leaves.
    Left {
        /// Which.
        call: Text,
        /// Which attempt it is, from 1 on.
        attempt: u32,
    },
    /// A decision did not allow a call.
    Refused {
        /// Which.
        call: Text,
        /// Why not.
        fault: Fault,
    },
    /// It was decided whether a call may leave.
    Ruled(Box<Approval>),
    /// Another policy is in force.
    PolicyChanged {
        /// Which, by its digest.
        policy: Text,
    },
    /// An answer came.
    Answered(Box<Answered>),
    /// A call was under way when the process died, and is not repeated.
    Interrupted {
        /// Which.
        call: Text,
        /// Which attempt it was.
        attempt: u32,
    },
    /// A node fails.
    Failed {
        /// How.
        fault: Fault,
    },
    /// A failure reaches what called the label. `at` is the node that did.
    Unwound {
        /// Which failure.
        fault: Fault,
    },
    /// A node that failed runs again.
    TriedAgain {
        /// The how manieth further attempt it is.
        attempt: u32,
        /// How many there may be.
        of: u32,
        /// How long it waits before.
        delay_ms: u64,
        /// Why it failed.
        fault: Fault,
    },
    /// A failure is handled.
    Handled {
        /// The label that does.
        handler: Text,
        /// Which failure.
        fault: Fault,
    },
    /// The run is over.
    Finished {
        /// How it ended.
        status: Status,
        /// What it gave back.
        result: Value,
        /// Why it failed.
        failure: Option<Box<Failure>>,
    },
}

/// Which way control went, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The condition and what it saw; nothing where there is only one way.
    pub condition: Option<Seen>,
    /// Whether it holds.
    pub holds: bool,
    /// Where control goes; nothing where the label ends.
    pub to: Option<Text>,
    /// The author's text that this is made from.
    pub clause: Option<Clause>,
}

/// A condition with the values that it looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The condition.
    pub text: Text,
    /// What the names in it hold; null where nothing was written.
    pub values: Vec<(Text, Value)>,
}

/// Which text of a gate decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Where it stands: `explicit`, `inline`, `polarity` or `default`.
    pub source: Text,
    /// The text.
    pub text: Text,
}

/// A branch of a fork.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Its fiber.
    pub fiber: u32,
    /// The label it begins at.
    pub label: Text,
    /// The item it was begun for.
    pub item: Option<Value>,
}

/// How the branches of a fork end.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The number of the fork in the run.
    pub group: u32,
    /// What was waited for.
    pub strategy: Text,
    /// How many must succeed.
    pub needed: u32,
    /// How many there are.
    pub branches: u32,
    /// Those that succeeded, by their place among the branches, from 0 on.
    pub succeeded: Vec<u32>,
    /// Those that failed.
    pub failed: Vec<u32>,
    /// Those that were given up.
    pub cancelled: Vec<u32>,
    /// What the branches changed, merged (nothing for a name that is gone); or how the join fails.
    pub outcome: Result<Vec<(Text, Option<Value>)>, Fault>,
}

/// An answer and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Which call is answered.
    pub call: Text,
    /// Who answered.
    pub by: By,
    /// The answer, as far as the node takes it.
    pub answer: Result<Value, Fault>,
    /// The names that are written.
    pub wrote: Vec<(Text, Value)>,
    /// Where control goes; nothing where the label ends, or the node failed.
    pub to: Option<Text>,
}

/// Who answered.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// A model, a tool or a store.
    World,
    /// Whoever made the fork.
    Fork,
    /// A person.
    Person(Option<Text>),
    /// Nobody, in time.
    Nobody,
    /// The clock: the moment has come.
    Clock,
    /// The world, when nobody waited any more.
    TooLate,
}

/// Takes one more event into a fold, and tells what happened before and with it.
pub fn trace(
    fold: &mut Fold,
    seq: u64,
    event: &Event,
    fact: &Fact,
    logic: &mut dyn Logic,
    tell: &mut dyn FnMut(Step),
) -> Result<(), Difference> {
    let before = seq.saturating_sub(1 + fold.unmatched());
    let mut watch = watch::Tracing { before, seq, tell };
    fold.take_watched(seq, event, fact, logic, &mut watch)
}

/// Tells what follows from the last event (which had this number) until something would be
/// recorded, or only the world can go on.
pub fn trace_rest(fold: &mut Fold, seq: u64, logic: &mut dyn Logic, tell: &mut dyn FnMut(Step)) {
    let mut watch = watch::Tracing { before: seq, seq, tell };
    fold.go_on(logic, &mut watch, None);
}
