//! Forms: what decides what happens next, and what acts on facts.

use std::collections::BTreeMap;

use diagnostics::{Span, codes};
use value::Text;

use super::Reader;
use super::expr::{Flow, nothing};
use super::findings::at;
use super::scope::Scope;
use crate::field::Field;
use crate::program::{Expr, ExprKind, Kinds, VariableId};
use crate::syntax::token::Atom;
use crate::syntax::tree::{Node, NodeKind};

/// What `modify` and `duplicate` say of slots.
type Changes = Vec<(Text, Vec<Expr>, Span)>;

impl Reader {
    /// A form by its name.
    pub(super) fn form(
        &mut self,
        scope: &mut Scope,
        name: &str,
        node: &Node,
        nodes: &[Node],
        flow: Flow,
    ) -> ExprKind {
        let (head, args) = (nodes[0].span, &nodes[1..]);
        if scope.in_conditions {
            self.no_action(name, head);
        }
        match name {
            "and" | "or" => {
                let args = self.exprs(scope, args, Flow::NONE);
                self.count_fits(name, head, 2, None, args.len());
                if name == "and" { ExprKind::And(args) } else { ExprKind::Or(args) }
            }
            "if" => self.if_form(scope, head, args, flow),
            "while" => self.while_form(scope, head, args, flow),
            "loop-for-count" => self.count_form(scope, head, args, flow),
            "progn$" => self.each_field(scope, head, args, flow),
            "foreach" => self.foreach(scope, head, args, flow),
            "switch" => self.switch(scope, head, args, flow),
            "progn" => ExprKind::Sequence(self.exprs(scope, args, flow)),
            "bind" => self.bind(scope, head, args),
            "return" => self.return_form(scope, node.span, head, args, flow),
            "break" => {
                self.jump_fits(name, head, flow.breaks, "only within a loop");
                self.count_fits(name, head, 0, Some(0), args.len());
                ExprKind::Break
            }
            "halt" => {
                self.count_fits(name, head, 0, Some(0), args.len());
                ExprKind::Halt
            }
            "assert" => {
                if args.is_empty() {
                    let help = "write `(assert (name value ...))`";
                    self.malformed(head, "`assert` needs a fact", help);
                }
                ExprKind::Assert(args.iter().filter_map(|arg| self.fact(scope, arg)).collect())
            }
            "retract" => {
                let args = self.exprs(scope, args, Flow::NONE);
                if self.count_fits(name, head, 1, None, args.len()) {
                    let takes = Kinds::INT.or(Kinds::SYMBOL).or(Kinds::FACT);
                    self.kinds_fit(scope, name, &[takes], &args);
                }
                ExprKind::Retract(args)
            }
            "modify" | "duplicate" => self.change(scope, name, head, args),
            "printout" => {
                let mut args = self.exprs(scope, args, Flow::NONE);
                if !self.count_fits(name, head, 1, None, args.len()) {
                    return nothing();
                }
                let to = args.remove(0);
                ExprKind::Print(Box::new(to), args)
            }
            "print" | "println" => {
                let mut args = self.exprs(scope, args, Flow::NONE);
                if name == "println" {
                    let end = ExprKind::Constant(Field::symbol("crlf"));
                    args.push(Expr { kind: end, span: head });
                }
                let to = Expr { kind: ExprKind::Constant(Field::symbol("t")), span: head };
                ExprKind::Print(Box::new(to), args)
            }
            _ => nothing(),
        }
    }

    fn no_action(&mut self, name: &str, head: Span) {
        if matches!(name, "assert" | "retract" | "modify" | "duplicate" | "halt") {
            let message = format!("`{name}` cannot stand in a condition");
            let found = at(&codes::RULES_MISPLACED, head, message);
            self.findings.push(found.help("conditions only ask: put it behind `=>`"));
        }
    }

