//! From expressions to code.

use std::sync::Arc;

use diagnostics::Span;
use value::Text;

use super::two::Two;
use super::{Called, Code, Codes, Keeps, Op, Routine};
use crate::field::Field;
use crate::functions::{self, Run, Shape};
use crate::program::{Default, Expr, ExprKind, FunctionId, NewFact, Program, Slot, VariableId};

/// Compiles what a program says.
#[derive(Clone, Copy)]
pub(crate) struct Compiler<'p> {
    program: &'p Program,
}

impl<'p> Compiler<'p> {
    /// For this program.
    pub(crate) fn new(program: &'p Program) -> Compiler<'p> {
        Compiler { program }
    }

    /// What all codes of the program share.
    pub(crate) fn codes(self) -> Codes {
        let functions = self.program.functions.iter().map(|function| Routine {
            name: function.name.clone(),
            parameters: function.parameters,
            rest: function.rest,
            code: self.actions(&function.body, &function.variables),
        });
        let shapes = self.program.templates.iter().map(|template| Shape {
            name: template.name.clone(),
            ordered: template.ordered,
            slots: template.slots.iter().map(|slot| slot.name.clone()).collect(),
            many: template.slots.iter().map(|slot| slot.many).collect(),
        });
        let globals = self.program.globals.iter().map(|global| {
            Routine::of(format!("?*{}*", global.name), self.expression(&global.value, &[]))
        });
        let defaults = self.program.templates.iter().map(|template| {
            let slots = template.slots.iter().enumerate().filter_map(|(at, slot)| {
                let Default::Computed(values) = &slot.default else { return None };
                let name = format!("{} of {}", slot.name, template.name);
                Some((position(at), Routine::of(name, self.default(slot, values))))
            });
            slots.collect()
        });
        Codes {
            functions: functions.collect(),
            globals: globals.collect(),
            defaults: defaults.collect(),
            shapes: shapes.collect(),
        }
    }

    /// What a slot holds where a fact does not say.
    fn default(self, slot: &Slot, values: &[Expr]) -> Code {
        let mut unit = Unit::new(self.program, &[]);
        match values {
            [value] if !slot.many => unit.expr(value),
            _ if !slot.many => unit.fail("a slot with one field gets one value", slot.span),
            _ => unit.gathered(values, slot.span),
        }
        unit.code()
    }

    /// Actions one after the other, with the value of the last.
    pub(crate) fn actions(self, actions: &[Expr], variables: &[Text]) -> Code {
        let mut unit = Unit::new(self.program, variables);
        let end = actions.last().map_or(Span::new(0, 0), |last| last.span);
        unit.sequence(actions, end);
        unit.code()
    }

    /// One expression.
    pub(crate) fn expression(self, expr: &Expr, variables: &[Text]) -> Code {
        self.actions(std::slice::from_ref(expr), variables)
    }

    /// Facts that a reset asserts.
    pub(crate) fn facts(self, facts: &[NewFact]) -> Code {
        let mut unit = Unit::new(self.program, &[]);
        let end = facts.last().map_or(Span::new(0, 0), |last| last.span);
        unit.assert(facts, end);
        unit.code()
    }
}

impl Routine {
    /// One that takes no arguments.
    fn of(name: String, code: Code) -> Routine {
        Routine { name: name.into(), parameters: 0, rest: false, code }
    }
}

/// One piece of code as it grows.
pub(super) struct Unit<'p> {
    pub(super) program: &'p Program,
    ops: Vec<Op>,
    spans: Vec<Span>,
    names: Vec<Text>,
    /// How many places the frame has so far.
    pub(super) places: u32,
    /// How many values are on the stack here.
    pub(super) depth: u32,
    /// Variables that stand for other places within a loop.
    pub(super) scopes: Vec<(VariableId, u32)>,
    /// The loops around, with what a `break` has to know.
    pub(super) loops: Vec<Loop>,
}

pub(super) struct Loop {
    /// How many values are on the stack where the loop ends.
    pub(super) depth: u32,
    /// The jumps to its end.
    pub(super) breaks: Vec<usize>,
}

