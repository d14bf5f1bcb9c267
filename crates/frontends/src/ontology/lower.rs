//! From processes to labels: what a process does, in order, and where it goes on.

use std::collections::BTreeMap;

use diagnostics::Anchor;
use graph::draft::DraftLabel;
use graph::ops::Port;
use graph::{Expr, Path, Term, ToKind, Verb};
use value::{Text, Value};

use super::call_schemas;
use super::control::Meeting;
use super::duration;
use super::effects::{
    ANSWER, Effects, OBSERVATION, TOOL_NAME, is_made, result_of, runs_logic, subscriptions,
};
use super::fields::{EdgeType, NodeType};
use super::gates::Decision;
use super::label::{Builder, Slot, lit};
use super::met::{self, Met};
use super::spec::{Line, Spec, Thing};
use super::ways::{Loop, Ways};
use crate::origins::LabelOrigin;
use crate::yaml::{Node, Tree};

/// Everything that lowering a process needs to know.
pub(super) struct Lowering<'a, 't> {
    pub(super) spec: &'a Spec<'t>,
    pub(super) effects: &'a [Effects],
    pub(super) decisions: &'a BTreeMap<usize, Decision>,
    pub(super) ways: &'a [Ways<'a, 't>],
    /// Where the ways of each fork meet.
    pub(super) joins: &'a BTreeMap<usize, Meeting>,
    /// Processes where ways meet.
    pub(super) meetings: BTreeMap<usize, Met>,
}

