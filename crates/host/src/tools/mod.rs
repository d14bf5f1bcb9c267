//! Tools: programs and HTTP interfaces that `quipu.toml` names, and what is built in.

pub(crate) mod api;
mod arithmetic;
mod builtin;
pub(crate) mod checked;
mod clock;
mod composite;
pub(crate) mod contract;
pub(crate) mod duration;
mod executable;
pub(crate) mod files;
mod json;
pub(crate) mod output;
pub(crate) mod process;
pub mod schema;
mod shell;
mod text;

pub use api::Api;
pub use builtin::{BUILTINS, Builtin};
pub(crate) use composite::{Composite, Part};
pub use contract::Terms;
pub(crate) use executable::visible;
pub use executable::{Executable, VARIABLES};
pub use files::{Files, Operation};
pub(crate) use shell::{Allowed, Element, Program, Shell};

use runtime::{Fault, FaultKind};
use value::Value;

/// A failure with more for programs.
pub(crate) fn detailed<const N: usize>(
    kind: FaultKind,
    message: impl Into<value::Text>,
    details: [(&str, Value); N],
) -> Fault {
    Fault { details: Some(Value::map(details)), ..Fault::new(kind, message) }
}
