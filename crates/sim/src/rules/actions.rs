//! The right side of rules.

use super::conditions::known;
use super::{Kind, Scope, Variable, Writer};

impl Writer {
    /// What a rule does. Facts that are retracted leave the scope.
    pub(super) fn actions(&mut self, scope: &mut Scope) -> String {
        let count = self.random.below(4);
        let mut actions: Vec<String> = (0..count).map(|_| self.action(scope, 0)).collect();
        if self.random.one_in(3) {
            actions.push(self.print(scope));
        }
        actions.join(" ")
    }

    fn action(&mut self, scope: &mut Scope, depth: usize) -> String {
        let addresses: Vec<Variable> =
            scope.iter().filter(|one| matches!(one.kind, Kind::Fact(_))).cloned().collect();
        if !addresses.is_empty() && self.random.one_in(2) {
            let address = self.random.pick(&addresses).clone();
            return self.on_fact(&address, scope);
        }
        match self.random.below(12) {
            0 | 1 if self.mix.control && depth == 0 => self.control(scope),
            2 if self.mix.control => {
                let value = self.value(Kind::Number, scope);
                match self.random.below(3) {
                    0 => format!("(bind ?*g0* (mod (+ ?*g0* {value}) 5))"),
                    _ => self.bind(scope),
                }
            }
            3 if self.random.one_in(6) => "(halt)".to_owned(),
            4 => self.print(scope),
            _ => self.assert(scope),
        }
    }

    fn on_fact(&mut self, address: &Variable, scope: &mut Scope) -> String {
        let name = address.name;
        let Kind::Fact(Some(template)) = address.kind else { return retract(name, scope) };
        match self.random.below(5) {
            0 => retract(name, scope),
            4 => {
                // All facts that the rule knows.
                let of_facts = |one: &&Variable| matches!(one.kind, Kind::Fact(_));
                let names: Vec<&str> = scope.iter().filter(of_facts).map(|one| one.name).collect();
                let text = format!("(retract ?{})", names.join(" ?"));
                scope.retain(|one| !matches!(one.kind, Kind::Fact(_)));
                text
            }
            1 => format!("(duplicate ?{name}{})", self.changes(template, scope)),
            _ => format!("(modify ?{name}{})", self.changes(template, scope)),
        }
    }

    fn changes(&mut self, template: usize, scope: &Scope) -> String {
        let (_, _, slots) = self.shape(template);
        let (slot, kind) = *self.random.pick(&slots);
        format!(" ({slot} {})", self.value(kind, scope))
    }

    fn bind(&mut self, scope: &mut Scope) -> String {
        let kind = *self.random.pick(&[Kind::Number, Kind::Any, Kind::Many]);
        let value = self.value(kind, scope);
        match self.fresh(scope, kind) {
            Some(name) => {
                scope.push(Variable { name, kind });
                format!("(bind ?{name} {value})")
            }
            None => format!("(bind ?*g1* (create$ {value}))"),
        }
    }

    fn control(&mut self, scope: &Scope) -> String {
        // What a branch binds or retracts may not be so after it.
        let mut inner = scope.clone();
        inner.retain(|one| !matches!(one.kind, Kind::Fact(_)));
        let predicate = self.predicate(scope, None);
        let body = self.action(&mut inner.clone(), 1);
        match self.random.below(6) {
            0 => format!("(if {predicate} then {body})"),
            1 => {
                let other = self.action(&mut inner, 1);
                format!("(if {predicate} then {body} else {other})")
            }
            2 => {
                let body = self.action(&mut inner, 1);
                format!("(bind ?i 0) (while (< ?i 2) (bind ?i (+ ?i 1)) {body})")
            }
            3 => {
                inner.retain(|one| one.name != "k");
                inner.push(Variable { name: "k", kind: Kind::Number });
                let body = self.action(&mut inner, 1);
                format!("(loop-for-count (?k 1 {}) do {body})", self.random.between(0, 3))
            }
            4 => {
                inner.retain(|one| one.name != "w");
                let list = self.value(Kind::Many, &inner);
                inner.push(Variable { name: "w", kind: Kind::Any });
                let body = self.action(&mut inner, 1);
                format!("(progn$ (?w {list}) {body})")
            }
            _ => {
                let value = self.value(Kind::Any, scope);
                let case = self.literal(Kind::Any);
                format!("(switch {value} (case {case} then {body}) (default (printout t none)))")
            }
        }
    }

