//! Why a rule fires now: what completed it, and why the others wait.

use std::fmt::{self, Display, Formatter};

use value::Text;

use super::{Told, words};
use crate::field::FactId;
use crate::memory::{Activated, Memory};

/// How many of those that wait are told one by one.
const RIVALS_MAX: usize = 20;

/// A rule that fires, and what made it the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Firing {
    /// Its name.
    pub rule: Text,
    /// How urgent it is.
    pub salience: i64,
    /// What completed it, in the order of its conditions.
    pub because: Vec<Because>,
    /// The values of its variables, as they are printed.
    pub values: Vec<(Text, String)>,
    /// What else could fire, the next first, and why it waits.
    pub rivals: Vec<Rival>,
    /// How many more wait.
    pub more: usize,
}

/// Why a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// A fact fits it.
    Fact(Told),
    /// Nothing fits it, or something does whatever it is: the words of the condition.
    Holds(String),
    /// The rule has no conditions.
    Always,
}

/// A rule that could fire, too.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// Its name.
    pub rule: Text,
    /// How urgent it is.
    pub salience: i64,
    /// The facts that completed it.
    pub facts: Vec<Option<Told>>,
    /// Why it waits.
    pub lost: Lost,
}

/// Why a rule waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The other is more urgent.
    Salience,
    /// The other was completed by a newer fact, or later.
    Recency,
    /// Both were completed by the same fact: the order of rules and of their facts decides.
    Order,
}

impl Memory {
    /// The rule that fires next, and why. The text is that of the program, whose words are repeated.
    pub fn explain_next(&self, text: &str) -> Option<Firing> {
        let mut agenda = self.agenda();
        let first = agenda.next()?;
        let rivals = agenda.by_ref().take(RIVALS_MAX).map(|other| Rival {
            rule: self.rule_name(other.rule),
            salience: other.salience,
            facts: self.told_all(&other.facts),
            lost: self.lost(&first, &other),
        });
        let rivals: Vec<Rival> = rivals.collect();
        let names = &self.rulebook().program().rules[first.rule as usize].variables;
        let mut values = self.values(&first);
        values.sort_by_key(|(variable, _)| *variable);
        Some(Firing {
            rule: self.rule_name(first.rule),
            salience: first.salience,
            because: self.because(&first, text),
            values: values
                .into_iter()
                .map(|(variable, value)| (names[variable.0 as usize].clone(), self.shown(&value)))
                .collect(),
            more: self.agenda_length() - 1 - rivals.len(),
            rivals,
        })
    }

    fn because(&self, fires: &Activated, text: &str) -> Vec<Because> {
        let steps = &self.rulebook().network.ways[fires.way as usize].steps;
        let because = |(at, fact): (usize, &Option<FactId>)| match (fact, steps.get(at)) {
            (Some(fact), _) => Because::Fact(self.told(*fact)),
            (None, Some(step)) => Because::Holds(words(text, step.span)),
            (None, None) => Because::Always,
        };
        fires.facts.iter().enumerate().map(because).collect()
    }

    fn told_all(&self, facts: &[Option<FactId>]) -> Vec<Option<Told>> {
        facts.iter().map(|fact| fact.map(|fact| self.told(fact))).collect()
    }

    fn lost(&self, first: &Activated, other: &Activated) -> Lost {
        let newest = |facts: &[Option<FactId>]| {
            let index = |id: &FactId| self.fact(*id).map(|fact| fact.index);
            facts.iter().flatten().filter_map(index).max()
        };
        if first.salience != other.salience {
            Lost::Salience
        } else if newest(&first.facts) == newest(&other.facts) {
            Lost::Order
        } else {
            Lost::Recency
        }
    }
}

impl Lost {
    /// The word that scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Lost::Salience => "salience",
            Lost::Recency => "recency",
            Lost::Order => "order",
        }
    }
}

impl Display for Firing {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}", self.rule)?;
        if self.salience != 0 {
            write!(out, " (salience {})", self.salience)?;
        }
        for because in &self.because {
            write!(out, "\n  because  {because}")?;
        }
        for (name, value) in &self.values {
            write!(out, "\n  with     ?{name} = {value}")?;
        }
        // One fact may complete a rule in several ways.
        for same in self.rivals.chunk_by(|one, other| one == other) {
            write!(out, "\n  before   {}", same[0])?;
            if same.len() > 1 {
                write!(out, " ({} times)", same.len())?;
            }
        }
        if self.more > 0 {
            write!(out, "\n  before   {} more", self.more)?;
        }
        Ok(())
    }
}

impl Display for Because {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Because::Fact(fact) => write!(out, "{fact}"),
            Because::Holds(condition) => write!(out, "{condition}"),
            Because::Always => write!(out, "it has no conditions"),
        }
    }
}

impl Display for Rival {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}", self.rule)?;
        let facts: Vec<String> =
            self.facts.iter().flatten().map(|fact| format!("f-{}", fact.index)).collect();
        if !facts.is_empty() {
            write!(out, " ({})", facts.join(", "))?;
        }
        match self.lost {
            Lost::Salience => write!(out, ": its salience is {}", self.salience),
            Lost::Recency => write!(out, ": it was completed earlier"),
            Lost::Order => write!(out, ": completed by the same fact, it comes later in order"),
        }
    }
}
