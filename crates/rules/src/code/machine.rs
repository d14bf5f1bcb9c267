//! The machine that runs code.
//!
//! It has a stack of values, one of the places of variables and one of calls, all of which it
//! keeps between runs: in a steady state, running allocates nothing but what values need.

use diagnostics::Span;

use super::compile::prints;
use super::search::Patterns;
use super::sort::Sorting;
use super::{Called, Code, Codes, Fault, Keeps, Op, World};
use crate::field::{FactId, Field};
use crate::functions::{self, Cost, Facts, LIST_MAX, Run, Shape};

/// How many calls of a program's functions may be open at a time.
pub(crate) const FRAMES_MAX: usize = 10_000;

/// How many values and variables all open calls may have together.
pub(crate) const STACK_MAX: usize = 1 << 20;

/// How many fields the lists may have together that were made of the arguments of open calls.
pub(super) const LISTS_MAX: u64 = 4 * LIST_MAX as u64;

/// Runs code.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(super) stack: Vec<Field>,
    /// The variables of all open calls; none is unbound.
    places: Vec<Option<Field>>,
    frames: Vec<Frame>,
    sorts: Vec<Sorting>,
    pub(super) patterns: Patterns,
    pub(super) text: String,
}

/// What code gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// Its value.
    pub value: Field,
    /// Whether no rule is to fire after it.
    pub halted: bool,
}

/// Where a call came from.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The routine that called; none is the code that was run at first.
    called: Option<Called>,
    at: u32,
    /// Where its values and variables begin.
    stack: u32,
    places: u32,
    /// How many fields the lists have that were made of arguments, for it and for those around it.
    lists: u64,
}

/// What is wrong, before it is known where.
pub(super) type Wrong = String;

impl Machine {
    /// A machine that has run nothing.
    pub(crate) fn new() -> Machine {
        Machine::default()
    }

    /// A machine for a fork of what this one runs for. It keeps the same patterns, so that both
    /// count the same steps.
    pub(crate) fn fork(&self) -> Machine {
        Machine { patterns: self.patterns.clone(), ..Machine::default() }
    }

    /// Makes room for the variables of a code that is to run next. The caller gives values to
    /// those that have one, by their position.
    pub(crate) fn begin(&mut self, code: &Code) -> &mut [Option<Field>] {
        self.stack.clear();
        self.frames.clear();
        self.sorts.clear();
        self.places.clear();
        self.places.resize(code.places(), None);
        &mut self.places
    }

    /// Runs a code for which the machine was made ready. Each step, and each field or word that
    /// a function has to look at, takes one from the budget.
    pub(crate) fn run<W: World>(
        &mut self,
        codes: &Codes,
        code: &Code,
        budget: &mut u64,
        world: &mut W,
    ) -> Result<Done, Fault> {
        // Whoever forgets to begin finds all variables unbound.
        self.places.resize(code.places(), None);
        let mut running = Running { machine: self, codes, budget, world, halted: false };
        let result = running.all(code);
        let halted = running.halted;
        self.stack.clear();
        self.sorts.clear();
        self.frames.clear();
        result.map(|value| Done { value, halted })
    }
}

pub(super) struct Running<'r, W: World> {
    pub(super) machine: &'r mut Machine,
    pub(super) codes: &'r Codes,
    budget: &'r mut u64,
    pub(super) world: &'r mut W,
    halted: bool,
}

/// The facts of a world, for functions.
pub(super) struct Seen<'w, W: World> {
    pub(super) world: &'w W,
    pub(super) codes: &'w Codes,
}

impl<W: World> Facts for Seen<'_, W> {
    fn template_of(&self, fact: FactId) -> Option<&Shape> {
        self.codes.shapes.get(self.world.fact(fact)?.template.0 as usize)
    }

    fn fields_of(&self, fact: FactId) -> Option<&[Field]> {
        self.world.fact(fact).map(|view| view.fields)
    }

    fn index_of(&self, fact: FactId) -> Option<u64> {
        self.world.index(fact)
    }

    fn at_index(&self, index: u64) -> Option<FactId> {
        self.world.at_index(index)
    }
}

