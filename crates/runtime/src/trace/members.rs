//! Steps for programs: JSON.

use value::{Text, Value};

use super::{Answered, By, Joined, Seen, Step, StepKind};
use crate::call::Request;
use crate::logic::StoreAct;

fn acted(act: &StoreAct) -> Value {
    let store = ("store", Value::Text(act.store().clone()));
    match act {
        StoreAct::Write { key, value, .. } => {
            let key = ("key", key.clone().into());
            Value::map([store, ("verb", "write".into()), key, ("value", value.clone())])
        }
        StoreAct::Take { .. } => Value::map([store, ("verb", "take".into())]),
    }
}

fn places(places: &[u32]) -> Value {
    Value::list(places.iter().map(|place| Value::count(*place)))
}

pub(crate) fn object(values: &[(Text, Value)]) -> Value {
    Value::map(values.iter().cloned())
}

impl Step {
    /// The entry of a log: `{"step": {"seq", "fiber", "at", "what", ...}}`.
    pub fn to_value(&self) -> Value {
        let (what, more) = self.what.members();
        let mut members = vec![
            ("seq", Value::count(self.seq)),
            ("fiber", Value::count(self.fiber)),
            ("at", Value::Text(self.at.clone())),
            ("what", what.into()),
        ];
        members.extend(more);
        Value::map([("step", Value::map(members))])
    }
}

impl Seen {
    fn members(&self) -> [(&'static str, Value); 2] {
        [("condition", self.text.clone().into()), ("values", object(&self.values))]
    }
}

impl StepKind {
    /// What happened, in one word, and what belongs to it.
    fn members(&self) -> (&'static str, Vec<(&'static str, Value)>) {
        let seen = |seen: &Option<Seen>| seen.iter().flat_map(Seen::members).collect::<Vec<_>>();
        let call = |call: &Text| ("call", Value::Text(call.clone()));
        match self {
            StepKind::Began { inputs, from } => {
                ("began", vec![("inputs", inputs.clone().into()), ("from", from.clone().into())])
            }
            StepKind::Given { values } => ("given", vec![("values", object(values))]),
            StepKind::Entered => ("entered", Vec::new()),
            StepKind::Decided(decided) => {
                let mut members = seen(&decided.condition);
                members.push(("holds", decided.holds.into()));
                members.push(("to", decided.to.clone().into()));
                let clause = decided.clause.as_ref().map(|clause| {
                    let text = clause.text.clone().into();
                    Value::map([("source", clause.source.clone().into()), ("text", text)])
                });
                members.push(("clause", clause.into()));
                ("decided", members)
            }
            StepKind::Wrote { name, value } => {
                ("wrote", vec![("name", name.clone().into()), ("value", value.clone())])
            }
            StepKind::Called { label } => ("called", vec![("label", label.clone().into())]),
            StepKind::Looped { items } => {
                ("looped", vec![("items", items.map(Value::count).into())])
            }
            StepKind::Turned { turn, item, condition } => {
                let mut members = vec![("turn", Value::count(*turn))];
                if let Some((name, item)) = item {
                    members.push(("name", name.clone().into()));
                    members.push(("item", item.clone()));
                }
                members.extend(seen(condition));
                ("turned", members)
            }
            StepKind::CameBack { name, value, turns, condition, to } => {
                let mut members = vec![("name", name.clone().into()), ("value", value.clone())];
                members.extend(turns.map(|turns| ("turns", Value::count(turns))));
                members.extend(seen(condition));
                members.push(("to", to.clone().into()));
                ("came_back", members)
            }
            StepKind::Returned { value } => ("returned", vec![("value", value.clone())]),
            StepKind::Forked { group, join, strategy, branches } => {
                let branches = branches.iter().map(|branch| {
                    Value::map([
                        ("fiber", Value::count(branch.fiber)),
                        ("label", branch.label.clone().into()),
                        ("item", branch.item.clone().into()),
                    ])
                });
                let members = vec![
                    ("group", Value::count(*group)),
                    ("join", join.clone().into()),
                    ("strategy", strategy.clone().into()),
                    ("branches", Value::list(branches)),
                ];
                ("forked", members)
            }
            StepKind::Arrived => ("arrived", Vec::new()),
            StepKind::BranchFailed { fault } => {
                ("branch_failed", vec![("error", fault.to_value())])
            }
            StepKind::Joined(joined) => ("joined", joined.members()),
            StepKind::Ran { done } => {
                let removed = done.removed.iter().map(|name| Value::Text(name.clone()));
                let members = vec![
                    ("set", object(&done.set)),
                    ("removed", Value::list(removed)),
                    ("stores", Value::list(done.acted.iter().map(acted))),
                    ("printed", done.printed.as_str().into()),
                    ("returned", done.returned.into()),
                ];
                ("ran", members)
            }
            StepKind::Kept { verb, id, wrote } => {
                let mut members = vec![("verb", (*verb).into()), ("id", id.clone().into())];
                if let Some((name, value)) = wrote {
                    members.push(("name", name.clone().into()));
                    members.push(("value", value.clone()));
                }
                ("kept", members)
            }
            StepKind::Requested { call: name, request } => {
                ("requested", vec![call(name), ("request", request.to_value())])
            }
            StepKind::Left { call: name, attempt } => {
                ("left", vec![call(name), ("attempt", Value::count(*attempt))])
            }
            StepKind::Refused { call: name, fault } => {
                ("refused", vec![call(name), ("error", fault.to_value())])
            }
            StepKind::Ruled(approval) => ("ruled", approval.members()),
            StepKind::PolicyChanged { policy } => {
                ("policy_changed", vec![("policy", policy.clone().into())])
            }
            StepKind::Answered(answered) => ("answered", answered.members()),
            StepKind::Interrupted { call: name, attempt } => {
                ("interrupted", vec![call(name), ("attempt", Value::count(*attempt))])
            }
            StepKind::Failed { fault } => ("failed", vec![("error", fault.to_value())]),
            StepKind::Unwound { fault } => ("unwound", vec![("error", fault.to_value())]),
            StepKind::TriedAgain { attempt, of, delay_ms, fault } => {
                let members = vec![
                    ("attempt", Value::count(*attempt)),
                    ("of", Value::count(*of)),
                    ("delay_ms", Value::count(*delay_ms)),
                    ("error", fault.to_value()),
                ];
                ("tried_again", members)
            }
            StepKind::Handled { handler, fault } => {
                ("handled", vec![("handler", handler.clone().into()), ("error", fault.to_value())])
            }
            StepKind::Finished { status, result, failure } => {
                let error = failure.as_ref().map(|failure| failure.fault.to_value());
                let members = vec![
                    ("status", status.word().into()),
                    ("result", result.clone()),
                    ("error", error.into()),
                ];
                ("finished", members)
            }
        }
    }
}

