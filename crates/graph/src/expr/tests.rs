use value::json;

use super::*;

#[track_caller]
fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

#[test]
fn every_form_prints_as_it_reads() {
    for (text, printed, names) in [
        ("x", "x", vec!["x"]),
        ("x?", "x?", vec!["x"]),
        ("state=done", "state = \"done\"", vec!["state"]),
        ("a == $b", "a = $b", vec!["a", "b"]),
        ("n=3", "n = 3", vec!["n"]),
        ("n=3.0", "n = 3", vec!["n"]),
        ("n=007", "n = \"007\"", vec!["n"]),
        ("n=1e15", "n = 1e15", vec!["n"]),
        ("n=1e21", "n = 1e+21", vec!["n"]),
        ("true", "true", vec![]),
        ("always", "true", vec![]),
        ("$true", "$true", vec!["true"]),
        ("$always and $not", "$always and $not", vec!["always", "not"]),
        ("in", "in", vec!["in"]),
        ("name='a \"b\"'", "name = 'a \"b\"'", vec!["name"]),
        ("name='it''s \"b\"'", "name = \"it's \"\"b\"\"\"", vec!["name"]),
        ("u=\"a=b?\"", "u = \"a=b?\"", vec!["u"]),
        ("name = O'Brien", "name = \"O'Brien\"", vec!["name"]),
        ("day = 2024-01-05", "day = \"2024-01-05\"", vec!["day"]),
        ("step == in-progress", "step = \"in-progress\"", vec!["step"]),
        ("version == v1.2", "version = \"v1.2\"", vec!["version"]),
        ("a = None", "a = null", vec!["a"]),
        ("a != b", "a != \"b\"", vec!["a"]),
        ("a contains b", "a contains \"b\"", vec!["a"]),
        ("a contains $b", "a contains $b", vec!["a", "b"]),
        ("a>=-1", "a >= -1", vec!["a"]),
        ("a < b.c", "a < b.c", vec!["a", "b"]),
        ("a.b.c", "a.b.c", vec!["a"]),
        ("len(a.b)>0", "a.b.length > 0", vec!["a"]),
        ("n == xs.length", "n = xs.length", vec!["n", "xs"]),
        ("$xs.length", "xs.length", vec!["xs"]),
        ("a in b", "a in b", vec!["a", "b"]),
        ("a not in [b,'c',3,None]", "a not in [\"b\", \"c\", 3, null]", vec!["a"]),
        ("a == []", "a = []", vec!["a"]),
        ("a is Empty", "a is empty", vec!["a"]),
        ("a is not None", "a is not null", vec!["a"]),
        ("a is True", "a is true", vec!["a"]),
        ("!a || b&&c", "not a or b and c", vec!["a", "b", "c"]),
        ("(a OR b) AND NOT (c)", "(a or b) and not c", vec!["a", "b", "c"]),
        ("a or (b or (c and (d and a)))", "a or b or c and d and a", vec!["a", "b", "c", "d"]),
        ("not (a and b)", "not (a and b)", vec!["a", "b"]),
        ("not (a = 1)", "not a = 1", vec!["a"]),
        ("not not a", "not not a", vec!["a"]),
    ] {
        let expr = parse(text);
        assert_eq!(expr.to_string(), printed);
        assert_eq!(expr.names().iter().map(|name| &***name).collect::<Vec<_>>(), names, "{text}");
        assert_eq!(Expr::parse(printed), Ok(expr), "{printed}");
    }
}

#[test]
fn other_text_is_refused() {
    for (text, at, message) in [
        ("", "", "a condition is missing"),
        ("  ", "  ", "a condition is missing"),
        (
            "needs approval",
            "approval",
            "expected `and`, `or` or a comparison behind `needs`, not `approval`: \
             this reads as words for people, not as a condition",
        ),
        (
            "approved (rating >= 7)",
            "(",
            "expected `and`, `or` or a comparison behind `approved`, not `(`: \
             this reads as words for people, not as a condition",
        ),
        (
            "user doesn't agree",
            "doesn't",
            "expected `and`, `or` or a comparison behind `user`, not `doesn't`: \
             this reads as words for people, not as a condition",
        ),
        (
            "u = in progress or done",
            "progress",
            "`progress` behind `in`: text of several words needs quotes, `\"in progress\"`",
        ),
        (
            "u in [in progress, done]",
            "progress",
            "`progress` behind `in`: text of several words needs quotes, `\"in progress\"`",
        ),
        (
            "auto-approved",
            "auto-approved",
            "`auto-approved` is not a name: names have letters, digits and `_`, and text needs quotes",
        ),
        ("n > 007", "007", "`007` reads as a code, not as a number: put it in quotes"),
        ("a = $b-c", "$b-c", "`$b-c` is not `$` and the name of a variable"),
        ("=b", "=", "expected a name, not `=`"),
        ("a =", "", "expected a value behind `=`"),
        ("a and", "", "expected a name behind `and`"),
        ("a = not b", "not", "expected a value behind `=`, not `not`"),
        ("a > > b", ">", "expected a value behind `>`, not `>`"),
        (
            "a = b = c",
            "=",
            "one comparison cannot follow another: join them with `and`, not with `=`",
        ),
        ("a = b?", "?", "`?` can stand only behind a name, not behind `b`"),
        ("a + 1 > b", "+", "`+` is not known here: conditions do not calculate"),
        ("a & b", "&", "`&` is not known here: write `and`"),
        ("a)", ")", "`)` closes nothing"),
        ("(a or b", "(", "a closing `)` is missing"),
        ("a in [b", "[", "a closing `]` is missing"),
        ("a in [$b]", "$b", "a list holds constants, not variables like `$b`"),
        ("[a] = b", "[", "a list can stand only to the right of `in`, `=` and `!=`"),
        ("a = \"b", "\"b", "a closing `\"` is missing"),
        ("core.eq(a)", "core.eq", "`core.eq` is not a function here: there is only `len(x)`"),
        ("len(3)", "3", "`len` takes the name of a variable, not `3`"),
        (
            "x is good",
            "good",
            "behind `is` stands `empty`, `true`, `false` or `null`, not `good`; \
             to compare write `=`",
        ),
    ] {
        let bad = Expr::parse(text).expect_err(text);
        assert_eq!((&text[bad.at], &*bad.message), (at, message), "{text}");
    }
}

