//! Values that are known when a program is read: of constants, of globals, and of functions of
//! these.

use super::Reader;
use crate::field::Field;
use crate::functions::{self, Run};
use crate::program::{Expr, ExprKind};

/// How long a text or a list may be to be computed while reading: texts that double from global to
/// global are left to a run, which counts its steps.
const LENGTH_MAX: usize = 1_000;

impl Reader {
    /// The value of an expression, see [`folded`].
    pub(super) fn fold(&self, expr: &Expr) -> Result<Option<Field>, String> {
        folded(&self.values, expr)
    }
}

/// The value of an expression, given those of globals as far as they are known. None where only a
/// run can tell, an error where computing it fails.
pub(crate) fn folded(globals: &[Option<Field>], expr: &Expr) -> Result<Option<Field>, String> {
    match &expr.kind {
        ExprKind::Constant(field) => Ok(Some(field.clone())),
        ExprKind::Global(global) => Ok(globals.get(global.0 as usize).cloned().flatten()),
        ExprKind::Call(function, args) => {
            let Some(function) = functions::TABLE.get(usize::from(*function)) else {
                return Ok(None);
            };
            let Run::Pure(run) = function.run else { return Ok(None) };
            let mut values = Vec::new();
            for arg in args {
                match folded(globals, arg)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
            let fits = values.len() >= usize::from(function.least)
                && function.most.is_none_or(|most| values.len() <= usize::from(most));
            if !fits {
                return Ok(None);
            }
            run(&values).map(|value| Some(value).filter(is_short))
        }
        _ => Ok(None),
    }
}

fn is_short(value: &Field) -> bool {
    let letters = |field: &Field| field.lexeme().map_or(1, str::len);
    value.fields().iter().map(letters).sum::<usize>() <= LENGTH_MAX
}