impl Joined {
    fn members(&self) -> Vec<(&'static str, Value)> {
        let (wrote, error) = match &self.outcome {
            Ok(merged) => {
                let each = merged.iter().map(|(name, value)| (name.clone(), value.clone().into()));
                (Value::map(each), Value::Null)
            }
            Err(fault) => (Value::Null, fault.to_value()),
        };
        vec![
            ("group", Value::count(self.group)),
            ("strategy", self.strategy.clone().into()),
            ("needed", Value::count(self.needed)),
            ("succeeded", places(&self.succeeded)),
            ("failed", places(&self.failed)),
            ("cancelled", places(&self.cancelled)),
            ("wrote", wrote),
            ("error", error),
        ]
    }
}

impl Answered {
    fn members(&self) -> Vec<(&'static str, Value)> {
        let (by, actor) = match &self.by {
            By::World => ("world", None),
            By::Fork => ("fork", None),
            By::Person(actor) => ("person", actor.clone()),
            By::Nobody => ("nobody", None),
            By::Clock => ("clock", None),
            By::TooLate => ("late", None),
        };
        let (answer, error) = match &self.answer {
            Ok(answer) => (answer.clone(), Value::Null),
            Err(fault) => (Value::Null, fault.to_value()),
        };
        vec![
            ("call", self.call.clone().into()),
            ("by", by.into()),
            ("actor", actor.into()),
            ("answer", answer),
            ("error", error),
            ("wrote", object(&self.wrote)),
            ("to", self.to.clone().into()),
        ]
    }
}

impl Request {
    /// What is wanted, for programs.
    pub fn to_value(&self) -> Value {
        match self {
            Request::Model(call) => Value::map([
                ("model", Value::Text(call.model.clone())),
                ("agent", call.agent.clone().into()),
                ("prompt", call.news().into()),
            ]),
            Request::Tool(call) => Value::map([
                ("tool", Value::text(format!("{}.{}", call.server, call.tool))),
                ("args", call.args.clone().into()),
            ]),
            Request::Question(question) => Value::map([
                ("question", Value::Text(question.id.clone())),
                ("prompt", question.prompt.clone().into()),
                ("options", Value::list(question.options.iter().cloned())),
            ]),
            Request::Timer(due) => Value::map([("due", Value::text(due.to_string()))]),
        }
    }
}
