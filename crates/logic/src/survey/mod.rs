//! One walk over the whole block: how deep it is, what the interpreter lacks for it, which
//! names it takes from outside. What happens to `state` is no matter here.

mod expressions;
mod imports;
mod names;
mod statements;

use std::ops::Range;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    ElifElseClause, Expr, InterpolatedStringElement, Parameter, Pattern, Stmt, TypeParam,
};
use ruff_text_size::Ranged;
use value::Text;

use crate::block::{Offsets, Outside, Problem, ProblemKind};
use crate::interpreter::{self, DEPTH_MAX, Lack};
use names::Names;

/// What the walk found.
pub(crate) struct Survey {
    /// It stopped, and nothing else may walk the block.
    pub(crate) too_deep: bool,
    pub(crate) returns_early: bool,
    pub(crate) problems: Vec<Problem>,
    pub(crate) outside: Vec<Outside>,
    pub(crate) implied: Vec<Text>,
}

impl Survey {
    pub(crate) fn of(body: &[Stmt], offsets: Offsets) -> Survey {
        let mut walk = Walk::new(offsets);
        walk.visit_body(body);
        let (outside, implied) = walk.free_names();
        let Walk { too_deep, returns_early, problems, .. } = walk;
        Survey { too_deep, returns_early, problems, outside, implied }
    }
}

/// Where the walk is, and what it has met.
struct Walk<'a> {
    offsets: Offsets,
    problems: Vec<Problem>,
    names: Names<'a>,
    depth: usize,
    too_deep: bool,
    returns_early: bool,
    /// Loops around this place, within the function it is in.
    loops: usize,
    /// Functions around this place.
    functions: usize,
    /// The function around this place is `async`.
    is_async: bool,
    /// `try` statements around this place that catch a failed import.
    import_guards: usize,
}

impl<'a> Walk<'a> {
    fn new(offsets: Offsets) -> Self {
        Walk {
            offsets,
            problems: Vec::new(),
            names: Names::default(),
            depth: 0,
            too_deep: false,
            returns_early: false,
            loops: 0,
            functions: 0,
            is_async: false,
            import_guards: 0,
        }
    }

    /// Does `inside` one level deeper, or `levels` where something flat will be nested when run.
    fn deeper(&mut self, levels: usize, at: &impl Ranged, inside: impl FnOnce(&mut Self)) {
        if self.too_deep {
            return;
        }
        self.depth += levels;
        if self.depth > DEPTH_MAX {
            self.too_deep = true;
            self.lacks(at, &interpreter::TOO_DEEP);
        } else {
            inside(self);
        }
        self.depth -= levels;
    }

    fn lacks(&mut self, at: &impl Ranged, lack: &Lack) {
        self.unsupported(self.offsets.of(at), lack.message.into(), Some(lack.help.into()));
    }

    fn unsupported(&mut self, range: Range<usize>, message: String, help: Option<String>) {
        self.problems.push(Problem { range, kind: ProblemKind::Unsupported, message, help });
    }

    fn not_python(&mut self, at: &impl Ranged, message: &str, help: &str) {
        let (range, kind) = (self.offsets.of(at), ProblemKind::Syntax);
        self.problems.push(Problem {
            range,
            kind,
            message: message.into(),
            help: Some(help.into()),
        });
    }

    fn free_names(&mut self) -> (Vec<Outside>, Vec<Text>) {
        let (mut outside, mut implied): (Vec<Outside>, Vec<Text>) = (Vec::new(), Vec::new());
        for used in std::mem::take(&mut self.names).free() {
            let (name, range) = (used.name, self.offsets.range(used.range));
            if interpreter::IMPLIED_MODULES.contains(&name) {
                implied.push(name.into());
                if interpreter::module(name).is_none() {
                    self.module_missing(range, name);
                }
            } else if let Some(help) = interpreter::instead_of_builtin(name) {
                let message = format!("`{name}` is not there");
                self.unsupported(range, message, Some(help.into()));
            } else {
                outside.push(Outside { name: name.into(), range, called: used.called });
            }
        }
        outside.sort_by_key(|name| name.range.start);
        (outside, implied)
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.deeper(1, statement, |walk| walk.statement(statement));
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.deeper(1, expression, |walk| walk.expression(expression));
    }

    fn visit_elif_else_clause(&mut self, clause: &'a ElifElseClause) {
        visitor::walk_elif_else_clause(self, clause);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        // Format specifications nest without expressions between them.
        self.deeper(1, element, |walk| visitor::walk_interpolated_string_element(walk, element));
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        name.into_iter().for_each(|name| self.names.define(name));
        self.deeper(1, pattern, |walk| visitor::walk_pattern(walk, pattern));
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.names.define(&parameter.name);
        visitor::walk_parameter(self, parameter);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.names.define(match parameter {
            TypeParam::TypeVar(parameter) => &parameter.name,
            TypeParam::ParamSpec(parameter) => &parameter.name,
            TypeParam::TypeVarTuple(parameter) => &parameter.name,
        });
        visitor::walk_type_param(self, parameter);
    }

    fn visit_annotation(&mut self, _: &'a Expr) {
        // Not evaluated: nothing in it has to exist.
    }
}
