//! A program made ready to run: its network, its code, and how urgent its rules are.

use diagnostics::{Anchor, Diagnostic, Span, codes};

use crate::code::{Code, Codes, Compiler, FactView, Machine, World};
use crate::field::{FactId, Field};
use crate::memory::TokenKind;
use crate::network::{NONE, Network};
use crate::program::{Expr, GlobalId, Program, Rule, TemplateId};

/// A program made ready to run. It never changes, and any number of memories share it.
#[derive(Debug)]
pub struct Rulebook {
    program: Program,
    pub(crate) network: Network,
    pub(crate) codes: Codes,
    /// What each rule does.
    pub(crate) actions: Vec<Code>,
    /// The facts that a reset asserts, and the values that it gives to globals.
    pub(crate) initial_facts: Vec<Code>,
    pub(crate) initial_globals: Vec<Field>,
    /// The saliences there are, the most urgent first, and which of them each way of a rule has.
    pub(crate) saliences: Vec<i64>,
    pub(crate) levels: Vec<u32>,
    /// Matches that are there from the start, for first joins to hang on.
    pub(crate) anchors: Vec<(u32, TokenKind)>,
    left_anchors: Vec<u32>,
    right_anchors: Vec<u32>,
}

/// How urgent a rule can be.
const SALIENCE_MAX: i64 = 10_000;

/// How many steps the computation of a salience or of a global may take.
const STEPS_MAX: u64 = 1_000_000;

