//! What policies were proposed, decided about and put in force.

use std::collections::BTreeMap;

use value::{Text, Value};

use super::reading::holds;
use super::sources::{Subject, told};
use super::{At, Found, Item, QueryError, joined, maybe, shown};
use crate::Timestamp;
use crate::archive::Archive;
use crate::kinds::{Kind, What};
use crate::projection::{Aspect, NodeKind, NodeRef, Projection, Said};

/// The kinds that this needs.
const KINDS: &[Kind] = &[Kind::PolicyProposed, Kind::PolicyDecided, Kind::PolicyActivated];

/// Something that happened to a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyStep {
    /// The event that says so.
    pub said: Said,
    /// What happened.
    pub kind: Kind,
    /// When.
    pub ts: Timestamp,
    /// Since when it holds.
    pub since: Timestamp,
    /// Which policy.
    pub policy: Text,
    /// Whose.
    pub agent: Option<Text>,
    /// What was decided, if this is a decision.
    pub decision: Option<Text>,
    /// Who did it.
    pub actor: Option<Text>,
    /// Why, or what else was noted.
    pub note: Option<Text>,
    /// What the policy is at the time in question: `proposed`, `active`, `superseded`, `rejected`
    /// or `withdrawn`.
    pub status: Option<Text>,
}

/// What happened to the policies of a run or an agent, or to one policy, in order.
pub fn policies<A: Archive + ?Sized>(
    archive: &A,
    subject: &Subject,
    at: &At,
    limit: usize,
) -> Result<Found<PolicyStep>, QueryError<A::Error>> {
    let events = told(archive, subject, at, KINDS)?.whole()?;
    let projection = Projection::rebuild(&events);
    let view = at.time.map_or(projection.now(), |time| projection.valid_at(time));
    let status = |policy: &Text| {
        let node = NodeRef::new(NodeKind::Policy, policy.clone());
        view.last(&node, Aspect::Status)?.what.attrs.get("status")?.as_text().cloned()
    };
    let mut statuses: BTreeMap<Text, Option<Text>> = BTreeMap::new();
    let mut items = Vec::new();
    for seen in &events {
        let Some(fact) = seen.fact.as_ref().filter(|fact| holds(fact, at)) else { continue };
        let (policy, decision, actor, note) = match &fact.what {
            What::PolicyProposed(what) => (&what.policy_ref, None, None, what.notes.clone()),
            What::PolicyDecided(what) => {
                let decision = Some(what.decision.word().into());
                (&what.policy_ref, decision, what.actor.clone(), what.reason.clone())
            }
            What::PolicyActivated(what) => {
                (&what.policy_ref, None, what.actor.clone(), what.notes.clone())
            }
            _ => continue,
        };
        if matches!(subject, Subject::Thing(id) if id != policy) {
            continue;
        }
        items.push(PolicyStep {
            said: Said { place: seen.place.clone(), event: seen.id },
            kind: seen.kind,
            ts: fact.common.ts,
            since: fact.common.valid_at.unwrap_or(fact.common.ts),
            policy: policy.clone(),
            agent: fact.common.agent_id.clone(),
            decision,
            actor,
            note,
            status: statuses.entry(policy.clone()).or_insert_with(|| status(policy)).clone(),
        });
    }
    Ok(Found::first(items, limit, false))
}

impl Item for PolicyStep {
    fn value(&self) -> Value {
        Value::map([
            ("place", shown(&self.said.place)),
            ("event_id", self.said.event.into()),
            ("kind", self.kind.name().into()),
            ("ts", shown(self.ts)),
            ("since", shown(self.since)),
            ("policy", self.policy.clone().into()),
            ("agent", self.agent.clone().into()),
            ("decision", self.decision.clone().into()),
            ("actor", self.actor.clone().into()),
            ("note", self.note.clone().into()),
            ("status", maybe(self.status.as_ref())),
        ])
    }

    fn line(&self) -> String {
        let words = [
            self.said.place.to_string(),
            self.kind.name().to_string(),
            self.policy.to_string(),
            self.decision.as_deref().unwrap_or_default().to_string(),
            self.status.as_ref().map(|status| format!("(now {status})")).unwrap_or_default(),
        ];
        joined(words)
    }
}
