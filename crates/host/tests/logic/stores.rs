//! Stores that a block reads and writes.

use expect_test::{Expect, expect};
use host::Python;
use runtime::stores::StoreKind;
use runtime::{Fault, FaultKind, Given, Logic as _};

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
            s ->
            s ->
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
fn rows_are_found_by_their_members_and_items_by_words() {
    check(
        StoreKind::Relational,
        r#"[{"a":1,"b":1},{"a":1,"b":2},{"a":2,"b":2}]"#,
        "state.data['x'] = [state.s.read({'a': 1, 'b': 2}), state.s.read(key=2)]\n\
         try:\n    state.s.write(3)\nexcept ValueError as error:\n    print(error)",
        expect![[r#"
            x = [[{"a":1,"b":2}],[{"a":1,"b":2},{"a":2,"b":2}]]
            > what is written to `s`: a number is no row
        "#]],
    );
    check(
        StoreKind::Items,
        r#"["a red cord", "a knot"]"#,
        "state.data['x'] = state.s.read('Which cord?')",
        expect![[r#"
            x = ["a red cord"]
        "#]],
    );
}

#[test]
fn a_store_of_a_protocol_is_asked_and_told_as_by_edges() {
    let speaks = |protocol: &str| {
        let declared = format!(r#"{{"config": {{"protocol": "{protocol}"}}}}"#);
        StoreKind::declared(&value::json::parse(&declared).unwrap())
    };
    check(
        speaks("vector"),
        r#"[{"id": "a", "text": "a red cord"}, {"id": "b", "text": "a blue cord"}]"#,
        "state.s.write('a knot', key='c')\nstate.s.write({'remove': 'b'})\n\
         state.data['x'] = [it['id'] for it in state.s.read({'text': 'knots', 'top_k': 1})]\n\
         state.data['all'] = len(state.s.read())\n\
         try:\n    state.s.read({'txt': 'x'})\nexcept ValueError as error:\n    print(str(error)[:60])",
        expect![[r#"
            x = ["c"]
            all = 2
            s[c] <- "a knot"
            s <- {"remove":"b"}
            > what is read from `s`: a query of a vector store has no `txt
        "#]],
    );
    check(
        speaks("graph"),
        r#"{"nodes": [{"node": "a", "age": 3}], "edges": []}"#,
        "state.s.write({'from': 'a', 'rel': 'knows', 'to': 'b'})\n\
         state.data['x'] = [it['node'] for it in state.s.read('b')]",
        expect![[r#"
            x = ["a"]
            s <- {"from":"a","rel":"knows","to":"b"}
        "#]],
    );
    check(
        speaks("memory"),
        "[]",
        "state.s.write('one')\nstate.s.write({'text': 'two', 'key': 'k'})\n\
         state.data['x'] = [it['text'] for it in state.s.read({'key': 'k'})]",
        expect![[r#"
            x = ["two"]
            s <- "one"
            s <- {"text":"two","key":"k"}
        "#]],
    );
    check(
        speaks("fact"),
        r#"[{"who": "ana", "is": "tall"}]"#,
        "state.s.write({'retract': {'is': 'tall', 'who': 'ana'}})\nstate.data['x'] = state.s.read()",
        expect![[r#"
            x = []
            s <- {"retract":{"is":"tall","who":"ana"}}
        "#]],
    );
    check(
        speaks("doc"),
        r#"[{"id": "a", "n": 1}]"#,
        "state.data['x'] = [state.s.read('a'), state.s.read({'n': 2})]",
        expect![[r#"
            x = [{"id":"a","n":1},[]]
        "#]],
    );
}

#[test]
fn what_may_not_be_read_ends_the_block_but_can_be_written() {
    let block = block(
        "state.s.write('k', 1)\nif state.data['look']:\n    try:\n        state.s.read()\n    \
         except Exception:\n        pass",
        &[("s", StoreKind::Kv)],
    );
    let run = |data: &str| {
        let denied = Fault::new(FaultKind::Denied, "store `s` may not be read");
        let given = Given { stores: vec![Err(denied)], ..given(data, &[]) };
        shown(&Python::default().run(&block, &given))
    };
    assert_eq!(run(r#"{"look": false}"#), "s[k] <- 1\n");
    assert_eq!(run(r#"{"look": true}"#), "denied: store `s` may not be read\n");
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
