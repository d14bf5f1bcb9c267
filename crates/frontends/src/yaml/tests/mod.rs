mod mistakes;

use std::fmt::Write;

use diagnostics::{Source, render};
use expect_test::{Expect, expect};

use super::{Node, Tree, inside, read};

/// Each key and value of a text, with the stretch of the source it has.
fn shown(text: &str) -> String {
    let source = Source::new("a.yaml", text);
    let mut findings = Vec::new();
    let tree = read(&source, &mut findings);
    let mut out = String::new();
    if let Some(tree) = tree {
        show(&source, &tree, 0, &mut out);
    }
    for finding in &findings {
        out += &render::line(&source, finding);
        if let Some(pointer) = finding.at.pointer() {
            write!(out, " at `{pointer}`").unwrap();
        }
        out.push('\n');
        for label in &finding.labels {
            let at = source.position(label.at.span().start);
            writeln!(out, "  {}:{}: {}", at.line, at.col, label.message).unwrap();
        }
        if let Some(help) = &finding.help {
            writeln!(out, "  help: {help}").unwrap();
        }
    }
    out
}

fn show(source: &Source, tree: &Tree, depth: usize, out: &mut String) {
    let written = |span: diagnostics::Span| format!("{:?}", &source.text[span.range()]);
    let at = source.position(tree.span.start);
    write!(out, "{}:{} {} ", at.line, at.col, written(tree.span)).unwrap();
    match &tree.node {
        Node::List(items) => {
            out.push_str("list\n");
            for item in items {
                write!(out, "{}- ", "  ".repeat(depth)).unwrap();
                show(source, item, depth + 1, out);
            }
        }
        Node::Map(entries) => {
            out.push_str("map\n");
            for (key, value) in entries {
                let indent = "  ".repeat(depth);
                write!(out, "{indent}{:?} {}: ", key.text, written(key.span)).unwrap();
                show(source, value, depth + 1, out);
            }
        }
        other => writeln!(out, "{other:?}").unwrap(),
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&shown(text));
}

