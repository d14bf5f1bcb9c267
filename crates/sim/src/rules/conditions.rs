//! The left side of rules.

use super::{Kind, Scope, Variable, Writer};

/// How deep conditions nest.
const DEPTH: usize = 3;

impl Writer {
    /// One condition; what it binds for those after it is in the scope then.
    pub(super) fn condition(&mut self, scope: &mut Scope, depth: usize) -> String {
        if depth >= DEPTH {
            return self.pattern(scope);
        }
        let nesting = self.mix.nesting;
        match self.random.below(16) {
            0 | 1 if self.mix.negation => self.negation(scope, depth),
            2 if self.mix.negation => self.inside("exists", scope, depth),
            3 if self.mix.negation && nesting => self.forall(scope, depth),
            8 | 9 if self.mix.groups && nesting => self.negation(scope, depth),
            4 if nesting => {
                let parts: Vec<String> = (0..self.random.between(1, 3))
                    .map(|_| self.condition(scope, depth + 1))
                    .collect();
                format!("(and {})", parts.join(" "))
            }
            5 if nesting => self.either(scope, depth),
            6 | 7 if self.mix.tests => self.test(scope),
            _ if depth == 0 && self.mix.addresses && self.random.one_in(3) => {
                self.addressed_pattern(scope)
            }
            _ => self.pattern(scope),
        }
    }

    fn negation(&mut self, scope: &Scope, depth: usize) -> String {
        let mut inner = scope.clone();
        let choices = if self.mix.groups { 4 } else { 6 };
        match self.random.below(choices) {
            3 if self.mix.groups && self.mix.nesting => {
                // Most often of two patterns, which is joined with what is outside at its end.
                let first = self.pattern(&mut inner);
                format!("(not (and {first} {}))", self.pattern(&mut inner))
            }
            0 if self.mix.nesting => self.inside("not (and", scope, depth) + ")",
            1 if self.mix.nesting => self.inside("not (exists", scope, depth) + ")",
            2 if self.mix.nesting => format!("(not {})", self.negation(scope, depth + 1)),
            _ => format!("(not {})", self.pattern(&mut inner)),
        }
    }

    /// Conditions whose variables stay among themselves.
    fn inside(&mut self, word: &str, scope: &Scope, depth: usize) -> String {
        let mut inner = scope.clone();
        let count = if self.mix.nesting { self.random.between(1, 3) } else { 1 };
        let mut parts: Vec<String> =
            (0..count).map(|_| self.condition(&mut inner, depth + 1)).collect();
        // A group that begins with a test, and holds without any fact, does not count for CLIPS
        // before a fact comes.
        if parts[0].contains("(test") {
            parts[0] = self.pattern(&mut scope.clone());
        }
        format!("({word} {})", without_lost_test(parts).join(" "))
    }

    fn forall(&mut self, scope: &Scope, depth: usize) -> String {
        let mut inner = scope.clone();
        let mut parts = vec![self.pattern(&mut inner)];
        for _ in 0..self.random.between(1, 3) {
            let part =
                if depth == 0 { self.condition(&mut inner, 2) } else { self.pattern(&mut inner) };
            parts.push(part);
        }
        format!("(forall {})", without_lost_test(parts).join(" "))
    }

    /// Later conditions see what all branches bind.
    fn either(&mut self, scope: &mut Scope, depth: usize) -> String {
        let mut parts = Vec::new();
        let mut common: Option<Scope> = None;
        for _ in 0..self.random.between(2, 3) {
            let mut inner = scope.clone();
            parts.push(self.condition(&mut inner, depth + 1));
            match &mut common {
                None => common = Some(inner),
                Some(common) => common.retain(|variable| inner.contains(variable)),
            }
        }
        *scope = common.unwrap_or_default();
        format!("(or {})", parts.join(" "))
    }

    fn test(&mut self, scope: &Scope) -> String {
        format!("(test {})", self.predicate(scope, None))
    }

