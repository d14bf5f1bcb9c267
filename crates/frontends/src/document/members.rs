//! The members of a document, one by one: of the right kind, absent, or odd.

use std::sync::Arc;

use diagnostics::{Anchor, Diagnostic, codes, nearest};
use value::{At, Map, Text, Value};

/// Reads members and reports what is wrong with them.
pub(super) struct Reader<'f> {
    pub(super) findings: &'f mut Vec<Diagnostic>,
    /// Findings that the document carries from when it was compiled.
    pub(super) carried: Vec<Value>,
}

/// What a member turned out to be.
pub(super) enum Member<T> {
    Is(T),
    /// Null counts as not there.
    Absent,
    /// Reported; to be kept as written.
    Odd,
}

impl<T> Member<T> {
    /// The value, or nothing after `keep` was told to keep what was written.
    pub(super) fn or_keep(self, keep: impl FnOnce()) -> Option<T> {
        match self {
            Member::Is(value) => Some(value),
            Member::Absent => None,
            Member::Odd => {
                keep();
                None
            }
        }
    }
}

impl Reader<'_> {
    /// Reads the objects of a list; what is none is reported and comes back with its place.
    pub(super) fn objects<T>(
        &mut self,
        at: &At<'_>,
        items: &[Value],
        each: fn(&mut Self, &At<'_>, u32, &Map) -> T,
    ) -> (Vec<T>, Vec<(u32, Value)>) {
        let mut read = Vec::with_capacity(items.len());
        let mut odd = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let at = at.item(index);
            let place = u32::try_from(index).unwrap_or(u32::MAX);
            match item {
                Value::Map(map) => read.push(each(self, &at, place, map)),
                other => {
                    self.wrong_kind(&at, "an object", other);
                    odd.push((place, other.clone()));
                }
            }
        }
        (read, odd)
    }

    pub(super) fn text(&mut self, at: &At<'_>, value: &Value) -> Member<Text> {
        match value {
            Value::Text(text) => Member::Is(text.clone()),
            other => self.other(at, "text", other),
        }
    }

    pub(super) fn map(&mut self, at: &At<'_>, value: &Value) -> Member<Arc<Map>> {
        match value {
            Value::Map(map) => Member::Is(map.clone()),
            other => self.other(at, "an object", other),
        }
    }

    pub(super) fn list<'v>(&mut self, at: &At<'_>, value: &'v Value) -> Member<&'v [Value]> {
        match value {
            Value::List(items) => Member::Is(items),
            other => self.other(at, "a list", other),
        }
    }

    pub(super) fn texts(&mut self, at: &At<'_>, value: &Value) -> Member<Vec<Text>> {
        let items = match self.list(at, value) {
            Member::Is(items) => items,
            Member::Absent => return Member::Absent,
            Member::Odd => return Member::Odd,
        };
        match items.iter().position(|item| item.as_text().is_none()) {
            None => Member::Is(items.iter().filter_map(Value::as_text).cloned().collect()),
            Some(odd) => {
                self.wrong_kind(&at.item(odd), "text", &items[odd]);
                Member::Odd
            }
        }
    }

    pub(super) fn line(&mut self, at: &At<'_>, value: &Value) -> Member<i64> {
        match value {
            Value::Int(line) => Member::Is(*line),
            other => self.other(at, "a whole number", other),
        }
    }

    pub(super) fn word<T>(
        &mut self,
        at: &At<'_>,
        value: &Value,
        find: impl Fn(&str) -> Option<T>,
        words: &[&'static str],
    ) -> Member<T> {
        let text = match self.text(at, value) {
            Member::Is(text) => text,
            Member::Absent => return Member::Absent,
            Member::Odd => return Member::Odd,
        };
        if let Some(found) = find(&text) {
            return Member::Is(found);
        }
        let anchor = Anchor::value(at.pointer());
        let member =
            anchor.pointer().and_then(|pointer| pointer.tokens().last()).unwrap_or_default();
        let message = format!("`{text}` is no `{member}`");
        let found = Diagnostic::new(&codes::NOT_ALLOWED, anchor.clone(), message);
        self.findings.push(match nearest(&text, words.iter().copied()) {
            Some(near) => found
                .help(format!("did you mean `{near}`?"))
                .fix(format!("write `{near}`"), anchor, format!("\"{near}\""))
                .unsure(),
            None => found.help(format!("it is one of {}", words.join(", "))),
        });
        Member::Odd
    }

    pub(super) fn other<T>(&mut self, at: &At<'_>, expected: &str, found: &Value) -> Member<T> {
        if *found == Value::Null {
            return Member::Absent;
        }
        self.wrong_kind(at, expected, found);
        Member::Odd
    }

    pub(super) fn wrong_kind(&mut self, at: &At<'_>, expected: &str, found: &Value) {
        let what = match at {
            At::Root => "the document".to_string(),
            At::Member(_, name) => format!("`{name}`"),
            At::Item(At::Member(_, "nodes"), _) => "a node".to_string(),
            At::Item(At::Member(_, "edges"), _) => "an edge".to_string(),
            At::Item(At::Member(_, "exits"), _) => "an exit".to_string(),
            At::Item(At::Member(_, "steps"), _) => "a step".to_string(),
            At::Item(..) => "an item".to_string(),
        };
        let message = format!("{what} must be {expected}, not {}", found.kind());
        self.findings.push(Diagnostic::new(
            &codes::WRONG_KIND,
            Anchor::value(at.pointer()),
            message,
        ));
    }
}
