//! The ways of a chain of questions: where each leads, and what would have led there.

use graph::Expr;
use value::Text;

use super::NotTaken;
use crate::plan::{self, Condition, Plan, PlanNode, To};
use crate::trace::target;

/// So many questions that were not asked any more are looked at.
const AHEAD_MAX: usize = 64;

/// The node with this name.
pub(super) fn node<'p>(plan: &'p Plan, at: &str) -> Option<&'p PlanNode> {
    plan.nodes.iter().find(|node| *node.at == *at)
}

/// What the other way of a question would have needed, or, where further questions stand there,
/// the ways of these.
pub(super) fn others(plan: &Plan, here: &PlanNode, held: bool) -> Vec<NotTaken> {
    let plan::Step::If { condition, then, otherwise } = &here.step else { return Vec::new() };
    let mut to = if held { *otherwise } else { *then };
    let mut needs = vec![(condition, !held)];
    let mut ways = Vec::new();
    for _ in 0..AHEAD_MAX {
        let next = match to {
            To::Node(next) => plan.node(next),
            To::End | To::Label(_) => break,
        };
        let plan::Step::If { condition, then, otherwise } = &next.step else { break };
        let mut also = needs.clone();
        also.push((condition, true));
        ways.push(NotTaken { target: target(plan, *then), needs: all(&also) });
        needs.push((condition, false));
        to = *otherwise;
    }
    ways.push(NotTaken { target: target(plan, to), needs: all(&needs) });
    ways
}

/// What must hold where all these conditions must, or must not.
pub(super) fn all(needs: &[(&Condition, bool)]) -> Text {
    let side = |(condition, holds): &(&Condition, bool)| {
        let expr = Expr::parse(&condition.text).ok()?;
        Some(if *holds { expr } else { expr.negated() })
    };
    match needs.iter().map(side).collect::<Option<Vec<Expr>>>() {
        Some(sides) => Expr::all(sides).to_string().into(),
        None => {
            let word = |holds: bool| if holds { "" } else { "not " };
            let each = needs.iter().map(|(one, holds)| format!("{}({})", word(*holds), one.text));
            each.collect::<Vec<_>>().join(" and ").into()
        }
    }
}
