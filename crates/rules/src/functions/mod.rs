//! The table of functions: what each is called, what it takes, and how it is computed.
//!
//! What acts on facts or decides what happens next (`assert`, `if`, `bind`) is no function but a
//! form of its own, see [`crate::program::ExprKind`].

use value::Text;

use crate::field::{FactId, Field};
use crate::program::Kinds;

mod arguments;
mod compare;
mod convert;
mod curves;
mod facts;
pub(crate) mod format;
mod kinds;
mod lists;
mod numbers;
#[cfg(test)]
mod reference;
pub(crate) mod regex;
mod table;
mod texts;

pub(crate) use arguments::{LIST_MAX, Outcome, described, flat};
pub(crate) use compare::order;
pub(crate) use table::TABLE;

/// A function.
pub(crate) struct FunctionDef {
    /// What programs call it.
    pub name: &'static str,
    /// The fewest arguments it takes.
    pub least: u16,
    /// The most, where there is an end.
    pub most: Option<u16>,
    /// What each argument may be; the last says it for all that follow.
    pub takes: &'static [Kinds],
    /// What its value may be.
    pub gives: Kinds,
    /// How many steps a call counts for.
    pub cost: Cost,
    /// One line for the reference.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the test that makes the reference reads it")
    )]
    pub about: &'static str,
    /// How it is computed.
    pub run: Run,
}

/// How a function is computed. An error says what is wrong, without naming the function. There
/// are never fewer or more arguments than the function takes.
pub(crate) enum Run {
    /// From its arguments.
    Pure(fn(&[Field]) -> Outcome),
    /// From its arguments, and from what facts are there.
    Facts(fn(&dyn Facts, &[Field]) -> Outcome),
    /// `sort`, which calls another function: the code that does it is made when a program is
    /// compiled.
    Sorting,
}

/// How many steps a call counts for: as many as it looks at things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// One.
    One,
    /// As many as the lists and texts it is given are long.
    Sum,
    /// As many as comparing each field of the lists with each other one takes.
    Product,
    /// As many as it takes to write numbers as texts, digit by digit, and to look at the rest.
    Digits,
}

/// The facts that functions can ask for.
pub(crate) trait Facts {
    /// The template of a fact, while the fact is there.
    fn template_of(&self, fact: FactId) -> Option<&Shape>;
    /// What its slots hold, in the template's order.
    fn fields_of(&self, fact: FactId) -> Option<&[Field]>;
    /// Its index.
    fn index_of(&self, fact: FactId) -> Option<u64>;
    /// The fact with this index.
    fn at_index(&self, index: u64) -> Option<FactId>;
}

/// What functions and actions know of a template when they run.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Its name.
    pub name: Text,
    /// Whether its facts are ordered.
    pub ordered: bool,
    /// The names of its slots.
    pub slots: Vec<Text>,
    /// For each slot, whether it holds a list.
    pub many: Vec<bool>,
}

/// The position of a function in the table.
pub(crate) fn find(name: &str) -> Option<u16> {
    let at = TABLE.binary_search_by(|function| function.name.cmp(name)).ok()?;
    u16::try_from(at).ok()
}

impl Cost {
    /// How many steps a call with these arguments counts for, beside the one of the call.
    pub(crate) fn of(self, args: &[Field]) -> u64 {
        match self {
            Cost::One => 0,
            Cost::Sum | Cost::Digits => args.iter().map(length_of).sum(),
            Cost::Product => {
                let all: u64 = args.iter().map(length_of).sum();
                let fields = |arg: &Field| arg.fields().len() as u64;
                let most = args.iter().map(fields).max().unwrap_or_default();
                all.saturating_add(most.saturating_mul(all.saturating_sub(most)))
            }
        }
    }

    /// How many steps what was made of these arguments counts for.
    pub(crate) fn of_made(self, args: &[Field], made: &Field) -> u64 {
        /// A digit that is far behind the point takes a sum of long numbers.
        const DIGIT: u64 = 4;
        let letters = |field: &Field| field.lexeme().map_or(0, |text| text.len() as u64);
        match self {
            Cost::One => 0,
            Cost::Sum | Cost::Product => length_of(made),
            Cost::Digits => {
                let copied: u64 = args.iter().map(letters).sum();
                length_of(made) + DIGIT * letters(made).saturating_sub(copied)
            }
        }
    }
}

