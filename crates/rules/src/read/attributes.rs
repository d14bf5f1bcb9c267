//! The attributes of a slot: its type, what is allowed, and its default.

use diagnostics::{Span, codes, nearest};

use super::Reader;
use super::facts::free;
use super::findings::{at, choice};
use super::limits::as_float;
use super::scope::Scope;
use super::templates::AGREE;
use crate::field::Field;
use crate::program::{Allowed, Expr, Kinds, Limits};
use crate::syntax::token::Atom;
use crate::syntax::tree::Node;

const ATTRIBUTES: &[&str] = &[
    "type",
    "default",
    "default-dynamic",
    "range",
    "cardinality",
    "allowed-values",
    "allowed-symbols",
    "allowed-strings",
    "allowed-lexemes",
    "allowed-integers",
    "allowed-floats",
    "allowed-numbers",
];

/// What the attributes of a slot say, and where.
pub(super) struct Attributes {
    pub(super) limits: Limits,
    pub(super) kinds: Option<Span>,
    pub(super) allowed: Vec<(&'static str, Kinds, Span)>,
    pub(super) range: Option<Span>,
    pub(super) cardinality: Option<Span>,
    pub(super) default: Option<(Said, Span)>,
}

/// What is said of a default.
pub(super) enum Said {
    Required,
    Derived,
    Values(Vec<Expr>),
    Computed(Vec<Expr>),
}

impl Attributes {
    /// A slot without attributes.
    pub(super) fn none() -> Attributes {
        Attributes {
            limits: free(),
            kinds: None,
            allowed: Vec::new(),
            range: None,
            cardinality: None,
            default: None,
        }
    }
}

impl Reader {
    pub(super) fn attribute(&mut self, said: &mut Attributes, many: bool, node: &Node) {
        const HELP: &str = "write an attribute such as `(type SYMBOL)`";
        let Some([word, values @ ..]) = node.list() else {
            if !node.is_reported() {
                self.malformed(node.span, "an attribute of the slot is expected here", HELP);
            }
            return;
        };
        let name = word.symbol().unwrap_or_default();
        match name {
            "type" => self.type_attribute(said, word.span, values),
            "range" => self.range_attribute(said, node.span, word.span, values),
            "cardinality" => self.cardinality_attribute(said, many, node.span, word.span, values),
            "default" | "default-dynamic" => self.default_attribute(said, name, word.span, values),
            _ => match allowed_kinds(name) {
                Some((name, kinds)) => self.allowed_attribute(said, name, kinds, word.span, values),
                None if name.starts_with("allowed-instance") || name == "allowed-classes" => {
                    let message = format!("`{name}` is not supported");
                    let found = at(&codes::RULES_NOT_SUPPORTED, word.span, message);
                    self.findings.push(found.help("there are no objects: leave it out"));
                }
                None => {
                    let message = match name {
                        "" => "this is no attribute of a slot".to_owned(),
                        name => format!("slots have no attribute `{name}`"),
                    };
                    let found = at(&codes::RULES_MALFORMED, word.span, message);
                    self.findings.push(match nearest(name, ATTRIBUTES.iter().copied()) {
                        Some(near) => found.meant(near, word.at()),
                        None => found.help(format!("write one of {}", choice(ATTRIBUTES))),
                    });
                }
            },
        }
    }

