//! What is told of decisions about calls, whoever made them: all in one way.

use std::fmt;

use history::Event;
use history::kinds::{Kind, Sealed};
use value::{Text, Value};

/// What was decided about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// Which call, by its name in events.
    pub call: Text,
    /// What was decided, in the word of the event; `ask` where a person is asked.
    pub outcome: Text,
    /// Why.
    pub reason: Option<Text>,
    /// Who decided, where it was a person.
    pub actor: Option<Text>,
    /// The policy in force, by its digest.
    pub policy: Option<Text>,
}

impl Approval {
    /// What the events of a change say about a call.
    pub(super) fn of(call: &Text, events: &[Sealed]) -> Option<Approval> {
        let of_kind = |kind| events.iter().map(|one| &one.event).find(|event| event.kind() == kind);
        let text =
            |event: &Event, member| event.members().get(member).and_then(Value::as_text).cloned();
        let (said, outcome, reason) = match of_kind(Kind::ApprovalDecided) {
            Some(decided) => (decided, text(decided, "outcome"), text(decided, "reason")),
            None => {
                let prompt = of_kind(Kind::QuestionAsked).and_then(|asked| text(asked, "prompt"));
                (of_kind(Kind::ApprovalRequested)?, Some("ask".into()), prompt)
            }
        };
        Some(Approval {
            call: call.clone(),
            outcome: outcome?,
            reason,
            actor: text(said, "actor"),
            policy: text(said, "policy_digest"),
        })
    }

    /// Whether the call is over with it.
    pub fn denies(&self) -> bool {
        !matches!(&*self.outcome, "policy_allow" | "user_approve" | "ask")
    }

    pub(super) fn members(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("call", self.call.clone().into()),
            ("outcome", self.outcome.clone().into()),
            ("reason", self.reason.clone().into()),
            ("actor", self.actor.clone().into()),
            ("policy", self.policy.clone().into()),
        ]
    }

    /// Who decided, in a word.
    pub(crate) fn source(&self) -> &'static str {
        match &*self.outcome {
            "user_approve" | "user_deny_continue" | "user_deny_abort" => "person",
            "expired" => "expiry",
            _ => "policy",
        }
    }

    /// What became of the call.
    pub(crate) fn words(&self) -> String {
        let call = &self.call;
        match &*self.outcome {
            "policy_allow" | "user_approve" => format!("{call} may leave"),
            "ask" => format!("{call} waits for approval"),
            "policy_deny_abort" | "user_deny_abort" => {
                format!("{call} may not leave, and the run ends")
            }
            _ => format!("{call} may not leave"),
        }
    }
}

impl fmt::Display for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.words(), self.outcome)?;
        if let Some(actor) = &self.actor {
            write!(f, " by {actor}")?;
        }
        f.write_str(")")?;
        match &self.reason {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}
