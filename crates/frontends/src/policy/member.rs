//! The members of a rule: which kind each must be, and where it may stand.

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use graph::policy::List;
use value::Text;

use crate::yaml::{Key, Tree};

/// Nobody has longer to answer: a year.
const EXPIRES_MAX_S: i64 = 366 * 24 * 60 * 60;

/// A rule that is being read.
pub(super) struct Members<'a> {
    pub(super) item: &'a Tree,
    pub(super) list: List,
}

impl Members<'_> {
    /// These members have a meaning in some lists only.
    pub(super) fn only_in(&self, names: &[&str], lists: &[List], findings: &mut Vec<Diagnostic>) {
        if lists.contains(&self.list) {
            return;
        }
        for name in names.iter().filter(|name| self.item.entry(name).is_some()) {
            let lists: Vec<String> =
                lists.iter().map(|list| format!("`{}`", list.word())).collect();
            let why = format!("under `{}`: it is for {}", self.list.word(), lists.join(" and "));
            self.misplaced(name, &why, findings);
        }
    }

    /// A member that has no meaning here.
    pub(super) fn misplaced(&self, name: &str, why: &str, findings: &mut Vec<Diagnostic>) {
        let Some((key, _)) = self.item.entry(name) else { return };
        let message = format!("`{name}` has no meaning {why}");
        findings.push(Diagnostic::new(&codes::POLICY_MISPLACED, Anchor::Span(key.span), message));
    }

    pub(super) fn text(&self, name: &str, findings: &mut Vec<Diagnostic>) -> Option<Text> {
        let value = self.item.get(name)?;
        let text = value.as_text().filter(|text| !text.trim().is_empty());
        if text.is_none() {
            findings.push(wrong_kind(value, &format!("`{name}`"), "text"));
        }
        text.cloned()
    }

    pub(super) fn flag(&self, name: &str, findings: &mut Vec<Diagnostic>) -> bool {
        let Some(value) = self.item.get(name) else { return false };
        let flag = value.as_bool();
        if flag.is_none() {
            findings.push(wrong_kind(value, &format!("`{name}`"), "`true` or `false`"));
        }
        flag.unwrap_or_default()
    }

    pub(super) fn seconds(&self, name: &str, findings: &mut Vec<Diagnostic>) -> Option<i64> {
        let value = self.item.get(name)?;
        let seconds = value.as_int().filter(|seconds| (1..=EXPIRES_MAX_S).contains(seconds));
        if seconds.is_none() {
            let wanted = "a whole number of seconds from 1 to a year";
            findings.push(wrong_kind(value, &format!("`{name}`"), wanted));
        }
        seconds
    }

    /// `without: auth`, the only thing that can be missing.
    pub(super) fn without_auth(&self, findings: &mut Vec<Diagnostic>) -> bool {
        let Some(value) = self.item.get("without") else { return false };
        match value.as_text() {
            Some(word) if &**word == "auth" => {}
            Some(word) => findings.push(unknown_word(value, "without", word, &["auth"])),
            None => findings.push(wrong_kind(value, "`without`", "`auth`")),
        }
        true
    }
}

/// A text, or a list of texts, each with its place. None at all is a mistake.
pub(super) fn one_or_many<'a>(
    value: &'a Tree,
    name: &str,
    findings: &mut Vec<Diagnostic>,
) -> Vec<(&'a Tree, &'a Text)> {
    let items = value.as_list().unwrap_or(std::slice::from_ref(value));
    let mut texts = Vec::new();
    for item in items {
        match item.as_text().filter(|text| !text.trim().is_empty()) {
            Some(text) => texts.push((item, text)),
            None => {
                findings.push(wrong_kind(item, &format!("`{name}`"), "text, or a list of texts"))
            }
        }
    }
    if items.is_empty() {
        findings.push(wrong_kind(value, &format!("`{name}`"), "text, or a list that has some"));
    }
    texts
}

pub(super) fn wrong_kind(value: &Tree, what: &str, wanted: &str) -> Diagnostic {
    let message = match value.as_list().is_some_and(<[Tree]>::is_empty) {
        true => format!("{what} must be {wanted}, not an empty list"),
        false => format!("{what} must be {wanted}, not {}", value.kind()),
    };
    Diagnostic::new(&codes::POLICY_WRONG_KIND, Anchor::Span(value.span), message)
}

pub(super) fn unknown_member(key: &Key, of: &str, known: &[&str]) -> Diagnostic {
    let at = Anchor::Span(key.span);
    let message = format!("{of} has no member `{}`", key.text);
    let found = Diagnostic::new(&codes::POLICY_UNKNOWN_MEMBER, at, message);
    found.help(meant(&key.text, known))
}

pub(super) fn unknown_word(value: &Tree, name: &str, word: &str, known: &[&str]) -> Diagnostic {
    let at = Anchor::Span(value.span);
    let message = format!("`{word}` is none of the words for `{name}`");
    let found = Diagnostic::new(&codes::POLICY_UNKNOWN_WORD, at, message);
    found.help(meant(word, known))
}

fn meant(written: &str, known: &[&str]) -> String {
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
            format!("there are {}", known.join(", "))
        }
    }
}
