//! What blocks do to their data.

use expect_test::expect;

use crate::{check, value_of};
use runtime::Logic as _;
use value::Value;

#[test]
fn new_and_changed_names_are_set_in_the_order_of_the_data() {
    check(
        "state.data['c'] = 3\nstate.data['a'] = state.data['a'] + 1",
        r#"{"a": 1, "b": 2}"#,
        expect![[r#"
            a = 2
            c = 3
        "#]],
    );
}

#[test]
fn what_stays_the_same_is_not_set() {
    check(
        "x = state.data['a']\nstate.data['a'] = list(x)\nstate.data['b'] = {'y': None}",
        r#"{"a": [1, 2.5, true], "b": {"y": null}}"#,
        expect![[r#"
            nothing
        "#]],
    );
}

#[test]
fn a_change_deep_inside_counts() {
    check(
        "state.data['a']['list'][0]['x'] = 'new'\nalias = state.data['b']\nalias.append(1)",
        r#"{"a": {"list": [{"x": "old"}]}, "b": [], "c": 0}"#,
        expect![[r#"
            a = {"list":[{"x":"new"}]}
            b = [1]
        "#]],
    );
}

#[test]
fn a_change_of_order_or_of_the_sort_of_number_counts() {
    check(
        "m = state.data['m']\nm['a'] = m.pop('a')\nstate.data['n'] = 1.0\nstate.data['t'] = True",
        r#"{"m": {"a": 1, "b": 2}, "n": 1, "t": 1}"#,
        expect![[r#"
            m = {"b":2,"a":1}
            n = 1.0
            t = true
        "#]],
    );
}

#[test]
fn names_can_be_taken_away() {
    check(
        "state.data.pop('a')\nstate.data.pop('none', None)\nstate.data['d'] = 4",
        r#"{"a": 1, "b": 2, "c": 3}"#,
        expect![[r#"
            d = 4
            a is gone
        "#]],
    );
    check(
        "state.data = {'b': 2, 'x': 1}",
        r#"{"a": 1, "b": 2, "c": 3}"#,
        expect![[r#"
            x = 1
            a is gone
            c is gone
        "#]],
    );
    check(
        "state.data.clear()",
        r#"{"a": 1}"#,
        expect![[r#"
            a is gone
        "#]],
    );
}

#[test]
fn a_return_is_told_from_the_end() {
    check(
        "if state.data['a']:\n    return state\nstate.data['b'] = 1",
        r#"{"a": 1}"#,
        expect![[r#"
            returned
        "#]],
    );
    check(
        "if state.data['a']:\n    return state\nstate.data['b'] = 1",
        r#"{"a": 0}"#,
        expect![[r#"
            b = 1
        "#]],
    );
    for code in
        ["return", "return None", "return 5", "state = 1; return state", "return state.data"]
    {
        check(
            code,
            "{}",
            expect![[r#"
                returned
            "#]],
        );
    }
    check(
        "def f():\n    return 5\nstate.data['x'] = f()",
        "{}",
        expect![[r#"
            x = 5
        "#]],
    );
}

#[test]
fn what_is_printed_is_collected() {
    check(
        "print('a', 1, [None], sep='-')\nprint('b', end='')\nprint(f\"{3.14159:.2f} {'x'!r}\")",
        "{}",
        expect![[r#"
            > a-1-[None]
            > b3.14 'x'
        "#]],
    );
}

#[test]
fn a_block_may_be_empty_indented_or_have_texts_over_lines() {
    for code in ["", "\n", "# nothing", "pass", "\u{feff}pass", "   pass"] {
        check(
            code,
            "{}",
            expect![[r#"
                nothing
            "#]],
        );
    }
    check(
        "\n    state.data['a'] = 1\n    if True:\n        return state",
        "{}",
        expect![[r#"
            a = 1
            returned
        "#]],
    );
    let code = "x = 1\nstate.data['a'] = '''one\n  two\n'''\nstate.data['b'] = f'''{x}\n{x}\n'''";
    assert_eq!(value_of(code, "{}", "a"), Value::text("one\n  two\n"));
    assert_eq!(value_of(code, "{}", "b"), Value::text("1\n1\n"));
}

#[test]
fn some_modules_need_no_import() {
    check(
        "state.data['x'] = json.loads('[1]')\nstate.data['y'] = os.sep\nd = datetime.date(2026, 1, 2)\n\
         state.data['z'] = d.isoformat()",
        "{}",
        expect![[r#"
            x = [1]
            y = "/"
            z = "2026-01-02"
        "#]],
    );
    check(
        "import re\nfrom collections import Counter\nstate.data['x'] = re.sub('b+', '-', 'abbba')\n\
         state.data['y'] = dict(Counter('aab'))",
        "{}",
        expect![[r#"
            x = "a-a"
            y = {"a":2,"b":1}
        "#]],
    );
}

#[test]
fn the_clock_says_what_it_was_given() {
    check(
        "from datetime import datetime, timezone, timedelta, date\n\
         state.data['a'] = datetime.now().isoformat()\n\
         state.data['b'] = datetime.now(timezone(timedelta(hours=-18))).isoformat()\n\
         state.data['c'] = date.today().isoformat()",
        "{}",
        expect![[r#"
            a = "2026-11-15T17:10:34.000250"
            b = "2026-11-14T23:10:34.000250-18:00"
            c = "2026-11-15"
            looked at the clock
        "#]],
    );
    check(
        "state.data['a'] = time.time()\nstate.data['b'] = time.time_ns()",
        "{}",
        expect![[r#"
            a = 1794762634.00025
            b = 1794762634000250000
            looked at the clock
        "#]],
    );
    check(
        "state.data['a'] = datetime.datetime.now().year",
        "{}",
        expect![[r#"
            a = 2026
            looked at the clock
        "#]],
    );
}

#[test]
fn whole_numbers_keep_their_digits() {
    let code = "state.data['a'] -= 1\nstate.data['b'] = -2**63\nstate.data['c'] = 2**63 - 1";
    let mut given = crate::given("{}", &[]);
    given.data.insert("a".into(), Value::Int(9_007_199_254_740_994));
    let done = host::Python::default().run(&crate::block(code, &[]), &given).unwrap();
    let numbers: Vec<_> = done.set.iter().map(|(_, value)| value.clone()).collect();
    let expected = [9_007_199_254_740_993, i64::MIN, i64::MAX].map(Value::Int);
    assert_eq!(format!("{numbers:?}"), format!("{expected:?}"));
}

#[test]
fn tuples_become_lists() {
    check(
        "state.data['x'] = (1, ('a', 2))",
        "{}",
        expect![[r#"
            x = [1,["a",2]]
        "#]],
    );
}

#[test]
fn blocks_of_one_number_and_another_text_are_kept_apart() {
    let mut python = host::Python::default();
    for (code, expected) in [("state.data['a'] = 1", 1), ("state.data['a'] = 2", 2)] {
        let done = python.run(&crate::block(code, &[]), &crate::given("{}", &[])).unwrap();
        assert_eq!(done.set, [("a".into(), Value::Int(expected))]);
    }
}
