//! How operands and labels are written as words.

use std::collections::BTreeSet;

use graph::ops::{Slot, SlotKind};
use graph::{Cmp, Expr, Graph, Kind, Operand, Term};
use value::{Text, Value};

use super::scalar_word;
use crate::Lost;
use crate::ainl::token::quote;

/// What is known of the names in a graph.
pub(super) struct Words<'g> {
    graph: &'g Graph,
    /// Names that some node writes: only these can be read as bare words.
    written: BTreeSet<&'g str>,
}

impl<'g> Words<'g> {
    pub(super) fn new(graph: &'g Graph) -> Words<'g> {
        let nodes = graph.labels.values().flat_map(|label| &label.nodes);
        let written = nodes.flat_map(|node| node.operands.writes()).map(|name| &**name);
        Words { graph, written: written.collect() }
    }

    /// Whether the graph has a label of this name.
    pub(super) fn is_label(&self, name: &str) -> bool {
        self.graph.labels.contains_key(name)
    }

    /// Whether a run is given this name.
    pub(super) fn is_input(&self, name: &str) -> bool {
        self.graph.declarations.of(Kind::Inputs).contains_key(name)
    }

    /// A label where it is declared, without the colon.
    pub(super) fn label(&self, id: &str, lost: &mut Vec<Lost>) -> String {
        format!("L{}", plain(id, lost))
    }

    /// A label where it is led to.
    pub(super) fn target(&self, id: &str, lost: &mut Vec<Lost>) -> String {
        format!("->L{}", plain(id, lost))
    }

    /// An operand as a word; nothing where it cannot be one.
    pub(super) fn operand(&self, slot: &Slot, operand: &Operand) -> Option<String> {
        match operand {
            Operand::Var(name) if slot.kind == SlotKind::Bind => Some(name.to_string()),
            Operand::Var(name) if !graph::is_name(name) => None,
            Operand::Var(name) if self.written.contains(&**name) => Some(name.to_string()),
            Operand::Var(name) => Some(format!("${name}")),
            Operand::Label(label) => Some(label.to_string()),
            Operand::Expr(expr) => Some(self.condition(expr)),
            Operand::Lit(Value::Text(text)) if is_fixed(slot.kind) && is_plain(text) => {
                Some(text.to_string())
            }
            Operand::Lit(value) | Operand::Odd(value, _) => scalar_word(value),
        }
    }

    /// A condition: as one bare word where it is as simple as that, else in quotes.
    fn condition(&self, expr: &Expr) -> String {
        let simple = match expr {
            Expr::Const(holds) => Some(holds.to_string()),
            Expr::Truthy(Term::Name(path)) => Some(path.to_string()),
            Expr::Exists(Term::Name(path)) => Some(format!("{path}?")),
            Expr::Compare(Term::Name(left), Cmp::Eq, right) => match right {
                Term::Name(right) if self.written.contains(&*right.to_string()) => {
                    Some(format!("{left}={right}"))
                }
                Term::Lit(Value::Text(text))
                    if graph::is_name(text) && !self.written.contains(&**text) =>
                {
                    Some(format!("{left}={text}"))
                }
                Term::Lit(value @ (Value::Int(_) | Value::Bool(_))) => {
                    Some(format!("{left}={}", value::json::compact(value)))
                }
                _ => None,
            },
            _ => None,
        };
        simple.unwrap_or_else(|| quote(&expr.to_string()))
    }
}

/// Whether a slot holds a word, and never a variable.
fn is_fixed(kind: SlotKind) -> bool {
    matches!(kind, SlotKind::Name | SlotKind::Word(_) | SlotKind::Adapter)
}

/// Whether text can be a bare word.
pub(super) fn is_plain(text: &str) -> bool {
    let breaks = |letter: char| letter.is_whitespace() || matches!(letter, '#' | '"' | '\'');
    !text.is_empty() && !text.contains(breaks) && !text.starts_with("->")
}

/// An id that can stand in a word; one that cannot is written in another way.
fn plain(id: &str, lost: &mut Vec<Lost>) -> Text {
    let is_fit =
        |letter: &char| !letter.is_whitespace() && !matches!(letter, '#' | '"' | '\'' | ':');
    if !id.is_empty() && id.chars().all(|letter| is_fit(&letter)) {
        return id.into();
    }
    let fit: String = id.chars().map(|letter| if is_fit(&letter) { letter } else { '_' }).collect();
    let fit = if fit.is_empty() { "_".to_string() } else { fit };
    let what = format!("a label cannot be called `{id}`; it is `{fit}` now");
    let lost_name = Lost { at: id.to_string(), what };
    if !lost.contains(&lost_name) {
        lost.push(lost_name);
    }
    fit.into()
}
