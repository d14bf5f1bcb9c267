//! Values that are known when a program is read: of constants, of globals, and of functions of
//! these.

use super::Reader;
use crate::field::Field;
use crate::functions::{self, Run};
use crate::program::{Expr, ExprKind};

impl Reader {
    /// The value of an expression; none where only a run can tell, an error where computing it
    /// fails.
    pub(super) fn fold(&self, expr: &Expr) -> Result<Option<Field>, String> {
        match &expr.kind {
            ExprKind::Constant(field) => Ok(Some(field.clone())),
            ExprKind::Global(global) => Ok(self.values.get(global.0 as usize).cloned().flatten()),
            ExprKind::Call(function, args) => {
                let Some(function) = functions::TABLE.get(usize::from(*function)) else {
                    return Ok(None);
                };
                let Run::Pure(run) = function.run else { return Ok(None) };
                let mut values = Vec::new();
                for arg in args {
                    match self.fold(arg)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                let fits = values.len() >= usize::from(function.least)
                    && function.most.is_none_or(|most| values.len() <= usize::from(most));
                if !fits {
                    return Ok(None);
                }
                match run(&values) {
                    Ok(value) => Ok(Some(value)),
                    Err(why) => Err(why),
                }
            }
            _ => Ok(None),
        }
    }
}
