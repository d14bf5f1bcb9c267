//! `quipu query`: every question, and what is said to a question that makes no sense.

use expect_test::{Expect, expect};
use value::{Value, json};

use crate::documents::{SHOP, at, line, one_label};
use crate::run::{Done, Folder};

fn ask(document: &str, arguments: &[&str]) -> Done {
    Folder::new().run_with(&[&["query", "-"], arguments].concat(), document)
}

/// What was found, one item a line.
fn items(arguments: &[&str]) -> String {
    let done = ask(SHOP, &[arguments, &["--json"]].concat());
    assert_eq!((done.code, &*done.stderr), (0, ""), "{arguments:?}");
    let value = done.json();
    assert_eq!(line(&value, "query"), format!("\"{}\"", arguments[0]));
    let items = at(&value, "items").as_list().unwrap();
    items.iter().map(|item| json::compact(item) + "\n").collect()
}

fn check(arguments: &[&str], expected: Expect) {
    expected.assert_eq(&items(arguments));
}

/// `label/node` of every item.
fn places(arguments: &[&str]) -> Vec<String> {
    let done = ask(SHOP, &[arguments, &["--json"]].concat());
    assert_eq!(done.code, 0, "{arguments:?}: {}", done.stderr);
    let word = |item: &Value, name: &str| at(item, name).as_text().unwrap().to_string();
    let value = done.json();
    let items = at(&value, "items").as_list().unwrap();
    items.iter().map(|item| word(item, "label") + "/" + &word(item, "id")).collect()
}

fn refused(arguments: &[&str], expected: Expect) {
    let done = ask(SHOP, arguments);
    assert_eq!((done.code, &*done.stdout), (2, ""), "{arguments:?}");
    expected.assert_eq(&done.stderr);
}

#[test]
fn nodes_are_printed_as_in_the_document() {
    let folder = Folder::new();
    folder.write("shop.json", SHOP);
    let compiled = folder.run(&["compile", "shop.json"]).json();
    let answer = folder.run(&["query", "shop.json", "label_nodes", "--json"]).json();
    let labels = at(&compiled, "labels").as_map().unwrap();
    let mut expected = Vec::new();
    for (id, label) in labels {
        for node in at(label, "nodes").as_list().unwrap() {
            let own = node.as_map().unwrap().iter();
            let members = own.map(|(name, value)| (name.clone(), value.clone()));
            let label = std::iter::once(("label".into(), Value::Text(id.clone())));
            expected.push(Value::map(label.chain(members)));
        }
    }
    assert_eq!(at(&answer, "items"), &Value::list(expected));
    assert_eq!(line(&answer, "query"), "\"label_nodes\"");
    assert_eq!(line(&answer, "truncated"), "false");
}

#[test]
fn labels_can_be_chosen() {
    assert_eq!(places(&["label_nodes", "--label", "2"]), ["2/n1", "2/n2"]);
    let both = ["2/n1", "2/n2", "failed/n1"];
    assert_eq!(places(&["label_nodes", "--label", "failed", "--label", "2"]), both);
}

