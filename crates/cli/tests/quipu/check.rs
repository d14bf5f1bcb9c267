//! `quipu check`: what scripts read, what people read, and exit codes.

use expect_test::expect;
use value::{Map, Value, json};

use crate::documents::{CHAIN, SHOP, at, line};
use crate::run::Folder;

/// A number for an op, behind letters that are more than one byte each; and no id.
const WRONG: &str = r#"{"labels": {"ü/~": {"nodes": [
  {"title": "größe 日本 😀", "id": "n1", "op": 301, "data": {}},
  {"op": "J"}]}}}
"#;

/// Valid in phase 1; the second phase has something to say.
const WARNED: &str = r#"{"labels": {"1": {"nodes": [{"id": "n7", "op": "J"}]}}}"#;

/// Two successors, and none of them is `next`.
const NO_NEXT: &str = r#"{"labels": {"1": {
  "nodes": [
    {"id": "n1", "op": "Set", "data": {"name": "a", "ref": 1}},
    {"id": "n2", "op": "Err", "data": {"handler": "1"}},
    {"id": "n3", "op": "Retry", "data": {}}],
  "edges": [
    {"from": "n1", "to": "n2", "to_kind": "node", "port": "err"},
    {"from": "n1", "to": "n3", "to_kind": "node", "port": "retry"},
    {"from": "n2", "to": "1", "to_kind": "label", "port": "handler"}]}}}
"#;

fn check(document: &str, options: &[&str]) -> crate::run::Done {
    Folder::new().run_with(&[&["check", "-"], options].concat(), document)
}

/// `code severity`, one line for each finding of a file.
fn codes(value: &Value, file: usize) -> Vec<String> {
    let findings = at(value, &format!("files/{file}/diagnostics")).as_list().unwrap();
    let word = |finding: &Value, name: &str| at(finding, name).as_text().unwrap().to_string();
    findings.iter().map(|found| word(found, "code") + " " + &word(found, "severity")).collect()
}

