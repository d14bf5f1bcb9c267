//! Programs of rules from a seed, and a second opinion about what they do: CLIPS itself.
//!
//! A program is small, mostly legal, mostly ends by itself, and its rules often begin with the
//! same conditions, because what rules share decides the order in which they fire.

mod actions;
mod clips;
mod compare;
mod conditions;
mod expressions;
mod ours;
mod shrink;
mod tree;
mod vocabulary;

use std::fmt::{self, Display, Formatter};

pub use clips::Clips;
pub use compare::{Verdict, check, difference};
pub use ours::quipu;
pub use shrink::smallest;

use crate::Random;
use vocabulary::Vocabulary;

/// A program, what is asserted after its reset, and how far it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its constructs, in order.
    pub constructs: Vec<String>,
    /// Facts.
    pub asserts: Vec<String>,
    /// After so many firings it is stopped.
    pub limit: u32,
}

/// What somebody makes of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Opinion {
    /// It runs.
    Ran(Answer),
    /// It is no program, or one of the facts is none; and why.
    Rejected(String),
    /// It ends whoever tries it.
    Died,
    /// It takes more steps than anybody wants to wait for.
    TooLong,
}

/// What happens when a program runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The rule of each activation before the first fires, the first first.
    pub agenda_initial: Vec<String>,
    /// The rules that fired.
    pub fired: Vec<String>,
    /// All facts in the end.
    pub facts: Vec<String>,
    /// What the rules printed.
    pub printed: String,
    /// What went wrong while they ran.
    pub complaint: String,
}

impl Display for Case {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        self.constructs.iter().try_for_each(|text| writeln!(out, "{text}"))?;
        self.asserts.iter().try_for_each(|text| writeln!(out, "; --assert '{text}'"))
    }
}

/// Programs that go round are stopped after so many firings.
const LIMIT: u32 = 40;

/// A program with everything that the seed happens to choose.
pub fn case(seed: u64) -> Case {
    let mut writer = Writer::new(seed);
    let mut constructs = writer.declarations();
    for at in 0..writer.random.between(3, 9) {
        let rule = writer.rule(at);
        constructs.push(rule);
    }
    if writer.random.one_in(2) {
        let facts: Vec<String> =
            (0..writer.random.between(1, 4)).map(|_| writer.literal_fact()).collect();
        constructs.push(format!("(deffacts start {})", facts.join(" ")));
        // What is declared earlier is asserted earlier; rules may come before or after.
        if writer.random.one_in(2) {
            let last = constructs.len() - 1;
            let first_rule = constructs.iter().position(|one| one.starts_with("(defrule"));
            constructs.swap(last, first_rule.unwrap_or(last));
        }
    }
    let mut asserts: Vec<String> = Vec::new();
    for _ in 0..writer.random.between(3, 11) {
        let fact = match asserts.is_empty() || !writer.random.one_in(8) {
            true => writer.literal_fact(),
            // A fact that is there already changes nothing.
            false => writer.random.pick(&asserts).clone(),
        };
        asserts.push(fact);
    }
    Case { constructs, asserts, limit: LIMIT }
}

/// What kind of value a variable, a field or an expression has. The name of a variable follows
/// from it, so that equal names fit together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Anything single.
    Any,
    /// A number.
    Number,
    /// A list.
    Many,
    /// The address of a fact: of an ordered one, or of the template at this position.
    Fact(Option<usize>),
}

/// A variable that conditions have bound.
#[derive(Clone, Debug, PartialEq)]
struct Variable {
    name: &'static str,
    kind: Kind,
}

type Scope = Vec<Variable>;

/// Which parts of the language a program uses.
struct Mix {
    constraints: bool,
    lists: bool,
    negation: bool,
    nesting: bool,
    tests: bool,
    addresses: bool,
    salience: bool,
    control: bool,
    logical: bool,
    functions: bool,
    /// Negations are mostly of several conditions.
    groups: bool,
    /// Fields are mostly variables that earlier conditions have bound.
    joins: bool,
    /// Most rules begin like another one.
    sharing: bool,
}

struct Writer {
    random: Random,
    mix: Mix,
    vocabulary: Vocabulary,
    /// Of each rule so far its conditions, and what is bound after each of them.
    rules: Vec<Vec<(String, Scope)>>,
    /// Whether what is written now stands behind a `$?` in the same list.
    behind_list: bool,
}

impl Writer {
    fn new(seed: u64) -> Writer {
        let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(17));
        let mut chance = |times: usize| !random.one_in(times);
        let mix = Mix {
            constraints: chance(4),
            lists: chance(2),
            negation: chance(4),
            nesting: chance(3),
            tests: chance(3),
            addresses: chance(3),
            salience: chance(2),
            control: chance(2),
            logical: !chance(3),
            functions: chance(2),
            groups: chance(2),
            joins: chance(2),
            sharing: chance(2),
        };
        let vocabulary = Vocabulary::new(&mut random, mix.lists);
        Writer { random, mix, vocabulary, rules: Vec::new(), behind_list: false }
    }

    fn rule(&mut self, at: usize) -> String {
        let mut conditions = match self.random.one_in(4) {
            true => self.easy_beginning(),
            false => self.shared_beginning(),
        };
        let more = match conditions.len() {
            1 if self.random.one_in(2) => 0,
            0 if self.random.one_in(20) => 0,
            0 => self.random.between(1, 4),
            _ => self.random.below(3),
        };
        let mut scope = conditions.last().map(|last| last.1.clone()).unwrap_or_default();
        for _ in 0..more {
            let condition = self.condition(&mut scope, 0);
            conditions.push((condition, scope.clone()));
        }
        let logical = if self.mix.logical && !conditions.is_empty() && self.random.one_in(2) {
            self.random.between(1, conditions.len())
        } else {
            0
        };
        let texts: Vec<&str> = conditions.iter().map(|one| one.0.as_str()).collect();
        let mut when = String::new();
        if logical > 0 {
            when = format!(" (logical {})", texts[..logical].join(" "));
        }
        for text in &texts[logical..] {
            when.push(' ');
            when.push_str(text);
        }
        let salience = if self.mix.salience && self.random.one_in(2) {
            format!(" (declare (salience {}))", self.salience())
        } else {
            String::new()
        };
        let then = self.actions(&mut scope);
        self.rules.push(conditions);
        format!("(defrule r{at}{salience}{when} => {then})")
    }

    /// A condition that most facts of a relation meet, so that something happens.
    fn easy_beginning(&mut self) -> Vec<(String, Scope)> {
        let mut scope = Scope::new();
        let condition = self.easy_pattern(&mut scope);
        vec![(condition, scope)]
    }

    /// The first conditions of an earlier rule.
    fn shared_beginning(&mut self) -> Vec<(String, Scope)> {
        let alone = if self.mix.sharing { self.random.one_in(3) } else { !self.random.one_in(3) };
        if self.rules.is_empty() || alone {
            return Vec::new();
        }
        let rule = self.random.pick(&self.rules).clone();
        if rule.is_empty() {
            return rule;
        }
        let least = if self.mix.sharing { rule.len().min(2) } else { 1 };
        let count = self.random.between(least, rule.len().min(4));
        rule[..count].to_vec()
    }

    fn salience(&mut self) -> String {
        match self.random.below(8) {
            0 => "(+ 1 2)".to_owned(),
            1 => "?*g0*".to_owned(),
            2 => "(* -1 ?*g0*)".to_owned(),
            3 | 4 => format!("{}", self.random.below(6) as i64 - 2),
            // Ties are what an order is for.
            _ => (*self.random.pick(&["1", "1", "-1"])).to_owned(),
        }
    }
}
