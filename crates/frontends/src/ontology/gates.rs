//! Which text of a gate decides, settled once: explicit edges, then inline branches, then the
//! gate's own condition with the sense of its branch texts, then the default.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic};
use graph::Expr;
use value::Text;

use super::control::passed;
use super::fields::EdgeType;
use super::polarity::{self, Sense};
use super::spec::{Line, Spec, Thing};
use super::texts::Texts;
use crate::yaml::Tree;

/// How a gate decides: the first clause that holds.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) clauses: Vec<Clause>,
    /// Where it goes when none holds; nothing where nobody can say.
    pub(super) otherwise: Option<Otherwise>,
}

/// A condition and where it leads.
#[derive(Debug)]
pub(super) struct Clause {
    pub(super) when: Expr,
    pub(super) to: usize,
    pub(super) origin: Origin,
}

/// The last clause, which always holds.
#[derive(Debug)]
pub(super) struct Otherwise {
    pub(super) to: usize,
    pub(super) origin: Origin,
}

/// Where a clause comes from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// `explicit`, `inline`, `polarity` or `default`.
    pub(super) source: &'static str,
    /// The author's words.
    pub(super) text: Text,
    pub(super) at: Anchor,
    /// What the edge says on its arrow.
    pub(super) label: Option<Text>,
}

/// A branch as the author wrote it.
pub(super) struct Branch {
    pub(super) text: Text,
    /// Nothing where it is words for people.
    pub(super) expr: Option<Expr>,
    pub(super) to: usize,
    pub(super) at: Anchor,
    label: Option<Text>,
}

impl Branch {
    /// Whether it was meant to be evaluated: a bare word may just as well be for people.
    pub(super) fn is_condition(&self) -> bool {
        self.expr.as_ref().is_some_and(|expr| !matches!(expr, Expr::Truthy(_) | Expr::Not(_)))
    }

    fn origin(&self, source: &'static str) -> Origin {
        Origin { source, text: self.text.clone(), at: self.at.clone(), label: self.label.clone() }
    }
}

/// The names that the texts of all gates and loops are about.
pub(super) fn names(spec: &Spec<'_>) -> BTreeSet<Text> {
    let mut names = BTreeSet::new();
    let mut add = |text: Option<&Text>| {
        let expr = text.and_then(|text| Expr::parse(text).ok());
        names.extend(expr.iter().flat_map(Expr::names).cloned());
    };
    for (_, gate) in spec.of_type(super::fields::NodeType::Gate) {
        add(gate.text("condition"));
        for branch in gate.tree.get("branches").and_then(Tree::as_list).unwrap_or_default() {
            add(branch.get("condition").and_then(Tree::as_text));
        }
    }
    for line in &spec.edges {
        if line.is(EdgeType::Branch) || line.is(EdgeType::Loop) {
            add(line.text("condition"));
        }
    }
    names
}

/// Decides a gate.
pub(super) fn decide(
    spec: &Spec<'_>,
    position: usize,
    is_written: &dyn Fn(&str) -> bool,
    all_written: &BTreeSet<&Text>,
    findings: &mut Vec<Diagnostic>,
) -> Decision {
    let gate = &spec.things[position];
    let explicit = explicit(spec, position);
    let inline = inline(spec, gate);
    let condition = gate.text("condition").and_then(|text| Expr::parse(text).ok());
    let is_usable = |branch: &Branch| {
        let expr = branch.expr.as_ref();
        expr.is_some_and(|expr| expr.names().iter().all(|name| is_written(name)))
    };
    let mut decision = Decision::default();
    // With two branches and nothing else, the gate's own condition decides between them. Where
    // both can be asked and there is a default for the rest, they are.
    let has_default = gate.text("default").is_some();
    let can_ask = has_default && inline.iter().all(is_usable);
    if !(explicit.is_empty() && inline.len() == 2 && condition.is_some()) || can_ask {
        decision.clauses = clauses(&explicit, &inline, &is_usable);
        close(&mut decision);
    }
    let mut sense = None;
    if decision.otherwise.is_none()
        && (!has_default || decision.clauses.is_empty())
        && let (Some(condition), [first, second]) = (&condition, inline.as_slice())
    {
        sense = Some(by_condition(gate, condition, [first, second], &mut decision));
    }
    if decision.otherwise.is_none() {
        decision.otherwise = default(spec, gate);
    }
    if decision.otherwise.is_none() && !decision.clauses.is_empty() {
        decision.otherwise = rest(&explicit, &inline);
    }
    let texts = Texts { gate, condition, explicit, inline };
    texts.unwritten(is_written, all_written, findings);
    texts.differing(findings);
    if let Some(how @ (Sense::Guessed | Sense::Ordered)) = sense {
        texts.guessed(&decision, how, findings);
    }
    if decision.clauses.is_empty() && sense.is_none() {
        texts.undecided(&decision, findings);
    } else {
        texts.dead_branches(&decision, findings);
    }
    texts.ignored(spec, position, findings);
    decision
}

