//! Which of two branches a gate takes when its condition holds, by what their texts say.

use graph::{Cmp, Expr, Term, Test};
use value::Value;

/// How sure the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// A text is the condition, its opposite, or compares the other way round.
    Said,
    /// From words.
    Guessed,
    /// Only from the order of the branches.
    Ordered,
}

/// The branch, 0 or 1, that is taken when the condition holds.
pub(super) fn sense(condition: &Expr, written: &str, texts: [&str; 2]) -> (usize, Sense) {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let exprs = texts.map(|text| Expr::parse(text).ok());
    let is_said = |branch: &usize| {
        let expr = exprs[*branch].as_ref();
        plain(texts[*branch]) == plain(written)
            || expr.is_some_and(|expr| means_the_same(expr, condition))
    };
    if let Some(branch) = [0, 1].into_iter().find(is_said) {
        return (branch, Sense::Said);
    }
    let is_opposite =
        |expr: &Option<Expr>| expr.as_ref().is_some_and(|expr| opposite(condition, expr));
    if let Some(branch) = exprs.iter().position(is_opposite) {
        return (1 - branch, Sense::Said);
    }
    if let Some(branch) = texts.iter().position(|text| is_rest(text)) {
        return (1 - branch, Sense::Said);
    }
    if let Some(turned) = comparison(condition).and_then(Cmp::negated).filter(|cmp| cmp.is_order())
    {
        let compares = texts.map(|text| signs(text).any(|sign| sign == turned.word()));
        if compares[0] != compares[1] {
            return (usize::from(compares[0]), Sense::Said);
        }
    }
    let scores = texts.map(|text| score(condition, text));
    let how = if scores[0] == scores[1] { Sense::Ordered } else { Sense::Guessed };
    (usize::from(scores[1] > scores[0]), how)
}

/// The comparison that a condition is, or begins with.
fn comparison(condition: &Expr) -> Option<Cmp> {
    match condition {
        Expr::Compare(_, cmp, _) => Some(*cmp),
        Expr::And(items) | Expr::Or(items) => items.first().and_then(comparison),
        _ => None,
    }
}

/// The order signs in a text.
fn signs(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| !matches!(letter, '<' | '>' | '='));
    parts.filter(|part| matches!(*part, "<" | "<=" | ">" | ">="))
}

const NEGATIVE: &[&str] = &[
    "no",
    "not",
    "none",
    "without",
    "empty",
    "zero",
    "denied",
    "deny",
    "rejected",
    "reject",
    "failed",
    "fail",
    "fails",
    "failure",
    "missing",
    "invalid",
    "false",
    "never",
    "nothing",
    "cannot",
    "low",
    "bad",
    "wrong",
    "incorrect",
    "disapproved",
    "unsolved",
    "incomplete",
    "insufficient",
    "unsafe",
];
const POSITIVE: &[&str] = &[
    "yes",
    "true",
    "pass",
    "passed",
    "passes",
    "approved",
    "approve",
    "accepted",
    "success",
    "succeeded",
    "high",
    "good",
    "correct",
    "valid",
    "has",
    "have",
    "found",
    "some",
    "any",
];
/// What is left while a count is below its limit.
const LESS: &[&str] = &["under", "below", "remaining", "remain", "left", "more", "within"];
/// What is said once a count has come to its limit.
const MORE: &[&str] = &[
    "reached",
    "exhausted",
    "exceeded",
    "over",
    "above",
    "at",
    "meets",
    "max",
    "full",
    "done",
    "all",
    "finished",
    "complete",
    "completed",
];

/// Whether a text speaks for the condition (1), against it (-1), or of something else (0).
fn score(condition: &Expr, text: &str) -> i32 {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
    let (yes, no) = if denies(condition) { (-1, 1) } else { (1, -1) };
    if has(NEGATIVE) || lower.contains("n't") {
        return no;
    }
    if let Some(named) = compared_word(condition)
        && words.contains(&&*named)
    {
        return yes;
    }
    let grows = match comparison(condition) {
        Some(Cmp::Lt | Cmp::Le) => false,
        Some(Cmp::Gt | Cmp::Ge) => true,
        _ => return if has(POSITIVE) { yes } else { 0 },
    };
    match (has(LESS), has(MORE)) {
        (true, false) => {
            if grows {
                -1
            } else {
                1
            }
        }
        (false, true) => {
            if grows {
                1
            } else {
                -1
            }
        }
        _ if has(POSITIVE) => yes,
        _ => 0,
    }
}

/// Whether a condition holds where something is not there.
fn denies(condition: &Expr) -> bool {
    match condition {
        Expr::Not(_) => true,
        Expr::Is(_, Test::Empty | Test::False | Test::Null, negated) => !negated,
        Expr::Is(_, Test::True, negated) => *negated,
        Expr::Compare(_, Cmp::Eq, Term::Lit(value)) => {
            matches!(value, Value::Bool(false) | Value::Null | Value::Int(0))
        }
        Expr::Compare(_, Cmp::Ne, Term::Lit(value)) => {
            matches!(value, Value::Bool(true) | Value::Text(_))
        }
        _ => false,
    }
}

/// The word that a condition compares with.
fn compared_word(condition: &Expr) -> Option<String> {
    match condition {
        Expr::Compare(_, Cmp::Eq | Cmp::Ne, Term::Lit(Value::Text(text))) => {
            Some(text.to_lowercase())
        }
        _ => None,
    }
}

