//! What is asked of a match: by a node of the pattern network, or by a join.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::sync::Arc;

use diagnostics::Span;
use value::Digest;

use super::place::Place;
use crate::code::Code;
use crate::field::{Field, mix};
use crate::functions;
use crate::program::{Expr, ExprKind, VariableId};

/// A test. Two rules share a node if it asks the same, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// The value there is, or is not, this one.
    Is { place: Place, value: Field, negated: bool },
    /// Two values are, or are not, the same.
    Same { left: Place, right: Place, negated: bool },
    /// A list has this many fields, or at least as many.
    Length { slot: u32, exact: bool, count: u32 },
    /// One of these lists holds.
    Any(Vec<Vec<Test>>),
    /// An expression says so.
    Expr(Arc<ExprTest>),
}

impl Test {
    /// A number to look it up by: equal tests have equal ones.
    pub(super) fn digest(&self) -> u64 {
        match self {
            Test::Is { value, .. } => mix(1, value.digest()),
            Test::Same { left, right, .. } => mix(left.digest(), right.digest()),
            Test::Length { count, .. } => mix(3, u64::from(*count)),
            Test::Any(lists) => {
                lists.iter().fold(4, |hash, list| mix(hash, Test::digest_all(list)))
            }
            Test::Expr(test) => mix(5, u64::from(test.number)),
        }
    }

    /// The same for several tests.
    pub(super) fn digest_all(tests: &[Test]) -> u64 {
        tests.iter().fold(tests.len() as u64, |hash, test| mix(hash, test.digest()))
    }
}

/// What an expression says of a match.
#[derive(Clone, Debug)]
pub(crate) struct ExprTest {
    /// Tests that say the same have the same number, whatever their variables are called.
    number: u32,
    /// Whether it is turned around.
    pub negated: bool,
    /// Where the value is that has to equal the expression's; none if the expression has to hold.
    pub equals: Option<Place>,
    /// The values of its variables, which are numbered anew.
    pub loads: Vec<Place>,
    /// A comparison of two values, for which the machine need not be started.
    pub compare: Option<Compare>,
    /// What the machine runs.
    pub code: Code,
}

impl PartialEq for ExprTest {
    fn eq(&self, other: &ExprTest) -> bool {
        self.number == other.number
    }
}

/// A comparison of two values.
#[derive(Clone, Debug)]
pub(crate) struct Compare {
    pub how: How,
    pub left: Operand,
    pub right: Operand,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Same,
    Different,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Constant(Field),
    Value(Place),
}

/// The tests of expressions that are known while the network grows.
#[derive(Default)]
pub(super) struct ExprTests {
    /// By what they say, the numbers of tests.
    numbers: BTreeMap<Digest, u32>,
    /// By number and place in the text: all ways of a rule share a test, but each rule has its
    /// own, whose faults are told where it stands.
    tests: BTreeMap<(u32, Span), Arc<ExprTest>>,
}

impl ExprTests {
    /// A test of an expression whose variables are at the places that `find` gives.
    pub(super) fn test<E>(
        &mut self,
        expr: &Expr,
        equals: Option<Place>,
        negated: bool,
        mut find: impl FnMut(VariableId, Span) -> Result<Place, E>,
        compile: impl FnOnce(&Expr, usize) -> Code,
    ) -> Result<Arc<ExprTest>, E> {
        // A loop's variable is another one than a pattern's of the same name. What is bound by `bind`
        // cannot be read in a condition, so that it is never what a pattern bound.
        let (mut own, mut binds, mut used) = (Vec::new(), Vec::new(), Vec::new());
        expr.visit(&mut |part| match &part.kind {
            ExprKind::Count { variable, .. } => own.extend(*variable),
            ExprKind::Each { variable, index, .. } => own.extend([*variable, *index]),
            ExprKind::Bind(variable, _) => binds.push(*variable),
            ExprKind::Variable(variable) => used.push((*variable, part.span)),
            _ => {}
        });
        let loops: BTreeSet<VariableId> = own.iter().copied().collect();
        used.retain(|(variable, _)| !loops.contains(variable));
        own.append(&mut binds);
        let mut given: BTreeMap<VariableId, usize> = BTreeMap::new();
        let mut loads = Vec::new();
        let mut failed = None;
        for (variable, span) in used {
            let number = given.len();
            if let Entry::Vacant(entry) = given.entry(variable) {
                entry.insert(number);
                match find(variable, span) {
                    Ok(place) => loads.push(place),
                    Err(error) => failed = Some(error),
                }
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        // What it is given comes first, then what it binds itself.
        let mut inner: BTreeMap<VariableId, usize> = BTreeMap::new();
        for (at, variable) in own.iter().enumerate() {
            inner.entry(*variable).or_insert(given.len() + at);
        }
        let inner = |variable| inner.get(&variable).copied().unwrap_or(given.len());
        let rename = |variable: &mut VariableId, at: usize| {
            *variable = VariableId(u32::try_from(at).expect("a rule has few variables"));
        };
        let mut expr = expr.clone();
        expr.visit_mut(&mut |part| match &mut part.kind {
            ExprKind::Variable(variable) => {
                let at = given.get(variable).copied().unwrap_or_else(|| inner(*variable));
                rename(variable, at);
            }
            ExprKind::Bind(variable, _) | ExprKind::Count { variable: Some(variable), .. } => {
                rename(variable, inner(*variable));
            }
            ExprKind::Each { variable, index, .. } => {
                rename(variable, inner(*variable));
                rename(index, inner(*index));
            }
            _ => {}
        });
        let says = format!("{negated} {equals:?} {loads:?} {:?}", without_spans(&expr));
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(Digest::of(says.as_bytes())).or_insert(next);
        let test = self.tests.entry((number, expr.span)).or_insert_with(|| {
            let compare = if equals.is_some() { None } else { comparison(&expr, &loads) };
            let code = compile(&expr, given.len() + own.len());
            Arc::new(ExprTest { number, negated, equals, loads, compare, code })
        });
        Ok(Arc::clone(test))
    }
}

fn comparison(expr: &Expr, loads: &[Place]) -> Option<Compare> {
    let ExprKind::Call(function, arguments) = &expr.kind else { return None };
    let how = match functions::TABLE[usize::from(*function)].name {
        "eq" => How::Same,
        "neq" => How::Different,
        "=" => How::Equal,
        "<>" => How::Unequal,
        "<" => How::Less,
        "<=" => How::LessOrEqual,
        ">" => How::Greater,
        ">=" => How::GreaterOrEqual,
        _ => return None,
    };
    let operand = |expr: &Expr| match &expr.kind {
        ExprKind::Constant(field) => Some(Operand::Constant(field.clone())),
        ExprKind::Variable(VariableId(at)) => Some(Operand::Value(loads[*at as usize])),
        _ => None,
    };
    let [left, right] = arguments.as_slice() else { return None };
    Some(Compare { how, left: operand(left)?, right: operand(right)? })
}

/// The expression without its places in the text.
fn without_spans(expr: &Expr) -> Expr {
    let mut bare = expr.clone();
    bare.visit_mut(&mut |part| part.span = Span::default());
    bare
}
