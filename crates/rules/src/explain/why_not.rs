//! Why a rule did not fire: the first condition that nothing fulfils, and what comes nearest.

use std::fmt::{self, Display, Formatter};

use diagnostics::Span;
use value::Text;

use super::Told;
use super::nearest::Tests;
use crate::memory::Memory;

/// Why a rule did not fire.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// Its name.
    pub rule: Text,
    /// The reason, for each way in which it could: a rule with `or` has several.
    pub ways: Vec<Reason>,
}

/// Why one way of a rule does not lead to its firing.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// It is on the agenda: it will fire, or would have.
    Waits {
        /// How many fire before it.
        behind: usize,
    },
    /// All conditions hold, and it fired for everything that fulfils them.
    Fired,
    /// A condition is not fulfilled.
    Fails {
        /// Which, counted from 1; a group counts as one.
        condition: usize,
        /// Where it stands.
        span: Span,
        /// The facts that fulfil the conditions before it, if there are any.
        after: Vec<Told>,
        /// What is wrong.
        missed: Missed,
    },
}

/// What keeps a condition from being fulfilled.
#[derive(Clone, Debug, PartialEq)]
pub enum Missed {
    /// There is no fact of its template.
    NoFact {
        /// The template's name.
        template: Text,
    },
    /// Facts are there, but none is as it asks.
    NoneFits {
        /// The one that comes nearest.
        nearest: Told,
        /// What is wrong with it, in words: "`severity` is 3, needs >= 4".
        because: Vec<String>,
    },
    /// It must not be fulfilled, and is.
    Blocked {
        /// The facts that fulfil it.
        by: Vec<Told>,
        /// Whether it is a `forall`, and these are facts for which it does not hold.
        for_all: bool,
    },
    /// A test gives `FALSE`.
    Test {
        /// The test, with the values of its variables.
        because: Vec<String>,
    },
    /// No way to fulfil a group of conditions.
    Group,
}

impl Memory {
    /// Why a rule did not fire, by its position in the program. The text is that of the program:
    /// reasons repeat the words of conditions.
    pub fn why_not(&self, rule: usize, text: &str) -> WhyNot {
        let book = self.rulebook();
        let ways = book.network.ways.iter().enumerate();
        let ways = ways.filter(|(_, way)| way.rule as usize == rule);
        let tests = Tests::new();
        WhyNot {
            rule: self.rule_name(u32::try_from(rule).unwrap_or(u32::MAX)),
            ways: ways.map(|(at, way)| self.reason(at, way, text, &tests)).collect(),
        }
    }
}

impl Display for WhyNot {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        for (at, reason) in self.ways.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n" };
            write!(out, "{gap}{}", self.rule)?;
            if self.ways.len() > 1 {
                write!(out, ", alternative {}", at + 1)?;
            }
            write!(out, ": {reason}")?;
        }
        Ok(())
    }
}

impl Display for Reason {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Reason::Waits { behind: 0 } => write!(out, "it is the next to fire"),
            Reason::Waits { behind: 1 } => write!(out, "it waits, one fires before it"),
            Reason::Waits { behind } => write!(out, "it waits, {behind} fire before it"),
            Reason::Fired => write!(out, "it fired for everything that fulfils its conditions"),
            Reason::Fails { condition, after, missed, .. } => {
                write!(out, "condition {condition} is not fulfilled")?;
                write!(out, "\n  {missed}")?;
                for fact in after {
                    write!(out, "\n  with     {fact}")?;
                }
                Ok(())
            }
        }
    }
}

impl Display for Missed {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Missed::NoFact { template } => write!(out, "there is no fact `{template}`"),
            Missed::NoneFits { nearest, because } => {
                write!(out, "nearest  {nearest}")?;
                because.iter().try_for_each(|one| write!(out, "\n  but      {one}"))
            }
            Missed::Blocked { by, for_all } => {
                let what = if *for_all {
                    "it does not hold for all"
                } else {
                    "it must not hold, but does"
                };
                write!(out, "{what}")?;
                by.iter().try_for_each(|fact| write!(out, "\n  because  {fact}"))
            }
            Missed::Test { because } => {
                write!(out, "its test is FALSE")?;
                because.iter().try_for_each(|one| write!(out, "\n  but      {one}"))
            }
            Missed::Group => write!(out, "nothing fulfils all conditions of the group"),
        }
    }
}
