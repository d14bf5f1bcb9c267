//! What is known of a fact before any rule runs.

use std::collections::BTreeMap;

use crate::field::Field;
use crate::program::{
    Condition, Default, Expr, ExprKind, FieldPattern, NewFact, Pattern, Program, Rule, Template,
    TermKind, VariableId,
};

/// What the slots of a fact can hold, by position; slots that are not named hold anything.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape(pub(super) BTreeMap<u32, Vec<Item>>);

/// A piece of a slot.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// One field.
    One(Possible),
    /// Any number of any fields.
    Rest,
}

/// What one field can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Possible {
    /// One of these.
    One(Vec<Field>),
    /// Anything but these.
    NotOne(Vec<Field>),
}

/// What is known of the variables of a rule that stand for one field.
pub(super) type Variables = BTreeMap<VariableId, Possible>;

/// So many fields of a list are compared from each end.
const COMPARED_MAX: usize = 16;

impl Possible {
    pub(super) fn any() -> Possible {
        Possible::NotOne(Vec::new())
    }

    fn meets(&self, other: &Possible) -> bool {
        match (self, other) {
            (Possible::One(some), Possible::One(others)) => {
                some.iter().any(|one| others.contains(one))
            }
            (Possible::One(some), Possible::NotOne(others))
            | (Possible::NotOne(others), Possible::One(some)) => {
                some.iter().any(|one| !others.contains(one))
            }
            (Possible::NotOne(_), Possible::NotOne(_)) => true,
        }
    }

    /// What is both.
    fn and(self, other: &Possible) -> Possible {
        match (self, other) {
            (Possible::One(mut some), Possible::One(others)) => {
                some.retain(|one| others.contains(one));
                Possible::One(some)
            }
            (Possible::One(mut some), Possible::NotOne(others)) => {
                some.retain(|one| !others.contains(one));
                Possible::One(some)
            }
            (Possible::NotOne(not), Possible::One(others)) => {
                let some = others.iter().filter(|one| !not.contains(one));
                Possible::One(some.cloned().collect())
            }
            (Possible::NotOne(mut not), Possible::NotOne(others)) => {
                not.extend(others.iter().cloned());
                Possible::NotOne(not)
            }
        }
    }

    /// What is one of them.
    fn or(self, other: Possible) -> Possible {
        match (self, other) {
            (Possible::One(mut some), Possible::One(others)) => {
                some.extend(others);
                Possible::One(some)
            }
            (Possible::One(some), Possible::NotOne(mut not))
            | (Possible::NotOne(mut not), Possible::One(some)) => {
                not.retain(|one| !some.contains(one));
                Possible::NotOne(not)
            }
            (Possible::NotOne(mut not), Possible::NotOne(others)) => {
                not.retain(|one| others.contains(one));
                Possible::NotOne(not)
            }
        }
    }
}

impl Shape {
    /// Whether one fact can have both shapes.
    pub(super) fn meets(&self, other: &Shape) -> bool {
        self.0
            .iter()
            .all(|(slot, items)| other.0.get(slot).is_none_or(|others| items_meet(items, others)))
    }
}

fn items_meet(some: &[Item], others: &[Item]) -> bool {
    fn agree<'a>(
        some: impl Iterator<Item = &'a Item>,
        others: impl Iterator<Item = &'a Item>,
    ) -> bool {
        for pair in some.zip(others).take(COMPARED_MAX) {
            match pair {
                (Item::One(one), Item::One(other)) if !one.meets(other) => return false,
                (Item::One(_), Item::One(_)) => {}
                _ => return true,
            }
        }
        true
    }
    // As long as there is nothing of any length in them, both are as long as they say.
    let ones = |items: &[Item]| items.iter().filter(|item| **item != Item::Rest).count();
    let is_closed = |items: &[Item]| ones(items) == items.len();
    let fits = |closed: &[Item], other: &[Item]| !is_closed(closed) || ones(other) <= closed.len();
    fits(some, others)
        && fits(others, some)
        && agree(some.iter(), others.iter())
        && agree(some.iter().rev(), others.iter().rev())
}

/// What the patterns of a rule say of its variables. Only those that stand by themselves bind
/// for the actions too; what an `or` says of a variable may be said in one of its parts only.
pub(super) fn variables(rule: &Rule) -> Variables {
    let mut known = Variables::new();
    bind(&rule.when, &mut known);
    // A variable that actions bind again may be anything, and any number of it.
    known.retain(|variable, _| !is_bound_again(&rule.then, *variable));
    known
}

/// Whether actions give another value to a variable.
pub(super) fn is_bound_again(actions: &[Expr], variable: VariableId) -> bool {
    let mut is_bound = false;
    for action in actions {
        action.visit(&mut |expr| match &expr.kind {
            ExprKind::Bind(bound, _)
            | ExprKind::Each { variable: bound, .. }
            | ExprKind::Count { variable: Some(bound), .. } => is_bound |= *bound == variable,
            _ => {}
        });
    }
    is_bound
}