impl Rulebook {
    /// Makes a program ready. It is refused if variables are used that nothing binds, or if the
    /// value of a salience or a global cannot be computed.
    pub fn new(program: Program) -> Result<Rulebook, Vec<Diagnostic>> {
        let compiler = Compiler::new(&program);
        let compile = |expr: &Expr, variables: usize| {
            let names: Vec<value::Text> = (0..variables).map(|_| "".into()).collect();
            compiler.expression(expr, &names)
        };
        let (network, mut found) = Network::new(&program, &compile);
        let codes = compiler.codes();
        let mut before = Before { globals: Vec::new() };
        for global in &program.globals {
            match before.value(&codes, &compiler.expression(&global.value, &[])) {
                Ok(value) => before.globals.push(value),
                Err(fault) => {
                    found.push(*fault);
                    before.globals.push(Field::nil());
                }
            }
        }
        let mut saliences = Vec::new();
        for rule in &program.rules {
            match salience(&mut before, &codes, compiler, rule) {
                Ok(salience) => saliences.push(salience),
                Err(fault) => found.push(*fault),
            }
        }
        if !found.is_empty() {
            return Err(found);
        }
        let actions =
            program.rules.iter().map(|rule| compiler.actions(&rule.then, &rule.variables));
        let actions = actions.collect();
        let initial_facts =
            program.facts.iter().map(|facts| compiler.facts(&facts.facts)).collect();
        let mut distinct = saliences.clone();
        distinct.sort_unstable_by(|left, right| right.cmp(left));
        distinct.dedup();
        let level = |salience: &i64| distinct.binary_search_by(|known| salience.cmp(known));
        let levels = network.ways.iter().map(|way| level(&saliences[way.rule as usize]));
        let levels = levels.map(|level| level.map_or(0, |level| level as u32)).collect();
        let mut book = Rulebook {
            codes,
            actions,
            initial_facts,
            initial_globals: before.globals,
            saliences: distinct,
            levels,
            anchors: Vec::new(),
            left_anchors: vec![NONE; network.joins.len()],
            right_anchors: vec![NONE; network.joins.len()],
            network,
            program,
        };
        book.set_anchors();
        Ok(book)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How urgent a rule is, by its position in the program.
    pub fn salience(&self, rule: usize) -> i64 {
        let way = self.network.ways.iter().position(|way| way.rule as usize == rule);
        way.map_or(0, |way| self.saliences[self.levels[way] as usize])
    }

    fn set_anchors(&mut self) {
        for (at, join) in self.network.joins.iter().enumerate() {
            if join.is_first() && (join.exists || join.blocks()) {
                self.left_anchors[at] = self.anchors.len() as u32;
                self.anchors.push((at as u32, TokenKind::Left));
            }
        }
        for join in &self.network.free {
            self.right_anchors[*join as usize] = self.anchors.len() as u32;
            self.anchors.push((*join, TokenKind::Right));
        }
    }

    /// The match on the left that is always there, for a first join that counts what fits.
    pub(crate) fn left_anchor(&self, join: u32) -> u32 {
        self.left_anchors[join as usize]
    }

    /// The match on the right that is always there, for a first join without a pattern.
    pub(crate) fn right_anchor(&self, join: u32) -> u32 {
        self.right_anchors[join as usize]
    }

    /// The number of the memory on the left of a join.
    pub(crate) fn left_memory(&self, join: u32) -> u32 {
        join * 2
    }

    /// The number of the memory on the right of a join.
    pub(crate) fn right_memory(&self, join: u32) -> u32 {
        join * 2 + 1
    }

    /// The number of the memory of a pattern.
    pub(crate) fn alpha_memory(&self, alpha: u32) -> u32 {
        self.network.joins.len() as u32 * 2 + alpha
    }

    /// How many memories there are.
    pub(crate) fn memory_count(&self) -> u32 {
        self.alpha_memory(self.network.patterns.alphas.len() as u32)
    }
}

fn salience(
    before: &mut Before,
    codes: &Codes,
    compiler: Compiler,
    rule: &Rule,
) -> Result<i64, Box<Diagnostic>> {
    let Some(expr) = &rule.salience else { return Ok(0) };
    let wrong = |message: String, span: Span| {
        let found = Diagnostic::new(&codes::RULES_SALIENCE, Anchor::Span(span), message);
        let help = format!("a salience is a whole number from {} to {SALIENCE_MAX}", -SALIENCE_MAX);
        Box::new(found.help(help))
    };
    match before.value(codes, &compiler.expression(expr, &[]))? {
        Field::Int(number) if number.abs() <= SALIENCE_MAX => Ok(number),
        other => Err(wrong(format!("the salience of `{}` is `{other}`", rule.name), expr.span)),
    }
}

/// The world before there are facts: only globals.
struct Before {
    globals: Vec<Field>,
}

const NO_FACTS: &str = "there are no facts yet";

impl Before {
    fn value(&mut self, codes: &Codes, code: &Code) -> Result<Field, Box<Diagnostic>> {
        let mut machine = Machine::default();
        machine.begin(code);
        let mut budget = STEPS_MAX;
        let done = machine.run(codes, code, &mut budget, self);
        let done = done.map_err(|fault| {
            let at = Anchor::Span(fault.span);
            Box::new(Diagnostic::new(&codes::RULES_CANNOT_COMPUTE, at, fault.message))
        });
        done.map(|done| done.value)
    }
}

impl World for Before {
    fn assert(&mut self, _: TemplateId, _: Vec<Field>) -> Result<Option<FactId>, String> {
        Err(NO_FACTS.to_owned())
    }

    fn retract(&mut self, _: FactId) -> Result<bool, String> {
        Err(NO_FACTS.to_owned())
    }

    fn retract_all(&mut self) -> Result<(), String> {
        Err(NO_FACTS.to_owned())
    }

    fn modify(&mut self, _: FactId, _: Vec<(u32, Field)>) -> Result<Option<FactId>, String> {
        Err(NO_FACTS.to_owned())
    }

    fn fact(&self, _: FactId) -> Option<FactView<'_>> {
        None
    }

    fn at_index(&self, _: u64) -> Option<FactId> {
        None
    }

    fn global(&self, global: GlobalId) -> &Field {
        // A global is computed from earlier ones; the reader lets no other stand there.
        &self.globals[global.0 as usize]
    }

    fn set_global(&mut self, global: GlobalId, value: Field) {
        if let Some(known) = self.globals.get_mut(global.0 as usize) {
            *known = value;
        }
    }

    fn print(&mut self, _: &str) {}
}
