//! What expressions and actions give, against what CLIPS 6.4.2 gives.

use diagnostics::Severity;

use super::{Compiler, FactView, Fault, Machine, World, printed};
use crate::field::{FactId, Field};
use crate::functions::{Facts, Shape};
use crate::program::{GlobalId, Program, TemplateId};
use crate::read::read;

/// Facts in a list: enough to act on.
#[derive(Default)]
struct Memory {
    facts: Vec<(TemplateId, Vec<Field>, bool)>,
    globals: Vec<Field>,
    printed: String,
}

fn id(at: usize) -> FactId {
    FactId { place: u32::try_from(at).unwrap(), stamp: 0 }
}

impl World for Memory {
    fn assert(
        &mut self,
        template: TemplateId,
        fields: Vec<Field>,
    ) -> Result<Option<FactId>, String> {
        let same = |fact: &(_, _, bool)| fact.2 && fact.0 == template && fact.1 == fields;
        if let Some(at) = self.facts.iter().position(same) {
            return Ok(Some(id(at)));
        }
        self.facts.push((template, fields, true));
        Ok(Some(id(self.facts.len() - 1)))
    }

    fn retract(&mut self, fact: FactId) -> Result<bool, String> {
        Ok(std::mem::replace(&mut self.facts[fact.place as usize].2, false))
    }

    fn retract_all(&mut self) -> Result<(), String> {
        self.facts.iter_mut().for_each(|fact| fact.2 = false);
        Ok(())
    }

    fn modify(
        &mut self,
        fact: FactId,
        changes: Vec<(u32, Field)>,
    ) -> Result<Option<FactId>, String> {
        for (slot, field) in changes {
            self.facts[fact.place as usize].1[slot as usize] = field;
        }
        Ok(Some(fact))
    }

    fn fact(&self, fact: FactId) -> Option<FactView<'_>> {
        let (template, fields, live) = &self.facts[fact.place as usize];
        let index = u64::from(fact.place) + 1;
        live.then_some(FactView { template: *template, fields, index })
    }

    fn at_index(&self, index: u64) -> Option<FactId> {
        let at = usize::try_from(index).unwrap().checked_sub(1)?;
        self.facts.get(at).filter(|fact| fact.2).map(|_| id(at))
    }

    fn index(&self, fact: FactId) -> Option<u64> {
        Some(u64::from(fact.place) + 1)
    }

    fn global(&self, global: GlobalId) -> &Field {
        &self.globals[global.0 as usize]
    }

    fn set_global(&mut self, global: GlobalId, value: Field) {
        self.globals[global.0 as usize] = value;
    }

    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
    }
}

impl Facts for Memory {
    fn template_of(&self, _: FactId) -> Option<&Shape> {
        None
    }

    fn fields_of(&self, _: FactId) -> Option<&[Field]> {
        None
    }

    fn index_of(&self, fact: FactId) -> Option<u64> {
        World::index(self, fact)
    }

    fn at_index(&self, _: u64) -> Option<FactId> {
        None
    }
}

/// Constructs to run expressions among.
struct Setting {
    constructs: &'static str,
    machine: Machine,
}

/// What an expression gave and printed.
struct Ran {
    result: Result<Field, Fault>,
    halted: bool,
    memory: Memory,
    steps: u64,
}

const STEPS: u64 = 1_000_000;

/// Constructs as a program; or what is wrong with them, if something is.
fn program(text: &str) -> Result<Program, String> {
    let (program, findings) = read(text);
    match findings.iter().find(|found| found.severity == Severity::Error) {
        Some(found) => Err(found.message.clone()),
        None => Ok(program),
    }
}

impl Setting {
    fn new(constructs: &'static str) -> Setting {
        Setting { constructs, machine: Machine::default() }
    }

