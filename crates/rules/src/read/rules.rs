//! `defrule`: what it declares, its conditions in their order, and its actions.

use std::slice::from_ref;

use diagnostics::{Anchor, Diagnostic, Span, codes};

use super::Reader;
use super::expr::Flow;
use super::findings::at;
use super::scope::Scope;
use crate::field::Field;
use crate::program::{Condition, Expr, Kinds, Pattern, Rule};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

/// How urgent a rule can be.
const SALIENCE_MAX: i64 = 10_000;

impl Reader {
    pub(super) fn rule(&mut self, node: &Node, nodes: &[Node]) {
        let Some((name, span, rest)) = self.header(nodes) else { return };
        let Some(arrow) = rest.iter().position(|node| node.symbol() == Some("=>")) else {
            let message = format!("the rule `{name}` has no `=>`");
            let is_arrow = |node: &&Node| matches!(node.symbol(), Some("->" | "==>"));
            let Some(arrow) = rest.iter().find(is_arrow) else {
                let help = "write the conditions, `=>`, and the actions";
                return self.malformed(span, message, help);
            };
            let found = at(&codes::RULES_MALFORMED, arrow.span, message);
            return self.findings.push(found.meant("=>", arrow.at()));
        };
        let (mut conditions, actions) = (&rest[..arrow], &rest[arrow + 1..]);
        let mut salience = None;
        if let [first, others @ ..] = conditions
            && first.head() == Some("declare")
        {
            salience = self.declare(first);
            conditions = others;
        }
        let mut scope = Scope::conditions();
        let when = self.conditions(&mut scope, conditions, super::patterns::Within::default());
        self.logical_first(&when, None);
        self.unbound(&mut scope, "no pattern binds it", |name| {
            format!("let a pattern before it bind it, as `(name {name})` does, or write a value")
        });
        scope.in_conditions = false;
        let then = self.exprs(&mut scope, actions, Flow::BODY);
        self.unbound(&mut scope, "no condition and no `bind` gives it one", |name| {
            format!("let a condition bind it: `{name} <- (name)` a fact, `(name {name})` a value")
        });
        let rule = Rule {
            name: name.into(),
            salience,
            when,
            then,
            variables: scope.variables,
            span,
            whole: node.span,
        };
        self.variables_fit(&rule);
        let is_known = !self.rules.insert(rule.name.clone());
        let is_same = |known: &Rule| is_known && known.name == rule.name;
        let earlier = self.program.rules.iter().position(is_same);
        if let Some(earlier) = earlier {
            // The new one comes last, as if the earlier one had never been.
            let earlier = self.program.rules.remove(earlier);
            self.replaced(&codes::RULES_REPLACED, "rule", span, earlier.span);
        }
        self.program.rules.push(rule);
    }

    fn declare(&mut self, node: &Node) -> Option<Expr> {
        const HELP: &str = "write `(declare (salience 10))`";
        let mut salience = None;
        let (mut salience_at, mut focus_at) = (None, None);
        let parts = node.list().and_then(|list| list.get(1..)).unwrap_or_default();
        if parts.is_empty() {
            self.malformed(node.span, "nothing is declared here", HELP);
        }
        for part in parts {
            match part.list() {
                Some([word, value]) if word.symbol() == Some("salience") => {
                    if let Some(first) = salience_at.replace(word.span) {
                        self.twice(word.span, Some(first), "the salience");
                        continue;
                    }
                    let value = self.expr(&mut Scope::constant("a salience"), value, Flow::NONE);
                    self.salience_fits(&value);
                    salience = Some(value);
                }
                Some([word, value]) if word.symbol() == Some("auto-focus") => {
                    if let Some(first) = focus_at.replace(word.span) {
                        self.twice(word.span, Some(first), "`auto-focus`");
                    }
                    if !matches!(value.symbol(), Some("TRUE" | "FALSE")) {
                        let help = "write `TRUE` or `FALSE`";
                        self.malformed(value.span, "`auto-focus` is true or false", help);
                    }
                }
                _ => self.malformed(part.span, "a salience is expected here", HELP),
            }
        }
        salience
    }

    /// A salience that only a run can tell is computed when the program is made ready.
    fn salience_fits(&mut self, value: &Expr) {
        let found = match self.fold(value) {
            Ok(Some(field)) => salience_of(&field, value.span).err().map(|found| *found),
            Ok(None) => None,
            Err(why) => {
                let message = format!("this salience cannot be computed: {why}");
                Some(at(&codes::RULES_SALIENCE, value.span, message).help("write a number"))
            }
        };
        self.findings.extend(found);
    }

    /// What supports the facts that a rule asserts comes before its other conditions, in each way
    /// that `or` gives. Takes a condition before these that supports nothing, and gives one of
    /// those that may stand before what follows.
    fn logical_first(&mut self, conditions: &[Condition], before: Option<Span>) -> Option<Span> {
        let mut before = before;
        for condition in conditions {
            before = match condition {
                Condition::And(inner, _) => self.logical_first(inner, before),
                Condition::Or(ways, _) => {
                    let after = ways.iter().map(|way| self.logical_first(from_ref(way), before));
                    after.fold(None, Option::or)
                }
                Condition::Logical(_, span) => {
                    if let Some(other) = before {
                        let message = "`logical` must come before the other conditions";
                        let found = at(&codes::RULES_MISPLACED, *span, message);
                        let found = found.label(Anchor::Span(other), "this comes before it");
                        let help = "move it to the front, beside other `logical`";
                        self.findings.push(found.help(help));
                        // Once is enough.
                        return None;
                    }
                    None
                }
                Condition::Pattern(Pattern { span, .. })
                | Condition::Test(Expr { span, .. })
                | Condition::Not(_, span)
                | Condition::Exists(_, span)
                | Condition::Forall(_, span) => before.or(Some(*span)),
            };
        }
        before
    }
}

/// The salience that a value is, or what is wrong with it.
pub(crate) fn salience_of(value: &Field, span: Span) -> Result<i64, Box<Diagnostic>> {
    let message = match value {
        Field::Int(number) if (-SALIENCE_MAX..=SALIENCE_MAX).contains(number) => {
            return Ok(*number);
        }
        Field::Int(number) => format!("the salience {number} is out of range"),
        other => {
            let given = Kinds::of(other);
            format!("a salience is a whole number, and this is {given}")
        }
    };
    let help = format!("write a number from -{SALIENCE_MAX} to {SALIENCE_MAX}");
    Err(Box::new(at(&codes::RULES_SALIENCE, span, message).help(help)))
}

/// The name of a fact's variable: `?f` in `?f <- (a)`.
pub(super) fn address<'t>(nodes: &[Node<'t>]) -> Option<(&'t str, Span)> {
    let [variable, arrow, ..] = nodes else { return None };
    match (variable.atom(), arrow.symbol()) {
        (Some(Atom::Single(name)), Some("<-")) => Some((name, variable.span)),
        _ => None,
    }
}