#[test]
fn no_text_is_too_much() {
    for unit in ["(", "not ", "!", "[", "a and ", "a=b or ", "x.", "'", "len(", "$", "é"] {
        let most = unit.repeat(1_000_000 / unit.len());
        assert!(Expr::parse(&most).is_err());
        // Near the limits all of it is read.
        let fits = unit.repeat(LENGTH_MAX / unit.len() - 1);
        if let Ok(expr) = Expr::parse(&format!("{fits}a")) {
            assert_eq!(Expr::parse(&expr.to_string()), Ok(expr));
        }
    }
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Expr::parse(&nested(DEPTH_MAX)).is_ok());
    assert!(Expr::parse(&nested(DEPTH_MAX + 1)).is_err());
    assert!(Expr::parse(&format!("{}a", "!".repeat(DEPTH_MAX))).is_ok());
    assert!(Expr::parse(&format!("{}a", "!".repeat(DEPTH_MAX + 1))).is_err());
    // The canonical form is longer, and must be readable too.
    assert!(Expr::parse(&vec!["a=b"; 900].join("||")).is_ok());
    assert!(Expr::parse(&vec!["a=b"; 1900].join("||")).is_err());
}

#[test]
fn scalars_are_typed_and_codes_are_not() {
    assert_eq!(scalar("-7"), Some(Value::Int(-7)));
    assert_eq!(scalar("0.8"), Some(Value::Float(0.8)));
    assert_eq!(scalar("1e3"), Some(Value::Float(1000.0)));
    assert_eq!(scalar("0"), Some(Value::Int(0)));
    for text in ["1234567890123456", "007", "1.2.3", "infinity", "nan", "e5", "", "-", "1e999"] {
        assert_eq!(scalar(text), None, "{text}");
    }
}

#[test]
fn conditions_hold_or_not() {
    let state = json::parse(
        r#"{"zero": 0, "one": 1, "half": 0.5, "yes": true, "no": false, "nothing": null, "empty": "",
            "word": "open", "open": "shut", "accents": "über", "list": ["a", 1, null], "none_of": [],
            "map": {"key": {"deep": 3}}, "blank": {}}"#,
    )
    .unwrap();
    let state = state.as_map().unwrap();
    for text in [
        "one and half and yes and word and list and map",
        "not (zero or no or nothing or empty or none_of or blank or gone or map.gone or word.x)",
        "zero? and empty? and blank? and not nothing? and not gone?",
        "word = open and word != shut and not word = $open and word != $open",
        "gone = none and nothing = null and gone = $nothing and zero != null",
        "one = 1.0 and one != true and one != '1' and yes = true and yes != 1",
        "list = [a, 1, null] and list != [a, 1] and none_of = []",
        "map.key.deep = 3 and map.key.deep.x = null",
        "half < one and one >= 1.0 and word < 'p'",
        "gone <= 0 and gone < 1 and gone >= nothing and gone > -1",
        "not word < 3 and not word >= 3 and not yes > 0 and not list < 1 and not word > gone",
        "len(list) = 3 and map.length = 1 and accents.length = 4 and one.length = 0 and len(gone) = 0",
        "one in list and gone in list and not word in list",
        "'pe' in word and 'key' in map and not 'x' in map and not 1 in word and not 1 in one",
        "word in [open, shut] and word not in [shut] and one in [1.0] and gone not in word",
        "list contains a and word contains pe and map contains key and not map contains deep",
        "empty is empty and none_of is empty and blank is empty and gone is empty",
        "zero is not empty and no is not empty and list is not empty",
        "yes is true and list is true and no is false and zero is false and gone is false",
        "gone is null and nothing is none and zero is not null",
        "always and not false and True and not None",
        "no and no or yes",
        "not no and yes",
    ] {
        let expr = parse(text);
        let parts = if let Expr::And(parts) = expr { parts } else { vec![expr] };
        for part in parts {
            assert!(part.eval(state), "{part}");
            assert!(!part.clone().negated().eval(state), "negated: {part}");
        }
    }
}

#[test]
fn a_condition_is_small() {
    assert!(size_of::<Term>() <= 24);
    assert!(size_of::<Expr>() <= 56);
}
