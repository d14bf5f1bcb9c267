//! Checks what a member holds: its kind, its range, the words and names it may be.

use std::fmt::Display;

use diagnostics::{Anchor, Diagnostic, Span, codes};
use value::{At, Text};

use super::fields::{Field, Holds};
use super::names::Use;
use super::shape::{Checker, LATER, list};
use super::{Ontology, duration, field_type, termination};
use crate::yaml::{self, Node, Tree};

impl<'t> Checker<'_, 't> {
    /// Checks the value of a member.
    pub(super) fn field(
        &mut self,
        at: &At<'_>,
        value: &'t Tree,
        field: &'static Field,
        of: &dyn Display,
    ) {
        // A key without a value counts as not there.
        if matches!(value.node, Node::Null) {
            return;
        }
        let wrong = |this: &mut Self, expected: &str| {
            this.wrong_kind(at, value, &format!("`{}` of {of}", field.name), expected);
        };
        match &field.holds {
            Holds::Any => {}
            Holds::Text | Holds::Logic => {
                if value.as_text().is_none() {
                    wrong(self, "text");
                }
            }
            Holds::Bool => {
                if !matches!(value.node, Node::Bool(_)) {
                    wrong(self, "true or false");
                }
            }
            Holds::Object => {
                if value.as_map().is_none() {
                    wrong(self, "an object");
                }
            }
            Holds::Whole(least) => match value.node {
                Node::Int(number) if number < *least => {
                    self.out_of_range(at, value, field, of, &format!("at least {least}"));
                }
                Node::Int(_) => {}
                _ => wrong(self, "a whole number"),
            },
            Holds::WholeOr(word) => match &value.node {
                Node::Int(number) if *number < 0 => {
                    self.out_of_range(at, value, field, of, "at least 0");
                }
                Node::Int(_) => {}
                Node::Text(text) if &**text == *word => {}
                Node::Text(text) => {
                    let at = Anchor::Located(value.span, at.pointer());
                    let message = format!("`{}` of {of} cannot be `{text}`", field.name);
                    let found = Diagnostic::new(&codes::SPEC_NOT_ALLOWED, at, message);
                    self.report(found.help(format!("it is a whole number or `{word}`")));
                }
                _ => wrong(self, &format!("a whole number or `{word}`")),
            },
            Holds::Number(least, most) => {
                let number = match value.node {
                    Node::Int(number) => number as f64,
                    Node::Float(number) => number,
                    _ => return wrong(self, "a number"),
                };
                if !(*least..=*most).contains(&number) {
                    self.out_of_range(at, value, field, of, &format!("between {least} and {most}"));
                }
            }
            Holds::Duration => {
                self.duration(at, value, &format_args!("`{}` of {of}", field.name));
            }
            Holds::Word(words, later) => match value.as_text() {
                Some(text) if words.contains(&&**text) => {}
                Some(text) if later.contains(&&**text) => {
                    if self.ontology == Ontology::V1 {
                        let at = Anchor::Located(value.span, at.pointer());
                        let message = format!("`{}` of {of} cannot be `{text}`", field.name);
                        let found = Diagnostic::new(&codes::SPEC_NOT_ALLOWED, at, message);
                        self.report(found.help(LATER));
                    }
                }
                Some(text) => self.not_allowed(at, value, field, of, text, words),
                None => wrong(self, "text"),
            },
            Holds::Texts => {
                let Some(items) = value.as_list() else { return wrong(self, "a list of texts") };
                for (index, item) in items.iter().enumerate() {
                    if item.as_text().is_none() {
                        let what = format!("an item of `{}` of {of}", field.name);
                        self.wrong_kind(&at.item(index), item, &what, "text");
                    }
                }
            }
            Holds::Record(fields) => match value.as_map() {
                Some(_) => {
                    let of = format_args!("`{}` of {of}", field.name);
                    self.object(at, value, [fields, &[]], &of);
                }
                None => wrong(self, "an object"),
            },
            Holds::Records(fields, least) => {
                let Some(items) = value.as_list() else { return wrong(self, "a list of objects") };
                if items.len() < *least {
                    let what = format!("a list of at least {least}");
                    self.out_of_range(at, value, field, of, &what);
                }
                for (index, item) in items.iter().enumerate() {
                    let at = at.item(index);
                    let numbered = format_args!("item {} of `{}` of {of}", index + 1, field.name);
                    match (item.as_map(), item.get("name").and_then(Tree::as_text)) {
                        (Some(_), Some(name)) => {
                            let named = format_args!("`{name}` in `{}` of {of}", field.name);
                            self.object(&at, item, [fields, &[]], &named);
                        }
                        (Some(_), None) => self.object(&at, item, [fields, &[]], &numbered),
                        (None, _) => self.wrong_kind(&at, item, &numbered, "an object"),
                    }
                }
            }
            Holds::Schema(code) => match value.as_text() {
                Some(name) => self.schema_name(&Use { at, value, field, of }, name, code),
                None => wrong(self, "the name of a schema"),
            },
            Holds::Node(wanted) => match value.as_text() {
                Some(name) => self.node_name(&Use { at, value, field, of }, name, wanted),
                None => wrong(self, &format!("the id of {}", wanted.what)),
            },
            Holds::Nodes(wanted) => {
                let Some(items) = value.as_list() else {
                    return wrong(self, "a list of ids");
                };
                for (index, item) in items.iter().enumerate() {
                    let at = at.item(index);
                    match item.as_text() {
                        Some(name) => {
                            let used = Use { at: &at, value: item, field, of };
                            let what = format_args!("an item of `{}` of {of}", field.name);
                            self.resolve(used.anchor(), name, wanted, &what);
                        }
                        None => {
                            let what = format!("an item of `{}` of {of}", field.name);
                            let expected = format!("the id of {}", wanted.what);
                            self.wrong_kind(&at, item, &what, &expected);
                        }
                    }
                }
            }
            Holds::Template => match value.as_text() {
                Some(name) => self.template(&Use { at, value, field, of }, name),
                None => wrong(self, "the id of an agent, the path of a spec, or `self`"),
            },
            Holds::File => match value.as_text() {
                Some(name) => self.file(&Use { at, value, field, of }, name),
                None => wrong(self, "the path of a spec"),
            },
            Holds::Termination => {
                let of = format_args!("`{}` of {of}", field.name);
                termination::check(self, at, value, &of, 0);
            }
            Holds::FieldType => match value.as_text() {
                Some(text) => self.field_type(at, value, text, of),
                None => wrong(self, "text such as `string` or `list<string>`"),
            },
        }
    }

    pub(super) fn wrong_kind(
        &mut self,
        at: &At<'_>,
        value: &Tree,
        what: &dyn Display,
        expected: &str,
    ) {
        let anchor = Anchor::Located(value.span, at.pointer());
        // A number that cannot be kept was reported, and kept as text.
        let is_told = |found: &Diagnostic| {
            found.at.span() == value.span && matches!(found.code.id, "T005" | "T010")
        };
        if self.findings.iter().any(is_told) {
            return;
        }
        let written = &self.source.text[value.span.range()];
        let message = match value.node {
            Node::Float(_) if expected.starts_with("a whole") => {
                format!("{what} must be {expected}, not `{written}`")
            }
            _ => format!("{what} must be {expected}, not {}", value.kind()),
        };
        let mut found = Diagnostic::new(&codes::SPEC_WRONG_KIND, anchor.clone(), message);
        let is_plain = matches!(value.node, Node::Bool(_) | Node::Int(_) | Node::Float(_));
        if is_plain && expected.starts_with("text") {
            found = found.help("put it in quotes").fix(
                "put it in quotes",
                anchor,
                format!("\"{written}\""),
            );
        }
        if found.help.is_none() {
            found.help = how_to_write(expected, value, written).map(Text::from);
        }
        self.report(found);
    }

    pub(super) fn duration(&mut self, at: &At<'_>, value: &Tree, what: &dyn Display) {
        const UNITS: &str = "write seconds, or text with units such as `500ms`, `10s`, `5m`, `1h`";
        match &value.node {
            Node::Int(seconds) if duration::of_seconds(*seconds).is_some() => {}
            Node::Int(_) => {
                let at = Anchor::Located(value.span, at.pointer());
                let message = format!("{what} is no time that can be waited for");
                self.report(Diagnostic::new(&codes::OUT_OF_RANGE, at, message).help(UNITS));
            }
            Node::Text(text) if duration::parse(text).is_some() => {}
            Node::Text(text) => {
                let at = Anchor::Located(value.span, at.pointer());
                let message = format!("{what} is `{text}`, which is no duration");
                let found = Diagnostic::new(&codes::SPEC_WRONG_KIND, at, message);
                let is_number = text.chars().all(|letter| letter.is_ascii_digit());
                self.report(match is_number {
                    true => found.help(format!("remove the quotes, or write `{text}s`")),
                    false => found.help(UNITS),
                });
            }
            _ => self.wrong_kind(
                at,
                value,
                what,
                "a duration: whole seconds, or text such as `1500ms`",
            ),
        }
    }

    fn out_of_range(
        &mut self,
        at: &At<'_>,
        value: &Tree,
        field: &Field,
        of: &dyn Display,
        expected: &str,
    ) {
        let at = Anchor::Located(value.span, at.pointer());
        let message = format!("`{}` of {of} must be {expected}", field.name);
        self.report(Diagnostic::new(&codes::OUT_OF_RANGE, at, message));
    }

    fn not_allowed(
        &mut self,
        at: &At<'_>,
        value: &Tree,
        field: &Field,
        of: &dyn Display,
        text: &str,
        words: &[&'static str],
    ) {
        let anchor = Anchor::Located(value.span, at.pointer());
        let message = format!("`{}` of {of} cannot be `{text}`", field.name);
        let found = Diagnostic::new(&codes::SPEC_NOT_ALLOWED, anchor.clone(), message);
        self.report(match self.near(text, words.iter().copied()) {
            Some(near) => found
                .help(format!(
                    "did you mean `{near}`? it is one of {}",
                    list(words.iter().copied())
                ))
                .fix(format!("write `{near}`"), anchor, near)
                .unsure(),
            None => found.help(format!("it is one of {}", list(words.iter().copied()))),
        });
    }

    fn field_type(&mut self, at: &At<'_>, value: &'t Tree, text: &'t Text, of: &dyn Display) {
        let found = field_type::parse(text);
        let bad = |this: &mut Self, why: &str, span: Span| {
            let at = Anchor::Located(span, at.pointer());
            let message = format!("the type of {of} is `{text}`: {why}");
            this.report(Diagnostic::new(&codes::SPEC_WRONG_KIND, at, message));
        };
        let names = match found {
            field_type::Found::Bad(why, range) => {
                let span = if range.is_empty() {
                    value.span
                } else {
                    yaml::inside(self.source, value, range)
                };
                return bad(self, why, span);
            }
            field_type::Found::Names(names) => names,
        };
        if self.ontology == Ontology::V1 && field_type::has_alternatives(text) {
            let at = Anchor::Located(value.span, at.pointer());
            let message = format!("the type of {of} is `{text}`, which names no schema");
            return self.report(Diagnostic::new(&codes::RULE_5, at, message).help(LATER));
        }
        for range in names {
            let name = &text[range.clone()];
            let is_later = field_type::LATER.contains(&name);
            if self.spec.schema(name).is_some() || (is_later && self.ontology == Ontology::V02) {
                continue;
            }
            let at = Anchor::Located(yaml::inside(self.source, value, range), at.pointer());
            if self.forgives_schema(name) || self.is_reported(&codes::RULE_5, name, &at) {
                continue;
            }
            let message = format!("the type of {of} names `{name}`, which is no schema");
            let found = Diagnostic::new(&codes::RULE_5, at.clone(), message);
            let known = self.spec.schemas.iter().map(|schema| schema.name);
            let near = self.near(name, known.chain(field_type::SIMPLE.iter().copied()));
            self.report(match (is_later, field_type::meant(name).or(near)) {
                (true, _) => found.help(LATER),
                (false, Some(meant)) => found.meant(meant, at),
                (false, None) => found.help(format!(
                    "types are {}, `list<T>`, `enum[a, b]` and the names of schemas",
                    list(field_type::SIMPLE.iter().copied())
                )),
            });
        }
    }
}

/// How something of the right kind is written, where the wrong kind is a common slip.
fn how_to_write(expected: &str, value: &Tree, written: &str) -> Option<&'static str> {
    let is_text = value.as_text().is_some();
    Some(match (expected, &value.node) {
        ("a list of texts" | "a list of ids", _) if is_text => {
            "write `[a, b]`, or `- ` before each item"
        }
        ("a list of objects", Node::Map(_)) => "write `- ` before each object",
        ("a whole number" | "a number" | "true or false", Node::Text(_))
            if written.starts_with(['"', '\'']) =>
        {
            "remove the quotes"
        }
        ("true or false", Node::Text(_)) => "write `true` or `false`",
        ("text", Node::List(_) | Node::Map(_)) => "write the text on one line, or below `|`",
        _ => return None,
    })
}
