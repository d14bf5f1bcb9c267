//! Expressions: values, variables, and calls.

use diagnostics::{Span, codes};

use super::findings::at;
use super::scope::Scope;
use super::{OUTSIDE, Reader};
use crate::field::Field;
use crate::functions;
use crate::program::{Expr, ExprKind, Kinds};
use crate::syntax::token::{Atom, unescaped};
use crate::syntax::tree::{Node, NodeKind};

/// Which jumps are possible where an expression stands.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    /// `return` is.
    pub(super) returns: bool,
    /// `break` is.
    pub(super) breaks: bool,
}

impl Flow {
    /// An argument: its value is needed.
    pub(super) const NONE: Flow = Flow { returns: false, breaks: false };
    /// An action of a rule or a function.
    pub(super) const BODY: Flow = Flow { returns: true, breaks: false };
    /// An action within a loop.
    pub(super) fn looping(self) -> Flow {
        Flow { breaks: true, ..self }
    }
}

impl Reader {
    pub(super) fn expr(&mut self, scope: &mut Scope, node: &Node, flow: Flow) -> Expr {
        let is_outside = scope.without == Some(OUTSIDE);
        let kind = match &node.kind {
            NodeKind::List(_) | NodeKind::Atom(Atom::Global(_) | Atom::GlobalMany(_))
                if is_outside =>
            {
                let help = "write a symbol, a string or a number";
                self.malformed(node.span, "a constant is expected here", help);
                nothing()
            }
            NodeKind::Atom(atom) => self.atom(scope, *atom, node.span),
            NodeKind::List(nodes) => self.call(scope, node, nodes, flow),
        };
        Expr { kind, span: node.span }
    }

    /// Actions, one after the other.
    pub(super) fn exprs(&mut self, scope: &mut Scope, nodes: &[Node], flow: Flow) -> Vec<Expr> {
        nodes.iter().map(|node| self.expr(scope, node, flow)).collect()
    }

    fn atom(&mut self, scope: &mut Scope, atom: Atom, span: Span) -> ExprKind {
        if let Some(field) = field_of(atom) {
            return ExprKind::Constant(self.program.names.known(field));
        }
        match atom {
            Atom::Single(name) | Atom::Many(name) => self.variable(scope, name, span),
            Atom::Global(name) | Atom::GlobalMany(name) => self.global(scope, name, span),
            Atom::Reported => nothing(),
            _ => {
                let help = "write a value, a variable such as `?x`, or a call such as `(+ 1 2)`";
                self.malformed(span, "a value is expected here", help);
                nothing()
            }
        }
    }

    fn variable(&mut self, scope: &mut Scope, name: &str, span: Span) -> ExprKind {
        if let Some(place) = scope.without {
            let message = format!("`?{name}` means nothing here: {place} has no variables");
            let found = at(&codes::RULES_UNBOUND, span, message);
            self.findings.push(found.help(match place {
                OUTSIDE => "write a symbol, a string or a number",
                _ => "write a value, or a global such as `?*x*`",
            }));
            return nothing();
        }
        ExprKind::Variable(scope.used(name, span))
    }

    /// What a value may be, where that is known before it is computed. No kind is no value at all.
    pub(super) fn gives(&self, expr: &Expr) -> Option<Kinds> {
        match &expr.kind {
            ExprKind::Constant(field) => Some(Kinds::of(field)),
            ExprKind::Call(function, _) => {
                functions::TABLE.get(usize::from(*function)).map(|function| function.gives)
            }
            ExprKind::And(_) | ExprKind::Or(_) => Some(Kinds::SYMBOL),
            ExprKind::Assert(_) | ExprKind::Modify(..) | ExprKind::Duplicate(..) => {
                Some(Kinds::FACT.or(Kinds::SYMBOL))
            }
            ExprKind::Print(..) | ExprKind::Retract(_) | ExprKind::Halt => Some(Kinds(0)),
            _ => None,
        }
    }
}

/// What stands in place of an expression that cannot be read: of no kind, so that nothing more is
/// said about it.
pub(super) fn nothing() -> ExprKind {
    ExprKind::Sequence(Vec::new())
}

/// The value that an atom is.
pub(super) fn field_of(atom: Atom) -> Option<Field> {
    match atom {
        Atom::Symbol(word) => Some(Field::symbol(word)),
        Atom::Text(raw) => Some(Field::text(&unescaped(raw))),
        Atom::Int(number) => Some(Field::Int(number)),
        Atom::Float(number) => Some(Field::Float(number)),
        _ => None,
    }
}
