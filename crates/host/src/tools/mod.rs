//! Tools: programs and HTTP interfaces that `quipu.toml` names, and what is built in.

pub(crate) mod api;
mod arithmetic;
mod builtin;
mod clock;
pub(crate) mod duration;
mod executable;
mod json;
mod output;
mod process;
mod text;

pub use api::Api;
pub use builtin::{BUILTINS, Builtin};
pub use executable::{Executable, VARIABLES};

use runtime::{Fault, FaultKind};
use value::Value;

/// A failure with more for programs.
fn detailed<const N: usize>(
    kind: FaultKind,
    message: impl Into<value::Text>,
    details: [(&str, Value); N],
) -> Fault {
    Fault { details: Some(Value::map(details)), ..Fault::new(kind, message) }
}
