//! Statements: in which order things happen, and which may not happen.

use ruff_python_ast::{
    ElifElseClause, ExceptHandler, Expr, Operator, Parameters, Stmt, StmtAugAssign, StmtTry,
};

use super::Flow;
use super::places::Place;

impl<'a> Flow<'a> {
    /// Whether what follows these statements is never reached.
    pub(super) fn suite(&mut self, body: &'a [Stmt]) -> bool {
        let mark = self.keys.guards();
        let mut leaves = false;
        for statement in body {
            leaves |= self.statement(statement);
        }
        self.keys.release(mark);
        leaves
    }

    /// Whether what follows it is never reached.
    fn statement(&mut self, statement: &'a Stmt) -> bool {
        match statement {
            Stmt::Expr(alone) => {
                self.value(&alone.value);
            }
            Stmt::Assign(assign) => {
                if let ([Expr::Tuple(targets)], Expr::Tuple(values)) =
                    (&*assign.targets, &*assign.value)
                    && targets.elts.len() == values.elts.len()
                    && !targets.elts.iter().chain(&values.elts).any(Expr::is_starred_expr)
                {
                    let places: Vec<Place> =
                        values.elts.iter().map(|value| self.value(value)).collect();
                    for ((target, place), value) in
                        targets.elts.iter().zip(places).zip(&values.elts)
                    {
                        self.assign(target, place, value);
                    }
                    return false;
                }
                let place = self.value(&assign.value);
                assign.targets.iter().for_each(|target| self.assign(target, place, &assign.value));
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let place = self.value(value);
                    self.assign(&assign.target, place, value);
                }
            }
            Stmt::AugAssign(assign) => self.change(assign),
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.delete(target)),
            Stmt::If(branch) => {
                return self.branch(&branch.test, &branch.body, &branch.elif_else_clauses);
            }
            Stmt::For(each) => {
                let place = self.look(&each.iter);
                self.store(&each.target, place.item());
                self.maybe(|flow| {
                    flow.suite(&each.body);
                    flow.suite(&each.orelse);
                });
            }
            Stmt::While(repeat) => {
                self.look(&repeat.test);
                let guards = self.guards_of(&repeat.test);
                self.maybe(|flow| {
                    flow.given(&guards.yes, |flow| flow.suite(&repeat.body));
                    flow.suite(&repeat.orelse);
                });
            }
            Stmt::With(with) => {
                for item in &with.items {
                    self.escape(&item.context_expr);
                    item.optional_vars
                        .iter()
                        .for_each(|target| self.store(target, Place::Elsewhere));
                }
                return self.suite(&with.body);
            }
            Stmt::Try(attempt) => return self.attempt(attempt),
            Stmt::Match(choice) => {
                self.look(&choice.subject);
                for case in &choice.cases {
                    self.maybe(|flow| {
                        case.guard.iter().for_each(|guard| _ = flow.look(guard));
                        flow.suite(&case.body);
                    });
                }
            }
            Stmt::Assert(claim) => {
                self.look(&claim.test);
                claim.msg.iter().for_each(|message| _ = self.maybe(|flow| flow.look(message)));
                let guards = self.guards_of(&claim.test);
                guards.yes.into_iter().for_each(|key| self.keys.guard(key));
            }
            Stmt::FunctionDef(function) => {
                function
                    .decorator_list
                    .iter()
                    .for_each(|decorator| self.escape(&decorator.expression));
                self.defaults(&function.parameters);
                self.later(|flow| _ = flow.suite(&function.body));
            }
            Stmt::ClassDef(class) => {
                class
                    .decorator_list
                    .iter()
                    .for_each(|decorator| self.escape(&decorator.expression));
                self.suite(&class.body);
            }
            Stmt::Return(leave) => {
                // The state goes back to where it came from: that is no use of it.
                leave.value.iter().for_each(|value| _ = self.value(value));
                self.may_have_left = true;
                return true;
            }
            Stmt::Raise(raise) => {
                raise.exc.iter().chain(&raise.cause).for_each(|value| self.escape(value));
                self.may_have_left = true;
                return true;
            }
            Stmt::Break(_) | Stmt::Continue(_) => return true,
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.places.bind(name, Place::Elsewhere, self.conditional > 0);
                }
            }
            Stmt::ImportFrom(_)
            | Stmt::TypeAlias(_)
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Pass(_)
            | Stmt::IpyEscapeCommand(_) => {}
        }
        false
    }

    pub(super) fn defaults(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            parameter.default.iter().for_each(|default| self.escape(default));
        }
    }

    fn branch(&mut self, test: &'a Expr, body: &'a [Stmt], rest: &'a [ElifElseClause]) -> bool {
        self.look(test);
        let guards = self.guards_of(test);
        let mark = self.keys.written();
        let body_leaves = self.maybe(|flow| flow.given(&guards.yes, |flow| flow.suite(body)));
        let aside = self.keys.set_aside(mark);
        let rest_leaves = self.maybe(|flow| {
            flow.given(&guards.no, |flow| match rest {
                [] => false,
                [clause, rest @ ..] => match &clause.test {
                    Some(test) => flow.branch(test, &clause.body, rest),
                    None => flow.suite(&clause.body),
                },
            })
        });
        if rest_leaves {
            self.keys.set_aside(mark);
        }
        // Whoever comes after a branch that left has come through the other one.
        if !body_leaves {
            self.keys.bring_back(aside);
        }
        let known = match (body_leaves, rest_leaves) {
            (true, false) => guards.no,
            (false, true) => guards.yes,
            _ => Vec::new(),
        };
        known.into_iter().for_each(|key| self.keys.guard(key));
        body_leaves && rest_leaves
    }

    fn attempt(&mut self, attempt: &'a StmtTry) -> bool {
        let optional = usize::from(attempt.handlers.iter().any(catches_missing_key));
        self.optional += optional;
        let mut leaves = self.suite(&attempt.body);
        self.optional -= optional;
        for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
            handler.type_.iter().for_each(|kind| self.escape(kind));
            leaves &= self.maybe(|flow| flow.suite(&handler.body));
        }
        leaves |= self.maybe(|flow| flow.suite(&attempt.orelse)) && attempt.handlers.is_empty();
        leaves | self.suite(&attempt.finalbody)
    }

    /// `target = value`
    fn assign(&mut self, target: &'a Expr, place: Place<'a>, value: &'a Expr) {
        match (target, place) {
            (Expr::Name(_), _) => {}
            // Kept where it cannot be followed.
            (_, Place::State | Place::Data) => self.inexact = true,
            (Expr::Attribute(attribute), _) => {
                if let (Expr::Dict(dict), true) = (value, &*attribute.attr == "data") {
                    self.write_members(dict);
                }
            }
            _ => {}
        }
        self.store(target, place);
    }

    pub(super) fn store(&mut self, target: &'a Expr, place: Place<'a>) {
        match target {
            Expr::Name(name) => {
                // Whatever `state` is now, it is not what it was.
                self.inexact |= name.id.as_str() == "state" && place != Place::State;
                self.places.bind(&name.id, place, self.conditional > 0);
            }
            Expr::Tuple(tuple) => {
                tuple.elts.iter().for_each(|target| self.store(target, place.item()))
            }
            Expr::List(list) => {
                list.elts.iter().for_each(|target| self.store(target, place.item()))
            }
            Expr::Starred(starred) => self.store(&starred.value, place.copy()),
            Expr::Subscript(item) => match (self.value(&item.value), &*item.slice) {
                (Place::Data, Expr::StringLiteral(key)) => {
                    let key = self.keys.key(key.value.to_str());
                    self.keys.write(key);
                }
                (place, slice) => {
                    self.look(slice);
                    self.stored_in(place);
                }
            },
            Expr::Attribute(attribute) => {
                let place = self.value(&attribute.value);
                self.stored_in(place);
            }
            other => _ = self.value(other),
        }
    }

    fn stored_in(&mut self, place: Place<'a>) {
        match place {
            Place::State | Place::Data | Place::Store(_) => self.inexact = true,
            Place::Inside(key) => self.changed(key),
            Place::Fresh(_) | Place::Elsewhere => {}
        }
    }

    /// `target += value` and the like.
    fn change(&mut self, change: &'a StmtAugAssign) {
        match &*change.target {
            Expr::Name(name) => {
                let place = self.places.of(&name.id);
                self.look(&change.value);
                // Numbers and texts are replaced; lists, sets and dicts are changed in place.
                let in_place = matches!(
                    &*change.value,
                    Expr::List(_)
                        | Expr::ListComp(_)
                        | Expr::Set(_)
                        | Expr::SetComp(_)
                        | Expr::Dict(_)
                );
                match (place, &*change.value) {
                    (Place::Data, Expr::Dict(dict)) if change.op == Operator::BitOr => {
                        self.write_members(dict)
                    }
                    (Place::Inside(_), _) if !in_place => {
                        self.places.bind(&name.id, Place::Elsewhere, self.conditional > 0);
                    }
                    (place, _) => self.stored_in(place),
                }
            }
            Expr::Attribute(attribute) => {
                let place = self.value(&change.target);
                self.look(&change.value);
                match (place, &*change.value) {
                    (Place::Data, Expr::Dict(dict)) if change.op == Operator::BitOr => {
                        self.write_members(dict)
                    }
                    (Place::Inside(_), _) => self.stored_in(place),
                    _ => {
                        let owner = self.value(&attribute.value);
                        self.stored_in(owner);
                    }
                }
            }
            target => {
                self.value(target);
                self.look(&change.value);
                self.store(target, Place::Elsewhere);
            }
        }
    }

    fn delete(&mut self, target: &'a Expr) {
        if let Expr::Subscript(_) = target {
            self.value(target);
        }
        self.store(target, Place::Elsewhere);
    }
}

fn catches_missing_key(handler: &ExceptHandler) -> bool {
    let ExceptHandler::ExceptHandler(handler) = handler;
    match handler.type_.as_deref() {
        Some(Expr::Name(name)) => {
            matches!(name.id.as_str(), "KeyError" | "LookupError" | "Exception" | "BaseException")
        }
        _ => true,
    }
}
