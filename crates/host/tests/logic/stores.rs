//! Stores that a block reads and writes.

use expect_test::{Expect, expect};
use host::Python;
use runtime::Logic as _;
use runtime::stores::StoreKind;

use crate::{block, given, shown};

fn check(kind: StoreKind, contents: &str, code: &str, expected: Expect) {
    let block = block(code, &[("s", kind)]);
    let result = Python::default().run(&block, &given("{}", &[contents]));
    expected.assert_eq(&shown(&result));
}

#[test]
fn a_map_merges_and_sees_its_own_writes() {
    check(
        StoreKind::Kv,
        r#"{"a": 1, "b": 2}"#,
        "state.s.write({'b': 3})\nstate.s.write('c', 4)\nstate.s.write([5], key='d')\n\
         state.s.write(key='e', value=6)\n\
         state.data['all'] = state.s.read()\nstate.data['one'] = state.s.read('c')\n\
         state.data['none'] = state.s.read(key='x')",
        expect![[r#"
            all = {"a":1,"b":3,"c":4,"d":[5],"e":6}
            one = 4
            none = null
            s <- {"b":3}
            s[c] <- 4
            s[d] <- [5]
            s[e] <- 6
        "#]],
    );
}

#[test]
fn a_queue_gives_the_first_and_takes_it() {
    check(
        StoreKind::Queue,
        r#"["a"]"#,
        "state.s.write('b')\nstate.data['x'] = [state.s.read(), state.s.read(), state.s.read()]",
        expect![[r#"
            x = ["a","b",null]
            s <- "b"
        "#]],
    );
}

#[test]
fn lists_grow() {
    for kind in [StoreKind::File, StoreKind::Relational, StoreKind::Items] {
        check(
            kind,
            r#"[1]"#,
            "state.s.write({'a': 2}, key='k')\nstate.data['x'] = state.s.read()",
            expect![[r#"
                x = [1,{"a":2}]
                s[k] <- {"a":2}
            "#]],
        );
    }
}

#[test]
fn what_was_read_is_a_copy() {
    check(
        StoreKind::Items,
        "[]",
        "x = state.s.read()\nx.append(1)\nstate.data['x'] = state.s.read()",
        expect![[r#"
            x = []
        "#]],
    );
}

#[test]
fn wrong_uses_are_exceptions() {
    check(
        StoreKind::Kv,
        "{}",
        "try:\n    state.s.write()\nexcept TypeError as error:\n    print(error)\n\
         try:\n    state.s.write({1, 2})\nexcept TypeError as error:\n    print(error)\n\
         try:\n    state.s.write(1, 'x')\nexcept TypeError as error:\n    print(error)",
        expect![[r#"
            > write() takes a value, or a key and a value
            > what is written to `s`: the value is a set: use `sorted(..)` or `list(..)`
            > a key is text, not 1
        "#]],
    );
    check(
        StoreKind::Kv,
        "{}",
        "state.other.read()",
        expect![[r#"
            logic: AttributeError: 'State' object has no attribute 'other' (line 1: `state.other.read()`)
        "#]],
    );
    check(
        StoreKind::Kv,
        "{}",
        "state.s.remove()",
        expect![[r#"
            logic: AttributeError: 'Store' object has no attribute 'remove' (line 1: `state.s.remove()`)
        "#]],
    );
}