    fn addressed_pattern(&mut self, scope: &mut Scope) -> String {
        let Some(name) = self.fresh(scope, Kind::Fact(None)) else { return self.pattern(scope) };
        let at = self.random.below(self.vocabulary.relations.len());
        let pattern = self.pattern_of(at, scope);
        let template = if self.vocabulary.relations[at].ordered { None } else { Some(at) };
        scope.push(Variable { name, kind: Kind::Fact(template) });
        format!("?{name} <- {pattern}")
    }

    /// A pattern of variables that nothing else has, with the address of its fact.
    pub(super) fn easy_pattern(&mut self, scope: &mut Scope) -> String {
        let at = self.random.below(self.vocabulary.relations.len());
        let (name, ordered, slots) = self.shape(at);
        let mut text = format!("({name}");
        for (slot, kind) in slots {
            let sign = if kind == Kind::Many { "$?" } else { "?" };
            let variable = self.fresh(scope, kind).unwrap_or_default();
            if !variable.is_empty() {
                scope.push(Variable { name: variable, kind });
            }
            let field = format!("{sign}{variable}");
            let field = if ordered { format!(" {field}") } else { format!(" ({slot} {field})") };
            text.push_str(&field);
        }
        text.push(')');
        if !self.mix.addresses {
            return text;
        }
        let template = if ordered { None } else { Some(at) };
        scope.push(Variable { name: "f", kind: Kind::Fact(template) });
        format!("?f <- {text}")
    }

    fn pattern(&mut self, scope: &mut Scope) -> String {
        let at = self.random.below(self.vocabulary.relations.len());
        self.pattern_of(at, scope)
    }

    fn pattern_of(&mut self, at: usize, scope: &mut Scope) -> String {
        let (name, ordered, mut slots) = self.shape(at);
        let mut text = format!("({name}");
        if !ordered && self.random.one_in(4) {
            slots.reverse();
        }
        for (slot, kind) in slots {
            if !ordered && self.random.one_in(3) {
                continue;
            }
            let fields = match kind {
                Kind::Many => self.fields(scope),
                kind => self.field(kind, scope),
            };
            let gap = if fields.is_empty() { "" } else { " " };
            let written =
                if ordered { format!("{gap}{fields}") } else { format!(" ({slot}{gap}{fields})") };
            text.push_str(&written);
        }
        text.push(')');
        text
    }

    /// What a pattern asks of a list.
    fn fields(&mut self, scope: &mut Scope) -> String {
        let count = *self.random.pick(&[0, 1, 1, 2, 2, 2, 3, 3]);
        let mut parts = Vec::new();
        for _ in 0..count {
            let part = match self.random.below(6) {
                0 | 1 => "$?".to_owned(),
                2 | 3 => self.list_variable(scope),
                _ => self.field(Kind::Any, scope),
            };
            self.behind_list |= part.starts_with('$');
            parts.push(part);
        }
        self.behind_list = false;
        parts.join(" ")
    }

    fn list_variable(&mut self, scope: &mut Scope) -> String {
        let known: Vec<&str> = known(scope, Kind::Many);
        if !known.is_empty() && self.random.one_in(4) {
            return format!("$?{}", self.random.pick(&known));
        }
        let Some(name) = self.fresh(scope, Kind::Many) else { return "$?".to_owned() };
        scope.push(Variable { name, kind: Kind::Many });
        match self.random.below(6) {
            0 if self.mix.constraints => format!("$?{name}&:(> (length$ ?{name}) 1)"),
            1 if self.mix.constraints => format!("$?{name}&:(not (member$ p $?{name}))"),
            _ => format!("$?{name}"),
        }
    }

