//! Tools: programs that `quipu.toml` names, and what is built in.

mod arithmetic;
mod builtin;
mod clock;
pub(crate) mod duration;
mod executable;
mod json;
mod output;
mod process;
mod text;

pub use builtin::{BUILTINS, Builtin};
pub use executable::{Executable, VARIABLES};

use runtime::{Fault, FaultKind};
use value::{Map, Value};

/// Whether what a tool does to the world may have been done although it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It has not happened.
    None,
    /// Nobody knows.
    Possible,
}

/// A failure that says whether the effect may have happened, with more for programs.
pub(crate) fn fault<const N: usize>(
    kind: FaultKind,
    effect: Effect,
    message: impl Into<value::Text>,
    details: [(&str, Value); N],
) -> Fault {
    let mut members: Map = details.map(|(name, value)| (name.into(), value)).into_iter().collect();
    members.insert("may_have_happened".into(), Value::Bool(effect == Effect::Possible));
    Fault { details: Some(members.into()), ..Fault::new(kind, message) }
}
