//! What the variables of a rule can be: of which kinds, which values, within which range.
//!
//! A variable that two patterns bind must have room in both, and a function must take what it can
//! be. Only what is certain is reported: an `or` is looked at branch by branch, and what its
//! branches say of a variable is forgotten behind it.

use std::collections::BTreeMap;

use diagnostics::{Anchor, Span, codes};
use value::Text;

use super::Reader;
use super::findings::{at, described};
use super::limits::as_float;
use crate::field::Field;
use crate::functions;
use crate::program::{
    Condition, Expr, ExprKind, FieldPattern, Kinds, Limits, Pattern, Rule, Term, TermKind,
    VariableId,
};
use crate::walk::each_expr;

const KINDS: [Kinds; 4] = [Kinds::SYMBOL, Kinds::TEXT, Kinds::INT, Kinds::FLOAT];

/// The values of one kind that are possible.
#[derive(Clone, PartialEq)]
enum Values {
    None,
    Any,
    Only(Vec<Field>),
}

/// What a variable can be.
#[derive(Clone)]
pub(super) struct Room {
    values: [Values; 4],
    /// Beside these: addresses of facts, lists.
    others: Kinds,
    low: Option<f64>,
    high: Option<f64>,
    /// Only these, whatever their kind.
    listed: Option<Vec<Field>>,
    /// Where that was said first.
    span: Span,
}

type Rooms = BTreeMap<VariableId, Room>;

impl Room {
    fn kinds(kinds: Kinds, span: Span) -> Room {
        let values = KINDS.map(|kind| if kinds.meets(kind) { Values::Any } else { Values::None });
        let others = Kinds(kinds.0 & Kinds::FACT.or(Kinds::MANY).0);
        Room { values, others, low: None, high: None, listed: None, span }
    }

    fn of(limits: &Limits, span: Span) -> Room {
        let mut room = Room::kinds(limits.kinds, span);
        if let Some(allowed) = &limits.allowed {
            for (kind, values) in KINDS.into_iter().zip(&mut room.values) {
                let of_kind = |value: &&Field| Kinds::of(value) == kind;
                let only: Vec<Field> = allowed.values.iter().filter(of_kind).cloned().collect();
                if *values == Values::Any && allowed.kinds.meets(kind) && !only.is_empty() {
                    *values = Values::Only(only);
                }
            }
            if allowed.kinds == Kinds::SINGLE {
                room.listed = Some(allowed.values.clone());
            }
        }
        if let Some((low, high)) = &limits.range {
            room.low = low.as_ref().and_then(as_float);
            room.high = high.as_ref().and_then(as_float);
        }
        room
    }

    fn value(field: &Field, span: Span) -> Room {
        let mut room = Room::kinds(Kinds::of(field), span);
        for values in &mut room.values {
            if *values == Values::Any {
                *values = Values::Only(vec![field.clone()]);
            }
        }
        room
    }

    /// The kinds of which a value is possible.
    fn possible(&self) -> Kinds {
        let crossed = matches!((self.low, self.high), (Some(low), Some(high)) if low > high);
        let mut kinds = self.others;
        for (kind, values) in KINDS.into_iter().zip(&self.values) {
            let is_empty = match values {
                Values::None => true,
                Values::Any => false,
                Values::Only(values) => values.is_empty(),
            };
            if !(is_empty || crossed && Kinds::NUMBER.meets(kind)) {
                kinds = kinds.or(kind);
            }
        }
        kinds
    }

    fn is_empty(&self) -> bool {
        self.possible().0 == 0 || self.listed.as_ref().is_some_and(Vec::is_empty)
    }