fn bind(conditions: &[Condition], known: &mut Variables) {
    for condition in conditions {
        let pattern = match condition {
            Condition::Pattern(pattern) => pattern,
            Condition::And(all, _) | Condition::Logical(all, _) => {
                bind(all, known);
                continue;
            }
            _ => continue,
        };
        for field in pattern.slots.iter().flat_map(|slot| &slot.fields) {
            if let Some(variable) = field.variable.filter(|_| !field.many) {
                let before = known.remove(&variable).unwrap_or_else(Possible::any);
                known.insert(variable, before.and(&constants(field)));
            }
        }
    }
}

/// What a pattern asks for.
pub(super) fn of_pattern(program: &Program, pattern: &Pattern, variables: &Variables) -> Shape {
    let template = template(program, pattern);
    let slots = pattern.slots.iter().map(|slot| {
        let fields = slot.fields.iter().map(|field| match field.many {
            true => Item::Rest,
            false => {
                let known = field.variable.and_then(|variable| variables.get(&variable));
                let possible = constants(field);
                Item::One(known.map_or(possible.clone(), |known| possible.and(known)))
            }
        });
        let is_list = template.is_some_and(|it| is_many(it, slot.slot));
        let fields: Vec<Item> = fields.collect();
        // `$?x` in a slot with one field is that field.
        let fields =
            if is_list || !fields.contains(&Item::Rest) { fields } else { vec![Item::Rest] };
        (slot.slot, fields)
    });
    Shape(slots.collect())
}

/// What a new fact is like.
pub(super) fn of_fact(program: &Program, fact: &NewFact, variables: &Variables) -> Shape {
    let mut slots: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
    let template = program.templates.get(fact.template.0 as usize);
    for (at, slot) in (0..).zip(template.map_or(&[][..], |template| &template.slots)) {
        if let Default::Value(value) = &slot.default {
            slots.insert(at, value.fields().iter().map(constant).collect());
        }
    }
    for (slot, values) in &fact.slots {
        slots.insert(*slot, items(values, variables));
    }
    Shape(slots)
}

/// What values in a slot are like.
pub(super) fn items(values: &[Expr], variables: &Variables) -> Vec<Item> {
    let item = |value: &Expr| match &value.kind {
        ExprKind::Constant(field @ Field::Many(_)) => field.fields().iter().map(constant).collect(),
        ExprKind::Constant(field) => vec![constant(field)],
        ExprKind::Variable(variable) => match variables.get(variable) {
            Some(possible) => vec![Item::One(possible.clone())],
            None => vec![Item::Rest],
        },
        _ => vec![Item::Rest],
    };
    values.iter().flat_map(item).collect()
}

fn constant(field: &Field) -> Item {
    Item::One(Possible::One(vec![field.clone()]))
}

/// What the constants of a constraint leave possible.
fn constants(field: &FieldPattern) -> Possible {
    let all_hold = |terms: &Vec<crate::program::Term>| {
        terms.iter().fold(Possible::any(), |possible, term| match (&term.kind, term.negated) {
            (TermKind::Constant(value), false) => possible.and(&Possible::One(vec![value.clone()])),
            (TermKind::Constant(value), true) => {
                possible.and(&Possible::NotOne(vec![value.clone()]))
            }
            _ => possible,
        })
    };
    field.any.iter().map(all_hold).reduce(Possible::or).unwrap_or_else(Possible::any)
}

/// A pattern with its constants only: `(state (name b))`, `(phase ?)`.
pub(super) fn words(program: &Program, pattern: &Pattern) -> String {
    let Some(template) = template(program, pattern) else { return String::new() };
    let mut text = format!("({}", template.name);
    for slot in &pattern.slots {
        let fields = slot.fields.iter().map(|field| match constants(field) {
            _ if field.many => "$?".to_owned(),
            Possible::One(values) => {
                values.iter().map(Field::to_string).collect::<Vec<_>>().join("|")
            }
            Possible::NotOne(values) if values.is_empty() => "?".to_owned(),
            Possible::NotOne(values) => {
                let values: Vec<String> = values.iter().map(|value| format!("~{value}")).collect();
                values.join("&")
            }
        });
        let fields: Vec<String> = fields.collect();
        match template.ordered {
            true => fields.iter().for_each(|field| text += &format!(" {field}")),
            false if fields.iter().all(|field| field.contains('?')) && !fields.is_empty() => {}
            false => {
                let slot = template.slots.get(slot.slot as usize);
                let name = slot.map_or("", |slot| &*slot.name);
                text += &format!(" ({})", [&[name.to_owned()], &*fields].concat().join(" "));
            }
        }
    }
    text + ")"
}

/// The patterns that a variable gets its fact from.
pub(super) fn bound_by<'a>(when: &'a [Condition], variable: VariableId) -> Vec<&'a Pattern> {
    let mut found = Vec::new();
    super::each_pattern(when, &mut |pattern: &'a Pattern, _| {
        if pattern.fact == Some(variable) {
            found.push(pattern);
        }
    });
    found
}

fn template<'a>(program: &'a Program, pattern: &Pattern) -> Option<&'a Template> {
    program.templates.get(pattern.template.0 as usize)
}

fn is_many(template: &Template, slot: u32) -> bool {
    template.slots.get(slot as usize).is_some_and(|slot| slot.many)
}
