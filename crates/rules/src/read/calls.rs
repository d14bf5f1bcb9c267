//! Calls: which function a list calls, and whether its arguments fit.

use diagnostics::{Anchor, Span, codes};

use super::Reader;
use super::ahead::written;
use super::expr::{Flow, nothing};
use super::findings::{at, counted};
use super::left_out::left_out;
use super::scope::Scope;
use crate::field::Field;
use crate::functions;
use crate::program::{Expr, ExprKind, FunctionId, Kinds};
use crate::syntax::tree::Node;

/// What decides what happens next, or acts on facts: no functions, but called like them.
pub(super) const FORMS: &[&str] = &[
    "and",
    "assert",
    "bind",
    "break",
    "duplicate",
    "foreach",
    "halt",
    "if",
    "loop-for-count",
    "modify",
    "or",
    "print",
    "println",
    "printout",
    "progn",
    "progn$",
    "retract",
    "return",
    "switch",
    "while",
];

impl Reader {
    /// What a list says where a value or an action is expected.
    pub(super) fn call(
        &mut self,
        scope: &mut Scope,
        node: &Node,
        nodes: &[Node],
        flow: Flow,
    ) -> ExprKind {
        let Some(name) = nodes.first().and_then(Node::symbol) else {
            let head = nodes.first().map_or(node.span, |head| head.span);
            if !nodes.first().is_some_and(Node::is_reported) {
                let help = "begin it with a function: `(+ 1 2)`; for a list write `(create$ ...)`";
                self.malformed(head, "a list calls a function, and begins with its name", help);
            }
            return nothing();
        };
        let head = nodes[0].span;
        if FORMS.contains(&name) {
            return self.form(scope, name, node, nodes, flow);
        }
        let own = name.strip_prefix("MAIN::").unwrap_or(name);
        if let Some(id) = functions::find(name) {
            let args = self.exprs(scope, &nodes[1..], Flow::NONE);
            if let Some(function) = functions::TABLE.get(usize::from(id)) {
                let (least, most) = (usize::from(function.least), function.most.map(usize::from));
                if self.count_fits(name, head, least, most, args.len()) {
                    match self.written_by_format(name, head, function.takes, &args) {
                        Some(takes) => self.kinds_fit(scope, name, &takes, &args),
                        None => self.kinds_fit(scope, name, function.takes, &args),
                    }
                    self.regex_fits(name, &args);
                }
            }
            return ExprKind::Call(id, args);
        }
        if let Some(id) = self.functions.get(own).copied() {
            let args = self.exprs(scope, &nodes[1..], Flow::NONE);
            self.applies(id, own, head, args.len());
            return ExprKind::Apply(id, args);
        }
        if self.unknown_function(name, node, nodes, flow) {
            // What its arguments bind is bound, and calls in them are calls. Another list may be a
            // fact or a slot: nobody knows before the name is mended.
            for arg in &nodes[1..] {
                let before = self.findings.len();
                self.expr(scope, arg, Flow::NONE);
                if arg.head().is_some_and(|word| !self.is_callable(word)) {
                    self.findings.truncate(before);
                }
            }
        }
        nothing()
    }

    fn applies(&mut self, id: FunctionId, name: &str, head: Span, count: usize) {
        let Some(function) = self.program.functions.get(id.0 as usize) else { return };
        let least = function.parameters as usize;
        let most = (!function.rest).then_some(least);
        self.count_fits(name, head, least, most, count);
    }

    /// Whether there are as many arguments as are taken.
    pub(super) fn count_fits(
        &mut self,
        name: &str,
        head: Span,
        least: usize,
        most: Option<usize>,
        count: usize,
    ) -> bool {
        if count >= least && most.is_none_or(|most| count <= most) {
            return true;
        }
        let takes = match most {
            Some(most) if most == least => counted(least, "argument"),
            Some(most) if count > most => format!("at most {}", counted(most, "argument")),
            _ => format!("at least {}", counted(least, "argument")),
        };
        let message = format!("`{name}` takes {takes}, and gets {count}");
        let help = if count < least { "add what is missing" } else { "delete what is too much" };
        self.findings.push(at(&codes::RULES_ARGUMENT_COUNT, head, message).help(help));
        false
    }

    /// Reports arguments that can never be of a kind that is taken.
    pub(super) fn kinds_fit(&mut self, scope: &Scope, name: &str, takes: &[Kinds], args: &[Expr]) {
        for (at_place, arg) in args.iter().enumerate() {
            let Some(takes) = takes.get(at_place).or(takes.last()) else { return };
            let Some(gives) = self.gives(arg) else { continue };
            // What takes everything takes nothing, too.
            let takes_all = takes.holds(Kinds::SINGLE.or(Kinds::MANY));
            if takes.meets(gives) || (takes_all && gives.0 == 0) {
                continue;
            }
            let (wanted, given) = (takes, gives);
            let message = format!("`{name}` takes {wanted} here, and this is {given}");
            let found = at(&codes::RULES_ARGUMENT_KIND, arg.span, message);
            self.findings.push(match &arg.kind {
                ExprKind::Constant(Field::Symbol(word)) if scope.knows(word.as_str()) => {
                    found.meant(&format!("?{}", word.as_str()), Anchor::Span(arg.span))
                }
                _ => found.help(format!("write {wanted}")),
            });
        }
    }

