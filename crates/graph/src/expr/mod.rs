//! The expression language of conditions: one for every format.
//!
//! A text is read by [`Expr::parse`], printed in one canonical form by its `Display`, and holds
//! or does not in a state ([`Expr::eval`]). It calls nothing and changes nothing, every text of
//! at most [`LENGTH_MAX`] bytes is read or refused, and every condition has an answer in every
//! state.
//!
//! | written | holds where |
//! |---|---|
//! | `a or b`, <code>a \|\| b</code> | one of them holds; binds loosest |
//! | `a and b`, `a && b` | both hold |
//! | `not a`, `!a` | `a` does not; binds looser than a comparison |
//! | `x` | x is true as in Python: not missing, null, false, 0, or empty |
//! | `x?` | x is there: neither missing nor null |
//! | `x = y`, `x == y`, `x != y` | they are equal, or not; what is missing is null |
//! | `x < y`, `<=`, `>`, `>=` | numbers or texts are in this order; null counts as 0; else never |
//! | `x in y`, `x not in y` | list y has an item x, text y has the text x, object y has the key x |
//! | `y contains x` | `x in y` |
//! | `x is empty` | x is missing, null, or a text, list or object without content |
//! | `x is true`, `x is false` | x is true as above, or is not: one of the two always holds |
//! | `x is null`, `x is none` | x is missing or null |
//! | `x is not ...` | `x is ...` does not hold |
//! | `always`, `true`, `false` | always, always, never |
//!
//! What is compared:
//!
//! | written | means |
//! |---|---|
//! | `a`, `a.b.c`, `$a` | a variable, or a member of an object in it; missing where there is none |
//! | `x.length`, `len(x)` | items of a list or object, characters of a text, otherwise 0 |
//! | `7`, `-1`, `0.5` | a number; whole and other numbers compare as numbers |
//! | `007`, `1234567890123456` | a code, that is text: as a number it would lose what it names |
//! | `"text"`, `'text'` | text; a doubled quote inside stands for one |
//! | `true`, `false`, `null`, `none`, `True`, `False`, `None` | a boolean, null |
//! | `[a, "b", 3]` | a list, to the right of `in`, `=` and `!=`; bare words in it are text |
//!
//! To the right of `=`, `!=` and `contains` a bare word is text, whatever the state holds under
//! that name: `status = open`, `version = 1.2.3`, `step = in-progress`. `$name` is the variable.
//! To the right of `<`, `<=`, `>`, `>=` and `in` a name is a variable.
//!
//! `and`, `or`, `not`, `in`, `is` and `contains` may be in capitals. Several words in a row are
//! no condition: they are for people.

mod eval;
mod lex;
mod parse;
mod print;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use value::{Text, Value};

pub use eval::Names;
pub use functions::truthy;
pub use lex::{is_name, scalar};

/// No condition is longer, neither as written nor as printed.
const LENGTH_MAX: usize = 10_000;

/// No condition has more parentheses and `not` within each other.
const DEPTH_MAX: usize = 64;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// It holds always or never.
    Const(bool),
    /// It holds something true. A boolean constant is [`Expr::Const`] instead.
    Truthy(Term),
    /// It is there.
    Exists(Term),
    /// Both sides are in this relation.
    Compare(Term, Cmp, Term),
    /// It has this quality; with `true` in the last place, it has it not.
    Is(Term, Test, bool),
    /// It does not hold.
    Not(Box<Expr>),
    /// All of them hold. [`Expr::all`] keeps it flat.
    And(Vec<Expr>),
    /// One of them holds. [`Expr::any`] keeps it flat.
    Or(Vec<Expr>),
}

/// A part of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// What a variable or a member of it holds.
    Name(Path),
    /// The length of that.
    Length(Path),
    /// A constant: null, a boolean, a number, text, or a list of these.
    Lit(Value),
}

/// A variable, or a member of an object in it: `a.b.c`. Cloning copies a pointer.
///
/// INVARIANT: there is a first part; all are names; the last of several is not `length`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Arc<[Text]>);

/// How two terms are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cmp {
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `contains`
    Contains,
}

/// What `is` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// `is empty`
    Empty,
    /// `is true`
    True,
    /// `is false`
    False,
    /// `is null`, `is none`
    Null,
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadExpr {
    /// In lower case.
    pub message: String,
    /// Where, in bytes of the text given.
    pub at: Range<usize>,
}

impl fmt::Display for BadExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadExpr {}

impl Expr {
    /// Reads a condition.
    ///
    /// ```
    /// let state = value::json::parse(r#"{"type": "answer", "score": 8}"#).unwrap();
    /// let expr = graph::Expr::parse("type == answer && score >= 7").unwrap();
    /// assert_eq!(expr.to_string(), r#"type = "answer" and score >= 7"#);
    /// assert!(expr.eval(state.as_map().unwrap()));
    /// ```
    pub fn parse(text: &str) -> Result<Expr, BadExpr> {
        parse::parse(text)
    }

