//! How a name that several branches have written becomes one value again.

use std::cmp::Ordering;
use std::sync::Arc;

use value::Value;

use crate::{Fault, FaultKind};

/// What a join does with a name. Branches are taken in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reducer {
    /// The last branch counts.
    Replace,
    /// What each branch added to a list, one after the other.
    Append,
    /// What each branch changed in an object; later branches win.
    Merge,
    /// The largest number or text.
    Max,
    /// The smallest number or text.
    Min,
}

impl Reducer {
    /// All of them.
    pub const ALL: [Reducer; 5] =
        [Reducer::Replace, Reducer::Append, Reducer::Merge, Reducer::Max, Reducer::Min];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Reducer::Replace => "replace",
            Reducer::Append => "append",
            Reducer::Merge => "merge",
            Reducer::Max => "max",
            Reducer::Min => "min",
        }
    }

    /// The one with this word.
    pub fn find(word: &str) -> Option<Reducer> {
        Reducer::ALL.into_iter().find(|reducer| reducer.word() == word)
    }

    /// Takes in one more branch. `base` is what the name held before the branches began, `so_far`
    /// what the branches before this one came to, if there were any. It is taken by value: as
    /// long as nobody else holds it, a thousand branches do not copy it a thousand times.
    pub fn reduce(
        self,
        base: Option<&Value>,
        so_far: Option<Value>,
        branch: &Value,
    ) -> Result<Value, Fault> {
        let so_far = so_far.or_else(|| base.cloned()).unwrap_or_default();
        match self {
            Reducer::Replace => Ok(branch.clone()),
            Reducer::Append => Ok(append(base, so_far, branch)),
            Reducer::Merge => self.merge(base, so_far, branch),
            Reducer::Max => self.choose(so_far, branch, Ordering::Greater),
            Reducer::Min => self.choose(so_far, branch, Ordering::Less),
        }
    }

    fn merge(self, base: Option<&Value>, so_far: Value, branch: &Value) -> Result<Value, Fault> {
        let mut merged = match so_far {
            Value::Map(map) => map,
            Value::Null => Arc::default(),
            other => return Err(self.refuses(&other)),
        };
        let changed = branch.as_map().ok_or_else(|| self.refuses(branch))?;
        if base.is_some_and(|base| is_same_place(base, branch)) {
            return Ok(Value::Map(merged));
        }
        let base = base.and_then(Value::as_map);
        for (key, value) in changed {
            let before = base.and_then(|base| base.get(key));
            if !before.is_some_and(|before| is_same(before, value)) {
                Arc::make_mut(&mut merged).insert(key.clone(), value.clone());
            }
        }
        Ok(Value::Map(merged))
    }

    fn choose(self, so_far: Value, branch: &Value, wanted: Ordering) -> Result<Value, Fault> {
        let order = match (&so_far, branch) {
            (_, Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_)) => {
                return Err(self.refuses(branch));
            }
            (Value::Null, _) => return Ok(branch.clone()),
            (Value::Int(so_far), Value::Int(branch)) => branch.cmp(so_far),
            (Value::Text(so_far), Value::Text(branch)) => branch.cmp(so_far),
            _ => {
                let number = |value: &Value| match value {
                    Value::Int(int) => Some(*int as f64),
                    Value::Float(float) => Some(*float),
                    _ => None,
                };
                let numbers = number(branch).zip(number(&so_far));
                let order = numbers.and_then(|(branch, so_far)| branch.partial_cmp(&so_far));
                order.ok_or_else(|| {
                    let kinds = format!("{} and {}", so_far.kind(), branch.kind());
                    self.fault(format!("{kinds} have no order"))
                })?
            }
        };
        Ok(if order == wanted { branch.clone() } else { so_far })
    }

    fn refuses(self, value: &Value) -> Fault {
        self.fault(format!("{} cannot be taken in", value.kind()))
    }

    fn fault(self, why: String) -> Fault {
        Fault::new(FaultKind::Function, format!("the reducer `{}`: {why}", self.word()))
    }
}

