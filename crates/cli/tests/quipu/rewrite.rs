//! `quipu rewrite`: every change, and every reason to make none.

use expect_test::{Expect, expect};
use value::json;

use crate::documents::{CHAIN, SHOP, at, line};
use crate::run::{Done, Folder};

fn patch(document: &str, patch: &str) -> Done {
    let folder = Folder::new();
    folder.write("graph.json", document);
    let done = folder.run_with(&["rewrite", "graph.json", "-"], patch);
    let file = std::fs::read_to_string(folder.path().join("graph.json")).unwrap();
    assert_eq!(file, document, "the file itself is never written");
    done
}

/// Applies changes to `CHAIN` and shows label 1, one node or edge a line. The result is a
/// document as `compile` prints it.
fn check_rewrite(changes: &str, expected: Expect) {
    let done = patch(CHAIN, &format!("{{\"ops\": [{changes}]}}"));
    assert_eq!((done.code, &*done.stderr), (0, ""), "{changes}");
    let value = done.json();
    assert_eq!(line(&value, "ok"), "true");
    let made = at(&value, "ir");
    let compiled = Folder::new().run_with(&["compile", "-", "--strict"], &json::compact(made));
    assert_eq!((compiled.code, compiled.stdout), (0, json::pretty(made) + "\n"));
    let mut shown = String::new();
    for node in at(made, "labels/1/nodes").as_list().unwrap() {
        shown += &format!("{} {}\n", line(node, "id"), line(node, "data"));
    }
    for edge in at(made, "labels/1/edges").as_list().unwrap() {
        let [from, port, to] = ["from", "port", "to"].map(|name| line(edge, name));
        shown += &format!("{from} {port} {to}\n").replace('"', "");
    }
    expected.assert_eq(&shown);
}

