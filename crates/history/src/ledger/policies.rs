//! Which policies were proposed, and which one is in force.

use std::collections::BTreeMap;

use value::{Digest, Text, Value};

use super::Violation;
use crate::kinds::What;
use crate::kinds::records::Ref;
use crate::kinds::words::PolicyDecision;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policies {
    /// There are few, and each is small.
    proposed: BTreeMap<Text, Proposal>,
    /// The digest of the one that is in force, as far as it is known.
    in_force: Option<Text>,
    /// Whoever drives the run asks it before every call of a tool.
    is_asked: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Proposal {
    failed: i64,
    digest: Option<Text>,
    decision: Option<PolicyDecision>,
}

impl Policies {
    /// The digest of the policy that is in force, as far as it is known.
    pub(super) fn in_force(&self) -> Option<&Text> {
        self.in_force.as_ref()
    }

    /// Whether a call of a tool may leave only where it was allowed.
    pub(super) fn must_allow(&self) -> bool {
        self.is_asked
    }

    pub(super) fn check(&self, what: &What, found: &mut Vec<Violation>) {
        let What::PolicyActivated(event) = what else { return };
        let policy = || event.policy_ref.clone();
        let proposal = self.proposed.get(&event.policy_ref);
        let turned_down = proposal
            .and_then(|proposal| proposal.decision.clone())
            .filter(|word| matches!(word, PolicyDecision::Rejected | PolicyDecision::Withdrawn));
        // A person can put any policy in force.
        if event.actor.is_none() && (proposal.is_none() || turned_down.is_some()) {
            found.push(Violation::PolicyNotProposed { policy: policy(), turned_down });
        }
        let tested = event.tests_summary.as_ref().map(|tests| tests.failed);
        let failed = tested.or(proposal.map(|proposal| proposal.failed)).unwrap_or(0);
        if failed > 0 {
            found.push(Violation::PolicyTestsFailed { policy: policy(), failed });
        }
    }

    pub(super) fn apply(&mut self, what: &What) {
        match what {
            What::RunStarted(event) => {
                let options = event.options.as_deref();
                let policy = options.and_then(|options| options.get("policy")?.get("id"));
                if let Some(policy) = policy.and_then(Value::as_text) {
                    self.in_force = Some(policy.clone());
                    self.is_asked = true;
                }
            }
            What::PolicyProposed(event) => {
                let failed = event.tests_summary.as_ref().map_or(0, |tests| tests.failed);
                let digest = event.source_digest.clone();
                let proposal = Proposal { failed, digest, decision: None };
                self.proposed.insert(event.policy_ref.clone(), proposal);
            }
            What::PolicyDecided(event) => {
                if let Some(proposal) = self.proposed.get_mut(&event.policy_ref) {
                    proposal.decision = Some(event.decision.clone());
                }
            }
            What::PolicyActivated(event) => {
                let proposal = self.proposed.entry(event.policy_ref.clone()).or_default();
                // So the engine names a policy that its run has to ask from now on.
                self.is_asked |= matches!(&event.path_or_uri,
                    Some(Ref::Ext(kept)) if kept.id == event.policy_ref);
                let is_digest = Digest::parse(&event.policy_ref).is_some();
                let own = is_digest.then(|| event.policy_ref.clone());
                self.in_force = proposal.digest.clone().or(own);
            }
            _ => {}
        }
    }
}
