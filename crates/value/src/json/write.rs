//! Writes JSON text. [`canonical`] is RFC 8785; the others keep the order of members.

use std::fmt::Write;

use crate::{Map, Value};

/// RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript prints them.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(&mut out, value);
    out
}

/// On one line, in the order of the document.
pub fn compact(value: &Value) -> String {
    let mut out = String::new();
    write_compact(&mut out, value);
    out
}

/// For people: two spaces, and what fits on one short line stays on one.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write_pretty(&mut out, value, 0);
    out
}

/// A JSON string, with as few escapes as JSON allows.
pub fn write_text(out: &mut String, text: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte != b'"' && byte != b'\\' && byte >= 0x20 {
            continue;
        }
        out.push_str(&text[plain_from..at]);
        plain_from = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            other => write!(out, "\\u{other:04x}").expect("writing to text cannot fail"),
        }
    }
    out.push_str(&text[plain_from..]);
    out.push('"');
}

/// Adds the RFC 8785 form of a value to a text.
pub fn write_canonical(out: &mut String, value: &Value) {
    match value {
        Value::Float(float) => out.push_str(ryu_js::Buffer::new().format(*float)),
        Value::List(items) => write_items(out, items, write_canonical),
        Value::Map(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            write_members(out, members.into_iter(), write_canonical);
        }
        scalar => write_scalar(out, scalar),
    }
}

fn write_compact(out: &mut String, value: &Value) {
    match value {
        Value::List(items) => write_items(out, items, write_compact),
        Value::Map(map) => write_members(out, map.iter(), write_compact),
        scalar => write_scalar(out, scalar),
    }
}

fn write_scalar(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(int) => write!(out, "{int}").expect("writing to text cannot fail"),
        Value::Float(float) => {
            let mut buffer = ryu_js::Buffer::new();
            let text = buffer.format(*float);
            out.push_str(text);
            // A float stays a float when it is read again.
            if !text.contains(['.', 'e']) {
                out.push_str(".0");
            }
        }
        Value::Text(text) => write_text(out, text),
        Value::List(_) | Value::Map(_) => unreachable!("compound values are written by the caller"),
    }
}

fn write_items(out: &mut String, items: &[Value], each: fn(&mut String, &Value)) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        each(out, item);
    }
    out.push(']');
}

fn write_members<'a>(
    out: &mut String,
    members: impl Iterator<Item = (&'a crate::Text, &'a Value)>,
    each: fn(&mut String, &Value),
) {
    out.push('{');
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(out, name);
        out.push(':');
        each(out, value);
    }
    out.push('}');
}

const LINE_WIDTH: usize = 100;

fn write_pretty(out: &mut String, value: &Value, indent: usize) {
    let (open, close) = match value {
        Value::List(_) => ('[', ']'),
        Value::Map(_) => ('{', '}'),
        scalar => return write_scalar(out, scalar),
    };
    let start = out.len();
    if write_flat(out, value, start + LINE_WIDTH.saturating_sub(indent)) {
        return;
    }
    out.truncate(start);
    out.push(open);
    match value {
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                new_line(out, index > 0, indent + 2);
                write_pretty(out, item, indent + 2);
            }
        }
        Value::Map(map) => write_pretty_members(out, map, indent + 2),
        _ => unreachable!("scalars returned above"),
    }
    new_line(out, false, indent);
    out.push(close);
}

fn write_pretty_members(out: &mut String, map: &Map, indent: usize) {
    for (index, (name, value)) in map.iter().enumerate() {
        new_line(out, index > 0, indent);
        write_text(out, name);
        out.push_str(": ");
        write_pretty(out, value, indent);
    }
}

fn new_line(out: &mut String, comma: bool, indent: usize) {
    if comma {
        out.push(',');
    }
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Writes on one line with spaces, and gives up (false) once `end` is passed.
fn write_flat(out: &mut String, value: &Value, end: usize) -> bool {
    match value {
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                if !write_flat(out, item, end) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Map(map) if map.is_empty() => out.push_str("{}"),
        Value::Map(map) => {
            out.push_str("{ ");
            for (index, (name, item)) in map.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_text(out, name);
                out.push_str(": ");
                if !write_flat(out, item, end) {
                    return false;
                }
            }
            out.push_str(" }");
        }
        scalar => write_scalar(out, scalar),
    }
    out.len() <= end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn canonical_follows_rfc_8785() {
        // The number and sorting samples of the RFC.
        let text = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],
            "string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
        assert_eq!(
            canonical(&crate::json::read(text).unwrap().0),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
             \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        );
        let text = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
        assert_eq!(
            canonical(&parse(text).unwrap()),
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}"
        );
        assert_eq!(canonical(&parse("[-0.0, 0, 1.0, 100]").unwrap()), "[0,0,1,100]");
    }

    #[test]
    fn pretty_keeps_short_things_on_one_line() {
        let value = parse(r#"{"a":[1,2],"b":{},"c":{"d":"e"}}"#).unwrap();
        assert_eq!(pretty(&value), r#"{ "a": [1, 2], "b": {}, "c": { "d": "e" } }"#);
        let long = Value::list((0..60).map(Value::Int));
        assert!(pretty(&Value::map([("k", long)])).starts_with("{\n  \"k\": [\n    0,\n    1,"));
    }
}