    /// What a pattern asks of one field.
    fn field(&mut self, kind: Kind, scope: &mut Scope) -> String {
        let choices = if self.mix.joins { 8 } else { 10 };
        let plain = match self.random.below(choices) {
            0 | 1 => Some("?".to_owned()),
            2 => Some(self.literal(kind)),
            5 if self.mix.joins => self.known_single(scope).map(|name| format!("?{name}")),
            3 | 4 => self.known_single(scope).map(|name| format!("?{name}")),
            _ => None,
        };
        if let Some(plain) = plain {
            return plain;
        }
        if self.mix.constraints && self.random.one_in(4) {
            return self.unnamed(kind, scope);
        }
        let Some(name) = self.fresh(scope, kind) else { return "?".to_owned() };
        let own = Variable { name, kind };
        let rest = if self.mix.constraints && self.random.one_in(2) {
            self.connected(&own, scope)
        } else {
            String::new()
        };
        scope.push(own);
        format!("?{name}{rest}")
    }

    /// A constraint that does not begin with a variable of its own. Behind a `$?` in the same list
    /// CLIPS looks at a wrong field, or beyond the last, for what is computed and for a variable
    /// that is one of several choices: it crashes, or answers differently each time.
    fn unnamed(&mut self, kind: Kind, scope: &Scope) -> String {
        let known = self.known_single(scope);
        match (self.random.below(6), known) {
            (0, Some(name)) => format!("~?{name}"),
            (1, Some(name)) if !self.behind_list => format!("?{name}|{}", self.literal(kind)),
            (2, _) if !self.behind_list => format!("={}", self.computed(scope)),
            (3, _) => format!("~{}&~{}", self.literal(kind), self.literal(kind)),
            (4, _) => format!("~{}", self.literal(kind)),
            _ => format!("{}|{}", self.literal(kind), self.literal(kind)),
        }
    }

    /// What follows the variable of a field. A value is never joined with anything else by `&`:
    /// CLIPS forgets the rest of the field then.
    fn connected(&mut self, own: &Variable, scope: &Scope) -> String {
        let mut scope = scope.clone();
        let known = self.known_single(&scope);
        scope.push(own.clone());
        match (self.random.below(9), known) {
            (0, Some(name)) => format!("&~?{name}"),
            (1, Some(name)) if !self.behind_list => {
                format!("&?{name}|{}", self.literal(own.kind))
            }
            (0..=2, _) => format!("&~{}", self.literal(own.kind)),
            (3, _) => format!("&{}|{}", self.literal(own.kind), self.literal(own.kind)),
            (4, _) => format!("&~{}&~{}", self.literal(own.kind), self.literal(own.kind)),
            (5, _) if !self.behind_list => {
                let before = *self.random.pick(&["&~=", "&=", "&q|=", "&~p&~="]);
                format!("{before}{}", self.computed(&scope))
            }
            (6, _) => {
                let first = self.predicate(&scope, Some(own));
                format!("&:{first}|:{}", self.predicate(&scope, Some(own)))
            }
            _ => format!("&:{}", self.predicate(&scope, Some(own))),
        }
    }

