//! The functions of the op `X`, and the verbs of `core` that touch nothing.
//!
//! One table ([`FUNCTIONS`]): running, arity and the reference in the docs follow from it.
//! A crate of its own, below the graph, so that what can never be computed is found before a run.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod bounds;
mod compare;
mod convert;
mod lists;
mod numbers;
mod objects;
mod order;
mod table;
mod texts;

use std::fmt::{self, Write};
use std::ops::RangeInclusive;

use value::{Text, Value};

pub use compare::{is_in, truthy};
pub use convert::shown;

pub use bounds::{DEPTH_MAX, LENGTH_MAX, RANGE_MAX};
pub use order::sort;
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

/// Why a function cannot work on what it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// In words, for a person.
    pub message: Text,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

type Apply = fn(&[Value]) -> Result<Value, Misfit>;

impl Function {
    /// Computes it.
    pub fn call(&self, args: &[Value]) -> Result<Value, Misfit> {
        let result = if self.args.contains(&args.len()) {
            (self.apply)(args)
        } else {
            Err(misfit(format!("it takes {}, not {}", self.arity(), args.len())))
        };
        result.map_err(|why| misfit(format!("`{}`: {}", self.name, why.message)))
    }

    /// How many arguments it takes, in words.
    pub fn arity(&self) -> String {
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
         <!-- Generated from the table of functions: UPDATE=1 cargo test -p quipu-functions -->\n\n\
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

fn misfit(why: impl Into<Text>) -> Misfit {
    Misfit { message: why.into() }
}

/// A value of another kind than is needed.
fn not(value: &Value, needed: &str) -> Misfit {
    misfit(format!("{} where {needed} is needed", value.kind()))
}

fn whole(value: &Value) -> Result<i64, Misfit> {
    match value {
        Value::Int(int) => Ok(*int),
        Value::Float(float) => numbers::to_int(*float)
            .filter(|_| float.fract() == 0.0)
            .ok_or_else(|| misfit(format!("{float} where a whole number is needed"))),
        other => Err(not(other, "a whole number")),
    }
}

fn text(value: &Value) -> Result<&Text, Misfit> {
    value.as_text().ok_or_else(|| not(value, "text"))
}

/// A list; null is an empty one, so that a name nobody has set yet can be pushed to.
pub fn list(value: &Value) -> Result<&[Value], Misfit> {
    match value {
        Value::Null => Ok(&[]),
        other => other.as_list().ok_or_else(|| not(other, "a list")),
    }
}
