//! `quipu diff`: what it says, and that it says nothing of what means the same.

use expect_test::{Expect, expect};
use value::{Value, json};

use crate::documents::{CHAIN, SHOP, at, line, sets};
use crate::run::{Done, Folder};

fn diff(old: &str, new: &str, options: &[&str]) -> Done {
    let folder = Folder::new();
    folder.write("old.json", old).write("new.json", new);
    folder.run(&[&["diff", "old.json", "new.json"], options].concat())
}

/// What differs: each item of each list on a line, and exit code 1.
fn check_diff(old: &str, new: &str, expected: Expect) {
    let done = diff(old, new, &["--json"]);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    let mut shown = String::new();
    list("", &done.json(), &mut shown);
    expected.assert_eq(&shown);
}

fn list(path: &str, value: &Value, shown: &mut String) {
    match value {
        Value::Map(members) => {
            members.iter().for_each(|(name, value)| list(&format!("{path}/{name}"), value, shown));
        }
        Value::List(items) => {
            items.iter().for_each(|item| *shown += &format!("{path} {}\n", json::compact(item)));
        }
        other => {
            let text =
                other.as_text().map_or_else(|| json::compact(other), |text| text.to_string());
            text.lines().for_each(|line| *shown += &format!("{path} {line}\n"));
        }
    }
}