#[test]
fn json_has_every_member_and_counts_characters() {
    let done = check(WRONG, &["--json"]);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    expect![[r#"
        {
          "ok": false,
          "files": [
            {
              "file": "-",
              "format": "graph",
              "diagnostics": [
                {
                  "code": "G101",
                  "severity": "error",
                  "message": "`op` must be text, not a number",
                  "file": "-",
                  "span": { "start": { "line": 2, "col": 45 }, "end": { "line": 2, "col": 48 } },
                  "pointer": "/labels/ü~1~0/nodes/0/op",
                  "rule": "type",
                  "gate": null,
                  "labels": [],
                  "path": [],
                  "help": null,
                  "fix": null
                },
                {
                  "code": "G102",
                  "severity": "error",
                  "message": "a node of label `ü/~` has no `id`",
                  "file": "-",
                  "span": { "start": { "line": 3, "col": 3 }, "end": { "line": 3, "col": 4 } },
                  "pointer": "/labels/ü~1~0/nodes/1/id",
                  "rule": "required",
                  "gate": null,
                  "labels": [],
                  "path": [],
                  "help": "nodes are named `n1`, `n2`, ...; this one is `n2`",
                  "fix": null
                }
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&done.stdout);
}

#[test]
fn a_finding_without_content_has_all_members_too() {
    const MEMBERS: [&str; 12] = [
        "code", "severity", "message", "file", "span", "pointer", "rule", "gate", "labels", "path",
        "help", "fix",
    ];
    for document in ["", "[]", "{}", "{\"labels\": {\"1\": {}}, \"labels\": 1}", WRONG, WARNED] {
        let value = check(document, &["--json"]).json();
        let findings = at(&value, "files/0/diagnostics").as_list().unwrap();
        assert!(!findings.is_empty(), "{document}");
        for finding in findings {
            let members: Vec<&str> =
                finding.as_map().into_iter().flat_map(Map::keys).map(|key| &**key).collect();
            assert_eq!(members, MEMBERS, "{document}");
        }
    }
}

#[test]
fn pointers_follow_rfc_6901() {
    for (document, pointers) in [
        ("3", r#"[""]"#),
        ("{}", r#"["/labels"]"#),
        (r#"{"labels": {"a/b~c": {}}}"#, r#"["/labels/a~1b~0c"]"#),
        (r#"{"labels": {"": {}}}"#, r#"["/labels/"]"#),
        (r#"{"labels": {"1": {"nodes": [3]}}}"#, r#"["/labels/1/nodes/0"]"#),
        (
            r#"{"labels": {"1": {"nodes": [{}]}}}"#,
            r#"["/labels/1/nodes/0/id","/labels/1/nodes/0/op"]"#,
        ),
        ("nonsense", "[null]"),
    ] {
        let value = check(document, &["--json"]).json();
        let findings = at(&value, "files/0/diagnostics").as_list().unwrap();
        let found = Value::list(findings.iter().map(|found| at(found, "pointer").clone()));
        assert_eq!(json::compact(&found), pointers, "{document}");
    }
}

#[test]
fn secondary_places_and_fixes_have_spans() {
    let document = r#"{"labels": {"1": {"nodes": [
  {"id": "n1", "op": "J", "data": {"op": "R"}}]}}}"#;
    let value = check(document, &["--json"]).json();
    let found = at(&value, "files/0/diagnostics/0");
    expect![[r#"
        [
          {
            "file": "-",
            "span": { "start": { "line": 2, "col": 22 }, "end": { "line": 2, "col": 25 } },
            "message": "this is what counts"
          }
        ]"#]]
    .assert_eq(&json::pretty(at(found, "labels")));
    expect![[r#"
        {
          "title": "write `J`",
          "edits": [
            {
              "file": "-",
              "span": { "start": { "line": 2, "col": 42 }, "end": { "line": 2, "col": 45 } },
              "text": "\"J\""
            }
          ],
          "safe": true
        }"#]]
    .assert_eq(&json::pretty(at(found, "fix")));
}

#[test]
fn files_are_reported_in_the_order_of_the_arguments() {
    let folder = Folder::new();
    folder.write("b.json", WRONG).write("a.json", CHAIN).write("c.json", WARNED);
    let done = folder.run_with(&["check", "--json", "b.json", "a.json", "-", "c.json"], SHOP);
    let value = done.json();
    let files: Vec<_> = (0..4).map(|file| line(&value, &format!("files/{file}/file"))).collect();
    assert_eq!(files, ["\"b.json\"", "\"a.json\"", "\"-\"", "\"c.json\""]);
    assert_eq!(codes(&value, 0), ["G101 error", "G102 error"]);
    assert_eq!(codes(&value, 1), [""; 0]);
    assert_eq!(codes(&value, 2), [""; 0]);
    assert_eq!(codes(&value, 3), ["G401 warning"]);
    assert_eq!((done.code, line(&value, "ok")), (1, "false".to_string()));
}

#[test]
fn one_summary_line_per_file_goes_to_stderr() {
    let folder = Folder::new();
    folder.write("chain.json", CHAIN).write("shop.json", SHOP);
    let done = folder.run(&["check", "chain.json", "shop.json"]);
    assert_eq!((done.code, &*done.stdout), (0, ""));
    expect![[r#"
        chain.json: ok (2 labels, 4 nodes)
        shop.json: ok (3 labels, 10 nodes)
    "#]]
    .assert_eq(&done.stderr);
}

#[test]
fn text_shows_the_line_without_colours() {
    let done = check(WRONG, &[]);
    assert_eq!((done.code, &*done.stdout), (1, ""));
    assert!(!done.stderr.contains('\u{1b}'));
    expect![[r#"
        error[G101]: `op` must be text, not a number
         --> -:2:45
          |
        2 |   {"title": "größe 日本 😀", "id": "n1", "op": 301, "data": {}},
          |                                                ^^^

        error[G102]: a node of label `ü/~` has no `id`
         --> -:3:3
          |
        3 |   {"op": "J"}]}}}
          |   ^
          |
          = help: nodes are named `n1`, `n2`, ...; this one is `n2`

        -: 2 errors (`quipu explain G101` says more)
    "#]]
    .assert_eq(&done.stderr);
}

#[test]
fn two_ways_to_ask_for_json_are_one() {
    let folder = Folder::new();
    folder.write("wrong.json", WRONG);
    let short = folder.run(&["check", "--json", "wrong.json"]);
    let long = folder.run(&["check", "--format", "json", "wrong.json"]);
    assert_eq!(short.stdout, long.stdout);
    assert!(short.stdout.starts_with("{\n  \"ok\": false,\n") && short.stdout.ends_with("}\n"));
}

#[test]
fn exit_codes_tell_findings_from_misuse() {
    let folder = Folder::new();
    folder.write("chain.json", CHAIN).write("warned.json", WARNED).write("not.json", "{nonsense");
    for (arguments, code) in [
        (&["check", "chain.json"][..], 0),
        (&["check", "warned.json"], 0),
        (&["check", "chain.json", "not.json"], 1),
        (&["check", "not.json", "--json"], 1),
        (&["check", "missing.json"], 2),
        (&["check", "chain.json", "missing.json", "--json"], 2),
        (&["check", "."], 2),
        (&["check"], 2),
        (&["check", "chain.json", "--from", "yaml"], 2),
        (&["zork"], 2),
    ] {
        let done = folder.run(arguments);
        assert_eq!(done.code, code, "{arguments:?}: {}", done.stderr);
        if code == 2 {
            assert_eq!(done.stdout, "", "{arguments:?}");
            assert!(done.stderr.starts_with("error: "), "{arguments:?}: {}", done.stderr);
        }
    }
    let missing = folder.run(&["check", "missing.json"]);
    expect![[r#"
        error: cannot read `missing.json`: No such file or directory (os error 2)
    "#]]
    .assert_eq(&missing.stderr);
}

#[test]
fn strict_makes_errors_of_phase_2() {
    let (normal, strict) = (check(WARNED, &["--json"]), check(WARNED, &["--json", "--strict"]));
    assert_eq!((normal.code, codes(&normal.json(), 0)), (0, vec!["G401 warning".to_string()]));
    assert_eq!((strict.code, codes(&strict.json(), 0)), (1, vec!["G401 error".to_string()]));
    assert_eq!(line(&normal.json(), "ok"), "true");
    assert_eq!(line(&strict.json(), "ok"), "false");
    assert_eq!(check(CHAIN, &["--strict"]).code, 0);
}

#[test]
fn legacy_edges_relax_phase_1() {
    let (normal, legacy) =
        (check(NO_NEXT, &["--json"]), check(NO_NEXT, &["--json", "--legacy-edges"]));
    assert_eq!((normal.code, codes(&normal.json(), 0)), (1, vec!["G202 error".to_string()]));
    assert_eq!((legacy.code, codes(&legacy.json(), 0)), (0, vec![]));
}

#[test]
fn from_overrides_what_the_content_says() {
    let stargraph = r#"{"ir_version": "1.0.0", "id": "x", "nodes": []}"#;
    let value = check(stargraph, &["--json"]).json();
    assert_eq!(line(&value, "files/0/format"), "\"stargraph\"");
    assert_eq!(codes(&value, 0), ["T006 error"]);
    let value = check(stargraph, &["--json", "--from", "graph"]).json();
    assert_eq!(line(&value, "files/0/format"), "\"graph\"");
    assert_eq!(codes(&value, 0), ["G102 error"]);
}

#[test]
fn line_ends_and_a_byte_order_mark_move_nothing() {
    let plain = check(WRONG, &["--json"]).stdout;
    assert_eq!(check(&format!("\u{feff}{WRONG}"), &["--json"]).stdout, plain);
    assert_eq!(check(&WRONG.replace('\n', "\r\n"), &["--json"]).stdout, plain);
    let text = check(WRONG, &[]).stderr;
    let carriage_returns = check(&WRONG.replace('\n', "\r\n"), &[]).stderr;
    assert!(!carriage_returns.contains('\r'));
    let trimmed: Vec<_> = carriage_returns.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, text.lines().map(str::trim_end).collect::<Vec<_>>());
}

#[test]
fn a_document_of_one_line_shows_only_what_is_near() {
    let before: Vec<String> =
        (0..60).map(|number| format!(r#""{number}":"größe größe größe größe""#)).collect();
    let document = format!(
        r#"{{"notes":{{{}}},"labels":{{"1":{{"nodes":[{{"id":"n1","op":"Jay"}}]}}}},"rest":"{}"}}"#,
        before.join(","),
        "z".repeat(2_000)
    );
    let done = check(&document, &[]);
    let shown: Vec<&str> = done.stderr.lines().collect();
    let near = r#"...größe"},"labels":{"1":{"nodes":[{"id":"n1","op":"Jay"}]}},"rest":""#;
    assert_eq!(shown[3], format!("1 | {near}{}...", "z".repeat(64)));
    let marked = shown[4].find('^').zip(shown[4].rfind('^'));
    let (start, end) = marked.expect("it is marked");
    let under = shown[3].chars().skip(start).take(end + 1 - start).collect::<String>();
    assert_eq!(under, "\"Jay\"");
    let col = document.chars().take_while(|letter| *letter != 'J').count();
    let value = check(&document, &["--json"]).json();
    assert_eq!(
        line(&value, "files/0/diagnostics/0/span"),
        format!(
            r#"{{"start":{{"line":1,"col":{col}}},"end":{{"line":1,"col":{}}}}}"#,
            col + "\"Jay\"".len()
        )
    );
}
