//! What a document means is never lost or guessed: in odd places, old forms and near misses.

use value::{Value, json};

use crate::run::{Done, Folder};

fn run(arguments: &[&str], document: &str) -> Done {
    Folder::new().run_with(arguments, document)
}

fn label(nodes: &str, edges: &str) -> String {
    format!(r#"{{"labels": {{"1": {{"nodes": [{nodes}], "edges": [{edges}]}}}}}}"#)
}

fn condition(text: &str) -> String {
    let node = format!(r#"{{"id": "n1", "op": "If", "data": {{"cond": {text:?}}}}}"#);
    label(&node, r#"{"from": "n1", "to": "1", "to_kind": "label", "port": "then"}"#)
}

fn diff(old: &str, new: &str) -> (i32, String) {
    let folder = Folder::new();
    folder.write("old.json", old).write("new.json", new);
    let done = folder.run(&["diff", "old.json", "new.json"]);
    (done.code, done.stdout)
}

fn edges(done: &Done) -> Vec<String> {
    let edges = &done.json();
    let edges = edges.get("labels").unwrap().get("1").unwrap().get("edges").unwrap();
    let word = |edge: &Value, name: &str| edge.get(name).unwrap().as_text().unwrap().to_string();
    let line = |edge| format!("{} {} {}", word(edge, "from"), word(edge, "port"), word(edge, "to"));
    edges.as_list().unwrap().iter().map(line).collect()
}

#[test]
fn what_cannot_be_read_still_counts_as_a_difference() {
    let (code, said) = diff(&condition("x over 3"), &condition("x over 4"));
    assert_eq!(
        (code, said.as_str()),
        (1, "label 1: changed n1 If.cond: \"x over 3\" -> \"x over 4\"\n")
    );
    assert_eq!(diff(&condition("x=1"), &condition("x == 1.0")).0, 0);
}

#[test]
fn an_order_that_decides_something_is_a_difference() {
    let node = |id: &str, op: &str, data: &str| {
        format!(r#"{{"id": "{id}", "op": "{op}", "data": {{{data}}}}}"#)
    };
    let (first, a, b) =
        (node("n1", "J", ""), r#""name": "a", "ref": 1"#, r#""name": "b", "ref": 1"#);
    let document = |two: &str, three: &str| {
        label(&[first.clone(), node("n2", "Set", two), node("n3", "Set", three)].join(","), "")
    };
    assert_eq!(diff(&document(a, b), &document(b, a)).0, 1);
    assert_eq!(diff(&document(a, b), &document(a, b)).0, 0);
}

#[test]
fn codes_with_zeros_in_front_stay_text() {
    let returned =
        |var: &str| label(&format!(r#"{{"id": "n1", "op": "J", "data": {{"var": "{var}"}}}}"#), "");
    let (code, said) = diff(&returned("007"), &returned("7"));
    assert_eq!((code, said.as_str()), (1, "label 1: changed n1 J.var: \"007\" -> 7\n"));
}

#[test]
fn odd_documents_compile_to_themselves() {
    for document in [
        "{}",
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "J"}, 5], "edges": [null, 7]}}}"#,
        r#"{"labels": {"1": 3}, "graph_schema_version": "7"}"#,
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "", "data": {"op": "J"}}]}}}"#,
        r#"{"labels": {"1": {"nodes": [{"id": 5, "op": 6, "data": 7, "effect": 8}]}}}"#,
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "J"}], "exits": [{"node": "n1", "x": 1}]}}}"#,
        r#"{"labels": {"1": {"legacy": {"steps": [4]}}}, "crons": 5, "capabilities": 3}"#,
        r#"{"labels": {}, "services": {"core": {"eps": {"/a": 5, "/b": {"G": 7}, "/c": {}}}}}"#,
        r#"{"labels": {"1": {"nodes": 5, "legacy": {"steps": [{"op": "J"}]}}}}"#,
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "J"}], "legacy": {"steps": [1], "by": "me"}}}}"#,
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "Enf", "reads": ["user"], "data": {"policy": "p"}}]}}}"#,
        r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "Zap", "reads": ["user"], "writes": ["x"]}]}}}"#,
        &condition("x over 3"),
        &label(
            r#"{"id": "n1", "op": "Set", "operands": {"nmae": 1, "ref": {"lit": 1, "var": 2}}}"#,
            "",
        ),
    ] {
        let once = run(&["compile", "-", "--json"], document);
        let twice = run(&["compile", "-", "--json"], &once.stdout);
        assert_eq!(once.stdout, twice.stdout, "{document}");
        assert_eq!(once.code, twice.code, "{document}");
    }
}