impl<'p> Unit<'p> {
    fn new(program: &'p Program, variables: &[Text]) -> Unit<'p> {
        Unit {
            program,
            ops: Vec::new(),
            spans: Vec::new(),
            names: variables.to_vec(),
            places: position(variables.len()),
            depth: 0,
            scopes: Vec::new(),
            loops: Vec::new(),
        }
    }

    fn code(self) -> Code {
        Code { ops: self.ops, spans: self.spans, places: self.places, names: self.names }
    }

    /// Adds an op, after which there are so many values more, or less, on the stack.
    pub(super) fn add(&mut self, op: Op, span: Span, change: i64) -> usize {
        self.ops.push(op);
        self.spans.push(span);
        self.depth = u32::try_from(i64::from(self.depth) + change).unwrap_or_default();
        self.ops.len() - 1
    }

    pub(super) fn push(&mut self, field: Field, span: Span) {
        self.add(Op::Push(field), span, 1);
    }

    pub(super) fn here(&self) -> u32 {
        position(self.ops.len())
    }

    /// Lets a jump end here.
    pub(super) fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.ops[jump] {
            Op::Jump(to) | Op::Unless(to) | Op::When(to) | Op::Compare(to) | Op::Case(to) => {
                *to = here;
            }
            Op::Link { end, .. } | Op::Count { end, .. } | Op::EachOn { end, .. } => *end = here,
            _ => {}
        }
    }

    /// A place that no variable has.
    pub(super) fn place(&mut self) -> u32 {
        self.places += 1;
        self.places - 1
    }

    fn place_of(&self, variable: VariableId) -> u32 {
        let inner = self.scopes.iter().rev().find(|(shadowed, _)| *shadowed == variable);
        inner.map_or(variable.0, |(_, place)| *place)
    }

    /// Expressions one after the other, with the value of the last; `FALSE` if there is none.
    pub(super) fn sequence(&mut self, actions: &[Expr], span: Span) {
        let Some((last, before)) = actions.split_last() else {
            return self.push(Field::Bool(false), span);
        };
        for action in before {
            self.action(action);
        }
        self.expr(last);
    }

    /// An expression whose value nobody wants.
    fn action(&mut self, action: &Expr) {
        match &action.kind {
            ExprKind::Bind(variable, values) if !values.is_empty() => {
                self.gathered(values, action.span);
                self.add(Op::Store(self.place_of(*variable)), action.span, -1);
            }
            _ => {
                self.expr(action);
                self.add(Op::Pop, action.span, -1);
            }
        }
    }

    pub(super) fn actions(&mut self, actions: &[Expr]) {
        for action in actions {
            self.action(action);
        }
    }