    /// Runs an expression as the action of a rule.
    fn ran(&mut self, text: &str, steps: u64) -> Result<Ran, String> {
        let program = program(&format!("{}\n(defrule it => {text})", self.constructs))?;
        let compiler = Compiler::new(&program);
        let codes = compiler.codes();
        let mut memory = Memory::default();
        let mut budget = steps;
        for global in &program.globals {
            let code = compiler.expression(&global.value, &[]);
            self.machine.begin(&code);
            let done = self.machine.run(&codes, &code, &mut budget, &mut memory).unwrap();
            memory.globals.push(done.value);
        }
        let rule = program.rules.last().unwrap();
        let code = compiler.actions(&rule.then, &rule.variables);
        let mut budget = steps;
        self.machine.begin(&code);
        let done = self.machine.run(&codes, &code, &mut budget, &mut memory);
        let halted = done.as_ref().is_ok_and(|done| done.halted);
        Ok(Ran { result: done.map(|done| done.value), halted, memory, steps: steps - budget })
    }

    fn run(&mut self, text: &str, steps: u64) -> Ran {
        self.ran(text, steps).unwrap()
    }

    /// The value as a program writes it, or the fault; and what was printed.
    fn shown(&mut self, text: &str) -> String {
        let ran = match self.ran(text, STEPS) {
            Ok(ran) => ran,
            Err(why) => return format!("refused {why}"),
        };
        let mut shown = match &ran.result {
            Ok(value) => {
                let mut out = String::new();
                super::written(&ran.memory, value, &mut out);
                out
            }
            Err(fault) => format!("fault {}", fault.message),
        };
        if !ran.memory.printed.is_empty() {
            shown.push_str(" prints ");
            shown.push_str(&ran.memory.printed);
        }
        let letters =
            [('\\', "\\\\"), ('\n', "\\n"), ('\t', "\\t"), ('\u{b}', "\\v"), ('\u{c}', "\\f")];
        letters.iter().fold(shown, |shown, (letter, written)| shown.replace(*letter, written))
    }
}

/// The constructs, and below a line of dashes one expression per line with what it gives. Each
/// value is what CLIPS gives, each fault stands where CLIPS stops.
const EXPRESSIONS: &str = include_str!("../../tests/expressions.txt");

fn parts() -> (&'static str, &'static str) {
    EXPRESSIONS.split_once("\n----\n").unwrap()
}

