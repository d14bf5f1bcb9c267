//! What events say about messages, models and tools.

use std::sync::Arc;

use value::{Text, Value};

use super::edges::{Edge, EdgeKey, EdgeKind};
use super::fold::{Fold, actor, written};
use super::node::{Aspect, NodeKind, NodeRef};
use crate::EventId;
use crate::kinds::{
    ApprovalDecided, ApprovalRequested, Common, HistoryAppend, HistoryRewritten, MessageCreated,
    ModelRequest, ModelResponse, SnapshotMaterialized, SummaryCreated, ToolCall, ToolResult,
};

impl Fold<'_> {
    pub(super) fn message_created(&mut self, what: &MessageCreated) {
        let message = match &what.message.id {
            Some(id) => NodeRef::new(NodeKind::Message, id.clone()),
            None => NodeRef::of_event(NodeKind::Message, self.said.event),
        };
        let attrs = [("role", written(&what.message.role))];
        self.node(message.clone(), Aspect::Itself, self.from, attrs);
        self.edge(EdgeKind::EventProduces, self.event(), message.clone());
        self.made(message);
    }

    pub(super) fn history_append(&mut self, common: &Common, what: &HistoryAppend) {
        let Some(holder) = actor(common) else { return };
        let key = (holder.clone(), what.list.clone());
        let list = Arc::make_mut(self.memory().lists.entry(key).or_default());
        // A position that leaves a gap, or none at all, means the end.
        let said = what.pos.and_then(|pos| usize::try_from(pos).ok());
        let at = said.filter(|at| *at < list.len()).unwrap_or(list.len());
        list.insert(at, what.message_ref.clone());
        let tail: Vec<Text> = list[at..].to_vec();
        self.positions(&holder, &what.list, at, &tail, 0);
    }

    pub(super) fn history_rewritten(&mut self, common: &Common, what: &HistoryRewritten) {
        let Some(holder) = actor(common) else { return };
        let key = (holder.clone(), what.list.clone());
        let list = Arc::make_mut(self.memory().lists.entry(key).or_default());
        let within = |pos: i64| usize::try_from(pos).unwrap_or(0).min(list.len());
        let (from, to) = (within(what.from_pos), within(what.to_pos));
        let before = list.len();
        list.splice(from..to.max(from), what.replacement.iter().cloned());
        // What is behind has another position now, unless as many were put in as taken out.
        let end = if list.len() == before { from + what.replacement.len() } else { list.len() };
        let changed: Vec<Text> = list[from..end].to_vec();
        let lost = before.saturating_sub(list.len());
        self.positions(&holder, &what.list, from, &changed, lost);
    }

    /// From a position on these are the messages of a list, and so many positions are no more.
    fn positions(&mut self, holder: &NodeRef, list: &Text, at: usize, all: &[Text], lost: usize) {
        let kind = EdgeKind::AppendedToHistory;
        let messages = all.iter().map(Some).chain(std::iter::repeat_n(None, lost));
        for (order, message) in (at as u64..).zip(messages) {
            let key = EdgeKey {
                kind,
                from: Some(holder.clone()),
                to: None,
                order,
                list: Some(list.clone()),
            };
            let attrs = [
                ("list".into(), list.clone().into()),
                ("pos".into(), Value::Int(order.cast_signed())),
            ];
            let edge = message.map(|message| Edge {
                kind,
                from: holder.clone(),
                to: NodeRef::new(NodeKind::Message, message.clone()),
                order,
                attrs: attrs.into_iter().collect(),
            });
            self.change_edge(key, edge);
        }
    }

    pub(super) fn model_request(&mut self, common: &Common, what: &ModelRequest) {
        let event = self.said.event;
        let generation = NodeRef::of_event(NodeKind::Generation, event);
        self.once(generation.clone(), [("model", what.model.clone().into())]);
        let inputs: Vec<_> =
            what.input_refs.iter().flatten().filter_map(|input| self.target(input)).collect();
        let allowed = EdgeKind::EventConsumes.row().to;
        for (order, input) in (0..).zip(&inputs) {
            if allowed.contains(&input.kind) {
                self.edge_at(EdgeKind::EventConsumes, self.event(), input.clone(), order, []);
            }
        }
        let request = what.request_id.clone().unwrap_or_else(|| event.to_string().into());
        let memory = self.memory();
        memory.requests.insert((common.run_id.clone(), request), generation.clone());
        memory.generations.insert(event, generation.clone());
        memory.inputs.insert(generation, inputs);
    }

    pub(super) fn model_response(&mut self, common: &Common, what: &ModelResponse) {
        let output = what.output_ref.clone().map(|id| NodeRef::new(NodeKind::Message, id));
        if let Some(output) = &output {
            self.edge(EdgeKind::EventProduces, self.event(), output.clone());
            self.made(output.clone());
        }
        if let Some(reasoning) = &what.reasoning_ref {
            let reasoning = NodeRef::new(NodeKind::Message, reasoning.clone());
            self.edge(EdgeKind::EventProduces, self.event(), reasoning);
        }
        let event = self.said.event;
        let memory = self.memory();
        let by_event = || memory.generations.get(&EventId::parse(&what.request_id)?);
        let found = memory.in_run(&memory.requests, common, &what.request_id).or_else(by_event);
        let Some(generation) = found.cloned() else { return };
        memory.generations.insert(event, generation.clone());
        let inputs = memory.inputs.get(&generation).cloned().unwrap_or_default();
        self.edge(EdgeKind::EventProduces, self.event(), generation);
        let Some(output) = output else { return };
        for (order, input) in (0..).zip(inputs) {
            self.edge_at(EdgeKind::DerivedFrom, output.clone(), input, order, []);
        }
    }

    pub(super) fn tool_call(&mut self, common: &Common, what: &ToolCall) {
        let call = NodeRef::of_event(NodeKind::ToolCall, self.said.event);
        let attrs = [
            ("server", what.server.clone().into()),
            ("tool", what.tool.clone().into()),
            ("call_id", what.call_id.clone().into()),
        ];
        self.once(call.clone(), attrs);
        if let Some(by) = what.requested_by.as_ref().map(|by| by.event_id) {
            let generation = self.projection.memory.generations.get(&by).cloned();
            let by = generation.unwrap_or_else(|| NodeRef::of_event(NodeKind::Event, by));
            self.edge(EdgeKind::CallsTool, by, call.clone());
        }
        let key = (common.run_id.clone(), what.call_id.clone());
        self.memory().calls.insert(key, call.clone());
        self.made(call);
    }

    pub(super) fn tool_result(&mut self, common: &Common, what: &ToolResult) {
        let result = NodeRef::of_event(NodeKind::ToolResult, self.said.event);
        let status = || ("status", written(&what.status));
        self.once(result.clone(), [("call_id", what.call_id.clone().into()), status()]);
        self.edge(EdgeKind::EventProduces, self.event(), result.clone());
        self.made(result.clone());
        let memory = &self.projection.memory;
        let call = memory.in_run(&memory.calls, common, &what.call_id).cloned();
        let Some(call) = call else { return };
        self.edge(EdgeKind::EventConsumes, self.event(), call.clone());
        self.edge_at(EdgeKind::ReturnsResult, call.clone(), result.clone(), 0, [status()]);
        self.edge(EdgeKind::DerivedFrom, result, call);
    }

    pub(super) fn approval_requested(&mut self, what: &ApprovalRequested) {
        let (request, call) = (self.said.event, what.call.event_id);
        self.memory().approvals.insert(request, call);
        self.consumes_call(call);
    }

    pub(super) fn approval_decided(&mut self, what: &ApprovalDecided) {
        let approvals = &self.projection.memory.approvals;
        if let Some(call) = what.about(|request| approvals.get(&request).copied()) {
            self.consumes_call(call);
        }
    }

    pub(super) fn consumes_call(&mut self, call: EventId) {
        let call = NodeRef::of_event(NodeKind::ToolCall, call);
        self.edge(EdgeKind::EventConsumes, self.event(), call);
    }

    pub(super) fn summary_created(&mut self, what: &SummaryCreated) {
        let summary = NodeRef::new(NodeKind::Summary, what.summary_ref.clone());
        self.node(summary.clone(), Aspect::Itself, self.from, []);
        self.edge(EdgeKind::EventProduces, self.event(), summary.clone());
        self.made(summary.clone());
        let allowed = EdgeKind::Summarizes.row().to;
        for (order, source) in (0..).zip(what.sources.iter().flatten()) {
            let Some(source) = self.target(source) else { continue };
            if allowed.contains(&source.kind) {
                self.edge_at(EdgeKind::Summarizes, summary.clone(), source.clone(), order, []);
            }
            self.edge_at(EdgeKind::DerivedFrom, summary.clone(), source, order, []);
        }
    }

    pub(super) fn snapshot_materialized(&mut self, what: &SnapshotMaterialized) {
        let view = NodeRef::new(NodeKind::ViewSnapshot, what.view_ref.clone());
        let attrs = [
            ("content_ref", written(&what.content_ref)),
            ("through_seq", what.through_seq.into()),
            ("projection", what.projection.clone().into()),
        ];
        self.node(view.clone(), Aspect::Itself, self.from, attrs);
        self.edge(EdgeKind::EventProduces, self.event(), view);
    }
}
