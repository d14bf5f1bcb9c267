//! What the core does by itself: steps, branches, and blocks of logic.

use std::time::Duration;

use graph::Again;
use host::Python;
use runtime::{Input, Logic, NoLogic, Run, advance, note};
use value::{Map, Value};

use crate::Scale;
use crate::graphs::{Made, begin_time, fan_out as branches, inputs, logic_loop, pure_loop};
use crate::table::{Figure, Taken, aside, line, medians, rounds, times, took};

/// A whole run in the core, and how many steps it took.
pub(crate) fn whole(made: &Made, inputs: Map, logic: &mut dyn Logic) -> (u64, Taken) {
    let begin = Input::Begin(Box::new(made.begin("r", inputs, Again::Freely)));
    let mut run = Run::new(&made.plan);
    // What a run is given is written down once, however long it runs.
    note(&made.plan, &mut run, &begin, begin_time()).expect("it can begin");
    let ((), taken) = took(|| {
        while !run.is_over() {
            advance(&made.plan, &mut run, None, begin_time(), logic, &mut |_| true)
                .expect("it can go on");
        }
    });
    assert!(run.failure().is_none(), "{:?}", run.failure());
    (run.steps(), taken)
}

pub(crate) fn steps(scale: &Scale) {
    for steps in [10_000, 100_000, 1_000_000].map(|steps| scale.of(steps)) {
        let made = pure_loop(steps / 6);
        let (count, _) = whole(&made, Map::default(), &mut NoLogic);
        let measured = rounds(15, || whole(&made, Map::default(), &mut NoLogic).1);
        times("pure step", count as usize, measured, Duration::from_nanos(100));
    }
    let ainl = Figure::Time(Duration::from_nanos(4_500));
    aside("AINL's Python runtime, measured once", 1, ainl);
}

pub(crate) fn fan_out(scale: &Scale) {
    let made = branches();
    for count in [1_000, 10_000, 100_000].map(|count| scale.of(count)) {
        let items = || inputs([("items", Value::list((0..count as i64).map(Value::Int)))]);
        let measured = rounds(9, || whole(&made, items(), &mut NoLogic).1);
        let limit = Duration::from_micros(20);
        times("a branch of one pure step, and its join", count, measured, limit);
    }
}

/// As blocks of real specs are: a few lines with `.get`, an f-string, a list and a `print`.
const CODE: &str = "\
query = state.data.get('query', '')
items = state.data.get('items', [])
best = [item for item in items if item['score'] > 0.5]
state.data['best'] = best[:3]
state.data['count'] = state.data.get('count', 0) + 1
print(f'{query[:20]}: {len(best)} of {len(items)}')
";

/// About 1 KB of JSON.
fn small() -> Map {
    let item = |number: i64| {
        Value::map([
            ("id", Value::text(format!("document-{number}"))),
            ("score", Value::Float(number as f64 / 10.0)),
            ("text", Value::text("a few words about the thing")),
        ])
    };
    inputs([
        ("query", Value::text("what is a quipu made of, and why")),
        ("items", Value::list((0..10).map(item))),
        ("count", Value::Int(7)),
        ("turns", Value::Int(0)),
    ])
}

pub(crate) fn logic(scale: &Scale) {
    let turns = scale.of(1_000);
    let made = logic_loop(turns, CODE);
    let with = |bytes: usize| {
        let mut data = small();
        data.insert("rest".into(), Value::text("x".repeat(bytes)));
        data
    };
    let (mut few, mut much) = (Vec::new(), Vec::new());
    let mut python = Python::default();
    for _ in 0..9 {
        few.push(whole(&made, with(0), &mut python).1);
        much.push(whole(&made, with(10 << 20), &mut python).1);
    }
    let (few, much) = (medians(few), medians(much));
    let limit = Figure::each(turns, few.cpu.mul_f64(1.1));
    let what = "logic step with 1 KB of state (bare: the bench `logic`)";
    aside(what, turns, Figure::each(turns, few.cpu));
    let what = "the same beside 10 MB that it does not read";
    line(what, turns, Figure::each(turns, much.cpu), limit);
}
