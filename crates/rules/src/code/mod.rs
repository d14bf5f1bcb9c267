//! Expressions and actions as flat code, and the machine that runs it.
//!
//! Names are gone here: a variable is a place in a frame, a slot is a position, a default is a
//! value. Nothing calls itself while code runs, and every step is counted.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::regex::Regex;
use diagnostics::Span;
use value::Text;

use crate::field::{FactId, Field};
use crate::functions::Shape;
use crate::program::{GlobalId, TemplateId};

mod act;
mod compile;
mod loops;
mod machine;
mod print;
mod search;
mod slots;
mod sort;
#[cfg(test)]
mod tests;
mod two;

pub(crate) use compile::Compiler;
pub(crate) use machine::{Done, Machine};
pub(crate) use print::written;

#[cfg(test)]
use print::printed;
use two::Two;

/// What went wrong while code ran. The actions before it were done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
}

/// What the machine acts on. In conditions, and before there are facts, it is one that has no facts
/// to change: the reader lets no action stand there. Such a one says nothing of what actions do.
pub(crate) trait World {
    /// Asserts a fact whose fields are in the template's order. Gives the address of the fact
    /// that is there then, which an equal one may be; none where it was not asserted.
    fn assert(&mut self, _: TemplateId, _: Vec<Field>) -> Result<Option<FactId>, String> {
        Err(ONLY_LOOKS.to_owned())
    }
    /// Retracts a fact; says whether it was there.
    fn retract(&mut self, _: FactId) -> Result<bool, String> {
        Err(ONLY_LOOKS.to_owned())
    }
    /// Retracts all facts.
    fn retract_all(&mut self) -> Result<(), String> {
        Err(ONLY_LOOKS.to_owned())
    }
    /// Gives some slots of a fact other values, by position.
    fn modify(&mut self, _: FactId, _: Vec<(u32, Field)>) -> Result<Option<FactId>, String> {
        Err(ONLY_LOOKS.to_owned())
    }
    /// A fact, while it is there.
    fn fact(&self, fact: FactId) -> Option<FactView<'_>>;
    /// The fact that has this index.
    fn at_index(&self, index: u64) -> Option<FactId>;
    /// The index of a fact, also of one that is gone if it is still known: it is printed.
    fn index(&self, fact: FactId) -> Option<u64> {
        self.fact(fact).map(|view| view.index)
    }
    /// Whether a global has a value already.
    fn has_global(&self, _: GlobalId) -> bool {
        true
    }
    /// What a global is.
    fn global(&self, global: GlobalId) -> &Field;
    /// Makes a global something else.
    fn set_global(&mut self, _: GlobalId, _: Field) {}
    /// Prints.
    fn print(&mut self, _: &str) {}
}

/// What a world says that has no facts to change.
const ONLY_LOOKS: &str = "facts cannot be changed here";

/// A fact as the machine sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactView<'a> {
    /// Of which template.
    pub template: TemplateId,
    /// What its slots hold, in the template's order.
    pub fields: &'a [Field],
    /// Its index.
    pub index: u64,
}

/// What all codes of a program share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    /// The program's functions.
    functions: Vec<Routine>,
    /// How each global is computed at first, for those who bind it to nothing.
    globals: Vec<Routine>,
    /// For each template, how the values of its slots are computed where a fact does not say, by
    /// the slots' positions.
    defaults: Vec<BTreeMap<u32, Routine>>,
    /// Its templates.
    shapes: Vec<Shape>,
}

/// Code that other code calls. It is compiled once, however often it is called: what it calls is
/// never written out where it is called, as that could grow with every call, or without end.
#[derive(Clone, Copy, Debug)]
enum Called {
    /// A function of the program.
    Function(u32),
    /// The first value of a global.
    Global(GlobalId),
    /// The value of a slot, by its template and its position, where a fact does not say.
    Default(TemplateId, u32),
}

impl Codes {
    fn routine(&self, called: Called) -> Option<&Routine> {
        match called {
            Called::Function(function) => self.functions.get(function as usize),
            Called::Global(global) => self.globals.get(global.0 as usize),
            Called::Default(template, slot) => {
                self.defaults.get(template.0 as usize).and_then(|slots| slots.get(&slot))
            }
        }
    }
}

/// What can be called.
#[derive(Clone, Debug)]
struct Routine {
    name: Text,
    parameters: u32,
    /// Whether the rest of the arguments is one more parameter.
    rest: bool,
    code: Code,
}

