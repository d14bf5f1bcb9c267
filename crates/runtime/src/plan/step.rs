//! What is done at a node, and how it is tried again.

use std::collections::BTreeMap;
use std::sync::Arc;

use functions::Function;
use graph::{Again, Cmp, Touches};
use value::{Text, Value};

use super::{Condition, LabelNo, NodeNo, Operand, Slot, To};
use crate::reduce::Reducer;
use crate::schema::SchemaId;
use crate::stores::DeedDef;

/// What is done at a node.
#[derive(Debug)]
pub(crate) enum Step {
    Pass,
    Set {
        to: Slot,
        from: Operand,
    },
    Compute {
        to: Option<Slot>,
        function: &'static Function,
        args: Vec<Operand>,
    },
    Filter {
        to: Slot,
        list: Operand,
        field: Text,
        cmp: Cmp,
        value: Operand,
    },
    Sort {
        to: Slot,
        list: Operand,
        field: Text,
        descending: bool,
    },
    If {
        condition: Condition,
        then: To,
        otherwise: To,
    },
    /// What is returned is written to `out`, and to `also`.
    Call {
        label: LabelNo,
        out: Slot,
        also: Option<Slot>,
    },
    Loop {
        list: Operand,
        item: Slot,
        body: LabelNo,
        after: To,
        last: Slot,
    },
    While {
        condition: Condition,
        limit: u64,
        body: LabelNo,
        after: To,
        last: Slot,
        /// Whether the condition depends on what the turn before returned.
        looks_at_last: bool,
    },
    Return(Operand),
    Enforce(Box<EnforceStep>),
    Fail {
        code: Text,
    },
    Clock {
        form: ClockForm,
        out: Option<Slot>,
    },
    Uuid {
        out: Option<Slot>,
    },
    Sleep(Operand),
    Logic {
        block: u32,
        given: Option<Vec<Slot>>,
        returned: Option<Slot>,
    },
    Model(Box<ModelStep>),
    Tool(Box<ToolStep>),
    ReadStore {
        store: u32,
        key: Option<Operand>,
        query: Option<SchemaId>,
        out: Option<Slot>,
    },
    WriteStore {
        store: u32,
        input: Option<SchemaId>,
    },
    Receive {
        channel: u32,
        out: Option<Slot>,
    },
    Publish {
        channel: u32,
        input: Option<SchemaId>,
    },
    Keep(Box<KeepStep>),
    Fork {
        over: Option<Operand>,
        item: Option<Slot>,
        branches: Vec<LabelNo>,
        join: NodeNo,
    },
    Join {
        strategy: Strategy,
        reducers: BTreeMap<Slot, Reducer>,
    },
    Ask(Box<AskStep>),
    Effect(Box<EffectStep>),
    Transact(Box<TxStep>),
    Unready(Text),
}

#[derive(Debug)]
pub(crate) struct EnforceStep {
    pub(crate) policy: Text,
    /// What the policy asks for; nothing more than its name where none declares it.
    pub(crate) demands: Vec<Demand>,
    pub(crate) is_declared: bool,
    pub(crate) present: Slot,
    pub(crate) role: Slot,
}

/// Something that a policy asks of who is calling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Demand {
    Auth,
    Role(Text),
    /// Nobody can check it: the constraint, as it is written.
    Unknown(Text),
}

/// What a clock is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockForm {
    Seconds,
    Text,
}

#[derive(Debug)]
pub(crate) struct ModelStep {
    pub(crate) agent: u32,
    pub(crate) input: Option<SchemaId>,
    /// The schema of the answer, the slots of its fields, and that of the whole.
    pub(crate) output: Option<(SchemaId, Vec<Slot>, Slot)>,
    /// The same schema as JSON Schema.
    pub(crate) shape: Option<Arc<Value>>,
    pub(crate) out: Option<Slot>,
    pub(crate) timeout_ms: Option<u64>,
    /// What is asked, where it is not what the frame holds.
    pub(crate) text: Option<Operand>,
}

/// One of several tools.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) tool: Text,
    /// What its author calls it; its id, where that is not said.
    pub(crate) label: Text,
}

