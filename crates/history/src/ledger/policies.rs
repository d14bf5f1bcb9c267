//! Which policies were proposed, and which one is in force.

use std::collections::BTreeMap;

use value::{Digest, Text};

use super::Violation;
use crate::kinds::What;
use crate::kinds::words::PolicyDecision;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Policies {
    /// There are few, and each is small.
    proposed: BTreeMap<Text, Proposal>,
    /// The digest of the one that is in force, as far as it is known.
    in_force: Option<Text>,
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
                let is_digest = Digest::parse(&event.policy_ref).is_some();
                let own = is_digest.then(|| event.policy_ref.clone());
                self.in_force = proposal.digest.clone().or(own);
            }
            _ => {}
        }
    }
}
