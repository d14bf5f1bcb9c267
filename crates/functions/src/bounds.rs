//! How large results may be: a few steps must not be able to fill the memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use value::Value;

use crate::{Misfit, misfit};

/// How long a text (in bytes) or a list may be, and how many values and bytes there may be
/// inside of a value that a function puts into another.
pub const LENGTH_MAX: usize = 16 << 20;

/// How many numbers a range may have.
pub const RANGE_MAX: usize = 1 << 20;

/// How deep a value may be nested. JSON that we read may be a little deeper, since events hold
/// values inside of others.
pub const DEPTH_MAX: usize = 100;

/// A length that a result may have.
pub(crate) fn length(length: usize) -> Result<usize, Misfit> {
    if length > LENGTH_MAX {
        return Err(misfit(format!("the result is longer than {LENGTH_MAX}")));
    }
    Ok(length)
}

/// A value that may stand in another. Parts that are shared count as often as they are there:
/// written out, a few steps that double a value would fill any disk.
pub(crate) fn inner(values: &[Value]) -> Result<(), Misfit> {
    let mut known = BTreeMap::new();
    let mut all = 0usize;
    for value in values {
        let size = measure(value, DEPTH_MAX - 1, &mut known)?;
        all = length(all.saturating_add(size.units))?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Size {
    depth: usize,
    units: usize,
}

fn measure(
    value: &Value,
    depth_left: usize,
    known: &mut BTreeMap<usize, Size>,
) -> Result<Size, Misfit> {
    let too_deep = || misfit(format!("the result is nested deeper than {DEPTH_MAX}"));
    let place = match value {
        Value::Text(text) => return Ok(Size { depth: 0, units: 1 + text.len() }),
        Value::List(items) => Arc::as_ptr(items) as usize,
        Value::Map(map) => Arc::as_ptr(map) as usize,
        _ => return Ok(Size { depth: 0, units: 1 }),
    };
    if let Some(size) = known.get(&place) {
        return if size.depth <= depth_left { Ok(*size) } else { Err(too_deep()) };
    }
    let depth_left = depth_left.checked_sub(1).ok_or_else(too_deep)?;
    let mut all = Size { depth: 1, units: 1 };
    let mut add = |value: &Value, name: usize| {
        let size = measure(value, depth_left, known)?;
        all.depth = all.depth.max(size.depth + 1);
        all.units = all.units.saturating_add(size.units).saturating_add(name);
        length(all.units)
    };
    match value {
        Value::List(items) => items.iter().try_for_each(|item| add(item, 0).map(drop))?,
        Value::Map(map) => {
            map.iter().try_for_each(|(name, value)| add(value, name.len()).map(drop))?
        }
        _ => {}
    }
    known.insert(place, all);
    Ok(all)
}
