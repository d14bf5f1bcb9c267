//! Generated histories break no rule that a history must keep. The rules are written down here
//! once more, in the simplest way, so that nothing else has to be right for this to be.

use std::collections::{BTreeMap, BTreeSet};

use history::kinds::words::{Capability, Mode, PlanMode, PolicyDecision, RestoreOutcome};
use history::kinds::{Common, Fact, What};
use history::{BlobId, Event, EventId, Stream};
use sim::history::histories;
use value::{Text, Value, json};

/// All events of each run, its parents' included.
fn lineages(seed: u64) -> BTreeMap<Stream, Vec<(EventId, Fact)>> {
    let mut blobs: BTreeMap<BlobId, Value> = BTreeMap::new();
    let mut runs: BTreeMap<Stream, Vec<(EventId, Fact)>> = BTreeMap::new();
    for piece in histories(seed, 400) {
        let text = |bytes: &[u8]| json::read(std::str::from_utf8(bytes).unwrap()).unwrap().0;
        blobs.extend(piece.blobs.iter().map(|blob| (blob.id(), text(blob.bytes()))));
        if piece.stream.run_id().is_none() {
            continue;
        }
        let fact = |event: &Event| {
            (event.id(), event.fact_with(|id| blobs.get(&id).cloned()).expect("it has no flaws"))
        };
        let mut before = match &piece.fork_of {
            Some(place) => runs[&place.stream][..=place.seq as usize].to_vec(),
            None => runs.remove(&piece.stream).unwrap_or_default(),
        };
        before.extend(piece.events.iter().map(fact));
        runs.insert(piece.stream, before);
    }
    runs
}

#[derive(Default)]
struct Seen {
    events: BTreeSet<EventId>,
    open_calls: BTreeMap<Text, EventId>,
    calls: BTreeSet<Text>,
    open_requests: BTreeSet<Text>,
    requests: BTreeMap<EventId, EventId>,
    /// Calls that may run once, with the policy under which that was decided.
    allowed: BTreeMap<EventId, Option<Text>>,
    policy: Option<Text>,
    approved: BTreeSet<Text>,
    restorable: BTreeMap<Text, bool>,
    snapshots: BTreeMap<Text, Text>,
    attached: BTreeMap<Text, Mode>,
    messages: BTreeSet<Text>,
    listed: i64,
    open_questions: BTreeSet<Text>,
    open_timers: BTreeSet<Text>,
}

impl Seen {
    fn see(&mut self, id: EventId, common: &Common, what: &What) {
        match what {
            What::ModelRequest(request) => {
                let id = request.request_id.clone().unwrap_or_else(|| id.to_string().into());
                assert!(common.correlation_id.is_some() && self.open_requests.insert(id));
            }
            What::ModelResponse(response) => {
                assert!(self.open_requests.remove(&response.request_id));
                assert!(self.messages.contains(response.output_ref.as_ref().unwrap()));
            }
            What::MessageCreated(created) => {
                let node = created.message.id.clone().unwrap_or_else(|| id.to_string().into());
                assert!(self.messages.insert(node));
            }
            What::HistoryAppend(append) => {
                assert!(self.messages.contains(&append.message_ref));
                assert!(append.pos.is_none_or(|pos| pos == self.listed));
                self.listed += 1;
            }
            What::HistoryRewritten(rewritten) => {
                let (from, to) = (rewritten.from_pos, rewritten.to_pos);
                assert!(0 <= from && from < to && to <= self.listed);
                self.listed += rewritten.replacement.len() as i64 - (to - from);
            }
            What::ToolCall(call) => {
                assert!(self.events.contains(&call.requested_by.as_ref().unwrap().event_id));
                assert!(self.calls.insert(call.call_id.clone()), "a call id is used once");
                self.open_calls.insert(call.call_id.clone(), id);
            }
            What::ToolResult(result) => assert!(self.open_calls.remove(&result.call_id).is_some()),
            What::ApprovalRequested(asked) => {
                assert_eq!(asked.policy_digest, self.policy);
                self.requests.insert(id, asked.call.event_id);
            }
            What::ApprovalDecided(decided) => {
                let call = decided.call.as_ref().unwrap().event_id;
                let asked = decided.request.as_ref().map(|request| request.event_id);
                assert!(asked.is_none_or(|asked| self.requests.remove(&asked) == Some(call)));
                if matches!(decided.outcome.word(), "policy_allow" | "user_approve") {
                    self.allowed.insert(call, decided.policy_digest.clone());
                }
            }
            What::EffectStarted(started) => {
                assert_eq!(self.allowed.remove(&started.call.event_id), Some(self.policy.clone()));
            }
            What::PolicyDecided(decided) if decided.decision == PolicyDecision::Approved => {
                self.approved.insert(decided.policy_ref.clone());
            }
            What::PolicyActivated(activated) => {
                assert!(self.approved.contains(&activated.policy_ref));
                assert!(activated.tests_summary.as_ref().is_none_or(|tests| tests.failed == 0));
                self.policy = Some(activated.policy_ref.clone());
            }
            What::Interruption(interruption) => {
                assert!(interruption.affects.iter().all(|at| self.events.contains(&at.event_id)));
            }
            What::Substitution(substitution) => {
                assert!(self.events.contains(&substitution.original_event.event_id));
                assert!(self.events.contains(&substitution.replacement_event.event_id));
            }
            What::QuestionAsked(asked) => {
                assert!(self.open_questions.insert(asked.question_id.clone()));
            }
            What::QuestionAnswered(answered) => {
                assert!(self.open_questions.remove(&answered.question_id));
            }
            What::TimerSet(set) => assert!(self.open_timers.insert(set.timer.clone())),
            What::TimerFired(fired) => assert!(self.open_timers.remove(&fired.timer)),
            other => self.see_resource(other),
        }
        self.events.insert(id);
    }

