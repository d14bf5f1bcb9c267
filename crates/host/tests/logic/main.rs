//! Blocks of Python and what they do.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod behaviour;
mod corpus;
mod differential;
mod faults;
mod hostile;
mod limits;
mod stores;

use history::Timestamp;
use host::{LogicLimits, Python};
use runtime::stores::StoreKind;
use runtime::{Block, BlockStore, Done, Fault, Given, Logic as _, StoreAct};
use value::{Value, json};

/// 2026-11-15T17:10:34.000250Z
const NOW: i64 = 1_794_762_634_000_250;

fn block(code: &str, stores: &[(&str, StoreKind)]) -> Block {
    let store =
        |(id, kind): &(&str, StoreKind)| BlockStore { id: (*id).into(), kind: *kind, reads: true };
    Block { number: 0, code: code.into(), stores: stores.iter().map(store).collect() }
}

fn given(data: &str, stores: &[&str]) -> Given {
    let data = json::parse(data).unwrap().as_map().unwrap().clone();
    let stores = stores.iter().map(|text| Ok(json::parse(text).unwrap())).collect();
    Given { data, stores, now: Timestamp::from_micros(NOW), nth: 1 }
}

fn run(code: &str, data: &str) -> Result<Done, Fault> {
    Python::default().run(&block(code, &[]), &given(data, &[]))
}

fn run_within(limits: LogicLimits, code: &str) -> Result<Done, Fault> {
    Python::new(limits).run(&block(code, &[]), &given("{}", &[]))
}

/// What happened, on a few lines.
fn shown(result: &Result<Done, Fault>) -> String {
    let done = match result {
        Ok(done) => done,
        Err(fault) => return format!("{fault}\n"),
    };
    let mut text = String::new();
    for (name, value) in &done.set {
        text += &format!("{name} = {}\n", json::compact(value));
    }
    for name in &done.removed {
        text += &format!("{name} is gone\n");
    }
    for act in &done.acted {
        text += &match act {
            StoreAct::Write { store, key, value } => {
                let key = key.as_deref().map(|key| format!("[{key}]")).unwrap_or_default();
                format!("{store}{key} <- {}\n", json::compact(value))
            }
            StoreAct::Take { store } => format!("{store} ->\n"),
        };
    }
    for line in done.printed.lines() {
        text += &format!("> {line}\n");
    }
    if done.returned {
        text += "returned\n";
    }
    if done.looked_at_clock {
        text += "looked at the clock\n";
    }
    if text.is_empty() { "nothing\n".into() } else { text }
}

fn check(code: &str, data: &str, expected: expect_test::Expect) {
    expected.assert_eq(&shown(&run(code, data)));
}

/// The value of one name after a block.
fn value_of(code: &str, data: &str, name: &str) -> Value {
    let done = run(code, data).unwrap();
    let found = done.set.iter().find(|(key, _)| &**key == name);
    found.unwrap_or_else(|| panic!("{name} is not set: {done:?}")).1.clone()
}
