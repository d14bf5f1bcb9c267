//! A tool that is several, one after the other: each is given what the one before it answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use graph::{Again, Touches};
use runtime::{Answer, Fault, FaultKind, Happened, Request};
use value::{Map, Text, Value};

use super::detailed;
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described, shorter};

/// One of the tools that make up another one.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The tool's id.
    pub tool: Text,
    /// What answers it, with its own checks.
    pub bound: Arc<dyn Bound>,
    /// The argument under which it is given what the whole was called with, where it wants that.
    pub original: Option<Text>,
}

/// Several tools that answer the calls of one.
#[derive(Clone, Debug)]
pub(crate) struct Composite {
    /// The tool's id.
    pub id: Text,
    /// In this order. INVARIANT: at least one.
    pub parts: Vec<Part>,
    /// How long a call may take altogether, where its operator said so.
    pub timeout: Option<Duration>,
}

impl Composite {
    /// Calls the parts, and notes as soon as something may have been written.
    async fn run(&self, call: &Call, args: &Map, has_written: &AtomicBool) -> Answer {
        let mut given = args.clone();
        let mut answer = Answer::Value(Value::Null);
        for (place, part) in (1..).zip(&self.parts) {
            if let Some(name) = &part.original
                && place > 1
            {
                given.insert(name.clone(), args.clone().into());
            }
            let wrote_before = has_written.load(Ordering::Relaxed);
            if part.bound.contract().touches == Touches::Write {
                has_written.store(true, Ordering::Relaxed);
            }
            answer = match part.bound.call(self.part_call(call, part, place, given)) {
                Calling::Now(answer) => answer,
                Calling::Later(coming) => coming.await,
            };
            match &answer {
                Answer::Value(Value::Map(members)) => given = Map::clone(members),
                Answer::Value(value) => {
                    given = [("input".into(), value.clone())].into_iter().collect();
                }
                Answer::Failed(fault) => {
                    return Answer::Failed(self.failed(fault, part, place, wrote_before));
                }
                other => unreachable!("a tool answers with a value or fails, not {other:?}"),
            }
        }
        answer
    }

    /// The call of a part: its key follows from the whole's, so that the whole can be repeated.
    fn part_call(&self, call: &Call, part: &Part, place: usize, args: Map) -> Call {
        let mut call = call.clone();
        call.key = format!("{}.{place}", call.key).into();
        if let Request::Tool(tool) = &mut call.request {
            tool.tool = part.tool.clone();
            tool.args = args;
        }
        call
    }

    /// A part failed. If one before it has written, that is done, whatever this one says of itself:
    /// the whole must not be repeated as if nothing had happened.
    fn failed(&self, fault: &Fault, part: &Part, place: usize, wrote_before: bool) -> Fault {
        let (id, tool, count) = (&self.id, &part.tool, self.parts.len());
        let mut message = format!("part {place} of {count} of `{id}`, `{tool}`: {}", fault.message);
        let named = [
            ("tool", Value::Text(id.clone())),
            ("part", Value::Text(tool.clone())),
            ("place", i64::try_from(place).unwrap_or(i64::MAX).into()),
        ];
        if wrote_before {
            message.push_str("; what the parts before it wrote stays");
            let fault = detailed(fault.kind.clone(), message, named);
            return fault.with_happened(Happened::Maybe);
        }
        let whole = Fault { message: message.into(), ..fault.clone() };
        named.into_iter().fold(whole, |fault, (name, value)| fault.with_detail(name, value))
    }
}

impl Adapter for Composite {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let args = tool.args.clone();
        let time_max = shorter(self.timeout, tool.timeout_ms);
        let own = self.clone();
        Calling::Later(Box::pin(async move {
            let has_written = AtomicBool::new(false);
            let running = own.run(&call, &args, &has_written);
            let Some(time_max) = time_max else { return running.await };
            match tokio::time::timeout(time_max, running).await {
                Ok(answer) => answer,
                Err(_) => {
                    let message = format!("`{}` took longer than {time_max:?}", own.id);
                    let tool = ("tool", Value::Text(own.id.clone()));
                    let happened = match has_written.load(Ordering::Relaxed) {
                        true => Happened::Maybe,
                        false => Happened::No,
                    };
                    let fault = detailed(FaultKind::Timeout, message, [tool]);
                    Answer::Failed(fault.with_happened(happened))
                }
            }
        }))
    }
}

impl Bound for Composite {
    /// The worst of its parts.
    fn contract(&self) -> Contract {
        let contracts = || self.parts.iter().map(|part| part.bound.contract());
        let touches =
            contracts().map(|contract| contract.touches).max_by_key(|touches| match touches {
                Touches::Nothing => 0,
                Touches::Clock => 1,
                Touches::Random => 2,
                Touches::Read => 3,
                Touches::Model => 4,
                Touches::Person => 5,
                Touches::Write => 6,
            });
        let again = contracts().map(|contract| contract.again).max_by_key(|again| match again {
            Again::Freely => 0,
            Again::WithKey => 1,
            Again::ByAsking => 2,
        });
        Contract {
            touches: touches.unwrap_or(Touches::Write),
            again: again.unwrap_or(Again::ByAsking),
        }
    }

    fn is_certain(&self) -> bool {
        true
    }

    fn consists_of(&self) -> Vec<Text> {
        let each = self
            .parts
            .iter()
            .flat_map(|part| std::iter::once(part.tool.clone()).chain(part.bound.consists_of()));
        each.collect()
    }

    fn has_credentials(&self) -> bool {
        self.parts.iter().any(|part| part.bound.has_credentials())
    }

    /// It is given what its first part is, and answers what its last one does.
    fn described(&self) -> Described {
        let names: Vec<&str> = self.parts.iter().map(|part| &*part.tool).collect();
        Described {
            description: Some(format!("Calls {}, one after the other.", names.join(", ")).into()),
            input: self.parts.first().and_then(|part| part.bound.described().input),
            output: self.parts.last().and_then(|part| part.bound.described().output),
        }
    }

    fn look(&self) -> Result<String, String> {
        for part in &self.parts {
            part.bound.look().map_err(|why| format!("its part `{}`: {why}", part.tool))?;
        }
        let names: Vec<&str> = self.parts.iter().map(|part| &*part.tool).collect();
        Ok(names.join(", then "))
    }
}
