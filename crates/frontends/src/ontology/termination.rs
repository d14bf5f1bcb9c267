//! When a team or a protocol is over: a text, a limit, a match, or a combination of them.

use std::fmt::Display;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::At;

use super::shape::Checker;
use crate::yaml::{Key, Node, Tree};

const OPERATORS: [&str; 3] = ["and", "or", "not"];
const VARIANTS: [&str; 5] = ["simple", "max_turns", "max_time", "text_match", "composite"];

/// Combinations nest; nobody needs more than this.
const DEPTH_MAX: usize = 32;

/// Checks a termination condition.
pub(super) fn check<'t>(
    checker: &mut Checker<'_, 't>,
    at: &At<'_>,
    tree: &'t Tree,
    of: &dyn Display,
    depth: usize,
) {
    let entries = match &tree.node {
        Node::Text(_) => return,
        Node::Map(entries) if depth <= DEPTH_MAX => entries,
        Node::Map(_) => {
            let at = Anchor::Located(tree.span, at.pointer());
            let message = format!("{of} is nested too deeply");
            return checker.report(Diagnostic::new(&codes::OUT_OF_RANGE, at, message));
        }
        _ => return checker.wrong_kind(at, tree, of, "text or a condition"),
    };
    if tree.get("operator").is_some() || tree.get("conditions").is_some() {
        return composite(checker, at, tree, of, depth);
    }
    let variant = entries.iter().find(|(key, _)| VARIANTS.contains(&&*key.text));
    let Some((key, value)) = variant else {
        let at = Anchor::Located(super::spec::heading(tree), at.pointer());
        let found = Diagnostic::new(
            &codes::UNKNOWN_TYPE,
            at,
            format!("{of} is no kind of condition that is known"),
        );
        let near = entries.iter().find_map(|(key, _)| nearest(&key.text, VARIANTS));
        return checker.report(match near {
            Some(near) => found.help(format!("did you mean `{near}`?")),
            None => found.help(
                "write text, `max_turns: {count: 10}`, `max_time: {duration: 5m}`, \
                 `text_match: {pattern: ..., in_field: ...}`, or `operator` with `conditions`",
            ),
        });
    };
    for (other, _) in entries.iter().filter(|(other, _)| other.text != key.text) {
        ignored(checker, at, other, of);
    }
    let at = at.member(&key.text);
    let of = &format_args!("`{}` of {of}", key.text);
    let known: &[&str] = match &*key.text {
        "simple" => &["condition"],
        "max_turns" => &["count"],
        "max_time" => &["duration"],
        "text_match" => &["pattern", "in_field"],
        _ => &["operator", "conditions"],
    };
    for (other, _) in value.as_map().unwrap_or_default() {
        if !known.contains(&&*other.text) {
            ignored(checker, &at, other, of);
        }
    }
    match &*key.text {
        "composite" if value.as_map().is_some() => composite(checker, &at, value, of, depth),
        "simple" => match value.get("condition") {
            Some(text) => expect_text(checker, &at.member("condition"), text, "condition", of),
            None if value.as_text().is_some() => {}
            None if value.as_map().is_some() => checker.missing(&at, value, "condition", of),
            None => checker.wrong_kind(&at, value, of, "text"),
        },
        "max_turns" => match value.get("count") {
            Some(count) => expect_count(checker, &at.member("count"), count, of),
            None if value.as_map().is_some() => checker.missing(&at, value, "count", of),
            None => expect_count(checker, &at, value, of),
        },
        "max_time" => match value.get("duration") {
            Some(duration) => {
                let what = format_args!("`duration` of {of}");
                checker.duration(&at.member("duration"), duration, &what);
            }
            None if value.as_map().is_some() => checker.missing(&at, value, "duration", of),
            None => checker.duration(&at, value, of),
        },
        "text_match" if value.as_map().is_some() => {
            for name in ["pattern", "in_field"] {
                match value.get(name).filter(|value| !matches!(value.node, Node::Null)) {
                    Some(text) => expect_text(checker, &at.member(name), text, name, of),
                    None => checker.missing(&at, value, name, of),
                }
            }
        }
        _ => checker.wrong_kind(&at, value, of, "an object"),
    }
}

