//! `deffacts`, `defglobal` and `deffunction`.

use diagnostics::{Span, codes};

use super::Reader;
use super::calls::FORMS;
use super::expr::{Flow, nothing};
use super::findings::at;
use super::left_out::left_out;
use super::scope::Scope;
use crate::functions;
use crate::program::{Expr, ExprKind, Function, FunctionId, Global, GlobalId, InitialFacts};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

/// Where initial facts and globals stand: without variables.
const INITIAL_FACTS: &str = "a `deffacts`";

impl Reader {
    pub(super) fn initial_facts(&mut self, nodes: &[Node]) {
        let Some((name, span, rest)) = self.header(nodes) else { return };
        let mut scope = Scope::constant(INITIAL_FACTS);
        let facts = rest.iter().filter_map(|node| self.fact(&mut scope, node)).collect();
        let is_known = !self.lists.insert(name.into());
        let earlier = self.program.facts.iter().position(|known| is_known && *known.name == *name);
        if let Some(earlier) = earlier {
            let earlier = self.program.facts.remove(earlier);
            self.replaced(&codes::RULES_REPLACED, "list of facts", span, earlier.span);
        }
        self.program.facts.push(InitialFacts { name: name.into(), facts, span });
    }

    pub(super) fn define_globals(&mut self, nodes: &[Node]) {
        const HELP: &str = "write `(defglobal ?*name* = VALUE)`";
        let mut rest = &nodes[1..];
        if let Some(module) = rest.first().and_then(Node::symbol) {
            let is_module = matches!(rest.get(1).and_then(Node::atom), Some(Atom::Global(_)));
            if !is_module && rest.len() > 1 {
                let message = "the name of a global stands between asterisks";
                return self.malformed(rest[0].span, message, &format!("write `?*{module}*`"));
            }
            if module != "MAIN" {
                let message = format!("there is no module `{module}`");
                let found = at(&codes::RULES_NOT_SUPPORTED, rest[0].span, message);
                self.findings.push(found.help("all constructs are in one module: delete it"));
            }
            rest = &rest[1..];
        }
        loop {
            let [target, equals, value, others @ ..] = rest else {
                if let Some(first) = rest.first() {
                    self.malformed(first.span, "a global, `=` and a value are expected here", HELP);
                }
                return;
            };
            let Some(Atom::Global(name)) = target.atom() else {
                let help = match target.atom() {
                    Some(Atom::Single(name)) => format!("write `?*{name}*`"),
                    _ => HELP.to_owned(),
                };
                return self.malformed(target.span, "the name of a global is expected here", &help);
            };
            if equals.symbol() != Some("=") {
                return self.malformed(equals.span, "`=` is expected here", HELP);
            }
            let value = self.expr(&mut Scope::constant("a global"), value, Flow::NONE);
            self.define_global(name, target.span, value);
            rest = others;
        }
    }

    fn define_global(&mut self, name: &str, span: Span, value: Expr) {
        let folded = self.fold(&value).unwrap_or_else(|why| {
            let message = format!("this global cannot be computed: {why}");
            let found = at(&codes::RULES_CANNOT_COMPUTE, value.span, message);
            self.findings.push(found.help("write a value, or mend the expression"));
            None
        });
        if let Some(id) = self.globals.get(name).copied() {
            let was_undefined = self.undefined.remove(&id).is_some();
            if let Some(global) = self.program.globals.get_mut(id.0 as usize) {
                let earlier = global.span;
                *global = Global { name: name.into(), value, span };
                self.values[id.0 as usize] = folded;
                if !was_undefined {
                    self.replaced(&codes::RULES_REPLACED, "global", span, earlier);
                }
            }
            return;
        }
        self.add_global(name, span, value);
        if let Some(last) = self.values.last_mut() {
            *last = folded;
        }
    }

    fn add_global(&mut self, name: &str, span: Span, value: Expr) -> GlobalId {
        let id = GlobalId(u32::try_from(self.program.globals.len()).unwrap_or(u32::MAX));
        self.globals.insert(name.into(), id);
        self.program.globals.push(Global { name: name.into(), value, span });
        self.values.push(None);
        id
    }

    /// A global by its name. Initial facts may use one that is defined further on: they are
    /// computed when everything has been read.
    pub(super) fn global(&mut self, scope: &Scope, name: &str, span: Span) -> ExprKind {
        if let Some(id) = self.globals.get(name).copied() {
            if !self.undefined.contains_key(&id) || scope.without == Some(INITIAL_FACTS) {
                return ExprKind::Global(id);
            }
        } else if scope.without == Some(INITIAL_FACTS) {
            let id = self.add_global(name, span, Expr { kind: nothing(), span });
            self.undefined.insert(id, span);
            return ExprKind::Global(id);
        }
        self.unknown_global(name, span);
        nothing()
    }

