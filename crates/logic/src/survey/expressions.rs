//! Expressions that the interpreter does not run.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    CmpOp, Comprehension, Expr, ExprAttribute, ExprCall, ExprContext, Number, Operator,
};

use super::Walk;
use crate::interpreter as lack;

impl<'a> Walk<'a> {
    pub(super) fn expression(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                return match name.ctx {
                    ExprContext::Store => self.names.define(&name.id),
                    _ => self.names.use_name(&name.id, name.range, false),
                };
            }
            Expr::Call(call) => return self.call(call),
            Expr::Attribute(attribute) => {
                self.attribute(attribute, false);
                return self.visit_expr(&attribute.value);
            }
            Expr::BoolOp(operation) => {
                // Each further operand is nested in the ones before when it runs.
                return self.deeper(operation.values.len().saturating_sub(2), expression, |walk| {
                    visitor::walk_expr(walk, expression);
                });
            }
            Expr::Lambda(_) => {
                self.functions += 1;
                visitor::walk_expr(self, expression);
                self.functions -= 1;
                return;
            }
            Expr::BinOp(operation) => match (operation.op, &*operation.left) {
                (
                    Operator::Mod,
                    Expr::StringLiteral(_) | Expr::FString(_) | Expr::BytesLiteral(_),
                ) => {
                    self.lacks(operation, &lack::PERCENT);
                }
                (Operator::BitOr, left)
                    if left.is_dict_expr() || operation.right.is_dict_expr() =>
                {
                    self.lacks(operation, &lack::DICT_UNION);
                }
                (Operator::MatMult, _) => self.lacks(operation, &lack::MATRIX),
                _ => {}
            },
            Expr::Compare(comparison) => {
                let is_order =
                    |op: &CmpOp| matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE);
                let has_set = comparison.left.is_set_expr()
                    || comparison.comparators.iter().any(Expr::is_set_expr);
                if has_set && comparison.ops.iter().all(is_order) {
                    self.lacks(comparison, &lack::SET_ORDER);
                }
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => self.lacks(expression, &lack::YIELD),
            Expr::Await(wait) if !self.is_async => {
                self.not_python(wait, "`await` stands outside an `async` function", "leave it out");
            }
            Expr::TString(_) => self.lacks(expression, &lack::T_STRING),
            Expr::NumberLiteral(number) if matches!(number.value, Number::Complex { .. }) => {
                self.lacks(number, &lack::COMPLEX);
            }
            Expr::ListComp(list) => self.generators(&list.generators),
            Expr::SetComp(set) => self.generators(&set.generators),
            Expr::DictComp(dict) => self.generators(&dict.generators),
            Expr::Generator(generator) => self.generators(&generator.generators),
            _ => {}
        }
        visitor::walk_expr(self, expression);
    }

    fn generators(&mut self, generators: &'a [Comprehension]) {
        for generator in generators {
            if generator.is_async {
                self.lacks(generator, &lack::ASYNC_COMPREHENSION);
            }
            self.unpacked(&generator.target);
        }
    }

    fn call(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments;
        if arguments.args.len().max(arguments.keywords.len()) > lack::ARGUMENTS_MAX {
            self.lacks(call, &lack::ARGUMENTS);
        }
        match &*call.func {
            Expr::Name(name) => {
                self.names.use_name(&name.id, name.range, true);
                self.called_by_name(&name.id, call);
            }
            Expr::Attribute(attribute) => {
                self.attribute(attribute, true);
                let module =
                    attribute.value.as_name_expr().and_then(|name| self.names.module(&name.id));
                self.called_of_module(module.unwrap_or_default(), &attribute.attr, call);
                self.deeper(1, attribute, |walk| walk.visit_expr(&attribute.value));
            }
            other => self.visit_expr(other),
        }
        self.visit_arguments(arguments);
    }

    fn called_by_name(&mut self, name: &str, call: &'a ExprCall) {
        let arguments = &call.arguments;
        match (name, &*arguments.args) {
            ("next", [Expr::Generator(generator), ..]) => {
                self.lacks(generator, &lack::NEXT_OF_GENERATOR)
            }
            ("print", _) => {
                if let Some(file) = arguments.find_keyword("file") {
                    self.lacks(file, &lack::PRINT_FILE);
                }
            }
            (_, args) => {
                let is_exception = (name.ends_with("Error") || name.ends_with("Exception"))
                    && lack::is_builtin(name)
                    && !self.names.is_defined(name);
                let is_plain = match args {
                    [] => true,
                    [only] => {
                        !only.is_number_literal_expr()
                            && !only.is_dict_expr()
                            && !only.is_list_expr()
                    }
                    _ => false,
                };
                if is_exception && !is_plain {
                    self.lacks(call, &lack::EXCEPTION_ARGUMENTS);
                }
            }
        }
    }

    fn called_of_module(&mut self, module: &str, name: &str, call: &'a ExprCall) {
        match (module, name, &*call.arguments.args) {
            ("json", "dumps", _) => {
                if let Some(default) = call.arguments.find_keyword("default") {
                    self.lacks(default, &lack::DUMPS_DEFAULT);
                }
            }
            ("re", "sub", [_, function @ Expr::Lambda(_), ..]) => {
                self.lacks(function, &lack::SUB_FUNCTION)
            }
            _ => {}
        }
    }

    fn attribute(&mut self, attribute: &'a ExprAttribute, called: bool) {
        let name = attribute.attr.as_str();
        if let Expr::Name(owner) = &*attribute.value {
            if let Some(module) = self.names.module(&owner.id) {
                // A missing module has been reported as such.
                let has = lack::module(module).unwrap_or(&[]);
                if !has.is_empty() && has.binary_search(&name).is_err() {
                    self.not_in_module(&attribute.attr, module, name);
                }
                return;
            }
            let of_type =
                lack::TYPES.contains(&owner.id.as_str()) && !self.names.is_defined(&owner.id);
            if of_type && name != "fromkeys" && !name.starts_with("__") {
                return self.lacks(attribute, &lack::METHOD_OF_TYPE);
            }
        }
        if self.names.is_defined(name) {
            // A method of a class of the block, most likely.
            return;
        }
        if let Some(help) =
            lack::instead_of_attribute(name).filter(|_| called || name.starts_with("__"))
        {
            let message = format!("`.{name}` is not there");
            self.unsupported(self.offsets.of(&attribute.attr), message, Some(help.into()));
        } else if !called && attribute.ctx == ExprContext::Load && lack::METHODS.contains(&name) {
            self.lacks(attribute, &lack::METHOD_VALUE);
        }
    }
}
