//! Reads the rules of a policy: YAML with `deny`, `allow`, `ask` and `require`.
//!
//! ```
//! use diagnostics::Source;
//! let source = Source::new("policy.yaml", "deny:\n  - adapters: http.*\n    reason: no network\n");
//! let mut findings = Vec::new();
//! let tree = frontends::yaml::read(&source, &mut findings).unwrap();
//! let book = frontends::policy::read(&source, &tree, &mut findings);
//! assert!(findings.is_empty());
//! assert_eq!(book.rules[0].reason.as_deref(), Some("no network"));
//! ```
//!
//! A file may also have `rules` and `default`, which look at one call of a run with its arguments.
//! Whoever runs something reads those; here they are only known to be there.

mod member;

use diagnostics::{Anchor, Diagnostic, Source, any_error, codes, nearest};
use graph::contracts;
use graph::ops::OPS;
use graph::policy::{About, From, Glob, List, Rule, Rulebook, Scope};
use graph::{Effect, Tier, Touches};

use self::member::{Members, one_or_many, unknown_member, wrong_kind};
use crate::yaml::Tree;

/// No list is longer.
const RULES_MAX: usize = 1_000;

/// The members of a file. The last two decide about calls of a run.
pub const SECTIONS: [&str; 6] = ["deny", "allow", "ask", "require", "rules", "default"];

/// What a rule can be about, if it is about nodes.
const OF_NODES: [&str; 7] = ["adapters", "effects", "tiers", "kinds", "touches", "labels", "from"];

/// Everything that a rule can have.
const OF_RULES: [&str; 14] = [
    "adapters",
    "effects",
    "tiers",
    "kinds",
    "touches",
    "labels",
    "from",
    "endpoints",
    "without",
    "capabilities",
    "reason",
    "capability",
    "expires_s",
    "abort",
];

const OF_FROM: [&str; 4] = ["cron", "endpoint", "label", "entry"];

/// The rules in a text that was read as YAML. What is wrong is told, and is no rule.
pub fn read(source: &Source, tree: &Tree, findings: &mut Vec<Diagnostic>) -> Rulebook {
    let mut book = Rulebook { file: source.file.clone(), rules: Vec::new() };
    let Some(sections) = tree.as_map() else {
        findings.push(wrong_kind(tree, "a policy", "a map with `deny`, `allow`, `ask`, ..."));
        return book;
    };
    for (key, value) in sections {
        if let Some(list) = List::ALL.into_iter().find(|list| list.word() == &*key.text) {
            let items = value.as_list().filter(|items| items.len() <= RULES_MAX);
            match items {
                None => {
                    let wanted = format!("a list of at most {RULES_MAX} rules");
                    findings.push(wrong_kind(value, &format!("`{}`", key.text), &wanted));
                }
                Some(items) => {
                    let rules = (1..).zip(items);
                    book.rules.extend(
                        rules.filter_map(|(number, item)| rule(list, number, item, findings)),
                    );
                }
            }
        } else if !SECTIONS.contains(&&*key.text) {
            findings.push(unknown_member(key, "a policy", &SECTIONS));
        }
    }
    book
}

fn rule(list: List, number: usize, item: &Tree, findings: &mut Vec<Diagnostic>) -> Option<Rule> {
    let before = findings.len();
    let mut rule = Rule {
        list,
        number,
        about: About::Nodes(Box::default()),
        reason: None,
        capability: None,
        expires_s: None,
        aborts: false,
    };
    // `deny: ["http.*"]` is short for a rule that only names what is called.
    if item.as_text().is_some() {
        let adapters = verbs(item, findings);
        rule.about = About::Nodes(Box::new(Scope { adapters, ..Scope::default() }));
        if list == List::Require {
            findings.push(wrong_kind(item, "what is required", "a map with `capabilities`"));
            return None;
        }
        return Some(rule);
    }
    let Some(entries) = item.as_map() else {
        findings.push(wrong_kind(item, "a rule", "a map, or the name of what is called"));
        return None;
    };
    for (key, _) in entries.iter().filter(|(key, _)| !OF_RULES.contains(&&*key.text)) {
        findings.push(unknown_member(key, "a rule", &OF_RULES));
    }
    // Whatever it was meant to be about may be what is misspelt.
    if findings.len() > before {
        return None;
    }
    let members = Members { item, list };
    members.only_in(&["capability", "expires_s"], &[List::Ask], findings);
    members.only_in(&["abort", "endpoints"], &[List::Deny], findings);
    members.only_in(&["capabilities"], &[List::Deny, List::Require], findings);
    members.only_in(&OF_NODES[..6], &[List::Deny, List::Allow, List::Ask], findings);
    members.only_in(&["from"], &[List::Deny, List::Ask], findings);
    rule.about = about(&members, findings)?;
    rule.reason = members.text("reason", findings);
    rule.capability = members.text("capability", findings);
    rule.aborts = members.flag("abort", findings);
    rule.expires_s = members.seconds("expires_s", findings);
    (!any_error(&findings[before..])).then_some(rule)
}