    fn if_form(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        let [condition, then, rest @ ..] = args else {
            self.malformed(head, "`if` needs a condition and `then`", IF_HELP);
            return nothing();
        };
        if then.symbol() != Some("then") {
            self.malformed(then.span, "`then` is expected here", IF_HELP);
            return nothing();
        }
        let condition = self.expr(scope, condition, Flow::NONE);
        let or_else = rest.iter().position(|node| node.symbol() == Some("else"));
        let (yes, no) = match or_else {
            Some(at_place) => (&rest[..at_place], &rest[at_place + 1..]),
            None => (rest, &[][..]),
        };
        let yes = self.exprs(scope, yes, flow);
        ExprKind::If(Box::new(condition), yes, self.exprs(scope, no, flow))
    }

    fn while_form(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        let [condition, body @ ..] = args else {
            self.malformed(head, "`while` needs a condition", "write `(while CONDITION do ...)`");
            return nothing();
        };
        let condition = self.expr(scope, condition, Flow::NONE);
        let body = self.exprs(scope, without_do(body), flow.looping());
        ExprKind::While(Box::new(condition), body)
    }

    fn count_form(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        let [range, body @ ..] = args else {
            self.malformed(head, "`loop-for-count` needs a number", COUNT_HELP);
            return nothing();
        };
        if let (Some(Atom::Single(name)), Some(first)) = (range.atom(), body.first())
            && first.list().is_none()
            && first.symbol() != Some("do")
        {
            let message = "the variable of a loop and its numbers stand in parentheses";
            self.malformed(range.span, message, COUNT_HELP);
            scope.enter(name);
            let actions = body.iter().filter(|node| node.list().is_some());
            actions.for_each(|node| drop(self.expr(scope, node, flow.looping())));
            scope.leave();
            return nothing();
        }
        let one = Expr { kind: ExprKind::Constant(Field::Int(1)), span: range.span };
        let (name, from, to) = match range.list() {
            // `(?i 1 10)`, not `(+ 1 2)`.
            Some([variable, limits @ ..]) if variable.symbol().is_none() => {
                let Some(Atom::Single(name)) = variable.atom() else {
                    self.malformed(variable.span, "a variable is expected here", COUNT_HELP);
                    return nothing();
                };
                match limits {
                    [to] => (Some(name), one, self.expr(scope, to, Flow::NONE)),
                    [from, to] => {
                        let from = self.expr(scope, from, Flow::NONE);
                        (Some(name), from, self.expr(scope, to, Flow::NONE))
                    }
                    _ => {
                        self.malformed(range.span, "one or two numbers are expected", COUNT_HELP);
                        return nothing();
                    }
                }
            }
            _ => (None, one, self.expr(scope, range, Flow::NONE)),
        };
        for limit in [&from, &to] {
            self.kinds_fit(scope, "loop-for-count", &[Kinds::INT], std::slice::from_ref(limit));
        }
        match body.first() {
            Some(first) if first.symbol() == Some("do") || first.list().is_some() => {}
            first => {
                let span = first.map_or(head, |first| first.span);
                self.malformed(span, "`do` or an action is expected in this loop", COUNT_HELP);
            }
        }
        let variable = name.map(|name| scope.enter(name));
        let body = self.exprs(scope, without_do(body), flow.looping());
        if variable.is_some() {
            scope.leave();
        }
        ExprKind::Count { variable, from: Box::new(from), to: Box::new(to), body }
    }

    fn each_field(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        const HELP: &str = "write `(progn$ (?x LIST) ...)`";
        let [list, body @ ..] = args else {
            self.malformed(head, "`progn$` needs a list", HELP);
            return nothing();
        };
        match list.list() {
            Some([variable, inner @ ..]) if variable.symbol().is_none() => {
                match (variable.atom(), inner) {
                    (Some(Atom::Single(name)), [list]) => self.each(scope, name, list, body, flow),
                    (Some(Atom::Single(_)), _) => {
                        self.malformed(list.span, "one list is expected behind the variable", HELP);
                        nothing()
                    }
                    _ => {
                        self.malformed(variable.span, "a variable is expected here", HELP);
                        nothing()
                    }
                }
            }
            // Nobody can write this name.
            _ => self.each(scope, "", list, body, flow),
        }
    }

