//! What conditions say about names being there at all.

use graph::{Cmp, Expr, Path, Term, Test};
use value::{Text, Value};

/// Whether a condition is there to ask if a name is there: `x?`, `x is empty`, `x != null`.
fn asked(expr: &Expr) -> Option<&Term> {
    match expr {
        Expr::Exists(term) | Expr::Is(term, Test::Null | Test::Empty, _) => Some(term),
        Expr::Compare(term, Cmp::Eq | Cmp::Ne, Term::Lit(Value::Null)) => Some(term),
        _ => None,
    }
}

/// The names that a condition compares or takes for true. Not those that it asks to be there:
/// whoever does so knows that they may be missing.
pub(crate) fn each_use<'g>(expr: &'g Expr, add: &mut impl FnMut(&'g Text)) {
    let mut known: Vec<&Text> = Vec::new();
    each_test(expr, &mut |test| known.extend(asked(test).and_then(Term::path).map(Path::root)));
    each_test(expr, &mut |test| {
        let (left, right) = match test {
            _ if asked(test).is_some() => (None, None),
            Expr::Truthy(term) | Expr::Is(term, ..) => (term.path(), None),
            Expr::Compare(left, _, right) => (left.path(), right.path()),
            _ => (None, None),
        };
        let used = left.into_iter().chain(right).map(Path::root);
        used.filter(|name| !known.contains(name)).for_each(&mut *add);
    });
}

fn each_test<'g>(expr: &'g Expr, add: &mut impl FnMut(&'g Expr)) {
    match expr {
        Expr::Not(inner) => each_test(inner, add),
        Expr::And(items) | Expr::Or(items) => items.iter().for_each(|item| each_test(item, add)),
        test => add(test),
    }
}

/// Whether a name must be there where a condition holds, and where it does not.
pub(crate) fn shows(expr: &Expr, name: &str) -> (bool, bool) {
    let is_it = |term: &Term| term.path().is_some_and(|path| &**path.root() == name);
    match expr {
        Expr::Exists(term) | Expr::Truthy(term) => (is_it(term), false),
        Expr::Is(term, test, negated) => {
            let holds = match test {
                Test::True => !negated,
                Test::Null | Test::Empty | Test::False => *negated,
            };
            (is_it(term) && holds, is_it(term) && !holds)
        }
        // What is missing has the length 0.
        Expr::Compare(term @ Term::Name(_), cmp @ (Cmp::Eq | Cmp::Ne), Term::Lit(constant)) => {
            let holds = (*cmp == Cmp::Eq) != (*constant == Value::Null);
            (is_it(term) && holds, is_it(term) && !holds)
        }
        Expr::Const(_) | Expr::Compare(..) => (false, false),
        Expr::Not(inner) => {
            let (holds, fails) = shows(inner, name);
            (fails, holds)
        }
        Expr::And(items) => items.iter().fold((false, true), |(holds, fails), item| {
            let of = shows(item, name);
            (holds || of.0, fails && of.1)
        }),
        Expr::Or(items) => items.iter().fold((true, false), |(holds, fails), item| {
            let of = shows(item, name);
            (holds && of.0, fails || of.1)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used_in(text: &str) -> Vec<String> {
        let expr = Expr::parse(text).unwrap();
        let mut names = Vec::new();
        each_use(&expr, &mut |name| names.push(name.to_string()));
        names
    }

    #[test]
    fn asking_for_a_name_does_not_use_it() {
        for text in ["x?", "not x?", "x is empty", "x is not null", "x != null", "x? and x > 3"] {
            assert_eq!(used_in(text), [""; 0], "{text}");
        }
        assert_eq!(used_in("x"), ["x"]);
        assert_eq!(used_in("x? or y = 1 and $z < x"), ["y", "z"]);
    }

    #[test]
    fn a_condition_shows_what_must_be_there() {
        for (text, expected) in [
            ("x", (true, false)),
            ("x?", (true, false)),
            ("not x?", (false, true)),
            ("x is empty", (false, true)),
            ("x is not null", (true, false)),
            ("x is false", (false, true)),
            ("x = 3", (true, false)),
            ("x != 3", (false, true)),
            ("x = null", (false, true)),
            ("x.length = 0", (false, false)),
            ("x < 3", (false, false)),
            ("y?", (false, false)),
            ("x? and y", (true, false)),
            ("x is null or y", (false, true)),
            ("x is null or x = 3", (false, true)),
            ("x? or y", (false, false)),
        ] {
            assert_eq!(shows(&Expr::parse(text).unwrap(), "x"), expected, "{text}");
        }
    }
}