    /// What is possible here and there.
    fn both(&self, other: &Room) -> Room {
        let mut both = self.clone();
        for (values, others) in both.values.iter_mut().zip(&other.values) {
            *values = match (&*values, others) {
                (Values::None, _) | (_, Values::None) => Values::None,
                (Values::Any, values) | (values, Values::Any) => values.clone(),
                (Values::Only(a), Values::Only(b)) => {
                    Values::Only(a.iter().filter(|value| b.contains(value)).cloned().collect())
                }
            };
        }
        both.others = Kinds(self.others.0 & other.others.0);
        both.low = larger(self.low, other.low);
        both.high =
            larger(self.high.map(|high| -high), other.high.map(|high| -high)).map(|high| -high);
        both.listed = match (&self.listed, &other.listed) {
            (Some(a), Some(b)) => {
                Some(a.iter().filter(|value| b.contains(value)).cloned().collect())
            }
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        both
    }

    /// What is possible here or there. Values of several kinds are not told apart.
    fn either(&self, other: &Room) -> Room {
        let mut either = Room::kinds(self.possible().or(other.possible()), self.span);
        for ((values, a), b) in either.values.iter_mut().zip(&self.values).zip(&other.values) {
            if let (Values::Only(a), Values::Only(b)) = (a, b) {
                *values = Values::Only(a.iter().chain(b).cloned().collect());
            }
        }
        either
    }

    fn fits(&self, field: &Field) -> bool {
        !self.both(&Room::value(field, self.span)).is_empty()
            && as_float(field).is_none_or(|number| {
                self.low.is_none_or(|low| number >= low)
                    && self.high.is_none_or(|high| number <= high)
            })
    }
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

impl Reader {
    /// Reports what the variables of a rule cannot be.
    pub(super) fn variables_fit(&mut self, rule: &Rule, bound_again: &[VariableId]) {
        // What conditions within conditions say of variables is kept apart: rules beyond any size
        // that a person writes are left to the run.
        const VARIABLES_MAX: usize = 500;
        if rule.variables.len() > VARIABLES_MAX {
            return;
        }
        let mut rooms = Rooms::new();
        self.rooms_of(&mut rooms, &rule.variables, &rule.when);
        for variable in bound_again {
            rooms.remove(variable);
        }
        for action in &rule.then {
            self.arguments_fit(&rooms, &rule.variables, action);
        }
    }

    fn rooms_of(&mut self, rooms: &mut Rooms, names: &[Text], conditions: &[Condition]) {
        for condition in conditions {
            match condition {
                Condition::Pattern(pattern) => self.rooms_of_pattern(rooms, names, pattern),
                Condition::Test(expr) => self.asked_fits(rooms, names, expr),
                Condition::And(inner, _) | Condition::Logical(inner, _) => {
                    self.rooms_of(rooms, names, inner);
                }
                Condition::Or(branches, _) => {
                    for branch in branches {
                        self.rooms_of(&mut rooms.clone(), names, std::slice::from_ref(branch));
                    }
                }
                Condition::Not(inner, _) => {
                    self.rooms_of(&mut rooms.clone(), names, std::slice::from_ref(inner));
                }
                Condition::Exists(inner, _) | Condition::Forall(inner, _) => {
                    self.rooms_of(&mut rooms.clone(), names, inner);
                }
            }
        }
    }

    fn rooms_of_pattern(&mut self, rooms: &mut Rooms, names: &[Text], pattern: &Pattern) {
        if let Some(fact) = pattern.fact {
            rooms.entry(fact).or_insert_with(|| Room::kinds(Kinds::FACT, pattern.span));
        }
        for slot in &pattern.slots {
            let Some(limits) =
                self.slot(pattern.template, slot.slot).map(|slot| slot.limits.clone())
            else {
                continue;
            };
            for field in &slot.fields {
                let Some(variable) = field.variable else { continue };
                let room = match field.many {
                    true => Room::kinds(Kinds::MANY, field.span),
                    false => Room::of(&limits, field.span),
                };
                let room = match self.asked(variable, field) {
                    Some(asked) if !field.many && !room.both(&asked).is_empty() => {
                        room.both(&asked)
                    }
                    _ => room,
                };
                self.joined(rooms, names, variable, field, room);
            }
        }
        let terms = pattern.slots.iter().flat_map(|slot| &slot.fields).flat_map(|field| &field.any);
        for term in terms.flatten() {
            if let TermKind::Holds(expr) | TermKind::Equals(expr) = &term.kind {
                self.asked_fits(rooms, names, expr);
            }
        }
    }

    /// What the terms behind a variable leave of it; none where one of them leaves everything.
    fn asked(&self, variable: VariableId, field: &FieldPattern) -> Option<Room> {
        let is_alone = field.any.len() == 1;
        let mut groups = field.any.iter().map(|group| {
            let rooms = group.iter().filter_map(|term| self.asked_by(variable, term, is_alone));
            rooms.reduce(|a, b| a.both(&b))
        });
        let first = groups.next()??;
        groups.try_fold(first, |all, group| Some(all.either(&group?)))
    }

    fn asked_by(&self, variable: VariableId, term: &Term, is_alone: bool) -> Option<Room> {
        if term.negated {
            return None;
        }
        match &term.kind {
            TermKind::Constant(field) => Some(Room::value(field, term.span)),
            TermKind::Equals(expr) => {
                let gives =
                    self.gives(expr).filter(|gives| !gives.meets(Kinds::MANY) && gives.0 != 0)?;
                Some(Room::kinds(gives, term.span))
            }
            TermKind::Holds(Expr { kind: ExprKind::Call(function, args), .. }) if is_alone => {
                let takes = functions::TABLE.get(usize::from(*function))?.takes;
                let of_variable = |(place, arg): (usize, &Expr)| match arg.kind {
                    ExprKind::Variable(used) if used == variable => {
                        takes.get(place).or(takes.last()).map(|kinds| kinds.0)
                    }
                    _ => None,
                };
                let all = args.iter().enumerate().filter_map(of_variable).reduce(|a, b| a & b)?;
                // A call that takes none of these is reported for itself.
                (all != 0).then(|| Room::kinds(Kinds(all), term.span))
            }
            _ => None,
        }
    }

    /// A variable is bound again: it must have room here and there.
    fn joined(
        &mut self,
        rooms: &mut Rooms,
        names: &[Text],
        variable: VariableId,
        field: &FieldPattern,
        room: Room,
    ) {
        let Some(known) = rooms.get(&variable) else {
            if !room.is_empty() {
                rooms.insert(variable, room);
            }
            return;
        };
        let misfit = field.any.iter().flatten().find(|term| match &term.kind {
            TermKind::Constant(value) => !term.negated && !known.fits(value),
            _ => false,
        });
        let both = known.both(&room);
        // A list and a field of one name are told apart where patterns are joined.
        let is_list =
            known.others.meets(Kinds::MANY) != room.others.meets(Kinds::MANY) || field.many;
        if (misfit.is_none() && !both.is_empty()) || is_list {
            if !both.is_empty() {
                rooms.insert(variable, both);
            }
            return;
        }
        let name = names.get(variable.0 as usize).map_or("", |name| &**name);
        let (span, message) = match misfit {
            Some(term) => (term.span, format!("`?{name}` cannot have this value")),
            None => {
                (field.span, format!("`?{name}` cannot be what it was and what this slot holds"))
            }
        };
        let found = at(&codes::RULES_NEVER_MATCHES, span, message);
        let found = found.label(Anchor::Span(known.span), "because of what is said of it here");
        self.findings.push(found.help("no fact can match both: use another variable, or mend one"));
    }

    /// Within conditions a list is not held against a function.
    fn asked_fits(&mut self, rooms: &Rooms, names: &[Text], expr: &Expr) {
        let singles = rooms
            .iter()
            .filter(|(_, room)| !room.others.meets(Kinds::MANY) || room.others.meets(Kinds::FACT));
        let singles: Rooms = singles.map(|(id, room)| (*id, room.clone())).collect();
        self.arguments_fit(&singles, names, expr);
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
                if takes.meets(room.possible()) {
                    continue;
                }
                let (wanted, given) = (described(*takes), described(room.possible()));
                let known = names.get(variable.0 as usize).map_or("", |name| &**name);
                let message = format!("`{name}` takes {wanted} here, and `?{known}` is {given}");
                let found = at(&codes::RULES_ARGUMENT_KIND, arg.span, message);
                let found = found.label(Anchor::Span(room.span), "it gets its value here");
                self.findings.push(found.help(format!("pass {wanted}")));
            }
        };
        each_call(expr, &mut check);
    }
}

type Check<'c> = dyn FnMut(&str, &[Kinds], &[Expr]) + 'c;

/// Sees the calls within an expression whose arguments must be of some kinds.
fn each_call(expr: &Expr, check: &mut Check) {
    each_expr(expr, &mut |expr| match &expr.kind {
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