/// How many steps it takes to look at a value.
#[inline]
pub(crate) fn length_of(field: &Field) -> u64 {
    match field {
        Field::Many(fields) => fields.len() as u64,
        Field::Text(name) | Field::Symbol(name) => steps_of(name.as_str().len()),
        _ => 0,
    }
}

/// How many steps it takes to look at a text: as many as at a list that takes as much memory.
#[inline]
pub(crate) fn steps_of(bytes: usize) -> u64 {
    bytes as u64 / 16
}

/// One list of all values.
pub(crate) fn list_of(values: &[Field]) -> Outcome {
    lists::create(values)
}

/// Says that something cannot be counted to.
pub(crate) fn no_count(bound: Option<&Field>) -> String {
    format!("`loop-for-count` counts integers, not {}", bound.map(described).unwrap_or_default())
}

/// Says that there is no list to go through.
pub(crate) fn no_list(list: Option<&Field>) -> String {
    format!("a list is needed here, not {}", list.map(described).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::arguments::{LIST_MAX, TEXT_MAX};
    use super::{Facts, Run, Shape, TABLE, find};
    use crate::field::{FactId, Field};

    /// No facts at all.
    struct Nothing;

    impl Facts for Nothing {
        fn template_of(&self, _: FactId) -> Option<&Shape> {
            None
        }

        fn fields_of(&self, _: FactId) -> Option<&[Field]> {
            None
        }

        fn index_of(&self, _: FactId) -> Option<u64> {
            None
        }

        fn at_index(&self, _: u64) -> Option<FactId> {
            None
        }
    }

    fn single() -> impl Strategy<Value = Field> {
        prop_oneof![
            any::<i64>().prop_map(Field::Int),
            (-3..4i64).prop_map(Field::Int),
            any::<f64>().prop_map(Field::Float),
            prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(f64::NAN), Just(f64::INFINITY)]
                .prop_map(Field::Float),
            "[a-bA-B\"\\\\ ;&|~<?$*()é日.e0-9+-]{0,8}".prop_map(|text| Field::text(&text)),
            "[a-cé]{1,3}".prop_map(|text| Field::symbol(&text)),
            any::<bool>().prop_map(Field::Bool),
            Just(Field::Fact(FactId { place: 0, stamp: 0 })),
        ]
    }

    fn field() -> impl Strategy<Value = Field> {
        prop_oneof![single(), proptest::collection::vec(single(), 0..6).prop_map(Field::many),]
    }

    proptest! {
        #[test]
        fn no_arguments_make_a_function_panic(args in proptest::collection::vec(field(), 0..6)) {
            for function in TABLE {
                let most = function.most.map_or(args.len(), usize::from).min(args.len());
                for count in usize::from(function.least)..=most {
                    let outcome = match &function.run {
                        Run::Pure(run) => run(&args[..count]),
                        Run::Facts(run) => run(&Nothing, &args[..count]),
                        Run::Sorting => continue,
                    };
                    match outcome {
                        Ok(Field::Many(fields)) => {
                            prop_assert!(fields.len() <= LIST_MAX);
                            prop_assert!(!fields.iter().any(|field| matches!(field, Field::Many(_))));
                        }
                        Ok(Field::Text(name)) => prop_assert!(name.as_str().len() <= TEXT_MAX),
                        Ok(_) => {}
                        Err(why) => prop_assert!(!why.is_empty() && !why.ends_with('.')),
                    }
                }
            }
        }
    }

    #[test]
    fn the_table_is_sorted() {
        for pair in TABLE.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
        for (at, function) in TABLE.iter().enumerate() {
            assert_eq!(find(function.name).map(usize::from), Some(at));
        }
        assert_eq!(find("eval"), None);
    }

    #[test]
    fn counts_and_kinds_fit_together() {
        for function in TABLE {
            let most = function.most.unwrap_or(u16::MAX);
            assert!(function.least <= most, "{}", function.name);
            assert!(function.takes.len() <= usize::from(most), "{}", function.name);
            assert_eq!(function.takes.is_empty(), most == 0, "{}", function.name);
        }
    }
}
