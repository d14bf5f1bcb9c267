//! What agents keep beyond their runs: items on named shelves, by key or in the order in which
//! they were put there. A shelf holds what is, not what happened: it is in no export, `verify`
//! reads nothing of it, and `gc` leaves it alone.

use value::json::{self, DEPTH_MAX};
use value::{Digest, Text, Value};

use crate::{AppendError, StoreError, VALUE_MAX};

/// Something on a shelf.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is found by, unless it was pushed.
    pub key: Option<Text>,
    /// What it is.
    pub value: Value,
}

/// What is to be done to a shelf.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Puts a value behind a key. One that was there before is replaced, at its place in the order.
    Set {
        /// The key.
        key: Text,
        /// The value.
        value: Value,
    },
    /// Puts a value behind all others.
    Push(Value),
    /// Takes away the first of the values that were pushed, if there is one.
    Take,
    /// Takes away what is behind a key, if there is something.
    Remove {
        /// The key.
        key: Text,
    },
    /// Takes away the first items, with or without keys, until so many are left.
    Trim(usize),
    /// Takes away what is behind every key that begins so.
    RemoveUnder {
        /// The beginning of the keys.
        prefix: Text,
    },
    /// Takes away objects whose member `until` is a whole number up to this one.
    Forget(i64),
    /// Makes no change at all if so many items or more are on the shelf before the first.
    IfFewer(usize),
}

/// The least of the numbers that items must be fewer than.
pub(crate) fn room(changes: &[Change]) -> Option<usize> {
    let rooms = changes.iter().filter_map(|change| match change {
        Change::IfFewer(most) => Some(*most),
        _ => None,
    });
    rooms.min()
}

/// Keeps shelves. One that nothing was put on is empty.
pub trait Shelves {
    /// All items, in the order in which they were put there.
    fn shelf_read(&self, shelf: &str) -> Result<Vec<Item>, StoreError>;

    /// The value behind a key.
    fn shelf_get(&self, shelf: &str, key: &str) -> Result<Option<Value>, StoreError>;

    /// How many times the shelf was written to: as long as that stays the same, so does the shelf.
    fn shelf_writes(&self, shelf: &str) -> Result<u64, StoreError>;

    /// Makes all changes or none, and gives back what the last [`Change::Take`] took. It is on
    /// the disk then. Each idempotency key counts once: the same changes under the same key change
    /// nothing the second time, and give back what they gave back the first time.
    fn shelf_write(
        &self,
        shelf: &str,
        changes: &[Change],
        key: &Digest,
    ) -> Result<Option<Value>, AppendError>;
}

/// Whether changes can be kept: then their hash, by which the same ones are known again.
pub(crate) fn check(shelf: &str, changes: &[Change]) -> Result<Digest, AppendError> {
    let is_fitting = |length: usize| match length {
        0..=VALUE_MAX => Ok(()),
        _ => Err(AppendError::TooLarge(length)),
    };
    is_fitting(shelf.len())?;
    let mut all = String::new();
    for change in changes {
        let begin = match change {
            Change::Set { key, value } => {
                check_depth(value)?;
                all.push_str("set ");
                is_fitting(key.len())?;
                json::write_text(&mut all, key);
                let begin = all.len();
                all.push_str(&json::compact(value));
                begin
            }
            Change::Push(value) => {
                check_depth(value)?;
                all.push_str("push ");
                let begin = all.len();
                all.push_str(&json::compact(value));
                begin
            }
            Change::Take => {
                all.push_str("take");
                all.len()
            }
            Change::Remove { key } => {
                is_fitting(key.len())?;
                all.push_str("remove ");
                json::write_text(&mut all, key);
                all.len()
            }
            Change::Trim(left) => {
                all.push_str(&format!("trim {left}"));
                all.len()
            }
            Change::RemoveUnder { prefix } => {
                is_fitting(prefix.len())?;
                all.push_str("remove under ");
                json::write_text(&mut all, prefix);
                all.len()
            }
            Change::Forget(until) => {
                all.push_str(&format!("forget {until}"));
                all.len()
            }
            Change::IfFewer(most) => {
                all.push_str(&format!("if fewer {most}"));
                all.len()
            }
        };
        is_fitting(all.len() - begin)?;
        all.push('\n');
    }
    Ok(Digest::of(all.as_bytes()))
}

/// What is nested more deeply could not be read again.
fn check_depth(value: &Value) -> Result<(), AppendError> {
    fn fits(value: &Value, left: usize) -> bool {
        match value {
            Value::List(items) => left > 0 && items.iter().all(|item| fits(item, left - 1)),
            Value::Map(map) => left > 0 && map.values().all(|item| fits(item, left - 1)),
            _ => true,
        }
    }
    if fits(value, DEPTH_MAX) { Ok(()) } else { Err(AppendError::TooDeep) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| Value::list([inner]))
    }

    #[test]
    fn what_is_kept_can_be_read_again() {
        let deepest = nested(DEPTH_MAX);
        assert!(check("s", &[Change::Push(deepest.clone())]).is_ok());
        assert!(json::read(&json::compact(&deepest)).is_ok());
        let deeper = Value::map([("a", deepest)]);
        assert!(json::read(&json::compact(&deeper)).is_err());
        for change in [Change::Push(deeper.clone()), Change::Set { key: "k".into(), value: deeper }]
        {
            assert!(matches!(check("s", &[change]), Err(AppendError::TooDeep)));
        }
    }

    #[test]
    fn different_changes_have_different_hashes() {
        let set = |key: &str, value: Value| Change::Set { key: key.into(), value };
        let all = [
            vec![],
            vec![Change::Take],
            vec![Change::Take, Change::Take],
            vec![Change::Push("a".into())],
            vec![Change::Push(Value::Int(1))],
            vec![Change::Push(Value::Float(1.0))],
            vec![set("a", "b".into())],
            vec![set("b", "a".into())],
            vec![set("a", "b".into()), Change::Take],
            vec![Change::Remove { key: "a".into() }],
            vec![Change::Remove { key: "b".into() }],
            vec![Change::Trim(1)],
            vec![Change::Trim(11)],
            vec![Change::RemoveUnder { prefix: "a".into() }],
            vec![Change::Forget(1)],
            vec![Change::IfFewer(1)],
        ];
        let mut hashes: Vec<String> =
            all.iter().map(|changes| check("s", changes).unwrap().to_string()).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }
}
