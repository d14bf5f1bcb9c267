use super::*;
use value::json;

fn parsed(text: &str) -> Value {
    json::parse(text).expect("the test's JSON")
}

fn said(refused: &[Refusal]) -> Vec<String> {
    refused.iter().map(Refusal::to_string).collect()
}

#[test]
fn members_have_templates_by_their_path() {
    let (shape, refused) =
        Shape::of_example(&parsed(r#"{"a": {"b": {"c": 1}, "d": []}, "e.f": null}"#));
    assert_eq!(said(&refused), Vec::<String>::new());
    let names: Vec<_> = shape.facts.iter().map(|fact| &*fact.name).collect();
    assert_eq!(names, ["a-b-c", "a-d", "e-f"]);
    assert_eq!(shape.facts[0].slots[0].from, ["a".into(), "b".into(), "c".into()]);
    assert_eq!(shape.facts[2].slots[0].from, ["e.f".into()]);
}

#[test]
fn what_cannot_be_a_fact_is_said_and_left_out() {
    let state = r#"{"a": {"b": 1}, "a-b": 2, "not": 3, "x y": 4, "12": 5, "": 6, "o": {}, "ok": 7,
        "inf": 8, "nan": 9}"#;
    let (shape, refused) = Shape::of_example(&parsed(state));
    assert_eq!(
        said(&refused),
        [
            "/a-b: there is a template `a-b` already; declare a template with another name for one",
            "/not: `not` begins a condition, so no template has this name; declare a template with another name for it",
            "/x y: `x y` is not a name that rules can write; name it with letters, digits, `-` and `_`",
            "/12: `12` is not a name that rules can write; name it with letters, digits, `-` and `_`",
            "/: `` is not a name that rules can write; name it with letters, digits, `-` and `_`",
            "/o: an object without members says nothing about its facts; give it a member, or declare the types",
        ]
    );
    let names: Vec<&str> = shape.facts.iter().map(|fact| &*fact.name).collect();
    assert_eq!(names, ["a-b", "ok", "inf", "nan"]);
    assert_eq!(
        said(&Shape::of_example(&parsed("[1]")).1),
        [": a state is an object, and this is a list; give it as an object of fields"]
    );
}

#[test]
fn types_are_words() {
    let types = r#"{"a": "STRING", "b": "List[INT]", "c": "list", "d": {"e": "bool"},
        "f": "dict", "g": "flaot", "h": 3, "i": "list[list[int]]"}"#;
    let (shape, refused) = Shape::of_types(&parsed(types));
    assert_eq!(
        shape.to_string(),
        "(deftemplate a (slot value (type STRING)))\n\
         (deftemplate b (multislot value (type INTEGER)))\n\
         (deftemplate c (multislot value))\n\
         (deftemplate d-e (slot value (type SYMBOL) (allowed-symbols TRUE FALSE)))\n"
    );
    assert_eq!(
        said(&refused),
        [
            "/f: there is no type `dict`; say which members it has, as an object of types",
            "/g: there is no type `flaot`; did you mean `float`?",
            "/h: a type is a word, and this is a number; write one like `str`, `int` or `list[str]`",
            "/i: there is no type `list[list[int]]`; \
             there are str, symbol, bool, int, float, number, any and list[...]",
        ]
    );
}

#[test]
fn a_declared_template_has_defaults_of_its_types() {
    let mut shape = Shape::default();
    let template = r#"{"name": "order", "slots": [
        {"name": "count", "type": "INTEGER", "default": "3"},
        {"name": "price", "type": "float", "default": 2},
        {"name": "open", "type": "bool", "default": "True"},
        {"name": "tags", "type": "list[symbol]", "default": ["a", "b"]},
        {"name": "owner.name", "type": "str", "default": "Ann \"A\""},
        {"name": "wrong", "type": "int", "default": "many"},
        {"name": "count", "type": "int"},
        {"name": "nameless"}
    ]}"#;
    let refused = shape.declare(&parsed(template));
    assert_eq!(
        shape.to_string(),
        "(deftemplate order (slot count (type INTEGER) (default 3)) \
         (slot price (type FLOAT) (default 2.0)) \
         (slot open (type SYMBOL) (allowed-symbols TRUE FALSE) (default TRUE)) \
         (multislot tags (type SYMBOL) (default a b)) \
         (slot owner-name (type STRING) (default \"Ann \\\"A\\\"\")) \
         (slot wrong (type INTEGER)))\n"
    );
    assert_eq!(
        said(&refused),
        [
            "/slots/5: the default of `wrong` is not of its type; give a whole number",
            "/slots/6: there is a slot `count` already; give each slot once",
            "/slots/7: a slot has a name and a type; give them as `name` and `type`",
        ]
    );
    assert_eq!(
        said(&shape.declare(&parsed(r#"{"slots": []}"#))),
        [": a template has a name; give it as `name`"]
    );
}
