//! What the variables of a rule can be, from condition to condition and in its actions.
//!
//! A variable that two patterns bind must have room in both, and a function must take what it can
//! be. A rule with `or` is looked at way by way. What a call takes is known of a variable behind
//! the condition in which the call stands, whatever becomes of the call's value: CLIPS has it so.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Anchor, Diagnostic, codes};
use value::Text;

use super::Reader;
use super::findings::at;
use super::room::Room;
use crate::functions;
use crate::network::shape::{Element, flatten};
use crate::program::{
    Asked, Expr, ExprKind, FieldPattern, Kinds, Pattern, Rule, Term, TermKind, VariableId,
};

type Rooms = BTreeMap<VariableId, Room>;

/// What is known at one place of a way.
#[derive(Default)]
struct Known {
    /// What is possible here.
    here: Rooms,
    /// What was possible where a pattern outside of any negation last bound it.
    bound: Rooms,
}

/// Rules beyond any size that a person writes are left to the run: so many rooms are looked at.
const ROOMS_MAX: usize = 200_000;

/// How many findings before are looked at for one of the same place.
const NEARBY: usize = 100;

impl Reader {
    /// Reports what the variables of a rule cannot be.
    pub(super) fn variables_fit(&mut self, rule: &Rule) {
        // What is wrong with too many ways is told when patterns are joined.
        let Ok(ways) = flatten(&rule.when) else { return };
        let elements: usize = ways.iter().map(Vec::len).sum();
        if elements.saturating_mul(rule.variables.len()) > ROOMS_MAX {
            return;
        }
        let lists = lists(rule);
        let binds = self.binds(rule);
        let names = &rule.variables;
        for way in &ways {
            let mut known = Known::default();
            // Of each open group, what was known before it.
            let mut opened: Vec<Rooms> = Vec::new();
            for element in way {
                while opened.len() + 1 < element.marks.begin as usize {
                    opened.push(known.here.clone());
                }
                self.element_fits(&mut known, names, &lists, element);
                while opened.len() + 1 > element.marks.end as usize {
                    known.here = opened.pop().unwrap_or_default();
                }
            }
            let mut rooms = known.bound;
            for (variable, room) in &binds {
                let room = rooms.remove(variable).map_or(room.clone(), |bound| bound.either(room));
                rooms.insert(*variable, room);
            }
            for action in &rule.then {
                self.arguments_fit(&rooms, names, action);
            }
        }
    }

    /// What `bind` gives to the variables of a rule.
    fn binds(&self, rule: &Rule) -> Rooms {
        let mut binds = Rooms::new();
        for action in &rule.then {
            action.visit(&mut |expr| {
                let ExprKind::Bind(variable, values) = &expr.kind else { return };
                let room = match values.as_slice() {
                    // Unbound again: what it was is what it can be.
                    [] => return,
                    [value] => match (&value.kind, self.gives(value)) {
                        (ExprKind::Constant(field), _) => Room::value(field, value.span),
                        (_, Some(gives)) => Room::kinds(gives, value.span),
                        _ => Room::kinds(Kinds::SINGLE.or(Kinds::MANY), value.span),
                    },
                    _ => Room::kinds(Kinds::SINGLE.or(Kinds::MANY), expr.span),
                };
                let room = match binds.remove(variable) {
                    Some(known) => known.either(&room),
                    None => room,
                };
                binds.insert(*variable, room);
            });
        }
        binds
    }

    fn element_fits(
        &mut self,
        known: &mut Known,
        names: &[Text],
        lists: &BTreeSet<VariableId>,
        element: &Element,
    ) {
        let is_apart = element.marks.negated || element.marks.exists;
        let before = is_apart.then(|| known.here.clone());
        if let Some(pattern) = element.pattern {
            let binds = !is_apart && element.marks.begin == 1;
            self.pattern_fits(known, names, lists, pattern, binds);
        }
        if let Some(test) = &element.test {
            self.arguments_fit(&known.here, names, test);
            let taken = taken(&[test], lists);
            narrow(&mut known.here, taken);
        }
        if let Some(before) = before {
            known.here = before;
        }
    }

