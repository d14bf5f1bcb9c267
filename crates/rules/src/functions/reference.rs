//! `docs/rules-functions.md` is generated from the table of functions. `UPDATE=1 cargo test`
//! writes it.

use std::fmt::Write as _;
use std::path::Path;

use super::arguments::{LIST_MAX, TEXT_MAX};
use super::{FunctionDef, TABLE};

/// Expressions and what they give, as `code` tests them: the examples are among them.
const EXPRESSIONS: &str = include_str!("../../tests/expressions.txt");

#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the page and write it")]
fn the_reference_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules-functions.md");
    let fresh = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/rules-functions.md is not what the table says: UPDATE=1");
}

fn page() -> String {
    let mut page = format!(
        "# Functions of rules

<!-- Generated from the table of functions: UPDATE=1 cargo test -p quipu-rules -->

What `quipu rules` can call in conditions and actions, with the meaning of CLIPS 6.4.
Whole numbers go around at 64 bits, as there. `TRUE` and `FALSE` are symbols, and everything but \
         `FALSE` counts as true.

A function that is given what it cannot work on is a fault: the actions stop there, and so does \
         the run.
So is a text of more than {TEXT_MAX} bytes and a list of more than {LIST_MAX} fields.
Sines, logarithms and their kind are the same on all platforms to the last digit; CLIPS, which \
         takes them from its platform, may differ in that digit, which is not printed.

Left out on purpose: `random`, `seed`, `time`, `gensym` and `gensym*` (a run must come out the \
         same again), `eval`, `build`, `funcall`, files and the system.

| function | takes | gives | what | example |
|---|---|---|---|---|
"
    );
    for function in TABLE {
        let (expression, value) = example(function);
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | `{expression}` is `{value}` |",
            function.name,
            takes(function),
            function.gives,
            function.about,
        );
    }
    page
}

/// The first expression that is a call of the function and gives something.
fn example(function: &FunctionDef) -> (&'static str, &'static str) {
    let calls = [format!("({} ", function.name), format!("({})", function.name)];
    EXPRESSIONS
        .lines()
        .filter_map(|line| line.split_once(" ==> "))
        .find(|(expression, value)| {
            let called = calls.iter().any(|call| expression.starts_with(call));
            called && !value.starts_with("fault")
        })
        .unwrap_or_else(|| panic!("no expression calls `{}`", function.name))
}

fn takes(function: &FunctionDef) -> String {
    let most = function.most.unwrap_or(u16::MAX);
    let count = match (function.least, function.most) {
        (0, Some(0)) => return "nothing".to_owned(),
        (least, None) => format!("{least} or more"),
        (least, Some(most)) if least == most => least.to_string(),
        (least, Some(most)) => format!("{least} to {most}"),
    };
    let same = function.takes.iter().all(|taken| *taken == function.takes[0]);
    let words: Vec<_> = function.takes.iter().map(ToString::to_string).collect();
    match (same, usize::from(most) > words.len()) {
        (true, _) => format!("{count}: {}", words[0]),
        (false, false) => format!("{count}: {}", words.join(", ")),
        (false, true) => format!("{count}: {} ...", words.join(", ")),
    }
}