/// The branches that can be asked: edges first, then those inside of the gate that no such edge
/// repeats.
fn clauses(
    explicit: &[Branch],
    inline: &[Branch],
    is_usable: &dyn Fn(&Branch) -> bool,
) -> Vec<Clause> {
    let usable: Vec<&Branch> = explicit.iter().filter(|branch| is_usable(branch)).collect();
    let led_to: BTreeSet<usize> = usable.iter().map(|branch| branch.to).collect();
    let rest = inline.iter().filter(|branch| is_usable(branch) && !led_to.contains(&branch.to));
    let all = usable.iter().map(|branch| (*branch, "explicit"));
    let all = all.chain(rest.map(|branch| (branch, "inline")));
    let clause = |(branch, source): (&Branch, &'static str)| {
        Some(Clause { when: branch.expr.clone()?, to: branch.to, origin: branch.origin(source) })
    };
    all.filter_map(clause).collect()
}

/// Lets the gate's own condition decide between its two branches, by what their texts say.
fn by_condition(
    gate: &Thing<'_>,
    condition: &Expr,
    [first, second]: [&Branch; 2],
    decision: &mut Decision,
) -> Sense {
    // A clause that asks the same says which branch is meant.
    let asked = decision.clauses.iter().find(|clause| clause.when == *condition);
    let said =
        asked.and_then(|clause| [first, second].iter().position(|branch| branch.to == clause.to));
    let written = gate.text("condition").map_or("", |text| text);
    let (holds, how) = match said {
        Some(holds) => (holds, Sense::Said),
        None => polarity::sense(condition, written, [&first.text, &second.text]),
    };
    let (yes, no) = if holds == 0 { (first, second) } else { (second, first) };
    if said.is_none() {
        let when = condition.clone();
        decision.clauses.push(Clause { when, to: yes.to, origin: yes.origin("polarity") });
    }
    decision.otherwise = Some(Otherwise { to: no.to, origin: no.origin("polarity") });
    how
}

/// The branch whose text says that it is for every other case.
fn rest(explicit: &[Branch], inline: &[Branch]) -> Option<Otherwise> {
    let explicit = explicit.iter().map(|branch| (branch, "explicit"));
    let mut all = explicit.chain(inline.iter().map(|branch| (branch, "inline")));
    let (branch, source) = all.find(|(branch, _)| polarity::is_rest(&branch.text))?;
    Some(Otherwise { to: branch.to, origin: branch.origin(source) })
}

/// Where the last clause is the opposite of an earlier one, it holds whenever it is asked.
fn close(decision: &mut Decision) {
    let Some((last, earlier)) = decision.clauses.split_last() else { return };
    let holds = last.when == Expr::Const(true)
        || earlier.iter().any(|clause| polarity::opposite(&clause.when, &last.when));
    if holds && let Some(Clause { to, origin, .. }) = decision.clauses.pop() {
        decision.otherwise = Some(Otherwise { to, origin });
    }
}

fn explicit(spec: &Spec<'_>, gate: usize) -> Vec<Branch> {
    let mut lines: Vec<&Line<'_>> =
        spec.edges_from(gate).filter(|line| line.is(EdgeType::Branch)).collect();
    lines.sort_by_key(|line| line.tree.get("priority").and_then(Tree::as_int).unwrap_or(i64::MAX));
    let branch = |line: &Line<'_>| {
        let text = line.text("condition")?;
        Some(Branch {
            text: text.clone(),
            expr: Expr::parse(text).ok(),
            to: passed(spec, line.to)?,
            at: line.place.member(line.tree, "condition"),
            label: line.text("label").cloned(),
        })
    };
    lines.into_iter().filter_map(branch).collect()
}

fn inline(spec: &Spec<'_>, gate: &Thing<'_>) -> Vec<Branch> {
    let branches = gate.tree.get("branches").and_then(Tree::as_list).unwrap_or_default();
    let pointer = gate.place.pointer().child("branches");
    let branch = |(index, branch): (usize, &Tree)| {
        let value = branch.get("condition")?;
        let text = value.as_text()?;
        Some(Branch {
            text: text.clone(),
            expr: Expr::parse(text).ok(),
            to: passed(spec, branch.get("target")?.as_text()?)?,
            at: Anchor::Located(value.span, pointer.child(index).child("condition")),
            label: None,
        })
    };
    branches.iter().enumerate().filter_map(branch).collect()
}

fn default(spec: &Spec<'_>, gate: &Thing<'_>) -> Option<Otherwise> {
    let to = passed(spec, gate.text("default")?)?;
    let at = gate.place.member(gate.tree, "default");
    let origin = Origin { source: "default", text: "default".into(), at, label: None };
    Some(Otherwise { to, origin })
}