    fn pattern_fits(
        &mut self,
        known: &mut Known,
        names: &[Text],
        lists: &BTreeSet<VariableId>,
        pattern: &Pattern,
        binds: bool,
    ) {
        if let Some(fact) = pattern.fact {
            let room = Room::kinds(Kinds::FACT, pattern.span);
            narrow(&mut known.here, [(fact, room.clone())].into());
            if binds {
                known.bound.insert(fact, room);
            }
        }
        for slot in &pattern.slots {
            let Some(limits) =
                self.slot(pattern.template, slot.slot).map(|slot| slot.limits.clone())
            else {
                continue;
            };
            for field in &slot.fields {
                let room = match field.many {
                    true => Room::kinds(Kinds::MANY, field.span),
                    false => self.field_fits(
                        &mut known.here,
                        names,
                        lists,
                        field,
                        Room::of(&limits, field.span),
                    ),
                };
                if let Some(variable) = field.variable.filter(|_| binds) {
                    known.bound.insert(variable, room);
                }
            }
        }
    }

    /// What is possible for a field, given what its slot holds; later fields know of it.
    fn field_fits(
        &mut self,
        here: &mut Rooms,
        names: &[Text],
        lists: &BTreeSet<VariableId>,
        field: &FieldPattern,
        slot: Room,
    ) -> Room {
        let known = field.variable.and_then(|variable| here.get(&variable));
        let room = known.map_or(slot.clone(), |known| known.both(&slot));
        let misfit = field.any.iter().flatten().find(|term| match &term.kind {
            TermKind::Constant(value) => slot.fits(value) && !room.fits(value),
            _ => false,
        });
        let exprs: Vec<&Expr> = field.any.iter().flatten().filter_map(Term::expr).collect();
        if !exprs.is_empty() {
            let mut within = here.clone();
            within.extend(field.variable.map(|variable| (variable, room.clone())));
            exprs.iter().for_each(|expr| self.arguments_fit(&within, names, expr));
        }
        let left = self.left_by(&field.any, here, &room);
        let since = known.map_or(field.span, |known| known.span);
        let name = field.variable.and_then(|variable| names.get(variable.0 as usize));
        let is_no_value_of = |term: &Term| match &term.kind {
            TermKind::Constant(value) => !slot.fits(value),
            _ => false,
        };
        let found = match (misfit, name) {
            // That it is no value of the slot is said where it is read.
            _ if field.any.iter().flatten().any(is_no_value_of) => None,
            (Some(term), Some(name)) => {
                let message = format!("`?{name}` cannot have this value");
                Some(at(&codes::RULES_NEVER_MATCHES, term.span, message))
            }
            (_, Some(name)) if left.is_empty() => {
                let message = format!("`?{name}` cannot be what it was and what this asks for");
                Some(at(&codes::RULES_NEVER_MATCHES, field.span, message))
            }
            (_, None) if left.is_empty() => {
                Some(at(&codes::RULES_NEVER_MATCHES, field.span, "no value meets this"))
            }
            _ => None,
        };
        if let Some(found) = found {
            let found = found.label(Anchor::Span(since), "because of what is said of it here");
            self.report(found.help("no fact can match both: use another variable, or mend one"));
        }
        let branches = field.any.iter().map(|terms| {
            let exprs: Vec<&Expr> = terms.iter().filter_map(Term::expr).collect();
            taken(&exprs, lists)
        });
        narrow(here, branches.reduce(in_either).unwrap_or_default());
        // What is reported here is not reported again behind it.
        let left = if left.is_empty() { room } else { left };
        if let Some(variable) = field.variable {
            narrow(here, [(variable, left.clone())].into());
        }
        left
    }

    /// What the terms of a field leave of its room.
    fn left_by(&self, any: &[Vec<Term>], here: &Rooms, room: &Room) -> Room {
        // Each alternative is held against each value that is possible.
        if any.iter().map(Vec::len).sum::<usize>().saturating_mul(room.count()) > ROOMS_MAX {
            return room.clone();
        }
        let branches = any.iter().map(|terms| {
            let asked = terms.iter().filter_map(|term| self.asked_by(term, here));
            let mut left = asked.fold(room.clone(), |left, asked| left.both(&asked));
            for term in terms.iter().filter(|term| term.negated) {
                if let TermKind::Constant(value) = &term.kind {
                    left = left.without(value);
                }
            }
            left
        });
        branches.reduce(|a, b| a.either(&b)).unwrap_or_else(|| room.clone())
    }

    fn asked_by(&self, term: &Term, here: &Rooms) -> Option<Room> {
        if term.negated {
            return None;
        }
        match &term.kind {
            TermKind::Constant(field) => Some(Room::value(field, term.span)),
            TermKind::Variable(variable) => here.get(variable).cloned(),
            TermKind::Equals(expr) => {
                let gives =
                    self.gives(expr).filter(|gives| !gives.meets(Kinds::MANY) && gives.0 != 0)?;
                Some(Room::kinds(gives, term.span))
            }
            TermKind::Holds(_) => None,
        }
    }

