//! Functions of objects, and of lists by place.

use std::collections::BTreeSet;
use std::sync::Arc;

use value::{Map, Text, Value};

use crate::{Misfit, bounds, misfit, not, texts, whole};

fn object(value: &Value) -> Result<&Map, Misfit> {
    value.as_map().ok_or_else(|| not(value, "an object"))
}

pub(crate) fn get(args: &[Value]) -> Result<Value, Misfit> {
    let otherwise = || args.get(2).cloned().unwrap_or_default();
    match &args[0] {
        Value::Null => Ok(otherwise()),
        Value::Map(map) => Ok(map.get(&texts::key(&args[1])?).cloned().unwrap_or_else(otherwise)),
        Value::List(items) => {
            let at = index(&args[1], items.len())?;
            Ok(at.and_then(|at| items.get(at)).cloned().unwrap_or_else(otherwise))
        }
        Value::Text(text) => {
            let at = index(&args[1], text.chars().count())?;
            let letter = at.and_then(|at| text.chars().nth(at));
            Ok(letter.map_or_else(otherwise, |letter| letter.to_string().into()))
        }
        other => Err(not(other, "an object, a list or text")),
    }
}

/// A place from the start, or from the end where it is below zero; nothing outside.
fn index(at: &Value, count: usize) -> Result<Option<usize>, Misfit> {
    let at = whole(at)?;
    let distance = usize::try_from(at.unsigned_abs()).unwrap_or(usize::MAX);
    let place = if at < 0 { count.checked_sub(distance) } else { Some(distance) };
    Ok(place.filter(|place| *place < count))
}

pub(crate) fn put(args: &[Value]) -> Result<Value, Misfit> {
    bounds::inner(&args[2..])?;
    let value = args[2].clone();
    match &args[0] {
        Value::List(items) => {
            let at = index(&args[1], items.len())?;
            let at = at.ok_or_else(|| misfit("there is no item at this place"))?;
            let mut items = items.clone();
            Arc::make_mut(&mut items)[at] = value;
            Ok(Value::List(items))
        }
        Value::Null => Ok(Value::map([(texts::key(&args[1])?, value)])),
        other => {
            let mut map = object(other)?.clone();
            map.insert(texts::key(&args[1])?, value);
            Ok(map.into())
        }
    }
}

pub(crate) fn obj(args: &[Value]) -> Result<Value, Misfit> {
    bounds::inner(args)?;
    let (pairs, rest) = args.as_chunks::<2>();
    if let [name] = rest {
        return Err(misfit(format!("`{}` has no value", texts::key(name)?)));
    }
    let members = pairs.iter().map(|[name, value]| Ok((texts::key(name)?, value.clone())));
    Ok(members.collect::<Result<Map, Misfit>>()?.into())
}

pub(crate) fn merge(args: &[Value]) -> Result<Value, Misfit> {
    let mut all = Map::default();
    for arg in args.iter().filter(|arg| **arg != Value::Null) {
        all.extend(object(arg)?.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    Ok(all.into())
}

pub(crate) fn keys(args: &[Value]) -> Result<Value, Misfit> {
    Ok(Value::list(object(&args[0])?.keys().cloned().map(Value::Text)))
}

pub(crate) fn values(args: &[Value]) -> Result<Value, Misfit> {
    Ok(Value::list(object(&args[0])?.values().cloned()))
}

/// Names, given one by one or in a list.
fn names(args: &[Value]) -> Result<BTreeSet<Text>, Misfit> {
    let names = match args {
        [Value::List(names)] => names,
        names => names,
    };
    names.iter().map(texts::key).collect()
}

pub(crate) fn pick(args: &[Value]) -> Result<Value, Misfit> {
    chosen(args, true)
}

pub(crate) fn omit(args: &[Value]) -> Result<Value, Misfit> {
    chosen(args, false)
}

fn chosen(args: &[Value], wanted: bool) -> Result<Value, Misfit> {
    let names = names(&args[1..])?;
    let members = object(&args[0])?.iter().filter(|(name, _)| names.contains(*name) == wanted);
    Ok(Value::map(members.map(|(name, value)| (name.clone(), value.clone()))))
}
