//! AINL as its authors use it: check, fix, lay out, run.

use value::{Value, json};

use crate::console::root;
use crate::readme::copy;
use crate::run::Folder;

fn with_examples() -> Folder {
    let folder = Folder::new();
    copy(&root().join("examples"), &folder.path().join("examples"));
    folder
}

const EXAMPLES: [&str; 4] = [
    "examples/ainl/orders.ainl",
    "examples/ainl/answer.ainl",
    "examples/ainl/watch.ainl",
    "examples/ainl/lib/score.ainl",
];

#[test]
fn programs_of_the_page_are_clean() {
    let page = std::fs::read_to_string(root().join("docs/ainl.md")).unwrap();
    let blocks: Vec<&str> = page.split("\n```ainl\n").skip(1).collect();
    assert!(blocks.len() >= 2, "the page has programs");
    let folder = Folder::new();
    for block in blocks {
        let (program, _) = block.split_once("```").unwrap();
        folder.write("page.ainl", program);
        let done = folder.run(&["check", "page.ainl", "--strict"]);
        assert_eq!((done.code, &*done.stdout), (0, ""), "{program}\n{}", done.stderr);
        let done = folder.run(&["fmt", "--check", "page.ainl"]);
        assert_eq!(done.code, 0, "{program} is laid out as it should be");
    }
}

#[test]
fn examples_are_clean_and_laid_out() {
    let folder = with_examples();
    for example in &EXAMPLES[..3] {
        let done = folder.run(&["check", example, "--strict"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    for example in EXAMPLES {
        let done = folder.run(&["fmt", "--check", example]);
        assert_eq!(done.code, 0, "{example}: {}", done.stderr);
    }
}

#[test]
fn a_request_runs_its_label_and_a_later_one_finds_what_was_kept() {
    let folder = with_examples();
    let orders = r#"orders=[{"status":"open","price":5},{"status":"paid","price":9}]"#;
    let value = ["run", EXAMPLES[0], "--endpoint", "GET /orders/value", "--json"];
    let first: Vec<&str> = value.iter().copied().chain(["--input", orders]).collect();
    let first = folder.run(&first).json();
    assert_eq!(first.get("result"), Some(&Value::Int(5)));
    let path = first.get("path").unwrap();
    assert_eq!(json::compact(path), r#"["value","compute","add","keep"]"#);
    let second = folder.run(&value).json();
    assert_eq!(second.get("result"), Some(&Value::Int(5)));
    assert_eq!(json::compact(second.get("path").unwrap()), r#"["value","cached"]"#);
    let denied = folder.run(&["run", EXAMPLES[0], "--endpoint", "POST /orders/check", "--json"]);
    assert_eq!(denied.code, 1);
    let error = denied.json().get("error").unwrap().clone();
    assert_eq!(error.get("code").unwrap().as_text().map(|code| &**code), Some("denied"));
}

#[test]
fn findings_in_included_files_are_shown_there() {
    let folder = Folder::new();
    folder.write("main.ainl", "include lib.ainl as lib\nL1:\n  Call lib/ENTRY ->r\n  J r\n");
    folder.write("lib.ainl", "LENTRY:\r\n  X v addd 1 2\r\n  J v\r\nLEXIT_ok:\r\n  J \"ok\"\r\n");
    let done = folder.run(&["check", "main.ainl", "--json"]).json();
    let file = &done.get("files").unwrap().as_list().unwrap()[0];
    let found = &file.get("diagnostics").unwrap().as_list().unwrap()[0];
    assert_eq!(found.get("file"), Some(&Value::text("lib.ainl")));
    assert_eq!(found.get("code"), Some(&Value::text("G419")));
    assert_eq!(found.get("pointer"), Some(&Value::Null));
    let start = found.get("span").unwrap().get("start").unwrap();
    assert_eq!(json::compact(start), r#"{"line":2,"col":7}"#);
}

#[test]
fn quotes_are_added_and_nothing_else() {
    let folder = Folder::new();
    let program = "C c k 60\nQ q\nL1:\r\n  Set a hello  # why\r\n  Filt b a name == bob\r\n  \
                   CacheGet c key ->v fallback\r\n  CacheSet c key some\r\n  QueuePut q thing\r\n  J a\r\n";
    folder.write("p.ainl", program);
    let done = folder.run(&["check", "p.ainl", "--strict", "--fix"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let fixed = std::fs::read_to_string(folder.path().join("p.ainl")).unwrap();
    assert_eq!(fixed.replace('"', ""), program);
    for word in ["hello", "bob", "key", "fallback", "some", "thing"] {
        assert!(fixed.contains(&format!("\"{word}\"")), "{fixed}");
    }
}

#[test]
fn a_compiled_program_is_the_same_program() {
    let folder = with_examples();
    for example in &EXAMPLES[..3] {
        let once = folder.run(&["compile", example, "--json"]);
        folder.write("once.json", &once.stdout);
        let twice = folder.run(&["compile", "once.json", "--json"]);
        assert_eq!(once.stdout, twice.stdout, "{example}");
        let text = folder.run(&["convert", "once.json", "--to", "ainl"]);
        folder.write("again.ainl", &text.stdout);
        let again = folder.run(&["compile", "again.ainl", "--json"]).json();
        let hash = |document: &Value| document.get("labels").unwrap().as_map().unwrap().clone();
        for (id, label) in &hash(&once.json()) {
            let other = hash(&again);
            let other = other.get(id).unwrap_or_else(|| panic!("{example}: {id} is gone"));
            assert_eq!(other.get("id_hash"), label.get("id_hash"), "{example}: {id}");
        }
    }
}