    fn arguments_fit(&mut self, rooms: &Rooms, names: &[Text], expr: &Expr) {
        let mut check = |name: &str, takes: &[Kinds], args: &[Expr]| {
            for (place, arg) in args.iter().enumerate() {
                let (ExprKind::Variable(variable), Some(takes)) =
                    (&arg.kind, takes.get(place).or(takes.last()))
                else {
                    continue;
                };
                let Some(room) = rooms.get(variable) else { continue };
                // What takes everything takes nothing, too.
                let takes_all = takes.holds(Kinds::SINGLE.or(Kinds::MANY));
                if takes.meets(room.kinds) || (takes_all && room.is_empty()) {
                    continue;
                }
                let (wanted, given) = (takes, room.kinds);
                let known = names.get(variable.0 as usize).map_or("", |name| &**name);
                let message = format!("`{name}` takes {wanted} here, and `?{known}` is {given}");
                let found = at(&codes::RULES_ARGUMENT_KIND, arg.span, message);
                let found = found.label(Anchor::Span(room.span), "it gets its value here");
                self.report(found.help(format!("pass {wanted}")));
            }
        };
        each_call(expr, &mut check);
    }

    /// What is wrong at a place is said once, however many ways come by, and by whatever finds
    /// it first. Findings of one rule are the last ones there are.
    fn report(&mut self, found: Diagnostic) {
        let place = found.at.span();
        let meets = |known: &Diagnostic| {
            let known = known.at.span();
            known.start < place.end && place.start < known.end
        };
        if !self.findings.iter().rev().take(NEARBY).any(meets) {
            self.findings.push(found);
        }
    }
}

/// The variables of a rule that stand for lists: within conditions these are not held against
/// functions.
fn lists(rule: &Rule) -> BTreeSet<VariableId> {
    let mut lists = BTreeSet::new();
    rule.each_asked(&mut |asked| {
        let Asked::Pattern(pattern) = asked else { return };
        let fields = pattern.slots.iter().flat_map(|slot| &slot.fields);
        lists.extend(fields.filter(|field| field.many).filter_map(|field| field.variable));
    });
    lists
}

/// What calls, however deep, take of variables.
fn taken(exprs: &[&Expr], lists: &BTreeSet<VariableId>) -> Rooms {
    let mut rooms = Rooms::new();
    for expr in exprs {
        each_call(expr, &mut |_, takes, args| {
            for (place, arg) in args.iter().enumerate() {
                let (ExprKind::Variable(variable), Some(takes)) =
                    (&arg.kind, takes.get(place).or(takes.last()))
                else {
                    continue;
                };
                if !lists.contains(variable) {
                    narrow(&mut rooms, [(*variable, Room::kinds(*takes, arg.span))].into());
                }
            }
        });
    }
    rooms
}

fn narrow(rooms: &mut Rooms, by: Rooms) {
    for (variable, room) in by {
        let room = rooms.get(&variable).map_or(room.clone(), |known| known.both(&room));
        rooms.insert(variable, room);
    }
}

/// What is known whichever of two holds.
fn in_either(a: Rooms, b: Rooms) -> Rooms {
    a.into_iter().filter_map(|(id, room)| Some((id, room.either(b.get(&id)?)))).collect()
}

type Check<'c> = dyn FnMut(&str, &[Kinds], &[Expr]) + 'c;

/// Sees the calls within an expression whose arguments must be of some kinds.
fn each_call(expr: &Expr, check: &mut Check) {
    expr.visit(&mut |expr| match &expr.kind {
        ExprKind::Call(function, args) => {
            if let Some(function) = functions::TABLE.get(usize::from(*function)) {
                check(function.name, function.takes, args);
            }
        }
        ExprKind::Retract(args) => {
            check("retract", &[Kinds::INT.or(Kinds::SYMBOL).or(Kinds::FACT)], args);
        }
        ExprKind::Modify(target, _) => {
            check("modify", &[Kinds::INT.or(Kinds::FACT)], std::slice::from_ref(target));
        }
        ExprKind::Duplicate(target, _) => {
            check("duplicate", &[Kinds::INT.or(Kinds::FACT)], std::slice::from_ref(target));
        }
        _ => {}
    });
}
