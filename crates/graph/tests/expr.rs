//! What holds for every condition: printed and read again it is the same, every text is read or
//! refused, and every state has an answer.

use graph::{Cmp, Expr, Path, Term, Test};
use proptest::prelude::*;
use proptest::sample::select;
use value::{Map, Text, Value};

/// Among them all words that mean something.
const NAMES: [&str; 16] = [
    "a", "b", "größe", "_x1", "in", "is", "not", "AND", "or", "contains", "true", "None", "null",
    "always", "len", "length",
];

fn cases() -> ProptestConfig {
    let slow = std::env::var_os("QUIPU_SLOW").is_some();
    ProptestConfig { cases: if slow { 5000 } else { 256 }, ..ProptestConfig::default() }
}

fn path() -> impl Strategy<Value = Path> {
    let parts = prop::collection::vec(select(&NAMES[..]), 1..4);
    parts.prop_filter_map("it is a length", |parts| Path::parse(&parts.join(".")))
}

fn scalar() -> impl Strategy<Value = Value> {
    let text = prop_oneof![select(&NAMES[..]).prop_map(str::to_string), "[ -~é\n]{0,12}"];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3..4i64).prop_map(Value::Int),
        any::<i64>().prop_map(Value::Int),
        any::<f64>()
            .prop_filter_map("finite", |float| float.is_finite().then_some(Value::Float(float))),
        (0..40i32).prop_map(|power| Value::Float(10f64.powi(power))),
        text.prop_map(Value::from),
    ]
}

fn list() -> impl Strategy<Value = Value> {
    prop::collection::vec(scalar(), 0..4).prop_map(Value::list)
}

fn term() -> impl Strategy<Value = Term> {
    prop_oneof![
        path().prop_map(Term::Name),
        path().prop_map(Term::Length),
        scalar().prop_map(Term::Lit),
    ]
}

fn truthy(term: Term) -> Expr {
    match term {
        Term::Lit(Value::Bool(holds)) => Expr::Const(holds),
        term => Expr::Truthy(term),
    }
}

fn expr() -> impl Strategy<Value = Expr> {
    let tests = select(vec![Test::Empty, Test::True, Test::False, Test::Null]);
    let with_list = select(vec![Cmp::Eq, Cmp::Ne, Cmp::In, Cmp::NotIn]);
    let leaf = prop_oneof![
        term().prop_map(truthy),
        term().prop_map(Expr::Exists),
        (term(), select(Cmp::ALL.to_vec()), term())
            .prop_map(|(left, cmp, right)| Expr::Compare(left, cmp, right)),
        (term(), with_list, list()).prop_map(|(left, cmp, right)| Expr::Compare(
            left,
            cmp,
            Term::Lit(right)
        )),
        (term(), tests, any::<bool>()).prop_map(|(term, test, not)| Expr::Is(term, test, not)),
    ];
    leaf.prop_recursive(6, 24, 4, |inner| {
        let items = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
            items.clone().prop_map(Expr::all),
            items.prop_map(Expr::any),
        ]
    })
}

fn state() -> impl Strategy<Value = Map> {
    let value = prop_oneof![scalar(), list()].prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((select(&NAMES[..]), inner), 0..3);
        members.prop_map(Value::map)
    });
    let members = prop::collection::vec((select(&NAMES[..]), value), 0..8);
    members.prop_map(|members| {
        members.into_iter().map(|(name, value)| (Text::from(name), value)).collect()
    })
}

/// Pieces of conditions in any order: much of it is nearly one.
fn near_text() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b.c",
        "xs.length",
        "len(",
        "(",
        ")",
        "[",
        "]",
        ",",
        "=",
        "==",
        "!=",
        "<",
        ">=",
        "in",
        "not",
        "contains",
        "is",
        "empty",
        "and",
        "or",
        "&&",
        "||",
        "!",
        "?",
        "$",
        "$a",
        "7",
        "-1",
        "007",
        "1e15",
        "\"",
        "'",
        "\"t\"",
        "True",
        "none",
        "always",
        "in-progress",
        "é",
        "&",
        "-",
    ];
    let piece = (select(pieces.to_vec()), select(vec!["", " ", " ", "\u{a0}"]));
    let pieces = prop::collection::vec(piece, 0..10);
    pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect())
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn printed_and_read_again_it_is_the_same(expr in expr()) {
        let printed = expr.to_string();
        let again = Expr::parse(&printed);
        prop_assert_eq!(again.as_ref(), Ok(&expr), "{}", printed);
        prop_assert_eq!(again.unwrap().to_string(), printed);
    }

    #[test]
    fn every_text_is_read_or_refused(text in prop_oneof![near_text(), any::<String>()]) {
        match Expr::parse(&text) {
            Ok(expr) => {
                prop_assert_eq!(Expr::parse(&expr.to_string()), Ok(expr));
            }
            Err(bad) => {
                prop_assert!(text.get(bad.at.clone()).is_some(), "{:?}", bad);
                prop_assert!(!bad.message.is_empty());
            }
        }
    }

    #[test]
    fn every_state_has_an_answer(expr in expr(), state in state()) {
        let holds = expr.eval(&state);
        prop_assert_eq!(expr.clone().negated().eval(&state), !holds);
        let not = Expr::Not(Box::new(expr.clone()));
        prop_assert!(Expr::any([expr.clone(), not.clone()]).eval(&state));
        prop_assert!(!Expr::all([expr.clone(), not]).eval(&state));
        // What it does not name cannot matter.
        let named: Map = expr
            .names()
            .into_iter()
            .filter_map(|name| Some((name.clone(), state.get(name)?.clone())))
            .collect();
        prop_assert_eq!(expr.eval(&named), holds);
    }

    #[test]
    fn exactly_one_order_holds_where_there_is_one(left in scalar(), right in scalar()) {
        let holds = |cmp: Cmp| cmp.holds(&left, &right);
        let orders = [Cmp::Lt, Cmp::Gt].map(holds);
        prop_assert!(orders != [true, true]);
        if holds(Cmp::Le) || holds(Cmp::Ge) {
            prop_assert_eq!(holds(Cmp::Le), !orders[1]);
            prop_assert_eq!(holds(Cmp::Ge), !orders[0]);
        } else {
            prop_assert_eq!(orders, [false, false]);
        }
    }
}
