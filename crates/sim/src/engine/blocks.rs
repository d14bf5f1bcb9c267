//! Blocks of logic that generated graphs have, and what they do. They stand in for Python: the
//! engine does not know what a block means, only what becomes of what it did.

use runtime::{Block, Done, Fault, FaultKind, Given, Logic, StoreAct};
use value::{Map, Text, Value};

use crate::Random;

/// The blocks, as they are written in a graph.
pub const CODES: [&str; 7] = [
    "state.data['a'] = state.data['a'] + 1",
    "state.data.pop('r1', None)",
    "if state.data['b'] > 2:\n    return\nstate.data['s'] = 'no'",
    "raise ValueError('no')",
    "state.notes.write('b', state.data['b'])",
    "state.data['s'] = 'no'\nstate.archive.write('b', state.data['b'])",
    "state.data['r2'] = state.archive.read()",
];

/// Whether a block is given what is in the store `archive`, which outlives the run.
pub fn reads_archive(code: &str) -> bool {
    code == CODES[6]
}

/// What a block does with these names, and with what is in `archive` where it reads that.
pub fn run(code: &str, data: &Map, archive: Option<&Value>) -> Result<Done, Fault> {
    let raised = || Fault::new(FaultKind::Logic, "it raised");
    let number = |name: &str| match data.get(name) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(raised()),
    };
    let mut done = Done::default();
    match CODES.iter().position(|known| *known == code) {
        Some(0) => done.set.push(("a".into(), Value::Int(number("a")?.wrapping_add(1)))),
        Some(1) => done.removed.extend(data.contains_key("r1").then(|| Text::from("r1"))),
        Some(2) if number("b")? > 2 => done.returned = true,
        Some(2) => done.set.push(("s".into(), "no".into())),
        Some(at @ (4 | 5)) => {
            let value = data.get("b").cloned().ok_or_else(raised)?;
            let store = if at == 4 { "notes" } else { "archive" };
            done.set.extend((at == 5).then(|| ("s".into(), "no".into())));
            let (store, key) = (store.into(), Some("b".into()));
            done.acted.push(StoreAct::Write { store, key, value });
        }
        Some(6) => done.set.push(("r2".into(), archive.cloned().ok_or_else(raised)?)),
        _ => return Err(raised()),
    }
    Ok(done)
}

/// Runs blocks, and sometimes meets a limit that the next run of the same block does not meet.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// Where it comes from that a limit is met; nowhere where none is.
    pub limits: Option<Random>,
}

impl Logic for Blocks {
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        if self.limits.as_mut().is_some_and(|random| random.one_in(4)) {
            return Err(Fault::new(FaultKind::LogicLimit, "it took too long"));
        }
        let mut stores = block.stores.iter().zip(&given.stores);
        let archive = stores.find(|(store, _)| &*store.id == "archive");
        run(&block.code, &given.data, archive.and_then(|(_, held)| held.as_ref().ok()))
    }
}
