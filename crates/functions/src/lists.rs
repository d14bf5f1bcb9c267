//! Functions of lists. Some take text too, as a list of characters.

use std::collections::BTreeSet;

use value::{Value, json};

use crate::{Misfit, bounds, list, misfit, not, order, text, texts, whole};

pub(crate) fn len(args: &[Value]) -> Result<Value, Misfit> {
    let length = match &args[0] {
        Value::Null => 0,
        Value::Text(text) => text.chars().count(),
        Value::List(items) => items.len(),
        Value::Map(map) => map.len(),
        other => return Err(not(other, "text, a list or an object")),
    };
    Ok(Value::count(length))
}

pub(crate) fn arr(args: &[Value]) -> Result<Value, Misfit> {
    bounds::inner(args)?;
    Ok(Value::list(args.iter().cloned()))
}

pub(crate) fn push(args: &[Value]) -> Result<Value, Misfit> {
    let (items, added) = (list(&args[0])?, &args[1..]);
    bounds::inner(added)?;
    bounds::length(items.len() + added.len())?;
    Ok(Value::list(items.iter().chain(added).cloned()))
}

/// Lists, one after the other.
pub(crate) fn chain(lists: &[Value]) -> Result<Value, Misfit> {
    let lists: Vec<&[Value]> = lists.iter().filter_map(Value::as_list).collect();
    bounds::length(lists.iter().map(|items| items.len()).sum())?;
    let all = lists.concat();
    bounds::inner(&all)?;
    Ok(Value::list(all))
}

pub(crate) fn sort(args: &[Value]) -> Result<Value, Misfit> {
    let items = list(&args[0])?;
    let field = match args.get(1) {
        None | Some(Value::Null) => None,
        Some(field) => Some(text(field)?),
    };
    let descending = match args.get(2) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(descending)) => *descending,
        Some(Value::Text(word)) if &**word == "desc" => true,
        Some(Value::Text(word)) if &**word == "asc" => false,
        Some(_) => return Err(misfit("an order is `asc` or `desc`")),
    };
    let sorted = match field {
        Some(field) => order::sorted(items, |item| item.get(field), descending),
        None => order::sorted(items, Some, descending),
    };
    Ok(Value::list(sorted))
}

pub(crate) fn reverse(args: &[Value]) -> Result<Value, Misfit> {
    match &args[0] {
        Value::Text(text) => Ok(text.chars().rev().collect::<String>().into()),
        items => Ok(Value::list(list(items)?.iter().rev().cloned())),
    }
}

pub(crate) fn flatten(args: &[Value]) -> Result<Value, Misfit> {
    let items = list(&args[0])?;
    let inside = |item: &Value| item.as_list().map_or(1, <[Value]>::len);
    bounds::length(items.iter().map(inside).sum())?;
    let mut flat = Vec::new();
    for item in items {
        match item {
            Value::List(items) => flat.extend_from_slice(items),
            other => flat.push(other.clone()),
        }
    }
    bounds::inner(&flat)?;
    Ok(Value::list(flat))
}

/// The first of equal items stays.
pub(crate) fn unique(args: &[Value]) -> Result<Value, Misfit> {
    let items = list(&args[0])?;
    bounds::inner(items)?;
    let mut seen = BTreeSet::new();
    Ok(Value::list(items.iter().filter(|item| seen.insert(json::canonical(item))).cloned()))
}

pub(crate) fn zip(args: &[Value]) -> Result<Value, Misfit> {
    let lists = args.iter().map(list).collect::<Result<Vec<_>, _>>()?;
    let length = lists.iter().map(|items| items.len()).min().unwrap_or(0);
    bounds::length(length.saturating_mul(lists.len()))?;
    let rows = (0..length).map(|at| Value::list(lists.iter().map(|items| items[at].clone())));
    let rows: Vec<Value> = rows.collect();
    bounds::inner(&rows)?;
    Ok(Value::list(rows))
}

pub(crate) fn slice(args: &[Value]) -> Result<Value, Misfit> {
    let count = match &args[0] {
        Value::Text(text) => text.chars().count(),
        items => list(items)?.len(),
    };
    let place = |at: Option<&Value>, otherwise: usize| match at {
        None | Some(Value::Null) => Ok(otherwise),
        Some(at) => whole(at).map(|at| texts::place(at, count)),
    };
    let (start, end) = (place(args.get(1), 0)?, place(args.get(2), count)?);
    match &args[0] {
        Value::Text(text) => Ok(texts::part(text, start, end).into()),
        items => {
            let items = list(items)?.get(start..end).unwrap_or_default();
            Ok(Value::list(items.iter().cloned()))
        }
    }
}
