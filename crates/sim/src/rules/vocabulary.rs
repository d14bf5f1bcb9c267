//! What a program speaks of: its templates, the values in its facts, its globals and functions.

use super::{Kind, Variable, Writer};
use crate::Random;

/// The names a program has.
pub(super) struct Vocabulary {
    pub(super) relations: Vec<Relation>,
    /// Functions that a program defines: what they take and give.
    pub(super) functions: Vec<Function>,
    /// The values in facts and patterns; few, so that patterns meet.
    numbers: Vec<&'static str>,
    words: Vec<&'static str>,
}

/// An ordered relation or a template.
pub(super) struct Relation {
    pub(super) name: String,
    /// Its slots; those of an ordered relation have no names.
    pub(super) slots: Vec<Slot>,
    pub(super) ordered: bool,
    declaration: Option<String>,
}

/// A slot, or a place in an ordered fact.
pub(super) struct Slot {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// A function of the program.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) takes: &'static [Kind],
    pub(super) gives: Kind,
    text: &'static str,
}

const ANY: Kind = Kind::Any;
const NUMBER: Kind = Kind::Number;

/// Of these a program takes some.
const FUNCTIONS: [(&str, &[Kind], Kind, &str); 6] = [
    ("next", &[NUMBER], NUMBER, "(deffunction next (?a) (mod (+ ?a 1) 4))"),
    (
        "larger",
        &[NUMBER, NUMBER],
        NUMBER,
        "(deffunction larger (?a ?b) (if (> ?a ?b) then ?a else ?b))",
    ),
    (
        "down",
        &[NUMBER],
        NUMBER,
        "(deffunction down (?a) (if (> ?a 1) then (down (- ?a 1)) else (return ?a)))",
    ),
    (
        "count",
        &[ANY, ANY],
        NUMBER,
        "(deffunction count (?a $?rest) (bind ?sum 0) (progn$ (?one $?rest) (bind ?sum (+ ?sum \
         1))) ?sum)",
    ),
    ("either", &[ANY, ANY], ANY, "(deffunction either (?a ?b) (if (eq ?a p) then (return ?b)) ?a)"),
    ("twice", &[ANY], Kind::Many, "(deffunction twice (?a) (create$ ?a ?a))"),
];

const NUMBERS: [&str; 9] = ["0", "1", "1", "2", "2", "3", "1.0", "2.5", "-1"];
const WORDS: [&str; 13] =
    ["p", "p", "p", "p", "q", "q", "q", "r", "\"p\"", "\"q r\"", "TRUE", "FALSE", "nil"];

/// Names of variables by kind.
pub(super) fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Any => &["x", "y", "z", "w"],
        Kind::Number => &["n", "m", "k", "l"],
        Kind::Many => &["xs", "ys", "zs"],
        Kind::Fact(_) => &["f", "g", "h"],
    }
}