#[test]
fn edges_carry_their_label() {
    check(
        &["label_edges", "--label", "2"],
        expect![[r#"
        {"label":"2","from":"n1","to":"n2","to_kind":"node","port":"next"}
    "#]],
    );
    check(
        &["label_edges"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n2","to_kind":"node","port":"retry"}
        {"label":"1","from":"n1","to":"n3","to_kind":"node","port":"err"}
        {"label":"1","from":"n1","to":"n4","to_kind":"node","port":"next"}
        {"label":"1","from":"n3","to":"failed","to_kind":"label","port":"handler"}
        {"label":"1","from":"n4","to":"n5","to_kind":"node","port":"next"}
        {"label":"1","from":"n5","to":"n6","to_kind":"node","port":"next"}
        {"label":"1","from":"n6","to":"n7","to_kind":"node","port":"next"}
        {"label":"1","from":"n7","to":"2","to_kind":"label","port":"then"}
        {"label":"1","from":"n7","to":"failed","to_kind":"label","port":"else"}
        {"label":"2","from":"n1","to":"n2","to_kind":"node","port":"next"}
    "#]],
    );
}

#[test]
fn data_flow_is_a_part_of_the_emit_edges() {
    let all = expect![[r#"
        {"label":"1","from":"n1","to":"n4","port":"data","var":"user"}
        {"label":"1","from":"n4","to":"n5","port":"data","var":"score"}
        {"label":"1","from":"n6","to":"n7","port":"data","var":"past"}
        {"label":"2","from":"n1","to":"n2","port":"data","var":"reply"}
        {"label":"2","from":"n2","to":"emit_target","port":"emit","var":"reply","target":"x"}
        {"label":"failed","from":"n1","to":"emit_target","port":"emit","var":"_error","target":"x"}
    "#]];
    check(&["emit_edges"], all);
    check(
        &["data_flow_edges"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n4","port":"data","var":"user"}
        {"label":"1","from":"n4","to":"n5","port":"data","var":"score"}
        {"label":"1","from":"n6","to":"n7","port":"data","var":"past"}
        {"label":"2","from":"n1","to":"n2","port":"data","var":"reply"}
    "#]],
    );
}

#[test]
fn nodes_are_found_by_what_they_do() {
    assert_eq!(places(&["io_nodes"]), ["1/n1", "1/n4", "1/n5", "1/n6"]);
    assert_eq!(places(&["io_nodes", "--label", "2"]), [""; 0]);
    assert_eq!(places(&["exit_nodes"]), ["2/n2", "failed/n1"]);
    assert_eq!(places(&["memory_nodes"]), ["1/n6"]);
    assert_eq!(places(&["memory_nodes", "--memory-type", "episode"]), ["1/n6"]);
    assert_eq!(places(&["memory_nodes", "--memory-type", "persona"]), [""; 0]);
}

#[test]
fn an_adapter_is_matched_by_whole_segments() {
    let using = |prefix: &str| places(&["nodes_using_adapter", "--prefix", prefix]);
    assert_eq!(using("db"), ["1/n1"]);
    assert_eq!(using("dbx"), ["1/n4"]);
    assert_eq!(using("db.F"), ["1/n1"]);
    assert_eq!(using("db.f"), ["1/n1"]);
    assert_eq!(using("db.FI"), [""; 0]);
    assert_eq!(using("d"), [""; 0]);
    assert_eq!(using("queue"), ["1/n5"]);
    assert_eq!(using("memory.recall"), ["1/n6"]);
}

#[test]
fn neighbours_of_a_node_are_edges() {
    check(
        &["successors", "--label", "1", "--node", "n1"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n2","to_kind":"node","port":"retry"}
        {"label":"1","from":"n1","to":"n3","to_kind":"node","port":"err"}
        {"label":"1","from":"n1","to":"n4","to_kind":"node","port":"next"}
    "#]],
    );
    check(
        &["successors", "--label", "1", "--node", "n1", "--port", "err"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n3","to_kind":"node","port":"err"}
    "#]],
    );
    check(
        &["successors", "--label", "1", "--node", "n7"],
        expect![[r#"
        {"label":"1","from":"n7","to":"2","to_kind":"label","port":"then"}
        {"label":"1","from":"n7","to":"failed","to_kind":"label","port":"else"}
    "#]],
    );
    check(
        &["predecessors", "--label", "1", "--node", "n4"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n4","to_kind":"node","port":"next"}
    "#]],
    );
    check(
        &["predecessors", "--label", "1", "--node", "n2", "--port", "retry"],
        expect![[r#"
        {"label":"1","from":"n1","to":"n2","to_kind":"node","port":"retry"}
    "#]],
    );
}

#[test]
fn a_graph_of_one_label_needs_no_label() {
    let document = one_label(&[("J", r#""var": 1"#.to_string())], &[]);
    let done = ask(&document, &["predecessors", "--node", "n1"]);
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", "nothing found\n"));
}

#[test]
fn paths_are_lists_of_nodes() {
    check(
        &["success_paths"],
        expect![[r#"
        {"label":"1","path":["n1","n4","n5","n6","n7"],"port":"then","to_label":"2"}
        {"label":"1","path":["n1","n4","n5","n6","n7"],"port":"else","to_label":"failed"}
        {"label":"2","path":["n1","n2"],"port":null,"to_label":null}
        {"label":"failed","path":["n1"],"port":null,"to_label":null}
    "#]],
    );
    check(
        &["error_paths"],
        expect![[r#"
        {"label":"1","path":["n1","n2"],"port":"retry","to_label":null}
        {"label":"1","path":["n1","n3"],"port":"err","to_label":"failed"}
    "#]],
    );
    check(
        &["error_paths", "--label", "1", "--node", "n1"],
        expect![[r#"
        {"label":"1","path":["n1","n2"],"port":"retry","to_label":null}
        {"label":"1","path":["n1","n3"],"port":"err","to_label":"failed"}
    "#]],
    );
    let none = ask(SHOP, &["error_paths", "--label", "1", "--node", "n4"]);
    assert_eq!((none.code, &*none.stdout, &*none.stderr), (0, "", "nothing found\n"));
}

#[test]
fn requests_are_found_by_either_name_of_their_method() {
    check(
        &["endpoints"],
        expect![[r#"
        {"path":"/users","method":"G","label":"1","label_id":"1","return_var":"reply"}
        {"path":"/users","method":"POST","label":"2","label_id":"2"}
    "#]],
    );
    for method in ["G", "GET", "get"] {
        let found = items(&["endpoint_label", "--path", "/users", "--method", method]);
        assert_eq!(found.lines().count(), 1, "{method}");
        assert!(found.contains(r#""label":"1""#), "{method}: {found}");
    }
    check(
        &["endpoints", "--method", "P"],
        expect![[r#"
        {"path":"/users","method":"POST","label":"2","label_id":"2"}
    "#]],
    );
    let none = ask(SHOP, &["endpoint_label", "--path", "/users", "--method", "D", "--json"]);
    assert_eq!(
        (none.code, &*none.stdout),
        (0, "{ \"query\": \"endpoint_label\", \"items\": [], \"truncated\": false }\n")
    );
}

#[test]
fn a_slice_goes_so_many_steps() {
    let nodes = |depth: &str| {
        let done =
            ask(SHOP, &["slice", "--label", "1", "--node", "n1", "--depth", depth, "--json"]);
        let value = done.json();
        let nodes = at(&value, "items/0/nodes").as_list().unwrap();
        nodes.iter().map(|node| line(node, "id")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(nodes("1"), r#""n1" "n2" "n3" "n4""#);
    assert_eq!(nodes("2"), r#""n1" "n2" "n3" "n4" "n5""#);
    assert_eq!(nodes("99999999"), r#""n1" "n2" "n3" "n4" "n5" "n6" "n7""#);
    let done = ask(SHOP, &["slice", "--label", "2", "--node", "n1", "--json"]).json();
    expect![[r#"[{"from":"n1","to":"n2","to_kind":"node","port":"next"}]"#]]
        .assert_eq(&line(&done, "items/0/edges"));
    expect![[r#"[{"node":"n2","var":"reply"}]"#]].assert_eq(&line(&done, "items/0/exits"));
    let (label, entry) = (line(&done, "items/0/label"), line(&done, "items/0/entry"));
    assert_eq!((&*label, &*entry), ("\"2\"", "\"n1\""));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    refused(
        &["label_nodes", "--label", "faild"],
        expect![[r#"
        error: there is no label `faild`; did you mean `failed`?
    "#]],
    );
    refused(
        &["label_nodes", "--label", "9"],
        expect![[r#"
        error: there is no label `9`
    "#]],
    );
    refused(
        &["successors", "--label", "1", "--node", "n8"],
        expect![[r#"
        error: label `1` has no node `n8`
    "#]],
    );
    refused(
        &["successors", "--label", "1"],
        expect![[r#"
        error: say which node, for example `--node n1`
    "#]],
    );
    refused(
        &["successors", "--node", "n1"],
        expect![[r#"
        error: say which label, for example `--label 1`
    "#]],
    );
    refused(
        &["nodes_using_adapter"],
        expect![[r#"
        error: say which adapter, for example `--prefix db`
    "#]],
    );
    refused(
        &["endpoint_label"],
        expect![[r#"
        error: say which endpoint, for example `--path /users --method GET`
    "#]],
    );
    let port = ask(SHOP, &["successors", "--label", "1", "--node", "n1", "--port", "nxt"]);
    let ports = "next, then, else, body, after, err, retry, handler, goto, branch, expired";
    assert_eq!((port.code, &*port.stdout), (2, ""));
    assert_eq!(port.stderr, format!("error: `nxt` is no port; the ports are {ports}\n"));
}

#[test]
fn an_unknown_question_lists_the_known_ones() {
    let done = ask(SHOP, &["zork"]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    let names = done.stderr.split(": ").nth(2).and_then(|rest| rest.split(']').next());
    assert_eq!(names.map(|names| names.split(", ").count()), Some(16), "{}", done.stderr);
    assert!(done.stderr.contains("label_nodes, label_edges, emit_edges"), "{}", done.stderr);
}

#[test]
fn a_text_that_cannot_be_read_is_a_finding() {
    let done = ask("[", &["label_nodes", "--json"]);
    assert_eq!((done.code, line(&done.json(), "ok")), (1, "false".to_string()));
    assert_eq!(line(&done.json(), "diagnostics/0/code"), "\"T002\"");
    let done = ask("[", &["label_nodes"]);
    assert_eq!((done.code, &*done.stdout), (1, ""));
}

#[test]
fn a_graph_with_errors_can_be_asked() {
    let document = r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "Zork"}, 3],
        "edges": [{"from": "n1", "to": "n9"}]}}}"#;
    let done = ask(document, &["label_edges", "--json"]);
    assert_eq!(done.code, 0);
    expect![[r#"[{"label":"1","from":"n1","to":"n9","to_kind":"node","port":"next"}]"#]]
        .assert_eq(&line(&done.json(), "items"));
}

/// Twenty branches that come together again: a million paths.
fn ladder() -> String {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for step in 0..20 {
        let at = 3 * step + 1;
        nodes.push(("If", r#""cond": "x""#.to_string()));
        nodes.push(("Set", r#""name": "a", "ref": 1"#.to_string()));
        nodes.push(("Set", r#""name": "a", "ref": 2"#.to_string()));
        edges.extend([(at, "then", at + 1), (at, "else", at + 2)]);
        edges.extend([(at + 1, "next", at + 3), (at + 2, "next", at + 3)]);
    }
    nodes.push(("J", r#""var": "a""#.to_string()));
    one_label(&nodes, &edges)
}

#[test]
fn a_list_of_very_many_paths_is_cut() {
    let document = ladder();
    let done = ask(&document, &["success_paths", "--json"]);
    let value = done.json();
    assert_eq!((done.code, line(&value, "truncated")), (0, "true".to_string()));
    assert_eq!(at(&value, "items").as_list().unwrap().len(), 200);
    let first = at(&value, "items/0/path").as_list().unwrap();
    assert_eq!(first.len(), 41);
    let ends = [line(&value, "items/0/path/0"), line(&value, "items/0/path/40")];
    assert_eq!(ends, ["\"n1\"", "\"n61\""]);
    let done = ask(&document, &["success_paths"]);
    assert_eq!(done.stdout.lines().count(), 200);
    assert_eq!(done.stderr, "there are more; the list was cut\n");
}