#[test]
fn insert_node_after_goes_between() {
    check_rewrite(
        r#"{"op": "insert_node_after", "label": "1", "after": "n1",
            "node": {"op": "Set", "data": {"name": "new", "ref": "page"}}}"#,
        expect![[r#"
            "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
            "n2" {"op":"Set","name":"new","ref":"page"}
            "n3" {"op":"Set","name":"copy","ref":"page"}
            "n4" {"op":"J","var":"copy"}
            n1 next n2
            n3 next n4
            n2 next n3
        "#]],
    );
}

#[test]
fn rewire_edge_leads_elsewhere() {
    check_rewrite(
        r#"{"op": "rewire_edge", "label": "1", "from": "n2", "port": "next",
            "to": "2", "to_kind": "label"},
           {"op": "remove_node", "label": "1", "node": "n3"}"#,
        expect![[r#"
            "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
            "n2" {"op":"Set","name":"copy","ref":"page"}
            n1 next n2
            n2 next 2
        "#]],
    );
}

#[test]
fn remove_node_lets_its_predecessor_go_on() {
    check_rewrite(
        // What the node wrote is not read any more.
        r#"{"op": "remove_node", "label": "1", "node": "n2"},
           {"op": "set_node_data", "label": "1", "node": "n3", "data": {"var": "page"}}"#,
        expect![[r#"
        "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
        "n2" {"op":"J","var":"page"}
        n1 next n2
    "#]],
    );
    check_rewrite(
        r#"{"op": "remove_node", "label": "1", "node": "n1"},
           {"op": "set_node_data", "label": "1", "node": "n2", "data": {"ref": 1}}"#,
        expect![[r#"
        "n1" {"op":"Set","name":"copy","ref":1}
        "n2" {"op":"J","var":"copy"}
        n1 next n2
    "#]],
    );
}

#[test]
fn set_node_data_merges() {
    check_rewrite(
        r#"{"op": "set_node_data", "label": "1", "node": "n1",
            "data": {"target": "/b", "timeout": 3}}"#,
        expect![[r#"
            "n1" {"op":"R","adapter":"http.GET","target":"/b","out":"page","timeout":3}
            "n2" {"op":"Set","name":"copy","ref":"page"}
            "n3" {"op":"J","var":"copy"}
            n1 next n2
            n2 next n3
        "#]],
    );
}

#[test]
fn guards_stand_behind_what_they_protect() {
    check_rewrite(
        r#"{"op": "wrap_r_with_retry", "label": "1", "node": "n1"}"#,
        expect![[r#"
        "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
        "n2" {"op":"Retry","count":3,"backoff_ms":0}
        "n3" {"op":"Set","name":"copy","ref":"page"}
        "n4" {"op":"J","var":"copy"}
        n1 next n3
        n3 next n4
        n1 retry n2
        n2 next n3
    "#]],
    );
    check_rewrite(
        r#"{"op": "attach_err_handler", "label": "1", "node": "n2", "handler": "2"}"#,
        expect![[r#"
            "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
            "n2" {"op":"Set","name":"copy","ref":"page"}
            "n3" {"op":"Err","handler":"2"}
            "n4" {"op":"J","var":"copy"}
            n1 next n2
            n2 next n4
            n2 err n3
            n3 handler 2
        "#]],
    );
}

#[test]
fn several_changes_name_nodes_by_the_ids_of_the_document_given() {
    check_rewrite(
        r#"{"op": "insert_node_after", "label": "1", "after": "n1",
            "node": {"op": "R", "data": {"adapter": "db.F", "out": "row"}, "as": "mine"}},
           {"op": "insert_node_after", "label": "1", "after": "mine",
            "node": {"op": "Set", "data": {"name": "seen", "ref": "row"}}},
           {"op": "wrap_r_with_retry", "label": "1", "node": "mine", "count": 5, "backoff_ms": 9},
           {"op": "remove_node", "label": "1", "node": "n2"},
           {"op": "set_node_data", "label": "1", "node": "n3", "data": {"var": "row"}}"#,
        expect![[r#"
            "n1" {"op":"R","adapter":"http.GET","target":"/a","out":"page"}
            "n2" {"op":"R","adapter":"db.F","out":"row"}
            "n3" {"op":"Retry","count":5,"backoff_ms":9}
            "n4" {"op":"Set","name":"seen","ref":"row"}
            "n5" {"op":"J","var":"row"}
            n1 next n2
            n2 next n4
            n4 next n5
            n2 retry n3
            n3 next n4
        "#]],
    );
}

#[test]
fn what_follows_from_a_node_is_derived_again() {
    let change = r#"{"ops": [{"op": "set_node_data", "label": "1", "node": "n3",
        "data": {"var": "page"}}]}"#;
    let made = patch(CHAIN, change).json();
    let before = Folder::new().run_with(&["compile", "-"], CHAIN).json();
    let both = |path: &str| (line(&before, path), line(&made, &format!("ir/{path}")));
    for path in ["graph_semantic_checksum", "labels/1/id_hash", "labels/1/nodes/2/hash"] {
        let (old, new) = both(path);
        assert_ne!(old, new, "{path}");
    }
    for path in ["labels/1/nodes/0/hash", "labels/2/id_hash"] {
        let (old, new) = both(path);
        assert_eq!(old, new, "{path}");
    }
    assert_eq!(both("labels/1/nodes/2/reads").1, r#"["page"]"#);
    assert_eq!(both("labels/1/exits").1, r#"[{"node":"n3","var":"page"}]"#);
}

#[test]
fn what_a_patch_requires_must_hold() {
    let compiled = Folder::new().run_with(&["compile", "-"], CHAIN).json();
    let (checksum, hash) =
        (line(&compiled, "graph_semantic_checksum"), line(&compiled, "labels/1/id_hash"));
    let run = |checksum: &str, hash: &str| {
        let text = format!(
            r#"{{"requires_checksum": {checksum}, "requires_label_hash": {{"1": {hash}}},
            "ops": [{{"op": "remove_node", "label": "1", "node": "n2"}}]}}"#
        );
        patch(CHAIN, &text)
    };
    assert_eq!(run(&checksum, &hash).code, 0);
    for (done, found) in [(run("\"sha256:0\"", &hash), &checksum), (run(&checksum, "\"\""), &hash)]
    {
        assert_eq!(done.code, 1);
        let value = done.json();
        assert_eq!(line(&value, "error/code"), "\"PATCH_PRECONDITION\"");
        assert_eq!(line(&value, "error/details/found"), *found);
    }
}

/// One refusal: `CODE message`, and exit 1.
fn refusal(text: &str) -> String {
    let done = patch(CHAIN, text);
    assert_eq!(done.code, 1, "{text}");
    let value = done.json();
    assert_eq!((line(&value, "ok"), value.get("ir")), ("false".to_string(), None));
    let word = |path: &str| at(&value, path).as_text().unwrap().to_string();
    let message = word("error/message");
    assert_eq!(done.stderr, format!("graph.json: not changed: {message}\n"));
    let op = at(&value, "error/details")
        .get("op")
        .map_or(String::new(), |op| format!("op {}: ", json::compact(op)));
    format!("{} {op}{message}\n", word("error/code"))
}

#[test]
fn changes_that_cannot_be_made_are_refused() {
    let change =
        |op: &str, rest: &str| refusal(&format!(r#"{{"ops": [{{"op": "{op}", {rest}}}]}}"#));
    let said = [
        change("remove_node", r#""label": "9", "node": "n1""#),
        change("remove_node", r#""label": "1", "node": "n9""#),
        change("remove_node", r#""label": "2", "node": "n1""#),
        change("rewire_edge", r#""label": "1", "from": "n1", "port": "then", "to": "n3""#),
        change("rewire_edge", r#""label": "1", "from": "n1", "port": "next", "to": "n9""#),
        change("insert_node_after", r#""label": "1", "after": "n3", "node": {"op": "X"}"#),
        change("set_node_data", r#""label": "1", "node": "n1", "data": {"op": "Set"}"#),
        change("set_node_data", r#""label": "1", "node": "n1", "data": {"args": 3}"#),
        change("wrap_r_with_retry", r#""label": "1", "node": "n2""#),
        change("attach_err_handler", r#""label": "1", "node": "n1", "handler": "9""#),
        change("attach_err_handler", r#""label": "1", "node": "n3", "handler": "2""#),
    ];
    expect![[r#"
        PATCH_LABEL op 0: there is no label `9`
        PATCH_NODE op 0: label `1` has no node `n9`
        PATCH_VALIDATE the result would not be valid: error[G304]: label `2` is empty
        PATCH_NODE op 0: `n1` is `R`, which has no port `then`; it has retry, err, next
        PATCH_NODE op 0: label `1` has no node `n9`
        PATCH_NODE op 0: `n3` is `J`, and nothing comes after it in label `1`
        PATCH_INVALID op 0: node `n1` is `R`: to change an op, insert another node and remove this one
        PATCH_INVALID op 0: `args` of `R` cannot be this: it must be a list
        PATCH_NODE op 0: `n2` is `Set`; only an adapter call is tried again
        PATCH_LABEL op 0: there is no label `9`
        PATCH_NODE op 0: `n3` is `J`, which cannot fail
    "#]]
    .assert_eq(&said.concat());
}

#[test]
fn a_node_that_branches_is_not_removed() {
    let done = patch(SHOP, r#"{"ops": [{"op": "remove_node", "label": "1", "node": "n7"}]}"#);
    assert_eq!(done.code, 1);
    expect![[r#""`n7` is `If`, which branches: rewire what leads to it first""#]]
        .assert_eq(&line(&done.json(), "error/message"));
}

#[test]
fn one_bad_change_undoes_the_good_ones() {
    let said = refusal(
        r#"{"ops": [
        {"op": "remove_node", "label": "1", "node": "n2"},
        {"op": "remove_node", "label": "1", "node": "n2"}]}"#,
    );
    expect![[r#"
        PATCH_NODE op 1: label `1` has no node `n2`
    "#]]
    .assert_eq(&said);
    let said = refusal(
        r#"{"ops": [
        {"op": "set_node_data", "label": "1", "node": "n3", "data": {"var": "page"}},
        {"op": "rewire_edge", "label": "1", "from": "n1", "port": "next", "to": "n1"}]}"#,
    );
    assert!(said.starts_with("PATCH_VALIDATE the result would not be valid: "), "{said}");
}

#[test]
fn patches_that_are_none_are_refused() {
    let insert = r#""op": "insert_node_after", "label": "1", "after": "n1""#;
    let said = [
        refusal("[]"),
        refusal("{}"),
        refusal(r#"{"ops": {}}"#),
        refusal(r#"{"ops": [], "note": 1}"#),
        refusal(r#"{"ops": [3]}"#),
        refusal(r#"{"ops": [{"op": "remove_nod"}]}"#),
        refusal(r#"{"ops": [{"op": "remove_node"}]}"#),
        refusal(r#"{"ops": [{"op": "remove_node", "label": 1, "node": "n1"}]}"#),
        refusal(r#"{"ops": [{"op": "remove_node", "label": "1", "nodes": "n1"}]}"#),
        refusal(r#"{"ops": [{"op": "set_node_data", "label": "1", "node": "n1"}]}"#),
        refusal(r#"{"ops": [{"op": "set_node_data", "label": "1", "node": "n1", "data": 3}]}"#),
        refusal(
            r#"{"ops": [{"op": "wrap_r_with_retry", "label": "1", "node": "n1", "count": "3"}]}"#,
        ),
        refusal(&format!(r#"{{"ops": [{{{insert}}}]}}"#)),
        refusal(&format!(r#"{{"ops": [{{{insert}, "node": {{"op": "Sett"}}}}]}}"#)),
        refusal(&format!(r#"{{"ops": [{{{insert}, "node": {{"op": "X", "as": "n3"}}}}]}}"#)),
        refusal(r#"{"ops": [], "requires_label_hash": {"1": 3}}"#),
        refusal(r#"{"ops": [], "requires_label_hash": {"9": ""}}"#),
    ];
    expect![[r#"
        PATCH_INVALID the patch must be an object, not a list
        PATCH_INVALID the patch needs `ops`, a list of changes
        PATCH_INVALID the patch needs `ops`, a list of changes
        PATCH_INVALID `note` is no member of the patch
        PATCH_INVALID op 0: a change needs `op`, for example `"rewire_edge"`
        PATCH_INVALID op 0: `remove_nod` is no change: did you mean `remove_node`?
        PATCH_INVALID op 0: `remove_node` needs `label`
        PATCH_INVALID op 0: `label` must be text, not a number
        PATCH_INVALID op 0: `nodes` is no member of remove_node; did you mean `node`?
        PATCH_INVALID op 0: `set_node_data` needs `data`
        PATCH_INVALID op 0: `data` must be an object, not a number
        PATCH_INVALID op 0: `count` must be a whole number, 0 or more
        PATCH_INVALID op 0: `insert_node_after` needs `node`
        PATCH_INVALID op 0: unknown op `Sett`; did you mean `Set`?
        PATCH_INVALID op 0: the name `n3` is taken, or is none
        PATCH_INVALID `requires_label_hash` maps labels to hashes
        PATCH_LABEL there is no label `9`
    "#]]
    .assert_eq(&said.concat());
    for text in ["", "nonsense", "{\"ops\": []", "{\"ops\": []} x"] {
        let said = refusal(text);
        assert!(said.starts_with("PATCH_INVALID the patch cannot be read: -:1:"), "{said}");
    }
}

#[test]
fn files_that_are_missing_are_misuse() {
    let folder = Folder::new();
    folder.write("graph.json", CHAIN).write("patch.json", r#"{"ops": []}"#);
    assert_eq!(folder.run(&["rewrite", "graph.json", "patch.json"]).code, 0);
    assert_eq!(folder.run_with(&["rewrite", "-", "patch.json"], CHAIN).code, 0);
    for arguments in [["graph.json", "no.json"], ["no.json", "patch.json"], ["-", "-"]] {
        let done = folder.run(&[&["rewrite"], &arguments[..]].concat());
        assert_eq!((done.code, &*done.stdout), (2, ""), "{arguments:?}");
        assert!(done.stderr.starts_with("error: "), "{}", done.stderr);
    }
    let done = folder.run_with(&["rewrite", "-", "patch.json"], "[");
    assert_eq!(done.code, 1);
    assert_eq!(line(&done.json(), "error/code"), "\"PATCH_INVALID\"");
    assert!(done.stderr.starts_with("error[T002]: "), "{}", done.stderr);
}
