//! Filtering by a field.

use functions::Misfit;
use graph::Cmp;
use value::Value;

/// The items of a list whose field compares with a value. An item without the field is kept only
/// by `!=` and `not in`. Null is an empty list.
pub(crate) fn filter(items: &Value, field: &str, cmp: Cmp, value: &Value) -> Result<Value, Misfit> {
    let keeps = |item: &&Value| match item.get(field) {
        Some(own) => cmp.holds(own, value),
        None => matches!(cmp, Cmp::Ne | Cmp::NotIn),
    };
    Ok(Value::list(functions::list(items)?.iter().filter(keeps).cloned()))
}

#[cfg(test)]
mod tests {
    use value::json::{compact, read};

    use super::*;

    #[test]
    fn items_without_the_field_are_kept_by_what_denies() {
        let items = r#"[{"n": 2, "i": 0}, {"n": 1, "i": 1}, {"i": 2}, {"n": 2, "i": 3}, 7]"#;
        let items = read(items).unwrap().0;
        let kept = |cmp: &str, value: &str| {
            let value = read(value).unwrap().0;
            compact(&filter(&items, "n", Cmp::from_word(cmp).unwrap(), &value).unwrap())
        };
        assert_eq!(kept("==", "2"), r#"[{"n":2,"i":0},{"n":2,"i":3}]"#);
        assert_eq!(kept("<", "2"), r#"[{"n":1,"i":1}]"#);
        assert_eq!(kept("!=", "2"), r#"[{"n":1,"i":1},{"i":2},7]"#);
        assert_eq!(kept("in", "[1, 5]"), r#"[{"n":1,"i":1}]"#);
        assert!(filter(&"text".into(), "n", Cmp::Eq, &Value::Null).is_err());
    }
}
