//! How values are printed.

use std::fmt::Write as _;

use crate::field::Field;
use crate::functions::Facts;

/// As `printout` prints a value: a string as it is, and some symbols as what they stand for.
pub(super) fn printed(facts: &dyn Facts, field: &Field, out: &mut String) {
    match field {
        Field::Text(name) => out.push_str(name.as_str()),
        Field::Symbol(name) => match name.as_str() {
            "crlf" => out.push('\n'),
            "tab" => out.push('\t'),
            "vtab" => out.push('\u{b}'),
            "ff" => out.push('\u{c}'),
            symbol => out.push_str(symbol),
        },
        Field::Many(fields) => {
            out.push('(');
            for (at, field) in fields.iter().enumerate() {
                out.push_str(if at > 0 { " " } else { "" });
                match field {
                    // In quotes, but with nothing escaped, as CLIPS prints lists.
                    Field::Text(name) => {
                        let _ = write!(out, "\"{}\"", name.as_str());
                    }
                    field => written(facts, field, out),
                }
            }
            out.push(')');
        }
        field => written(facts, field, out),
    }
}

/// As a program would write a value; an address shows the index of its fact.
pub(crate) fn written(facts: &dyn Facts, field: &Field, out: &mut String) {
    match field {
        Field::Fact(fact) => {
            // Writing to a string does not fail.
            let _ = match facts.index_of(*fact) {
                Some(index) => write!(out, "<Fact-{index}>"),
                None => write!(out, "{field}"),
            };
        }
        Field::Many(fields) => {
            out.push('(');
            for (at, field) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                written(facts, field, out);
            }
            out.push(')');
        }
        field => {
            let _ = write!(out, "{field}");
        }
    }
}
