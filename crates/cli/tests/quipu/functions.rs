//! Functions that no run can compute are found before it.

use value::json;

use crate::documents::at;
use crate::run::Folder;

/// A label with one step, and what `quipu check --json` finds in it: `code: message (help)`.
fn found(step: &str, options: &[&str]) -> Vec<String> {
    let document = format!(
        r#"{{"labels": {{"a": {{
            "nodes": [{step}, {{"id": "n2", "op": "J", "data": {{"var": 1}}}}],
            "edges": [{{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}}]}}}}}}"#
    );
    let done = Folder::new().run_with(&[&["check", "-", "--json"], options].concat(), &document);
    let findings = at(&done.json(), "files/0/diagnostics").clone();
    let findings = findings.as_list().unwrap().iter();
    findings
        .map(|found| {
            let text = |name: &str| at(found, name).as_text().cloned().unwrap_or_default();
            format!("{}: {} ({})", text("code"), text("message"), text("help"))
        })
        .collect()
}

fn compute(name: &str, args: &str) -> String {
    format!(r#"{{"id": "n1", "op": "X", "data": {{"dst": "x", "fn": "{name}", "args": {args}}}}}"#)
}

fn call(adapter: &str, target: &str, args: &str) -> String {
    format!(
        r#"{{"id": "n1", "op": "R", "data":
            {{"adapter": "{adapter}", "target": {target}, "args": {args}, "out": "x"}}}}"#
    )
}

#[test]
fn what_can_be_computed_is_no_finding() {
    for step in [
        compute("add", "[1, 2, 3]"),
        compute("core.ADD", "[1, 2]"),
        compute("arr", "[]"),
        call("core.SUB", "3", "[2]"),
        call("core.sub", "3", "[2]"),
        call("core", "\"SUB\"", "[3, 2]"),
        call("core.ARR", "\"\"", "[]"),
        call("core.NOW", "\"\"", "[]"),
        call("core.ISO_TS", "\"\"", "[]"),
        call("core.UUID", "\"\"", "[]"),
        call("core.ENV", "\"HOME\"", "[]"),
        call("core.SLEEP", "5", "[]"),
        call("core.NOOP", "\"\"", "[]"),
        call("core.FAIL", "\"failed\"", "[]"),
    ] {
        assert_eq!(found(&step, &["--strict"]), [""; 0], "{step}");
    }
}

#[test]
fn what_cannot_be_computed_is_found_with_what_was_meant() {
    for (step, finding) in [
        (compute("uper", "[1]"), "G419: there is no function `uper` (did you mean `upper`?)"),
        (
            call("core.CONCATT", "1", "[]"),
            "G419: there is no function `core.CONCATT` (did you mean `core.CONCAT`?)",
        ),
        (
            call("core", "\"CONCATT\"", "[1]"),
            "G419: there is no function `core.CONCATT` (did you mean `CONCAT`?)",
        ),
        (
            compute("bogus", "[1]"),
            "G419: there is no function `bogus` (docs/functions.md lists them; for anything else \
             call an adapter with `R`)",
        ),
        (
            compute("core.now", "[]"),
            "G419: there is no function `core.now` (it does more than compute: call it with \
             `R core.NOW`)",
        ),
        (compute("sub", "[1]"), "G420: `sub` takes 2 arguments, not 1 (its arguments: a, b)"),
        (
            call("core.SUB", "3", "[2, 1]"),
            "G420: `core.SUB` takes 2 arguments, not 3 (its arguments: a, b)",
        ),
        (
            call("core", "\"SUB\"", "[3]"),
            "G420: `core.SUB` takes 2 arguments, not 1 (its arguments: a, b)",
        ),
        (
            compute("round", "[]"),
            "G420: `round` takes 1 to 2 arguments, not 0 (its arguments: a, [digits])",
        ),
    ] {
        assert_eq!(found(&step, &[]), [finding], "{step}");
    }
    for name in ["MAP", "filter", "core.Reduce"] {
        let findings = found(&compute(name, "[1, 2]"), &[]);
        assert!(findings[0].contains("use `Loop`") || findings[0].contains("use `Filt`"), "{name}");
    }
}

/// Arguments that are no list are one finding, and not two.
#[test]
fn arguments_that_cannot_be_counted_are_left_alone() {
    let findings = found(&compute("sub", "7"), &[]);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("G409: "), "{findings:?}");
}

#[test]
fn a_fix_is_offered_and_is_a_guess() {
    let document = r#"{"labels": {"a": {"nodes": [
        {"id": "n1", "op": "X", "data": {"dst": "x", "fn": "core.UPPR", "args": ["a"]}}]}}}"#;
    let done = Folder::new().run_with(&["check", "-", "--json", "--strict"], document);
    assert_eq!(done.code, 1);
    let fix = at(&done.json(), "files/0/diagnostics/0/fix").clone();
    assert_eq!(at(&fix, "safe"), &value::Value::Bool(false));
    assert_eq!(json::compact(at(&fix, "edits/0/text")), r#""\"core.UPPER\"""#);
}
