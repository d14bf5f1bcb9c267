//! What schemas say of answers, and what stubs answer.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use expect_test::{Expect, expect};
use graph::{Declarations, Kind};
use proptest::prelude::*;
use runtime::schema::{Profile, SchemaId, Schemas};
use runtime::{Fault, FaultKind};
use value::{Value, json};

fn schemas(text: &str) -> Schemas {
    let mut declarations = Declarations::default();
    let Value::Map(declared) = json::parse(text).unwrap() else { panic!("no object") };
    for (name, schema) in declared.iter() {
        declarations.of_mut(Kind::Schemas).insert(name.clone(), schema.clone());
    }
    Schemas::compile(&declarations)
}

/// One schema `T`, its fields as `name: type`, and a schema `Issue` beside it.
fn fields(fields: &[(&str, &str)]) -> (Schemas, SchemaId) {
    let fields = fields
        .iter()
        .map(|(name, of)| Value::map([("name", Value::from(*name)), ("type", Value::from(*of))]));
    let mut declarations = Declarations::default();
    let own = Value::map([("fields", Value::list(fields))]);
    let issue = json::parse(
        r#"{"fields": [{"name": "line", "type": "integer"},
                       {"name": "note", "type": "string", "default": "none"}]}"#,
    );
    declarations.of_mut(Kind::Schemas).insert("T".into(), own);
    declarations.of_mut(Kind::Schemas).insert("Issue".into(), issue.unwrap());
    let schemas = Schemas::compile(&declarations);
    let id = schemas.find("T").unwrap();
    (schemas, id)
}

fn answer(of: &[(&str, &str)], text: &str) -> Result<String, Fault> {
    let (schemas, id) = fields(of);
    schemas.answer(id, text).map(|map| json::compact(&map.into()))
}

fn refused(of: &[(&str, &str)], text: &str, says: Expect) {
    let fault = answer(of, text).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Schema);
    says.assert_eq(&fault.message);
}

