//! What goes wrong, and where.

use expect_test::expect;

use crate::check;

#[test]
fn an_exception_has_the_authors_line() {
    check(
        "x = 1\n\nstate.data['y'] = state.data['z']",
        "{}",
        expect![[r#"
            logic: KeyError: z (line 3: `state.data['y'] = state.data['z']`)
        "#]],
    );
    check(
        "import json\ndef f(x):\n    return 1 / x\nd = datetime.date(2026, 1, 1)\nf(0)",
        "{}",
        expect![[r#"
            logic: ZeroDivisionError: division by zero (line 3: `return 1 / x`)
        "#]],
    );
    check(
        "    raise ValueError('no')",
        "{}",
        expect![[r#"
            logic: ValueError: no (line 1: `raise ValueError('no')`)
        "#]],
    );
    check(
        "text = '''\n\n'''\nassert text == 1",
        "{}",
        expect![[r#"
            logic: AssertionError (line 4: `assert text == 1`)
        "#]],
    );
}

#[test]
fn values_that_are_no_json_are_named() {
    for (value, why) in [
        ("{1, 2}", "is a set: use `sorted(..)` or `list(..)`"),
        ("float('nan')", "is NaN, which is no number in JSON"),
        ("float('-inf')", "is -inf, which is no number in JSON"),
        ("2**63", "is a whole number beyond 64 bits"),
        ("-2**63 - 1", "is a whole number beyond 64 bits"),
        ("b'x'", "is bytes: use `.decode()`"),
        ("{1: 2}", "has the key 1, which is no text"),
        ("len", "is a function"),
        ("lambda: 1", "is a function"),
        ("int", "is a class"),
        ("state", "is an object of a class: use a dict"),
        ("datetime.date(2026, 1, 1)", "is a date or time: use `.isoformat()`"),
        ("...", "is nothing that JSON has"),
    ] {
        let code = format!("state.data['a'] = [{{'b': {value}}}]");
        let fault = crate::run(&code, "{}").unwrap_err();
        assert_eq!(fault.kind, runtime::FaultKind::Logic, "{value}");
        let expected = format!(r#"state.data["a"][0]["b"] {why}"#);
        assert_eq!(&*fault.message, &*expected, "{value}");
    }
    check(
        "a = []\na.append(a)\nstate.data['x'] = a",
        "{}",
        expect![[r#"
            logic: state.data["x"][0] contains itself
        "#]],
    );
    check(
        "state.data = [1]",
        "{}",
        expect![[r#"
            logic: `state.data` is no dict any more, but [1]
        "#]],
    );
    check(
        "state.data[1] = 2",
        "{}",
        expect![[r#"
            logic: `state.data` has the key 1, which is no text
        "#]],
    );
}

#[test]
fn nothing_outside_can_be_reached() {
    for (code, name) in [
        ("open('x')", "open"),
        ("x = os.environ", "os.environ"),
        ("x = os.getenv('HOME')", "os.getenv"),
        ("os.listdir('.')", "Path.iterdir"),
        ("from pathlib import Path\nPath('x').read_text()", "Path.read_text"),
        ("time.sleep(1)", "time.sleep"),
    ] {
        let caught =
            format!("try:\n    pass\n    {}\nexcept:\n    pass", code.replace('\n', "\n    "));
        for code in [code, &caught] {
            let fault = crate::run(code, "{}").unwrap_err();
            assert_eq!(fault.kind, runtime::FaultKind::Logic);
            let expected = format!("PermissionError: `{name}` reaches out: a block has no files, ");
            assert!(fault.message.starts_with(&expected), "{code}: {fault}");
        }
    }
    check(
        "x = 1\ny = call_llm('hello')",
        "{}",
        expect![[r#"
            logic: NameError: name 'call_llm' is not defined (line 2: `y = call_llm('hello')`)
        "#]],
    );
    check(
        "import socket",
        "{}",
        expect![[r#"
            logic: ModuleNotFoundError: No module named 'socket' (line 1: `import socket`)
        "#]],
    );
}

#[test]
fn what_is_no_python_is_told_with_its_line() {
    check(
        "x = 1\ny = = 2",
        "{}",
        expect![[r#"
            logic: SyntaxError: a value is missing here (line 2: `y = = 2`)
        "#]],
    );
    check(
        "x = (1,",
        "{}",
        expect![[r#"
            logic: SyntaxError: `(` is never closed; close it (line 1: `x = (1,`)
        "#]],
    );
    check(
        "x = 1\nfor y in []:\n    yield y",
        "{}",
        expect![[r#"
            logic: `yield` is not supported; collect the values in a list (line 3: `yield y`)
        "#]],
    );
    let deep = format!("x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let fault = crate::run(&deep, "{}").unwrap_err();
    assert!(fault.message.starts_with("this block is nested too deep to be read"), "{fault}");
}
