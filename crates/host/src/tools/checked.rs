//! The border of the host around whatever answers a tool: what does not fit its schema does not
//! leave, and what comes back and does not fit is a failure.

use std::sync::Arc;

use runtime::{Answer, Fault, FaultKind, Happened, Request, ToolContract};
use value::{Map, Text, Value};

use super::contract::{Agreed, Declared, Terms, agree};
use super::detailed;
use super::schema::{JsonSchema, Misfit};
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described};

/// A tool with what holds for it.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    id: Text,
    bound: Arc<dyn Bound>,
    agreed: Agreed,
    input: Option<Arc<JsonSchema>>,
    output: Option<Arc<JsonSchema>>,
    /// Why it cannot be used at all.
    unusable: Option<String>,
}

impl Checked {
    pub(crate) fn new(
        id: &Text,
        bound: &Arc<dyn Bound>,
        terms: &Terms,
        declared: &Declared<'_>,
    ) -> Checked {
        let agreed = agree(terms, &**bound, declared);
        let mut unusable = None;
        let mut compiled = |which: &str, schema: &Option<Value>| {
            let compiled = JsonSchema::new(schema.as_ref()?);
            let why = |why| format!("the schema of its {which} cannot be used: {why}");
            compiled.map(Arc::new).map_err(|error| unusable = Some(why(error))).ok()
        };
        let input = compiled("input", &agreed.input);
        let output = compiled("output", &agreed.output);
        Checked { id: id.clone(), bound: Arc::clone(bound), agreed, input, output, unusable }
    }

    /// What is pinned when a run begins.
    pub(crate) fn pinned(&self) -> ToolContract {
        self.agreed.contract.clone()
    }

    /// Why a call may not leave.
    fn refusal(&self, args: &Map) -> Option<Fault> {
        let id = &self.id;
        if let Some(why) = &self.unusable {
            return Some(self.refused(FaultKind::Missing, format!("`{id}` was not called: {why}")));
        }
        if self.agreed.auth_required && !self.bound.has_credentials() {
            let message = format!(
                "`{id}` was not called: it acts as somebody (`auth_required`), and its binding \
                 has no credential; set the variable that holds one and name it (`env = \
                 [\"TOKEN\"]` of `[tools.{id}]`), or say `auth_required = false` there if it needs none"
            );
            return Some(self.refused(FaultKind::Denied, message));
        }
        let args = self.bound.arranged(args).unwrap_or_else(|| args.clone().into());
        let misfits = self.input.as_ref()?.misfits(&args);
        (!misfits.is_empty()).then(|| {
            let message = format!(
                "`{id}` was not called: its arguments do not fit its schema: {}",
                listed(&misfits)
            );
            self.refused(FaultKind::Schema, message).with_detail("misfits", told(&misfits))
        })
    }

    fn refused(&self, kind: FaultKind, message: String) -> Fault {
        let tool = ("tool", Value::Text(self.id.clone()));
        detailed(kind, message, [tool]).with_happened(Happened::No)
    }

    /// A result that does not fit: what it did is done, so that a write may not be repeated as if
    /// it had failed before.
    fn judged(&self, answer: Answer) -> Answer {
        let (Answer::Value(value), Some(schema)) = (&answer, &self.output) else { return answer };
        let misfits = schema.misfits(value);
        if misfits.is_empty() {
            return answer;
        }
        let message = format!("the answer of `{}` does not fit: {}", self.id, listed(&misfits));
        let tool = ("tool", Value::Text(self.id.clone()));
        let fault = detailed(FaultKind::Schema, message, [tool, ("misfits", told(&misfits))]);
        Answer::Failed(fault.with_happened(self.contract().lost()))
    }
}

fn listed(misfits: &[Misfit]) -> String {
    misfits.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ")
}

fn told(misfits: &[Misfit]) -> Value {
    let told = misfits.iter().map(|misfit| {
        Value::map([("at", Value::text(&*misfit.at)), ("message", Value::text(&*misfit.message))])
    });
    Value::list(told)
}

impl Adapter for Checked {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        if let Some(fault) = self.refusal(&tool.args) {
            return Calling::Now(Answer::Failed(fault));
        }
        match self.bound.call(call) {
            calling if self.output.is_none() => calling,
            Calling::Now(answer) => Calling::Now(self.judged(answer)),
            Calling::Later(coming) => {
                let own = self.clone();
                Calling::Later(Box::pin(async move { own.judged(coming.await) }))
            }
        }
    }
}

impl Bound for Checked {
    fn contract(&self) -> Contract {
        let ToolContract { touches, again, .. } = self.agreed.contract;
        Contract { touches, again }
    }

    fn described(&self) -> Described {
        Described {
            description: self.agreed.description.clone(),
            input: self.agreed.input.clone(),
            output: self.agreed.output.clone(),
        }
    }

    fn is_certain(&self) -> bool {
        true
    }

    fn consists_of(&self) -> Vec<Text> {
        self.bound.consists_of()
    }

    fn has_credentials(&self) -> bool {
        self.bound.has_credentials()
    }

    fn look(&self) -> Result<String, String> {
        if let Some(why) = &self.unusable {
            return Err(why.clone());
        }
        let deprecated = if self.agreed.deprecated { ", deprecated" } else { "" };
        self.bound.look().map(|found| format!("{found}{deprecated}"))
    }
}