    /// Reports a pattern that cannot be looked for.
    fn regex_fits(&mut self, name: &str, args: &[Expr]) {
        let ("regex-match", [pattern, ..]) = (name, args) else { return };
        let ExprKind::Constant(known) = &pattern.kind else { return };
        let Some(known) = known.lexeme() else { return };
        if let Err(why) = functions::regex::compiled(known) {
            let found = at(&codes::RULES_ARGUMENT_KIND, pattern.span, why);
            self.findings.push(found.help("mend the pattern, which `regex-match` looks for"));
        }
    }

    /// What `format` takes, where its control text is known. Reports a text that means nothing, and
    /// another number of values than it writes.
    fn written_by_format(
        &mut self,
        name: &str,
        head: Span,
        takes: &[Kinds],
        args: &[Expr],
    ) -> Option<Vec<Kinds>> {
        let ("format", [_, control, values @ ..]) = (name, args) else { return None };
        let ExprKind::Constant(Field::Text(known)) = &control.kind else { return None };
        let written = match functions::format::written_by(known.as_str()) {
            Ok(written) => written,
            Err(why) => {
                let found = at(&codes::RULES_ARGUMENT_KIND, control.span, why);
                self.findings.push(found.help("write it like `%d`, `%8.2f` or `%-10s`"));
                return None;
            }
        };
        if written.len() != values.len() {
            let (wanted, given) = (counted(written.len(), "value"), values.len());
            let message = format!("`format` takes {wanted} with this text, and gets {given}");
            let found = at(&codes::RULES_ARGUMENT_COUNT, head, message);
            let found = found.label(Anchor::Span(control.span), format!("this writes {wanted}"));
            self.findings.push(
                found.help("each `%s` or its kind writes one value, and `%%` a percent sign"),
            );
            return None;
        }
        Some(takes[..2].iter().copied().chain(written).collect())
    }

    /// Whether a name can be called.
    pub(super) fn is_callable(&self, name: &str) -> bool {
        FORMS.contains(&name)
            || functions::find(name).is_some()
            || self.functions.contains_key(name)
            || left_out(name).is_some()
    }

    /// Reports a function that cannot be called; whether its arguments may be read as such.
    fn unknown_function(&mut self, name: &str, node: &Node, nodes: &[Node], flow: Flow) -> bool {
        let head = &nodes[0];
        if let Some((why, help)) = left_out(name) {
            let message = format!("`{name}` is left out on purpose: {why}");
            self.findings.push(at(&codes::RULES_LEFT_OUT, head.span, message).help(help));
            return false;
        }
        if name.starts_with("def") && nodes.len() > 2 && super::is_construct(name) {
            let message = format!("`({name}` begins within another construct");
            let found = at(&codes::RULES_UNCLOSED, head.span, message);
            self.findings.push(found.help("close the construct before it with `)`"));
            return false;
        }
        let found =
            at(&codes::RULES_UNKNOWN_FUNCTION, head.span, format!("there is no function `{name}`"));
        if let Some(later) = self.ahead.functions.get(name).copied() {
            if later.start < head.span.start {
                // It is defined before, and what is wrong with that was said.
                return true;
            }
            let found = found.label(Anchor::Span(later), "it is defined only here");
            self.findings.push(found.help("move the definition before its first use"));
            return true;
        }
        let known = functions::TABLE.iter().map(|function| function.name);
        let known = known.chain(FORMS.iter().copied());
        let own = self.functions.keys().map(|name| &**name);
        let is_action = flow.returns;
        let names_facts = self.templates.contains_key(name)
            || self.ahead.templates.contains_key(name)
            || self.ahead.facts.contains(name);
        let near = match is_action && names_facts {
            true => None,
            false => self.near(name, known.chain(own)),
        };
        self.findings.push(match near {
            Some(near) => found.meant(near, head.at()),
            None if is_action => {
                let fact = written(node).unwrap_or_else(|| format!("({name} ...)"));
                let asserted = format!("to assert a fact write `(assert {fact})`");
                found.help(match names_facts {
                    true => asserted,
                    false => format!("{asserted}; a function needs a `deffunction` before"),
                })
            }
            None => {
                found.help(format!("define it before it is used: `(deffunction {name} (?x) ...)`"))
            }
        });
        true
    }
}
