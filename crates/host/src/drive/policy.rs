//! The policy is asked before a call leaves, and followed when another one comes into force.

use runtime::{Begin, Input, Pending, Plan, PolicyChange, Ruling, Run};
use store::{Store, StoreError};
use value::Text;

use super::{DriveError, Driver};
use crate::policy::{self, Policy};

/// Who says what becomes of calls, in the place of the policies that the store keeps.
pub trait Rules {
    /// What becomes of a call under a policy.
    fn rule(&self, policy: &Text, run: &Run, call: &Pending) -> Ruling;
}

/// Whom a driver asks.
#[derive(Default)]
pub(super) struct Asking<'a> {
    others: Option<&'a dyn Rules>,
    /// The policy that was asked last: calls come one after the other, and it seldom changes.
    known: Option<Policy>,
}

/// A run begins under the policy that is in force, unless it was given one to try.
pub(super) fn begin(store: &dyn Store, plan: &Plan, begin: &mut Begin) -> Result<(), StoreError> {
    if begin.options.policy.is_none() {
        let active = policy::in_force(store, &plan.name)?;
        begin.options.policy = active.map(|active| active.digest);
    }
    Ok(())
}

impl<'a> Driver<'a> {
    /// Has somebody else decide about calls.
    #[must_use]
    pub fn ruled_by(mut self, rules: &'a dyn Rules) -> Driver<'a> {
        self.rules.others = Some(rules);
        self
    }

    /// A policy that has come into force since the run began counts from now on.
    pub(super) fn keep_up_with_policy(&mut self) -> Result<(), DriveError> {
        if self.run.is_over() {
            return Ok(());
        }
        let active = policy::in_force(self.world.store, self.run.agent())?;
        let is_news = |active: &policy::Activation| {
            active.ts >= self.run.since() && self.run.policy() != Some(&active.digest)
        };
        let Some(active) = active.filter(is_news) else { return Ok(()) };
        let change = PolicyChange {
            policy: active.digest,
            actor: Some(active.actor.unwrap_or_else(|| "quipu".into())),
            notes: Some(format!("in force since {}", active.ts).into()),
        };
        let input = Input::Policy(Box::new(change));
        if self.comes_to_rest_for(&input)? && !self.run.is_over() {
            self.input(&input)?;
        }
        Ok(())
    }

    /// What becomes of the next call that waits for the policy.
    pub(super) fn next_ruling(&mut self) -> Result<Option<Input>, DriveError> {
        let (Some(call), Some(policy)) = (self.run.next_undecided(), self.run.policy()) else {
            return Ok(None);
        };
        let ruling = match self.rules.others {
            Some(rules) => rules.rule(policy, &self.run, call),
            None => self.rules.of_store(self.world.store, policy, &self.run, call)?,
        };
        Ok(Some(Input::Decided(call.id, Box::new(ruling))))
    }
}

impl Asking<'_> {
    /// What the policy that the store keeps says. Where there is none, nothing leaves.
    fn of_store(
        &mut self,
        store: &dyn Store,
        digest: &Text,
        run: &Run,
        call: &Pending,
    ) -> Result<Ruling, StoreError> {
        if self.known.as_ref().is_none_or(|known| known.digest() != digest) {
            self.known = match Policy::load(store, digest)? {
                Some(Ok(policy)) => Some(policy),
                Some(Err(why)) => return Ok(policy::unasked(digest, &why)),
                None => return Ok(policy::unasked(digest, "it is not in the store any more")),
            };
        }
        let told = policy::about(run, call, run.agent());
        Ok(match &mut self.known {
            Some(policy) if policy.digest() == digest => policy.decide(&told),
            // Read again, it must be what it was.
            _ => policy::unasked(digest, "what is kept under its digest is something else"),
        })
    }
}
