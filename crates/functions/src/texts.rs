//! Functions of text. Places in a text are counted in characters.

use std::collections::BTreeSet;
use std::fmt::Write;

use value::{Text, Value};

use crate::convert::shown;
use crate::{Misfit, bounds, list, misfit, not, text, whole};

pub(crate) fn concat(args: &[Value]) -> Result<Value, Misfit> {
    if !args.is_empty() && args.iter().all(|arg| arg.as_list().is_some()) {
        return crate::lists::chain(args);
    }
    bounds::inner(args)?;
    let texts: Vec<Text> = args.iter().map(shown).collect();
    bounds::length(texts.iter().map(|text| text.len()).sum())?;
    Ok(texts.concat().into())
}

/// Takes the list and what stands between its items in either order.
pub(crate) fn join(args: &[Value]) -> Result<Value, Misfit> {
    let (items, between) = match args {
        [items] => (items, None),
        [between @ Value::Text(_), items, ..] => (items, Some(between)),
        [items, between, ..] => (items, Some(between)),
        [] => return Err(misfit("there is nothing to join")),
    };
    let items = list(items)?;
    let between = between.map_or(Ok(""), |between| text(between).map(|between| &**between))?;
    bounds::inner(items)?;
    let texts: Vec<Text> = items.iter().map(shown).collect();
    let inside: usize = texts.iter().map(|text| text.len()).sum();
    bounds::length(inside.saturating_add(between.len().saturating_mul(texts.len())))?;
    Ok(texts.join(between).into())
}

pub(crate) fn split(args: &[Value]) -> Result<Value, Misfit> {
    let whole = text(&args[0])?;
    let parts: Vec<Value> = match args.get(1) {
        None | Some(Value::Null) => whole.split_whitespace().map(Value::from).collect(),
        Some(between) => match &**text(between)? {
            "" => return Err(misfit("an empty text stands everywhere")),
            between => whole.split(between).map(Value::from).collect(),
        },
    };
    Ok(Value::list(parts))
}

pub(crate) fn replace(args: &[Value]) -> Result<Value, Misfit> {
    let (whole, old, new) = (text(&args[0])?, text(&args[1])?, text(&args[2])?);
    if old.is_empty() {
        return Err(misfit("an empty text stands everywhere"));
    }
    let count = whole.matches(&**old).count();
    let kept = whole.len() - count * old.len();
    bounds::length(kept.saturating_add(count.saturating_mul(new.len())))?;
    Ok(whole.replace(&**old, new).into())
}

pub(crate) fn lower(args: &[Value]) -> Result<Value, Misfit> {
    cased(text(&args[0])?.to_lowercase())
}

pub(crate) fn upper(args: &[Value]) -> Result<Value, Misfit> {
    cased(text(&args[0])?.to_uppercase())
}

/// Some letters are longer in the other case.
fn cased(text: String) -> Result<Value, Misfit> {
    bounds::length(text.len())?;
    Ok(text.into())
}

fn stripped(args: &[Value], start: bool, end: bool) -> Result<Value, Misfit> {
    let mut whole = &**text(&args[0])?;
    let letters: Option<BTreeSet<char>> = match args.get(1) {
        None | Some(Value::Null) => None,
        Some(letters) => Some(text(letters)?.chars().collect()),
    };
    let goes = |letter: char| match &letters {
        Some(letters) => letters.contains(&letter),
        None => letter.is_whitespace(),
    };
    if start {
        whole = whole.trim_start_matches(goes);
    }
    if end {
        whole = whole.trim_end_matches(goes);
    }
    Ok(whole.into())
}

pub(crate) fn strip(args: &[Value]) -> Result<Value, Misfit> {
    stripped(args, true, true)
}

pub(crate) fn lstrip(args: &[Value]) -> Result<Value, Misfit> {
    stripped(args, true, false)
}

pub(crate) fn rstrip(args: &[Value]) -> Result<Value, Misfit> {
    stripped(args, false, true)
}

pub(crate) fn starts_with(args: &[Value]) -> Result<Value, Misfit> {
    Ok(text(&args[0])?.starts_with(&**text(&args[1])?).into())
}

pub(crate) fn ends_with(args: &[Value]) -> Result<Value, Misfit> {
    Ok(text(&args[0])?.ends_with(&**text(&args[1])?).into())
}

pub(crate) fn substr(args: &[Value]) -> Result<Value, Misfit> {
    let whole_text = text(&args[0])?;
    let start = whole(&args[1])?;
    let length = match args.get(2) {
        None | Some(Value::Null) => i64::MAX,
        Some(length) => whole(length)?,
    };
    if length < 0 {
        return Err(misfit("a length is not below zero"));
    }
    let count = whole_text.chars().count();
    let start = place(start, count);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    Ok(part(whole_text, start, start.saturating_add(length).min(count)).into())
}

/// A place from the start, or from the end where it is below zero; never outside.
pub(crate) fn place(at: i64, count: usize) -> usize {
    let from_end = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
    if at < 0 { count.saturating_sub(from_end) } else { from_end.min(count) }
}

/// The characters from one place up to another.
pub(crate) fn part(text: &str, start: usize, end: usize) -> &str {
    let byte = |place| text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte);
    if start >= end { "" } else { &text[byte(start)..byte(end)] }
}

/// `{}` takes the next value, `{0}` the one at that place, `{name}` a member of the first object.
pub(crate) fn format(args: &[Value]) -> Result<Value, Misfit> {
    let (template, values) = (text(&args[0])?, &args[1..]);
    let mut out = String::new();
    let mut next = 0;
    let mut rest: &str = template;
    while let Some(at) = rest.find(['{', '}']) {
        push(&mut out, &rest[..at])?;
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            push(&mut out, brace)?;
            rest = after;
            continue;
        }
        let name = rest.split_once('}').filter(|_| brace == "{");
        let Some((name, after)) = name else {
            return Err(misfit(format!("a `{brace}` has no partner; write `{brace}{brace}`")));
        };
        rest = after;
        let value = if name.is_empty() {
            next += 1;
            values.get(next - 1)
        } else if let Ok(place) = name.parse::<usize>() {
            values.get(place)
        } else {
            values.iter().find_map(Value::as_map).and_then(|map| map.get(name))
        };
        let value = value.ok_or_else(|| misfit(format!("there is no value for `{{{name}}}`")))?;
        bounds::inner(std::slice::from_ref(value))?;
        push(&mut out, &shown(value))?;
    }
    push(&mut out, rest)?;
    Ok(out.into())
}

fn push(out: &mut String, text: &str) -> Result<(), Misfit> {
    bounds::length(out.len() + text.len())?;
    out.write_str(text).expect("writing to text cannot fail");
    Ok(())
}

/// The name of a member: text, or a number as it is written.
pub(crate) fn key(value: &Value) -> Result<Text, Misfit> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Int(int) => Ok(int.to_string().into()),
        other => Err(not(other, "the name of a member")),
    }
}
