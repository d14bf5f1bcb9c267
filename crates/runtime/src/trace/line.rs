//! Steps for people: one readable line each.

use std::fmt;

use value::{Text, Value, json};

use super::{Answered, By, Decided, Joined, Seen, Step, StepKind};
use crate::call::Request;
use crate::logic::StoreAct;
use crate::run::Status;

/// So much of a value is shown in a line.
const SHOWN_MAX: usize = 80;

/// A value in a line for people: JSON, cut where it is long.
pub(crate) fn shown(value: &Value) -> String {
    cut(json::compact(value))
}

fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Names with what they hold, for people.
pub(crate) fn words(values: &[(Text, Value)]) -> String {
    let each = values.iter().map(|(name, value)| format!("{name} = {}", shown(value)));
    each.collect::<Vec<_>>().join(", ")
}

impl Status {
    /// As it is written in documents. What goes on waits for something when it is looked at.
    pub fn word(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Running => "waiting",
            Status::Done => "done",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }
}

/// One line: the fiber where it is not the first, the place, what happened.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fiber != 0 {
            write!(f, "[{}] ", self.fiber)?;
        }
        if !self.at.is_empty() {
            write!(f, "{}: ", self.at)?;
        }
        write!(f, "{}", self.what)
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepKind::Began { inputs, from: None } => {
                write!(f, "the run begins with {}", shown(&inputs.clone().into()))
            }
            StepKind::Began { from: Some(from), .. } => write!(f, "goes on from {from} as a fork"),
            StepKind::Given { values } => write!(f, "the fork sets {}", words(values)),
            StepKind::Entered => f.write_str("begins"),
            StepKind::Decided(decided) => write!(f, "{decided}"),
            StepKind::Wrote { name, value } => write!(f, "{name} = {}", shown(value)),
            StepKind::Called { label } => write!(f, "calls `{label}`"),
            StepKind::Looped { items: Some(items) } => write!(f, "loops over {items} items"),
            StepKind::Looped { items: None } => f.write_str("loops while its condition holds"),
            StepKind::Turned { turn, item, condition } => {
                write!(f, "turn {turn}")?;
                if let Some((name, item)) = item {
                    write!(f, ": {name} = {}", shown(item))?;
                }
                match condition {
                    Some(seen) => write!(f, ": {seen} holds"),
                    None => Ok(()),
                }
            }
            StepKind::CameBack { name, value, turns, condition, to } => {
                match (turns, condition) {
                    (Some(turns), Some(seen)) => {
                        write!(f, "{seen} does not hold after {turns} turns")?;
                    }
                    (Some(turns), None) => write!(f, "ends after {turns} turns")?,
                    (None, _) => f.write_str("comes back")?,
                }
                if let Some(name) = name {
                    write!(f, ", {name} = {}", shown(value))?;
                }
                write!(f, ", {}", Going(to))
            }
            StepKind::Returned { value } => write!(f, "returns {}", shown(value)),
            StepKind::Forked { join, strategy, branches, .. } => {
                write!(f, "forks into {} ({strategy} at {join}): ", branches.len())?;
                let first = branches.iter().take(8);
                let labels: Vec<&str> = first.map(|branch| &*branch.label).collect();
                let more = if branches.len() > labels.len() { ", …" } else { "" };
                write!(f, "{}{more}", labels.join(", "))
            }
            StepKind::Arrived => f.write_str("a branch is finished"),
            StepKind::BranchFailed { fault } => write!(f, "the branch fails with {fault}"),
            StepKind::Joined(joined) => write!(f, "{joined}"),
            StepKind::Ran { done } => {
                f.write_str("logic ran")?;
                if !done.set.is_empty() {
                    write!(f, ", {}", words(&done.set))?;
                }
                if !done.removed.is_empty() {
                    write!(f, ", removed {}", done.removed.join(", "))?;
                }
                for act in &done.acted {
                    match act {
                        StoreAct::Write { store, key: Some(key), value } => {
                            write!(f, ", wrote {store}.{key} = {}", shown(value))?;
                        }
                        StoreAct::Write { store, key: None, value } => {
                            write!(f, ", wrote {store} = {}", shown(value))?;
                        }
                        StoreAct::Take { store } => write!(f, ", took from {store}")?,
                    }
                }
                if !done.printed.is_empty() {
                    write!(f, ", printed {}", shown(&done.printed.as_str().into()))?;
                }
                Ok(())
            }
            StepKind::Kept { verb, id, wrote: Some((name, value)) } => {
                write!(f, "{verb} {id}, {name} = {}", shown(value))
            }
            StepKind::Kept { verb, id, wrote: None } => write!(f, "{verb} {id}"),
            StepKind::Requested { call, request } => write!(f, "{call} asks {}", Asking(request)),
            StepKind::Left { call, attempt: 1 } => write!(f, "{call} leaves"),
            StepKind::Left { call, attempt } => write!(f, "{call} leaves, attempt {attempt}"),
            StepKind::Refused { call, fault } => write!(f, "{call} may not leave: {fault}"),
            StepKind::Ruled(approval) => write!(f, "{approval}"),
            StepKind::PolicyChanged { policy } => write!(f, "the policy {policy} is in force"),
            StepKind::Answered(answered) => write!(f, "{answered}"),
            StepKind::Interrupted { call, attempt } => {
                write!(f, "{call} was under way when the process died (attempt {attempt})")
            }
            StepKind::Failed { fault } => write!(f, "fails with {fault}"),
            StepKind::Unwound { fault } => write!(f, "what it called failed with {fault}"),
            StepKind::TriedAgain { attempt, of, delay_ms, fault } => {
                write!(f, "is tried again ({attempt} of {of}")?;
                if *delay_ms > 0 {
                    write!(f, ", in {delay_ms} ms")?;
                }
                write!(f, ") after {fault}")
            }
            StepKind::Handled { handler, fault } => {
                write!(f, "`{handler}` handles {fault}")
            }
            StepKind::Finished { result, failure: None, .. } => {
                write!(f, "the run is done with {}", shown(result))
            }
            StepKind::Finished { status, failure: Some(failure), .. } => {
                let ends = if *status == Status::Cancelled { "was cancelled" } else { "failed" };
                write!(f, "the run {ends}: {}", failure.fault)
            }
        }
    }
}