#[test]
fn one_cause_is_one_finding() {
    let branch = |op: &str| {
        let nodes = format!(
            r#"{{"id": "n1", "op": "{op}", "data": {{"cond": "x"}}}},
                {{"id": "n2", "op": "J"}}, {{"id": "n3", "op": "J"}}"#
        );
        let ways = r#"{"from": "n1", "to": "n2", "port": "then"}, {"from": "n1", "to": "n3", "port": "else"}"#;
        label(&nodes, ways)
    };
    let returns = r#"{"id": "n2", "op": "J"}"#;
    let set = |data: &str| format!(r#"{{"id": "n1", "op": "Set", "data": {data}}}"#);
    let next = r#"{"from": "n1", "to": "n2", "port": "next"}"#;
    let endpoint = r#"{"labels": {"1": {"nodes": [{"id": "n1", "op": "J"}]}},
        "services": {"core": {"eps": {"/x": {"G": {"label_id": 3}}}}}}"#;
    for (document, expected) in [
        (branch("Iff"), "G301"),
        (endpoint.to_string(), "G101"),
        (label(&format!("{}, {returns}", set("[]")), next), "G101"),
        (label(&format!(r#"{{"id": 3, "op": "Zap"}}, {returns}"#), next), "G101 G301"),
        (
            label(
                &format!("{}, {returns}", set(r#"{"name": "a", "ref": 1}"#)),
                &next.replace("n2", "n1"),
            ),
            "G305",
        ),
        (
            label(
                &set(r#"{"name": "a", "ref": 1}"#),
                r#"{"from": "n1", "to": "n1", "port": "err"}"#,
            ),
            "G305",
        ),
    ] {
        let done = run(&["check", "-"], &document);
        let codes = done
            .stderr
            .lines()
            .filter_map(|line| Some(line.split_once('[')?.1.split_once("]:")?.0));
        assert_eq!(codes.collect::<Vec<_>>().join(" "), expected, "{}", done.stderr);
    }
}

#[test]
fn one_edge_to_a_guard_is_the_way_on_as_well() {
    let nodes = r#"{"id": "n1", "op": "R", "data": {"adapter": "http.GET"}},
        {"id": "n2", "op": "Err", "data": {"handler": "1"}}, {"id": "n3", "op": "J"}"#;
    let written = r#"{"from": "n1", "to": "n2"}, {"from": "n2", "to": "1", "to_kind": "label"},
        {"from": "n2", "to": "n3"}"#;
    let done = run(&["compile", "-"], &label(nodes, written));
    assert_eq!(edges(&done), ["n1 err n2", "n2 handler 1", "n2 next n3", "n1 next n2"]);
    assert_eq!(done.stderr, "");
}

#[test]
fn two_ways_on_without_ports_are_an_error() {
    let nodes = r#"{"id": "n1", "op": "Enf", "data": {"policy": "p"}},
        {"id": "n2", "op": "J"}, {"id": "n3", "op": "J"}"#;
    let written = r#"{"from": "n1", "to": "n2"}, {"from": "n1", "to": "n3"}"#;
    let done = run(&["check", "-"], &label(nodes, written));
    assert!(
        done.stderr.starts_with("error[G202]: `n1` of label `1` has several"),
        "{}",
        done.stderr
    );
    assert_eq!(run(&["check", "--legacy-edges", "-"], &label(nodes, written)).code, 0);
}

#[test]
fn steps_are_shown_where_they_stand() {
    let document = r#"{"labels": {"1": {"legacy": {"steps": [{"op": "R", "adapter": 5}]}}}}"#;
    let found = run(&["check", "--json", "-"], document).json();
    let found =
        found.get("files").unwrap().as_list().unwrap()[0].get("diagnostics").unwrap().clone();
    let pointers: Vec<_> =
        found.as_list().unwrap().iter().map(|one| one.get("pointer").unwrap()).collect();
    assert_eq!(
        json::compact(&Value::list(pointers.into_iter().cloned())),
        r#"["/labels/1/legacy","/labels/1/legacy/steps/0/adapter"]"#
    );
}

#[test]
fn paths_go_through_guards_and_end_where_a_label_runs_out() {
    let nodes = r#"{"id": "n1", "op": "R", "data": {"adapter": "x.Y"}},
        {"id": "n2", "op": "Retry"}, {"id": "n3", "op": "Err"}"#;
    let written = r#"{"from": "n1", "to": "n2", "port": "retry"}, {"from": "n2", "to": "n3", "port": "err"},
        {"from": "n3", "to": "1", "to_kind": "label", "port": "handler"}"#;
    let ask = |query: &str| run(&["query", "-", query], &label(nodes, written)).stdout;
    assert_eq!(ask("error_paths"), "1: n1 -retry-> n2\n1: n1 -> n2 -err-> n3 -handler-> label 1\n");
    assert_eq!(ask("success_paths"), "1: n1\n");
}

#[test]
fn what_a_rewrite_cannot_mend_refuses_it() {
    let folder = Folder::new();
    let nodes = r#"{"id": "n1", "op": "J", "lineno": "x"}"#;
    folder.write("graph.json", label(nodes, "")).write("patch.json", r#"{"ops": []}"#);
    let done = folder.run(&["rewrite", "graph.json", "patch.json"]);
    let expected = "graph.json: not changed: the graph must be mended first, where it is written: \
                    error[G101]: `lineno` must be a whole number, not text\n";
    assert_eq!((done.code, done.stderr.as_str()), (1, expected));
}

#[test]
fn a_bad_condition_can_be_mended_by_a_rewrite() {
    let folder = Folder::new();
    let patch =
        r#"{"ops": [{"op": "set_node_data", "label": "1", "node": "n1", "data": {"cond": "x"}}]}"#;
    folder.write("graph.json", condition("x over 3")).write("patch.json", patch);
    let done = folder.run(&["rewrite", "graph.json", "patch.json"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
}