#[derive(Debug)]
pub(crate) struct ToolStep {
    /// Which tool, or the name under which it stands.
    pub(crate) tool: Operand,
    /// What it is chosen from, where there are several.
    pub(crate) choices: Vec<Choice>,
    pub(crate) input: Option<SchemaId>,
    /// Where its text stands without a schema: the first that is there.
    pub(crate) texts: Vec<Slot>,
    pub(crate) out: Option<Slot>,
    pub(crate) timeout_ms: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct AskStep {
    pub(crate) prompt: Operand,
    pub(crate) schema: Option<Value>,
    pub(crate) options: Vec<Value>,
    pub(crate) default: Option<Operand>,
    pub(crate) expires_ms: Option<u64>,
    pub(crate) capability: Option<Text>,
    pub(crate) out: Option<Slot>,
    /// Where control goes when nobody answers; nothing where no edge says.
    pub(crate) expired: Option<To>,
}

#[derive(Debug)]
pub(crate) struct EffectStep {
    pub(crate) server: Text,
    pub(crate) tool: Text,
    pub(crate) target: Option<Operand>,
    pub(crate) args: Vec<Operand>,
    pub(crate) input: Option<SchemaId>,
    pub(crate) touches: Touches,
    pub(crate) again: Again,
    /// Where the transaction stands that it belongs to, if it can be in one.
    pub(crate) within: Option<Slot>,
    pub(crate) out: Option<Slot>,
    pub(crate) timeout_ms: Option<u64>,
}

/// A use of a cache, a queue or a memory.
#[derive(Debug)]
pub(crate) struct KeepStep {
    pub(crate) def: &'static DeedDef,
    /// Which one, where the verb has none of its own.
    pub(crate) name: Option<Operand>,
    /// By the names that the verb has for them.
    pub(crate) args: Vec<(&'static str, Operand)>,
    pub(crate) out: Option<Slot>,
    /// It lives as long as the run, as everything did that older engines began.
    pub(crate) of_run: bool,
}

/// A transaction begins or ends.
#[derive(Debug)]
pub(crate) struct TxStep {
    pub(crate) action: TxAction,
    pub(crate) name: Text,
    pub(crate) adapter: Text,
    pub(crate) mode: Text,
    /// Where its id is written.
    pub(crate) id: Slot,
    /// Where it stands as long as it is open.
    pub(crate) open: Slot,
}

/// What becomes of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TxAction {
    Begin,
    Commit,
    Rollback,
}

impl TxAction {
    /// The verb by which an adapter is asked for it.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            TxAction::Begin => "BEGIN",
            TxAction::Commit => "COMMIT",
            TxAction::Rollback => "ROLLBACK",
        }
    }
}

/// What a join waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    All,
    Any,
    /// As `Any`, in other words.
    Race,
    Quorum(Option<u32>),
}

impl Strategy {
    /// The strategy of this word.
    pub(crate) fn of(word: &str) -> Option<Strategy> {
        Some(match word {
            "all" => Strategy::All,
            "any" => Strategy::Any,
            "race" => Strategy::Race,
            "quorum" => Strategy::Quorum(None),
            _ => match word.strip_prefix("quorum:").and_then(|count| count.parse().ok()) {
                Some(count) => Strategy::Quorum(Some(count)),
                None => return None,
            },
        })
    }

    /// How many of so many branches must succeed.
    pub(crate) fn needed(self, branches: u32) -> u32 {
        match self {
            Strategy::All => branches,
            Strategy::Any | Strategy::Race => 1.min(branches),
            Strategy::Quorum(None) => {
                if branches == 0 {
                    0
                } else {
                    branches / 2 + 1
                }
            }
            // No branch at all is a join that is met.
            Strategy::Quorum(Some(_)) if branches == 0 => 0,
            Strategy::Quorum(Some(count)) => count,
        }
    }
}

/// How a node is tried again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Retry {
    pub(crate) count: u32,
    pub(crate) backoff_ms: u64,
    pub(crate) backoff: Backoff,
    pub(crate) backoff_max_ms: Option<u64>,
    /// The codes that are tried again; all where none is given.
    pub(crate) errors: Vec<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backoff {
    Fixed,
    Linear,
    Exponential,
}

impl Retry {
    /// How long to wait before an attempt; the second one is number 1.
    pub(crate) fn delay_ms(&self, attempt: u32) -> u64 {
        let times = match self.backoff {
            Backoff::Fixed => 1,
            Backoff::Linear => u64::from(attempt),
            Backoff::Exponential => 1u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX),
        };
        let delay = self.backoff_ms.saturating_mul(times);
        // A year: beyond that the calendar ends somewhere.
        delay.min(self.backoff_max_ms.unwrap_or(u64::MAX)).min(365 * 24 * 3_600_000)
    }
}

impl Step {
    /// Whether an answer from outside comes back to it.
    pub(crate) fn leaves(&self) -> bool {
        matches!(
            self,
            Step::Model(_)
                | Step::Tool(_)
                | Step::Effect(_)
                | Step::Transact(_)
                | Step::Ask(_)
                | Step::Sleep(_)
        )
    }
}
