//! Arguments of a program as the operator writes them: fixed texts with holes that a call fills.
//!
//! A hole is filled by one argument and stays inside of its element, whatever it holds: there is
//! no shell that could take it apart.

use std::fmt;

use value::{Map, Value, json};

/// One element of a command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Hole(String),
    /// Every item is an element of its own.
    Each(String),
}

impl Element {
    /// Reads `text`, `{hole}`, `--name={hole}` or `{list...}`; `{{` and `}}` are braces.
    pub(crate) fn read(text: &str) -> Result<Element, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            if from.starts_with("{{") || from.starts_with("}}") {
                plain.push_str(&from[..1]);
                rest = &from[2..];
                continue;
            }
            let inner = from.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let Some((name, after)) = inner else {
                return Err(format!(
                    "`{text}` has a brace without its other; write `{{{{` for one"
                ));
            };
            let (name, is_each) = match name.strip_suffix("...") {
                Some(name) => (name, true),
                None => (name, false),
            };
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_part) {
                return Err(format!("`{{{name}}}` in `{text}` is no name of an argument"));
            }
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            if is_each && (!pieces.is_empty() || !after.is_empty()) {
                return Err(format!("`{{{name}...}}` must stand alone"));
            }
            let name = name.to_owned();
            pieces.push(if is_each { Piece::Each(name) } else { Piece::Hole(name) });
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Element(pieces))
    }

    /// The arguments that fill it, and whether each is a list.
    pub(super) fn holes(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Hole(name) => Some((name.as_str(), false)),
            Piece::Each(name) => Some((name.as_str(), true)),
        })
    }

    /// What it is for a call. What begins with `-` is an option to most programs, so that no
    /// argument may begin an element with one unless it is named in `dashes`.
    pub(super) fn filled(
        &self,
        args: &Map,
        dashes: &[String],
        into: &mut Vec<String>,
    ) -> Result<(), String> {
        let guarded = |name: &str, text: String| match text.starts_with('-') {
            true if !dashes.iter().any(|allowed| allowed == name) => Err(format!(
                "`{name}` begins with `-`, and the program would take it for an option"
            )),
            _ => Ok(text),
        };
        if let [Piece::Each(name)] = &self.0[..] {
            let items = match args.get(name) {
                None | Some(Value::Null) => return Ok(()),
                Some(Value::List(items)) => items,
                Some(other) => {
                    return Err(format!("`{name}` must be a list, but is {}", other.kind()));
                }
            };
            for item in items.iter() {
                into.push(guarded(name, scalar(name, item)?)?);
            }
            return Ok(());
        }
        let mut whole = String::new();
        for (at, piece) in self.0.iter().enumerate() {
            match piece {
                Piece::Text(text) => whole.push_str(text),
                Piece::Hole(name) | Piece::Each(name) => {
                    let value = args.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
                    let text = scalar(name, value)?;
                    whole.push_str(&if at == 0 { guarded(name, text)? } else { text });
                }
            }
        }
        into.push(whole);
        Ok(())
    }
}

/// A text, a number or a truth value, as a program reads it.
fn scalar(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) if text.contains('\0') => Err(format!("`{name}` has a NUL")),
        Value::Text(text) => Ok(text.to_string()),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => Ok(json::compact(value)),
        other => Err(format!("`{name}` must be text or a number, but is {}", other.kind())),
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            Piece::Hole(name) => write!(f, "{{{name}}}"),
            Piece::Each(name) => write!(f, "{{{name}...}}"),
        })
    }
}
