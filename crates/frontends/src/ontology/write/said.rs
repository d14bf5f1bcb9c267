//! What the nodes of a label say, read off for the edges of a spec.

use graph::ops::{Does, Port};
use graph::{Cmp, Expr, Filled, Index, Label, Node, Operand, Operands, Term};
use value::{Text, Value};

use crate::ontology::lower::RETURNED;

/// What the op of a node does, where it is known.
pub(super) fn does(node: &Node) -> Option<Does> {
    node.def().map(|op| op.does)
}

/// The arguments of a call, but the first.
pub(super) fn arguments(operands: &Operands) -> &[Operand] {
    match operands.get("args") {
        Some(Filled::Many(items)) => items,
        _ => &[],
    }
}

/// The condition of an `If`.
pub(super) fn condition(node: &Node) -> Option<&Expr> {
    match node.operands.one("cond") {
        Some(Operand::Expr(expr)) if does(node) == Some(Does::If) => Some(expr),
        _ => None,
    }
}

/// Whether a condition was made by us: whether logic has ended the run or has returned, and whether
/// nobody has come.
pub(super) fn is_own(condition: &Expr) -> bool {
    let Expr::Truthy(Term::Name(path)) = condition else { return false };
    let name: &str = path.root();
    path.parts().len() == 1
        && (name == logic::DONE || name == RETURNED || name.starts_with("_missed_"))
}

/// The condition of a loop without its counter, and how often it is taken.
pub(super) fn without_counter(condition: &Expr) -> (Option<Expr>, Option<i64>) {
    let limit = |item: &Expr| match item {
        Expr::Compare(Term::Name(path), Cmp::Lt, Term::Lit(Value::Int(limit)))
            if path.root().starts_with("_loops_") =>
        {
            Some(*limit)
        }
        _ => None,
    };
    if let Some(limit) = limit(condition) {
        return (None, Some(limit));
    }
    if let Expr::And(items) = condition
        && let Some((last, rest)) = items.split_last()
        && let Some(limit) = limit(last)
    {
        return (Some(Expr::all(rest.iter().cloned())), Some(limit));
    }
    (Some(condition.clone()), None)
}

/// The member `retry` of the edge of a call that is tried again.
pub(super) fn retry_of(label: &Label, index: &Index<'_>, node: &Node) -> Option<(Text, Value)> {
    let at = index.find(&node.id)?;
    let guard = index
        .edge_indices_from(at)
        .find(|edge| label.edges[*edge].port == Some(Port::Retry))
        .and_then(|edge| index.target(edge))?;
    let operands = &label.nodes[guard].operands;
    let slots = [
        ("count", "max_retries"),
        ("backoff_strategy", "backoff"),
        ("backoff_ms", "initial_delay_ms"),
        ("backoff_max_ms", "max_delay_ms"),
        ("errors", "retryable_errors"),
    ];
    let said = slots.into_iter().filter_map(|(slot, member)| match operands.one(slot)? {
        Operand::Lit(value) => Some((member, value.clone())),
        _ => None,
    });
    Some(("retry".into(), Value::map(said)))
}

/// So many milliseconds, as a spec says it.
pub(super) fn duration(milliseconds: i64) -> Value {
    Value::text(match milliseconds % 1_000 {
        0 => format!("{}s", milliseconds / 1_000),
        _ => format!("{milliseconds}ms"),
    })
}
