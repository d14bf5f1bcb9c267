//! Who answers: one tool that takes no time, and nobody else.

use std::sync::atomic::AtomicBool;

use graph::Again;
use history::Timestamp;
use host::{Adapter, Call, Calling, Dispatcher, Driver, Limits, People, Reply, Stopped, World};
use runtime::{Answer, Fault, NoLogic, Plan, Question, Request, Run};
use store::Store;
use value::{Map, Value};

use crate::graphs::{Made, inputs};

/// A tool that says which call of it this is.
pub(crate) struct Counts;

impl Adapter for Counts {
    fn call(&self, call: Call) -> Calling {
        Calling::Now(answer(&call))
    }
}

/// Which call of a tool it is.
pub(crate) fn answer(call: &Call) -> Answer {
    match &call.request {
        Request::Tool(tool) => Answer::Value(Value::Int(tool.nth.cast_signed())),
        _ => unreachable!("nothing else is asked for"),
    }
}

struct Nobody;

impl People for Nobody {
    fn ask(&self, _: &Question, _: Reply) -> Option<Result<Value, Fault>> {
        None
    }
}

/// As the command line does it.
fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let micros = since.expect("it is later than 1970").as_micros();
    Timestamp::from_micros(i64::try_from(micros).expect("it is not that late"))
}

/// Runs a graph until nothing more happens.
pub(crate) fn drive(
    store: &dyn Store,
    adapter: &dyn Adapter,
    made: &Made,
    run: &str,
    inputs: Map,
    again: Again,
) -> Stopped {
    let dispatcher = Dispatcher::new(&Limits::default());
    let stop = AtomicBool::new(false);
    let world = World {
        store,
        adapter,
        dispatcher: &dispatcher,
        people: &Nobody,
        clock: &now,
        stop: &stop,
        progress: &|_: &Plan, _: &Run| {},
    };
    let (mut logic, begin) = (NoLogic, made.begin(run, inputs, again));
    let mut driver =
        Driver::begin(&world, &mut logic, made.plan.clone(), begin).expect("a new run can begin");
    driver.drive().expect("nothing is in its way")
}

/// What every call of the tool is given: about 100 bytes.
pub(crate) fn given() -> Map {
    inputs([("count", Value::Int(0)), ("input", Value::text("knots on a cord ".repeat(6)))])
}
