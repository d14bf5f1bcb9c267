//! What events say about agents, runs, branches and policies.

use std::ops::Bound;

use value::{Text, Value};

use super::edges::EdgeKind;
use super::fold::{Fold, written};
use super::node::{Aspect, NodeKind, NodeRef};
use crate::Timestamp;
use crate::kinds::words::{Exit, PolicyDecision};
use crate::kinds::{
    AgentCreated, AgentForked, BranchMerged, Common, Interruption, PolicyActivated, PolicyDecided,
    PolicyProposed, RunFinished, RunStarted, SubagentSpawned, Substitution,
};

impl RunFinished {
    /// The word for how it ended: `done` or `failed`.
    pub fn status(&self) -> &'static str {
        match self.exit {
            Some(Exit::Error | Exit::Aborted) => "failed",
            _ if self.error.is_some() => "failed",
            _ => "done",
        }
    }
}

impl Fold<'_> {
    pub(super) fn agent_created(&mut self, common: &Common, what: &AgentCreated) {
        if let Some(agent) = &common.agent_id {
            let agent = NodeRef::new(NodeKind::Agent, agent.clone());
            self.node(agent, Aspect::Itself, self.from, [("name", what.name.clone().into())]);
        }
    }

    pub(super) fn run_started(&mut self, common: &Common, what: &RunStarted) {
        let Some(run) = &common.run_id else { return };
        let node = NodeRef::new(NodeKind::Run, run.clone());
        let from = what.from.as_ref().map(|from| format!("{}@{}", from.run_id, from.seq));
        let attrs = [
            ("reason", written(&what.reason)),
            ("graph", what.graph.clone().into()),
            ("from", from.into()),
        ];
        self.node(node.clone(), Aspect::Itself, self.from, attrs);
        self.run_status(common, "open", Value::Null);
        if let Some(agent) = &common.agent_id {
            let agent = NodeRef::new(NodeKind::Agent, agent.clone());
            self.edge(EdgeKind::AgentHasRun, agent, node.clone());
        }
        if let Some(origin) = &what.from {
            let parent = NodeRef::new(NodeKind::Run, origin.run_id.clone());
            let memory = self.memory();
            memory.origins.insert(run.clone(), origin.run_id.clone());
            let shared: Vec<_> = memory
                .lists
                .range((parent.clone(), Text::default())..)
                .take_while(|((of, _), _)| *of == parent)
                .map(|((_, list), messages)| ((node.clone(), list.clone()), messages.clone()))
                .collect();
            memory.lists.extend(shared);
        }
    }

    pub(super) fn run_finished(&mut self, common: &Common, what: &RunFinished) {
        self.run_status(common, what.status(), written(&what.exit));
    }

    pub(super) fn run_status(&mut self, common: &Common, status: &str, exit: Value) {
        if let Some(run) = &common.run_id {
            let run = NodeRef::new(NodeKind::Run, run.clone());
            let attrs = [("status", status.into()), ("exit", exit)];
            self.node(run, Aspect::Status, self.from, attrs);
        }
    }

    pub(super) fn agent_forked(&mut self, common: &Common, what: &AgentForked) {
        let branch = NodeRef::branch(common.agent_id.as_deref(), &what.to_branch);
        let attrs = [
            ("name", what.to_branch.clone().into()),
            ("agent_id", common.agent_id.clone().into()),
            ("run_id", common.run_id.clone().into()),
            ("from_branch", what.from_branch.clone().into()),
            ("plan", written(&what.volume_plan)),
        ];
        self.node(branch.clone(), Aspect::Itself, self.from, attrs);
        if let Some(run) = &common.run_id {
            let planned = what.volume_plan.iter().flatten();
            let planned = planned.map(|item| (run.clone(), item.resource.clone()));
            self.memory().planned.extend(planned);
        }
        if let Some(at) = &what.at_event {
            let at = NodeRef::of_event(NodeKind::Event, at.event_id);
            self.edge(EdgeKind::ForkedFrom, branch.clone(), at);
        }
        let origins = &self.projection.memory.origins;
        let origin = common.run_id.as_ref().and_then(|run| origins.get(run)).cloned();
        if let Some(run) = origin {
            self.edge(EdgeKind::ForkedFrom, branch, NodeRef::new(NodeKind::Run, run));
        }
    }

    pub(super) fn branch_merged(&mut self, common: &Common, what: &BranchMerged) {
        let branch = |name| NodeRef::branch(common.agent_id.as_deref(), name);
        let (into, from) = (branch(&what.into), branch(&what.from));
        let attrs = [("status", "merged".into()), ("into", what.into.clone().into())];
        self.node(from.clone(), Aspect::Status, self.from, attrs);
        self.edge(EdgeKind::DerivedFrom, into, from);
    }

    pub(super) fn subagent_spawned(&mut self, common: &Common, what: &SubagentSpawned) {
        let subagent = NodeRef::new(NodeKind::Subagent, what.subagent.id.clone());
        let attrs = [
            ("parent_agent_id", common.agent_id.clone().into()),
            ("constraints", what.subagent.constraints.clone().map(Value::Map).into()),
        ];
        self.node(subagent.clone(), Aspect::Itself, self.from, attrs);
        if let Some(agent) = &common.agent_id {
            let agent = NodeRef::new(NodeKind::Agent, agent.clone());
            let attrs = [("child_run", what.child_run.clone().into())];
            self.edge_at(EdgeKind::SpawnedFrom, subagent, agent, 0, attrs);
        }
    }

    pub(super) fn interruption(&mut self, what: &Interruption) {
        for (order, affected) in (0..).zip(&what.affects) {
            let to = NodeRef::of_event(NodeKind::Event, affected.event_id);
            let attrs = [("reason", written(&what.reason))];
            self.edge_at(EdgeKind::Interrupts, self.event(), to, order, attrs);
        }
    }

    pub(super) fn substitution(&mut self, what: &Substitution) {
        let (new, old) = (what.replacement_event.event_id, what.original_event.event_id);
        let event = |id| NodeRef::of_event(NodeKind::Event, id);
        let attrs = [("reason", what.reason.clone().into())];
        self.edge_at(EdgeKind::Substitutes, event(new), event(old), 0, attrs);
        self.edge(EdgeKind::DerivedFrom, self.made_by(new), self.made_by(old));
    }

    pub(super) fn policy_proposed(&mut self, what: &PolicyProposed) {
        let policy = NodeRef::new(NodeKind::Policy, what.policy_ref.clone());
        let attrs = [
            ("path_or_uri", written(&what.path_or_uri)),
            ("docstring", what.docstring.clone().into()),
            ("source_digest", what.source_digest.clone().into()),
            ("tests_summary", written(&what.tests_summary)),
        ];
        self.node(policy.clone(), Aspect::Itself, self.from, attrs);
        // What is in force stays so, whoever proposes it again.
        let key = (policy.clone(), Aspect::Status);
        let held = self.projection.nodes.at(&key, self.from).and_then(|(_, row)| row);
        let status = held.and_then(|row| self.projection.nodes()[row].what.attrs.get("status"));
        if status != Some(&Value::from("active")) {
            self.policy_status(&what.policy_ref, self.from, "proposed");
        }
        self.edge(EdgeKind::ProposesPolicy, self.event(), policy);
    }

    /// An approval puts nothing in force: that is for an activation to say.
    pub(super) fn policy_decided(&mut self, what: &PolicyDecided) {
        if matches!(what.decision, PolicyDecision::Rejected | PolicyDecision::Withdrawn) {
            self.policy_status(&what.policy_ref, self.from, what.decision.word());
        }
    }

    /// An agent has one active policy at a time. What was active is superseded, and so is this
    /// one where another had been activated for later.
    pub(super) fn policy_activated(&mut self, common: &Common, what: &PolicyActivated) {
        let policy = NodeRef::new(NodeKind::Policy, what.policy_ref.clone());
        self.once(policy.clone(), [("path_or_uri", written(&what.path_or_uri))]);
        self.edge(EdgeKind::ActivatesPolicy, self.event(), policy);
        let Some(agent) = common.agent_id.clone() else { return };
        let moment = (agent.clone(), self.from);
        let active = &self.projection.memory.active;
        let before = active.range(..=moment.clone()).next_back();
        let before = before.filter(|((of, _), _)| *of == agent).map(|(_, policy)| policy.clone());
        let behind = (Bound::Excluded(moment.clone()), Bound::Unbounded);
        let next = active.range(behind).next().filter(|((of, _), _)| *of == agent);
        let next = next.map(|((_, at), policy)| (*at, policy.clone()));
        if let Some(before) = before.filter(|before| *before != what.policy_ref) {
            self.policy_status(&before, self.from, "superseded");
        }
        self.policy_status(&what.policy_ref, self.from, "active");
        if let Some((at, next)) = next
            && next != what.policy_ref
        {
            self.policy_status(&what.policy_ref, at, "superseded");
        }
        self.memory().active.insert(moment, what.policy_ref.clone());
    }

    fn policy_status(&mut self, policy: &Text, from: Timestamp, status: &str) {
        let policy = NodeRef::new(NodeKind::Policy, policy.clone());
        self.node(policy, Aspect::Status, from, [("status", status.into())]);
    }
}
