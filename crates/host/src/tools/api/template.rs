//! Texts with gaps: `{name}` and `{name.part}` are arguments of a call, `{name?}` is one that may
//! be missing, `{secret:NAME}` is a secret, and `{{name}}` is the text `{name}`.
//!
//! Only what an operator wrote is read like this, and once. What fills a gap is never looked at
//! again: an argument that says `{secret:NAME}` is that text.

use value::{Map, Text, Value, json};

use crate::http::percent_encoded;
use crate::secrets::is_name;

/// A text with gaps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Argument(Argument),
    Secret(Text),
}

/// An argument of a call, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    /// INVARIANT: at least one.
    path: Vec<Text>,
    /// Whether what it stands in is left out where it is missing.
    pub(super) is_optional: bool,
}

/// Where a gap is. It decides how an argument is written, so that it stays one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a path or a query, or in a form.
    Url,
    /// In the value of a header.
    Header,
    /// In a text.
    Plain,
    /// In a text that is JSON.
    Json,
    /// In a text that is XML or HTML.
    Markup,
}

/// What stands for a secret.
#[derive(Clone, Copy)]
pub(super) enum Secrets<'a> {
    /// It, for the one who is called.
    Known(&'a dyn Fn(&Text) -> String),
    /// Its name, for everybody else.
    Named,
}

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            let (gap, length) = match (escaped(rest), gap(rest)?) {
                (Some(inner), _) => {
                    plain.push_str(inner);
                    (None, inner.len() + 2)
                }
                (None, Some((gap, length))) => (Some(gap), length),
                (None, None) => {
                    plain.push('{');
                    (None, 1)
                }
            };
            if let Some(gap) = gap {
                parts.extend(text_part(&mut plain));
                parts.push(gap);
            }
            rest = &rest[length..];
        }
        plain.push_str(rest);
        parts.extend(text_part(&mut plain));
        Ok(Template { parts })
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parts.iter().filter_map(|part| match part {
            Part::Argument(argument) => Some(argument),
            _ => None,
        })
    }

    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Text> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name),
            _ => None,
        })
    }

    /// Whether it has no gaps.
    pub(crate) fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }

    /// What is no gap.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(&**text),
            _ => None,
        })
    }

    /// The argument, where it is that and nothing else.
    pub(crate) fn as_argument(&self) -> Option<&Argument> {
        match &*self.parts {
            [Part::Argument(argument)] => Some(argument),
            _ => None,
        }
    }

    /// The text for a call. None where an argument is missing that may be.
    pub(super) fn fill(
        &self,
        args: &Map,
        place: Place,
        secrets: Secrets<'_>,
    ) -> Result<Option<String>, String> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Secret(name) => match secrets {
                    Secrets::Known(secret) => filled.push_str(&place.written(secret(name))),
                    Secrets::Named => filled.push_str(&format!("{{secret:{name}}}")),
                },
                Part::Argument(argument) => match argument.find(args)? {
                    Some(Value::Null) | None if argument.is_optional => return Ok(None),
                    Some(Value::Null) if place != Place::Json => return Err(argument.missing()),
                    Some(value) => filled.push_str(&argument.write(value, place)?),
                    None => return Err(argument.missing()),
                },
            }
        }
        Ok(Some(filled))
    }
}

impl Argument {
    /// The name of the argument that it is, or is a part of.
    pub(super) fn name(&self) -> &Text {
        &self.path[0]
    }