    fn foreach(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        const HELP: &str = "write `(foreach ?x LIST do ...)`";
        let [variable, list, body @ ..] = args else {
            self.malformed(head, "`foreach` needs a variable and a list", HELP);
            return nothing();
        };
        let Some(Atom::Single(name)) = variable.atom() else {
            self.malformed(variable.span, "a variable is expected here", HELP);
            return nothing();
        };
        self.each(scope, name, list, without_do(body), flow)
    }

    fn each(
        &mut self,
        scope: &mut Scope,
        name: &str,
        list: &Node,
        body: &[Node],
        flow: Flow,
    ) -> ExprKind {
        let list = self.expr(scope, list, Flow::NONE);
        self.kinds_fit(scope, "progn$", &[Kinds::MANY], std::slice::from_ref(&list));
        let variable = scope.enter(name);
        let index = scope.enter(&format!("{name}-index"));
        let body = self.exprs(scope, body, flow.looping());
        scope.leave();
        scope.leave();
        ExprKind::Each { variable, index, list: Box::new(list), body }
    }

    fn switch(&mut self, scope: &mut Scope, head: Span, args: &[Node], flow: Flow) -> ExprKind {
        const HELP: &str = "write `(switch VALUE (case VALUE then ...) (default ...))`";
        let [subject, branches @ ..] = args else {
            self.malformed(head, "`switch` needs a value", HELP);
            return nothing();
        };
        let subject = self.expr(scope, subject, Flow::NONE);
        let mut cases: Vec<(Expr, Vec<Expr>)> = Vec::new();
        let mut default = None;
        let mut given = BTreeMap::new();
        for branch in branches {
            match branch.list() {
                Some([word, body @ ..])
                    if word.symbol() == Some("default") && default.is_none() =>
                {
                    default = Some(self.exprs(scope, body, flow));
                }
                Some([word, value, then, body @ ..])
                    if word.symbol() == Some("case")
                        && then.symbol() == Some("then")
                        && default.is_none() =>
                {
                    if let Some(first) = given.insert(wording(value), value.span) {
                        self.twice(value.span, Some(first), "this case");
                    }
                    let value = self.expr(scope, value, Flow::NONE);
                    cases.push((value, self.exprs(scope, body, flow)));
                }
                _ if default.is_some() => {
                    self.malformed(branch.span, "nothing may stand behind the default", HELP);
                }
                _ => self.malformed(branch.span, "a case is expected here", HELP),
            }
        }
        ExprKind::Switch(Box::new(subject), cases, default)
    }

    fn bind(&mut self, scope: &mut Scope, head: Span, args: &[Node]) -> ExprKind {
        const HELP: &str = "write `(bind ?x VALUE)`";
        let [target, values @ ..] = args else {
            self.malformed(head, "`bind` needs a variable", HELP);
            return nothing();
        };
        let target_atom = target.atom();
        let variable = match target_atom {
            Some(Atom::Single(name) | Atom::Many(name)) if scope.without.is_none() => {
                Some(self.bindable(scope, name, target.span))
            }
            _ => None,
        };
        let values = self.exprs(scope, values, Flow::NONE);
        match (variable, target_atom) {
            (Some(variable), _) => ExprKind::Bind(variable, values),
            (None, Some(Atom::Global(name) | Atom::GlobalMany(name))) => {
                match self.global(scope, name, target.span) {
                    ExprKind::Global(global) => ExprKind::BindGlobal(global, values),
                    other => other,
                }
            }
            (None, Some(Atom::Reported)) => nothing(),
            (None, Some(Atom::Single(_) | Atom::Many(_))) => {
                self.malformed(target.span, "variables have no place here", "use a global");
                nothing()
            }
            _ => {
                self.malformed(target.span, "a variable is expected here", HELP);
                nothing()
            }
        }
    }

