//! Schemas of strangers: what they may say, and what they cannot do to us.

use expect_test::expect;
use host::tools::schema::JsonSchema;
use runtime::schema::Profile;
use value::{Value, json};

use crate::scratch::wrapped;

fn schema(text: &str) -> Result<JsonSchema, String> {
    JsonSchema::new(&json::parse(text).unwrap())
}

fn misfits(schema: &JsonSchema, value: &Value) -> String {
    let found = schema.misfits(value);
    found.iter().map(|misfit| format!("{misfit}\n")).collect()
}

#[test]
fn every_misfit_has_its_place() {
    let refund = schema(
        r#"{"type": "object", "properties": {
            "order": {"type": "string", "pattern": "^O-[0-9]+$"},
            "amount": {"type": "number", "minimum": 0},
            "lines": {"type": "array", "items": {"enum": ["a", "b"]}}
        }, "required": ["order", "amount"], "additionalProperties": false}"#,
    )
    .unwrap();
    let check = |value: &str| misfits(&refund, &json::parse(value).unwrap());
    assert_eq!(check(r#"{"order": "O-1", "amount": 1.5, "lines": ["a"]}"#), "");
    let found = check(r#"{"order": "12", "amount": -1, "lines": ["a", 5], "x/y": 1}"#);
    expect![[r#"
        /order: "12" does not match "^O-[0-9]+$"
        /amount: -1 is less than the minimum of 0
        /lines/1: 5 is not one of "a" or "b"
        the whole: Additional properties are not allowed ('x/y' was unexpected)
    "#]]
    .assert_eq(&found);
    expect![[r#"
        the whole: "order" is a required property
        the whole: "amount" is a required property
    "#]]
    .assert_eq(&check("{}"));
    let long = Value::map([("order", "x".repeat(100_000).into()), ("amount", 1.into())]);
    assert!(misfits(&refund, &long).len() < 400, "a value is not quoted as a whole");
}

#[test]
fn schemas_that_cannot_be_followed_are_refused() {
    let nested = "{\"items\":".repeat(100) + "{}" + &"}".repeat(100);
    let large = format!(r#"{{"description": "{}"}}"#, "x".repeat(300_000));
    let said: Vec<String> = [
        r#"{"type": "strin"}"#,
        r#"{"pattern": "("}"#,
        r#"{"pattern": "(?=a)b"}"#,
        r#"{"pattern": "(a)\\1"}"#,
        r#"{"pattern": "(((a{100}){100}){100}){100}"}"#,
        r##"{"$ref": "https://example.com/schema.json"}"##,
        r##"{"$ref": "file:///etc/passwd"}"##,
        r##"{"$ref": "other.json#/a"}"##,
        r##"{"$ref": "#/$defs/none"}"##,
        r##"{"$ref": "#anchor", "$defs": {"a": {"$anchor": "anchor"}}}"##,
        r##"{"$dynamicRef": "#a"}"##,
        r##"{"$defs": {"a": {"$id": "https://example.com/a"}}}"##,
        r##"{"$schema": "https://example.com/own-dialect"}"##,
        "5",
        &nested,
        &large,
    ]
    .iter()
    .map(|text| schema(text).map_or_else(|why| why, |_| "fine".to_owned()) + "\n")
    .collect();
    expect![[r#"
        "strin" is not valid under any of the schemas listed in the 'anyOf' keyword (at `/type`)
        "(" is not a "regex" (at `/pattern`)
        "(?=a)b" is not a "regex" (at `/pattern`)
        "(a)\\1" is not a "regex" (at `/pattern`)
        "(((a{100}){100}){100}){100}" is not a "regex" (at `/pattern`)
        `$ref` to `https://example.com/schema.json`: only places in the same schema, such as
            `#/$defs/item`, are followed
        `$ref` to `file:///etc/passwd`: only places in the same schema, such as `#/$defs/item`,
            are followed
        `$ref` to `other.json#/a`: only places in the same schema, such as `#/$defs/item`, are
            followed
        `$ref` to `#/$defs/none`: only places in the same schema, such as `#/$defs/item`, are
            followed
        `$ref` to `#anchor`: only places in the same schema, such as `#/$defs/item`, are followed
        `$dynamicRef` is not supported; say `$ref`
        only the whole may have an `$id`
        Unknown meta-schema: 'https://example.com/own-dialect'. Custom meta-schemas must be
            registered in the registry before use (at ``)
        a JSON Schema is an object, and this is a number
        it nests more than 64 levels deep
        it is 300018 bytes long, and 262144 is the most
    "#]]
    .assert_eq(&wrapped(&said.concat()));
}

/// Definitions that each name the next one twice: `2^n` looks.
fn laughs(count: usize) -> String {
    let one = |n: usize| {
        let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, n + 1);
        format!(r#""d{n}": {{"allOf": [{next}, {next}]}}"#)
    };
    let all: Vec<String> = (0..count).map(one).collect();
    format!(
        r##"{{"$ref": "#/$defs/d0", "$defs": {{{}, "d{count}": {{"type": "string"}}}}}}"##,
        all.join(", ")
    )
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::map([("end", 1.into())]), |value, _| Value::map([("a", value)]))
}

const TOO_LONG: &str = "it would take too long";

#[test]
fn no_schema_holds_anybody_up() {
    let few = schema(&laughs(8)).unwrap();
    assert!(misfits(&few, &1.into()).contains("is not of type"));
    let many = schema(&laughs(60)).unwrap();
    assert!(misfits(&many, &1.into()).contains(TOO_LONG));

    let twice = schema(
        r##"{"properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}, "required": ["z"]}"##,
    )
    .unwrap();
    assert!(misfits(&twice, &nested(4)).contains("required"));
    assert!(misfits(&twice, &nested(60)).contains(TOO_LONG));

    let unevaluated = (0..20).fold("{}".to_owned(), |inner, _| {
        format!(r#"{{"allOf": [{inner}], "unevaluatedProperties": false}}"#)
    });
    assert!(misfits(&schema(&unevaluated).unwrap(), &nested(1)).contains(TOO_LONG));

    for circle in [
        r##"{"$ref": "#"}"##,
        r##"{"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}"##,
    ] {
        assert!(misfits(&schema(circle).unwrap(), &1.into()).contains(TOO_LONG), "{circle}");
    }

    let patterns = schema(r#"{"pattern": "^(a+)+$", "maxLength": 1000000}"#).unwrap();
    let text = "a".repeat(100_000) + "!";
    assert!(misfits(&patterns, &text.into()).contains("does not match"));
}

/// A schema that names itself once is what trees are described with. It is followed as deep as
/// values go, on a stack as small as those of the threads that check results.
#[test]
fn trees_are_followed_to_their_leaves() {
    let tree = schema(
        r##"{"type": "object", "properties": {
            "a": {"$ref": "#"}, "all": {"type": "array", "items": {"$ref": "#"}}
        }}"##,
    )
    .unwrap();
    let hops: Vec<String> =
        (0..30).map(|n| format!(r##""d{n}": {{"$ref": "#/$defs/d{}"}}"##, n + 1)).collect();
    let hops = schema(&format!(
        r##"{{"properties": {{"a": {{"$ref": "#/$defs/d0"}}}},
            "$defs": {{{}, "d30": {{"$ref": "#"}}}}}}"##,
        hops.join(", ")
    ))
    .unwrap();
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let checked = thread.spawn(move || {
        let wide = Value::map([("all", Value::list((0..20_000).map(|_| nested(1))))]);
        let deep = nested(value::json::DEPTH_MAX - 1);
        let (few, many) = (misfits(&hops, &nested(6)), misfits(&hops, &deep));
        (misfits(&tree, &deep), misfits(&tree, &wide), few, many)
    });
    let (deep, wide, few, many) = checked.unwrap().join().unwrap();
    assert_eq!((&*deep, &*wide, &*few), ("", "", ""));
    assert!(many.contains(TOO_LONG));
}

/// What a stub makes up for a schema of a spec, and what a model's answer may be, passes the border
/// of a tool that declares the same schema.
#[test]
fn values_of_a_declared_schema_fit_its_json_schema() {
    let declared = r#"{
        "T": {"fields": [
            {"name": "text", "type": "string"},
            {"name": "count", "type": "integer", "default": 3},
            {"name": "share", "type": "float"},
            {"name": "when", "type": "datetime"},
            {"name": "kind", "type": "enum[a, b]", "optional": true},
            {"name": "either", "type": "string | list<integer>"},
            {"name": "odd", "type": "list<A/B ~ü%41>"},
            {"name": "tree", "type": "Tree"},
            {"name": "any", "type": "whatever"}
        ]},
        "A/B ~ü%41": {"fields": [{"name": "x y", "type": "boolean"}]},
        "Tree": {"fields": [{"name": "inner", "type": "list<Tree>", "optional": true}]},
        "Open": {"fields": []}
    }"#;
    let mut declarations = graph::Declarations::default();
    for (name, one) in json::parse(declared).unwrap().as_map().unwrap().iter() {
        declarations.of_mut(graph::Kind::Schemas).insert(name.clone(), one.clone());
    }
    let schemas = runtime::schema::Schemas::compile(&declarations);
    for name in ["T", "A/B ~ü%41", "Tree", "Open"] {
        let id = schemas.find(name).unwrap();
        let written = schemas.json_schema_of_values(id);
        let schema = JsonSchema::new(&written).unwrap_or_else(|why| panic!("{name}: {why}"));
        for profile in [Profile::Low, Profile::High, Profile::Cycle] {
            for nth in 1..5 {
                let sample = Value::from(schemas.sample(id, profile, nth));
                assert_eq!(schemas.check(id, &sample), [], "{name}");
                assert_eq!(misfits(&schema, &sample), "", "{name} {}", json::compact(&sample));
            }
        }
        let strict = JsonSchema::new(&schemas.json_schema(id)).unwrap();
        assert_eq!(misfits(&strict, &1.into()), "the whole: 1 is not of type \"object\"\n");
    }
}
