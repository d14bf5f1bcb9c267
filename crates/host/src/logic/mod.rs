//! Runs the Python of `logic:` blocks in an interpreter that can reach nothing by itself.
//!
//! Only this folder knows the interpreter. What a block may do is in `docs/logic.md`; what the
//! interpreter lacks is known to [`logic::read`], which says so before a run begins.

mod asked;
mod clock;
mod faults;
mod memory;
mod output;
mod running;
mod stores;
mod values;
mod wrapped;

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::{Block, Done, Fault, Given, Logic};
use value::Text;

use running::Program;

/// What one block may use up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogicLimits {
    /// How long it may compute.
    pub time: Duration,
    /// How deep its calls, and the values it walks, may nest.
    pub recursion: usize,
    /// How many bytes one value that it makes at a stroke may take.
    pub allocation_bytes: usize,
    /// How many bytes the process may grow by while it runs, where the system tells (Linux).
    pub memory_bytes: usize,
    /// How many bytes of what it prints are kept.
    pub printed_bytes: usize,
    /// How often it may use stores and the clock.
    pub calls: usize,
}

impl Default for LogicLimits {
    fn default() -> LogicLimits {
        LogicLimits {
            time: Duration::from_secs(5),
            recursion: 200,
            allocation_bytes: 32 << 20,
            memory_bytes: 1 << 30,
            printed_bytes: 64 << 10,
            calls: 10_000,
        }
    }
}

/// How many blocks are kept compiled. A plan has a handful; a process may see many plans.
const COMPILED_MAX: usize = 1_024;

/// A block that came to its end once may take so many times longer when it runs again: the machine
/// may be slower, or busier.
const PATIENCE: u32 = 20;

/// The interpreter of `logic:` blocks.
#[derive(Debug, Default)]
pub struct Python {
    limits: LogicLimits,
    compiled: BTreeMap<u32, Compiled>,
}

/// A block that was compiled, or why it cannot be.
#[derive(Debug)]
struct Compiled {
    code: Text,
    program: Result<Program, Fault>,
}

impl Python {
    /// An interpreter that holds blocks to these limits.
    pub fn new(limits: LogicLimits) -> Python {
        Python { limits, compiled: BTreeMap::new() }
    }

    /// Whether this is code that can be run at all; the fault says why not.
    pub fn check(code: &str) -> Result<(), Fault> {
        Program::compile(code).map(drop)
    }
}

impl Logic for Python {
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.run_within(self.limits.time, block, given)
    }

    fn again(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.run_within(self.limits.time.saturating_mul(PATIENCE), block, given)
    }
}

impl Python {
    fn run_within(&mut self, time: Duration, block: &Block, given: &Given) -> Result<Done, Fault> {
        if self.compiled.len() >= COMPILED_MAX && !self.compiled.contains_key(&block.number) {
            self.compiled.clear();
        }
        let compile =
            || Compiled { code: block.code.clone(), program: Program::compile(&block.code) };
        let compiled = self.compiled.entry(block.number).or_insert_with(compile);
        // Numbers count within one plan, and nothing keeps plans from sharing an interpreter.
        if compiled.code != block.code {
            *compiled = compile();
        }
        match &mut compiled.program {
            Ok(program) => program.run(block, given, &LogicLimits { time, ..self.limits }),
            Err(fault) => Err(fault.clone()),
        }
    }
}