    fn see_resource(&mut self, what: &What) {
        match what {
            What::ResourceRegistered(registered) => {
                let resource = &registered.resource;
                let can = resource.capabilities.as_ref().unwrap().contains(&Capability::Restore)
                    && resource.imperative != Some(true);
                assert_eq!(self.restorable.insert(resource.id.clone(), can), None);
            }
            What::ResourceAttached(attached) => {
                let (id, mode) = (attached.resource_ref.clone(), attached.mode.clone());
                assert!(self.restorable.contains_key(&id));
                assert_eq!(self.attached.insert(id, mode.unwrap()), None);
            }
            What::ResourceDetached(detached) => {
                assert!(self.attached.remove(&detached.resource_ref).is_some());
            }
            What::SnapshotCreated(created) => {
                assert!(self.restorable.contains_key(&created.resource_ref));
                self.snapshots.insert(created.snapshot_ref.clone(), created.resource_ref.clone());
            }
            What::RestoreAttempted(attempted) => {
                let can = self.restorable[&self.snapshots[&attempted.snapshot_ref]];
                assert!(can || attempted.outcome == RestoreOutcome::Unsupported);
                let new = attempted.new_resource_ref.as_ref();
                assert!(new.is_none_or(|new| self.restorable.contains_key(new)));
            }
            What::AgentForked(forked) => {
                assert!(self.events.contains(&forked.at_event.as_ref().unwrap().event_id));
                let plan = forked.volume_plan.as_deref().unwrap_or_default();
                let planned: BTreeSet<_> = plan.iter().map(|item| item.resource.clone()).collect();
                let alone = |(_, mode): &(&Text, &Mode)| **mode == Mode::ReadWrite;
                let mut alone = self.attached.iter().filter(alone).map(|(id, _)| id);
                // Parts of them may have a plan too.
                let has_plan = alone.all(|id| planned.contains(id));
                assert!(has_plan, "every resource that only one can write has a plan");
                for item in plan.iter().filter(|item| item.mode == PlanMode::Keep) {
                    assert_eq!(item.kept_by.as_ref(), Some(&forked.from_branch));
                }
                self.attached.retain(|_, mode| *mode != Mode::ReadWrite);
                self.allowed.clear();
                self.requests.clear();
            }
            _ => {}
        }
    }
}

#[test]
fn nothing_happens_that_must_not() {
    for seed in 0..60 {
        for (stream, facts) in lineages(seed) {
            let mut seen = Seen::default();
            for (at, (id, fact)) in facts.iter().enumerate() {
                let is_start = matches!(fact.what, What::RunStarted(_));
                assert!(at > 0 || is_start, "seed {seed}: {stream} begins with something else");
                println!("seed {seed}: {stream}@{at}");
                seen.see(*id, &fact.common, &fact.what);
            }
        }
    }
}

#[test]
fn a_resource_that_can_be_written_is_held_by_one_run() {
    for seed in 0..60 {
        let mut holders: BTreeMap<Text, Text> = BTreeMap::new();
        for (_, fact) in lineages(seed).into_values().flatten() {
            if let What::ResourceAttached(attached) = fact.what
                && attached.mode == Some(Mode::ReadWrite)
            {
                let run = fact.common.run_id.unwrap();
                let holder = holders.entry(attached.resource_ref).or_insert_with(|| run.clone());
                assert_eq!(*holder, run, "seed {seed}");
            }
        }
    }
}