/// What a rule is about: nodes, endpoints or what is declared, and only one of these.
fn about(members: &Members<'_>, findings: &mut Vec<Diagnostic>) -> Option<About> {
    let item = members.item;
    let endpoints = item.entry("endpoints");
    let capabilities = item.entry("capabilities");
    let of_node = OF_NODES.iter().find_map(|name| item.entry(name));
    let kinds = [endpoints, capabilities, of_node];
    let mut given = kinds.into_iter().flatten();
    let Some((first, _)) = given.next() else {
        if item.entry("without").is_none() {
            let known = OF_NODES.map(|name| format!("`{name}`")).join(", ");
            let message = "this rule does not say what it is about";
            let found =
                Diagnostic::new(&codes::POLICY_EMPTY_RULE, Anchor::Span(item.span), message);
            findings.push(found.help(format!(
                "say {known}, `endpoints` or `capabilities`; `adapters: \"*\"` is every call"
            )));
        } else {
            members.misplaced("without", "without `endpoints`", findings);
        }
        return None;
    };
    if let Some((other, _)) = given.next() {
        let message = format!("one rule cannot be about `{}` and `{}`", first.text, other.text);
        let found = Diagnostic::new(&codes::POLICY_MISPLACED, Anchor::Span(other.span), message);
        findings.push(found.help("make two rules of it"));
        return None;
    }
    if let Some((_, paths)) = endpoints {
        let paths = globs(paths, "endpoints", findings);
        return Some(About::Endpoints { paths, without_auth: members.without_auth(findings) });
    }
    if item.entry("without").is_some() {
        members.misplaced("without", "without `endpoints`", findings);
    }
    if let Some((_, names)) = capabilities {
        return Some(About::Capabilities(globs(names, "capabilities", findings)));
    }
    let mut scope = Scope::default();
    for name in OF_NODES {
        let Some(value) = item.get(name) else { continue };
        match name {
            "adapters" => scope.adapters = verbs(value, findings),
            "effects" => scope.effects = words(value, name, &Effect::ALL, Effect::word, findings),
            "tiers" => scope.tiers = words(value, name, &Tier::ALL, Tier::word, findings),
            "touches" => {
                scope.touches = words(value, name, &Touches::ALL, Touches::word, findings);
            }
            "kinds" => {
                let known: Vec<&str> = kinds_known();
                let named = words(value, name, &known, |word| word, findings);
                scope.kinds = named.into_iter().map(|kind| Glob::new(&kind.into())).collect();
            }
            "labels" => scope.labels = globs(value, name, findings),
            _ => scope.from = from(value, findings),
        }
    }
    Some(About::Nodes(Box::new(scope)))
}

/// The words of spec 2 for what a node touches.
fn kinds_known() -> Vec<&'static str> {
    let of_ops = OPS.iter().filter_map(|op| op.tier()?.1);
    let mut known: Vec<&str> = contracts::kinds().chain(of_ops).collect();
    known.sort_unstable();
    known.dedup();
    known
}

fn from(value: &Tree, findings: &mut Vec<Diagnostic>) -> Option<From> {
    let Some(entries) = value.as_map() else {
        let wanted = "a map such as `{cron: \"*\"}`";
        findings.push(wrong_kind(value, "`from`", wanted));
        return None;
    };
    let mut from = From::default();
    for (key, value) in entries {
        let place = match &*key.text {
            "cron" => &mut from.cron,
            "endpoint" => &mut from.endpoint,
            "label" => &mut from.label,
            "entry" => &mut from.entry,
            _ => {
                findings.push(unknown_member(key, "`from`", &OF_FROM));
                continue;
            }
        };
        *place = globs(value, &key.text, findings);
    }
    if entries.is_empty() {
        let message = "`from` does not say where runs begin";
        let at = Anchor::Span(value.span);
        let found = Diagnostic::new(&codes::POLICY_EMPTY_RULE, at, message);
        findings.push(found.help("say `cron`, `endpoint`, `label` or `entry`"));
    }
    Some(from)
}

fn globs(value: &Tree, name: &str, findings: &mut Vec<Diagnostic>) -> Vec<Glob> {
    let named = one_or_many(value, name, findings).into_iter();
    named.map(|(_, written)| Glob::new(written)).collect()
}

/// Patterns of verbs. A namespace that is nearly one that everybody knows was meant to be that one.
fn verbs(value: &Tree, findings: &mut Vec<Diagnostic>) -> Vec<Glob> {
    let mut globs = Vec::new();
    for (tree, written) in one_or_many(value, "adapters", findings) {
        let glob = Glob::of_verbs(written);
        let space = glob.namespace().unwrap_or_default();
        let is_known = contracts::namespaces().any(|known| known.eq_ignore_ascii_case(space));
        if let Some(near) = nearest(space, contracts::namespaces()).filter(|_| !is_known) {
            let at = Anchor::Span(tree.span);
            let message =
                format!("no adapter is known as `{space}`, so that this may hold for nothing");
            let found = Diagnostic::new(&codes::POLICY_UNKNOWN_NAMESPACE, at, message);
            findings.push(found.help(format!("did you mean `{near}`?")));
        }
        globs.push(glob);
    }
    globs
}

/// Words of a list that is closed.
fn words<T: Copy>(
    value: &Tree,
    name: &str,
    known: &[T],
    word: impl Fn(T) -> &'static str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<T> {
    let mut found = Vec::new();
    for (tree, written) in one_or_many(value, name, findings) {
        match known.iter().find(|known| word(**known).eq_ignore_ascii_case(written)) {
            Some(known) => found.push(*known),
            None => {
                let words: Vec<&str> = known.iter().map(|known| word(*known)).collect();
                findings.push(member::unknown_word(tree, name, written, &words));
            }
        }
    }
    found
}