impl Vocabulary {
    pub(super) fn new(random: &mut Random, lists: bool) -> Vocabulary {
        let mut relations: Vec<Relation> = Vec::new();
        for at in 0..random.between(2, 4) {
            let relation = if random.one_in(2) {
                ordered(random, lists, at)
            } else {
                template(random, lists, at)
            };
            relations.push(relation);
        }
        let functions = FUNCTIONS
            .iter()
            .filter(|_| random.one_in(3))
            .map(|&(name, takes, gives, text)| Function { name, takes, gives, text })
            .collect();
        let some = |random: &mut Random, all: &[&'static str]| -> Vec<&'static str> {
            if random.one_in(3) {
                return all.to_vec();
            }
            (0..random.between(2, 4)).map(|_| *random.pick(all)).collect()
        };
        let (numbers, words) = (some(random, &NUMBERS), some(random, &WORDS));
        Vocabulary { relations, functions, numbers, words }
    }
}

fn ordered(random: &mut Random, lists: bool, at: usize) -> Relation {
    let name = ["a", "b", "c", "d"][at].to_owned();
    let mut slots: Vec<Slot> = (0..random.below(3))
        .map(|_| Slot { name: "", kind: if random.one_in(3) { NUMBER } else { ANY } })
        .collect();
    if lists && random.one_in(2) {
        slots.push(Slot { name: "", kind: Kind::Many });
    }
    if slots.is_empty() && !random.one_in(3) {
        slots.push(Slot { name: "", kind: ANY });
    }
    Relation { name, slots, ordered: true, declaration: None }
}

fn template(random: &mut Random, lists: bool, at: usize) -> Relation {
    let name = format!("t{at}");
    let mut slots = vec![Slot { name: "id", kind: ANY }];
    if !random.one_in(3) {
        slots.push(Slot { name: "n", kind: NUMBER });
    }
    if lists && !random.one_in(3) {
        slots.push(Slot { name: "xs", kind: Kind::Many });
    }
    let mut text = format!("(deftemplate {name}");
    for slot in &slots {
        let word = if slot.kind == Kind::Many { "multislot" } else { "slot" };
        text.push_str(&format!(" ({word} {}{})", slot.name, attributes(random, slot.kind)));
    }
    text.push(')');
    Relation { name, slots, ordered: false, declaration: Some(text) }
}

/// What a template says of a slot. Numbers always have a number as their default.
fn attributes(random: &mut Random, kind: Kind) -> String {
    match kind {
        Kind::Number => match random.below(8) {
            0 => " (type INTEGER FLOAT)",
            1 => " (type NUMBER)",
            2 => " (type NUMBER) (range -9 ?VARIABLE)",
            3 => " (default-dynamic (+ 1 1))",
            4 => " (default 3)",
            _ => " (default 0)",
        },
        Kind::Many => match random.below(6) {
            0 => " (default p q)",
            1 => " (default ?DERIVE)",
            2 => " (type LEXEME NUMBER)",
            _ => "",
        },
        _ => match random.below(10) {
            0 => " (default p)",
            1 => " (default \"q\")",
            2 => " (default ?NONE)",
            3 => " (type LEXEME NUMBER)",
            4 => " (default-dynamic (sym-cat a b))",
            _ => "",
        },
    }
    .to_owned()
}

impl Writer {
    /// Templates, globals and functions.
    pub(super) fn declarations(&mut self) -> Vec<String> {
        let declared = self.vocabulary.relations.iter().filter_map(|one| one.declaration.clone());
        let mut constructs: Vec<String> = declared.collect();
        constructs.push("(defglobal ?*g0* = 2 ?*g1* = (create$ p 1))".to_owned());
        constructs.extend(self.vocabulary.functions.iter().map(|one| one.text.to_owned()));
        constructs
    }

    /// A fact without variables.
    pub(super) fn literal_fact(&mut self) -> String {
        let at = self.random.below(self.vocabulary.relations.len());
        let (name, ordered, kinds) = self.shape(at);
        let mut text = format!("({name}");
        for (slot, kind) in kinds {
            let count = if kind == Kind::Many { self.random.below(4) } else { 1 };
            let values: Vec<String> = (0..count).map(|_| self.literal(kind)).collect();
            if ordered {
                values.iter().for_each(|value| text.push_str(&format!(" {value}")));
            } else if slot == "id" || !self.random.one_in(4) {
                let gap = if values.is_empty() { "" } else { " " };
                text.push_str(&format!(" ({slot}{gap}{})", values.join(" ")));
            }
        }
        text.push(')');
        text
    }

    /// The name of a relation, whether it is ordered, and its slots.
    pub(super) fn shape(&self, at: usize) -> (String, bool, Vec<(&'static str, Kind)>) {
        let relation = &self.vocabulary.relations[at];
        let kinds = relation.slots.iter().map(|slot| (slot.name, slot.kind)).collect();
        (relation.name.clone(), relation.ordered, kinds)
    }

    /// A value that stands for itself.
    pub(super) fn literal(&mut self, kind: Kind) -> String {
        let of_words = kind != Kind::Number && !self.random.one_in(4);
        let Vocabulary { numbers, words, .. } = &self.vocabulary;
        (*self.random.pick(if of_words { words } else { numbers })).to_owned()
    }

    /// A name that the scope does not have, if one of the few is left.
    pub(super) fn fresh(&mut self, scope: &[Variable], kind: Kind) -> Option<&'static str> {
        let free: Vec<&'static str> = names(kind)
            .iter()
            .copied()
            .filter(|name| scope.iter().all(|variable| variable.name != *name))
            .collect();
        if free.is_empty() { None } else { Some(*self.random.pick(&free)) }
    }
}
