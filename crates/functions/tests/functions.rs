//! What functions compute, and that nothing they are given makes them panic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use functions::{FUNCTIONS, Misfit};
use proptest::prelude::*;
use value::Value;
use value::json::{compact, read};

/// `docs/functions.md` is generated from the table. `UPDATE=1 cargo test` writes it.
#[test]
fn the_reference_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/functions.md");
    let fresh = functions::page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/functions.md is not what the table says: UPDATE=1 cargo test");
}

#[test]
fn names_are_found_whatever_their_case() {
    for name in ["add", "ADD", "core.add", "core.ADD", "core.Add"] {
        assert_eq!(functions::find(name).unwrap().name, "add");
    }
    for (alias, name) in [("ite", "if"), ("neq", "ne"), ("core.TRIM", "strip"), ("ECHO", "id")] {
        assert_eq!(functions::find(alias).unwrap().name, name);
    }
    for name in ["", "core", "core.", "text.add", "now", "core.NOW", "uuid", "env", "sleep", "noop"]
    {
        assert!(functions::find(name).is_none(), "{name}");
    }
    let mut names: Vec<_> = FUNCTIONS
        .iter()
        .flat_map(|function| function.aliases.iter().chain([&function.name]))
        .collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "no name is there twice");
}

fn call(name: &str, args: &[Value]) -> Result<Value, Misfit> {
    functions::find(name).unwrap_or_else(|| panic!("no function {name}")).call(args)
}

/// Arguments as a JSON list; what comes back as JSON, or the fault's message.
fn computed(name: &str, args: &str) -> String {
    let args = read(args).unwrap_or_else(|error| panic!("{args}: {error:?}")).0;
    match call(name, args.as_list().unwrap()) {
        Ok(value) => compact(&value),
        Err(why) => why.to_string(),
    }
}

#[track_caller]
fn all(cases: &[(&str, &str, &str)]) {
    for (name, args, result) in cases {
        assert_eq!(computed(name, args), *result, "{name} {args}");
    }
}

