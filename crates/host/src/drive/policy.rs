//! The policy is asked before a call leaves, and followed when another one comes into force.

use graph::Again;
use graph::policy::From;
use history::Stream;
use history::kinds::Kind;
use runtime::{Begin, Input, Pending, Plan, PolicyChange, Request, Ruling, Run, Stage};
use store::{Store, StoreError};
use value::Text;

use super::ways::Ways;
use super::{DriveError, Driver};
use crate::begun::begun_here;
use crate::policy::{self, Policy, Within};

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
    /// What leads where in the graph of the run, once somebody wants to know.
    ways: Option<Ways>,
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

    /// A policy that has come into force since the run began counts from now on. For a run that was
    /// not begun here it does in any case: what was decided elsewhere is decided anew.
    pub(super) fn keep_up_with_policy(&mut self) -> Result<(), DriveError> {
        if self.run.is_over() {
            return Ok(());
        }
        let store = self.world.store;
        let active = policy::in_force(store, self.run.agent())?;
        let Some(active) = active else { return Ok(()) };
        let elsewhere = self.was_decided_elsewhere(&active)?;
        let present = match self.run.policy() {
            Some(digest) => Policy::load(store, digest)?.and_then(Result::ok),
            None => None,
        };
        let followed = match &present {
            Some(present) => present.in_force() == Some(&active.digest),
            None => self.run.policy() == Some(&active.digest),
        };
        if (active.ts < self.run.since() || followed) && !elsewhere {
            return Ok(());
        }
        let left: Vec<String> = self.left_for_good().filter(|_| elsewhere).collect();
        if !left.is_empty() {
            return Err(DriveError::LeftElsewhere(left.join(", ")));
        }
        let policy = match present.filter(|_| !elsewhere) {
            Some(present) => self.followed_by(present, &active.digest)?,
            None => active.digest,
        };
        let change = PolicyChange {
            policy,
            actor: Some(active.actor.unwrap_or_else(|| "quipu".into())),
            notes: Some(format!("in force since {}", active.ts).into()),
        };
        let input = Input::Policy(Box::new(change));
        if self.comes_to_rest_for(&input)? && !self.run.is_over() {
            self.input(&input)?;
        }
        Ok(())
    }

    /// The digest of what decides from now on: what comes into force, with what a workspace has.
    fn followed_by(&self, present: Policy, active: &Text) -> Result<Text, DriveError> {
        let store = self.world.store;
        let Some(Ok(active)) = Policy::load(store, active)? else { return Ok(active.clone()) };
        let next = present.followed_by(active);
        policy::keep(store, &next).map_err(DriveError::Append)?;
        Ok(next.digest().clone())
    }

    /// Whether a run was not begun here, and has not come under this policy here since.
    fn was_decided_elsewhere(&self, active: &policy::Activation) -> Result<bool, StoreError> {
        let store = self.world.store;
        if begun_here(store, &self.stream, None)? {
            return Ok(false);
        }
        let last = store.last_of(&self.stream, &[Kind::PolicyActivated], u64::MAX)?;
        let Some(last) = last.filter(|_| self.run.policy() == Some(&active.digest)) else {
            return Ok(true);
        };
        Ok(!store.written_here(&self.stream, last.seq, u64::MAX)?)
    }

    /// The calls that have left and cannot be decided about any more; where nobody knows what became
    /// of them, they may leave again.
    fn left_for_good(&self) -> impl Iterator<Item = String> {
        self.run.pending().filter_map(|pending| match &pending.request {
            Request::Tool(call) if call.store.is_none() && call.again != Again::Freely => {
                (pending.stage == Stage::Started).then(|| format!("`{}`", call.name()))
            }
            _ => None,
        })
    }

    /// What becomes of the next call that waits for the policy.
    pub(super) fn next_ruling(&mut self) -> Result<Option<Input>, DriveError> {
        let (Some(call), Some(policy)) = (self.run.next_undecided(), self.run.policy()) else {
            return Ok(None);
        };
        let ruling = match self.rules.others {
            Some(rules) => rules.rule(policy, &self.run, call),
            None => {
                let parts = match &call.request {
                    Request::Tool(tool) => self.world.adapter.parts(tool),
                    _ => Vec::new(),
                };
                let (store, stream) = (self.world.store, &self.stream);
                let about = (&self.run, stream, &*self.plan);
                self.rules.of_store(store, policy, about, call, parts)?
            }
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
        (run, stream, plan): (&Run, &Stream, &Plan),
        call: &Pending,
        parts: Vec<Text>,
    ) -> Result<Ruling, StoreError> {
        if self.known.as_ref().is_none_or(|known| known.digest() != digest) {
            self.known = match Policy::load(store, digest)? {
                Some(Ok(policy)) => Some(policy),
                Some(Err(why)) => return Ok(policy::unasked(digest, &why)),
                None => return Ok(policy::unasked(digest, "it is not in the store any more")),
            };
        }
        let began = plan.entry_label();
        let mut told = policy::about(run, call, run.agent(), began);
        let policy = match &mut self.known {
            Some(policy) if policy.digest() == digest => policy,
            // Read again, it must be what it was.
            _ => {
                let why = "what is kept under its digest is something else";
                return Ok(policy::unasked(digest, why));
            }
        };
        if policy.looks_at_ways() && self.ways.is_none() {
            self.ways = Ways::of(store, stream, began)?;
            if self.ways.is_none() {
                let why = "the graph of the run, whose ways it looks at, cannot be read";
                return Ok(policy::unasked(digest, why));
            }
        }
        let ways = self.ways.as_ref();
        let leads = |from: &From| ways.is_some_and(|ways| ways.lead(from, &call.at));
        let label = plan.label_of(&call.at).map_or(&*call.at, |label| &**label);
        let within = Within { label, leads: &leads };
        let mut ruling = policy.decide_within(&told, within);
        // A tool that calls others is no way around what is said of them: the strictest word counts.
        for part in parts {
            told.insert("server".into(), "tool".into());
            told.insert("tool".into(), part.clone().into());
            let of_part = policy.decide_within(&told, within);
            if policy::strictness(&of_part.outcome) > policy::strictness(&ruling.outcome) {
                let reason = of_part.reason.as_deref().unwrap_or("no reason was given");
                let reason = Some(format!("it calls `{part}`: {reason}").into());
                ruling = Ruling { reason, ..of_part };
            }
        }
        Ok(ruling)
    }
}
