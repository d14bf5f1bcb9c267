//! What may have happened although a call failed, and what that forbids.

use graph::Again;
use value::Value;

use crate::Fault;
use crate::call::{Pending, Request};

/// Whether what a call does to the world may have been done although it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It has not happened.
    No,
    /// Nobody knows.
    Maybe,
}

/// The members of a failure's details. Only here are they written and read: whether an effect is
/// repeated hangs on them.
const HAPPENED: &str = "may_have_happened";
const REPORTED: &str = "reported";

impl Fault {
    /// The same failure, which says whether what its call does may have happened.
    pub fn with_happened(self, happened: Happened) -> Fault {
        self.with_detail(HAPPENED, Value::Bool(happened == Happened::Maybe))
    }

    /// The same failure, as one that the tool itself has told of.
    pub fn reported(self) -> Fault {
        self.with_detail(REPORTED, Value::Bool(true))
    }

    /// Whether what its call does may have happened, where it says so.
    pub fn happened(&self) -> Option<Happened> {
        match self.details.as_ref()?.get(HAPPENED)? {
            Value::Bool(true) => Some(Happened::Maybe),
            Value::Bool(false) => Some(Happened::No),
            _ => None,
        }
    }

    /// Whether it leaves a doubt. There is none where the tool itself has reported that it failed:
    /// a `Retry` is there for that, whatever the tool had done before.
    pub fn is_in_doubt(&self) -> bool {
        let reported = self.details.as_ref().and_then(|details| details.get(REPORTED));
        self.happened() == Some(Happened::Maybe) && reported != Some(&Value::Bool(true))
    }
}

/// What a failure leaves in doubt: each forbids more than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// Nothing that must not be repeated.
    Nothing,
    /// A call that may be repeated only with its key, which a `Retry` at its own node does.
    WithKey,
    /// A call that is never repeated unasked.
    Unasked,
}

impl Doubt {
    /// What a call leaves that may have happened: that hangs on what its tool declares.
    pub(crate) fn of(pending: &Pending) -> Doubt {
        match &pending.request {
            Request::Tool(call) => match call.again {
                Again::Freely => Doubt::Nothing,
                Again::WithKey => Doubt::WithKey,
                Again::ByAsking => Doubt::Unasked,
            },
            Request::Model(_) | Request::Question(_) | Request::Timer(_) => Doubt::Nothing,
        }
    }

    /// What is left of it beyond the node that made the call: there its key is gone.
    pub(crate) fn beyond_its_node(self) -> Doubt {
        match self {
            Doubt::Nothing => Doubt::Nothing,
            Doubt::WithKey | Doubt::Unasked => Doubt::Unasked,
        }
    }
}

#[cfg(test)]
mod tests {
    use value::json;

    use super::*;
    use crate::FaultKind;

    /// Histories hold these words: they are forever.
    #[test]
    fn what_a_failure_says_is_recorded_in_these_words() {
        let fault = || Fault::new(FaultKind::Tool, "no line");
        for (fault, details, happened, is_in_doubt) in [
            (fault(), "", None, false),
            (
                fault().with_happened(Happened::No),
                r#"{"may_have_happened":false}"#,
                Some(Happened::No),
                false,
            ),
            (
                fault().with_happened(Happened::Maybe),
                r#"{"may_have_happened":true}"#,
                Some(Happened::Maybe),
                true,
            ),
            (
                fault().reported().with_happened(Happened::Maybe),
                r#"{"reported":true,"may_have_happened":true}"#,
                Some(Happened::Maybe),
                false,
            ),
        ] {
            let written = fault.details.as_ref().map(json::compact).unwrap_or_default();
            assert_eq!(written, details);
            assert_eq!((fault.happened(), fault.is_in_doubt()), (happened, is_in_doubt));
        }
    }
}
