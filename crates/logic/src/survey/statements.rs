//! Statements that the interpreter does not run, and those that are out of place.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    ExceptHandler, Expr, Operator, Stmt, StmtClassDef, StmtFunctionDef, StmtTry,
};
use ruff_text_size::{Ranged, TextRange};

use super::Walk;
use crate::interpreter as lack;

impl<'a> Walk<'a> {
    pub(super) fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => return self.function(function),
            Stmt::ClassDef(class) => return self.class(class),
            Stmt::Try(attempt) => return self.attempt(attempt),
            Stmt::If(branch) => {
                // Each `elif` is nested in the one before when it runs.
                return self.deeper(branch.elif_else_clauses.len(), statement, |walk| {
                    visitor::walk_stmt(walk, statement);
                });
            }
            Stmt::For(each) => {
                if each.is_async {
                    self.lacks(&TextRange::new(each.start(), each.iter.end()), &lack::ASYNC_FOR);
                }
                self.unpacked(&each.target);
                self.visit_expr(&each.iter);
                self.visit_expr(&each.target);
                self.looped(&each.body);
                return self.visit_body(&each.orelse);
            }
            Stmt::While(repeat) => {
                self.visit_expr(&repeat.test);
                self.looped(&repeat.body);
                return self.visit_body(&repeat.orelse);
            }
            Stmt::With(with) => {
                if with.is_async {
                    let end = with.items.last().map_or(with.end(), Ranged::end);
                    self.lacks(&TextRange::new(with.start(), end), &lack::ASYNC_WITH);
                }
                let targets = with.items.iter().filter_map(|item| item.optional_vars.as_deref());
                targets.for_each(|target| self.unpacked(target));
                return self.deeper(with.items.len().saturating_sub(1), statement, |walk| {
                    visitor::walk_stmt(walk, statement);
                });
            }
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.assigned(target)),
            Stmt::AugAssign(assign) => match (assign.op, &*assign.target) {
                (Operator::MatMult, _) => self.lacks(assign, &lack::MATRIX),
                (Operator::BitOr, _) if assign.value.is_dict_expr() => {
                    self.lacks(assign, &lack::DICT_UNION)
                }
                (Operator::BitOr, Expr::Attribute(target)) if &*target.attr == "data" => {
                    self.lacks(assign, &lack::DICT_UNION);
                }
                (_, target) => self.assigned(target),
            },
            Stmt::Delete(delete) => self.lacks(delete, &lack::DELETE),
            Stmt::Match(choice) => {
                self.lacks(&TextRange::new(choice.start(), choice.subject.end()), &lack::MATCH);
            }
            Stmt::TypeAlias(alias) => self.lacks(alias, &lack::TYPE_ALIAS),
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Global(global) => global.names.iter().for_each(|name| self.names.define(name)),
            Stmt::Nonlocal(outer) if self.functions == 0 => {
                self.not_python(
                    outer,
                    "`nonlocal` stands outside a nested function",
                    "leave it out",
                );
            }
            Stmt::Return(_) if self.functions == 0 => self.returns_early = true,
            Stmt::Break(end) if self.loops == 0 => {
                self.not_python(
                    end,
                    "`break` stands outside a loop",
                    "use `return state` to leave the block",
                );
            }
            Stmt::Continue(next) if self.loops == 0 => {
                self.not_python(
                    next,
                    "`continue` stands outside a loop",
                    "use `return state` to leave the block",
                );
            }
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn looped(&mut self, body: &'a [Stmt]) {
        self.loops += 1;
        self.visit_body(body);
        self.loops -= 1;
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        self.names.define(&function.name);
        let around = (self.loops, self.is_async, self.import_guards);
        function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        self.visit_parameters(&function.parameters);
        (self.loops, self.is_async, self.import_guards) = (0, function.is_async, 0);
        self.functions += 1;
        self.visit_body(&function.body);
        self.functions -= 1;
        (self.loops, self.is_async, self.import_guards) = around;
    }

    fn class(&mut self, class: &'a StmtClassDef) {
        self.names.define(&class.name);
        class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        if let Some(bases) = class.arguments.as_ref().filter(|bases| !bases.is_empty()) {
            self.lacks(&**bases, &lack::INHERITANCE);
        }
        for statement in &class.body {
            match statement {
                Stmt::FunctionDef(method) => {
                    if let Some(decorator) = method.decorator_list.first() {
                        self.lacks(decorator, &lack::METHOD_DECORATOR);
                    }
                    if lack::DEAD_METHODS.contains(&method.name.as_str()) {
                        self.lacks(&method.name, &lack::OPERATOR_METHOD);
                    }
                }
                Stmt::Assign(assign) if matches!(&*assign.targets, [Expr::Name(_)]) => {}
                Stmt::Expr(alone) if alone.value.is_string_literal_expr() => {}
                Stmt::Expr(alone) if alone.value.is_ellipsis_literal_expr() => {}
                Stmt::AnnAssign(_) | Stmt::Pass(_) => {}
                other => self.lacks(other, &lack::CLASS_BODY),
            }
        }
        let loops = std::mem::take(&mut self.loops);
        self.visit_body(&class.body);
        self.loops = loops;
    }

    fn attempt(&mut self, attempt: &'a StmtTry) {
        if let (true, Some(ExceptHandler::ExceptHandler(first))) =
            (attempt.is_star, attempt.handlers.first())
        {
            let end = first.type_.as_ref().map_or(first.end(), |kind| kind.end());
            self.lacks(&TextRange::new(first.start(), end), &lack::EXCEPT_STAR);
        }
        let guard = usize::from(attempt.handlers.iter().any(catches_import));
        self.import_guards += guard;
        self.visit_body(&attempt.body);
        self.import_guards -= guard;
        for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            handler.name.iter().for_each(|name| self.names.define(name));
            handler.type_.iter().for_each(|kind| self.visit_expr(kind));
            self.visit_body(&handler.body);
        }
        self.visit_body(&attempt.orelse);
        self.visit_body(&attempt.finalbody);
    }

    fn assigned(&mut self, target: &'a Expr) {
        match target {
            Expr::Subscript(item) if item.slice.is_slice_expr() => {
                self.lacks(item, &lack::SLICE_TARGET)
            }
            Expr::Tuple(_) | Expr::List(_) => self.unpacked(target),
            _ => {}
        }
    }

    /// A target that must be made of names only.
    pub(super) fn unpacked(&mut self, target: &'a Expr) {
        // Not by recursion, since the depth of the target has not been looked at yet.
        let mut targets = vec![target];
        while let Some(target) = targets.pop() {
            match target {
                Expr::Subscript(_) | Expr::Attribute(_) => self.lacks(target, &lack::UNPACK_TARGET),
                Expr::Tuple(tuple) => targets.extend(&tuple.elts),
                Expr::List(list) => targets.extend(&list.elts),
                Expr::Starred(starred) => targets.push(&starred.value),
                _ => {}
            }
        }
    }
}

fn catches_import(handler: &ExceptHandler) -> bool {
    let ExceptHandler::ExceptHandler(handler) = handler;
    match handler.type_.as_deref() {
        None | Some(Expr::Tuple(_)) => true,
        Some(Expr::Name(name)) => {
            matches!(
                name.id.as_str(),
                "ImportError" | "ModuleNotFoundError" | "Exception" | "BaseException"
            )
        }
        Some(_) => false,
    }
}
