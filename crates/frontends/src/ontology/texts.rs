//! What is odd about the texts of a gate: names that nothing writes, branches that are written
//! twice or never taken, and guesses.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use graph::Expr;
use value::Text;

use super::control::passed;
use super::fields::EdgeType;
use super::gates::{Branch, Clause, Decision};
use super::polarity::{self, Sense};
use super::rules::about;
use super::spec::{Spec, Thing};

/// Everything that is written about a gate's decision.
pub(super) struct Texts<'s, 't> {
    pub(super) gate: &'s Thing<'t>,
    pub(super) condition: Option<Expr>,
    pub(super) explicit: Vec<Branch>,
    pub(super) inline: Vec<Branch>,
}

impl Texts<'_, '_> {
    fn condition_at(&self) -> Anchor {
        self.gate.place.member(self.gate.tree, "condition")
    }

    /// Names in conditions that nothing before the gate writes: one finding for each.
    pub(super) fn unwritten(
        &self,
        is_written: &dyn Fn(&str) -> bool,
        all_written: &BTreeSet<&Text>,
        findings: &mut Vec<Diagnostic>,
    ) {
        let mut places: BTreeMap<&Text, Vec<Anchor>> = BTreeMap::new();
        let mut order: Vec<&Text> = Vec::new();
        let condition = self.condition.iter().map(|expr| (expr, self.condition_at()));
        // A branch that is written as an edge too is read there.
        let is_edge = |branch: &&Branch| {
            self.explicit.iter().any(|edge| edge.to == branch.to && edge.is_condition())
        };
        let inline = self.inline.iter().filter(|branch| !is_edge(branch));
        let branches = self.explicit.iter().chain(inline).filter(|branch| branch.is_condition());
        let branches =
            branches.filter_map(|branch| Some((branch.expr.as_ref()?, branch.at.clone())));
        let texts: Vec<(&Expr, Anchor)> = condition.chain(branches).collect();
        for (expr, at) in &texts {
            for name in expr.names().into_iter().filter(|name| !is_written(name)) {
                let known = places.entry(name).or_default();
                if known.is_empty() {
                    order.push(name);
                }
                known.push(at.clone());
            }
        }
        if order.is_empty() {
            return;
        }
        const SUGGESTIONS_MAX: usize = 100;
        let may_suggest = findings.len() < SUGGESTIONS_MAX;
        let asked: BTreeSet<&Text> = texts.iter().flat_map(|(expr, _)| expr.names()).collect();
        let written = all_written.iter().copied().filter(|_| may_suggest);
        let written: Vec<&Text> =
            written.filter(|name| is_written(name) || !asked.contains(*name)).collect();
        for name in order {
            let mut places = places.remove(name).unwrap_or_default().into_iter();
            let Some(first) = places.next() else { continue };
            let message = format!(
                "gate `{}` asks for `{name}`, which nothing before it writes",
                self.gate.id
            );
            let mut found = Diagnostic::new(&codes::UNWRITTEN_NAME, first, message).about(name);
            for place in places.take(3) {
                found = found.label(place, "here too");
            }
            let near = nearest(name, written.iter().map(|name| &***name))
                .or_else(|| part_of(name, &written));
            found = match near {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found.help(
                    "write it in the logic of a step, or as a field of an `output` schema; \
                     if a run is given it, declare it under `state.initial` or in the `data` \
                     schema of a flow edge from a `human`",
                ),
            };
            findings.push(about(self.gate, found));
        }
    }

    /// Branches that are written twice, with conditions that are not the same: one finding.
    pub(super) fn differing(&self, findings: &mut Vec<Diagnostic>) {
        let mut found: Option<Diagnostic> = None;
        for inline in self.inline.iter().filter(|branch| branch.is_condition()) {
            let mut edges = self.explicit.iter().filter(|edge| edge.to == inline.to);
            let Some(edge) = edges.next().filter(|edge| edge.is_condition()) else { continue };
            if polarity::same(&edge.expr, &inline.expr)
                || edges.any(|edge| polarity::same(&edge.expr, &inline.expr))
            {
                continue;
            }
            found = Some(match found {
                None => {
                    let message = format!(
                        "a branch of gate `{}` says `{}`, but the edge to the same process says `{}`",
                        self.gate.id, inline.text, edge.text
                    );
                    Diagnostic::new(&codes::TEXTS_DIFFER, inline.at.clone(), message)
                        .label(edge.at.clone(), "this is what counts")
                        .help("make both say the same")
                }
                Some(found) => {
                    found.label(inline.at.clone(), format!("and its edge says `{}`", edge.text))
                }
            });
        }
        findings.extend(found.map(|found| about(self.gate, found)));
        self.same_condition(findings);
    }

    /// One condition that leads to two processes: the second is never taken for it.
    fn same_condition(&self, findings: &mut Vec<Diagnostic>) {
        let all: Vec<&Branch> = self
            .explicit
            .iter()
            .chain(&self.inline)
            .filter(|branch| branch.is_condition())
            .collect();
        for (position, branch) in all.iter().enumerate() {
            let earlier = all[..position].iter().find(|other| other.expr == branch.expr);
            if let Some(first) = earlier.filter(|first| first.to != branch.to) {
                let message =
                    format!("gate `{}` has two branches for `{}`", self.gate.id, branch.text);
                let found = Diagnostic::new(&codes::TEXTS_DIFFER, branch.at.clone(), message)
                    .label(first.at.clone(), "this one counts")
                    .help("a condition leads to one process: change one of them");
                return findings.push(about(self.gate, found));
            }
        }
    }