/// Where control goes.
struct Going<'a>(&'a Option<Text>);

impl fmt::Display for Going<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(to) => write!(f, "on to `{to}`"),
            None => f.write_str("the label ends"),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values.is_empty() {
            true => write!(f, "`{}`", self.text),
            false => write!(f, "`{}` ({})", self.text, words(&self.values)),
        }
    }
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seen) = &self.condition {
            write!(f, "{seen} {}, ", if self.holds { "holds" } else { "does not hold" })?;
        }
        write!(f, "{}", Going(&self.to))?;
        match &self.clause {
            Some(clause) => write!(f, " [{}: {}]", clause.source, clause.text),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (succeeded, branches) = (self.succeeded.len(), self.branches);
        write!(f, "{}: {succeeded} of {branches} branches succeeded", self.strategy)?;
        for (places, word) in [(&self.failed, "failed"), (&self.cancelled, "given up")] {
            if !places.is_empty() {
                write!(f, ", {} {word}", places.len())?;
            }
        }
        match &self.outcome {
            Ok(merged) => {
                let each = merged.iter().map(|(name, value)| match value {
                    Some(value) => format!("; {name} = {}", shown(value)),
                    None => format!("; {name} is gone"),
                });
                each.take(8).try_for_each(|one| f.write_str(&one))
            }
            Err(fault) => write!(f, "; fails with {fault}"),
        }
    }
}

/// Who is asked for what.
pub(crate) struct Asking<'a>(pub(crate) &'a Request);

impl fmt::Display for Asking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Request::Model(call) => {
                write!(f, "model {} as {}: {}", call.model, call.agent, cut(call.news()))
            }
            Request::Tool(call) => {
                write!(f, "{}.{} with {}", call.server, call.tool, shown(&call.args.clone().into()))
            }
            Request::Question(question) => {
                write!(f, "a person: {}", cut(question.prompt.to_string()))
            }
            Request::Timer(due) => write!(f, "for {due}"),
        }
    }
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.by {
            By::World => write!(f, "{} is answered: ", self.call)?,
            By::Fork => write!(f, "{} is answered by the fork: ", self.call)?,
            By::Person(Some(actor)) => write!(f, "{} is answered by {actor}: ", self.call)?,
            By::Person(None) => write!(f, "{} is answered by a person: ", self.call)?,
            By::Nobody => write!(f, "{}: nobody answered in time: ", self.call)?,
            By::Clock => return write!(f, "{}: the moment has come", self.call),
            By::TooLate => {
                return write!(f, "{} is answered when nobody waits any more", self.call);
            }
        }
        match &self.answer {
            Ok(answer) => write!(f, "{}", shown(answer)),
            Err(fault) => write!(f, "{fault}"),
        }
    }
}
