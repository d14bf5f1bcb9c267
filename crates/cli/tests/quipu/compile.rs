//! `quipu compile`: the canonical document, and that there is only one.

use expect_test::expect;
use value::{Value, json};

use crate::documents::{CHAIN, SHOP, at, line};
use crate::run::{Done, Folder};

fn compile(document: &str, options: &[&str]) -> Done {
    Folder::new().run_with(&[&["compile", "-"], options].concat(), document)
}

/// Compiles, compiles the result through a pipe and through a file, and gives the one document.
fn compile_again(document: &str, options: &[&str]) -> Done {
    let once = compile(document, options);
    let twice = compile(&once.stdout, options);
    assert_eq!((twice.code, &twice.stdout), (once.code, &once.stdout));
    let folder = Folder::new();
    folder.write("once.json", &once.stdout);
    let from_file = folder.run(&[&["compile", "once.json"], options].concat());
    assert_eq!((from_file.code, &from_file.stdout), (once.code, &once.stdout));
    once
}

/// The texts of a list, one a line.
fn texts(value: &Value, list: &str) -> String {
    let items = at(value, list).as_list().unwrap();
    items.iter().map(|text| format!("{}\n", text.as_text().unwrap())).collect()
}

const WARNED: &str = r#"{"labels": {
  "1": {
    "nodes": [
      {"id": "n1", "op": "R", "data": {"adapter": "http.GET", "args": "x"}},
      {"id": "n3", "op": "If", "data": {"cond": "(a", "then": "2"}},
      {"id": "n4", "op": "Tx", "data": {"action": "begin"}}],
    "edges": [
      {"from": "n1", "to": "n3"},
      {"from": "n3", "to": "2", "to_kind": "label", "port": "then"}]},
  "2": {"nodes": [{"id": "n1", "op": "J"}]}
}}"#;

const WRONG: &str = r#"{
  "graph_schema_version": "7",
  "labels": {
    "1": {
      "entry": "n5",
      "nodes": [
        {"id": "n1", "op": "Zork", "data": {"a": 1}},
        {"id": "n1", "op": "J", "lineno": "x"}],
      "edges": [
        {"from": "n1", "to": "n9", "port": "next"},
        {"from": "n1", "to": "9", "to_kind": "label", "port": "next"},
        {"from": "n1", "to": "2", "to_kind": "label", "port": "sideways"},
        {"from": "n1"}],
      "exits": [{"node": "n7"}]},
    "2": {},
    "3": "text"
  },
  "declarations": {"agent": {}, "tools": 3},
  "services": {"core": {"eps": {"/a": {"G": {}, "P": {"label_id": "8"}}}}},
  "crons": {}
}"#;

#[test]
fn a_clean_document_is_compiled_once_and_for_all() {
    for document in [CHAIN, SHOP, "{\"labels\": {}}"] {
        let done = compile_again(document, &[]);
        assert_eq!((done.code, &*done.stderr), (0, ""));
    }
    for seed in 0..8 {
        // They are valid; whether all their cycles can end, nobody arranged.
        let done = compile_again(&json::compact(&sim::document(seed, 60)), &[]);
        assert_eq!((done.code, done.stderr.contains("[G")), (0, false), "{}", done.stderr);
    }
}