impl<'t> Lowering<'_, 't> {
    /// The label of a process.
    pub(super) fn label(&self, process: usize) -> (DraftLabel, LabelOrigin) {
        let thing = &self.spec.things[process];
        let at = thing.place.member(thing.tree, "id");
        let mut label = Builder::new(at.clone());
        if let Some(met) = self.meetings.get(&process) {
            label.node("Join", [("strategy", lit("all"))], &at);
            if met.may_end {
                self.end_when_done(&mut label, &at);
            }
            if let Some(missed) = &met.missed {
                met::end_when_missed(missed, &mut label, &at);
            }
        }
        let mut skips = None;
        if is_made(thing) {
            self.receive(process, thing, &mut label);
            skips = self.logic(process, thing, &mut label);
            self.calls(process, thing, &mut label);
            self.send(process, &mut label);
        } else if thing.is(NodeType::Checkpoint) {
            checkpoint(thing, &mut label);
        }
        label.reopen(skips);
        match self.decisions.get(&process) {
            Some(decision) => self.decide(thing, decision, &mut label),
            None => {
                if label.is_empty() {
                    label.node("R", [("adapter", lit(Verb::Noop.word()))], &at);
                }
                self.go_on(process, &mut label);
            }
        }
        label.finish()
    }

    fn end_when_done(&self, label: &mut Builder, at: &Anchor) {
        let is_done = Expr::Truthy(Term::Name(Path::parse(logic::DONE).expect("it is a name")));
        let way = label.ask(is_done, at);
        label.end_by(way);
    }

    /// Reads, then messages.
    fn receive(&self, process: usize, thing: &Thing<'t>, label: &mut Builder) {
        for line in self.made(process, EdgeType::Read, NodeType::Store) {
            let mut slots =
                vec![("adapter", lit(Verb::ReadStore.word())), ("target", lit(line.to))];
            if let Some(key) = line.text("query_key").filter(|key| !key.is_empty()) {
                slots.push(("args", Slot::Many(vec![Slot::Var(key.clone())])));
            }
            if let Some(schema) = call_schemas::asked(self.spec, line) {
                slots.push(("input", lit(schema)));
            }
            slots.push(("out", Slot::Var(line.to.into())));
            label.node("R", slots, &line.anchor());
        }
        for line in subscriptions(self.spec, thing) {
            let channel = line.from;
            let slots = [
                ("adapter", lit(Verb::Receive.word())),
                ("target", lit(channel)),
                ("out", Slot::Var(channel.into())),
            ];
            label.node("R", slots, &line.anchor());
        }
    }

    /// The logic; a way that skips the calls comes back where there is one.
    fn logic(
        &self,
        process: usize,
        thing: &Thing<'t>,
        label: &mut Builder,
    ) -> Option<(Text, Port)> {
        let code = runs_logic(thing)?;
        let effects = &self.effects[process];
        let at = thing.place.member(thing.tree, "logic");
        let mut slots = vec![
            ("adapter", lit(Verb::Logic.word())),
            ("target", Slot::Lit(Value::Text(code.clone()))),
        ];
        let has_more = self.spec.edges_from(process).any(|line| {
            matches!(
                line.def.map(|def| def.is),
                Some(EdgeType::Invoke | EdgeType::Write | EdgeType::Publish)
            )
        });
        let returns = effects.returns_early && has_more;
        if returns {
            slots.push(("out", Slot::Var(RETURNED.into())));
        }
        label.node("R", slots, &at);
        // Where nothing follows, the run ends in any case.
        let ways = &self.ways[process];
        let goes_on = self.decisions.contains_key(&process)
            || !ways.flows.is_empty()
            || !ways.loops.is_empty();
        if effects.may_end && (goes_on || has_more) {
            self.end_when_done(label, &at);
        }
        returns.then(|| {
            let has_returned = Term::Name(Path::parse(RETURNED).expect("it is a name"));
            label.ask(Expr::Truthy(has_returned), &at)
        })
    }

    fn made(
        &self,
        process: usize,
        edge: EdgeType,
        to: NodeType,
    ) -> impl Iterator<Item = &Line<'t>> {
        let lines = self.spec.edges_from(process).filter(move |line| line.is(edge));
        lines.filter(move |line| self.spec.thing(line.to).is_some_and(|thing| thing.is(to)))
    }

    /// Agents, then tools.
    fn calls(&self, process: usize, thing: &Thing<'t>, label: &mut Builder) {
        for line in self.made(process, EdgeType::Invoke, NodeType::Agent) {
            let given = call_schemas::given(self.spec, thing, line);
            let answered = call_schemas::answered(self.spec, thing, line);
            let mut slots =
                vec![("adapter", lit(Verb::InvokeAgent.word())), ("target", lit(line.to))];
            slots.extend(given.map(|schema| ("input", lit(schema))));
            slots.extend(answered.map(|schema| ("output", lit(schema))));
            let out = match answered {
                Some(_) => result_of(thing, line),
                None => format!("{}_result", line.to).into(),
            };
            slots.push(("out", Slot::Var(out)));
            self.call(line, slots, label);
        }
        let tools: Vec<&Line<'t>> = self.made(process, EdgeType::Invoke, NodeType::Tool).collect();
        let mut slots = vec![("adapter", lit(Verb::CallTool.word()))];
        let out = ("out", Slot::Var(OBSERVATION.into()));
        match tools.as_slice() {
            [] => {}
            [line] => {
                slots.push(("target", lit(line.to)));
                slots.extend(self.schema(line, "input").map(|schema| ("input", lit(schema))));
                slots.push(out);
                self.call(line, slots, label);
            }
            // Which one is chosen by name when it runs.
            [line, ..] => {
                slots.push(("target", Slot::Var(TOOL_NAME.into())));
                slots.push(("args", Slot::Many(tools.iter().map(|line| lit(line.to)).collect())));
                slots.push(out);
                label.node("R", slots, &line.anchor());
            }
        }
    }

    fn call(&self, line: &Line<'t>, mut slots: Vec<(&'static str, Slot)>, label: &mut Builder) {
        let at = line.anchor();
        if let Some(limit) = line.tree.get("timeout").and_then(milliseconds) {
            slots.push(("timeout_ms", Slot::Lit(Value::Int(limit))));
        }
        if let Some(Node::Bool(is_async)) = line.tree.get("async").map(|value| &value.node) {
            slots.push(("async", Slot::Lit(Value::Bool(*is_async))));
        }
        let id = label.node("R", slots, &at);
        let Some(retry) = line.tree.get("retry") else { return };
        let number = |name| retry.get(name).and_then(Tree::as_int);
        let count = number("max_retries").unwrap_or(0);
        if count <= 0 {
            return;
        }
        let mut slots = vec![("count", Slot::Lit(Value::Int(count)))];
        let delay = number("initial_delay_ms").unwrap_or(1_000);
        slots.push(("backoff_ms", Slot::Lit(Value::Int(delay))));
        let strategy = retry.get("backoff").and_then(Tree::as_text).map_or("none", |word| word);
        if ["none", "linear", "exponential"].contains(&strategy) {
            slots.push(("backoff_strategy", lit(strategy)));
        }
        slots.extend(
            number("max_delay_ms").map(|most| ("backoff_max_ms", Slot::Lit(Value::Int(most)))),
        );
        if let Some(errors) = retry.get("retryable_errors") {
            slots.push(("errors", Slot::Lit(errors.to_value())));
        }
        let guard = label.detached("Retry", slots, &at);
        label.edge(&id, Port::Retry, &guard, ToKind::Node, None, &at);
    }

    /// Writes, then messages.
    fn send(&self, process: usize, label: &mut Builder) {
        for (edge, to, verb) in [
            (EdgeType::Write, NodeType::Store, Verb::WriteStore),
            (EdgeType::Publish, NodeType::Channel, Verb::Publish),
        ] {
            for line in self.made(process, edge, to) {
                let mut slots = vec![("adapter", lit(verb.word())), ("target", lit(line.to))];
                slots.extend(self.schema(line, "data").map(|schema| ("input", lit(schema))));
                label.node("R", slots, &line.anchor());
            }
        }
    }

    fn schema(&self, line: &Line<'t>, name: &str) -> Option<&'t str> {
        call_schemas::defined(self.spec, line.text(name)?)
    }

    fn decide(&self, thing: &Thing<'t>, decision: &Decision, label: &mut Builder) {
        let target = |to: usize| self.spec.things[to].id;
        let mut arrivals = Vec::new();
        for clause in &decision.clauses {
            let origin = &clause.origin;
            let (id, port) = label.ask(clause.when.clone(), &origin.at);
            label.note("gate", told(origin.source, &origin.text));
            let text = origin.label.as_ref();
            match self.missed(clause.to) {
                None => label.edge(&id, port, target(clause.to), ToKind::Label, text, &origin.at),
                Some(_) => arrivals.push(((id, port), clause)),
            }
        }
        let at = thing.place.member(thing.tree, "condition");
        match &decision.otherwise {
            Some(otherwise) => {
                let origin = &otherwise.origin;
                if decision.clauses.is_empty() {
                    label.node("R", [("adapter", lit(Verb::Noop.word()))], &at);
                    label.note("gate", told(origin.source, &origin.text));
                }
                if let Some(last) = decision.clauses.last() {
                    let known = &last.origin;
                    let mut told = told(known.source, &known.text);
                    if let Value::Map(members) = &mut told {
                        let members = std::sync::Arc::make_mut(members);
                        members.insert("else".into(), self::told(origin.source, &origin.text));
                    }
                    label.note("gate", told);
                }
                self.come_to(otherwise.to, origin.label.as_ref(), &origin.at, label);
            }
            None => {
                let slots =
                    [("adapter", lit(Verb::Fail.word())), ("target", lit("gate_unresolved"))];
                label.node("R", slots, &at);
            }
        }
        let rest = label.take_open();
        for (way, clause) in arrivals {
            label.reopen([way]);
            self.come_to(clause.to, clause.origin.label.as_ref(), &clause.origin.at, label);
        }
        label.reopen(rest);
    }

    /// The name that says that nobody has come to a process yet, where that can be.
    fn missed(&self, process: usize) -> Option<&Text> {
        self.meetings.get(&process)?.missed.as_ref()
    }

    /// Leads everything open to a process, and says that somebody comes where that is asked.
    fn come_to(&self, process: usize, text: Option<&Text>, at: &Anchor, label: &mut Builder) {
        if let Some(missed) = self.missed(process) {
            met::set(missed, false, label, at);
        }
        label.lead_to(self.spec.things[process].id, text, at);
    }

    /// Loops first, each while its condition holds; then the flow.
    fn go_on(&self, process: usize, label: &mut Builder) {
        let ways = &self.ways[process];
        for Loop { line, to, when, counter } in &ways.loops {
            let at = line.anchor();
            let text = line.text("label");
            let Some(when) = when else {
                return self.come_to(*to, text, &at, label);
            };
            let way = label.ask(when.clone(), &at);
            let rest = label.take_open();
            label.reopen([way]);
            if let Some(counter) = counter {
                let slots = [
                    ("dst", Slot::Var(counter.clone())),
                    ("fn", lit("add")),
                    (
                        "args",
                        Slot::Many(vec![Slot::Var(counter.clone()), Slot::Lit(Value::Int(1))]),
                    ),
                ];
                label.node("X", slots, &at);
            }
            self.come_to(*to, text, &at, label);
            label.reopen(rest);
        }
        match ways.flows.as_slice() {
            [] => {}
            [(target, line)] => {
                self.come_to(*target, line.text("label"), &line.anchor(), label);
            }
            flows => self.fork(process, flows, label),
        }
    }

    fn fork(&self, process: usize, flows: &[(usize, &Line<'t>)], label: &mut Builder) {
        let thing = &self.spec.things[process];
        let at = thing.place.member(thing.tree, "id");
        let join = self.joins.get(&process).map(|meeting| meeting.at);
        if let Some(missed) = join.and_then(|join| self.missed(join)) {
            met::set(missed, !flows.iter().any(|(target, _)| Some(*target) == join), label, &at);
        }
        let fork = label.node("Fork", [], &at);
        for (target, line) in flows {
            let at = line.anchor();
            let to = self.spec.things[*target].id;
            label.edge(&fork, Port::Branch, to, ToKind::Label, line.text("label"), &at);
        }
        match join {
            Some(join) => label.lead_to(self.spec.things[join].id, None, &at),
            None => drop(label.node("Join", [("strategy", lit("all"))], &at)),
        }
    }
}

/// The name that says whether logic returned early.
pub(super) const RETURNED: &str = "_returned";

fn told(source: &'static str, text: &Text) -> Value {
    Value::map([("source", Value::text(source)), ("text", Value::Text(text.clone()))])
}

fn checkpoint(thing: &Thing<'_>, label: &mut Builder) {
    let at = thing.place.member(thing.tree, "id");
    let prompt = thing.text("prompt").map_or("", |prompt| prompt);
    let mut slots = vec![("prompt", lit(prompt))];
    if let Some(options) = thing.tree.get("options").filter(|options| options.as_list().is_some()) {
        slots.push(("options", Slot::Lit(options.to_value())));
    }
    let action = thing.text("default_action").map(|action| &**action);
    if let Some(answer) = action.filter(|action| matches!(*action, "approve" | "deny")) {
        slots.push(("default", lit(answer)));
    }
    if let Some(limit) = thing.tree.get("timeout").and_then(milliseconds) {
        slots.push(("expires", Slot::Lit(Value::Int(limit))));
    }
    slots.push(("out", Slot::Var(ANSWER.into())));
    let id = label.node("Ask", slots, &at);
    // Skipping goes on without an answer.
    if action == Some("skip") {
        label.reopen([(id, Port::Expired)]);
    }
}

fn milliseconds(tree: &Tree) -> Option<i64> {
    match &tree.node {
        Node::Int(seconds) => duration::of_seconds(*seconds),
        Node::Text(text) => duration::parse(text),
        _ => None,
    }
}