fn append(base: Option<&Value>, so_far: Value, branch: &Value) -> Value {
    let mut list = match so_far {
        Value::List(items) => items,
        Value::Null => Arc::default(),
        other => Arc::new(vec![other]),
    };
    if base.is_some_and(|base| is_same_place(base, branch)) {
        return Value::List(list);
    }
    match branch {
        Value::List(items) => {
            let before = base.and_then(Value::as_list).unwrap_or_default();
            let begins_with = items.len() >= before.len()
                && before.iter().zip(items.iter()).all(|(before, item)| is_same(before, item));
            let added = if begins_with { &items[before.len()..] } else { items };
            if !added.is_empty() {
                Arc::make_mut(&mut list).extend_from_slice(added);
            }
        }
        item if base.is_some_and(|base| is_same(base, item)) => {}
        item => Arc::make_mut(&mut list).push(item.clone()),
    }
    Value::List(list)
}

/// Whether two values are one in memory: no need to look inside.
fn is_same_place(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => Arc::ptr_eq(one, other),
        (Value::Map(one), Value::Map(other)) => Arc::ptr_eq(one, other),
        (Value::Text(one), Value::Text(other)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    is_same_place(one, other) || one == other
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use value::json::{compact, parse};

    use super::*;

    /// The branches' values, reduced in order.
    fn reduced(word: &str, base: &str, branches: &[&str]) -> Result<String, String> {
        let base = (!base.is_empty()).then(|| parse(base).unwrap());
        let mut so_far = None;
        for branch in branches {
            let branch = parse(branch).unwrap();
            let next = Reducer::find(word).unwrap().reduce(base.as_ref(), so_far, &branch);
            so_far = Some(next.map_err(|fault| fault.to_string())?);
        }
        Ok(compact(&so_far.unwrap()))
    }

    #[test]
    fn branches_are_merged_in_their_order() {
        for (word, base, branches, merged) in [
            ("replace", "1", &["2", "3"][..], "3"),
            ("append", "[1]", &["[1,2]", "[1,3,4]"], "[1,2,3,4]"),
            ("append", "[1]", &["[1]", "[5]", "6"], "[1,5,6]"),
            ("append", "", &["[1]", "\"a\"", "[]"], "[1,\"a\"]"),
            ("append", "7", &["7", "8"], "[7,8]"),
            ("append", "[1]", &["[]"], "[1]"),
            (
                "merge",
                r#"{"a":1,"b":1}"#,
                &[r#"{"a":2,"b":1}"#, r#"{"a":1,"b":3}"#],
                r#"{"a":2,"b":3}"#,
            ),
            ("merge", "", &[r#"{"a":1}"#, r#"{"a":2,"c":null}"#], r#"{"a":2,"c":null}"#),
            ("max", "2", &["1", "3.5", "3"], "3.5"),
            ("max", "", &["\"a\"", "\"c\"", "\"b\""], "\"c\""),
            ("min", "2", &["4", "1", "1.0"], "1"),
        ] {
            assert_eq!(reduced(word, base, branches).as_deref(), Ok(merged), "{word} {base}");
        }
    }

    #[test]
    fn what_cannot_be_merged_is_a_fault() {
        for (word, base, branches, says) in [
            ("merge", "", &["1"][..], "function: the reducer `merge`: a number cannot be taken in"),
            ("merge", "1", &["{}"], "function: the reducer `merge`: a number cannot be taken in"),
            ("max", "", &["true"], "function: the reducer `max`: a boolean cannot be taken in"),
            (
                "min",
                "1",
                &["\"a\""],
                "function: the reducer `min`: a number and text have no order",
            ),
        ] {
            assert_eq!(reduced(word, base, branches).unwrap_err(), says);
        }
    }

    #[test]
    fn many_branches_do_not_copy_what_came_before() {
        let base = Value::list((0..1000).map(Value::Int));
        let mut so_far = None;
        for _ in 0..100_000 {
            so_far = Some(Reducer::Append.reduce(Some(&base), so_far, &Value::Int(-1)).unwrap());
        }
        assert_eq!(so_far.unwrap().as_list().unwrap().len(), 101_000);
    }

    proptest! {
        /// A list that grows in branches is the base, then what each of them added.
        #[test]
        fn appending_keeps_everything(
            base in prop::collection::vec(0..3i64, 0..4),
            added in prop::collection::vec(prop::collection::vec(0..3i64, 0..4), 1..5),
        ) {
            let list = |items: &[i64]| Value::list(items.iter().copied().map(Value::Int));
            let start = list(&base);
            let mut so_far = None;
            for added in &added {
                let branch = list(&[&base[..], added].concat());
                so_far = Some(Reducer::Append.reduce(Some(&start), so_far, &branch).unwrap());
            }
            prop_assert_eq!(so_far, Some(list(&[base, added.concat()].concat())));
        }
    }
}
