//! Which rules feed which: what one asserts or retracts, another waits for.
//!
//! Facts are compared by template, and by the constants in their slots: a rule that asserts
//! `(state b)` feeds the pattern `(state b)`, and not the pattern `(state a)`. What only a run
//! can know counts as possible, so some edges may never be used. None that asserts is missing; what
//! is retracted is known only where the conditions of the rule say which fact it is.

mod deeds;
mod shape;

use std::collections::BTreeMap;

use crate::program::{Condition, Pattern, Program, TemplateId};
use deeds::{Deeds, Fact};
use shape::Shape;

/// What feeds the rules of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feeds {
    /// By rule, and then by source; each pair has at most four.
    pub edges: Vec<Feed>,
    /// Whether there were too many to look at all.
    pub is_cut: bool,
}

/// One source feeds one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// Where the facts come from.
    pub from: Source,
    /// The rule that waits for them, by its position in the program.
    pub to: u32,
    /// What becomes of them.
    pub act: Act,
    /// Whether the rule waits for there to be none: its pattern stands in a `not`.
    pub absent: bool,
    /// The patterns, each with its constants only, and once.
    pub patterns: Vec<String>,
}

/// Where facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nothing in the program asserts them.
    Outside,
    /// Initial facts, by their position in the program.
    Initial(u32),
    /// A rule, by its position in the program.
    Rule(u32),
}

/// What a source does to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// It comes to be, or to be otherwise.
    Asserts,
    /// It goes, or is no longer what the pattern asks for.
    Retracts,
}

/// How many pairs of a deed and a pattern are compared, and how many edges are kept. A program
/// with more of them makes no picture that anybody could read.
const PAIRS_MAX: usize = 1_000_000;
const EDGES_MAX: usize = 20_000;

impl Feeds {
    /// What feeds the rules of a program.
    pub fn of(program: &Program) -> Feeds {
        let deeds = Deeds::of(program);
        let mut by_template: BTreeMap<TemplateId, Vec<(Source, &Fact)>> = BTreeMap::new();
        for (source, fact) in &deeds.all {
            by_template.entry(fact.template).or_default().push((*source, fact));
        }
        let mut finder = Finder { edges: BTreeMap::new(), pairs: 0, is_cut: false };
        for (at, rule) in (0..).zip(&program.rules) {
            let variables = shape::variables(rule);
            each_pattern(&rule.when, &mut |pattern, absent| {
                let wanted = shape::of_pattern(program, pattern, &variables);
                let facts = by_template.get(&pattern.template).map_or(&[][..], |facts| facts);
                let everything = deeds.retracting_all.iter().copied();
                finder.pattern(
                    Wanted { rule: at, absent, shape: &wanted },
                    facts,
                    everything,
                    || shape::words(program, pattern),
                );
            });
        }
        let edges = finder.edges.into_iter().map(|((to, from, act, absent), patterns)| Feed {
            from,
            to,
            act,
            absent,
            patterns,
        });
        Feeds { edges: edges.collect(), is_cut: finder.is_cut }
    }
}

type Edges = BTreeMap<(u32, Source, Act, bool), Vec<String>>;

struct Finder {
    edges: Edges,
    pairs: usize,
    is_cut: bool,
}

/// A pattern of a rule.
struct Wanted<'a> {
    rule: u32,
    absent: bool,
    shape: &'a Shape,
}

impl Finder {
    fn pattern(
        &mut self,
        wanted: Wanted<'_>,
        facts: &[(Source, &Fact)],
        retracting_all: impl Iterator<Item = Source>,
        words: impl Fn() -> String,
    ) {
        let mut is_asserted = false;
        for (source, fact) in facts {
            self.pairs += 1;
            if self.pairs > PAIRS_MAX {
                self.is_cut = true;
                return;
            }
            let before = fact.before.as_ref().is_some_and(|shape| shape.meets(wanted.shape));
            let after = fact.after.as_ref().is_some_and(|shape| shape.meets(wanted.shape));
            if after {
                // What fits already when it is changed came from somewhere else.
                is_asserted |= !before;
                self.edge(&wanted, *source, Act::Asserts, &words);
            }
            // What still fits after it was changed is not taken away.
            if before && !after {
                self.edge(&wanted, *source, Act::Retracts, &words);
            }
        }
        for source in retracting_all {
            self.edge(&wanted, source, Act::Retracts, &words);
        }
        if !is_asserted {
            self.edge(&wanted, Source::Outside, Act::Asserts, &words);
        }
    }

    fn edge(&mut self, wanted: &Wanted<'_>, from: Source, act: Act, words: &impl Fn() -> String) {
        let key = (wanted.rule, from, act, wanted.absent);
        if self.edges.len() >= EDGES_MAX && !self.edges.contains_key(&key) {
            self.is_cut = true;
            return;
        }
        let patterns = self.edges.entry(key).or_default();
        let words = words();
        if !patterns.contains(&words) {
            patterns.push(words);
        }
    }
}

/// Calls something for every pattern, and whether the rule waits for there to be no such fact.
/// Conditions nest as deep as the reader lets them, and no deeper.
fn each_pattern<'a>(conditions: &'a [Condition], seen: &mut impl FnMut(&'a Pattern, bool)) {
    fn walk<'a>(condition: &'a Condition, absent: bool, seen: &mut dyn FnMut(&'a Pattern, bool)) {
        match condition {
            Condition::Pattern(pattern) => seen(pattern, absent),
            Condition::Test(_) => {}
            Condition::And(all, _)
            | Condition::Or(all, _)
            | Condition::Exists(all, _)
            | Condition::Logical(all, _) => all.iter().for_each(|one| walk(one, absent, seen)),
            Condition::Not(one, _) => walk(one, !absent, seen),
            // Where the first holds, the others must: one more of the first can only harm.
            Condition::Forall(all, _) => {
                for (at, one) in all.iter().enumerate() {
                    walk(one, absent == (at > 0), seen);
                }
            }
        }
    }
    conditions.iter().for_each(|condition| walk(condition, false, seen));
}

#[cfg(test)]
mod tests;
