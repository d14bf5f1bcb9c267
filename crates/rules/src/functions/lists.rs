//! Lists. Positions count from 1.

use super::arguments::{Outcome, fields, flat, int, list, misfit};
use super::texts::count;
use crate::field::Field;
use crate::program::Kinds;

pub(crate) fn create(args: &[Field]) -> Outcome {
    if let [whole @ Field::Many(_)] = args {
        return Ok(whole.clone());
    }
    fields(flat(args)?)
}

pub(super) fn length(args: &[Field]) -> Outcome {
    count(list(args, 0)?.len())
}

pub(super) fn nth(args: &[Field]) -> Outcome {
    let (at, whole) = (int(args, 0)?, list(args, 1)?);
    let found =
        at.checked_sub(1).and_then(|at| usize::try_from(at).ok()).and_then(|at| whole.get(at));
    Ok(found.cloned().unwrap_or_else(Field::nil))
}

pub(super) fn member(args: &[Field]) -> Outcome {
    let (part, whole) = (args[0].fields(), list(args, 1)?);
    let at = match &args[0] {
        // Nothing is at the start of everything, even of nothing.
        Field::Many(part) if part.is_empty() => Some(0),
        _ => whole.windows(part.len()).position(|window| window == part),
    };
    match (at, &args[0]) {
        (None, _) => Ok(Field::Bool(false)),
        (Some(at), Field::Many(part)) => fields(vec![count(at + 1)?, count(at + part.len())?]),
        (Some(at), _) => count(at + 1),
    }
}

pub(super) fn subset(args: &[Field]) -> Outcome {
    let (part, whole) = (list(args, 0)?, list(args, 1)?);
    Ok(Field::Bool(part.iter().all(|field| whole.contains(field))))
}

pub(super) fn first(args: &[Field]) -> Outcome {
    fields(list(args, 0)?.iter().take(1).cloned().collect())
}

pub(super) fn rest(args: &[Field]) -> Outcome {
    fields(list(args, 0)?.iter().skip(1).cloned().collect())
}

pub(super) fn part(args: &[Field]) -> Outcome {
    let whole = list(args, 0)?;
    let clamp = |number: i64| usize::try_from(number.max(0)).unwrap_or(usize::MAX).min(whole.len());
    let (start, end) = (clamp(int(args, 1)?.saturating_sub(1)), clamp(int(args, 2)?));
    fields(whole.get(start..end).unwrap_or_default().to_vec())
}

/// Where a stretch begins and ends, which has to be within the list.
fn stretch(args: &[Field]) -> Result<(usize, usize), String> {
    let whole = list(args, 0)?;
    let (first, last) = (int(args, 1)?, int(args, 2)?);
    let start = first.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let end = usize::try_from(last).ok().filter(|end| *end <= whole.len());
    match (start, end) {
        (Some(start), Some(end)) if start < end => Ok((start, end)),
        _ => Err(format!(
            "`{first}` to `{last}` is not a stretch of a list of {} fields",
            whole.len()
        )),
    }
}

pub(super) fn insert(args: &[Field]) -> Outcome {
    let (whole, at) = (list(args, 0)?, int(args, 1)?);
    let Some(at) = at.checked_sub(1).and_then(|at| usize::try_from(at).ok()) else {
        return Err(format!("`{at}` is not a position; the first is `1`"));
    };
    spliced(whole, at.min(whole.len()), at.min(whole.len()), &args[2..])
}

pub(super) fn replace(args: &[Field]) -> Outcome {
    let (start, end) = stretch(args)?;
    spliced(list(args, 0)?, start, end, &args[3..])
}

pub(super) fn delete(args: &[Field]) -> Outcome {
    let (start, end) = stretch(args)?;
    spliced(list(args, 0)?, start, end, &[])
}

fn spliced(whole: &[Field], start: usize, end: usize, new: &[Field]) -> Outcome {
    let mut all = whole[..start].to_vec();
    all.extend(flat(new)?);
    all.extend_from_slice(&whole[end..]);
    fields(all)
}

/// Takes out one value after the other, each until it is nowhere: what remains on both sides may
/// meet and be it again.
pub(super) fn delete_members(args: &[Field]) -> Outcome {
    let mut left = list(args, 0)?.to_vec();
    for part in args[1..].iter().map(Field::fields).filter(|part| !part.is_empty()) {
        let mut passed: Vec<Field> = Vec::with_capacity(left.len());
        for field in left {
            passed.push(field);
            if passed.ends_with(part) {
                passed.truncate(passed.len() - part.len());
            }
        }
        left = passed;
    }
    fields(left)
}

/// Puts something in place of what is looked for; what was put there is not looked at again.
pub(super) fn replace_members(args: &[Field]) -> Outcome {
    let (mut ahead, new) = (list(args, 0)?.as_slice(), args[1].fields());
    if let Some(at) = args[2..].iter().position(|part| part.fields().is_empty()) {
        return Err(format!("argument {} is an empty list, which is nowhere", at + 3));
    }
    let mut all = Vec::with_capacity(ahead.len());
    while let [next, rest @ ..] = ahead {
        match args[2..].iter().find(|part| ahead.starts_with(part.fields())) {
            Some(part) => {
                all.extend_from_slice(new);
                super::arguments::few_enough(all.len())?;
                ahead = &ahead[part.fields().len()..];
            }
            None => {
                all.push(next.clone());
                ahead = rest;
            }
        }
    }
    fields(all)
}

/// Each field once, in the order in which they first come.
fn distinct<'a>(candidates: impl Iterator<Item = &'a Field>) -> Vec<Field> {
    let mut all: Vec<Field> = Vec::new();
    for field in candidates {
        if !all.contains(field) {
            all.push(field.clone());
        }
    }
    all
}

/// All arguments, which have to be lists.
fn lists(args: &[Field]) -> Result<(), String> {
    match args.iter().position(|arg| !matches!(arg, Field::Many(_))) {
        Some(at) => Err(misfit(args, at, Kinds::MANY)),
        None => Ok(()),
    }
}

pub(super) fn union(args: &[Field]) -> Outcome {
    lists(args)?;
    fields(distinct(args.iter().flat_map(Field::fields)))
}

pub(super) fn intersection(args: &[Field]) -> Outcome {
    lists(args)?;
    let Some((first, others)) = args.split_first() else { return fields(Vec::new()) };
    let everywhere = |field: &&Field| others.iter().all(|list| list.fields().contains(field));
    fields(distinct(first.fields().iter().filter(everywhere)))
}

pub(super) fn difference(args: &[Field]) -> Outcome {
    lists(args)?;
    let Some((first, others)) = args.split_first() else { return fields(Vec::new()) };
    let nowhere = |field: &&Field| !others.iter().any(|list| list.fields().contains(field));
    fields(distinct(first.fields().iter().filter(nowhere)))
}
