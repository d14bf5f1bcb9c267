//! Whatever is in a file: findings and an exit code, never a panic.

use diagnostics::Source;
use expect_test::{Expect, expect};
use value::{Map, Value, json};

use crate::any_text::{read, survives};
use crate::documents::{CHAIN, SHOP, at, line};
use crate::run::{Done, Folder};

fn check(text: impl AsRef<[u8]>, options: &[&str]) -> Done {
    let folder = Folder::new();
    folder.write("f.json", text);
    let done = folder.run(&[&["check", "f.json"], options].concat());
    assert!(matches!(done.code, 0 | 1), "{}", done.stderr);
    assert!(!done.stderr.contains("panicked"), "{}", done.stderr);
    done
}

/// The findings: `line:col code message`, and the exit code after them.
fn found(text: impl AsRef<[u8]>) -> String {
    let done = check(text, &["--json"]);
    let value = done.json();
    let mut shown = String::new();
    for found in at(&value, "files/0/diagnostics").as_list().unwrap() {
        let [line, col] = ["line", "col"].map(|part| line(found, &format!("span/start/{part}")));
        let [code, message] = ["code", "message"].map(|name| at(found, name).as_text().unwrap());
        shown += &format!("{line}:{col} {code} {message}\n");
    }
    format!("{shown}exit {}\n", done.code)
}

fn check_found(text: impl AsRef<[u8]>, expected: Expect) {
    expected.assert_eq(&found(text));
}

#[test]
fn nothing_is_no_document() {
    for text in ["", " ", "\n\r\n\t \n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(found(text), "1:1 T002 the text is empty\nexit 1\n", "{text:?}");
    }
}

#[test]
fn a_document_may_end_anywhere() {
    let document = json::compact(&json::parse(SHOP).unwrap());
    for end in 0..document.len() {
        survives(&document[..end]).unwrap();
    }
    let small = r#"{"labels":{"ü":{"nodes":[{"id":"n1","op":"J","data":{"var":-1.5e3}}]}}}"#;
    let folder = Folder::new();
    for end in 0..=small.len() {
        folder.write("f.json", &small.as_bytes()[..end]);
        let done = folder.run(&["check", "f.json"]);
        assert_eq!(done.code, i32::from(end < small.len()), "{end}: {}", done.stderr);
        let said = if end < small.len() { "error[T00" } else { "f.json: ok" };
        assert!(done.stderr.starts_with(said), "{end}: {}", done.stderr);
    }
}

#[test]
fn nesting_is_bounded() {
    let object = r#"{"labels": {"1": "#;
    for text in [
        "[".repeat(1_000) + &"]".repeat(1_000),
        "[".repeat(100_000),
        "[".repeat(10_000_000),
        "{\"a\":".repeat(100_000),
        object.to_string() + &"[".repeat(100_000),
    ] {
        let said = found(&text);
        let (place, rest) = said.split_once(' ').unwrap();
        assert!(place.starts_with("1:"), "{said}");
        assert_eq!(rest, "T004 nested more than 120 levels deep\nexit 1\n");
    }
    let deep = format!("{{\"labels\": {{}}, \"x\": {}1{}}}", "[".repeat(119), "]".repeat(119));
    assert_eq!(found(deep), "exit 0\n");
}

