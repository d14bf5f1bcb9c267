//! The functions of the op `X`, and the verbs of `core` that touch nothing.
//!
//! One table ([`FUNCTIONS`]): running, arity and the reference in the docs follow from it.

mod bounds;
mod compare;
mod convert;
mod lists;
mod numbers;
mod objects;
mod order;
mod table;
mod texts;

use std::fmt::Write;
use std::ops::RangeInclusive;

use value::Value;

use crate::{Fault, FaultKind};

pub(crate) use convert::shown;

pub use bounds::{DEPTH_MAX, LENGTH_MAX, RANGE_MAX};
pub use order::{filter, sort};
pub use table::FUNCTIONS;

/// A function of values.
#[derive(Debug)]
pub struct Function {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// How many arguments it takes.
    pub args: RangeInclusive<usize>,
    /// Its arguments in words: what may be left out in brackets.
    pub signature: &'static str,
    /// What it gives.
    pub doc: &'static str,
    apply: Apply,
}

type Apply = fn(&[Value]) -> Result<Value, Fault>;

impl Function {
    /// Computes it.
    pub fn call(&self, args: &[Value]) -> Result<Value, Fault> {
        let result = if self.args.contains(&args.len()) {
            (self.apply)(args)
        } else {
            Err(fault(format!("it takes {}, not {}", self.arity(), args.len())))
        };
        result.map_err(|mut fault| {
            fault.message = format!("`{}`: {}", self.name, fault.message).into();
            fault
        })
    }

    fn arity(&self) -> String {
        let (min, max) = (*self.args.start(), *self.args.end());
        let plural = if max == 1 { "" } else { "s" };
        match max {
            usize::MAX => format!("{min} or more arguments"),
            _ if min == max => format!("{min} argument{plural}"),
            _ => format!("{min} to {max} arguments"),
        }
    }
}

/// The function of this name: `add`, `ADD`, `core.add` and `core.ADD` are one.
pub fn find(name: &str) -> Option<&'static Function> {
    let name = name.strip_prefix("core.").unwrap_or(name);
    FUNCTIONS.iter().find(|function| {
        let mut names = function.aliases.iter().chain([&function.name]);
        names.any(|own| own.eq_ignore_ascii_case(name))
    })
}

/// The reference, as Markdown.
pub fn page() -> String {
    let mut page = format!(
        "# Functions\n\n\
         <!-- Generated from the table of functions: UPDATE=1 cargo test -p quipu-runtime -->\n\n\
         What the op `X` computes, and the verbs of `core` that touch nothing: \
         `X total add a b`, `X total core.add a b` and `R core.ADD a b ->total` are the same.\n\
         Names are found whatever their case. No function changes its arguments.\n\n\
         What a function cannot work on is the fault `function`. \
         So is a text of more than {LENGTH_MAX} bytes, a list of more than {LENGTH_MAX} items, \
         a range of more than {RANGE_MAX} numbers, a value nested deeper than {DEPTH_MAX}, \
         a whole number beyond 64 bits, and a division by zero.\n\n\
         | function | arguments | what it gives |\n|---|---|---|\n"
    );
    for function in FUNCTIONS {
        let mut names = format!("`{}`", function.name);
        for alias in function.aliases {
            write!(names, ", `{alias}`").expect("writing to text cannot fail");
        }
        writeln!(page, "| {names} | {} | {} |", function.signature, function.doc)
            .expect("writing to text cannot fail");
    }
    page
}

fn fault(why: impl Into<value::Text>) -> Fault {
    Fault::new(FaultKind::Function, why)
}

/// A value of another kind than is needed.
fn not(value: &Value, needed: &str) -> Fault {
    fault(format!("{} where {needed} is needed", value.kind()))
}

fn whole(value: &Value) -> Result<i64, Fault> {
    match value {
        Value::Int(int) => Ok(*int),
        Value::Float(float) => numbers::to_int(*float)
            .filter(|_| float.fract() == 0.0)
            .ok_or_else(|| fault(format!("{float} where a whole number is needed"))),
        other => Err(not(other, "a whole number")),
    }
}

fn text(value: &Value) -> Result<&value::Text, Fault> {
    value.as_text().ok_or_else(|| not(value, "text"))
}

/// A list; null is an empty one, so that a name nobody has set yet can be pushed to.
fn list(value: &Value) -> Result<&[Value], Fault> {
    match value {
        Value::Null => Ok(&[]),
        other => other.as_list().ok_or_else(|| not(other, "a list")),
    }
}