#[test]
fn expressions_give_what_they_give_in_clips() {
    let (constructs, cases) = parts();
    let mut setting = Setting::new(constructs);
    let mut wrong = Vec::new();
    for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
        let (text, expected) = line.split_once(" ==> ").unwrap();
        let shown = setting.shown(text);
        if shown != expected {
            wrong.push(format!("{text}\n  is       {shown}\n  and not  {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_call_that_never_ends_is_a_fault() {
    let mut setting = Setting::new("(deffunction again (?n) (again (+ ?n 1)))");
    let fault = setting.run("(again 1)", STEPS).result.unwrap_err();
    assert_eq!(fault.message, "`again` calls and calls: 10000 calls are open");
    // The machine is as good as new.
    assert_eq!(setting.shown("(+ 1 2)"), "3");
}

#[test]
fn lists_of_open_calls_do_not_grow_without_end() {
    let mut setting = Setting::new("(deffunction again ($?all) (again ?all a))");
    let long = "(progn (bind ?x (create$ a)) (loop-for-count 18 (bind ?x (create$ ?x ?x)))";
    let fault = setting.run(&format!("{long} (again ?x))"), u64::MAX).result.unwrap_err();
    let message = "`again` calls and calls: lists of open calls have 4194304 fields";
    assert_eq!(fault.message, message);
}

#[test]
fn a_loop_that_never_ends_is_a_fault() {
    let mut setting = Setting::new("");
    let ran = setting.run("(while TRUE do (bind ?x 1))", 1000);
    assert_eq!(ran.result.unwrap_err().message, "the limit of steps is reached");
    assert_eq!(ran.steps, 1000);
}

#[test]
fn values_do_not_grow_without_end() {
    let mut setting = Setting::new("");
    let text = r#"(progn (bind ?x "0123456789") (while TRUE do (bind ?x (str-cat ?x ?x))))"#;
    let fault = setting.run(text, u64::MAX).result.unwrap_err();
    assert_eq!(fault.message, "`str-cat`: the text would be longer than 1048576 bytes");
    let list = "(progn (bind ?x (create$ 1 2)) (while TRUE do (bind ?x (create$ ?x ?x))))";
    let fault = setting.run(list, u64::MAX).result.unwrap_err();
    assert_eq!(fault.message, "`create$`: the list would have more than 1048576 fields");
    let replaced = r#"(progn (bind ?x "ab") (while TRUE do (bind ?x (str-replace ?x "a" ?x))))"#;
    let fault = setting.run(replaced, u64::MAX).result.unwrap_err();
    assert_eq!(fault.message, "`str-replace`: the text would be longer than 1048576 bytes");
}

#[test]
fn long_values_count_for_more_steps() {
    let mut setting = Setting::new("");
    let build = "(progn (bind ?x (create$ a)) (loop-for-count 12 (bind ?x (create$ ?x ?x)))";
    let made = setting.run(&format!("{build} ?x)"), STEPS).steps;
    let compared = setting.run(&format!("{build} (subsetp ?x ?x))"), u64::MAX).steps;
    assert!(compared - made > 4096 * 4096, "{compared} {made}");
    // Digits that are computed take more than letters that are copied.
    let digits = setting.run(r#"(format nil "%.900f" 0.1)"#, STEPS).steps;
    let letters = setting.run(&format!(r#"(format nil "%s" {})"#, "a".repeat(900)), STEPS).steps;
    assert!(digits > 3600 && letters < 200, "{digits} {letters}");
}

#[test]
fn halt_lets_the_actions_end() {
    let mut setting = Setting::new("");
    let ran = setting.run("(progn (halt) (printout t after) 5)", STEPS);
    assert!(ran.halted);
    assert_eq!(ran.result, Ok(Field::Int(5)));
    assert_eq!(ran.memory.printed, "after");
}

#[test]
fn faults_show_where() {
    let mut setting = Setting::new("");
    let (part, text) = ("(+ 1 (nth$ 1 (create$ b)))", "(create$ a (+ 1 (nth$ 1 (create$ b))))");
    let fault = setting.run(text, STEPS).result.unwrap_err();
    let whole = format!("\n(defrule it => {text})");
    assert_eq!(&whole[fault.span.start as usize..fault.span.end as usize], part);
    assert_eq!(fault.message, "`+`: argument 2 is the symbol `b`, not a number");
}

#[test]
fn variables_that_are_given_values_have_them() {
    let program = program("(defrule it (o ?x ?y) => (create$ ?y))").unwrap();
    let (compiler, rule) = (Compiler::new(&program), &program.rules[0]);
    let (codes, code) = (compiler.codes(), compiler.actions(&rule.then, &rule.variables));
    let place = rule.variables.iter().position(|name| &**name == "y").unwrap();
    let mut machine = Machine::default();
    for value in [1, 2] {
        machine.begin(&code)[place] = Some(Field::Int(value));
        let done = machine.run(&codes, &code, &mut 100, &mut Memory::default()).unwrap();
        assert_eq!(done.value, Field::many([Field::Int(value)]));
    }
}

#[test]
fn printing_replaces_only_what_stands_alone() {
    let mut out = String::new();
    let list = Field::many([Field::symbol("crlf"), Field::text("crlf")]);
    for field in [&Field::symbol("vtab"), &Field::symbol("ff"), &list] {
        printed(&Memory::default(), field, &mut out);
    }
    assert_eq!(out, "\u{b}\u{c}(crlf \"crlf\")");
}