#[test]
fn keys_and_values_have_their_places() {
    check(
        "# ü\nnäme: \"é ü\" # \"c\"\nb: plain text # c\n'q''k': 'it''s'\n",
        expect![[r#"
        2:1 "näme: \"é ü\" # \"c\"\nb: plain text # c\n'q''k': 'it''s'" map
        "näme" "näme": 2:7 "\"é ü\"" Text("é ü")
        "b" "b": 3:4 "plain text" Text("plain text")
        "q'k" "'q''k'": 4:9 "'it''s'" Text("it's")
    "#]],
    );
    check(
        "a: {b: 1, \"c\":2, d, e: }\nf: [x, [y], g: h] # ]\n",
        expect![[r#"
        1:1 "a: {b: 1, \"c\":2, d, e: }\nf: [x, [y], g: h]" map
        "a" "a": 1:4 "{b: 1, \"c\":2, d, e: }" map
          "b" "b": 1:8 "1" Int(1)
          "c" "\"c\"": 1:15 "2" Int(2)
          "d" "d": 1:19 "" Null
          "e" "e": 1:23 "" Null
        "f" "f": 2:4 "[x, [y], g: h]" list
          - 2:5 "x" Text("x")
          - 2:8 "[y]" list
            - 2:9 "y" Text("y")
          - 2:13 "g: h" map
            "g" "g": 2:16 "h" Text("h")
    "#]],
    );
    check(
        "a:\n- x\n-\n- - y\n  - z\nb:\n  - c: 1\n    d: 2\n",
        expect![[r#"
        1:1 "a:\n- x\n-\n- - y\n  - z\nb:\n  - c: 1\n    d: 2" map
        "a" "a": 2:1 "- x\n-\n- - y\n  - z" list
          - 2:3 "x" Text("x")
          - 3:2 "" Null
          - 4:3 "- y\n  - z" list
            - 4:5 "y" Text("y")
            - 5:5 "z" Text("z")
        "b" "b": 7:3 "- c: 1\n    d: 2" list
          - 7:5 "c: 1\n    d: 2" map
            "c" "c": 7:8 "1" Int(1)
            "d" "d": 8:8 "2" Int(2)
    "#]],
    );
    check(
        "a:\r\n  b: 1\r\n  c: two\r\n    lines\r\nd:\r\n",
        expect![[r#"
        1:1 "a:\r\n  b: 1\r\n  c: two\r\n    lines\r\nd:" map
        "a" "a": 2:3 "b: 1\r\n  c: two\r\n    lines" map
          "b" "b": 2:6 "1" Int(1)
          "c" "c": 3:6 "two\r\n    lines" Text("two lines")
        "d" "d": 5:3 "" Null
    "#]],
    );
    check(
        "? a\n: b\n? c\n",
        expect![[r#"
        1:1 "? a\n: b\n? c" map
        "a" "a": 2:3 "b" Text("b")
        "c" "c": 3:4 "" Null
    "#]],
    );
    check(
        "# c\n|\n text\n",
        expect![[r#"
        2:1 "|\n text" Text("text\n")
    "#]],
    );
    check(
        "--- # c\n- 1\n...\n",
        expect![[r#"
        2:1 "- 1" list
        - 2:3 "1" Int(1)
    "#]],
    );
}

#[test]
fn block_texts_begin_at_their_sign() {
    check(
        "a: | # c\n  x\n   y\n\n# c\nb: >-\n  é\n  f\n\nc: |+\n\n  z\n\n",
        expect![[r#"
        1:1 "a: | # c\n  x\n   y\n\n# c\nb: >-\n  é\n  f\n\nc: |+\n\n  z" map
        "a" "a": 1:4 "| # c\n  x\n   y" Text("x\n y\n")
        "b" "b": 6:4 ">-\n  é\n  f" Text("é f")
        "c" "c": 10:4 "|+\n\n  z" Text("\nz\n\n")
    "#]],
    );
    check(
        "- &x !!str |2-\n    x\n- >\n- |\n",
        expect![[r#"
        1:1 "- &x !!str |2-\n    x\n- >\n- |" list
        - 1:12 "|2-\n    x" Text("  x")
        - 3:3 ">" Text("")
        - 4:3 "|" Text("")
    "#]],
    );
}

#[test]
fn scalars_have_kinds() {
    check(
        "[~, true, no, 1, 0x10, 1.5, \"1\", !!str 1, !!float 1, ! x]",
        expect![[r#"
        1:1 "[~, true, no, 1, 0x10, 1.5, \"1\", !!str 1, !!float 1, ! x]" list
        - 1:2 "~" Null
        - 1:5 "true" Bool(true)
        - 1:11 "no" Text("no")
        - 1:15 "1" Int(1)
        - 1:18 "0x10" Int(16)
        - 1:24 "1.5" Float(1.5)
        - 1:29 "\"1\"" Text("1")
        - 1:40 "1" Text("1")
        - 1:51 "1" Float(1.0)
        - 1:56 "x" Text("x")
    "#]],
    );
    check(
        "[.inf, 9007199254740993, 99999999999999999999, !foo 1, !!int x]",
        expect![[r#"
            1:1 "[.inf, 9007199254740993, 99999999999999999999, !foo 1, !!int x]" list
            - 1:2 ".inf" Text(".inf")
            - 1:8 "9007199254740993" Int(9007199254740993)
            - 1:26 "99999999999999999999" Text("99999999999999999999")
            - 1:53 "1" Int(1)
            - 1:62 "x" Text("x")
            a.yaml:1:2: error[T010]: `.inf` is not a number that JSON has at `/0`
              help: write it as text, in quotes
            a.yaml:1:8: error[T005]: the number 9007199254740993 cannot be kept exactly at `/1`
              help: write it as text, in quotes
            a.yaml:1:26: error[T005]: the number 99999999999999999999 cannot be kept exactly at `/2`
              help: write it as text, in quotes
            a.yaml:1:53: error[T010]: the tag `!foo` means nothing here at `/3`
              help: remove it; if it is text, put it in quotes
            a.yaml:1:62: error[T010]: the tag asks for a whole number, but `x` is none at `/4`
              help: remove the tag, or change the value
        "#]],
    );
    check(
        "1: a\ntrue: b\n~: c\n: d\n[x]: e\n&k 2: *k\n",
        expect![[r#"
            1:1 "1: a\ntrue: b\n~: c\n: d\n[x]: e\n&k 2: *k" map
            "1" "1": 1:4 "a" Text("a")
            "true" "true": 2:7 "b" Text("b")
            "~" "~": 3:4 "c" Text("c")
            "" "": 4:3 "d" Text("d")
            "2" "2": 6:7 "*k" Int(2)
            a.yaml:5:1: error[T010]: a list or a map cannot be a key at ``
              help: if it is text, put it in quotes
        "#]],
    );
}

#[test]
fn a_key_given_twice_is_found_once() {
    check(
        "x:\n  a: 1\n  a: 2\n  a: 3\n  b: 4\n",
        expect![[r#"
            1:1 "x:\n  a: 1\n  a: 2\n  a: 3\n  b: 4" map
            "x" "x": 2:3 "a: 1\n  a: 2\n  a: 3\n  b: 4" map
              "a" "a": 2:6 "1" Int(1)
              "b" "b": 5:6 "4" Int(4)
            a.yaml:3:3: error[T003]: `a` is given twice at `/x/a`
              2:3: here first
              help: keep one of them; the first one was used
        "#]],
    );
}

#[test]
fn aliases_are_copies_at_another_place() {
    check(
        "a: &x [1, {b: é}]\nc: *x\n&k d: e\n*k : f\n",
        expect![[r#"
            1:1 "a: &x [1, {b: é}]\nc: *x\n&k d: e\n*k : f" map
            "a" "a": 1:7 "[1, {b: é}]" list
              - 1:8 "1" Int(1)
              - 1:11 "{b: é}" map
                "b" "b": 1:15 "é" Text("é")
            "c" "c": 2:4 "*x" list
              - 1:8 "1" Int(1)
              - 1:11 "{b: é}" map
                "b" "b": 1:15 "é" Text("é")
            "d" "d": 3:7 "e" Text("e")
            a.yaml:4:1: error[T003]: `d` is given twice at `/d`
              3:4: here first
              help: keep one of them; the first one was used
        "#]],
    );
    check(
        "a: &x\n  b: *x\n",
        expect![[r#"
        a.yaml:2:6: error[T008]: `*x` stands inside of what it stands for
          2:3: it begins here
          help: a value cannot contain itself; write out what is meant
    "#]],
    );
    check(
        "a: *bold* text\n",
        expect![[r#"
        a.yaml:1:4: error[T008]: nothing before this is named `&bold*`
          help: an alias repeats a value that is named before it; if it is text, put it in quotes
    "#]],
    );
    check(
        "a: &e\nb: *e\nc: &l\n- *e\n",
        expect![[r#"
        1:1 "a: &e\nb: *e\nc: &l\n- *e" map
        "a" "a": 1:4 "&e" Null
        "b" "b": 2:4 "*e" Null
        "c" "c": 4:1 "- *e" list
          - 4:3 "*e" Null
    "#]],
    );
}

#[test]
fn merges_are_applied() {
    let anchors = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n";
    check(
        &format!("{anchors}c:\n  w: 0\n  <<: [*a, *b]\n  z: 9\n"),
        expect![[r#"
        1:1 "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  w: 0\n  <<: [*a, *b]\n  z: 9" map
        "a" "a": 1:7 "{x: 1, y: 2}" map
          "x" "x": 1:11 "1" Int(1)
          "y" "y": 1:17 "2" Int(2)
        "b" "b": 2:7 "{y: 3, z: 4}" map
          "y" "y": 2:11 "3" Int(3)
          "z" "z": 2:17 "4" Int(4)
        "c" "c": 4:3 "w: 0\n  <<: [*a, *b]\n  z: 9" map
          "w" "w": 4:6 "0" Int(0)
          "x" "x": 1:11 "1" Int(1)
          "y" "y": 1:17 "2" Int(2)
          "z" "z": 6:6 "9" Int(9)
    "#]],
    );
    check(
        &format!("{anchors}c:\n  <<: *a\n  <<: *b\n  \"<<\": 1\n"),
        expect![[r#"
            1:1 "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: *a\n  <<: *b\n  \"<<\": 1" map
            "a" "a": 1:7 "{x: 1, y: 2}" map
              "x" "x": 1:11 "1" Int(1)
              "y" "y": 1:17 "2" Int(2)
            "b" "b": 2:7 "{y: 3, z: 4}" map
              "y" "y": 2:11 "3" Int(3)
              "z" "z": 2:17 "4" Int(4)
            "c" "c": 4:3 "<<: *a\n  <<: *b\n  \"<<\": 1" map
              "x" "x": 1:11 "1" Int(1)
              "y" "y": 1:17 "2" Int(2)
              "<<" "\"<<\"": 6:9 "1" Int(1)
            a.yaml:5:3: error[T003]: `<<` is given twice at `/c/<<`
              4:3: here first
              help: keep one of them, such as `<<: [*one, *two]`; the first one was used
        "#]],
    );
    check(
        "a: &a 1\nb:\n  <<: *a\n  <<x: [*a]\nc:\n  <<: [*a, {k: 1}]\n",
        expect![[r#"
            1:1 "a: &a 1\nb:\n  <<: *a\n  <<x: [*a]\nc:\n  <<: [*a, {k: 1}]" map
            "a" "a": 1:7 "1" Int(1)
            "b" "b": 3:3 "<<: *a\n  <<x: [*a]" map
              "<<x" "<<x": 4:8 "[*a]" list
                - 4:9 "*a" Int(1)
            "c" "c": 6:3 "<<: [*a, {k: 1}]" map
              "k" "k": 6:16 "1" Int(1)
            a.yaml:3:7: error[T008]: `<<` merges maps, but this is a number at `/b/<<`
              help: write `<<: *name`, where `&name` stands before a map
            a.yaml:6:8: error[T008]: `<<` merges maps, but this is a number at `/c/<<`
              help: write `<<: *name`, where `&name` stands before a map
        "#]],
    );
}

#[test]
fn one_file_is_one_spec() {
    check(
        "a: 1\n---\nb: 2\n",
        expect![[r#"
        a.yaml:2:1: error[T010]: a second document begins here, but a file holds one spec
          help: put each spec into a file of its own, or remove the `---`
    "#]],
    );
    check(
        "",
        expect![[r#"
        a.yaml:1:1: error[T007]: the text is empty
          help: a spec begins with a key, such as `name: `
    "#]],
    );
    check(
        "# nothing\n",
        expect![[r#"
        a.yaml:1:1: error[T007]: the text has only comments
          help: a spec begins with a key, such as `name: `
    "#]],
    );
    check(
        "---\n...\n",
        expect![[r#"
        a.yaml:1:1: error[T007]: the text has only comments
          help: a spec begins with a key, such as `name: `
    "#]],
    );
}

#[test]
fn budgets_hold() {
    let nested = |open: &str, close: &str, times: usize| open.repeat(times) + &close.repeat(times);
    assert_eq!(findings_of(&nested("[", "]", 120)), "");
    for text in [nested("[", "]", 121), nested("[", "]", 999), "- ".repeat(9999), "? ".repeat(999)]
    {
        assert!(findings_of(&text).contains("T004"), "{}", &text[..9]);
    }
    let (open, close) = ("[".repeat(60), "]".repeat(60));
    let aliased = format!("- &a {}\n- {open}*a{close}\n", nested("[", "]", 70));
    assert!(findings_of(&aliased).contains("T004"));
    let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in "bcdefghi".chars().zip("abcdefgh".chars()) {
        let ten = vec![format!("*{before}"); 10].join(",");
        writeln!(bomb, "{name}: &{name} [{ten}]").unwrap();
    }
    assert!(findings_of(&bomb).contains("T009"));
    assert!(findings_of(&"-\n".repeat(1_000_001)).contains("T009"));
    assert!(findings_of(&"[a,".repeat(400_000)).contains("T009"));
    assert!(findings_of(&" ".repeat((16 << 20) + 1)).contains("T009"));
}

fn findings_of(text: &str) -> String {
    let source = Source::new("a.yaml", text);
    let mut findings = Vec::new();
    read(&source, &mut findings);
    findings.iter().map(|found| render::line(&source, found)).collect()
}

/// Marks the stretch of the source for a stretch of the value of `a`.
fn located(text: &str, needle: &str) -> String {
    let source = Source::new("a.yaml", text);
    let tree = read(&source, &mut Vec::new()).unwrap();
    let value = tree.get("a").unwrap();
    let start = value.as_text().unwrap().find(needle).unwrap();
    let span = inside(&source, value, start..start + needle.len());
    let at = source.position(span.start);
    format!("{}:{} {}", at.line, at.col, &source.text[span.range()])
}

#[test]
fn a_stretch_of_a_text_has_its_place() {
    for (text, needle, expected) in [
        ("a: |\n  if x\n    é then\n\n  z\nb: 1", "then", "3:7 then"),
        ("a: |\n  if x\n    é then\n\n  z\nb: 1", "x\n  é", "2:6 x\n    é"),
        ("a: |\n  if x\n    é then\n\n  z\nb: 1", "z\n", "5:3 z"),
        ("a: |2-\n   x\n  y", " x", "2:3  x"),
        ("a: |+ # c\r\n\r\n  x\r\n  y\r\n", "y", "4:3 y"),
        ("a: >\n  one\n  two\n\n    three\n  four\n", "two", "3:3 two"),
        ("a: >\n  one\n  two\n\n    three\n  four\n", "three\nf", "5:5 three\n  f"),
        ("a: >\n  one\n  two\n\n    three\n  four\n", "one two", "2:3 one\n  two"),
        ("a: plain é text", "text", "1:12 text"),
        ("a: plain\n  text", "text", "2:3 text"),
        ("a: 'it''s é x'", "x", "1:13 x"),
        ("a: 'it''s é x'", "'", "1:7 ''"),
        ("a: \"\\u00e9\\t\\x41 é x\"", "A", "1:13 \\x41"),
        ("a: \"\\u00e9\\t\\x41 é x\"", "x", "1:20 x"),
        ("a: \"two\n  lines\"", "lines", "1:4 \"two\n  lines\""),
        ("b: &x text\na: *x", "ex", "2:4 *x"),
    ] {
        assert_eq!(located(text, needle), expected, "{text}");
    }
}

#[test]
fn trees_become_values() {
    let source = Source::new("a.yaml", "b: [1, 2.5, ~, x]\na: {c: true}\n");
    let tree = read(&source, &mut Vec::new()).unwrap();
    let value = value::json::compact(&tree.to_value());
    assert_eq!(value, r#"{"b":[1,2.5,null,"x"],"a":{"c":true}}"#);
    assert_eq!(tree.get("a").map(Tree::kind), Some("a map"));
    assert!(tree.entry("c").is_none());
}