/// Expressions or actions, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    ops: Vec<Op>,
    /// Where each op comes from.
    spans: Vec<Span>,
    /// How many places its frame has.
    places: u32,
    /// The variables' names, for faults. There may be more places than names.
    names: Vec<Text>,
}

impl Code {
    /// How many places its frame has; those of the variables come first, in their order.
    pub(crate) fn places(&self) -> usize {
        self.places as usize
    }
}

/// One step. What it takes is on the stack, the last of it on top; what it gives is there after.
#[derive(Clone, Debug)]
enum Op {
    /// Gives a value.
    Push(Field),
    /// Takes one value.
    Pop,
    /// Takes values until so many are left in this frame.
    Unwind(u32),
    /// Gives a variable's value.
    Load(u32),
    /// Takes a value for a variable.
    Store(u32),
    /// Has a variable's value be the one on top, which stays.
    Keep(u32),
    /// Takes away a variable's value.
    Clear(u32),
    /// Gives a global's value.
    Global(GlobalId),
    /// Has a global's value be the one on top, which stays.
    SetGlobal(GlobalId),
    /// Makes one list of so many values.
    Gather(u32),
    /// Goes on elsewhere.
    Jump(u32),
    /// Takes a value, and goes on elsewhere if it is `FALSE`.
    Unless(u32),
    /// Takes a value, and goes on elsewhere if it is not `FALSE`.
    When(u32),
    /// A comparison or an addition of two values.
    Two(Two),
    /// One link of a chain of comparisons: takes two values and goes on elsewhere with `FALSE`
    /// if they do not compare. Otherwise it gives one of them back, to be compared with the
    /// next, or `TRUE` if it is the last link.
    Link {
        function: u16,
        keeps: Keeps,
        /// How many links were before it: the arguments of the whole chain count on.
        before: u32,
        end: u32,
    },
    /// A function of the table, of so many values.
    Call { function: u16, count: u32 },
    /// A routine of the program, of so many values.
    Apply { called: Called, count: u32 },
    /// Whether a text has a pattern that was compiled before.
    Matches(Arc<Regex>),
    /// Whether a text has the pattern below it, which has to be compiled first.
    Search,
    /// Begins to sort so many values.
    Sort(u32),
    /// Gives two values that have to be compared, or, where all is in order, the list, and goes
    /// on elsewhere.
    Compare(u32),
    /// Takes whether they change places, and goes back to compare more.
    Compared(u32),
    /// Begins to count: both numbers are in variables. Goes on elsewhere if there is nothing to
    /// count.
    Count { number: u32, last: u32, end: u32 },
    /// Counts on, and goes back unless that was all.
    CountOn { number: u32, last: u32, body: u32 },
    /// Begins to go through a list that is in a variable.
    Each { list: u32, index: u32 },
    /// The next field of it, or elsewhere if there is none.
    EachOn { list: u32, index: u32, field: u32, end: u32 },
    /// Takes a value and, if the one below equals it, also that; goes on elsewhere otherwise.
    Case(u32),
    /// Ends this function, or everything, with the value on top.
    Return,
    /// Asserts a fact and gives its address.
    Assert(Box<Assertion>),
    /// Takes what it retracts.
    Retract,
    /// Takes a fact, and values for some of its slots.
    Modify(Box<Modification>),
    /// Takes what it prints. Where it is not sure that it prints, the value below says so.
    Print { sure: bool },
    /// No rule fires after this one.
    Halt,
    /// The program is wrong here.
    Fail(Box<str>),
}

/// What a link of a chain gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    First,
    Second,
    Nothing,
}

/// A fact to be asserted.
#[derive(Clone, Debug)]
struct Assertion {
    template: TemplateId,
    slots: Vec<Given>,
    /// How many values it takes in all.
    count: u32,
}

/// Where the value of a slot comes from.
#[derive(Clone, Debug)]
enum Given {
    /// Known when the program was compiled.
    Value(Field),
    /// The next value.
    One,
    /// So many of the next values, as a list.
    Many(u32),
}

/// Slots to be changed.
#[derive(Clone, Debug)]
struct Modification {
    /// The slots' names, how many values each gets, and where that stands.
    changes: Vec<(Text, u32, Span)>,
    /// How many values it takes in all, without the fact.
    count: u32,
    /// Whether the fact stays as it is and another is asserted.
    duplicate: bool,
}
