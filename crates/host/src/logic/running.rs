//! Runs one block: what goes in, what it asks for on the way, what comes out.

use std::panic::{AssertUnwindSafe, catch_unwind};

use logic::ProblemKind;
use monty::{MontyRun, RunProgress};
use monty_types::{
    AssertMessageAnnotations, CompileOptions, DictPairs, ExcType, MontyClassInstance,
    MontyClassType, MontyException, MontyObject, MontyUuid, NameLookupResult, PrintWriter,
    ResourceLimits, ResourceTracker,
};
use runtime::{Block, Done, Fault, FaultKind, Given};
use value::{Map, Text};

use super::asked::{Asked, FIRST_STORE_ID, STATE_ID, TIME, TIME_ID};
use super::output::Output;
use super::{LogicLimits, faults, values, wrapped};

/// A block that can be run.
#[derive(Debug)]
pub(super) struct Program {
    code: MontyRun,
    lines_before: usize,
    needs_time: bool,
    /// Whether it asked for something once. One that never does runs without being ready to stop.
    asks: bool,
}

/// How a run inside of the interpreter ended.
enum Ended {
    Done(MontyObject, Asked),
    /// It asked for something, and nobody was there to answer.
    Asks,
    Raised(MontyException),
    Refused(Fault),
}

impl Program {
    /// Compiles a block.
    pub(super) fn compile(code: &str) -> Result<Program, Fault> {
        let read = logic::read(code);
        // A block that could exhaust the stack of a parser has a problem as a whole. What else is
        // not supported is left to the run: it may never come to that line.
        let whole = 0..code.len();
        if let Some(problem) = read
            .problems
            .iter()
            .find(|problem| problem.kind == ProblemKind::Syntax || problem.range == whole)
        {
            return Err(faults::unreadable(problem, code));
        }
        let needs_time = read.implied.iter().any(|name| **name == *TIME);
        let modules = read.implied.iter().map(|name| &**name).filter(|name| *name != TIME);
        let wrapped = wrapped::wrap(code, &modules.collect::<Vec<_>>());
        let mut inputs = vec![wrapped::STATE.to_owned()];
        if needs_time {
            inputs.push(TIME.to_owned());
        }
        let options = CompileOptions { assert_message_annotations: AssertMessageAnnotations::Off };
        let compile = || MontyRun::new(wrapped.text, "logic", inputs, options);
        match guarded(compile)? {
            Ok(run) => {
                let lines_before = wrapped.lines_before;
                Ok(Program { code: run, lines_before, needs_time, asks: false })
            }
            // Our reader says the same in better words, and what to write instead.
            Err(error) => Err(match read.problems.first() {
                Some(problem) => faults::unreadable(problem, code),
                None => faults::raised(&error, code, wrapped.lines_before),
            }),
        }
    }

    /// Runs it.
    pub(super) fn run(
        &mut self,
        block: &Block,
        given: &Given,
        limits: &LogicLimits,
    ) -> Result<Done, Fault> {
        let mut output = Output::new(limits);
        let mut ended = Ended::Asks;
        self.asks |= !block.stores.is_empty();
        if !self.asks {
            ended = guarded(|| self.straight(block, given, limits, &mut output))?;
        }
        if matches!(ended, Ended::Asks) {
            // Nothing is lost by beginning again: a block touches nothing.
            self.asks = true;
            output = Output::new(limits);
            ended = guarded(|| self.with_answers(block, given, limits, &mut output))?;
        }
        let (object, asked) = match ended {
            Ended::Done(object, asked) => (object, asked),
            Ended::Raised(error) => {
                return Err(faults::raised(&error, &block.code, self.lines_before));
            }
            Ended::Refused(fault) => return Err(fault),
            Ended::Asks => unreachable!("everything that is asked for was answered"),
        };
        let (returned, data) = result(object)?;
        let (set, removed) = changes(&given.data, data)?;
        let printed = output.into_text();
        let Asked { acted, looked_at_clock, .. } = asked;
        Ok(Done { set, removed, acted, returned, printed, looked_at_clock })
    }

    /// Runs it to its end in one go.
    fn straight(
        &self,
        block: &Block,
        given: &Given,
        limits: &LogicLimits,
        output: &mut Output,
    ) -> Ended {
        let inputs = self.inputs(block, given);
        match self.code.run(inputs, tracker(limits), PrintWriter::Callback(output)) {
            Ok(object) => Ended::Done(object, Asked::default()),
            Err(error) if is_unanswered(&error) => Ended::Asks,
            Err(error) => Ended::Raised(error),
        }
    }