    fn print(&mut self, scope: &Scope) -> String {
        let kind = *self.random.pick(&[Kind::Any, Kind::Number, Kind::Many]);
        format!(
            "(printout t {} \" \" {} crlf)",
            self.value(Kind::Any, scope),
            self.value(kind, scope)
        )
    }

    fn assert(&mut self, scope: &Scope) -> String {
        let at = self.random.below(self.vocabulary.relations.len());
        let (name, ordered, slots) = self.shape(at);
        let mut text = format!("(assert ({name}");
        for (slot, kind) in slots {
            let written = match ordered {
                true => format!(" {}", self.value(kind, scope)),
                false if slot != "id" && self.random.one_in(4) => String::new(),
                false => format!(" ({slot} {})", self.value(kind, scope)),
            };
            text.push_str(&written);
        }
        text.push_str("))");
        text
    }

    /// An expression of a kind.
    fn value(&mut self, kind: Kind, scope: &Scope) -> String {
        let variables = known(scope, kind);
        if !variables.is_empty() && !self.random.one_in(3) {
            return format!("?{}", self.random.pick(&variables));
        }
        if self.random.one_in(5)
            && let Some(call) = self.call(kind, scope)
        {
            return call;
        }
        if self.mix.functions && self.random.one_in(3) {
            return self.function(kind, scope);
        }
        let numbers = known(scope, Kind::Number);
        let lists = known(scope, Kind::Many);
        match kind {
            Kind::Number if !numbers.is_empty() => {
                let name = self.random.pick(&numbers);
                match self.random.below(6) {
                    0 => format!("(- ?{name} 1)"),
                    1 => format!("(max ?{name} 2)"),
                    2 => format!("(* ?{name} 1.0)"),
                    _ => format!("(mod (+ ?{name} 1) 4)"),
                }
            }
            Kind::Number if !lists.is_empty() && self.random.one_in(2) => {
                format!("(length$ ?{})", self.random.pick(&lists))
            }
            Kind::Number if self.random.one_in(4) => "?*g0*".to_owned(),
            Kind::Many if !lists.is_empty() => {
                let name = self.random.pick(&lists);
                match self.random.below(4) {
                    0 => format!("(rest$ ?{name})"),
                    1 => format!("(create$ q ?{name})"),
                    2 => format!("(first$ ?{name})"),
                    _ => format!("(delete-member$ ?{name} p)"),
                }
            }
            Kind::Many => {
                let count = self.random.below(3);
                let values: Vec<String> =
                    (0..count).map(|_| self.value(Kind::Any, scope)).collect();
                format!("(create$ {})", values.join(" "))
            }
            Kind::Any if self.random.one_in(8) => {
                format!("(str-cat {} a)", self.literal(Kind::Any))
            }
            kind => self.literal(kind),
        }
    }

    /// A call of one of the program's functions that gives this kind.
    pub(super) fn call(&mut self, kind: Kind, scope: &Scope) -> Option<String> {
        let fitting: Vec<(&str, &'static [Kind])> = self
            .vocabulary
            .functions
            .iter()
            .filter(|function| function.gives == kind)
            .map(|function| (function.name, function.takes))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (name, takes) = *self.random.pick(&fitting);
        let arguments: Vec<String> = takes.iter().map(|kind| self.value(*kind, scope)).collect();
        Some(format!("({name} {})", arguments.join(" ")))
    }
}

/// The same fact may stand in the scope under other names: that is for the engines to bear.
fn retract(name: &str, scope: &mut Scope) -> String {
    scope.retain(|one| one.name != name);
    format!("(retract ?{name})")
}
