//! The values in matches, and the tests of them.

use super::records::{Parts, Token};
use super::state::State;
use crate::code::{Codes, FactView, Fault, Machine, World};
use crate::field::{FactId, Field, mix};
use crate::functions;
use crate::network::{At, Compare, ExprTest, How, NONE, Operand, Place, Side, Stretches, Test};
use crate::program::GlobalId;

/// A match, or the fact that is about to be one.
#[derive(Clone, Copy)]
pub(super) enum Seen<'a> {
    Nothing,
    /// A fact that goes through the pattern network, with the stretches found so far.
    Fact(u32, &'a [u32]),
    /// A match of so many facts.
    Match(Parts, u32),
}

/// What a test sees: both sides of a join.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub state: &'a State,
    pub left: Seen<'a>,
    pub right: Seen<'a>,
}

/// A value as it stands in a fact.
#[derive(Clone, Copy)]
enum View<'a> {
    One(&'a Field),
    Many(&'a [Field]),
    Address(FactId),
}

impl<'a> View<'a> {
    fn of(field: &'a Field) -> View<'a> {
        match field {
            Field::Many(fields) => View::Many(fields),
            one => View::One(one),
        }
    }

    fn to_field(self) -> Field {
        match self {
            View::One(field) => field.clone(),
            View::Many(fields) => Field::many(fields.iter().cloned()),
            View::Address(fact) => Field::Fact(fact),
        }
    }

    /// Takes as many steps as a list or a text is long.
    #[inline]
    fn take(self, budget: &mut u64) {
        let length = match self {
            View::Many(fields) => fields.len() as u64,
            View::One(field) => functions::length_of(field),
            View::Address(_) => 0,
        };
        *budget = budget.saturating_sub(length);
    }

    #[inline(never)]
    fn digest_taking(self, budget: &mut u64) -> u64 {
        self.take(budget);
        self.digest()
    }

    fn digest(self) -> u64 {
        match self {
            View::One(field) => field.digest(),
            View::Many(fields) => fields.iter().fold(7, |hash, field| mix(hash, field.digest())),
            View::Address(fact) => Field::Fact(fact).digest(),
        }
    }

    #[inline(always)]
    fn is(self, other: View) -> bool {
        match (self, other) {
            (View::One(Field::Symbol(left)), View::One(Field::Symbol(right))) => left == right,
            (View::One(left), View::One(right)) => left == right,
            (View::Many(left), View::Many(right)) => left == right,
            (View::Address(left), View::Address(right)) => left == right,
            (View::Address(fact), View::One(Field::Fact(other)))
            | (View::One(Field::Fact(other)), View::Address(fact)) => fact == *other,
            _ => false,
        }
    }
}

impl<'a> Seen<'a> {
    #[inline(always)]
    fn view(self, state: &'a State, place: &Place) -> View<'a> {
        // What most tests ask for is found without a call.
        if let (At::Slot(slot), Seen::Match(parts, length)) = (place.at, self) {
            let fact = state.fact_of(parts, length, place.depth);
            return View::of(&state.facts.get(fact).fields[slot as usize]);
        }
        self.view_any(state, place)
    }

    #[inline(never)]
    fn view_any(self, state: &'a State, place: &Place) -> View<'a> {
        let (fact, lengths): (u32, &[u32]) = match self {
            Seen::Fact(fact, lengths) => (fact, lengths),
            Seen::Match(parts, length) => {
                let fact = state.fact_of(parts, length, place.depth);
                let needs = matches!(place.at, At::Behind { .. } | At::Stretch { .. });
                let lengths = needs.then(|| state.lengths_of(parts, length, place.depth));
                (fact, lengths.unwrap_or_default())
            }
            Seen::Nothing => return View::Many(&[]),
        };
        let fact_record = state.facts.get(fact);
        let list = |slot: u32| fact_record.fields[slot as usize].fields();
        let position = |index: u32, stretches: Stretches| {
            let lengths = &lengths[stretches.first as usize..][..stretches.count as usize];
            (index + lengths.iter().sum::<u32>()) as usize
        };
        match place.at {
            At::Address => View::Address(fact_record.id(fact)),
            At::Slot(slot) => View::of(&fact_record.fields[slot as usize]),
            At::FromStart { slot, index } => View::One(&list(slot)[index as usize]),
            At::FromEnd { slot, index } => {
                let list = list(slot);
                View::One(&list[list.len() - 1 - index as usize])
            }
            At::Middle { slot, skip, leave } => {
                let list = list(slot);
                View::Many(&list[skip as usize..list.len() - leave as usize])
            }
            At::Behind { slot, index, stretches } => {
                View::One(&list(slot)[position(index, stretches)])
            }
            At::Stretch { slot, index, stretches } => {
                let start = position(index, stretches);
                let length = lengths[(stretches.first + stretches.count) as usize];
                View::Many(&list(slot)[start..][..length as usize])
            }
        }
    }

    /// One field, where it is, for looking it up.
    pub(super) fn field(self, state: &'a State, place: &Place) -> Option<&'a Field> {
        match self.view(state, place) {
            View::One(field) => Some(field),
            _ => None,
        }
    }

    pub(super) fn value(self, state: &'a State, place: &Place) -> Field {
        self.view(state, place).to_field()
    }

    /// The hash of some values. Lists take as many steps as they are long.
    #[inline]
    pub(super) fn hash(self, state: &'a State, places: &[Place], budget: &mut u64) -> u64 {
        let mut hash = 0;
        for place in places {
            // Symbols and numbers are what most patterns are joined by.
            let digest = match self.view(state, place) {
                View::One(field @ (Field::Symbol(_) | Field::Int(_))) => {
                    View::One(field).take(budget);
                    field.digest()
                }
                view => view.digest_taking(budget),
            };
            hash = mix(hash, digest);
        }
        hash
    }
}

impl<'a> Sight<'a> {
    #[inline(always)]
    fn view(self, place: &Place) -> View<'a> {
        let seen = if place.side == Side::Left { self.left } else { self.right };
        seen.view(self.state, place)
    }
}

/// What tests need beside what they see.
pub(super) struct Tester<'a> {
    pub codes: &'a Codes,
    pub machine: &'a mut Machine,
    pub budget: &'a mut u64,
}

impl Tester<'_> {
    /// Whether all tests hold.
    #[inline]
    pub(super) fn all(&mut self, sight: Sight, tests: &[Test]) -> Result<bool, Fault> {
        for test in tests {
            if !self.one(sight, test)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn one(&mut self, sight: Sight, test: &Test) -> Result<bool, Fault> {
        *self.budget = self.budget.saturating_sub(1);
        Ok(match test {
            Test::Is { place, value, negated } => {
                sight.view(place).is(View::One(value)) != *negated
            }
            Test::Same { left, right, negated } => {
                let left = sight.view(left);
                left.take(self.budget);
                left.is(sight.view(right)) != *negated
            }
            Test::Length { slot, exact, count } => {
                let Seen::Fact(fact, _) = sight.right else { return Ok(false) };
                let fields = sight.state.facts.get(fact).fields[*slot as usize].fields();
                if *exact {
                    fields.len() == *count as usize
                } else {
                    fields.len() >= *count as usize
                }
            }
            Test::Any(lists) => {
                for list in lists {
                    if self.all(sight, list)? {
                        return Ok(true);
                    }
                }
                false
            }
            Test::Expr(test) => self.expr(sight, test)?,
        })
    }

    fn expr(&mut self, sight: Sight, test: &ExprTest) -> Result<bool, Fault> {
        if let Some(compare) = &test.compare
            && let Some(holds) = compared(sight, compare, self.budget)
        {
            return Ok(holds != test.negated);
        }
        let places = self.machine.begin(&test.code);
        for (place, load) in places.iter_mut().zip(&test.loads) {
            let view = sight.view(load);
            view.take(self.budget);
            *place = Some(view.to_field());
        }
        let done =
            self.machine.run(self.codes, &test.code, self.budget, &mut Onlooker(sight.state))?;
        let holds = match test.equals {
            Some(place) => sight.view(&place).to_field() == done.value,
            None => done.value.holds(),
        };
        Ok(holds != test.negated)
    }
}

/// A comparison without the machine; it decides nothing that would be a fault.
#[inline]
fn compared(sight: Sight, compare: &Compare, budget: &mut u64) -> Option<bool> {
    fn view<'a>(sight: Sight<'a>, operand: &'a Operand) -> View<'a> {
        match operand {
            Operand::Constant(field) => View::One(field),
            Operand::Value(place) => sight.view(place),
        }
    }
    let (left, right) = (view(sight, &compare.left), view(sight, &compare.right));
    left.take(budget);
    match compare.how {
        How::Same => return Some(left.is(right)),
        How::Different => return Some(!left.is(right)),
        _ => {}
    }
    let (View::One(left), View::One(right)) = (left, right) else { return None };
    let is_number = |field: &Field| matches!(field, Field::Int(_) | Field::Float(_));
    if !is_number(left) || !is_number(right) {
        return None;
    }
    // A comparison with a float that is no number holds never, but for being unequal.
    let Some(order) = functions::order(left, right) else {
        return Some(compare.how == How::Unequal);
    };
    Some(match compare.how {
        How::Equal => order.is_eq(),
        How::Unequal => order.is_ne(),
        How::Less => order.is_lt(),
        How::LessOrEqual => order.is_le(),
        How::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// The world as conditions see it: they cannot change it.
pub(crate) struct Onlooker<'a>(&'a State);

impl<'a> Onlooker<'a> {
    pub(super) fn new(state: &'a State) -> Onlooker<'a> {
        Onlooker(state)
    }
}

impl World for Onlooker<'_> {
    fn fact(&self, fact: FactId) -> Option<FactView<'_>> {
        let found = self.0.live(fact)?;
        Some(FactView { template: found.template, fields: &found.fields, index: found.index })
    }

    fn at_index(&self, index: u64) -> Option<FactId> {
        self.0.at_index(index)
    }

    fn global(&self, global: GlobalId) -> &Field {
        &self.0.globals[global.0 as usize]
    }
}

impl State {
    /// The facts of a match, in the order of the conditions; none where no fact is meant.
    pub(super) fn match_facts(&self, token: u32, length: u32) -> Vec<Option<FactId>> {
        let mut facts = Vec::new();
        let mut at = token;
        for step in 0..length {
            let Token { fact, left_parent, .. } = *self.tokens.get(at);
            let is_there = fact != NONE && self.facts.get(fact).live;
            facts.push(is_there.then(|| self.fact_id(fact)));
            if step + 1 < length {
                at = left_parent;
            }
        }
        facts.reverse();
        facts
    }
}