#[test]
fn a_node_at_the_front_is_one_added_node() {
    let names: Vec<String> = (1..50).map(|number| format!("v{number}")).collect();
    let more: Vec<String> = std::iter::once("first".to_string()).chain(names.clone()).collect();
    check_diff(
        &sets(&names),
        &sets(&more),
        expect![[r#"
            /added {"label":"1","node":"n1","op":"Set"}
            /edges/added {"label":"1","from":"n1","port":"next","to":"n2","to_kind":"node"}
            /entries {"label":"1","old":"n1","new":"n1"}
            /summary label 1: added n1 Set
            /summary label 1: added edge n1 next -> n2
            /summary label 1: begins with the added n1
        "#]],
    );
    check_diff(
        &sets(&more),
        &sets(&names),
        expect![[r#"
            /removed {"label":"1","node":"n1","op":"Set"}
            /edges/removed {"label":"1","from":"n1","port":"next","to":"n2","to_kind":"node"}
            /entries {"label":"1","old":"n1","new":"n1"}
            /summary label 1: removed n1 Set
            /summary label 1: removed edge n1 next -> n2
            /summary label 1: begins with n1, by the new numbers
        "#]],
    );
}

#[test]
fn a_slot_that_holds_something_else_is_one_change() {
    let new = SHOP.replace("\"count\": 2", "\"count\": 3");
    check_diff(
        SHOP,
        &new,
        expect![[r#"
        /changed {"label":"1","node":"n2","field":"count","old":2,"new":3}
        /summary label 1: changed n2 Retry.count: 2 -> 3
    "#]],
    );
    let done = diff(SHOP, &new, &[]);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    expect![[r#"
        label 1: changed n2 Retry.count: 2 -> 3
    "#]]
    .assert_eq(&done.stdout);
}

#[test]
fn a_changed_node_is_named_by_both_of_its_numbers() {
    let names = |list: &str| list.split(' ').map(String::from).collect::<Vec<_>>();
    let (old, new) = (sets(&names("a b")), sets(&names("z a b")));
    let new = new.replace(r#""name": "b", "ref": 1"#, r#""name": "b", "ref": 2"#);
    check_diff(
        &old,
        &new,
        expect![[r#"
            /added {"label":"1","node":"n1","op":"Set"}
            /changed {"label":"1","node":"n2","new_node":"n3","field":"ref","old":1,"new":2}
            /edges/added {"label":"1","from":"n1","port":"next","to":"n2","to_kind":"node"}
            /entries {"label":"1","old":"n1","new":"n1"}
            /summary label 1: added n1 Set
            /summary label 1: changed n2 (now n3) Set.ref: 1 -> 2
            /summary label 1: added edge n1 next -> n2
            /summary label 1: begins with the added n1
        "#]],
    );
}

#[test]
fn labels_come_and_go() {
    let third = r#"{"labels": {"3": {"nodes": [{"id": "n1", "op": "J"}]},"#;
    let more = CHAIN.replace("{\"labels\": {", third);
    check_diff(
        CHAIN,
        &more,
        expect![[r#"
        /labels/added "3"
        /summary label 3: added (1 node)
    "#]],
    );
    check_diff(
        &more,
        CHAIN,
        expect![[r#"
        /labels/removed "3"
        /summary label 3: removed
    "#]],
    );
}

#[test]
fn declarations_are_compared_by_name() {
    let with = |agents: &str| {
        CHAIN.replacen('{', &format!("{{\"declarations\": {{\"agents\": {agents}}},"), 1)
    };
    let (old, new) = (
        with(r#"{"w": {"model": "a"}, "critic": {}, "same": {"b": 1, "c": 2}}"#),
        with(r#"{"same": {"c": 2, "b": 1}, "w": {"model": "b"}, "reader": {}}"#),
    );
    check_diff(
        &old,
        &new,
        expect![[r#"
        /declarations/added {"kind":"agents","name":"reader","old":null,"new":{}}
        /declarations/removed {"kind":"agents","name":"critic","old":{},"new":null}
        /declarations/changed {"kind":"agents","name":"w","old":{"model":"a"},"new":{"model":"b"}}
        /summary agents w: changed
        /summary agents critic: removed
        /summary agents reader: added
    "#]],
    );
}

#[test]
fn an_edge_that_leads_elsewhere_is_rewired() {
    let new = SHOP.replace(
        r#""to": "2", "to_kind": "label", "port": "then""#,
        r#""to": "failed", "to_kind": "label", "port": "then""#,
    );
    let done = diff(SHOP, &new, &["--json"]);
    assert_eq!(done.code, 1);
    expect![[r#"
        {
          "added": [],
          "removed": [],
          "rewired": [
            {
              "label": "1",
              "from": "n7",
              "new_from": "n7",
              "port": "then",
              "old_to": "2",
              "new_to": "failed",
              "old_to_kind": "label",
              "new_to_kind": "label"
            }
          ]
        }"#]]
    .assert_eq(&json::pretty(at(&done.json(), "edges")));
}

#[test]
fn numbers_order_notes_and_whitespace_are_no_difference() {
    let renumbered = CHAIN.replace("\"n2\"", "\"step\"").replace("\"n3\"", "\"n2\"");
    let noted = CHAIN.replace("\"id\": \"n3\"", "\"note\": \"last\", \"id\": \"n3\"");
    let compiled = Folder::new().run_with(&["compile", "-"], CHAIN).stdout;
    for same in [CHAIN, &*renumbered, &*noted, &*compiled, &*CHAIN.replace('\n', "\r\n")] {
        let done = diff(CHAIN, same, &[]);
        assert_eq!((done.code, &*done.stdout), (0, "no changes\n"), "{same}");
    }
    let value = diff(CHAIN, &renumbered, &["--json"]).json();
    expect![[r#"
        {
          "added": [],
          "removed": [],
          "changed": [],
          "edges": { "added": [], "removed": [], "rewired": [] },
          "entries": [],
          "reordered": [],
          "labels": { "added": [], "removed": [] },
          "declarations": { "added": [], "removed": [], "changed": [] },
          "document": [],
          "summary": "no changes"
        }"#]]
    .assert_eq(&json::pretty(&value));
}

#[test]
fn parts_beside_the_labels_are_compared() {
    let new = SHOP.replace(r#""POST": {"label_id": "2"}"#, r#""POST": {"label_id": "1"}"#);
    let done = diff(SHOP, &new, &["--json"]);
    assert_eq!((done.code, line(&done.json(), "summary")), (1, "\"endpoints: changed\"".into()));
    assert_eq!(line(&done.json(), "document/0/field"), "\"endpoints\"");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let done = diff(CHAIN, "[1]", &["--json"]);
    assert_eq!(done.code, 1);
    assert_eq!(line(&done.json(), "diagnostics/0/file"), "\"new.json\"");
    let folder = Folder::new();
    folder.write("chain.json", CHAIN);
    let missing = folder.run(&["diff", "chain.json", "missing.json", "--json"]);
    assert_eq!((missing.code, &*missing.stdout), (2, ""));
    assert_eq!(folder.run_with(&["diff", "chain.json", "-"], CHAIN).code, 0);
    let both = folder.run(&["diff", "-", "-"]);
    assert_eq!(both.code, 2);
    assert_eq!(both.stderr, "error: only one of OLD and NEW can be read from standard input\n");
}