#[test]
fn numbers() {
    all(&[
        ("add", "[1, 2]", "3"),
        ("add", "[1, 2.5, 3]", "6.5"),
        ("add", r#"["a", "b"]"#, r#""ab""#),
        ("add", "[[1], [2]]", "[1,2]"),
        (
            "add",
            r#"["a", 1]"#,
            "`add`: text and a number cannot be added; `concat` makes one text of both",
        ),
        ("add", "[9223372036854775807, 1]", "`add`: the result does not fit into 64 bits"),
        ("add", "[1e308, 1e308]", "`add`: the result is no number"),
        ("add", "[1]", "`add`: it takes 2 or more arguments, not 1"),
        ("add", "[null, 1]", "1"),
        ("add", "[null, null]", "0"),
        ("add", "[1.5, null]", "1.5"),
        (
            "add",
            r#"[null, "a"]"#,
            "`add`: a number and text cannot be added; `concat` makes one text of both",
        ),
        ("sub", "[null, 1]", "-1"),
        ("mul", "[null, 4]", "0"),
        ("sub", "[1, 3]", "-2"),
        ("sub", r#"["3", 1]"#, "`sub`: text where a number is needed"),
        ("mul", "[2, 3, 4]", "24"),
        ("mul", "[9223372036854775807, 2]", "`mul`: the result does not fit into 64 bits"),
        ("div", "[6, 3]", "2.0"),
        ("div", "[1, 0]", "`div`: nothing can be divided by zero"),
        ("div", "[1, -0.0]", "`div`: nothing can be divided by zero"),
        ("idiv", "[7, 2]", "3"),
        ("idiv", "[-7, 2]", "-4"),
        ("idiv", "[7.5, 2]", "3.0"),
        ("idiv", "[-9223372036854775808, -1]", "`idiv`: the result does not fit into 64 bits"),
        ("mod", "[-7, 2]", "1"),
        ("mod", "[7, -2]", "-1"),
        ("mod", "[-9223372036854775808, -1]", "0"),
        ("mod", "[5.5, 2]", "1.5"),
        ("pow", "[2, 10]", "1024"),
        ("pow", "[2, -1]", "0.5"),
        ("pow", "[0, -1]", "`pow`: nothing can be divided by zero"),
        ("pow", "[2, 64]", "`pow`: the result does not fit into 64 bits"),
        ("pow", "[-8, 0.5]", "`pow`: the result is no number"),
        ("abs", "[-3]", "3"),
        ("ceil", "[1.2]", "2"),
        ("floor", "[-1.2]", "-2"),
        ("floor", "[1e300]", "`floor`: the result does not fit into 64 bits"),
        ("round", "[2.5]", "2"),
        ("round", "[2.675, 2]", "2.67"),
        ("round", "[7, 2]", "7"),
        ("min", "[3, 1.5, 2]", "1.5"),
        ("max", r#"[["a", "c", "b"]]"#, r#""c""#),
        ("max", "[[]]", "`max`: there is nothing to choose from"),
        ("max", r#"[1, "a"]"#, "`max`: text and a number have no order"),
        ("clamp", "[5, 1, 3]", "3"),
        ("clamp", "[5, 3, 1]", "`clamp`: the lower end is above the upper end"),
        ("range", "[3]", "[0,1,2]"),
        ("range", "[5, 0, -2]", "[5,3,1]"),
        ("range", "[0, 5, -1]", "[]"),
        ("range", "[1, 2, 0]", "`range`: the step is zero"),
        ("range", "[10000000]", "`range`: more than 1048576 numbers"),
        (
            "range",
            "[-9223372036854775808, 9223372036854775807, 9223372036854775807]",
            "[-9223372036854775808,-1,9223372036854775806]",
        ),
        ("filter_high_score", r#"[[{"score": 1}, {"score": 3}, {}, 4], 2]"#, r#"[{"score":3}]"#),
    ]);
}

#[test]
fn comparisons() {
    all(&[
        ("eq", "[1, 1.0]", "true"),
        ("eq", r#"[1, "1"]"#, "false"),
        ("ne", "[[1], [2]]", "true"),
        ("lt", "[1, 2]", "true"),
        ("lte", r#"["a", "a"]"#, "true"),
        ("gt", "[9007199254740993, 9007199254740992.0]", "true"),
        ("gte", "[null, 1]", "`gte`: null and a number have no order"),
        ("and", "[1, \"\"]", "false"),
        ("or", "[0, [], {\"a\": 1}]", "true"),
        ("not", "[null]", "true"),
        ("if", "[[], 1, 2]", "2"),
        ("if", "[false, 1]", "null"),
        ("contains", r#"["abc", "b"]"#, "true"),
        ("contains", r#"[[1, 2], 2.0]"#, "true"),
        ("contains", r#"[{"a": 1}, "b"]"#, "false"),
    ]);
}

#[test]
fn texts() {
    all(&[
        ("concat", r#"["a", 1, null, [2]]"#, r#""a1null[2]""#),
        ("concat", "[[1], [2]]", "[1,2]"),
        ("join", r#"[["a", 1], ", "]"#, r#""a, 1""#),
        ("join", r#"["-", ["a", "b"]]"#, r#""a-b""#),
        ("split", r#"[" a  b "]"#, r#"["a","b"]"#),
        ("split", r#"["a,b,", ","]"#, r#"["a","b",""]"#),
        ("split", r#"["a", ""]"#, "`split`: an empty text stands everywhere"),
        ("replace", r#"["aXbX", "X", "--"]"#, r#""a--b--""#),
        ("lower", r#"["ÄB"]"#, r#""äb""#),
        ("upper", r#"["straße"]"#, r#""STRASSE""#),
        ("trim", r#"["  a  b "]"#, r#""a  b""#),
        ("strip", r#"["xxaxx", "x"]"#, r#""a""#),
        ("lstrip", r#"[" a "]"#, r#""a ""#),
        ("rstrip", r#"[" a "]"#, r#"" a""#),
        ("startswith", r#"["abc", "ab"]"#, "true"),
        ("endswith", r#"["abc", "ab"]"#, "false"),
        ("substr", r#"["größer", 2, 3]"#, r#""öße""#),
        ("substr", r#"["abc", -2]"#, r#""bc""#),
        ("substr", r#"["abc", 9, 2]"#, r#""""#),
        ("format", r#"["{} {1} {name} {{}}", 1, "b", {"name": "c"}]"#, r#""1 b c {}""#),
        ("format", r#"["{}"]"#, "`format`: there is no value for `{}`"),
        ("format", r#"["a } b"]"#, "`format`: a `}` has no partner; write `}}`"),
        ("str", "[{\"a\": 1.0}]", r#""{\"a\":1.0}""#),
        ("stringify", r#"["a"]"#, r#""\"a\"""#),
        ("parse", r#"["{\"a\": [1]}"]"#, r#"{"a":[1]}"#),
        (
            "parse",
            r#"["{"]"#,
            "`parse`: it is not JSON: EOF while parsing an object at line 1, column 1",
        ),
        ("parse", r#"["{\"a\": 1, \"a\": 2}"]"#, "`parse`: `/a` is given twice"),
        ("int", r#"[" 12 "]"#, "12"),
        ("int", r#"["3.9"]"#, "3"),
        ("int", r#"["nan"]"#, "`int`: it is no whole number of 64 bits"),
        ("float", r#"["1.5"]"#, "1.5"),
        ("float", r#"["inf"]"#, "`float`: it is no number"),
        ("bool", r#"["false"]"#, "true"),
        ("type", "[1.0]", r#""float""#),
        (
            "hash",
            r#"["abc"]"#,
            r#""ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad""#,
        ),
    ]);
}

#[test]
fn lists_and_objects() {
    all(&[
        ("len", r#"["größe"]"#, "5"),
        ("len", "[null]", "0"),
        ("len", "[1]", "`len`: a number where text, a list or an object is needed"),
        ("arr", "[]", "[]"),
        ("push", "[null, 1, 2]", "[1,2]"),
        (
            "sort",
            r#"[["b", 2, null, "a", 1.5, true, [1], {"a": 1}]]"#,
            r#"[1.5,2,"a","b",true,[1],{"a":1},null]"#,
        ),
        (
            "sort",
            r#"[[{"a": 1}, {}, {"a": 3}, {"a": 2}], "a", "desc"]"#,
            r#"[{},{"a":3},{"a":2},{"a":1}]"#,
        ),
        ("sort", r#"[[1], null, "up"]"#, "`sort`: an order is `asc` or `desc`"),
        ("reverse", r#"["abc"]"#, r#""cba""#),
        ("reverse", "[[1, 2]]", "[2,1]"),
        ("flatten", "[[1, [2, [3]], []]]", "[1,2,[3]]"),
        ("unique", r#"[[1, "1", 1.0, {"a": 1}, {"a": 1}]]"#, r#"[1,"1",{"a":1}]"#),
        ("zip", "[[1, 2, 3], [4, 5]]", "[[1,4],[2,5]]"),
        ("slice", "[[1, 2, 3, 4], 1, -1]", "[2,3]"),
        ("slice", r#"["größe", -3]"#, r#""öße""#),
        ("slice", "[[1, 2], 2, 1]", "[]"),
        ("get", r#"[{"a": 1}, "a"]"#, "1"),
        ("get", r#"[{"a": 1}, "b", 7]"#, "7"),
        ("get", "[[1, 2], -1]", "2"),
        ("get", "[[1, 2], 5]", "null"),
        ("get", "[null, \"a\"]", "null"),
        ("get", "[1, \"a\"]", "`get`: a number where an object, a list or text is needed"),
        ("put", r#"[{"a": 1}, "b", 2]"#, r#"{"a":1,"b":2}"#),
        ("put", "[[1, 2], -1, 9]", "[1,9]"),
        ("put", "[[1], 1, 9]", "`put`: there is no item at this place"),
        ("obj", r#"["a", 1, "b", 2]"#, r#"{"a":1,"b":2}"#),
        ("obj", r#"["a"]"#, "`obj`: `a` has no value"),
        ("merge", r#"[{"a": 1, "b": 1}, null, {"a": 2}]"#, r#"{"a":2,"b":1}"#),
        ("keys", r#"[{"b": 1, "a": 2}]"#, r#"["b","a"]"#),
        ("values", r#"[{"b": 1, "a": 2}]"#, "[1,2]"),
        ("pick", r#"[{"a": 1, "b": 2}, ["a", "z"]]"#, r#"{"a":1}"#),
        ("omit", r#"[{"a": 1, "b": 2}, "a"]"#, r#"{"b":2}"#),
    ]);
}

#[test]
fn sorting_by_a_field() {
    let items =
        read(r#"[{"n": 2, "i": 0}, {"n": 1, "i": 1}, {"i": 2}, {"n": 2, "i": 3}, 7]"#).unwrap().0;
    let sorted = |descending| compact(&functions::sort(&items, "n", descending).unwrap());
    assert_eq!(sorted(false), r#"[{"n":1,"i":1},{"n":2,"i":0},{"n":2,"i":3},{"i":2},7]"#);
    assert_eq!(sorted(true), r#"[{"i":2},7,{"n":2,"i":0},{"n":2,"i":3},{"n":1,"i":1}]"#);
    assert_eq!(functions::sort(&Value::Null, "n", true), Ok(Value::list([])));
}

/// What a few steps could do to the memory.
#[test]
fn results_are_bounded() {
    let repeated = |name: &str, start: Value, step: &dyn Fn(&Value) -> Vec<Value>| {
        let mut value = start;
        for _ in 0..200 {
            match call(name, &step(&value)) {
                Ok(next) => value = next,
                Err(why) => return why.to_string(),
            }
        }
        panic!("`{name}` has no end");
    };
    let twice = |value: &Value| vec![value.clone(), value.clone()];
    assert!(repeated("add", "ab".into(), &twice).ends_with("longer than 16777216"));
    assert!(repeated("concat", "ab".into(), &twice).ends_with("longer than 16777216"));
    assert!(repeated("arr", "ab".into(), &twice).ends_with("longer than 16777216"));
    assert!(repeated("push", Value::list([]), &twice).ends_with("longer than 16777216"));
    assert!(repeated("arr", 1.into(), &|value| vec![value.clone()]).ends_with("deeper than 100"));
    let obj = |value: &Value| vec!["a".into(), value.clone()];
    assert!(repeated("obj", 1.into(), &obj).ends_with("deeper than 100"));
    let long = Value::from("a".repeat(10 << 20));
    let same = call("replace", &[long.clone(), "a".into(), "b".into()]).unwrap();
    assert_eq!(same.as_text().unwrap().len(), 10 << 20);
    assert!(call("replace", &[long.clone(), "a".into(), "bb".into()]).is_err());
    assert!(call("format", &["{0}{0}".into(), long]).is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop_oneof![any::<i64>(), -3..4i64, Just(i64::MIN), Just(i64::MAX)].prop_map(Value::Int),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::Float),
        prop::sample::select(vec!["", "a", "desc", "{}", "ß}{0", "1.5", "[1", "score"])
            .prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::list),
            prop::collection::vec(("[ab]", inner), 0..4).prop_map(Value::map),
        ]
    })
}

proptest! {
    #[test]
    fn no_arguments_make_a_function_panic(args in prop::collection::vec(any_value(), 0..5)) {
        for function in FUNCTIONS {
            let once = function.call(&args);
            prop_assert_eq!(once, function.call(&args));
        }
    }

    #[test]
    fn subtraction_undoes_addition(one in any::<i64>(), other in any::<i64>()) {
        match call("add", &[one.into(), other.into()]) {
            Ok(sum) => prop_assert_eq!(call("sub", &[sum, other.into()]), Ok(one.into())),
            Err(_) => prop_assert!(one.checked_add(other).is_none()),
        }
    }

    #[test]
    fn division_and_remainder_belong_together(one in any::<i64>(), other in any::<i64>()) {
        let args = [Value::Int(one), Value::Int(other)];
        if let (Ok(Value::Int(quotient)), Ok(Value::Int(rest))) = (call("idiv", &args), call("mod", &args)) {
            prop_assert_eq!(i128::from(quotient) * i128::from(other) + i128::from(rest), i128::from(one));
            prop_assert!(rest == 0 || (rest < 0) == (other < 0));
        }
    }

    #[test]
    fn sorting_keeps_the_items_and_finds_the_ends(items in prop::collection::vec(any_value(), 0..20)) {
        let up = call("sort", &[Value::list(items.clone())]).unwrap();
        prop_assert_eq!(call("sort", std::slice::from_ref(&up)), Ok(up.clone()));
        let mut one: Vec<String> = items.iter().map(compact).collect();
        let mut other: Vec<String> = up.as_list().unwrap().iter().map(compact).collect();
        one.sort();
        other.sort();
        prop_assert_eq!(one, other);
        let numbers = items.iter().filter(|item| matches!(item, Value::Int(_) | Value::Float(_)));
        let numbers = Value::list(numbers.cloned());
        if let Ok(least) = call("min", &[numbers]) {
            prop_assert_eq!(&up.as_list().unwrap()[0], &least);
        }
    }

    #[test]
    fn what_was_written_is_read_again(value in any_value()) {
        let text = call("stringify", std::slice::from_ref(&value)).unwrap();
        prop_assert_eq!(call("parse", &[text]), Ok(value));
    }
}
