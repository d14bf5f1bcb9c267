//! Why a node failed, and which failures there are.

use std::fmt;
use std::sync::Arc;

use functions::Misfit;
use history::kinds::records::Error;
use value::{Map, Text, Value};

macro_rules! faults {
    ($($kind:ident $word:literal $doc:literal => $help:literal;)*) => {
        /// What kind of failure it is: what retries and handlers go by.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum FaultKind {
            $(#[doc = $doc] $kind,)*
            /// One that a tool named itself.
            Other(Text),
        }

        impl FaultKind {
            /// The word in events and in `error.code`.
            pub fn word(&self) -> &str {
                match self {
                    $(FaultKind::$kind => $word,)*
                    FaultKind::Other(word) => word,
                }
            }

            /// The kind with this word.
            pub fn of(word: &str) -> FaultKind {
                match word {
                    $($word => FaultKind::$kind,)*
                    _ => FaultKind::Other(word.into()),
                }
            }
        }

        /// Every kind: its word, what it means, what to do about it.
        pub static FAULTS: &[(&str, &str, &str)] = &[$(($word, $doc, $help)),*];
    };
}

faults! {
    Schema "schema" "An answer does not have the shape that its schema asks for."
        => "Look at the answer with `quipu log RUN`, then make the prompt clearer or the field optional.";
    Timeout "timeout" "Something took longer than it may."
        => "Give it more time (`timeout`), or handle the error.";
    Denied "denied" "A decision before the effect did not allow it."
        => "`quipu why RUN@SEQ` says who decided, and by what.";
    Aborted "aborted" "A policy did not allow an effect, and ended the run because of it."
        => "`quipu why RUN@SEQ` says by what rule; `quipu policy history` says who put it in force.";
    Interrupted "interrupted" "The process died while an effect was under way: it may have happened."
        => "Find out whether it happened; `quipu resume RUN` says how a fork goes on in either case.";
    Tool "tool" "A tool failed."
        => "The message is the tool's own.";
    Model "model" "A model could not be asked, or gave no answer."
        => "The message says who said no, and why; `quipu doctor --online` asks whether models can be reached.";
    Store "store" "A store could not be read or written."
        => "The message says which, and why.";
    Logic "logic" "The Python of a `logic:` block raised an exception."
        => "The message has the line. `quipu state RUN@SEQ` shows what the block was given.";
    LogicLimit "logic_limit" "The Python of a `logic:` block took too long or too much."
        => "Move heavy work into a tool.";
    Function "function" "A function was given what it cannot work on."
        => "`quipu state RUN@SEQ` shows the values.";
    Expired "expired" "Nobody answered in time, and there is no default."
        => "Give the question a default, or an `expired` way.";
    Unresolved "gate_unresolved" "No branch of a gate applies."
        => "Give the gate a `default`.";
    Failed "failed" "The graph says that it fails here."
        => "The message is the author's.";
    Input "input" "The run was not given what it needs."
        => "Give it with `--input NAME=VALUE`.";
    Branches "branches" "Too few of the parallel branches succeeded."
        => "The details have the error of each branch.";
    Missing "missing" "Something that is needed is not there: a tool without a binding, an unknown verb."
        => "Bind the tool in `quipu.toml`, or run with `--model stub:high`.";
    Visits "visits_exceeded" "More processes were begun than `--max-visits` allows."
        => "Look for a loop that does not end, or allow more.";
    Steps "steps_exceeded" "More steps were taken than `--max-steps` allows."
        => "Look for a loop that does not end, or allow more.";
    Depth "depth_exceeded" "Calls went deeper than `--max-depth` allows."
        => "Look for a recursion that does not end.";
    Fibers "fibers_exceeded" "More branches were begun than `--max-fibers` allows."
        => "Fork over fewer items, or allow more.";
    Turns "turns_exceeded" "A `While`, or a model that wants tools, went on for longer than its limit."
        => "Make it end, or raise the limit: `limit` of the `While`, `--max-tool-turns` for models.";
    Tokens "tokens_exceeded" "The models took more tokens than `--max-tokens` allows."
        => "Allow more, or ask for less.";
    Cost "cost_exceeded" "The models and tools cost more than `--max-cost` allows."
        => "Allow more, or use a cheaper model.";
    Time "time_exceeded" "The run took longer than `--max-time` allows."
        => "Allow more time.";
    Calls "calls_exceeded" "A tool was called more often than `--max-calls` allows."
        => "Allow more calls, or look for a loop.";
    Cancelled "cancelled" "Somebody cancelled the run."
        => "A fork can go on from any event before it.";
}

/// A failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which.
    pub kind: FaultKind,
    /// In words, for a person.
    pub message: Text,
    /// More, for a program.
    pub details: Option<Value>,
}

impl Fault {
    /// A failure with its message.
    pub fn new(kind: FaultKind, message: impl Into<Text>) -> Fault {
        Fault { kind, message: message.into(), details: None }
    }

    /// The same failure with one more member in its details.
    pub fn with_detail(mut self, member: &str, value: Value) -> Fault {
        let mut details = match self.details.take() {
            Some(Value::Map(details)) => Arc::unwrap_or_clone(details),
            Some(other) => Map::from_iter([("details".into(), other)]),
            None => Map::default(),
        };
        details.insert(member.into(), value);
        self.details = Some(details.into());
        self
    }

    /// As events write it.
    pub fn to_error(&self) -> Error {
        Error {
            code: Some(self.kind.word().into()),
            message: Some(self.message.clone()),
            details: self.details.clone(),
        }
    }

    /// As events wrote it.
    pub fn from_error(error: &Error) -> Fault {
        Fault {
            kind: error.code.as_deref().map_or(FaultKind::Failed, FaultKind::of),
            message: error.message.clone().unwrap_or_else(|| "".into()),
            details: error.details.clone(),
        }
    }

    /// As programs see it in `_error`.
    pub fn to_value(&self) -> Value {
        let mut members: Map = [
            ("code", Value::text(self.kind.word())),
            ("message", Value::Text(self.message.clone())),
        ]
        .map(|(name, value)| (name.into(), value))
        .into_iter()
        .collect();
        if let Some(details) = &self.details {
            members.insert("details".into(), details.clone());
        }
        members.into()
    }
}

impl From<Misfit> for Fault {
    fn from(why: Misfit) -> Fault {
        Fault::new(FaultKind::Function, why.message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.word(), self.message)
    }
}

impl FaultKind {
    /// Whether it ends the whole run, whatever guards there are.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(
            self,
            FaultKind::Visits
                | FaultKind::Steps
                | FaultKind::Fibers
                | FaultKind::Tokens
                | FaultKind::Cost
                | FaultKind::Time
                | FaultKind::Aborted
        )
    }

    /// Whether trying again may help, and is allowed without asking.
    pub(crate) fn may_be_tried_again(&self) -> bool {
        !self.is_fatal()
            && !matches!(self, FaultKind::Interrupted | FaultKind::Denied | FaultKind::Cancelled)
    }
}