impl<W: World> Running<'_, W> {
    fn all(&mut self, entry: &Code) -> Result<Field, Fault> {
        let codes = self.codes;
        let mut code = entry;
        let mut frame = Frame { called: None, at: 0, stack: 0, places: 0, lists: 0 };
        let mut at = 0usize;
        loop {
            let Some(op) = code.ops.get(at) else {
                // The end of the code is a return.
                let value = self.pop();
                let Some(back) = self.machine.frames.pop() else { return Ok(value) };
                self.machine.stack.truncate(frame.stack as usize);
                self.machine.places.truncate(frame.places as usize);
                self.machine.stack.push(value);
                frame = back;
                at = back.at as usize;
                let caller = back.called.and_then(|called| codes.routine(called));
                code = caller.map_or(entry, |routine| &routine.code);
                continue;
            };
            let span = code.spans[at];
            at += 1;
            let Some(rest) = self.budget.checked_sub(1) else { return Err(exhausted(span)) };
            *self.budget = rest;
            let wrong = |message: Wrong| Fault { span, message };
            match op {
                Op::Push(field) => self.machine.stack.push(field.clone()),
                Op::Pop => {
                    self.machine.stack.pop();
                }
                Op::Unwind(depth) => {
                    self.machine.stack.truncate((frame.stack + depth) as usize);
                }
                Op::Load(place) => match self.place(frame, *place) {
                    Some(field) => {
                        let field = field.clone();
                        self.machine.stack.push(field);
                    }
                    None => return Err(unbound(code, *place, span)),
                },
                Op::Store(place) => {
                    let field = self.pop();
                    *self.place(frame, *place) = Some(field);
                }
                Op::Keep(place) => {
                    let field = self.machine.stack.last().cloned();
                    *self.place(frame, *place) = field;
                }
                Op::Clear(place) => *self.place(frame, *place) = None,
                Op::Global(global) => {
                    if !self.world.has_global(*global) {
                        let known = codes.routine(Called::Global(*global));
                        let name = known.map_or("a global", |global| &*global.name);
                        return Err(wrong(format!("`{name}` has no value yet")));
                    }
                    let field = self.world.global(*global).clone();
                    self.machine.stack.push(field);
                }
                Op::SetGlobal(global) => {
                    let field = self.top();
                    self.world.set_global(*global, field);
                }
                Op::Gather(count) => {
                    let from = self.from(*count);
                    let fields = &self.machine.stack[from..];
                    self.charge(Cost::Sum.of(fields), span)?;
                    let list = functions::list_of(&self.machine.stack[from..]).map_err(wrong)?;
                    self.give(from, list);
                }
                Op::Jump(to) => at = *to as usize,
                Op::Unless(to) => {
                    if !self.pop().holds() {
                        at = *to as usize;
                    }
                }
                Op::When(to) => {
                    if self.pop().holds() {
                        at = *to as usize;
                    }
                }
                Op::Two(two) => {
                    let from = self.from(2);
                    let [a, b] = &self.machine.stack[from..] else { continue };
                    match two.at_once(a, b) {
                        Some(value) => self.give(from, value),
                        None => self.call(two.function, 2, span)?,
                    }
                }
                Op::Link { function, keeps, before, end } => {
                    let from = self.from(2);
                    let kept = match keeps {
                        Keeps::First => self.machine.stack[from].clone(),
                        Keeps::Second => self.machine.stack[from + 1].clone(),
                        Keeps::Nothing => Field::Bool(true),
                    };
                    self.call(*function, 2, span).map_err(|fault| counted_on(fault, *before))?;
                    if self.top().holds() {
                        self.give(from, kept);
                    } else {
                        at = *end as usize;
                    }
                }
                Op::Call { function, count } => self.call(*function, *count, span)?,
                Op::Apply { called, count } => {
                    let Some(routine) = codes.routine(*called) else {
                        return Err(wrong("there is no such function".to_owned()));
                    };
                    let from = self.from(*count);
                    let single = from + routine.parameters as usize;
                    // A list of the rest is paid for before it is made, as by who makes one.
                    let made = self.machine.stack[single.min(self.machine.stack.len())..].iter();
                    let made: u64 = made.map(|value| value.fields().len() as u64).sum();
                    self.charge(u64::from(routine.parameters) + 2 * made, span)?;
                    let lists = frame.lists + made;
                    if lists > LISTS_MAX {
                        return Err(wrong(format!(
                            "`{}` calls and calls: lists of open calls have {LISTS_MAX} fields",
                            routine.name
                        )));
                    }
                    let machine = &mut *self.machine;
                    if machine.frames.len() >= FRAMES_MAX {
                        return Err(wrong(format!(
                            "`{}` calls and calls: {FRAMES_MAX} calls are open",
                            routine.name
                        )));
                    }
                    if machine.stack.len() + machine.places.len() > STACK_MAX {
                        return Err(wrong(format!(
                            "`{}` calls and calls: open calls have {STACK_MAX} values",
                            routine.name
                        )));
                    }
                    machine.frames.push(Frame { at: position(at), ..frame });
                    let places = machine.places.len();
                    let rest = routine
                        .rest
                        .then(|| functions::list_of(&machine.stack[single..]))
                        .transpose()
                        .map_err(wrong)?;
                    machine.stack.truncate(single);
                    machine.places.extend(machine.stack.drain(from..).map(Some));
                    machine.places.extend(rest.map(Some));
                    machine.places.resize(places + routine.code.places(), None);
                    frame = Frame {
                        called: Some(*called),
                        at: 0,
                        stack: position(from),
                        places: position(places),
                        lists,
                    };
                    code = &routine.code;
                    at = 0;
                }
                Op::Matches(pattern) => {
                    let text = self.pop();
                    let found = self.has(&text, pattern, span)?;
                    self.machine.stack.push(Field::Bool(found));
                }
                Op::Search => {
                    let (text, pattern) = (self.pop(), self.pop());
                    let found = self.search(&pattern, &text, span)?;
                    self.machine.stack.push(Field::Bool(found));
                }
                Op::Sort(count) => {
                    let from = self.from(*count);
                    self.charge(Cost::Sum.of(&self.machine.stack[from..]), span)?;
                    let fields = functions::flat(&self.machine.stack[from..]).map_err(wrong)?;
                    self.machine.stack.truncate(from);
                    self.machine.sorts.push(Sorting::new(fields));
                }
                Op::Compare(done) => {
                    let machine = &mut *self.machine;
                    let question = machine.sorts.last().and_then(Sorting::question);
                    if let Some((a, b)) = question.map(|(a, b)| (a.clone(), b.clone())) {
                        machine.stack.extend([a, b]);
                    } else {
                        let sorted = machine.sorts.pop().map(Sorting::fields).unwrap_or_default();
                        machine.stack.push(Field::many(sorted));
                        at = *done as usize;
                    }
                }
                Op::Compared(again) => {
                    let swapped = self.pop().holds();
                    if let Some(sorting) = self.machine.sorts.last_mut() {
                        sorting.answer(swapped);
                    }
                    at = *again as usize;
                }
                Op::Count { number, last, end } => {
                    let mut ends = [0; 2];
                    for (bound, place) in ends.iter_mut().zip([number, last]) {
                        *bound = match self.place(frame, *place) {
                            Some(Field::Int(number)) => *number,
                            other => return Err(wrong(functions::no_count(other.as_ref()))),
                        };
                    }
                    if ends[0] > ends[1] {
                        at = *end as usize;
                    }
                }
                Op::CountOn { number, last, body } => {
                    let last = self.place(frame, *last).clone();
                    let number = self.place(frame, *number);
                    if let (Some(Field::Int(number)), Some(Field::Int(last))) = (number, last)
                        && *number < last
                    {
                        *number += 1;
                        at = *body as usize;
                    }
                }
                Op::Each { list, index } => {
                    match self.place(frame, *list) {
                        Some(Field::Many(_)) => {}
                        other => return Err(wrong(functions::no_list(other.as_ref()))),
                    }
                    *self.place(frame, *index) = Some(Field::Int(0));
                }
                Op::EachOn { list, index, field, end } => {
                    let passed = match self.place(frame, *index) {
                        Some(Field::Int(index)) => usize::try_from(*index).unwrap_or_default(),
                        _ => 0,
                    };
                    let next = match self.place(frame, *list) {
                        Some(Field::Many(fields)) => fields.get(passed).cloned(),
                        _ => None,
                    };
                    if next.is_some() {
                        *self.place(frame, *field) = next;
                        if let Some(Field::Int(index)) = self.place(frame, *index) {
                            *index += 1;
                        }
                    } else {
                        at = *end as usize;
                    }
                }
                Op::Case(next) => {
                    let value = self.pop();
                    self.charge(functions::length_of(&value), span)?;
                    if self.machine.stack.last() == Some(&value) {
                        self.machine.stack.pop();
                    } else {
                        at = *next as usize;
                    }
                }
                Op::Return => at = code.ops.len(),
                Op::Assert(assertion) => {
                    let value = self.assert(assertion).map_err(wrong)?;
                    self.machine.stack.push(value);
                }
                Op::Retract => {
                    let fact = self.pop();
                    self.retract(&fact).map_err(wrong)?;
                }
                Op::Modify(modification) => {
                    let value = self.modify(modification, span)?;
                    self.machine.stack.push(value);
                }
                Op::Print { sure } => {
                    let value = self.pop();
                    if *sure || self.machine.stack.last().is_some_and(prints) {
                        self.print(&value, span)?;
                    }
                }
                Op::Halt => self.halted = true,
                Op::Fail(why) => return Err(wrong((**why).to_owned())),
            }
        }
    }

    /// Takes steps beyond the one that every op takes. Where they are not there, the rest is taken,
    /// too: that none is left tells this fault from others.
    pub(super) fn charge(&mut self, steps: u64, span: Span) -> Result<(), Fault> {
        let rest = self.budget.checked_sub(steps);
        *self.budget = rest.unwrap_or(0);
        if rest.is_some() { Ok(()) } else { Err(exhausted(span)) }
    }

    fn pop(&mut self) -> Field {
        // The compiler sees to it that there is one.
        self.machine.stack.pop().unwrap_or(Field::Bool(false))
    }

    fn top(&self) -> Field {
        self.machine.stack.last().cloned().unwrap_or(Field::Bool(false))
    }

    fn place(&mut self, frame: Frame, place: u32) -> &mut Option<Field> {
        &mut self.machine.places[(frame.places + place) as usize]
    }

    /// Where the last so many values begin.
    pub(super) fn from(&self, count: u32) -> usize {
        self.machine.stack.len().saturating_sub(count as usize)
    }

    /// One value instead of those from here on.
    fn give(&mut self, from: usize, value: Field) {
        self.machine.stack.truncate(from);
        self.machine.stack.push(value);
    }

    fn call(&mut self, function: u16, count: u32, span: Span) -> Result<(), Fault> {
        let def = &functions::TABLE[usize::from(function)];
        let from = self.from(count);
        if def.cost != Cost::One {
            self.charge(def.cost.of(&self.machine.stack[from..]), span)?;
        }
        let args = &self.machine.stack[from..];
        let outcome = match &def.run {
            Run::Pure(run) => run(args),
            Run::Facts(run) => run(&Seen { world: &*self.world, codes: self.codes }, args),
            Run::Sorting => Err("it is no function of two values".to_owned()),
        };
        let value =
            outcome.map_err(|why| Fault { span, message: format!("`{}`: {why}", def.name) })?;
        if def.cost != Cost::One {
            let steps = def.cost.of_made(&self.machine.stack[from..], &value);
            self.charge(steps, span)?;
        }
        self.give(from, value);
        Ok(())
    }
}

fn exhausted(span: Span) -> Fault {
    Fault { span, message: "the limit of steps is reached".to_owned() }
}

/// A fault of one link of a chain, as one of the chain. What was compared before was right: only
/// the second of the two can be wrong.
fn counted_on(fault: Fault, before: u32) -> Fault {
    let message = match (before, fault.message.split_once("argument 2 ")) {
        (1.., Some((start, end))) => format!("{start}argument {} {end}", before + 2),
        _ => fault.message,
    };
    Fault { message, ..fault }
}

fn unbound(code: &Code, place: u32, span: Span) -> Fault {
    let name = code.names.get(place as usize).map_or("", |name| name);
    Fault { span, message: format!("the variable `?{name}` has no value") }
}

pub(super) fn position(at: usize) -> u32 {
    // The stacks are shorter by far, see `STACK_MAX`.
    u32::try_from(at).unwrap_or(u32::MAX)
}