    /// All of them hold; with none, always.
    pub fn all(items: impl IntoIterator<Item = Expr>) -> Expr {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Expr::And(inner) => flat.extend(inner),
                item => flat.push(item),
            }
        }
        if flat.len() > 1 { Expr::And(flat) } else { flat.pop().unwrap_or(Expr::Const(true)) }
    }

    /// One of them holds; with none, never.
    pub fn any(items: impl IntoIterator<Item = Expr>) -> Expr {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Expr::Or(inner) => flat.extend(inner),
                item => flat.push(item),
            }
        }
        if flat.len() > 1 { Expr::Or(flat) } else { flat.pop().unwrap_or(Expr::Const(false)) }
    }

    /// What holds exactly where this does not.
    pub fn negated(self) -> Expr {
        match self {
            Expr::Const(holds) => Expr::Const(!holds),
            Expr::Is(term, test, negated) => Expr::Is(term, test, !negated),
            Expr::Not(inner) => *inner,
            // Between values that have no order, `<` and `>=` both do not hold.
            Expr::Compare(left, cmp, right) => match cmp.negated().filter(|_| !cmp.is_order()) {
                Some(opposite) => Expr::Compare(left, opposite, right),
                None => Expr::Not(Box::new(Expr::Compare(left, cmp, right))),
            },
            other @ (Expr::Truthy(_) | Expr::Exists(_) | Expr::And(_) | Expr::Or(_)) => {
                Expr::Not(Box::new(other))
            }
        }
    }

    /// The same with text instead of the variable on the right: what it says without `$`.
    pub(crate) fn with_bare_words(&self) -> Expr {
        match self {
            Expr::Compare(left, cmp, Term::Name(path)) if cmp.takes_text() => {
                let word = path.to_string();
                Expr::Compare(left.clone(), *cmp, Term::Lit(Value::text(word)))
            }
            other => other.clone(),
        }
    }

    /// The variables it reads, each once, in the order of the text. Of `a.b` it is `a`.
    pub fn names(&self) -> Vec<&Text> {
        let mut seen = BTreeSet::new();
        let roots = self.paths().into_iter().map(Path::root);
        roots.filter(|root| seen.insert(&***root)).collect()
    }

    /// The variables and members it reads, each time it does, in the order of the text.
    pub fn paths(&self) -> Vec<&Path> {
        let mut paths = Vec::new();
        self.add_paths(&mut paths);
        paths
    }

    fn add_paths<'a>(&'a self, paths: &mut Vec<&'a Path>) {
        match self {
            Expr::Const(_) => {}
            Expr::Truthy(term) | Expr::Exists(term) | Expr::Is(term, ..) => {
                paths.extend(term.path());
            }
            Expr::Compare(left, _, right) => {
                paths.extend(left.path().into_iter().chain(right.path()))
            }
            Expr::Not(inner) => inner.add_paths(paths),
            Expr::And(items) | Expr::Or(items) => {
                items.iter().for_each(|item| item.add_paths(paths));
            }
        }
    }
}

impl Term {
    /// What a dotted name stands for: `a.b`, or the length of a in `a.length`.
    pub fn named(text: &str) -> Option<Term> {
        match text.strip_suffix(".length") {
            Some(measured) => Path::parse(measured).map(Term::Length),
            None => Path::parse(text).map(Term::Name),
        }
    }

    /// The variable or member it reads.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Term::Name(path) | Term::Length(path) => Some(path),
            Term::Lit(_) => None,
        }
    }
}

impl Path {
    /// Reads `a.b.c`. Nothing else is a path, and neither is `a.length`: that is a length.
    pub fn parse(text: &str) -> Option<Path> {
        let parts: Vec<&str> = text.split('.').collect();
        let is_length = parts.len() > 1 && parts.last() == Some(&"length");
        let is_path = !is_length && parts.iter().all(|part| is_name(part));
        is_path.then(|| Path(parts.into_iter().map(Text::from).collect()))
    }

    /// The variable.
    pub fn root(&self) -> &Text {
        &self.0[0]
    }

    /// The variable and the names of the members.
    pub fn parts(&self) -> &[Text] {
        &self.0
    }
}

impl Cmp {
    /// All of them.
    pub const ALL: [Cmp; 9] =
        [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::In, Cmp::NotIn, Cmp::Contains];

    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Cmp::Eq => "=",
            Cmp::Ne => "!=",
            Cmp::Lt => "<",
            Cmp::Le => "<=",
            Cmp::Gt => ">",
            Cmp::Ge => ">=",
            Cmp::In => "in",
            Cmp::NotIn => "not in",
            Cmp::Contains => "contains",
        }
    }

    /// Reads it as it is printed, or `==`.
    pub fn from_word(word: &str) -> Option<Cmp> {
        let word = if word == "==" { "=" } else { word };
        Cmp::ALL.into_iter().find(|cmp| cmp.word() == word)
    }

    /// The comparison that holds where this one does not. For `<`, `<=`, `>` and `>=` that is so
    /// between values that have an order, and elsewhere neither holds. `contains` has none.
    pub fn negated(self) -> Option<Cmp> {
        Some(match self {
            Cmp::Eq => Cmp::Ne,
            Cmp::Ne => Cmp::Eq,
            Cmp::Lt => Cmp::Ge,
            Cmp::Le => Cmp::Gt,
            Cmp::Gt => Cmp::Le,
            Cmp::Ge => Cmp::Lt,
            Cmp::In => Cmp::NotIn,
            Cmp::NotIn => Cmp::In,
            Cmp::Contains => return None,
        })
    }

    /// Whether it asks for an order.
    pub fn is_order(self) -> bool {
        matches!(self, Cmp::Lt | Cmp::Le | Cmp::Gt | Cmp::Ge)
    }

    /// Whether bare words to the right of it are text.
    pub(crate) fn takes_text(self) -> bool {
        matches!(self, Cmp::Eq | Cmp::Ne | Cmp::Contains)
    }
}

impl Test {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Test::Empty => "empty",
            Test::True => "true",
            Test::False => "false",
            Test::Null => "null",
        }
    }
}
