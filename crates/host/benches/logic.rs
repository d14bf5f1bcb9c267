//! What a block costs: beside the bare interpreter, and with more or less state.
//!
//! `bare` is the interpreter alone on the same code: compiled before, its inputs ready to be
//! cloned, its result dropped. `ours` turns our values into its own and back, and says what
//! changed.

use divan::Bencher;
use history::Timestamp;
use host::Python;
use monty::MontyRun;
use monty_types::{CompileOptions, MontyObject, PrintWriter, ResourceLimits, ResourceTracker};
use runtime::{Block, Given, Logic as _};
use value::{Map, Value};

fn main() {
    divan::main();
}

/// As blocks of real specs are: a few lines with `.get`, an f-string, a list and a `print`.
const CODE: &str = "\
query = state.data.get('query', '')
items = state.data.get('items', [])
best = [item for item in items if item['score'] > 0.5]
state.data['best'] = best[:3]
state.data['count'] = state.data.get('count', 0) + 1
if not best:
    state.data['_done'] = True
print(f\"{query[:20]}: {len(best)} of {len(items)}\")
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
    let mut data = Map::default();
    data.insert("query".into(), Value::text("what is a quipu made of, and why"));
    data.insert("items".into(), Value::list((0..10).map(item)));
    data.insert("count".into(), Value::Int(7));
    data
}

fn block(code: &str) -> Block {
    Block { number: 1, code: code.into(), stores: Vec::new() }
}

fn given(data: Map) -> Given {
    Given { data, stores: Vec::new(), now: Timestamp::from_micros(0), nth: 1 }
}

fn ours(bencher: Bencher<'_, '_>, code: &str, data: Map) {
    let (mut python, block, given) = (Python::default(), block(code), given(data));
    python.run(&block, &given).expect("the block runs");
    bencher.bench_local(|| python.run(&block, &given).expect("the block runs"));
}

#[divan::bench]
fn a_bare(bencher: Bencher<'_, '_>) {
    let body: String = CODE.lines().map(|line| format!("    {line}\n")).collect();
    let code = format!(
        "class State:\n    def __init__(self, data):\n        self.data = data\n\
         def block(state):\n{body}    return state\nblock(State(data)).data\n"
    );
    let inputs = vec!["data".to_owned()];
    let run = MontyRun::new(code, "block", inputs, CompileOptions::default()).expect("compiles");
    let data = object(&small().into());
    let limits = ResourceLimits::default().max_duration(std::time::Duration::from_secs(5));
    bencher.bench_local(|| {
        let mut printed = String::new();
        let writer = PrintWriter::collect_string(&mut printed);
        let tracker = ResourceTracker::new(limits.clone());
        let result = run.run(vec![data.clone()], tracker, writer).expect("runs");
        (result, printed)
    });
}

#[divan::bench]
fn a_ours(bencher: Bencher<'_, '_>) {
    ours(bencher, CODE, small());
}

#[divan::bench]
fn a_ours_compiling_it_too(bencher: Bencher<'_, '_>) {
    let (block, given) = (block(CODE), given(small()));
    bencher.bench_local(|| Python::default().run(&block, &given).expect("the block runs"));
}

#[divan::bench]
fn a_ours_that_looks_at_the_clock(bencher: Bencher<'_, '_>) {
    let code = format!("{CODE}state.data['at'] = datetime.datetime.now().isoformat()\n");
    ours(bencher, &code, small());
}

/// The core hands over only what a block can read: the rest of the state costs nothing, however
/// large it is, since it is not in `Given`. Here it is beside it, in the whole state.
#[divan::bench(args = [0, 100 << 10, 10 << 20])]
fn b_state_that_is_not_read(bencher: Bencher<'_, '_>, bytes: usize) {
    let mut whole = small();
    whole.insert("rest".into(), Value::text("x".repeat(bytes)));
    let (mut python, block) = (Python::default(), block(CODE));
    bencher.bench_local(|| {
        let names = ["query", "items", "count"];
        let read = names.map(|name| (name.into(), whole.get(name).cloned().unwrap_or_default()));
        python.run(&block, &given(read.into_iter().collect())).expect("the block runs")
    });
}

/// What a block is given costs a copy in, a copy out and a comparison, and nothing more: it is
/// not turned into our values again unless it changed.
#[divan::bench(args = [0, 100 << 10, 10 << 20])]
fn c_text_that_is_given_and_stays(bencher: Bencher<'_, '_>, bytes: usize) {
    let mut data = small();
    data.insert("rest".into(), Value::text("x".repeat(bytes)));
    ours(bencher, CODE, data);
}

#[divan::bench(args = [0, 1_000, 100_000])]
fn c_list_that_is_given_and_stays(bencher: Bencher<'_, '_>, items: i64) {
    let mut data = small();
    data.insert("rest".into(), Value::list((0..items).map(Value::Int)));
    ours(bencher, CODE, data);
}

fn object(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(flag) => MontyObject::Bool(*flag),
        Value::Int(number) => MontyObject::Int(*number),
        Value::Float(number) => MontyObject::Float(*number),
        Value::Text(text) => MontyObject::String(text.as_ref().to_owned()),
        Value::List(items) => MontyObject::List(items.iter().map(object).collect()),
        Value::Map(members) => MontyObject::dict(
            members
                .iter()
                .map(|(key, value)| (MontyObject::String(key.as_ref().to_owned()), object(value)))
                .collect::<Vec<_>>(),
        ),
    }
}