#[test]
fn findings_are_in_the_document_and_stay_there() {
    let done = compile_again(WARNED, &[]);
    assert_eq!(done.code, 0);
    let value = done.json();
    assert_eq!(line(&value, "errors"), "[]");
    expect![[r#"
        warning[G409]: `args` of `R` must be a list, not `x`
        warning[G401]: the ids of label `1` are not `n1` to `n3` in order
        warning[G412]: the condition of `If` cannot be read: a closing `)` is missing
        warning[G407]: node `n4` of label `1` cannot be reached
        warning[G408]: `n4` of label `1` is `Tx` without `name`
    "#]]
    .assert_eq(&texts(&value, "warnings"));
    let strict = compile_again(WARNED, &["--strict"]);
    assert_eq!(strict.code, 1);
    let value = strict.json();
    assert_eq!(line(&value, "warnings"), "[]");
    assert_eq!(at(&value, "errors").as_list().unwrap().len(), 5);
}

#[test]
fn errors_are_in_the_document_and_stay_there() {
    let done = compile_again(WRONG, &["--json"]);
    assert_eq!(done.code, 1);
    let value = done.json();
    expect![[r#"
        error[G105]: graph schema `7` is not supported
        error[G302]: label `1` begins with node `n5`, which label `1` does not have
        error[G301]: unknown op `Zork`
        error[G104]: label `1` has two nodes `n1`
        error[G101]: `lineno` must be a whole number, not text
        error[G302]: the `next` edge of `n1` leads to node `n9`, which label `1` does not have
        error[G303]: the `next` edge of `n1` leads to label `9`, which does not exist
        error[G103]: `sideways` is no `port`
        error[G102]: an edge of label `1` has no `to`
        error[G302]: an exit of label `1` is node `n7`, which label `1` does not have
        error[G304]: label `2` is empty
        error[G101]: `3` must be an object with `nodes` and `edges`, not text
        error[G103]: `agent` is no kind of declaration
        error[G101]: `tools` must be an object, not a number
        error[G102]: endpoint `G /a` has no `label_id`
        error[G303]: endpoint `P /a` runs label `8`, which does not exist
        error[G101]: `crons` must be a list, not an object
    "#]]
    .assert_eq(&texts(&value, "errors"));
    assert_eq!(texts(&value, "warnings"), "");
    let findings = at(&value, "diagnostics").as_list().unwrap();
    let lists = ["errors", "warnings"].map(|list| at(&value, list).as_list().unwrap().len());
    assert_eq!(findings.len(), lists.iter().sum::<usize>());
}

#[test]
fn diagnostics_are_those_of_check() {
    let folder = Folder::new();
    folder.write("wrong.json", WRONG);
    let compiled = folder.run(&["compile", "wrong.json"]).json();
    let checked = folder.run(&["check", "wrong.json", "--json"]).json();
    assert_eq!(at(&compiled, "diagnostics"), at(&checked, "files/0/diagnostics"));
}

#[test]
fn text_that_cannot_be_read_has_no_graph() {
    let done = compile("{", &[]);
    assert_eq!((done.code, &*done.stdout), (1, ""));
    let value = compile("{", &["--json"]).json();
    let members: Vec<_> = value.as_map().unwrap().keys().map(|name| &**name).collect();
    assert_eq!(members, ["errors", "warnings", "diagnostics"]);
    let said = "error[T002]: this is not JSON: the text ends inside of an object";
    assert_eq!(line(&value, "errors"), format!("[\"{said}\"]"));
}

#[test]
fn the_whole_document_is_this() {
    let document = r#"{"labels": {"1": {"nodes": [
        {"id": "n1", "op": "R", "data": {"op": "R", "adapter": "http.GET", "out": "page"}},
        {"id": "n2", "op": "J", "data": {"op": "J", "var": "page"}}],
        "edges": [{"from": "n1", "to": "n2"}]}}}"#;
    let done = compile_again(document, &[]);
    let hashes_are_tested_elsewhere = done
        .stdout
        .split("sha256:")
        .map(|text| text.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()));
    let shown = hashes_are_tested_elsewhere.collect::<Vec<_>>().join("sha256:...");
    expect![[r#"
        {
          "ir_version": "1.0.0",
          "graph_schema_version": "1.0",
          "graph_semantic_checksum": "sha256:...",
          "labels": {
            "1": {
              "entry": "n1",
              "nodes": [
                {
                  "id": "n1",
                  "op": "R",
                  "effect": "io",
                  "effect_tier": "io-read",
                  "effect_kinds": ["http"],
                  "reads": [],
                  "writes": ["page"],
                  "lineno": null,
                  "data": { "op": "R", "adapter": "http.GET", "out": "page" },
                  "operands": { "adapter": { "lit": "http.GET" }, "out": { "var": "page" } },
                  "hash": "sha256:..."
                },
                {
                  "id": "n2",
                  "op": "J",
                  "effect": "pure",
                  "effect_tier": "pure",
                  "effect_kinds": [],
                  "reads": ["page"],
                  "writes": [],
                  "lineno": null,
                  "data": { "op": "J", "var": "page" },
                  "operands": { "var": { "var": "page" } },
                  "hash": "sha256:..."
                }
              ],
              "edges": [{ "from": "n1", "to": "n2", "to_kind": "node", "port": "next" }],
              "emit_edges": [{ "from": "n1", "to": "n2", "port": "data", "var": "page" }],
              "exits": [{ "node": "n2", "var": "page" }],
              "effect_summary": { "reads": ["page"], "writes": ["page"], "effects": ["http"] },
              "id_hash": "sha256:..."
            }
          },
          "services": { "core": { "eps": {} } },
          "capabilities": {},
          "crons": [],
          "runtime_policy": { "execution_mode": "graph", "unknown_op_policy": "error" },
          "meta": [],
          "stats": { "lines": 0, "ops": 2 },
          "errors": [],
          "warnings": [],
          "diagnostics": []
        }
    "#]]
    .assert_eq(&shown);
}

#[test]
fn members_that_nobody_knows_are_kept_at_every_level() {
    let document = r#"{"x0": null, "labels": {"1": {"x1": [1],
        "nodes": [
          {"id": "n1", "op": "R", "x2": {"a": null}, "data": {"adapter": "db.F", "x3": 1.50}},
          {"id": "n2", "op": "Zork", "data": {"x4": 0}}],
        "edges": [{"from": "n1", "to": "n2", "x5": "ü"}]}},
      "declarations": {"agents": {"w": {"x6": 1}}},
      "services": {"x7": 1, "core": {"x8": 1, "eps": {"a": {"G": {"label_id": "1", "x9": 1}}}}},
      "crons": [{"label": "1", "x10": 1}], "capabilities": {"x11": 1},
      "runtime_policy": {"x12": 1}, "meta": [{"x13": 1}], "stats": {"x14": 1}}"#;
    let value = compile_again(document, &[]).json();
    let places = [
        "x0",
        "labels/1/x1",
        "labels/1/nodes/0/x2",
        "labels/1/nodes/0/data/x3",
        "labels/1/nodes/1/data/x4",
        "labels/1/edges/0/x5",
        "declarations/agents/w/x6",
        "services/x7",
        "services/core/x8",
        "services/core/eps/a/G/x9",
        "crons/0/x10",
        "capabilities/x11",
        "runtime_policy/x12",
        "meta/0/x13",
        "stats/x14",
    ];
    let members = places.map(|place| line(&value, place));
    assert_eq!(members.join(" "), r#"null [1] {"a":null} 1.5 0 "ü" 1 1 1 1 1 1 1 1 1"#);
}

