//! Calls: which function a list calls, and whether its arguments fit.

use diagnostics::{Anchor, Span, codes};

use super::Reader;
use super::ahead::written;
use super::expr::{Flow, nothing};
use super::findings::{at, counted};
use super::scope::Scope;
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

/// What CLIPS has and rules here do not, and why.
const LEFT_OUT: &[(&str, &[&str])] = &[
    (
        "rules have no files",
        &[
            "open",
            "close",
            "read",
            "readline",
            "get-char",
            "read-number",
            "rename",
            "remove",
            "load",
            "load*",
            "save",
            "bload",
            "bsave",
            "load-facts",
            "save-facts",
            "bload-facts",
            "bsave-facts",
            "batch",
            "batch*",
            "dribble-on",
            "dribble-off",
            "fetch",
            "print-region",
            "get-region",
            "toss",
            "flush",
            "rewind",
            "seek",
            "tell",
            "unget-char",
            "chdir",
            "put-char",
            "set-locale",
            "with-open-file",
            "load-instances",
            "save-instances",
        ],
    ),
    ("rules do not reach outside", &["system", "exit", "getenv", "setenv", "operating-system"]),
    (
        "a run must be the same each time",
        &["random", "seed", "time", "local-time", "gm-time", "gensym", "gensym*", "setgen"],
    ),
    (
        "rules do not make rules",
        &[
            "eval",
            "build",
            "funcall",
            "assert-string",
            "str-assert",
            "check-syntax",
            "undefrule",
            "undeffacts",
            "undeftemplate",
            "undeffunction",
            "undefglobal",
            "expand$",
            "apropos",
        ],
    ),
    (
        "the engine does it",
        &[
            "reset",
            "clear",
            "run",
            "refresh",
            "refresh-agenda",
            "set-strategy",
            "get-strategy",
            "set-salience-evaluation",
            "get-salience-evaluation",
            "set-fact-duplication",
            "get-fact-duplication",
            "watch",
            "unwatch",
            "facts",
            "rules",
            "agenda",
            "matches",
            "set-break",
            "remove-break",
            "show-breaks",
            "ppdefrule",
            "ppdeftemplate",
            "ppdeffacts",
            "list-defrules",
            "list-deftemplates",
            "list-deffacts",
            "dependencies",
            "dependents",
            "mem-used",
            "mem-requests",
            "release-mem",
            "conserve-mem",
            "set-dynamic-constraint-checking",
            "get-dynamic-constraint-checking",
            "set-reset-globals",
            "get-reset-globals",
            "options",
            "timer",
            "ppfact",
            "join-activity",
            "show-defglobals",
            "list-defglobals",
        ],
    ),
    (
        "there is one module",
        &[
            "focus",
            "get-focus",
            "get-focus-stack",
            "pop-focus",
            "list-focus-stack",
            "clear-focus-stack",
            "set-current-module",
            "get-current-module",
            "get-defmodule-list",
        ],
    ),
    (
        "match the facts in a rule instead",
        &[
            "any-factp",
            "find-fact",
            "find-all-facts",
            "do-for-fact",
            "do-for-all-facts",
            "delayed-do-for-all-facts",
            "get-fact-list",
        ],
    ),
    (
        "there are no objects",
        &[
            "make-instance",
            "send",
            "initialize-instance",
            "instance-name",
            "instances",
            "unmake-instance",
            "delete-instance",
            "class",
            "instancep",
            "instance-addressp",
            "instance-namep",
            "slot-insert$",
            "call-next-method",
            "next-methodp",
            "call-next-handler",
        ],
    ),
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
                    self.kinds_fit(name, function.takes, &args);
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
    pub(super) fn kinds_fit(&mut self, name: &str, takes: &[Kinds], args: &[Expr]) {
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
            let help = format!("write {wanted}");
            self.findings.push(at(&codes::RULES_ARGUMENT_KIND, arg.span, message).help(help));
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
        if let Some(why) = left_out(name) {
            let message = format!("`{name}` is left out on purpose: {why}");
            let found = at(&codes::RULES_LEFT_OUT, head.span, message);
            self.findings.push(found.help("do it where the rules are run, and pass facts"));
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

/// Why CLIPS has a function and rules here do not.
pub(super) fn left_out(name: &str) -> Option<&'static str> {
    LEFT_OUT.iter().find(|(_, names)| names.contains(&name)).map(|(why, _)| *why)
}