    fn unknown_global(&mut self, name: &str, span: Span) {
        let found =
            at(&codes::RULES_UNKNOWN_GLOBAL, span, format!("there is no global `?*{name}*`"));
        let known = self.globals.iter().filter(|(_, id)| !self.undefined.contains_key(id));
        self.findings.push(match self.near(name, known.map(|(name, _)| &**name)) {
            Some(near) => found.meant(&format!("?*{near}*"), diagnostics::Anchor::Span(span)),
            None => found.help(format!("define it before it is used: `(defglobal ?*{name}* = 0)`")),
        });
    }

    /// Reports globals that initial facts use and nothing defines.
    pub(super) fn settle_globals(&mut self) {
        for (id, span) in self.undefined.clone() {
            if let Some(global) = self.program.globals.get(id.0 as usize) {
                let name = global.name.clone();
                self.unknown_global(&name, span);
            }
        }
    }

    pub(super) fn function(&mut self, node: &Node, nodes: &[Node]) {
        const HELP: &str = "write `(deffunction name (?x $?rest) ...)`";
        let Some((name, span, rest)) = self.header(nodes) else { return };
        let is_taken = FORMS.contains(&name) || functions::find(name).is_some();
        if is_taken || left_out(name).is_some() || super::is_construct(name) {
            let message = format!("`{name}` is a function already, and cannot be defined");
            let found = at(&codes::RULES_REFUSED, span, message);
            self.findings.push(found.help("give it another name"));
            return;
        }
        let Some((parameters, body)) =
            rest.split_first().filter(|(first, _)| first.list().is_some())
        else {
            let span = rest.first().map_or(node.span, |first| first.span);
            return self.malformed(span, "the list of parameters is expected here", HELP);
        };
        let mut scope = Scope::default();
        let (mut count, mut has_rest) = (0, false);
        for parameter in parameters.list().unwrap_or_default() {
            let (name, many) = match parameter.atom() {
                Some(Atom::Single(name)) => (name, false),
                Some(Atom::Many(name)) => (name, true),
                Some(Atom::Reported) => continue,
                Some(Atom::Symbol(word)) if !has_rest => {
                    let message = "a parameter is a variable, and begins with `?`";
                    self.malformed(parameter.span, message, &format!("write `?{word}`"));
                    (word, false)
                }
                _ => {
                    self.malformed(
                        parameter.span,
                        "a parameter such as `?x` is expected here",
                        HELP,
                    );
                    continue;
                }
            };
            if has_rest {
                let message = "nothing may stand behind the parameter that takes the rest";
                self.malformed(parameter.span, message, HELP);
                continue;
            }
            let id = scope.own(name);
            if !scope.bound.insert(id) {
                self.twice(parameter.span, None, &format!("the parameter `?{name}`"));
                continue;
            }
            has_rest = many;
            count += u32::from(!many);
        }
        let function = Function {
            name: name.into(),
            variables: scope.variables.clone(),
            parameters: count,
            rest: has_rest,
            body: Vec::new(),
            span,
        };
        // It may call itself: it is known before its body is read.
        let id = match self.functions.get(name).copied() {
            Some(id) => {
                if let Some(known) = self.program.functions.get_mut(id.0 as usize) {
                    let earlier = std::mem::replace(known, function).span;
                    self.replaced(&codes::RULES_REPLACED, "function", span, earlier);
                }
                id
            }
            None => {
                let id =
                    FunctionId(u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX));
                self.functions.insert(name.into(), id);
                self.program.functions.push(function);
                id
            }
        };
        let body = self.exprs(&mut scope, body, Flow::BODY);
        let why = "neither a parameter nor a `bind` gives it a value";
        self.unbound(&mut scope, why, |name| format!("bind it: `(bind {name} VALUE)`"));
        if let Some(function) = self.program.functions.get_mut(id.0 as usize) {
            function.body = body;
            function.variables = scope.variables;
        }
    }

    /// Reports variables that nothing gives a value, with the help for their names.
    pub(super) fn unbound(&mut self, scope: &mut Scope, why: &str, help: impl Fn(&str) -> String) {
        for (id, span) in scope.unbound() {
            let Some(name) = scope.variables.get(id.0 as usize) else { continue };
            let found = at(&codes::RULES_UNBOUND, span, format!("`?{name}` has no value: {why}"));
            let near = self.near(name, scope.bound_names());
            let near = near.or_else(|| scope.bound_names().find(|known| stutters(known, name)));
            let near = near.map(|near| format!("?{near}"));
            self.findings.push(match near {
                Some(near) => found.meant(&near, diagnostics::Anchor::Span(span)),
                None => found.help(help(&format!("?{name}"))),
            });
        }
    }
}

/// Whether two names are the same but for letters that are doubled: too short to be near.
fn stutters(a: &str, b: &str) -> bool {
    let once = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.dedup();
        letters
    };
    once(a) == once(b)
}
