//! What is asked of a match: by a node of the pattern network, or by a join.

use diagnostics::Span;

use super::place::Place;
use crate::code::Code;
use crate::field::Field;
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
    Expr(Box<ExprTest>),
}

/// What an expression says of a match.
#[derive(Clone, Debug)]
pub(crate) struct ExprTest {
    /// What it says, whatever its variables are called: equal keys, equal tests.
    key: String,
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
        self.key == other.key
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

impl ExprTest {
    /// A test of an expression whose variables are at the places that `find` gives.
    pub(crate) fn new<E>(
        expr: &Expr,
        equals: Option<Place>,
        negated: bool,
        mut find: impl FnMut(VariableId, Span) -> Result<Place, E>,
        compile: impl FnOnce(&Expr, usize) -> Code,
    ) -> Result<ExprTest, E> {
        let mut variables: Vec<VariableId> = Vec::new();
        let mut loads = Vec::new();
        let mut failed = None;
        let expr = renamed(expr, &mut |variable, span| {
            let at = variables.iter().position(|known| *known == variable);
            let at = at.unwrap_or_else(|| {
                match find(variable, span) {
                    Ok(place) => loads.push(place),
                    Err(error) => failed = Some(error),
                }
                variables.push(variable);
                variables.len() - 1
            });
            VariableId(u32::try_from(at).expect("a rule has few variables"))
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let key = format!("{negated} {equals:?} {loads:?} {:?}", without_spans(&expr));
        let compare = if equals.is_some() { None } else { comparison(&expr, &loads) };
        let code = compile(&expr, loads.len());
        Ok(ExprTest { key, negated, equals, loads, compare, code })
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

/// The expression with other variables.
fn renamed(expr: &Expr, rename: &mut impl FnMut(VariableId, Span) -> VariableId) -> Expr {
    let mut expr = expr.clone();
    expr.visit_mut(&mut |part| {
        if let ExprKind::Variable(variable) = &mut part.kind {
            *variable = rename(*variable, part.span);
        }
    });
    expr
}