    fn type_attribute(&mut self, said: &mut Attributes, word: Span, values: &[Node]) {
        const NAMES: &[(&str, Kinds)] = &[
            ("SYMBOL", Kinds::SYMBOL),
            ("STRING", Kinds::TEXT),
            ("LEXEME", Kinds::LEXEME),
            ("INTEGER", Kinds::INT),
            ("FLOAT", Kinds::FLOAT),
            ("NUMBER", Kinds::NUMBER),
            ("FACT-ADDRESS", Kinds::FACT),
        ];
        let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        if let Some(first) = said.kinds.replace(word) {
            return self.twice(word, Some(first), "the type");
        }
        if is_variable_word(values) {
            return;
        }
        if values.is_empty() {
            let help = format!("write one of {}", choice(&names));
            return self.malformed(word, "a type is expected behind this", &help);
        }
        let mut kinds = Kinds(0);
        for value in values {
            let name = value.symbol().unwrap_or_default();
            if name.starts_with("INSTANCE") || name == "EXTERNAL-ADDRESS" {
                let found = at(
                    &codes::RULES_NOT_SUPPORTED,
                    value.span,
                    format!("`{name}` is not supported"),
                );
                self.findings.push(found.help("there are no objects: leave it out"));
                continue;
            }
            match NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, kind)) if kinds.meets(*kind) => {
                    self.twice(
                        value.span,
                        None,
                        &format!("`{name}`, alone or within another type,"),
                    );
                }
                Some((_, kind)) => kinds = kinds.or(*kind),
                None if value.is_reported() => {}
                None => {
                    let message = "this is no type of values";
                    let found = at(&codes::RULES_MALFORMED, value.span, message);
                    self.findings.push(match nearest(name, names.iter().copied()) {
                        Some(near) => found.meant(near, value.at()),
                        None => found.help(format!("write one of {}", choice(&names))),
                    });
                }
            }
        }
        if kinds.0 != 0 {
            said.limits.kinds = kinds;
        }
    }

    fn allowed_attribute(
        &mut self,
        said: &mut Attributes,
        name: &'static str,
        kinds: Kinds,
        word: Span,
        values: &[Node],
    ) {
        if let Some((other, _, first)) =
            said.allowed.iter().find(|(_, known, _)| known.meets(kinds)).copied()
        {
            if other == name {
                return self.twice(word, Some(first), &format!("`{name}`"));
            }
            return self.conflict(word, name, other, first, AGREE);
        }
        said.allowed.push((name, kinds, word));
        if is_variable_word(values) {
            return;
        }
        if values.is_empty() {
            return self.malformed(word, "values are expected behind this", "write them");
        }
        let mut fields = Vec::new();
        for value in values {
            match value.atom().and_then(super::expr::field_of) {
                Some(field) if kinds.meets(Kinds::of(&field)) => fields.push(field),
                Some(field) => {
                    let given = Kinds::of(&field);
                    let message = format!("`{field}` is {given}, and cannot be among `{name}`");
                    let help = "write it as it is meant, or use `allowed-values`";
                    self.findings.push(at(&codes::RULES_VALUE, value.span, message).help(help));
                }
                None if value.is_reported() => {}
                None => {
                    let help = "write symbols, strings or numbers";
                    self.malformed(value.span, "a constant is expected here", help);
                }
            }
        }
        let allowed =
            said.limits.allowed.get_or_insert(Allowed { kinds: Kinds(0), values: Vec::new() });
        allowed.kinds = allowed.kinds.or(kinds);
        allowed.values.extend(fields);
    }

    fn range_attribute(&mut self, said: &mut Attributes, whole: Span, word: Span, values: &[Node]) {
        const HELP: &str = "write `(range 1 10)`, with `?VARIABLE` for no end";
        if let Some(first) = said.range.replace(word) {
            return self.twice(word, Some(first), "the range");
        }
        let bounds: Option<Vec<Option<Field>>> = values
            .iter()
            .map(|value| match value.atom()? {
                Atom::Int(number) => Some(Some(Field::Int(number))),
                Atom::Float(number) => Some(Some(Field::Float(number))),
                Atom::Single("VARIABLE") => Some(None),
                _ => None,
            })
            .collect();
        let Some(Ok([least, most])) = bounds.map(<[Option<Field>; 2]>::try_from) else {
            return self.malformed(whole, "a range is two numbers", HELP);
        };
        let number = |bound: &Option<Field>| bound.as_ref().and_then(as_float);
        if let (Some(a), Some(b)) = (number(&least), number(&most))
            && a > b
        {
            return self.malformed(whole, "this range begins behind its end", HELP);
        }
        said.limits.range = Some((least, most));
    }

    fn cardinality_attribute(
        &mut self,
        said: &mut Attributes,
        many: bool,
        whole: Span,
        word: Span,
        values: &[Node],
    ) {
        const HELP: &str = "write `(cardinality 1 3)`, with `?VARIABLE` for no end";
        if !many {
            let help = "declare a `multislot`, or delete it";
            return self.malformed(word, "only a multislot has a cardinality", help);
        }
        if let Some(first) = said.cardinality.replace(word) {
            return self.twice(word, Some(first), "the cardinality");
        }
        let bounds: Option<Vec<Option<u64>>> = values
            .iter()
            .map(|value| match value.atom()? {
                Atom::Int(number) => u64::try_from(number).ok().map(Some),
                Atom::Single("VARIABLE") => Some(None),
                _ => None,
            })
            .collect();
        match bounds.as_deref() {
            Some([least, Some(most)]) if least.unwrap_or(0) > *most => {
                self.malformed(whole, "the fewest fields are more than the most", HELP);
            }
            Some([least, most]) => said.limits.cardinality = (least.unwrap_or(0), *most),
            _ => self.malformed(whole, "a cardinality is two whole numbers from 0", HELP),
        }
    }

    fn default_attribute(
        &mut self,
        said: &mut Attributes,
        name: &str,
        word: Span,
        values: &[Node],
    ) {
        if let Some((_, first)) = &said.default {
            let first = *first;
            return self.twice(word, Some(first), "the default");
        }
        let special = |value: &Node| match value.atom() {
            Some(Atom::Single(name)) => Some(name.to_owned()),
            _ => None,
        };
        let what = match (values, values.iter().find_map(special)) {
            ([_], Some(word)) if name == "default" && word == "NONE" => Said::Required,
            ([_], Some(word)) if name == "default" && word == "DERIVE" => Said::Derived,
            (_, Some(_)) => {
                let help = "write a value, or for `default` alone `?DERIVE` or `?NONE`";
                return self.malformed(word, "this default cannot be read", help);
            }
            _ => {
                let mut scope = Scope::constant("a template");
                let values = self.exprs(&mut scope, values, super::expr::Flow::NONE);
                if name == "default" { Said::Values(values) } else { Said::Computed(values) }
            }
        };
        said.default = Some((what, word));
    }
}

/// Whether `?VARIABLE` says that everything is allowed.
fn is_variable_word(values: &[Node]) -> bool {
    matches!(values, [value] if value.atom() == Some(Atom::Single("VARIABLE")))
}

fn allowed_kinds(name: &str) -> Option<(&'static str, Kinds)> {
    Some(match name {
        "allowed-values" => ("allowed-values", Kinds::SINGLE),
        "allowed-symbols" => ("allowed-symbols", Kinds::SYMBOL),
        "allowed-strings" => ("allowed-strings", Kinds::TEXT),
        "allowed-lexemes" => ("allowed-lexemes", Kinds::LEXEME),
        "allowed-integers" => ("allowed-integers", Kinds::INT),
        "allowed-floats" => ("allowed-floats", Kinds::FLOAT),
        "allowed-numbers" => ("allowed-numbers", Kinds::NUMBER),
        _ => return None,
    })
}
