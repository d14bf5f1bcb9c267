//! What decisions, moments and the run's own course say of calls.

use value::{Text, Value};

use super::call::{Asked, Call, Ended, Failure};
use super::fold::{Name, Said, Spans};
use super::{Content, content, names};
use crate::kinds::words::ApprovalOutcome;
use crate::kinds::{ApprovalDecided, What};

/// So many calls of one node are looked at to find the one that a moment ends.
const LOOKED_AT_MAX: usize = 64;

impl Spans {
    pub(super) fn decided(&mut self, said: &Said<'_>, decided: &ApprovalDecided) {
        let ts = said.common.ts;
        let request = decided.request.as_ref().map(|request| request.event_id);
        let request = request.and_then(|request| self.about(said, request));
        let asked = request.and_then(|number| match self.calls[number].asked {
            Asked::Approval { call } => call,
            _ => None,
        });
        let named = decided.call.as_ref().map(|call| call.event_id);
        let call = asked.or_else(|| self.about(said, named?));
        let mut note = vec![(names::APPROVAL_OUTCOME, names::word(decided.outcome.word()))];
        let policy = decided.policy_digest.clone();
        note.extend(policy.map(|policy| (names::POLICY_DIGEST, policy.into())));
        if self.content == Content::Told {
            note.extend(decided.actor.clone().map(|actor| (names::ACTOR, actor.into())));
            note.extend(decided.reason.clone().map(|reason| (names::REASON, reason.into())));
        }
        match (request, call) {
            (Some(request), _) => {
                let approval = &mut self.calls[request];
                note.into_iter().for_each(|(name, value)| approval.set(name, value));
                approval.end(ts, None);
            }
            (None, Some(call)) => self.calls[call].notes.add("approval", ts, note),
            (None, None) if said.is_own => self.root.notes.add("approval", ts, note),
            (None, None) => {}
        }
        let is_final = decided.outcome.denies() || decided.outcome == ApprovalOutcome::Expired;
        if let Some(call) = call.filter(|call| is_final && self.calls[*call].ended.is_none()) {
            self.calls[call].end(ts, Some(Failure::of("denied")));
        }
    }

    pub(super) fn fired(&mut self, said: &Said<'_>, timer: &Text) {
        let Some(number) = self.by_name.get(&(Name::Timer, timer.clone())).copied() else { return };
        let at = self.calls[number].at.clone();
        let Asked::Timer { due, .. } = self.calls[number].asked else { return };
        // A moment that ends a call is told with the call.
        let ends = |call: &Call| {
            let is_open = call.ended.is_none() && call.at == at;
            let is_until = match call.asked {
                Asked::Question { expires } => expires == due,
                Asked::Timer { .. } => false,
                _ => true,
            };
            is_open && is_until
        };
        let here = self.by_node.get(&at).map_or(&[][..], Vec::as_slice);
        let here = here.iter().rev().take(LOOKED_AT_MAX).copied();
        let ended = here.into_iter().find(|earlier| ends(&self.calls[*earlier]));
        if let Some(ended) = ended {
            let call = &mut self.calls[ended];
            call.is_own |= said.is_own;
            if matches!(call.asked, Asked::Question { .. }) {
                call.set(names::EXPIRED, true);
                call.end(said.common.ts, None);
            }
            return;
        }
        let timer = &mut self.calls[number];
        timer.is_own |= said.is_own;
        timer.asked = Asked::Timer { due, was_awaited: true };
        timer.end(said.common.ts, None);
    }

    /// What concerns the whole run.
    pub(super) fn course(&mut self, said: &Said<'_>, what: &What) {
        let ts = said.common.ts;
        let seq = (names::SEQ, Value::count(said.place.seq));
        match what {
            What::RunFinished(finished) => {
                let failure = finished.error.as_ref().map(Failure::said);
                let exit = finished.exit.as_ref().map(|exit| names::word(exit.word()));
                let is_bad = exit.as_ref().is_some_and(|exit| *exit != "success".into());
                let failure = failure.or_else(|| is_bad.then(|| Failure::of("failed")));
                self.root.attributes.extend(exit.map(|exit| (names::EXIT, exit)));
                if let (Content::Told, Some(result)) = (self.content, &finished.result) {
                    self.root.attributes.push((names::RESULT, content::written(result)));
                }
                self.root.ended = Some(Ended { at: ts, failure });
            }
            What::RunCancelled(_) => {
                self.root.attributes.push((names::EXIT, "cancelled".into()));
                self.root.ended = Some(Ended { at: ts, failure: Some(Failure::of("cancelled")) });
            }
            What::RunPaused(_) => self.root.notes.add("run_paused", ts, vec![seq]),
            What::StateSet(_) => self.root.notes.add("state_set", ts, vec![seq]),
            What::SubagentSpawned(_) => self.root.notes.add("subagent_spawned", ts, vec![seq]),
            What::McpResourceUpdated(updated) => {
                let server = (names::SERVER, updated.server.clone().into());
                self.root.notes.add("mcp.resource_updated", ts, vec![server, seq]);
            }
            What::McpResourceListChanged(changed) => {
                let server = (names::SERVER, changed.server.clone().into());
                self.root.notes.add("mcp.resource_list_changed", ts, vec![server, seq]);
            }
            _ => {}
        }
    }
}