    pub(super) fn guessed(&self, decision: &Decision, how: Sense, findings: &mut Vec<Diagnostic>) {
        let Some(Clause { origin, .. }) = decision.clauses.last() else { return };
        let Some(otherwise) = &decision.otherwise else { return };
        let condition = self.gate.text("condition").map_or("", |text| text);
        let message = format!(
            "when `{condition}` holds, gate `{}` takes the branch `{}`: guessed from {}",
            self.gate.id,
            origin.text,
            if how == Sense::Ordered { "the order of its branches" } else { "its words" }
        );
        let opposite = polarity::turned(condition);
        let found = Diagnostic::new(&codes::GUESSED_BRANCH, origin.at.clone(), message)
            .label(self.condition_at(), "this is what decides")
            .label(otherwise.origin.at.clone(), "taken when it does not hold")
            .help(format!(
                "if that is right, write `{condition}` here and `{opposite}` at the other branch; \
                 else the other way round"
            ));
        let mut found =
            found.fix("write the conditions", origin.at.clone(), quoted(condition)).unsure();
        if let Some(fix) = &mut found.fix {
            let at = otherwise.origin.at.clone();
            fix.edits.push(diagnostics::Edit { at, text: quoted(&opposite) });
        }
        findings.push(about(self.gate, found));
    }

    /// Flow and loop edges of a gate only draw its branches: one that leads elsewhere is never
    /// taken.
    pub(super) fn ignored(&self, spec: &Spec<'_>, position: usize, findings: &mut Vec<Diagnostic>) {
        let default = self.gate.text("default").and_then(|id| passed(spec, id));
        let branches = self.explicit.iter().chain(&self.inline).map(|branch| branch.to);
        let led_to: BTreeSet<usize> = branches.chain(default).collect();
        for line in spec.edges_from(position) {
            let draws = line.is(EdgeType::Flow) || line.is(EdgeType::Loop);
            let Some(to) = passed(spec, line.to).filter(|to| draws && !led_to.contains(to)) else {
                continue;
            };
            let message =
                format!("{line} is never taken: no branch of gate `{}` leads there", self.gate.id);
            let at = line.place.member(line.tree, "to");
            let found = Diagnostic::new(&codes::IGNORED_EDGE, at, message);
            let help =
                format!("add a branch to `{}`, or make it the `default`", spec.things[to].id);
            findings.push(about(self.gate, found.help(help)));
        }
    }

    /// Branches whose texts nobody can evaluate, where others decide: no run takes them.
    pub(super) fn dead_branches(&self, decision: &Decision, findings: &mut Vec<Diagnostic>) {
        let otherwise = decision.otherwise.iter().map(|otherwise| otherwise.to);
        let led_to: BTreeSet<usize> =
            decision.clauses.iter().map(|clause| clause.to).chain(otherwise).collect();
        let mut told = BTreeSet::new();
        for branch in self.explicit.iter().chain(&self.inline) {
            // A name that nothing writes is reported as such.
            if led_to.contains(&branch.to) || branch.is_condition() || !told.insert(branch.to) {
                continue;
            }
            let message = format!(
                "gate `{}` never takes the branch `{}`: nobody can tell when it holds",
                self.gate.id, branch.text
            );
            let found = Diagnostic::new(&codes::UNDECIDED_GATE, branch.at.clone(), message);
            findings.push(about(self.gate, found.help("write a condition such as `score >= 7`")));
        }
    }

    pub(super) fn undecided(&self, decision: &Decision, findings: &mut Vec<Diagnostic>) {
        // What is missing altogether is reported as such, and so is a name that nothing writes.
        let mut branches = self.explicit.iter().chain(&self.inline).peekable();
        if branches.peek().is_none() || branches.any(Branch::is_condition) {
            return;
        }
        let message = match decision.otherwise {
            Some(_) => {
                format!("gate `{}` always takes its `default`: nothing can decide it", self.gate.id)
            }
            None => format!("nothing can decide gate `{}`", self.gate.id),
        };
        let written = self.gate.text("condition").map_or("", |text| text);
        let help = if written.contains("state.data") {
            "names stand alone in conditions: `score >= 7`, not `state.data[\"score\"] >= 7`"
        } else if written.contains("{{") {
            "conditions are written without braces: `score >= 7`"
        } else {
            "no text here can be evaluated: write a condition such as `score >= 7`; \
             without that and without a `default`, a run fails here with `gate_unresolved`"
        };
        let found =
            Diagnostic::new(&codes::UNDECIDED_GATE, self.condition_at(), message).help(help);
        findings.push(about(self.gate, found));
    }
}

/// A text as YAML, in quotes.
fn quoted(text: &str) -> String {
    value::json::compact(&value::Value::text(text))
}

/// A written name that ends or begins like the one that was asked for: `current_depth` for
/// `depth`.
fn part_of<'a>(name: &str, written: &[&'a Text]) -> Option<&'a str> {
    let is_part = |other: &&&'a Text| {
        let rest = other.strip_suffix(name).map(|rest| rest.ends_with('_'));
        rest.or_else(|| other.strip_prefix(name).map(|rest| rest.starts_with('_'))) == Some(true)
    };
    written.iter().find(is_part).map(|found| &***found)
}
