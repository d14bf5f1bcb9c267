//! Where no model is connected.

use runtime::{Answer, Fault, FaultKind, Request};

use crate::adapter::{Adapter, Call, Calling};

/// Answers every question with how to get an answer.
#[derive(Clone, Copy, Debug)]
pub struct Absent;

impl Adapter for Absent {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(question) = &call.request else { return Calling::misrouted(&call) };
        let message = format!(
            "nothing is connected that could ask `{}`: run with `--model stub:high`, \
             `--model script:FILE` or `--model replay:FILE`",
            question.model
        );
        Calling::Now(Answer::Failed(Fault::new(FaultKind::Model, message)))
    }
}
