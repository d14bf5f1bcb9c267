//! `quipu check --fix`: what is written, what is left, and what is only shown.

use std::os::unix::fs::PermissionsExt;

use value::{Value, json};

use crate::documents::at;
use crate::run::Folder;

/// Two findings that mend themselves, one that a person must agree to, and one without a fix.
const WRONG: &str = "\u{feff}{\"labels\": {\"1\": {\"nodes\": [\r
  {\"id\": \"n1\", \"op\": \"Set\", \"effect\": \"io\",\r
   \"data\": {\"op\": \"J\", \"name\": \"größe\", \"ref\": \"x\"}},\r
  {\"id\": \"n2\", \"op\": \"Jx\"}],\r
  \"edges\": [{\"from\": \"n1\", \"to\": \"n2\", \"to_kind\": \"node\", \"port\": \"next\"}]}}}\r
";

const SPEC: &str = "name: 12
version: \"1.0\"
entry_point: a
entities: []
processes:
  - id: a
    type: step
    label: A
";

fn right() -> String {
    WRONG.replace("\"io\"", "\"pure\"").replace("\"op\": \"J\", ", "\"op\": \"Set\", ")
}

#[test]
fn fixes_that_need_nobody_are_written_and_the_rest_is_told() {
    let folder = Folder::new();
    folder.write("a.json", WRONG);
    let mode = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(folder.path().join("a.json"), mode).unwrap();
    std::os::unix::fs::symlink("a.json", folder.path().join("link.json")).unwrap();
    let done = folder.run(&["check", "--fix", "link.json"]);
    assert_eq!((done.code, &*done.stdout), (1, ""));
    assert!(done.stderr.starts_with("fixed 2 findings in link.json\n"), "{}", done.stderr);
    assert!(done.stderr.contains("error[G301]: unknown op `Jx`"), "{}", done.stderr);
    let written = std::fs::read_to_string(folder.path().join("a.json")).unwrap();
    assert_eq!(written, right());
    let there = std::fs::symlink_metadata(folder.path().join("link.json")).unwrap();
    assert!(there.is_symlink());
    let there = std::fs::metadata(folder.path().join("a.json")).unwrap();
    assert_eq!(there.permissions().mode() & 0o777, 0o640);
    let names = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 2, "nothing is left beside it");
    let again = folder.run(&["check", "--fix", "a.json"]);
    assert_eq!(again.code, 1);
    assert!(!again.stderr.contains("fixed"), "{}", again.stderr);
}

#[test]
fn json_says_what_was_fixed() {
    let folder = Folder::new();
    folder.write("a.json", WRONG).write("b.yaml", SPEC);
    let done = folder.run(&["check", "--fix", "--json", "a.json", "b.yaml"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    let told = done.json();
    let fixed = at(&told, "fixed").as_list().unwrap();
    let line = |one: &Value| {
        let word = |name: &str| at(one, name).as_text().unwrap().to_string();
        format!("{} {}: {}", word("file"), word("code"), word("title"))
    };
    let lines: Vec<_> = fixed.iter().map(line).collect();
    assert_eq!(
        lines,
        ["a.json G410: write `pure`", "a.json G201: write `Set`", "b.yaml O101: put it in quotes",]
    );
    assert_eq!(at(&told, "files/0/diagnostics/0/code"), &Value::from("G301"));
    let spec = std::fs::read_to_string(folder.path().join("b.yaml")).unwrap();
    assert_eq!(spec, SPEC.replace("12", "\"12\""));
    let clean = folder.write("c.json", "{\"labels\": {}}").run(&["check", "--json", "c.json"]);
    assert!(clean.json().get("fixed").is_none(), "who fixes nothing is told nothing of it");
}

#[test]
fn a_dry_run_shows_the_lines_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("a.json", WRONG);
    let done = folder.run(&["check", "--fix", "--dry-run", "a.json"]);
    assert_eq!(done.code, 1);
    assert_eq!(
        done.stdout,
        "\
--- a.json
+++ a.json
@@ -1,5 +1,5 @@
 {\"labels\": {\"1\": {\"nodes\": [
-  {\"id\": \"n1\", \"op\": \"Set\", \"effect\": \"io\",
-   \"data\": {\"op\": \"J\", \"name\": \"größe\", \"ref\": \"x\"}},
+  {\"id\": \"n1\", \"op\": \"Set\", \"effect\": \"pure\",
+   \"data\": {\"op\": \"Set\", \"name\": \"größe\", \"ref\": \"x\"}},
   {\"id\": \"n2\", \"op\": \"Jx\"}],
   \"edges\": [{\"from\": \"n1\", \"to\": \"n2\", \"to_kind\": \"node\", \"port\": \"next\"}]}}}
"
    );
    assert!(done.stderr.starts_with("would fix 2 findings in a.json\n"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.json")).unwrap(), WRONG);
    let told = folder.run(&["check", "--fix", "--dry-run", "--json", "a.json"]).json();
    assert_eq!(json::compact(at(&told, "diff")), json::compact(&Value::from(done.stdout.as_str())));
    assert_eq!(std::fs::read_to_string(folder.path().join("a.json")).unwrap(), WRONG);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let folder = Folder::new();
    let done = folder.run_with(&["check", "--fix", "-"], WRONG);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("standard input cannot be fixed"), "{}", done.stderr);
    folder.write("a.json", WRONG).write("b.json", WRONG);
    let mode = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(folder.path().join("b.json"), mode).unwrap();
    let done = folder.run(&["check", "--fix", "a.json", "b.json"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("cannot write `b.json`: it is read-only"), "{}", done.stderr);
    for file in ["a.json", "b.json"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), WRONG, "{file}");
    }
    assert_eq!(folder.run(&["check", "--dry-run", "a.json"]).code, 2, "only with `--fix`");
}
