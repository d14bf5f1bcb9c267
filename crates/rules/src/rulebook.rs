//! A program made ready to run: its network, its code, and how urgent its rules are.

use diagnostics::{Anchor, Diagnostic, Severity, any_error, codes};

use crate::code::{Code, Codes, Compiler, FactView, Machine, World};
use crate::field::{FactId, Field};
use crate::network::{NONE, Network};
use crate::program::{Expr, GlobalId, Program, Rule};
use crate::read::rules::salience_of;

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
    /// The memories of matches that are there from the start, for first joins to hang on.
    pub(crate) anchors: Vec<u32>,
    left_anchors: Vec<u32>,
    right_anchors: Vec<u32>,
}

/// How many steps the computation of all globals and saliences may take together.
const STEPS_MAX: u64 = 1_000_000;

impl Rulebook {
    /// Makes a text of constructs ready, and gives all that can be said before it runs.
    pub fn read(text: &str) -> (Option<Rulebook>, Vec<Diagnostic>) {
        let (program, mut findings) = crate::read::read(text);
        if any_error(&findings) {
            findings.extend(unjoinable(program, &findings));
            return (None, findings);
        }
        match Rulebook::new(program) {
            Ok(book) => {
                // What is hardly meant so counts only where it is clear what is meant.
                findings.extend(crate::check::check(book.program()));
                (Some(book), findings)
            }
            Err(found) => {
                findings.extend(found);
                (None, findings)
            }
        }
    }

    /// Makes a program ready. It is refused if variables are used that nothing binds, or if the
    /// value of a salience or a global cannot be computed.
    pub fn new(program: Program) -> Result<Rulebook, Vec<Diagnostic>> {
        let compiler = Compiler::new(&program);
        let (network, mut found) = joined(&program, compiler);
        let codes = compiler.codes();
        let mut before = Before { globals: vec![None; program.globals.len()], budget: STEPS_MAX };
        before.compute_globals(&codes, compiler, &program, &mut found);
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
        let initial_globals = before.globals.into_iter().map(|value| value.unwrap_or(Field::nil()));
        let initial_globals = initial_globals.collect();
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
            initial_globals,
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
        for (join, node) in (0..).zip(&self.network.joins) {
            if node.is_first() && (node.exists || node.blocks()) {
                self.left_anchors[join as usize] = self.anchors.len() as u32;
                self.anchors.push(self.left_memory(join));
            }
        }
        for join in &self.network.free {
            self.right_anchors[*join as usize] = self.anchors.len() as u32;
            self.anchors.push(self.right_memory(*join));
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

    /// The join that a memory is a side of.
    #[inline]
    pub(crate) fn join_of(&self, memory: u32) -> u32 {
        debug_assert!(
            memory < self.alpha_memory(0),
            "the memory of a pattern is no side of a join"
        );
        memory / 2
    }

    /// The way that a match in this memory completes.
    pub(crate) fn way_of(&self, memory: u32) -> u32 {
        // INVARIANT: only matches on the left of a join that ends a way are on the agenda.
        self.network.joins[self.join_of(memory) as usize].way.unwrap_or(NONE)
    }

    /// Whether a memory of a join is the one on its right.
    #[inline]
    pub(crate) fn is_right(&self, memory: u32) -> bool {
        memory == self.right_memory(self.join_of(memory))
    }

    /// How many memories there are.
    pub(crate) fn memory_count(&self) -> u32 {
        self.alpha_memory(self.network.patterns.alphas.len() as u32)
    }
}

fn joined(program: &Program, compiler: Compiler) -> (Network, Vec<Diagnostic>) {
    let compile = |expr: &Expr, variables: usize| {
        let names: Vec<value::Text> = (0..variables).map(|_| "".into()).collect();
        compiler.expression(expr, &names)
    };
    Network::new(program, &compile)
}

/// What is wrong with how the conditions of those rules are joined in which no error was found.
/// An error elsewhere may concern them all: then nothing is said.
fn unjoinable(mut program: Program, findings: &[Diagnostic]) -> Vec<Diagnostic> {
    let errors = findings.iter().filter(|found| found.severity == Severity::Error);
    let mut places: Vec<u32> = errors.map(|found| found.at.span().start).collect();
    places.sort_unstable();
    let mut inside = 0;
    program.rules.retain(|Rule { whole, .. }| {
        let [start, end] =
            [whole.start, whole.end].map(|edge| places.partition_point(|place| *place < edge));
        inside += end - start;
        start == end
    });
    if inside < places.len() {
        return Vec::new();
    }
    joined(&program, Compiler::new(&program)).1
}

fn salience(
    before: &mut Before,
    codes: &Codes,
    compiler: Compiler,
    rule: &Rule,
) -> Result<i64, Box<Diagnostic>> {
    let Some(expr) = &rule.salience else { return Ok(0) };
    salience_of(&before.value(codes, &compiler.expression(expr, &[]))?, expr.span)
}

/// The world before there are facts: only globals, as far as they are computed.
struct Before {
    globals: Vec<Option<Field>>,
    /// The steps that are left.
    budget: u64,
}

impl Before {
    /// A reset computes globals in the order in which they came up first. One that was defined
    /// again may need others that came up after it: it is computed once these are there, in the
    /// order of definition.
    fn compute_globals(
        &mut self,
        codes: &Codes,
        compiler: Compiler,
        program: &Program,
        found: &mut Vec<Diagnostic>,
    ) {
        let code = |at: usize| compiler.expression(&program.globals[at].value, &[]);
        let mut put_off = Vec::new();
        for at in 0..program.globals.len() {
            match self.value(codes, &code(at)) {
                Ok(value) => self.globals[at] = Some(value),
                // Nothing more can be computed.
                Err(fault) if self.budget == 0 => return found.push(*fault),
                Err(_) => put_off.push(at),
            }
        }
        put_off.sort_by_key(|at| program.globals[*at].span.start);
        for at in put_off {
            match self.value(codes, &code(at)) {
                Ok(value) => self.globals[at] = Some(value),
                Err(fault) => found.push(*fault),
            }
            if self.budget == 0 {
                return;
            }
        }
    }

    fn value(&mut self, codes: &Codes, code: &Code) -> Result<Field, Box<Diagnostic>> {
        let mut machine = Machine::default();
        machine.begin(code);
        let mut budget = self.budget;
        let done = machine.run(codes, code, &mut budget, self);
        self.budget = budget;
        let done = done.map_err(|fault| {
            let at = Anchor::Span(fault.span);
            let found = Diagnostic::new(&codes::RULES_CANNOT_COMPUTE, at, fault.message);
            Box::new(found.help("write a value, or mend the expression"))
        });
        done.map(|done| done.value)
    }
}

impl World for Before {
    fn fact(&self, _: FactId) -> Option<FactView<'_>> {
        None
    }

    fn at_index(&self, _: u64) -> Option<FactId> {
        None
    }

    fn has_global(&self, global: GlobalId) -> bool {
        self.globals.get(global.0 as usize).is_some_and(Option::is_some)
    }

    fn global(&self, global: GlobalId) -> &Field {
        const NONE: &Field = &Field::Bool(false);
        self.globals.get(global.0 as usize).and_then(Option::as_ref).unwrap_or(NONE)
    }

    fn set_global(&mut self, global: GlobalId, value: Field) {
        if let Some(known) = self.globals.get_mut(global.0 as usize) {
            *known = Some(value);
        }
    }
}