    /// One expression; its value is on the stack after it.
    pub(super) fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(field) => self.push(field.clone(), span),
            ExprKind::Variable(variable) => {
                self.add(Op::Load(self.place_of(*variable)), span, 1);
            }
            ExprKind::Global(global) => {
                self.add(Op::Global(*global), span, 1);
            }
            ExprKind::Call(function, args) => self.call(*function, args, span),
            ExprKind::Apply(function, args) => self.apply(*function, args, span),
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                let skip = self.add(Op::Unless(0), span, -1);
                self.sequence(then, span);
                let done = self.add(Op::Jump(0), span, -1);
                self.land(skip);
                self.sequence(otherwise, span);
                self.land(done);
            }
            ExprKind::While(condition, body) => self.repeat(condition, body, span),
            ExprKind::Count { variable, from, to, body } => {
                self.count(*variable, from, to, body, span);
            }
            ExprKind::Each { variable, index, list, body } => {
                self.each(*variable, *index, list, body, span);
            }
            ExprKind::Switch(subject, cases, default) => {
                self.switch(subject, cases, default.as_deref(), span);
            }
            ExprKind::Sequence(actions) => self.sequence(actions, span),
            ExprKind::And(parts) => self.all(parts, true, span),
            ExprKind::Or(parts) => self.all(parts, false, span),
            ExprKind::Bind(variable, values) => {
                let place = self.place_of(*variable);
                if values.is_empty() {
                    self.add(Op::Clear(place), span, 0);
                    self.push(Field::Bool(false), span);
                } else {
                    self.gathered(values, span);
                    self.add(Op::Keep(place), span, 0);
                }
            }
            ExprKind::BindGlobal(global, values) => {
                if values.is_empty() {
                    self.add(Op::Apply { called: Called::Global(*global), count: 0 }, span, 1);
                } else {
                    self.gathered(values, span);
                }
                self.add(Op::SetGlobal(*global), span, 0);
            }
            ExprKind::Return(value) => {
                match value {
                    Some(value) => self.expr(value),
                    None => self.push(nothing(), span),
                }
                // What follows is never run, but has to find the value it counts with.
                self.add(Op::Return, span, 0);
            }
            ExprKind::Break => self.leave(span),
            ExprKind::Assert(facts) => self.assert(facts, span),
            ExprKind::Retract(facts) => {
                for fact in facts {
                    self.expr(fact);
                    self.add(Op::Retract, fact.span, -1);
                }
                self.push(nothing(), span);
            }
            ExprKind::Modify(fact, changes) => self.modify(fact, changes, false, span),
            ExprKind::Duplicate(fact, changes) => self.modify(fact, changes, true, span),
            ExprKind::Print(to, values) => self.print(to, values, span),
            ExprKind::Halt => {
                self.add(Op::Halt, span, 0);
                self.push(nothing(), span);
            }
        }
    }

    /// One value as it is; several, as a list.
    fn gathered(&mut self, values: &[Expr], span: Span) {
        for value in values {
            self.expr(value);
        }
        if values.len() != 1 {
            let count = position(values.len());
            self.add(Op::Gather(count), span, 1 - i64::from(count));
        }
    }

    fn call(&mut self, function: u16, args: &[Expr], span: Span) {
        let Some(def) = functions::TABLE.get(usize::from(function)) else {
            return self.fail("there is no such function", span);
        };
        let most = def.most.map_or(usize::MAX, usize::from);
        if !(usize::from(def.least)..=most).contains(&args.len()) {
            return self.fail(&format!("`{}` takes another number of arguments", def.name), span);
        }
        let count = position(args.len());
        match (def.name, args) {
            (_, [name, values @ ..]) if matches!(def.run, Run::Sorting) => {
                self.sort(name, values, span);
            }
            ("regex-match", [Expr { kind: ExprKind::Constant(pattern), .. }, text]) => {
                match functions::regex::compiled(pattern.lexeme().unwrap_or_default()) {
                    Ok(pattern) => {
                        self.expr(text);
                        self.add(Op::Matches(Arc::new(pattern)), span, 0);
                    }
                    Err(why) => self.fail(&why, span),
                }
            }
            ("format", [to, values @ ..]) if !prints_nothing(to) => {
                self.format(function, to, values, span);
            }
            ("=" | "<>" | "!=" | "eq" | "neq", [first, others @ ..]) if count > 2 => {
                self.chain(function, first, others, Keeps::First, span);
            }
            ("<" | "<=" | ">" | ">=", [first, others @ ..]) if count > 2 => {
                self.chain(function, first, others, Keeps::Second, span);
            }
            _ => {
                for arg in args {
                    self.expr(arg);
                }
                self.called(function, count, span);
            }
        }
    }

    fn called(&mut self, function: u16, count: u32, span: Span) {
        self.add(called(function, count), span, 1 - i64::from(count));
    }

    /// A comparison of more than two, which stops at the first that does not hold.
    fn chain(&mut self, function: u16, first: &Expr, others: &[Expr], keeps: Keeps, span: Span) {
        self.expr(first);
        let mut ends = Vec::new();
        for (before, part) in others.iter().enumerate() {
            self.expr(part);
            let keeps = if before + 1 < others.len() { keeps } else { Keeps::Nothing };
            let link = Op::Link { function, keeps, before: position(before), end: 0 };
            ends.push(self.add(link, span, -1));
        }
        for end in ends {
            self.land(end);
        }
    }

    fn apply(&mut self, function: FunctionId, args: &[Expr], span: Span) {
        let Some(called) = self.program.functions.get(function.0 as usize) else {
            return self.fail("there is no such function", span);
        };
        let count = position(args.len());
        if count < called.parameters || (count > called.parameters && !called.rest) {
            let name = &called.name;
            return self.fail(&format!("`{name}` takes another number of arguments"), span);
        }
        for arg in args {
            self.expr(arg);
        }
        let called = Called::Function(function.0);
        self.add(Op::Apply { called, count }, span, 1 - i64::from(count));
    }

    fn sort(&mut self, name: &Expr, values: &[Expr], span: Span) {
        let name = match &name.kind {
            ExprKind::Constant(Field::Symbol(name)) => name.as_str(),
            _ => return self.fail("`sort` needs the name of a function", span),
        };
        let takes_two = |least: u32, most: u32| (least..=most).contains(&2);
        let own = self.program.functions.iter().position(|function| &*function.name == name);
        let (compare, fits) = match (own, functions::find(name)) {
            (Some(own), _) => {
                let function = &self.program.functions[own];
                let most = if function.rest { u32::MAX } else { function.parameters };
                let op = Op::Apply { called: Called::Function(position(own)), count: 2 };
                (op, takes_two(function.parameters, most))
            }
            (None, Some(function)) => {
                let def = &functions::TABLE[usize::from(function)];
                let most = def.most.map_or(u32::MAX, u32::from);
                let op = called(function, 2);
                let pure = !matches!(def.run, Run::Sorting);
                (op, pure && takes_two(u32::from(def.least), most))
            }
            (None, None) => return self.fail(&format!("there is no function `{name}`"), span),
        };
        if !fits {
            return self.fail(&format!("`{name}` does not take two arguments"), span);
        }
        for value in values {
            self.expr(value);
        }
        let count = position(values.len());
        self.add(Op::Sort(count), span, -i64::from(count));
        let again = self.here();
        let done = self.add(Op::Compare(0), span, 2);
        self.add(compare, span, -1);
        self.add(Op::Compared(again), span, -1);
        self.land(done);
        self.depth += 1;
    }

    fn all(&mut self, parts: &[Expr], and: bool, span: Span) {
        let mut outs = Vec::new();
        for part in parts {
            self.expr(part);
            outs.push(self.add(if and { Op::Unless(0) } else { Op::When(0) }, span, -1));
        }
        self.push(Field::Bool(and), span);
        let done = self.add(Op::Jump(0), span, -1);
        for out in outs {
            self.land(out);
        }
        self.push(Field::Bool(!and), span);
        self.land(done);
    }

    /// Each value is printed before the next is computed, which may print too.
    fn print(&mut self, to: &Expr, values: &[Expr], span: Span) {
        let sure = matches!(&to.kind, ExprKind::Constant(field) if prints(field));
        if !sure {
            self.expr(to);
        }
        for value in values {
            self.expr(value);
            self.add(Op::Print { sure }, value.span, -1);
        }
        if !sure {
            self.add(Op::Pop, span, -1);
        }
        self.push(nothing(), span);
    }

    /// A text that is printed as a whole once it is there, and is the value, too.
    fn format(&mut self, function: u16, to: &Expr, values: &[Expr], span: Span) {
        let (to_place, text) = (self.place(), self.place());
        self.expr(to);
        self.add(Op::Keep(to_place), span, 0);
        for value in values {
            self.expr(value);
        }
        self.called(function, position(values.len() + 1), span);
        self.add(Op::Store(text), span, -1);
        self.add(Op::Load(to_place), span, 1);
        self.add(Op::Load(text), span, 1);
        self.add(Op::Print { sure: false }, span, -1);
        self.add(Op::Pop, span, -1);
        self.add(Op::Load(text), span, 1);
    }

    /// The reader refuses such a program; whoever makes one otherwise is told when it runs.
    pub(super) fn fail(&mut self, why: &str, span: Span) {
        self.add(Op::Fail(why.into()), span, 1);
    }
}

/// The step that calls a function of the table.
fn called(function: u16, count: u32) -> Op {
    match Two::of(function) {
        Some(two) if count == 2 => Op::Two(two),
        _ if functions::TABLE[usize::from(function)].name == "regex-match" => Op::Search,
        _ => Op::Call { function, count },
    }
}

/// What an action gives that gives nothing: it holds, and adds nothing to a list.
pub(super) fn nothing() -> Field {
    Field::many([])
}

/// Whether printing to this prints.
pub(super) fn prints(to: &Field) -> bool {
    matches!(to.lexeme(), Some("t" | "stdout"))
}

/// Whether it is known that nothing is printed.
fn prints_nothing(to: &Expr) -> bool {
    matches!(&to.kind, ExprKind::Constant(field) if !prints(field))
}

pub(super) fn position(at: usize) -> u32 {
    // A text is below 4 GiB, and no op comes from less than a byte of it.
    u32::try_from(at).unwrap_or(u32::MAX)
}