    /// Its value, where there is one. A part of what has no parts is an error even if it may be
    /// missing: somebody has mixed something up.
    pub(super) fn find<'a>(&self, args: &'a Map) -> Result<Option<&'a Value>, String> {
        let Some(mut found) = args.get(self.name()) else { return Ok(None) };
        for part in &self.path[1..] {
            let inner = match found {
                Value::Null => return Ok(None),
                Value::Map(map) => map.get(part),
                Value::List(items) => part.parse::<usize>().ok().and_then(|at| items.get(at)),
                other => {
                    let (name, kind) = (self.shown(), other.kind());
                    return Err(format!("`{name}` cannot be looked up: there is {kind} before it"));
                }
            };
            match inner {
                Some(inner) => found = inner,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    pub(super) fn missing(&self) -> String {
        format!("the argument `{}` is missing", self.shown())
    }

    pub(super) fn shown(&self) -> String {
        self.path.iter().map(|part| &**part).collect::<Vec<_>>().join(".")
    }

    fn write(&self, value: &Value, place: Place) -> Result<String, String> {
        let text = match (value, place) {
            (_, Place::Json) => return Ok(json::compact(value)),
            (Value::Text(text), _) => text.to_string(),
            (Value::List(_) | Value::Map(_), Place::Url | Place::Header) => {
                let (name, kind) = (self.shown(), value.kind());
                return Err(format!(
                    "the argument `{name}` must be text, a number or a boolean here, but is {kind}"
                ));
            }
            (other, _) => json::compact(other),
        };
        if place == Place::Header && text.chars().any(char::is_control) {
            return Err(format!(
                "the argument `{}` has a line break or another control character, which no header \
                 can have",
                self.shown()
            ));
        }
        Ok(place.written(text))
    }
}

impl Place {
    /// A text so that nothing in it has a meaning here.
    fn written(self, text: String) -> String {
        match self {
            Place::Url => percent_encoded(&text),
            Place::Markup => in_markup(&text),
            Place::Json => json::compact(&Value::text(text)),
            Place::Header | Place::Plain => text,
        }
    }
}

fn text_part(plain: &mut String) -> Option<Part> {
    (!plain.is_empty()).then(|| Part::Text(std::mem::take(plain)))
}

/// The gap that a text begins with, and how long it is. A brace that begins none is just a brace.
fn gap(text: &str) -> Result<Option<(Part, usize)>, String> {
    let Some(inner) = text[1..].split_once('}').map(|(inner, _)| inner) else { return Ok(None) };
    let length = inner.len() + 2;
    if let Some(name) = inner.strip_prefix("secret:") {
        return match is_name(name) {
            true => Ok(Some((Part::Secret(name.into()), length))),
            false => Err(format!("`{{{inner}}}` names no secret: write `{{secret:NAME}}`")),
        };
    }
    Ok(argument(inner).map(|argument| (Part::Argument(argument), length)))
}

/// What is meant as it is, with its inner braces, where a text begins with two of them.
fn escaped(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("{{")?.split_once("}}").map(|(inner, _)| inner)?;
    let is_gap = argument(inner).is_some() || inner.strip_prefix("secret:").is_some_and(is_name);
    is_gap.then(|| &text[1..inner.len() + 3])
}

fn argument(inner: &str) -> Option<Argument> {
    let (path, is_optional) = match inner.strip_suffix('?') {
        Some(path) => (path, true),
        None => (inner, false),
    };
    let mut parts = path.split('.');
    let is_path = parts.next().is_some_and(is_name)
        && parts.all(|part| !part.is_empty() && part.chars().all(is_letter));
    is_path.then(|| Argument { path: path.split('.').map(Text::from).collect(), is_optional })
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn in_markup(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => written.push_str("&lt;"),
            '>' => written.push_str("&gt;"),
            '&' => written.push_str("&amp;"),
            '"' => written.push_str("&quot;"),
            '\'' => written.push_str("&#39;"),
            _ => written.push(letter),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str, args: &str, place: Place) -> Result<Option<String>, String> {
        let args = json::parse(args).unwrap();
        let secret = |name: &Text| format!("<{name}>");
        let template = Template::parse(text).unwrap();
        template.fill(args.as_map().unwrap(), place, Secrets::Known(&secret))
    }

    #[test]
    fn gaps_are_filled_once_and_other_braces_stay() {
        let args = r#"{"a": "1", "b": {"c": [true, "{a}"]}, "d": "{secret:S}{{a}}", "n": null}"#;
        for (text, expected) in [
            ("x", "x"),
            ("", ""),
            ("{a}", "1"),
            ("x{a}y{b.c.0}z", "x1ytruez"),
            ("{b.c.1}", "{a}"),
            ("{d}", "{secret:S}{{a}}"),
            ("{secret:S}", "<S>"),
            ("{{a}}", "{a}"),
            ("{{secret:S}}", "{secret:S}"),
            ("{{a.b?}}", "{a.b?}"),
            ("{ a }", "{ a }"),
            ("{", "{"),
            ("}{", "}{"),
            ("{a", "{a"),
            ("{}", "{}"),
            ("{{}}", "{{}}"),
            (r#"{"q": {"r": {a}}}"#, r#"{"q": {"r": 1}}"#),
            ("query { a(b: 1) { c } }", "query { a(b: 1) { c } }"),
            ("{1}", "{1}"),
            ("{a.}", "{a.}"),
            ("${a}", "$1"),
        ] {
            assert_eq!(fill(text, args, Place::Plain), Ok(Some(expected.to_owned())), "{text}");
        }
        assert_eq!(fill("{a}{z?}", args, Place::Plain), Ok(None));
        assert_eq!(fill("{n?}", args, Place::Json), Ok(None));
        assert_eq!(fill("{n}", args, Place::Json), Ok(Some("null".to_owned())));
        for (text, expected) in [
            ("{z}", "the argument `z` is missing"),
            ("{n}", "the argument `n` is missing"),
            ("{b.x.y}", "the argument `b.x.y` is missing"),
            ("{a.x?}", "`a.x` cannot be looked up: there is text before it"),
        ] {
            assert_eq!(fill(text, args, Place::Plain), Err(expected.to_owned()), "{text}");
        }
        for text in ["{secret:}", "{secret: A}", "{secret:A b}", "{secret:1}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_argument_is_written_so_that_it_stays_one() {
        let args = r#"{"t": "a&b=<ü> \"'/?#%\r\n", "n": 1.5, "l": [1, {"a": "b"}]}"#;
        for (text, place, expected) in [
            ("{t}", Place::Url, "a%26b%3D%3C%C3%BC%3E%20%22%27%2F%3F%23%25%0D%0A"),
            ("{n}", Place::Url, "1.5"),
            ("{secret:S}", Place::Url, "%3CS%3E"),
            ("{secret:S}", Place::Markup, "&lt;S&gt;"),
            ("{secret:S}", Place::Header, "<S>"),
            ("{t}", Place::Plain, "a&b=<ü> \"'/?#%\r\n"),
            ("{l}", Place::Plain, r#"[1,{"a":"b"}]"#),
            ("{t}", Place::Json, r#""a&b=<ü> \"'/?#%\r\n""#),
            ("{l}", Place::Json, r#"[1,{"a":"b"}]"#),
            ("{t}", Place::Markup, "a&amp;b=&lt;ü&gt; &quot;&#39;/?#%\r\n"),
            ("{n}", Place::Header, "1.5"),
        ] {
            assert_eq!(fill(text, args, place), Ok(Some(expected.to_owned())), "{text} {place:?}");
        }
        for (text, place) in [("{t}", Place::Header), ("{l}", Place::Header), ("{l}", Place::Url)] {
            assert!(fill(text, args, place).is_err(), "{text} {place:?}");
        }
    }
}