/// Whether two conditions mean the same, however they are written.
pub(super) fn same(a: &Option<Expr>, b: &Option<Expr>) -> bool {
    a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| means_the_same(a, b))
}

fn means_the_same(a: &Expr, b: &Expr) -> bool {
    a == b || matches!((truth(a), truth(b)), (Some(a), Some(b)) if a == b)
}

/// Whether a text says "in any other case".
pub(super) fn is_rest(text: &str) -> bool {
    const RESTS: [&str; 6] =
        ["else", "otherwise", "default", "anything else", "any other", "none of the above"];
    RESTS.contains(&text.trim().to_lowercase().as_str())
}

/// A condition that only asks whether one thing is true: the thing, and which answer is meant.
fn truth(expr: &Expr) -> Option<(&Term, bool)> {
    match expr {
        Expr::Truthy(term) => Some((term, true)),
        Expr::Is(term, Test::True, negated) => Some((term, !negated)),
        Expr::Is(term, Test::False, negated) => Some((term, *negated)),
        Expr::Compare(term, Cmp::Eq, Term::Lit(Value::Bool(holds))) => Some((term, *holds)),
        Expr::Compare(term, Cmp::Ne, Term::Lit(Value::Bool(holds))) => Some((term, !holds)),
        Expr::Not(inner) => truth(inner).map(|(term, holds)| (term, !holds)),
        _ => None,
    }
}

/// Whether one condition holds where the other does not, for values that can be compared.
pub(super) fn opposite(a: &Expr, b: &Expr) -> bool {
    if let (Some((a, holds)), Some((b, other))) = (truth(a), truth(b)) {
        return a == b && holds != other;
    }
    match (a, b) {
        (Expr::Compare(a, cmp, b), Expr::Compare(c, other, d)) => {
            a == c && b == d && cmp.negated() == Some(*other)
        }
        (Expr::Is(a, test, negated), Expr::Is(b, other, turned)) => {
            a == b && test == other && negated != turned
        }
        (Expr::And(a), Expr::Or(b)) | (Expr::Or(a), Expr::And(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| opposite(a, b))
        }
        (Expr::Not(inner), other) | (other, Expr::Not(inner)) => **inner == *other,
        (Expr::Const(a), Expr::Const(b)) => a != b,
        _ => false,
    }
}

/// The opposite of a condition, as an author would write it.
pub(super) fn turned(condition: &str) -> String {
    match Expr::parse(condition) {
        Ok(Expr::Compare(left, cmp, right)) if cmp.negated().is_some() => {
            let cmp = cmp.negated().unwrap_or(cmp);
            Expr::Compare(left, cmp, right).to_string()
        }
        Ok(expr) => expr.negated().to_string(),
        Err(_) => format!("not ({condition})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_say_which_branch_is_meant() {
        for (condition, texts, holds, how) in [
            ("quality >= 7", ["quality >= 7", "else"], 0, Sense::Said),
            ("quality >= 7", ["rejected (quality < 7)", "approved (quality >= 7)"], 1, Sense::Said),
            ("a or b", ["not a and not b", "a or b"], 1, Sense::Said),
            ("flag == true", ["flag is false", "flag is true"], 1, Sense::Said),
            ("count >= limit", ["under the limit", "at the limit"], 1, Sense::Guessed),
            ("depth < max_depth", ["depth under limit", "depth limit reached"], 0, Sense::Guessed),
            ("depth < max_depth", ["depth limit reached", "depth under limit"], 1, Sense::Guessed),
            ("done_count < total", ["no more", "more to do"], 1, Sense::Guessed),
            ("results is not empty", ["no results", "has results"], 1, Sense::Guessed),
            ("results is empty", ["some results", "no results"], 1, Sense::Guessed),
            ("who == writer", ["is reviewer", "is writer"], 1, Sense::Guessed),
            ("approved", ["yes", "no"], 0, Sense::Guessed),
            ("approved", ["go on", "stop"], 0, Sense::Ordered),
            ("approved", ["false", "true"], 1, Sense::Guessed),
            ("status != done", ["not done", "done"], 0, Sense::Guessed),
            ("status != done", ["done", "still open"], 1, Sense::Guessed),
            ("score >= 7", ["fail", "pass"], 1, Sense::Guessed),
            ("score >= 7", ["low quality", "high quality"], 1, Sense::Guessed),
            ("errors is empty", ["has errors", "clean"], 1, Sense::Guessed),
            ("current < total", ["all done", "go on"], 1, Sense::Guessed),
            ("score >= 7", ["otherwise", "fine"], 1, Sense::Said),
            ("passed == true", ["passed", "again"], 0, Sense::Said),
        ] {
            let expr = Expr::parse(condition).unwrap();
            assert_eq!(sense(&expr, condition, texts), (holds, how), "{condition}: {texts:?}");
        }
    }

    #[test]
    fn opposites_are_seen_through_their_spelling() {
        for (a, b, is_opposite) in [
            ("x >= 7", "x < 7", true),
            ("x >= 7", "x <= 7", false),
            ("x == true", "x == false", true),
            ("x is true", "x == false", true),
            ("x is empty", "x is not empty", true),
            ("a == false and i < 3", "a == true or i >= 3", true),
            ("x == a", "x == b", false),
        ] {
            let (left, right) = (Expr::parse(a).unwrap(), Expr::parse(b).unwrap());
            assert_eq!(opposite(&left, &right), is_opposite, "{a} / {b}");
        }
        assert_eq!(turned("score >= 7"), "score < 7");
        assert_eq!(turned("results is not empty"), "results is empty");
    }
}