    /// The variable that `bind` gives a value. That of a loop changes with the loop alone.
    fn bindable(&mut self, scope: &mut Scope, name: &str, span: Span) -> VariableId {
        if scope.of_loop(name).is_some() {
            let message = format!("`?{name}` is the variable of a loop, and cannot be bound in it");
            let found = at(&codes::RULES_LOOP_VARIABLE, span, message);
            self.findings.push(found.help("bind another name"));
        }
        let variable = scope.own(name);
        if !scope.in_conditions {
            scope.bound.insert(variable);
            scope.bound_again.insert(variable);
        }
        variable
    }

    fn return_form(
        &mut self,
        scope: &mut Scope,
        whole: Span,
        head: Span,
        args: &[Node],
        flow: Flow,
    ) -> ExprKind {
        self.jump_fits("return", head, flow.returns, "only as an action of its own");
        match args {
            [] => ExprKind::Return(None),
            [value] => ExprKind::Return(Some(Box::new(self.expr(scope, value, Flow::NONE)))),
            _ => {
                let help = "return a list: `(return (create$ ...))`";
                self.malformed(whole, "`return` takes one value", help);
                nothing()
            }
        }
    }

    fn jump_fits(&mut self, name: &str, head: Span, fits: bool, place: &str) {
        if !fits {
            let message = format!("`{name}` cannot stand here");
            let found = at(&codes::RULES_MISPLACED, head, message);
            self.findings.push(found.help(format!("it may stand {place}")));
        }
    }

    fn change(&mut self, scope: &mut Scope, name: &str, head: Span, args: &[Node]) -> ExprKind {
        let [target, slots @ ..] = args else {
            let help = format!("write `({name} ?fact (slot value))`");
            self.malformed(head, format!("`{name}` needs a fact"), &help);
            return nothing();
        };
        let target = self.expr(scope, target, Flow::NONE);
        if matches!(target.kind, ExprKind::Constant(_)) {
            let takes = Kinds::INT.or(Kinds::FACT);
            self.kinds_fit(scope, name, &[takes], std::slice::from_ref(&target));
        }
        let template = match &target.kind {
            ExprKind::Variable(variable) if !scope.bound_again.contains(variable) => {
                scope.facts.get(variable).copied().filter(|id| !self.is_ordered(*id))
            }
            _ => None,
        };
        let mut changes: Changes = Vec::new();
        let mut given = BTreeMap::new();
        for slot in slots {
            let Some((name_node, values)) = slot.list().and_then(|list| list.split_first()) else {
                let help = "write `(slot value)`";
                self.malformed(slot.span, "a slot and its value are expected here", help);
                continue;
            };
            let Some(slot_name) = name_node.symbol() else {
                self.malformed(name_node.span, "the name of a slot is expected here", SLOT_HELP);
                continue;
            };
            let values = self.values(scope, values);
            if let Some(first) = given.insert(slot_name, name_node.span) {
                self.twice(name_node.span, Some(first), &format!("the slot `{slot_name}`"));
            }
            if let Some(template) = template {
                self.slot_values(template, slot_name, name_node.span, slot.span, &values);
            }
            changes.push((slot_name.into(), values, slot.span));
        }
        let target = Box::new(target);
        match name {
            "modify" => ExprKind::Modify(target, changes),
            _ => ExprKind::Duplicate(target, changes),
        }
    }
}

const IF_HELP: &str = "write `(if CONDITION then ... else ...)`";
const COUNT_HELP: &str = "write `(loop-for-count (?i FIRST LAST) do ...)`";
const SLOT_HELP: &str = "write `(slot value)`";

/// The word `do` is optional.
fn without_do<'n, 't>(body: &'n [Node<'t>]) -> &'n [Node<'t>] {
    match body {
        [first, rest @ ..] if first.symbol() == Some("do") => rest,
        _ => body,
    }
}

/// The words of a node: what is written alike has the same, wherever it stands.
fn wording(node: &Node) -> String {
    match &node.kind {
        NodeKind::Atom(atom) => format!("{atom:?} "),
        NodeKind::List(nodes) => format!("({})", nodes.iter().map(wording).collect::<String>()),
    }
}
