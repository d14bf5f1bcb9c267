//! A policy as a list of rules: the first one that holds decides.
//!
//! ```yaml
//! rules:
//!   - when: tool == 'refund' and args.amount > 100
//!     decision: ask
//!     capability: approve.refund
//!     reason: a large refund
//! default: allow
//! ```
//!
//! Conditions are those of every graph, but one that compares what has no order (a text with a
//! number, or something that is missing) has no answer here: then the call is denied.

use diagnostics::{Anchor, Diagnostic, codes};
use frontends::yaml::Tree;
use graph::{Expr, Term};
use value::{Map, Value};

use super::decision;

/// No list is longer.
const RULES_MAX: usize = 1_000;

#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    default: Value,
}

#[derive(Debug)]
struct Rule {
    when: Expr,
    decision: Value,
}

impl Rules {
    /// Reads the part of a policy that looks at one call with its arguments; nothing where there is
    /// none. What is wrong is told.
    pub(super) fn read(tree: &Tree, findings: &mut Vec<Diagnostic>) -> Option<Rules> {
        // Whoever reads the other parts says what else is wrong with them.
        let members = tree.as_map()?;
        let has_lists = members
            .iter()
            .any(|(key, _)| graph::policy::List::ALL.iter().any(|list| list.word() == &*key.text));
        if has_lists && tree.get("rules").is_none() && tree.get("default").is_none() {
            return None;
        }
        let read = Rules::of(tree);
        read.map_err(|unread| findings.push(*unread)).ok()
    }

    fn of(tree: &Tree) -> Result<Rules, Box<Diagnostic>> {
        let wrong = |at: &Tree, what: String| {
            let at = Anchor::Span(at.span);
            Err(Box::new(Diagnostic::new(&codes::POLICY_UNREADABLE, at, what)))
        };
        let default = match tree.get("default").map(|it| (it, it.as_text())) {
            Some((_, Some(word))) if decision::is_word(word) => {
                let reason = Value::text("no rule holds, and this is the default");
                Value::map([("decision", Value::Text(word.clone())), ("reason", reason)])
            }
            Some((at, _)) => {
                return wrong(at, format!("`default` is one of {}", decision::WORDS.join(", ")));
            }
            None => {
                let what = "say what holds where no rule does: `default: deny_continue`";
                return wrong(tree, what.into());
            }
        };
        let listed = match tree.get("rules") {
            None => &[][..],
            Some(rules) => match rules.as_list() {
                Some(listed) if listed.len() <= RULES_MAX => listed,
                _ => return wrong(rules, format!("`rules` is a list of at most {RULES_MAX}")),
            },
        };
        let mut rules = Vec::new();
        for rule in listed {
            let when = match rule.get("when").map(|when| (when, when.as_text())) {
                Some((at, Some(text))) => match Expr::parse(text) {
                    Ok(when) => when,
                    Err(why) => return wrong(at, format!("`{text}` is no condition: {why}")),
                },
                _ => return wrong(rule, "a rule needs `when`, a condition".into()),
            };
            if let Some(unknown) = unknown_name(&when) {
                return wrong(rule, unknown);
            }
            let mut said = rule.to_value().as_map().cloned().unwrap_or_default();
            said.remove("when");
            if said.get("reason").is_none() {
                said.insert("reason".into(), Value::text(format!("because {when}")));
            }
            let said = Value::from(said);
            if let Err(why) = decision::read(&said) {
                return wrong(rule, why.replacen("the policy", "the rule", 1));
            }
            rules.push(Rule { when, decision: said });
        }
        Ok(Rules { rules, default })
    }

    pub(super) fn decide(&self, call: &Map) -> Result<Value, String> {
        for (number, rule) in (1..).zip(&self.rules) {
            match holds(&rule.when, call) {
                Ok(true) => return Ok(rule.decision.clone()),
                Ok(false) => {}
                Err(why) => return Err(format!("rule {number} cannot be decided: {why}")),
            }
        }
        Ok(self.default.clone())
    }
}

/// A condition about something that no call has would never hold, and so would protect nobody.
fn unknown_name(when: &Expr) -> Option<String> {
    let usual = super::with_defaults(&Map::default()).unwrap_or_default();
    let unknown = when.names().into_iter().find(|name| usual.get(name).is_none())?;
    let known: Vec<&str> = usual.keys().map(|name| &**name).collect();
    Some(format!("a call has no `{unknown}`; it has {}", known.join(", ")))
}

/// Whether a condition holds; none where it compares what has no order.
fn holds(expr: &Expr, call: &Map) -> Result<bool, String> {
    Ok(match expr {
        Expr::Compare(left, cmp, right) if cmp.is_order() => {
            let (one, other) = (left.value(call), right.value(call));
            let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
            let is_text = |value: &Value| matches!(value, Value::Text(_));
            let both = |is: &dyn Fn(&Value) -> bool| is(&one) && is(&other);
            if !both(&is_number) && !both(&is_text) {
                let named = |term: &Term, value: &Value| match term.path() {
                    Some(path) => format!("`{path}` ({})", value.kind()),
                    None => value.kind().to_string(),
                };
                let (one, other) = (named(left, &one), named(right, &other));
                return Err(format!("{one} and {other} have no order"));
            }
            cmp.holds(&one, &other)
        }
        Expr::Not(inner) => !holds(inner, call)?,
        Expr::And(items) => {
            for item in items {
                if !holds(item, call)? {
                    return Ok(false);
                }
            }
            true
        }
        Expr::Or(items) => {
            for item in items {
                if holds(item, call)? {
                    return Ok(true);
                }
            }
            false
        }
        other => other.eval(call),
    })
}
