//! What an adapter is: something outside that calls go to.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use graph::{Again, Touches};
use history::Timestamp;
use runtime::{Answer, Fault, FaultKind, Happened, Request, ToolCall};
use value::{Map, Text, Value};

use crate::mcp::Notice;

/// A call as an adapter gets it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which run.
    pub run: Text,
    /// The node, as `label/n1`.
    pub at: Text,
    /// What is wanted.
    pub request: Request,
    /// The same for every attempt at the same effect, and another in every fork.
    pub key: Text,
    /// Which attempt this is, from 1 on.
    pub attempt: u32,
    /// The run's time when it was asked for: what an adapter takes for now, so that a replay sees
    /// the same.
    pub now: Timestamp,
}

/// What an adapter declares of what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// What it touches.
    pub touches: Touches,
    /// How it may run again.
    pub again: Again,
}

impl Contract {
    /// What holds where nobody declares anything: it writes, and is never repeated unasked.
    pub(crate) const CAREFUL: Contract =
        Contract { touches: Touches::Write, again: Again::ByAsking };

    /// What is known of a call that has left and was lost.
    pub(crate) fn lost(self) -> Happened {
        match self.touches {
            Touches::Write => Happened::Maybe,
            _ => Happened::No,
        }
    }
}

/// The shorter of what a binding and a call allow, where they say something.
pub(crate) fn shorter(bound: Option<Duration>, call_ms: Option<u64>) -> Option<Duration> {
    bound.into_iter().chain(call_ms.map(Duration::from_millis)).min()
}

/// An answer, at once or later. What answers at once must not wait for anything.
pub enum Calling {
    /// Here it is.
    Now(Answer),
    /// It will come. Dropping the future gives the call up, and frees what it holds.
    Later(Pin<Box<dyn Future<Output = Answer> + Send>>),
}

/// Something outside that calls go to.
pub trait Adapter: Send + Sync {
    /// Does what is wanted.
    fn call(&self, call: Call) -> Calling;

    /// The tools that a call comes to, at any depth: a policy decides about each.
    fn parts(&self, _call: &ToolCall) -> Vec<Text> {
        Vec::new()
    }

    /// Takes what a run was told meanwhile without having asked.
    fn notices(&self, _run: &str) -> Vec<Notice> {
        Vec::new()
    }
}

/// What answers the calls of a tool.
pub trait Bound: Adapter + Any + fmt::Debug {
    /// What it declares of what it does.
    fn contract(&self) -> Contract;

    /// Arguments as it takes them, where it is given others than it declares.
    fn arranged(&self, _args: &Map) -> Option<Value> {
        None
    }

    /// The tools that it consists of, at any depth.
    fn consists_of(&self) -> Vec<Text> {
        Vec::new()
    }

    /// What a model is told of it, where it says so itself.
    fn described(&self) -> Described {
        Described::default()
    }

    /// Whether it knows what it declares: it is so by construction, whatever a spec says of it.
    /// Where it is not certain, it declares what counts where nobody says anything.
    fn is_certain(&self) -> bool {
        false
    }

    /// Whether it has been given something to show who it acts for. What a spec declares to need
    /// that (`auth_required`) is not called without.
    fn has_credentials(&self) -> bool {
        false
    }

    /// What it is, in a few words, or why it cannot answer and what to do about it. Nothing is
    /// started or called for that.
    fn look(&self) -> Result<String, String>;
}

/// What a tool says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Described {
    /// What it does, for whoever chooses tools.
    pub description: Option<Text>,
    /// The JSON Schema of what it is given.
    pub input: Option<Value>,
    /// The JSON Schema of what it answers.
    pub output: Option<Value>,
}

impl Calling {
    /// The answer of an adapter that was asked for what it does not do. The registry sees to it
    /// that none is.
    pub(crate) fn misrouted(call: &Call) -> Calling {
        let message = format!("`{}` went to an adapter that cannot answer it", call.at);
        Calling::Now(Answer::Failed(Fault::new(FaultKind::Missing, message)))
    }
}
