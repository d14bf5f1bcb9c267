//! The table of `docs/security.md` cannot rot: every test that it names is there, every class that
//! we answer for has one, and what was to land with others is named once it is here.

use std::collections::BTreeSet;

use crate::console::root;

/// The classes that this version answers for.
const CLASSES: [&str; 17] = [
    "S1", "S2", "S4", "S5", "S6", "S7", "S8", "S9", "S10", "S13", "S14", "S15", "S16", "S17",
    "S18", "S20", "S21",
];

/// Whether a file has a test of this name. It is named `FILE::NAME`, from `crates` on.
fn is_there(test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let Ok(source) = std::fs::read_to_string(root().join("crates").join(file)) else {
        return false;
    };
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_test = |at: usize| {
        let before = lines[..at].iter().rev();
        let mut notes = before.take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        notes.any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"))
    };
    let begins = |line: &str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('('))
    };
    lines.iter().enumerate().any(|(at, line)| begins(line) && is_test(at))
}

/// The texts in backticks that name tests.
fn tests(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|code| code.contains(".rs::")).collect()
}

/// What a text says, and what stands in its comments.
fn apart(text: &str) -> (String, String) {
    let (mut said, mut comments, mut rest) = (String::new(), String::new(), text);
    while let Some((before, behind)) = rest.split_once("<!--") {
        let (comment, after) = behind.split_once("-->").expect("a comment ends");
        said.push_str(before);
        comments.push_str(comment);
        rest = after;
    }
    (said + rest, comments)
}

#[test]
fn every_class_has_tests_and_every_test_is_there() {
    let page = std::fs::read_to_string(root().join("docs/security.md")).unwrap();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for row in page.lines().filter(|line| line.starts_with("| S")) {
        let class = row.split('|').nth(1).unwrap().trim().to_owned();
        let (said, lands) = apart(row);
        let (named, lands) = (tests(&said), tests(&lands));
        let missing = named.iter().filter(|test| !is_there(test));
        wrong.extend(missing.map(|test| format!("{class}: there is no test {test}")));
        // A row may wait for what others write, but not longer than that.
        let landed = lands.iter().filter(|test| is_there(test));
        wrong.extend(landed.map(|test| format!("{class}: {test} is here now, say so")));
        if named.is_empty() && lands.is_empty() {
            wrong.push(format!("{class} has no test"));
        }
        if !seen.insert(class.clone()) {
            wrong.push(format!("{class} has two rows"));
        }
    }
    let missing = CLASSES.iter().filter(|class| !seen.contains(**class));
    wrong.extend(missing.map(|class| format!("{class} has no row")));
    assert_eq!(wrong, [""; 0]);
}

/// It would see what is wrong.
#[test]
fn a_test_that_is_not_there_is_seen() {
    let own = "cli/tests/quipu/security/table.rs";
    assert!(is_there(&format!("{own}::a_test_that_is_not_there_is_seen")));
    for name in ["is_there", "a_test_that_is_not_there", "none"] {
        assert!(!is_there(&format!("{own}::{name}")), "{name}");
    }
    assert!(!is_there("cli/tests/none.rs::a_test_that_is_not_there_is_seen"));
}