    /// Runs it, and answers what it asks for.
    fn with_answers(
        &self,
        block: &Block,
        given: &Given,
        limits: &LogicLimits,
        output: &mut Output,
    ) -> Ended {
        let mut asked = Asked::new(block, given);
        let inputs = self.inputs(block, given);
        let writer = PrintWriter::Callback(output);
        let mut progress = self.code.clone().start(inputs, tracker(limits), writer);
        for _ in 0..=limits.calls {
            let writer = PrintWriter::Callback(output);
            progress = match progress {
                Err(error) => {
                    return asked.refused.map_or(Ended::Raised(error), Ended::Refused);
                }
                Ok(RunProgress::Complete(object)) => return Ended::Done(object, asked),
                Ok(RunProgress::FunctionCall(call)) => asked.function(call, given, writer),
                Ok(RunProgress::OsCall(call)) => asked.system(call, given, writer),
                Ok(RunProgress::NameLookup(lookup)) => {
                    lookup.resume(NameLookupResult::Undefined, writer)
                }
                Ok(RunProgress::ResolveFutures(_)) => {
                    let message = "it waits for something that never comes";
                    return Ended::Refused(Fault::new(FaultKind::Logic, message));
                }
            };
        }
        let message = format!("it used stores and the clock more than {} times", limits.calls);
        Ended::Refused(Fault::new(FaultKind::LogicLimit, message))
    }

    /// What the block is given, as the interpreter has it.
    fn inputs(&self, block: &Block, given: &Given) -> Vec<MontyObject> {
        let mut attributes = Vec::with_capacity(1 + block.stores.len());
        attributes.push((text("data"), values::map_to_python(&given.data)));
        for (store, id) in block.stores.iter().zip(FIRST_STORE_ID..) {
            attributes.push((text(&store.id), stand_in("Store", id, Vec::new())));
        }
        let mut inputs = vec![stand_in("State", STATE_ID, attributes)];
        if self.needs_time {
            inputs.push(stand_in(TIME, TIME_ID, Vec::new()));
        }
        inputs
    }
}

/// Whether a run stopped because it asked for something: the interpreter says so only in words.
fn is_unanswered(error: &MontyException) -> bool {
    let unanswered = || error.message()?.strip_suffix("not implemented with standard execution");
    error.exc_type() == ExcType::NotImplementedError && unanswered().is_some()
}

fn tracker(limits: &LogicLimits) -> ResourceTracker {
    ResourceTracker::new(
        ResourceLimits::default()
            .max_duration(limits.time)
            // Without an allocator that counts, this bounds what is asked for at a stroke.
            .max_memory(limits.allocation_bytes)
            .max_recursion_depth(limits.recursion),
    )
}

fn text(text: &str) -> MontyObject {
    MontyObject::String(text.to_owned())
}

/// An object whose methods come back to us as calls.
fn stand_in(class: &str, id: u128, attributes: Vec<(MontyObject, MontyObject)>) -> MontyObject {
    let class_type = MontyClassType {
        name: class.to_owned(),
        id: MontyUuid::from_u128(u128::MAX - id),
        host_defined: true,
        is_dataclass: false,
        attrs: DictPairs::from(Vec::new()),
    };
    MontyObject::ClassInstance(Box::new(MontyClassInstance {
        class_type,
        instance_id: MontyUuid::from_u128(id),
        attrs: DictPairs::from(attributes),
    }))
}

/// Keeps a bug of the interpreter from ending the process and with it every other run: it is young,
/// and the code comes from authors. What it held is dropped, so nothing half-done is seen again.
fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        Fault::new(FaultKind::Logic, "the interpreter failed on this block; this is a bug in it")
    })
}

/// Whether the block returned, and its data.
fn result(object: MontyObject) -> Result<(bool, DictPairs), Fault> {
    let MontyObject::Tuple(parts) = object else { unreachable!("the wrapper yields a pair") };
    match <[MontyObject; 2]>::try_from(parts) {
        Ok([MontyObject::Bool(returned), MontyObject::Dict(data)]) => Ok((returned, data)),
        Ok([_, other]) => {
            let message = format!("`state.data` is no dict any more, but {other}");
            Err(faults::about_data(&message))
        }
        Err(_) => unreachable!("the wrapper yields a pair"),
    }
}

/// What is different from what was given: names that are set, and names that are gone.
#[expect(clippy::type_complexity, reason = "two members of `Done`")]
fn changes(given: &Map, now: DictPairs) -> Result<(Vec<(Text, value::Value)>, Vec<Text>), Fault> {
    let mut set = Vec::new();
    let mut kept = 0;
    let mut names = Vec::new();
    for (name, object) in now {
        let MontyObject::String(name) = name else {
            let message = format!("`state.data` has the key {name}, which is no text");
            return Err(faults::about_data(&message));
        };
        let before = given.get_key_value(&name);
        kept += usize::from(before.is_some());
        if !before.is_some_and(|(_, before)| values::is_same(before, &object)) {
            let value = values::from_python(object).map_err(|no_json| {
                let message = no_json.under(format_args!("[{name:?}]"));
                faults::about_data(&format!("state.data{message}"))
            })?;
            let key = before.map_or_else(|| Text::from(&*name), |(key, _)| key.clone());
            set.push((key, value));
        }
        names.push(name);
    }
    if kept == given.len() {
        return Ok((set, Vec::new()));
    }
    names.sort_unstable();
    let is_gone = |key: &&Text| names.binary_search_by(|name| (**name).cmp(&***key)).is_err();
    Ok((set, given.keys().filter(is_gone).cloned().collect()))
}