    fn known_single(&mut self, scope: &[Variable]) -> Option<&'static str> {
        let mut names = known(scope, Kind::Any);
        names.extend(known(scope, Kind::Number));
        if names.is_empty() { None } else { Some(*self.random.pick(&names)) }
    }

    /// Something to compare a field with.
    fn computed(&mut self, scope: &[Variable]) -> String {
        let numbers = known(scope, Kind::Number);
        if numbers.is_empty() || self.random.one_in(4) {
            return (*self.random.pick(&["(+ 1 1)", "(sym-cat p)", "(- ?*g0* 1)"])).to_owned();
        }
        let name = self.random.pick(&numbers);
        format!("(+ ?{name} {})", self.random.below(3))
    }

    /// An expression that holds or does not; about the variable, if one is given.
    pub(super) fn predicate(&mut self, scope: &[Variable], about: Option<&Variable>) -> String {
        if self.random.one_in(8) {
            let first = self.simple_predicate(scope, about);
            let second = self.simple_predicate(scope, about);
            return match self.random.below(3) {
                0 => format!("(and {first} {second})"),
                1 => format!("(or {first} {second})"),
                _ => format!("(not {first})"),
            };
        }
        self.simple_predicate(scope, about)
    }

    fn simple_predicate(&mut self, scope: &[Variable], about: Option<&Variable>) -> String {
        if self.mix.functions && self.random.one_in(8) {
            let scope = scope.to_vec();
            if let Some(call) = self.call(Kind::Number, &scope) {
                return format!("(> {call} 1)");
            }
            if let Some(call) = self.call(Kind::Any, &scope) {
                return format!("(eq {call} {})", self.literal(Kind::Any));
            }
            return match self.random.below(2) {
                0 => format!("(> {} 1)", self.function(Kind::Number, &scope)),
                _ => format!("(neq {} p)", self.function(Kind::Any, &scope)),
            };
        }
        let subject = match about {
            Some(own) => Some(own.clone()),
            None if scope.is_empty() => None,
            None => Some(self.random.pick(scope).clone()),
        };
        let Some(Variable { name, kind }) = subject else {
            return (*self.random.pick(&["(> 2 1)", "(eq p q)", "(= ?*g0* 2)"])).to_owned();
        };
        match kind {
            Kind::Number => {
                let compare = *self.random.pick(&["<", ">", ">=", "<=", "=", "<>"]);
                let other = self.number(scope);
                format!("({compare} ?{name} {other})")
            }
            Kind::Many => match self.random.below(3) {
                0 => format!("(> (length$ ?{name}) {})", self.random.below(3)),
                1 => format!("(member$ {} $?{name})", self.literal(Kind::Any)),
                _ => format!("(eq (nth$ 1 (create$ $?{name} q)) {})", self.literal(Kind::Any)),
            },
            Kind::Fact(_)
                if scope.iter().filter(|one| matches!(one.kind, Kind::Fact(_))).count() > 1 =>
            {
                let others: Vec<&str> = ["f", "g", "h"]
                    .into_iter()
                    .filter(|other| *other != name && scope.iter().any(|one| one.name == *other))
                    .collect();
                format!("(neq ?{name} ?{})", self.random.pick(&others))
            }
            Kind::Fact(_) => (*self.random.pick(&["(eq 1 1)", "(neq p p)"])).to_owned(),
            Kind::Any => {
                let other = match self.known_single(scope) {
                    Some(other) if self.random.one_in(2) => format!("?{other}"),
                    _ => self.literal(Kind::Any),
                };
                match self.random.below(7) {
                    6 => format!("(member$ ?{name} ?*g1*)"),
                    0 => format!("(numberp ?{name})"),
                    1 => format!("(symbolp ?{name})"),
                    2 => format!("(member$ ?{name} (create$ {other} 1 \"p\"))"),
                    3 => format!("(eq ?{name} {other})"),
                    4 => format!("(and (numberp ?{name}) (> ?{name} 1))"),
                    _ => format!("(neq ?{name} {other})"),
                }
            }
        }
    }

    /// A number: a literal or a variable.
    fn number(&mut self, scope: &[Variable]) -> String {
        let numbers = known(scope, Kind::Number);
        if numbers.is_empty() || self.random.one_in(2) {
            let is_global = self.random.one_in(5);
            return if is_global { "?*g0*".to_owned() } else { self.literal(Kind::Number) };
        }
        format!("?{}", self.random.pick(&numbers))
    }
}

/// CLIPS forgets a test that ends a group, where a negation that ends with a test is before it.
fn without_lost_test(mut parts: Vec<String>) -> Vec<String> {
    let others = parts.iter().rposition(|part| !part.starts_with("(test")).unwrap_or(0);
    let negates = |part: &String| {
        ["(not", "(exists", "(forall"].iter().any(|word| part.starts_with(word))
            && part.contains("(test")
    };
    if parts.get(others).is_some_and(negates) {
        parts.truncate(others + 1);
    }
    parts
}

/// The variables of a kind.
pub(super) fn known(scope: &[Variable], kind: Kind) -> Vec<&'static str> {
    scope.iter().filter(|variable| variable.kind == kind).map(|variable| variable.name).collect()
}