#[test]
fn endpoints_and_services_are_kept_as_written() {
    let value = compile(SHOP, &[]).json();
    assert_eq!(at(&value, "services"), at(&json::parse(SHOP).unwrap(), "services"));
    let document = r#"{"labels": {}, "services": {"fe": {"pages": [1]}, "core": "odd"}}"#;
    let value = compile_again(document, &[]).json();
    assert_eq!(line(&value, "services"), r#"{"fe":{"pages":[1]},"core":"odd"}"#);
}

#[test]
fn steps_of_older_compilers_become_nodes_and_edges() {
    let document = r#"{"labels": {
        "1": {"legacy": {"steps": [
          {"op": "R", "adapter": "db.F", "target": "User", "out": "user", "lineno": 3},
          {"op": "Retry", "count": "2", "backoff_ms": "10"},
          {"op": "Err", "handler": "2", "at_node_id": "n1"},
          {"op": "If", "cond": "user", "then": "2", "else": "2"}]}},
        "2": {"legacy": {"steps": [{"op": "J", "var": "_error"}]}}}}"#;
    let done = compile(document, &[]);
    assert_eq!(done.code, 0);
    let value = done.json();
    let lines = |list: &str| -> String {
        at(&value, list).as_list().unwrap().iter().map(|item| json::compact(item) + "\n").collect()
    };
    expect![[r#"
        {"from":"n1","to":"n2","to_kind":"node","port":"next"}
        {"from":"n1","to":"n2","to_kind":"node","port":"retry"}
        {"from":"n2","to":"n3","to_kind":"node","port":"next"}
        {"from":"n3","to":"2","to_kind":"label","port":"handler"}
        {"from":"n1","to":"n3","to_kind":"node","port":"err"}
        {"from":"n3","to":"n4","to_kind":"node","port":"next"}
        {"from":"n4","to":"2","to_kind":"label","port":"then"}
        {"from":"n4","to":"2","to_kind":"label","port":"else"}
    "#]]
    .assert_eq(&lines("labels/1/edges"));
    let nodes = at(&value, "labels/1/nodes").as_list().unwrap();
    let nodes: String = nodes.iter().map(|node| line(node, "operands") + "\n").collect();
    expect![[r#"
        {"adapter":{"lit":"db.F"},"target":{"lit":"User"},"out":{"var":"user"}}
        {"count":{"lit":2},"backoff_ms":{"lit":10}}
        {}
        {"cond":{"expr":"user"}}
    "#]]
    .assert_eq(&nodes);
    assert_eq!(line(&value, "labels/1/nodes/0/lineno"), "3");
    assert_eq!(line(&value, "labels/2/exits"), r#"[{"node":"n1","var":"_error"}]"#);
    expect![[r#"
        warning[G415]: label `1` has only `legacy.steps`
        warning[G415]: label `2` has only `legacy.steps`
    "#]]
    .assert_eq(&texts(&value, "warnings"));
}

#[test]
fn ops_beyond_spec_1_change_the_schema_version() {
    let version = |op: &str, data: &str| {
        let document = format!(
            r#"{{"graph_schema_version": "1.0+quipu", "labels": {{"1": {{"nodes": [
            {{"id": "n1", "op": "{op}", "data": {data}}}]}}}}}}"#
        );
        line(&compile_again(&document, &[]).json(), "graph_schema_version")
    };
    assert_eq!(version("J", r#"{"var": 1}"#), "\"1.0\"");
    assert_eq!(version("Ask", r#"{"prompt": "May I?"}"#), "\"1.0+quipu\"");
    assert_eq!(version("Join", "{}"), "\"1.0+quipu\"");
}

#[test]
fn operands_say_which_word_is_a_variable() {
    let document = r#"{"labels": {"1": {"nodes": [
        {"id": "n1", "op": "Set", "data": {"name": "a", "ref": "a word"}},
        {"id": "n2", "op": "Set", "data": {"name": "b", "ref": "a"}},
        {"id": "n3", "op": "Set", "data": {"name": "c", "ref": "other"}},
        {"id": "n4", "op": "Set", "data": {"name": "d", "ref": "$other"}},
        {"id": "n5", "op": "Set", "data": {"name": "e", "ref": "12"}},
        {"id": "n6", "op": "Set", "data": {"name": "f", "ref": {"g": [true, null]}}},
        {"id": "n7", "op": "X", "data": {"dst": "h", "fn": "add", "args": ["a", 1, "x"]}},
        {"id": "n8", "op": "Call", "data": {"label": "1", "out": "i"}},
        {"id": "n9", "op": "If", "data": {"cond": "a = b"}}]}}}"#;
    let value = compile_again(document, &[]).json();
    let nodes = at(&value, "labels/1/nodes").as_list().unwrap();
    let operands = nodes.iter().map(|node| line(node, "operands") + "\n");
    expect![[r#"
        {"name":{"var":"a"},"ref":{"lit":"a word"}}
        {"name":{"var":"b"},"ref":{"var":"a"}}
        {"name":{"var":"c"},"ref":{"lit":"other"}}
        {"name":{"var":"d"},"ref":{"var":"other"}}
        {"name":{"var":"e"},"ref":{"lit":12}}
        {"name":{"var":"f"},"ref":{"lit":{"g":[true,null]}}}
        {"dst":{"var":"h"},"fn":{"lit":"add"},"args":[{"var":"a"},{"lit":1},{"lit":"x"}]}
        {"label":{"label":"1"},"out":{"var":"i"}}
        {"cond":{"expr":"a = \"b\""}}
    "#]]
    .assert_eq(&operands.collect::<String>());
}

#[test]
fn ops_of_older_compilers_become_adapter_calls() {
    let document = r#"{"labels": {"1": {"nodes": [
        {"id": "n1", "op": "memory.merge", "data": {"op": "memory.merge", "pattern": "p",
          "label_id": "main"}},
        {"id": "n2", "op": "MemoryExecute", "data": {"op": "MemoryExecute", "pattern": "p"}},
        {"id": "n3", "op": "persona.update", "data": {"op": "persona.update", "trait_name": "calm",
          "strength": 0.5, "learned_from": "talk"}}],
        "edges": [{"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3"}]}}}"#;
    let done = compile_again(document, &[]);
    assert_eq!((done.code, &*done.stderr), (0, ""));
    let value = done.json();
    let nodes = at(&value, "labels/1/nodes").as_list().unwrap();
    let pick = |node: &Value, names: &[&str]| {
        names.iter().map(|name| line(node, name)).collect::<Vec<_>>().join(" ") + "\n"
    };
    let data: String = nodes.iter().map(|node| pick(node, &["op", "effect", "data"])).collect();
    expect![[r#"
        "R" "io" {"op":"R","adapter":"memory.merge","target":"p","args":["main"]}
        "R" "io" {"op":"R","adapter":"memory.execute","target":"p","args":[]}
        "R" "io" {"op":"R","adapter":"persona.update","target":"calm","args":[0.5,"talk"]}
    "#]]
    .assert_eq(&data);
    assert_eq!(line(&value, "labels/1/nodes/2/memory_type"), "\"persona\"");
}

#[test]
fn a_changed_node_has_a_changed_hash_and_a_changed_number_has_not() {
    let hashes = |document: &str| {
        let value = compile(document, &[]).json();
        ["graph_semantic_checksum", "labels/1/id_hash", "labels/2/id_hash"]
            .map(|hash| line(&value, hash))
    };
    let plain = hashes(CHAIN);
    assert_eq!(hashes(&CHAIN.replace("\"n2\"", "\"n9\"")), plain);
    assert_eq!(
        hashes(&CHAIN.replace("\"op\": \"Set\", \"data\"", "\"op\": \"Set\", \"c\": 1, \"data\"")),
        plain
    );
    let changed = hashes(&CHAIN.replace("/a", "/b"));
    assert_ne!((&changed[0], &changed[1]), (&plain[0], &plain[1]));
    assert_eq!(changed[2], plain[2]);
}