fn composite<'t>(
    checker: &mut Checker<'_, 't>,
    at: &At<'_>,
    tree: &'t Tree,
    of: &dyn Display,
    depth: usize,
) {
    let operator = tree.get("operator").filter(|value| !matches!(value.node, Node::Null));
    let place = Anchor::Located(
        operator.map_or_else(|| super::spec::heading(tree), |value| value.span),
        at.member("operator").pointer(),
    );
    let word = match operator.map(|value| (value.as_text(), value)) {
        None => {
            let message = format!("{of} has `conditions` but no `operator`");
            let found = Diagnostic::new(&codes::RULE_15, place, message);
            checker.report(found.help("say `operator: and`, `or` or `not`"));
            None
        }
        Some((None, value)) => {
            let what = format_args!("`operator` of {of}");
            checker.wrong_kind(&at.member("operator"), value, &what, "text");
            None
        }
        Some((Some(word), _)) if OPERATORS.contains(&&**word) => Some(&**word),
        Some((Some(word), _)) => {
            let message = format!("`operator` of {of} cannot be `{word}`");
            let found = Diagnostic::new(&codes::RULE_15, place.clone(), message);
            checker.report(match checker.near(word, OPERATORS) {
                Some(near) => found.meant(near, place),
                None => found.help("it is `and`, `or` or `not`"),
            });
            None
        }
    };
    let conditions = match tree.get("conditions").filter(|value| !matches!(value.node, Node::Null))
    {
        None if word == Some("not") => {
            let place =
                Anchor::Located(super::spec::heading(tree), at.member("conditions").pointer());
            let message = format!("`not` in {of} has no condition");
            let found = Diagnostic::new(&codes::RULE_16, place, message);
            return checker.report(found.help("`not` turns exactly one condition round"));
        }
        None => return checker.missing(at, tree, "conditions", of),
        Some(value) => value,
    };
    let at = at.member("conditions");
    let Some(items) = conditions.as_list() else {
        let what = format_args!("`conditions` of {of}");
        return checker.wrong_kind(&at, conditions, &what, "a list");
    };
    let key = tree.entry("conditions").map_or(conditions.span, |(key, _)| key.span);
    let anchor = Anchor::Located(key, at.pointer());
    match (word, items.len()) {
        (Some("not"), 1) => {}
        (Some("not"), count) => {
            let message = format!("`not` in {of} has {count} conditions");
            checker.report(Diagnostic::new(&codes::RULE_16, anchor, message).help(
                "`not` turns exactly one condition round; to turn several, put an `or` inside",
            ));
        }
        (Some(_), 0) => {
            let message = format!("`conditions` of {of} is empty");
            checker.report(Diagnostic::new(&codes::OUT_OF_RANGE, anchor, message));
        }
        _ => {}
    }
    for (index, item) in items.iter().enumerate() {
        let of = format_args!("condition {} of {of}", index + 1);
        check(checker, &at.item(index), item, &of, depth + 1);
    }
}

fn ignored(checker: &mut Checker<'_, '_>, at: &At<'_>, key: &Key, of: &dyn Display) {
    let at = Anchor::Located(key.span, at.member(&key.text).pointer());
    let message = format!("{of} has the key `{}`, which nobody reads", key.text);
    checker.report(Diagnostic::new(&codes::UNKNOWN_KEY, at, message).help("remove it"));
}

fn expect_text(
    checker: &mut Checker<'_, '_>,
    at: &At<'_>,
    value: &Tree,
    name: &str,
    of: &dyn Display,
) {
    if value.as_text().is_none() {
        checker.wrong_kind(at, value, &format_args!("`{name}` of {of}"), "text");
    }
}

fn expect_count(checker: &mut Checker<'_, '_>, at: &At<'_>, value: &Tree, of: &dyn Display) {
    match value.node {
        Node::Int(count) if count >= 1 => {}
        Node::Int(_) => {
            let at = Anchor::Located(value.span, at.pointer());
            let message = format!("{of} must be at least 1");
            checker.report(Diagnostic::new(&codes::OUT_OF_RANGE, at, message));
        }
        _ => checker.wrong_kind(at, value, of, "a whole number"),
    }
}