#[test]
fn members_given_twice_are_found_at_every_level() {
    let text = r#"{"labels": {"1": {"nodes": [
  {"id": "n1", "op": "J", "op": "R", "data": {"var": 1, "var": {"a": 1, "a": 2}}}], "nodes": []},
  "1": {}},
  "labels": {}}"#;
    check_found(
        text,
        expect![[r#"
        2:27 T003 `op` is given twice
        2:54 T003 `a` is given twice
        2:57 T003 `var` is given twice
        2:85 T003 `nodes` is given twice
        3:3 T003 `1` is given twice
        4:3 T003 `labels` is given twice
        exit 1
    "#]],
    );
}

#[test]
fn bytes_that_are_no_text_are_found() {
    check_found(
        b"{\"labels\": {\"\xff\": 1}}",
        expect![[r#"
            1:14 T001 the byte 0xff is not UTF-8
            exit 1
        "#]],
    );
    check_found(
        ["{\n\"größe\": \"".as_bytes(), b"\xc3\"}"].concat(),
        expect![[r#"
            2:11 T001 the byte 0xc3 is not UTF-8
            exit 1
        "#]],
    );
    check_found(
        b"\xff\xfe{\0}\0",
        expect![[r#"
            1:1 T001 the byte 0xff is not UTF-8
            exit 1
        "#]],
    );
    check_found(
        b"{\"labels\": {\"\0\": 1}}",
        expect![[r#"
        1:14 T002 this is not JSON: a tab, line break or other control character stands in text
        exit 1
    "#]],
    );
    check_found(
        br#"{"labels": {"\ud800": {}}}"#,
        expect![[r#"
            1:20 T002 this is not JSON: half of a surrogate pair stands in text
            exit 1
        "#]],
    );
}

#[test]
fn values_of_every_wrong_kind_are_survived_everywhere() {
    let kinds = ["null", "true", "3", "\"x\"", "[]", "{}"].map(|kind| json::parse(kind).unwrap());
    let mut document = json::parse(CHAIN).unwrap().as_map().unwrap().clone();
    document.insert("declarations".into(), json::parse(r#"{"agents": {"a": {}}}"#).unwrap());
    document.insert("crons".into(), json::parse(r#"[{"label": "1"}]"#).unwrap());
    let eps = r#"{"core": {"eps": {"/a": {"G": {"label_id": "1"}}}}}"#;
    document.insert("services".into(), json::parse(eps).unwrap());
    // Compiled, so that every member is there.
    let source = Source::new("chain", json::compact(&document.into()));
    let (_, printed) = read(&source).unwrap().expect("it is a graph");
    let document = json::parse(&printed).unwrap();
    let mut count = 0;
    for kind in &kinds {
        replaced(&document, kind, &mut |changed| {
            count += 1;
            survives(&json::compact(&changed)).unwrap();
        });
    }
    assert!(count > 600, "only {count} documents were tried");
}

/// Every document that has this value in one place.
fn replaced(value: &Value, by: &Value, tell: &mut dyn FnMut(Value)) {
    tell(by.clone());
    match value {
        Value::List(items) => {
            for (place, item) in items.iter().enumerate() {
                replaced(item, by, &mut |item| {
                    let mut items = (**items).clone();
                    items[place] = item;
                    tell(Value::list(items));
                });
            }
        }
        Value::Map(members) => {
            for (name, member) in members.iter() {
                replaced(member, by, &mut |member| {
                    let mut members: Map = (**members).clone();
                    members.insert(name.clone(), member);
                    tell(members.into());
                });
            }
        }
        _ => {}
    }
}

#[test]
fn edges_to_nowhere_are_errors() {
    let text = r#"{"labels": {"1": {"entry": "n7",
  "nodes": [{"id": "n1", "op": "R", "data": {"adapter": "db.F"}}, {"id": "n2", "op": "J"}],
  "edges": [
    {"from": "n1", "to": "n8", "to_kind": "node", "port": "next"},
    {"from": "n9", "to": "n1", "to_kind": "node", "port": "next"},
    {"from": "n1", "to": "n1", "to_kind": "label", "port": "next"},
    {"from": "", "to": "", "to_kind": "node", "port": "next"},
    {"to_kind": "node", "port": "next"}]}}}"#;
    check_found(
        text,
        expect![[r#"
        1:28 G302 label `1` begins with node `n7`, which label `1` does not have
        4:26 G302 the `next` edge of `n1` leads to node `n8`, which label `1` does not have
        5:14 G302 an edge leaves node `n9`, which label `1` does not have
        6:26 G303 the `next` edge of `n1` leads to label `n1`, which does not exist
        6:26 G403 `n1` of label `1` has more than one `next` edge
        7:14 G102 an edge of label `1` has no `from`
        7:24 G102 an edge of label `1` has no `to`
        8:5 G102 an edge of label `1` has no `from`
        8:5 G102 an edge of label `1` has no `to`
        exit 1
    "#]],
    );
}

#[test]
fn self_loops_are_survived() {
    let text = r#"{"labels": {"1": {
  "nodes": [{"id": "n1", "op": "If", "data": {"cond": "x"}}],
  "edges": [
    {"from": "n1", "to": "n1", "to_kind": "node", "port": "then"},
    {"from": "n1", "to": "n1", "to_kind": "node", "port": "else"},
    {"from": "n1", "to": "n1", "to_kind": "node", "port": "err"}]}}}"#;
    check_found(
        text,
        expect![[r#"
            4:26 G305 an edge leads from `n1` to itself
            5:26 G305 an edge leads from `n1` to itself
            6:26 G305 an edge leads from `n1` to itself
            exit 1
        "#]],
    );
    survives(text).unwrap();
}

#[test]
fn what_stands_behind_an_end_is_told_once() {
    let label = |nodes: &str, edges: &str| {
        let end = r#"{"nodes": [{"id": "n1", "op": "J"}]}"#;
        format!(r#"{{"labels": {{"a": {{"nodes": [{nodes}], "edges": [{edges}]}}, "b": {end}}}}}"#)
    };
    let node = |id: &str, op: &str, data: &str| {
        format!(r#"{{"id": "{id}", "op": "{op}", "data": {{{data}}}}}"#)
    };
    let edge = |from: &str, port: &str, to: &str, kind: &str| {
        format!(r#"{{"from": "{from}", "port": "{port}", "to": "{to}", "to_kind": "{kind}"}}"#)
    };
    let (set, list) = (r#""name": "x", "ref": 1"#, r#""ref": [], "item": "i""#);
    // Behind a return, which older compilers lead on from, and another one behind that.
    let nodes =
        [node("n1", "J", ""), node("n2", "Set", set), node("n3", "J", ""), node("n4", "J", "")];
    let edges = ["n1 n2", "n2 n3", "n3 n4"].map(|ends| {
        let (from, to) = ends.split_once(' ').unwrap();
        edge(from, "next", to, "node")
    });
    check_found(
        label(&nodes.join(","), &edges.join(",")),
        expect![[r#"
        1:72 G407 node `n2` of label `a` cannot be reached (nor 2 nodes after it)
        exit 0
    "#]],
    );
    // An edge to what is reached in another way is wrong in itself.
    let nodes = [node("n1", "If", r#""cond": "true""#), node("n2", "J", ""), node("n3", "J", "")];
    let edges = [
        edge("n1", "then", "n2", "node"),
        edge("n1", "else", "n3", "node"),
        edge("n2", "next", "n3", "node"),
    ];
    check_found(
        label(&nodes.join(","), &edges.join(",")),
        expect![[r#"
            1:311 G402 `n2` of label `a` is `J`, which no edge can leave
            exit 0
        "#]],
    );
    // Behind what leads to labels only.
    for (op, data, ports) in [
        ("If", r#""cond": "true""#, ["then", "else"]),
        ("Loop", list, ["body", "after"]),
        ("While", r#""cond": "false""#, ["body", "after"]),
    ] {
        let nodes = [node("n1", op, data), node("n2", "Set", set), node("n3", "J", "")];
        let edges = ports.map(|port| edge("n1", port, "b", "label"));
        let edges = [edges.join(","), edge("n2", "next", "n3", "node")].join(",");
        let said = found(label(&nodes.join(","), &edges));
        let what = "G407 node `n2` of label `a` cannot be reached (nor the node after it)";
        assert!(said.contains(what), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
    }
}

#[test]
fn ids_can_be_anything() {
    let text = r#"{"labels": {"": {"nodes": [
  {"id": "n1", "op": "R", "data": {"adapter": "db.F"}}, {"id": "n1", "op": "J"},
  {"id": "n1", "op": "J"}, {"id": "", "op": "J"},
  {"id": "n99999999999999999999999999", "op": "J"}, {"id": "n-1", "op": "J"}]}}}"#;
    check_found(
        text,
        expect![[r#"
        2:64 G104 label `` has two nodes `n1`
        3:10 G104 label `` has two nodes `n1`
        3:35 G102 a node of label `` has no `id`
        4:10 G407 node `n99999999999999999999999999` of label `` cannot be reached
        4:60 G407 node `n-1` of label `` cannot be reached
        exit 1
    "#]],
    );
    survives(&text.replace("n-1", &"9".repeat(1_000_000))).unwrap();
    let label = "/~".repeat(100_000);
    let text = format!(r#"{{"labels": {{"{label}": {{"nodes": [{{"id": "{label}"}}]}}}}}}"#);
    survives(&text).unwrap();
}

#[test]
fn labels_without_nodes_are_errors() {
    let text = r#"{"labels": {"a": {}, "b": {"nodes": []}, "c": {"nodes": null, "edges": []},
  "d": {"legacy": {"steps": []}}, "e": null}}"#;
    check_found(
        text,
        expect![[r#"
        1:13 G304 label `a` is empty
        1:22 G304 label `b` is empty
        1:42 G304 label `c` is empty
        2:3 G304 label `d` is empty
        2:40 G101 `e` must be an object with `nodes` and `edges`, not null
        exit 1
    "#]],
    );
}

#[test]
fn twenty_thousand_errors_are_found_and_fifty_are_shown() {
    let labels: Vec<String> = (1..=20_000).map(|id| format!(r#""l{id}": {{}}"#)).collect();
    let done = check(format!(r#"{{"labels": {{{}}}}}"#, labels.join(",")), &[]);
    assert_eq!((done.code, &*done.stdout), (1, ""));
    assert_eq!(done.stderr.lines().filter(|line| line.contains(" --> ")).count(), 50);
    let lines: Vec<&str> = done.stderr.lines().collect();
    expect![[r#"
        ... and 19950 more; `--json` lists all of them

        f.json: 20000 errors (`quipu explain G304` says more)"#]]
    .assert_eq(&lines[lines.len() - 3..].join("\n"));
}

#[test]
fn hostile_yaml_is_refused_in_a_few_words() {
    let bomb = {
        let mut text = "name: bomb\nversion: \"1\"\na0: &a0 [x, x, x, x, x, x, x, x]\n".to_string();
        for level in 1..12 {
            let below = format!("*a{}", level - 1);
            text.push_str(&format!("a{level}: &a{level} [{}]\n", vec![below; 8].join(", ")));
        }
        text + "entities: *a11\n"
    };
    let spec = |rest: &str| format!("name: x\nversion: \"1\"\nentities: {rest}");
    for (name, text, code) in [
        ("an alias bomb", bomb, "T009"),
        ("brackets", spec(&"[".repeat(10 << 20)), "T009"),
        ("dashes", spec(&format!("\n{}", "- ".repeat(5 << 20))), "T004"),
        ("maps", spec(&"{a: ".repeat(2 << 20)), "T009"),
        ("a tab", spec("\n\t- {id: a}"), "T007"),
        ("an alias of itself", spec("&a [*a]"), "T008"),
        ("a key twice", spec("[]\nname: y"), "T003"),
        ("two documents", spec("[]\n---\nname: y"), "T010"),
    ] {
        let done = Folder::new().write("agent.yaml", text).run(&["check", "agent.yaml", "--json"]);
        assert_eq!(done.code, 1, "{name}");
        let checked = done.json();
        let files = checked.get("files").and_then(value::Value::as_list).unwrap();
        let findings = files[0].get("diagnostics").and_then(value::Value::as_list).unwrap();
        let has = findings.iter().any(|finding| finding.get("code") == Some(&code.into()));
        assert!(has, "{name} is {code}: {:.300}", done.stdout);
        assert!(findings.len() < 20, "{name}");
    }
}