#[test]
fn json_is_found_in_what_models_write() {
    let of = &[("a", "integer")];
    for text in [
        r#"{"a": 3}"#,
        "\u{feff}  {\"a\": 3}\n",
        "```json\n{\"a\": 3}\n```",
        "```\n{\"a\": 3}```",
        "Sure! Here it is:\n```json\n{\"a\": 3}\n```\nAnything else?",
        "```{\"a\": 3}```",
        "One {word}? No:\n```json\n{\"a\": 3}\n```\nor\n```json\n{\"a\": 4}\n```",
        "The answer is {\"a\": 3}.",
        "{\"a\": 3.0}",
        "{\"a\": 3e0}",
    ] {
        assert_eq!(answer(of, text).unwrap(), r#"{"a":3}"#, "{text}");
    }
    // A fence inside of a text is no fence around the answer.
    let text = r#"{"code": "```py\nx = {}\n```"}"#;
    assert!(answer(&[("code", "string")], text).is_ok());
}

#[test]
fn what_is_no_answer_says_why() {
    let of = &[("a", "integer"), ("b", "list<Issue>"), ("c", "enum[yes, no]")];
    refused(of, "", expect!["the answer is no `T`: it is empty"]);
    refused(of, "I cannot.", expect!["the answer is no `T`: there is no JSON object in it"]);
    refused(of, "[1]", expect!["the answer is no `T`: it is a list, not an object"]);
    refused(of, "null", expect!["the answer is no `T`: it is null, not an object"]);
    refused(
        of,
        r#"{"a": 1, "b": ["#,
        expect![
            "the answer is no `T`: it is not JSON: EOF while parsing a list at line 1, column 15"
        ],
    );
    refused(of, r#"{"a": 1, "a": 2}"#, expect!["the answer is no `T`: it is given twice at `/a`"]);
    refused(
        of,
        r#"{"a": "1", "b": [{"line": 1}, {"line": 1.5}, 3], "c": "Yes"}"#,
        expect![
            "the answer is no `T`: text where a value of type `integer` is needed at `/a` (and 3 more)"
        ],
    );
    let deep = r#"{"a":"#.repeat(100_000);
    refused(of, &deep, expect!["the answer is no `T`: it is nested too deeply"]);
}

#[test]
fn violations_are_listed_with_their_places() {
    let (schemas, id) = fields(&[("b", "list<Issue>"), ("c", "enum[yes, no]"), ("d", "datetime")]);
    let fault = schemas.answer(id, r#"{"b": [{"note": 1}, 3], "c": "Yes", "d": "soon"}"#);
    expect![[r#"
        {
          "schema": "T",
          "violations": [
            { "at": "/b/0/line", "message": "`line` is missing" },
            { "at": "/b/0/note", "message": "a number where a value of type `string` is needed" },
            { "at": "/b/1", "message": "a number where an object `Issue` is needed" },
            { "at": "/c", "message": "\"Yes\" is not one of \"yes\", \"no\"" },
            { "at": "/d", "message": "\"soon\" is no date and time like 2026-01-31T12:00:00Z" }
          ]
        }"#]]
    .assert_eq(&json::pretty(&fault.unwrap_err().details.unwrap()));
}

#[test]
fn violations_are_bounded_and_large_answers_are_read_in_one_go() {
    let of = &[("b", "list<string>")];
    let text = format!(r#"{{"b": [{}1]}}"#, "1,".repeat(2_000_000));
    let fault = answer(of, &text).unwrap_err();
    let details = fault.details.unwrap();
    assert_eq!(details.get("violations").unwrap().as_list().unwrap().len(), 20);
    let long = format!(r#"{{"b": ["{}"]}}"#, "x".repeat(10 << 20));
    assert!(answer(of, &long).is_ok());
    let many: String = (0..200_000).map(|at| format!("\"k{at}\": 1, \"k{at}\": 2,")).collect();
    assert!(answer(of, &format!("{{{many} \"b\": []}}")).is_err());
}

#[test]
fn each_type_takes_its_values_and_no_others() {
    for (of, good, bad) in [
        ("string", r#"["a", ""]"#, r#"[1, null, [], {}]"#),
        ("integer", "[1, -2, 3.0]", r#"[1.5, "1", true, null, 1e300]"#),
        ("float", "[1, 1.5]", r#"["1.5", false]"#),
        ("boolean", "[true]", r#"[0, "true"]"#),
        ("object", "[{}]", "[[], null]"),
        ("array", "[[], [1]]", "[{}]"),
        ("list<integer>", "[[], [1]]", r#"[1, ["a"], [null]]"#),
        ("enum[a, b]", r#"["a"]"#, r#"["A", "", 1]"#),
        ("datetime", r#"["2026-01-01T00:00:00"]"#, r#"["today", 5]"#),
        ("Issue", r#"[{"line": 1}]"#, r#"[{"line": "1"}, {}, []]"#),
        ("integer | list<Issue>", r#"[1, [], [{"line": 1}]]"#, r#"["a", [1]]"#),
        ("Elsewhere", r#"[1, null, "a", {}]"#, "[]"),
    ] {
        let (schemas, id) = fields(&[("x", of)]);
        let fits =
            |value: &Value| schemas.check(id, &Value::map([("x", value.clone())])).is_empty();
        for value in json::read(good).unwrap().0.as_list().unwrap() {
            assert!(fits(value), "{of} takes {value:?}");
        }
        for value in json::read(bad).unwrap().0.as_list().unwrap() {
            assert!(!fits(value), "{of} does not take {value:?}");
        }
    }
}

const REVIEW: &str = r#"{
    "Review": {"description": "What was found.", "fields": [
        {"name": "verdict", "type": "enum[pass, fail]", "description": "the outcome"},
        {"name": "issues", "type": "list<Issue>", "default": []},
        {"name": "next", "type": "Review", "optional": true},
        {"name": "score", "type": "float"}
    ]},
    "Issue": {"fields": [
        {"name": "line", "type": "integer"},
        {"name": "note", "type": "string", "default": "none"}
    ]}
}"#;

#[test]
fn defaults_are_filled_wherever_they_are_missing() {
    let schemas = schemas(REVIEW);
    let id = schemas.find("Review").unwrap();
    let text = r#"{"verdict": "pass", "score": 1, "issues": [{"line": 1.0}], "extra": 1}"#;
    let map = schemas.answer(id, text).unwrap();
    expect![[r#"{"verdict":"pass","score":1,"issues":[{"line":1,"note":"none"}],"extra":1}"#]]
        .assert_eq(&json::compact(&map.into()));
    // Null says that a field which may be missing is missing.
    let text = r#"{"verdict": "pass", "score": 1, "issues": null, "next": null}"#;
    let map = schemas.answer(id, text).unwrap();
    expect![[r#"{"verdict":"pass","score":1,"issues":[]}"#]].assert_eq(&json::compact(&map.into()));
    let fault = schemas.answer(id, r#"{"verdict": null, "score": 1}"#).unwrap_err();
    assert!(
        fault.message.ends_with("`one of \"pass\", \"fail\"` is needed at `/verdict`"),
        "{fault}"
    );
}

#[test]
fn a_call_is_given_what_is_nearest() {
    let schemas = schemas(REVIEW);
    let id = schemas.find("Review").unwrap();
    let others = [
        json::parse(r#"{"score": 1, "verdict": "fail"}"#).unwrap(),
        json::parse(r#"{"score": 2, "unasked": 3}"#).unwrap(),
    ];
    let get = |name: &str| (name == "verdict").then(|| Value::from("pass"));
    let input = schemas.input(id, get, others.iter().filter_map(Value::as_map));
    expect![[r#"{"verdict":"pass","issues":[],"score":1}"#]]
        .assert_eq(&json::compact(&input.into()));
}

#[test]
fn a_model_is_told_what_to_answer() {
    let schemas = schemas(REVIEW);
    let id = schemas.find("Review").unwrap();
    expect![[r#"
        Answer with one JSON object and nothing else: no prose and no fence around it. Its members are:
        - "verdict": one of "pass", "fail" (the outcome)
        - "issues": list of Issue, may be left out
        - "next": Review, may be left out
        - "score": number
        Each Issue is an object with the members:
        - "line": integer
        - "note": string, may be left out
    "#]]
    .assert_eq(&schemas.instruction(id));
    expect![[r##"
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "type": "object",
          "description": "What was found.",
          "properties": {
            "verdict": { "type": "string", "enum": ["pass", "fail"], "description": "the outcome" },
            "issues": {
              "anyOf": [{ "type": "array", "items": { "$ref": "#/$defs/Issue" } }, { "type": "null" }],
              "default": []
            },
            "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] },
            "score": { "type": "number" }
          },
          "required": ["verdict", "issues", "next", "score"],
          "additionalProperties": false,
          "$defs": {
            "Issue": {
              "type": "object",
              "properties": {
                "line": { "type": "integer" },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": "none" }
              },
              "required": ["line", "note"],
              "additionalProperties": false
            }
          }
        }"##]]
    .assert_eq(&json::pretty(&schemas.json_schema(id)));
}

#[test]
fn stubs_answer_by_the_rule() {
    let (schemas, id) = fields(&[
        ("s", "string"),
        ("i", "integer"),
        ("f", "float"),
        ("b", "boolean"),
        ("e", "enum[x, y, z]"),
        ("l", "list<string>"),
        ("n", "Issue"),
        ("o", "object"),
        ("a", "array"),
        ("d", "datetime"),
        ("u", "Elsewhere"),
        ("t", "integer | string"),
    ]);
    let shown = |profile, k| json::pretty(&schemas.sample(id, profile, k).into());
    expect![[r#"
        {
          "s": "stub:s",
          "i": 1,
          "f": 0.1,
          "b": false,
          "e": "x",
          "l": ["stub:l"],
          "n": { "line": 1, "note": "stub:note" },
          "o": { "key": "stub:o" },
          "a": ["stub:a"],
          "d": "2026-01-01T00:00:00",
          "u": "stub:u",
          "t": 1
        }"#]]
    .assert_eq(&shown(Profile::Low, 7));
    expect![[r#"
        {
          "s": "stub:s",
          "i": 9,
          "f": 0.9,
          "b": true,
          "e": "z",
          "l": ["stub:l", "stub:l"],
          "n": { "line": 9, "note": "stub:note" },
          "o": { "key": "stub:o" },
          "a": ["stub:a", "stub:a"],
          "d": "2026-01-01T00:00:00",
          "u": "stub:u",
          "t": 9
        }"#]]
    .assert_eq(&shown(Profile::High, 7));
    expect![[r#"
        {
          "s": "stub:s",
          "i": 1,
          "f": 0.1,
          "b": true,
          "e": "z",
          "l": ["stub:l"],
          "n": { "line": 1, "note": "stub:note" },
          "o": { "key": "stub:o" },
          "a": ["stub:a"],
          "d": "2026-01-01T00:00:00",
          "u": "stub:u",
          "t": 1
        }"#]]
    .assert_eq(&shown(Profile::Cycle, 12));
}

#[test]
fn schemas_that_need_themselves_end() {
    let schemas = schemas(
        r#"{"Node": {"fields": [{"name": "left", "type": "Node"}, {"name": "leaf", "type": "string"}]},
            "Wide": {"fields": [{"name": "all", "type": "list<list<list<list<list<list<Wide>>>>>>"}]}}"#,
    );
    let id = schemas.find("Node").unwrap();
    let sample = Value::from(schemas.sample(id, Profile::High, 1));
    assert_eq!(schemas.check(id, &sample), []);
    assert_eq!(json::compact(&sample).matches("leaf").count(), 2 * 5);
    // An end further up is no end.
    let early = json::parse(r#"{"left": {}, "leaf": ""}"#).unwrap();
    assert_eq!(schemas.check(id, &early)[0].at.as_str(), "/left/left");
    let wide = schemas.find("Wide").unwrap();
    let sample = Value::from(schemas.sample(wide, Profile::High, 1));
    assert!(json::compact(&sample).len() < 10_000_000);
}

#[test]
fn choices_inside_of_choices_take_no_longer() {
    let schemas = schemas(
        r#"{"A": {"fields": [{"name": "x", "type": "A | B | integer"}]},
            "B": {"fields": [{"name": "x", "type": "A | B | integer"},
                             {"name": "y", "type": "string", "optional": true}]}}"#,
    );
    let id = schemas.find("A").unwrap();
    let deep = |end: &str| format!("{}{end}{}", r#"{"x":"#.repeat(100), "}".repeat(100));
    assert!(schemas.answer(id, &deep("1")).is_ok());
    let fault = schemas.answer(id, &deep("\"no\"")).unwrap_err();
    assert!(fault.message.contains("an object where a value of type `A or B or integer`"));
}

#[test]
fn values_that_nest_without_end_are_refused() {
    let (schemas, id) = fields(&[("x", "list<T>")]);
    let mut value = Value::map([("x", Value::list([]))]);
    for _ in 0..2_000 {
        value = Value::map([("x", Value::list([value]))]);
    }
    let violations = schemas.check(id, &value);
    assert_eq!(violations[0].message, "it is nested too deeply");
}

fn any_type() -> impl Strategy<Value = String> {
    let plain = prop::sample::select(vec![
        "string",
        "integer",
        "float",
        "boolean",
        "object",
        "array",
        "datetime",
        "enum[a, b, c]",
        "S0",
        "S1",
        "S2",
        "Elsewhere",
        "",
    ]);
    plain.prop_map(str::to_string).prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|of| format!("list<{of}>")),
            (inner.clone(), inner).prop_map(|(one, other)| format!("{one} | {other}")),
        ]
    })
}

fn any_schemas() -> impl Strategy<Value = Schemas> {
    let field = (any_type(), any::<bool>(), prop::option::of(Just(Value::from("default"))));
    let schema = prop::collection::vec(field, 0..4);
    prop::collection::vec(schema, 3).prop_map(|all| {
        let mut declarations = Declarations::default();
        for (at, fields) in all.into_iter().enumerate() {
            let fields = fields.into_iter().enumerate().map(|(at, (of, optional, default))| {
                let mut field = vec![
                    ("name", Value::from(format!("f{at}"))),
                    ("type", of.into()),
                    ("optional", optional.into()),
                ];
                field.extend(default.map(|default| ("default", default)));
                Value::map(field)
            });
            let schema = Value::map([("fields", Value::list(fields))]);
            declarations.of_mut(Kind::Schemas).insert(format!("S{at}").into(), schema);
        }
        Schemas::compile(&declarations)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_a_stub_answers_fits(schemas in any_schemas(), k in 1u32..40) {
        let id = schemas.find("S0").unwrap();
        for profile in [Profile::Low, Profile::High, Profile::Cycle] {
            let sample = Value::from(schemas.sample(id, profile, k));
            // Beyond this a sample is cut short, and need not fit.
            let text = json::compact(&sample);
            prop_assume!(text.len() < 100_000);
            let answer = schemas.answer(id, &text);
            prop_assert_eq!(answer.map(Value::from), Ok(sample));
        }
    }

    #[test]
    fn no_text_makes_it_panic(schemas in any_schemas(), text in any::<String>()) {
        let _ = schemas.answer(schemas.find("S0").unwrap(), &text);
    }

    #[test]
    fn no_text_like_json_makes_it_panic(
        schemas in any_schemas(),
        text in r#"[{}\[\]":,`\\ \nftnu1e.-]{0,40}(\{"f[0-3]":)?[{}\[\]":,`a1 ]{0,40}"#,
    ) {
        let id = schemas.find("S0").unwrap();
        if let Ok(answer) = schemas.answer(id, &text) {
            prop_assert_eq!(schemas.check(id, &answer.into()), []);
        }
    }
}
