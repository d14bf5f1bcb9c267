//! Builds one label: nodes in order, and the ends that still have to lead somewhere.

use std::sync::Arc;

use diagnostics::Anchor;
use graph::draft::{DraftEdge, DraftLabel, DraftNode};
use graph::ops::Port;
use graph::{Expr, Extra, ToKind};
use value::{Map, Text, Value};

use crate::origins::LabelOrigin;

/// A label in the making.
pub(super) struct Builder {
    label: DraftLabel,
    origin: LabelOrigin,
    /// Ways out of earlier nodes that lead to whatever comes next.
    open: Vec<(Text, Port)>,
    /// Ways out that end the run.
    ends: Vec<(Text, Port)>,
}

/// What fills a slot.
pub(super) enum Slot {
    Lit(Value),
    Var(Text),
    Expr(Expr),
    Many(Vec<Slot>),
}

/// A literal text.
pub(super) fn lit(text: &str) -> Slot {
    Slot::Lit(Value::text(text))
}

impl Slot {
    fn operand(&self) -> Value {
        match self {
            Slot::Lit(value) => Value::map([("lit", value.clone())]),
            Slot::Var(name) => Value::map([("var", Value::Text(name.clone()))]),
            Slot::Expr(expr) => Value::map([("expr", Value::text(expr.to_string()))]),
            Slot::Many(items) => Value::list(items.iter().map(Slot::operand)),
        }
    }

    fn data(&self) -> Value {
        match self {
            Slot::Lit(value) => value.clone(),
            Slot::Var(name) => Value::Text(name.clone()),
            Slot::Expr(expr) => Value::text(expr.to_string()),
            Slot::Many(items) => Value::list(items.iter().map(Slot::data)),
        }
    }
}

impl Builder {
    /// Begins a label.
    pub(super) fn new(at: Anchor) -> Builder {
        let origin = LabelOrigin::new(at);
        Builder { label: DraftLabel::default(), origin, open: Vec::new(), ends: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.label.nodes.is_empty()
    }

    /// Adds a node that everything open leads to, and that goes on by `next`.
    pub(super) fn node(
        &mut self,
        op: &'static str,
        slots: impl IntoIterator<Item = (&'static str, Slot)>,
        at: &Anchor,
    ) -> Text {
        let id = self.detached(op, slots, at);
        for (from, port) in std::mem::take(&mut self.open) {
            self.edge(&from, port, &id, ToKind::Node, None, at);
        }
        self.open.push((id.clone(), Port::Next));
        id
    }

    /// Adds a node that nothing leads to yet.
    pub(super) fn detached(
        &mut self,
        op: &'static str,
        slots: impl IntoIterator<Item = (&'static str, Slot)>,
        at: &Anchor,
    ) -> Text {
        let id: Text = format!("n{}", self.label.nodes.len() + 1).into();
        let (mut data, mut operands) = (Map::default(), Map::default());
        data.insert("op".into(), op.into());
        for (name, slot) in slots {
            data.insert(name.into(), slot.data());
            operands.insert(name.into(), slot.operand());
        }
        self.origin.nodes.push(at.clone());
        self.label.nodes.push(DraftNode {
            at: u32::try_from(self.label.nodes.len()).unwrap_or(u32::MAX),
            id: Some(id.clone()),
            op: Some(op.into()),
            data: Some(Arc::new(data)),
            operands: Some(Arc::new(operands)),
            ..DraftNode::default()
        });
        id
    }

    /// A member of the last node that only tells where it comes from.
    pub(super) fn note(&mut self, name: &str, value: Value) {
        if let Some(node) = self.label.nodes.last_mut() {
            node.extra.keep(name.into(), value);
        }
    }

    /// Asks a condition. What follows is for when it does not hold; the way for when it does
    /// comes back.
    pub(super) fn ask(&mut self, condition: Expr, at: &Anchor) -> (Text, Port) {
        let id = self.node("If", [("cond", Slot::Expr(condition))], at);
        self.open = vec![(id.clone(), Port::Else)];
        (id, Port::Then)
    }

    /// Takes the ways that are open now.
    pub(super) fn take_open(&mut self) -> Vec<(Text, Port)> {
        std::mem::take(&mut self.open)
    }

    /// Opens ways again.
    pub(super) fn reopen(&mut self, ways: impl IntoIterator<Item = (Text, Port)>) {
        self.open.extend(ways);
    }

    /// A way that ends the run.
    pub(super) fn end_by(&mut self, way: (Text, Port)) {
        self.ends.push(way);
    }

    /// Leads everything open to another label.
    pub(super) fn lead_to(&mut self, label: &str, text: Option<&Text>, at: &Anchor) {
        for (from, port) in self.take_open() {
            self.edge(&from, port, label, ToKind::Label, text, at);
        }
    }

    /// An edge.
    pub(super) fn edge(
        &mut self,
        from: &Text,
        port: Port,
        to: &str,
        to_kind: ToKind,
        text: Option<&Text>,
        at: &Anchor,
    ) {
        let mut extra = Extra::default();
        if let Some(text) = text {
            extra.keep("label".into(), Value::Text(text.clone()));
        }
        self.origin.edges.push(at.clone());
        self.label.edges.push(DraftEdge {
            at: u32::try_from(self.label.edges.len()).unwrap_or(u32::MAX),
            from: Some(from.clone()),
            to: Some(to.into()),
            to_kind: Some(to_kind),
            port: Some(port),
            extra,
            ..DraftEdge::default()
        });
    }

    /// Ends the label: what is still open ends the run.
    pub(super) fn finish(mut self) -> (DraftLabel, LabelOrigin) {
        let mut ends = std::mem::take(&mut self.ends);
        ends.append(&mut self.open);
        if !ends.is_empty() || self.is_empty() {
            let at = self.origin.at.clone();
            self.open = ends;
            self.node("J", [], &at);
        }
        self.label.entry = Some("n1".into());
        (self.label, self.origin)
    }
}
