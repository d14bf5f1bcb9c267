//! Secrets while they are used, and texts and values from which they must not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use runtime::Fault;
use value::{Map, Text, Value, json};

use crate::http::percent_encoded;

/// So many bytes of a secret, wherever they stand in a message, are taken for a piece of it.
const PIECE: usize = 8;

/// What is shorter is suspected of nothing, in bytes.
const SUSPECT_MIN: usize = 6;

/// Secrets for the time that somebody is given them.
#[derive(Clone, Default)]
pub(crate) struct Revealed {
    secrets: BTreeMap<Text, String>,
    /// How they may be written, the longest first since one may be a part of another, each with
    /// what stands in its place. What a secret was before it changed stays here.
    forms: Vec<(String, String)>,
}

impl fmt::Debug for Revealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.secrets.keys()).finish()
    }
}

impl Revealed {
    /// One more.
    pub(crate) fn add(&mut self, name: Text, secret: String) {
        let quoted = json::compact(&Value::text(&*secret));
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        // As the name of a host it is written in small letters.
        let small = secret.to_ascii_lowercase();
        for form in [secret.clone(), percent_encoded(&secret), escaped, small] {
            if !form.is_empty() && !self.forms.iter().any(|(known, _)| *known == form) {
                self.forms.push((form, format!("{{secret:{name}}}")));
            }
        }
        self.forms.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        self.secrets.insert(name, secret);
    }

    /// One more that may be no secret at all. What is short is none, and would be found in words
    /// that have nothing to do with it.
    pub(crate) fn suspect(&mut self, name: Text, held: String) {
        if held.len() >= SUSPECT_MIN {
            self.add(name, held);
        }
    }

    /// All of some others.
    pub(crate) fn extend(&mut self, others: &Revealed) {
        others.all().for_each(|(name, secret)| self.add(name.clone(), secret.to_owned()));
    }

    /// What stands for a secret: nothing, where there is none of this name.
    pub(crate) fn get(&self, name: &Text) -> &str {
        self.secrets.get(name).map_or("", String::as_str)
    }

    /// Their names, and what they are.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Text, &str)> {
        self.secrets.iter().map(|(name, secret)| (name, secret.as_str()))
    }

    /// A message without secrets and without longer pieces of them: what is said in it may have
    /// been cut anywhere.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut pieces: BTreeMap<&[u8], &str> = BTreeMap::new();
        let mut widths = BTreeSet::new();
        for (form, name) in &self.forms {
            let width = form.len().min(PIECE);
            widths.insert(width);
            pieces.extend(form.as_bytes().windows(width).map(|piece| (piece, name.as_str())));
        }
        let mut covered: Vec<Option<&str>> = vec![None; text.len()];
        for width in widths {
            for (at, piece) in text.as_bytes().windows(width).enumerate() {
                if let Some(name) = pieces.get(piece) {
                    covered[at..at + width].fill(Some(name));
                }
            }
        }
        let (mut hidden, mut before) = (String::with_capacity(text.len()), None);
        for (at, letter) in text.char_indices() {
            let name = covered[at..at + letter.len_utf8()].iter().copied().flatten().next();
            match name {
                None => hidden.push(letter),
                Some(mask) if name != before => hidden.push_str(mask),
                Some(_) => {}
            }
            before = name;
        }
        hidden
    }

    /// An answer without secrets, neither in texts nor in the names of members. Pieces stay: what
    /// others say may well begin like a secret, as all tokens of one kind do.
    pub(crate) fn hide_in(&self, value: Value) -> Value {
        if self.forms.is_empty() {
            return value;
        }
        match value {
            Value::Text(text) => Value::text(self.replaced(&text)),
            Value::List(items) => Value::list(items.iter().map(|item| self.hide_in(item.clone()))),
            Value::Map(members) => {
                let hidden = members.iter().map(|(name, value)| {
                    (Text::from(self.replaced(name)), self.hide_in(value.clone()))
                });
                hidden.collect::<Map>().into()
            }
            Value::Int(_) | Value::Float(_) => {
                let written = json::compact(&value);
                let found = self.forms.iter().find(|(form, _)| *form == written);
                found.map_or(value, |(_, name)| Value::text(&**name))
            }
            other @ (Value::Null | Value::Bool(_)) => other,
        }
    }

    /// A failure without secrets.
    pub(crate) fn hide_in_fault(&self, fault: Fault) -> Fault {
        Fault {
            message: self.hide(&fault.message).into(),
            details: fault.details.map(|details| self.hide_in(details)),
            ..fault
        }
    }

    /// Whatever came of a call, without secrets.
    pub(crate) fn hide_in_result(&self, result: Result<Value, Fault>) -> Result<Value, Fault> {
        match result {
            Ok(value) => Ok(self.hide_in(value)),
            Err(fault) => Err(self.hide_in_fault(fault)),
        }
    }

    fn replaced(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        for (form, name) in &self.forms {
            if hidden.contains(form) {
                hidden = hidden.replace(form, name);
            }
        }
        hidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revealed(secrets: &[(&str, &str)]) -> Revealed {
        let mut revealed = Revealed::default();
        secrets.iter().for_each(|(name, secret)| revealed.add((*name).into(), (*secret).into()));
        revealed
    }

    #[test]
    fn a_message_holds_no_piece_of_a_secret() {
        let known = revealed(&[("A", "sk-canary-0123456789"), ("B", "pin"), ("C", "grüße \"du\"")]);
        for (text, hidden) in [
            ("nothing", "nothing"),
            ("sk-canary-0123456789 is wrong", "{secret:A} is wrong"),
            ("Bearer sk-canary-0123456789sk-canary-0123456789.", "Bearer {secret:A}."),
            ("it begins with sk-canary-01...", "it begins with {secret:A}..."),
            ("é23456789é", "é{secret:A}é"),
            ("SK-CANARY sk-canar", "SK-CANARY {secret:A}"),
            ("spinning", "s{secret:B}ning"),
            ("pinsk-canary-0123456789", "{secret:B}{secret:A}"),
            ("gr%C3%BC%C3%9Fe%20%22du%22", "{secret:C}"),
            (r#""grüße \"du\"""#, r#""{secret:C}""#),
            // A cut through a letter.
            ("\u{fc}\u{df}e \"d", "{secret:C}"),
            ("", ""),
        ] {
            assert_eq!(known.hide(text), hidden, "{text}");
        }
        assert_eq!(revealed(&[]).hide("sk-canary"), "sk-canary");
        assert_eq!(format!("{known:?}"), r#"{"A", "B", "C"}"#);
    }

    #[test]
    fn an_answer_holds_no_whole_secret() {
        let known = revealed(&[("A", "eyJhbGciOi.canary"), ("B", "eyJhbGciOi.canary-longer")]);
        let said = r#"{"eyJhbGciOi.canary":["eyJhbGciOi.other","eyJhbGciOi.canary-longer",1]}"#;
        let hidden = known.hide_in(json::parse(said).unwrap());
        assert_eq!(json::compact(&hidden), r#"{"{secret:A}":["eyJhbGciOi.other","{secret:B}",1]}"#);
    }

    #[test]
    fn what_a_secret_was_is_not_told_either() {
        let known = revealed(&[("A", "canary-before"), ("A", "another-after")]);
        assert_eq!(known.get(&"A".into()), "another-after");
        assert_eq!(known.hide("canary-before, another-after"), "{secret:A}, {secret:A}");
    }
}
