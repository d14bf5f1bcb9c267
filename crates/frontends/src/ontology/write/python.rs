//! Steps that only compute, as lines of Python.

use graph::Operand;
use value::{Value, json};

/// The line that writes a value.
pub(super) fn assign(name: &str, value: &str) -> String {
    format!("state.data[{}] = {value}", quoted(name))
}

/// An operand as an expression. What is missing reads as null, as in a graph.
pub(super) fn operand(operand: &Operand) -> Option<String> {
    match operand {
        Operand::Lit(value) => Some(literal(value)),
        Operand::Var(name) => Some(variable(name)),
        Operand::Expr(_) | Operand::Label(_) | Operand::Odd(..) => None,
    }
}

/// The value of a name.
pub(super) fn variable(name: &str) -> String {
    format!("state.data.get({})", quoted(name))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    json::write_text(&mut quoted, text);
    quoted
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_string(),
        Value::Bool(true) => "True".to_string(),
        Value::Bool(false) => "False".to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => quoted(text),
        Value::List(items) => {
            format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Map(members) => {
            let members = members.iter();
            let members =
                members.map(|(name, value)| format!("{}: {}", quoted(name), literal(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A function of operands, where Python says the same for everything that it can work on.
pub(super) fn function(name: &str, args: &[Operand]) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix("core.").unwrap_or(&lower);
    let words: Vec<String> = args.iter().map(operand).collect::<Option<_>>()?;
    let between = |operator: &str, words: &[String]| {
        (words.len() > 1).then(|| words.join(&format!(" {operator} ")))
    };
    // Where null counts as 0.
    let numbers: Vec<String> =
        args.iter().zip(&words).map(|(arg, word)| number(arg, word)).collect();
    let truths: Vec<String> = words.iter().map(|word| format!("bool({word})")).collect();
    match (name, words.as_slice()) {
        ("add", _) => between("+", &numbers),
        ("sub", [_, _]) => between("-", &numbers),
        ("mul", _) => between("*", &numbers),
        ("div", [_, _]) => between("/", &words),
        ("idiv", [_, _]) => between("//", &words),
        ("mod", [_, _]) => between("%", &words),
        ("lt", [_, _]) => between("<", &words),
        ("lte", [_, _]) => between("<=", &words),
        ("gt", [_, _]) => between(">", &words),
        ("gte", [_, _]) => between(">=", &words),
        ("eq", [_, _]) => equal(args, &words),
        ("ne" | "neq", [_, _]) => equal(args, &words).map(|equal| format!("not ({equal})")),
        ("and", _) => between("and", &truths),
        ("or", _) => between("or", &truths),
        ("not", [word]) => Some(format!("not {word}")),
        ("bool", [word]) => Some(format!("bool({word})")),
        ("if" | "ite", [condition, then]) => Some(format!("{then} if {condition} else None")),
        ("if" | "ite", [condition, then, other]) => {
            Some(format!("{then} if {condition} else {other}"))
        }
        ("id" | "echo", [word]) => Some(word.clone()),
        ("len", [word]) => Some(format!("0 if {word} is None else len({word})")),
        ("arr", _) => Some(format!("[{}]", words.join(", "))),
        ("push", [list, rest @ ..]) => {
            Some(format!("([] if {list} is None else {list}) + [{}]", rest.join(", ")))
        }
        ("lower" | "upper", [word]) => Some(format!("{word}.{name}()")),
        ("startswith" | "endswith", [word, part]) => Some(format!("{word}.{name}({part})")),
        ("get", [whole, _, rest @ ..]) => {
            get(whole, args.get(1)?, rest.first().map_or("None", |other| other))
        }
        ("concat", _) if args.iter().any(is_text) => {
            let texts: Vec<String> =
                args.iter().zip(&words).map(|(arg, word)| shown(arg, word)).collect();
            Some(texts.join(" + "))
        }
        _ => None,
    }
}

fn is_text(operand: &Operand) -> bool {
    matches!(operand, Operand::Lit(Value::Text(_)))
}

fn number(operand: &Operand, word: &str) -> String {
    match operand {
        Operand::Var(_) => format!("(0 if {word} is None else {word})"),
        Operand::Lit(Value::Null) => "0".to_string(),
        _ => word.to_string(),
    }
}

/// In Python `1 == True`; here a number equals numbers only.
fn equal(args: &[Operand], words: &[String]) -> Option<String> {
    let [one, other] = words else { return None };
    let is_bare = |arg: &Operand| matches!(arg, Operand::Lit(Value::Text(_) | Value::Null));
    if args.iter().any(is_bare) {
        return Some(format!("{one} == {other}"));
    }
    let is_number = |arg: &Operand| matches!(arg, Operand::Lit(Value::Int(_) | Value::Float(_)));
    if let [Operand::Var(_), number] = args
        && is_number(number)
    {
        return Some(format!("{one} == {other} and not isinstance({one}, bool)"));
    }
    Some(format!("{one} == {other} and isinstance({one}, bool) == isinstance({other}, bool)"))
}

/// A member by a name, or an item by its place.
fn get(whole: &str, key: &Operand, otherwise: &str) -> Option<String> {
    match key {
        Operand::Lit(Value::Text(name)) => {
            let name = quoted(name);
            Some(format!("({{}} if {whole} is None else {whole}).get({name}, {otherwise})"))
        }
        Operand::Lit(Value::Int(place)) if *place >= 0 => Some(format!(
            "{whole}.get(\"{place}\", {otherwise}) if isinstance({whole}, dict) else \
             {otherwise} if {whole} is None or len({whole}) <= {place} else {whole}[{place}]"
        )),
        _ => None,
    }
}

/// Text as it is, anything else as JSON.
fn shown(operand: &Operand, word: &str) -> String {
    match operand {
        Operand::Lit(Value::Text(_)) => word.to_string(),
        Operand::Lit(value) => quoted(&json::compact(value)),
        _ => format!(
            "({word} if isinstance({word}, str) else json.dumps({word}, separators=(\",\", \":\"), ensure_ascii=False))"
        ),
    }
}
