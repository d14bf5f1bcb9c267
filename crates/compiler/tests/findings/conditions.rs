//! Conditions that never hold, and gates with holes.

use crate::sketch::check;

const GATE: &str = r#"{"runtime_policy": {"entry": "a"}, "declarations": {
    "processes": {"g": {"type": "gate"}},
    "schemas": {"Triage": {"fields": [
        {"name": "severity", "type": "enum[low, medium, high]"}, {"name": "urgent", "type": "boolean"}]}}}}"#;

/// A gate behind a call whose answer is a `Triage`, with one clause for each text.
fn gate(clauses: &[&str], is_total: bool, expected: &[&str]) {
    let mut nodes: Vec<String> = clauses.iter().map(|text| format!("If; cond={text}")).collect();
    let mut edges: Vec<String> = Vec::new();
    for at in 1..=clauses.len() {
        edges.push(format!("n{at} then end"));
        let is_last = at == clauses.len();
        edges.push(if is_last && is_total {
            format!("n{at} else other")
        } else {
            format!("n{at} else n{}", at + 1)
        });
    }
    if !is_total {
        nodes.extend(["fail; target=gate_unresolved".to_string(), "J".to_string()]);
        edges.push(format!("n{} next n{}", clauses.len() + 1, clauses.len() + 2));
    }
    let (nodes, edges): (Vec<&str>, Vec<&str>) =
        (nodes.iter().map(String::as_str).collect(), edges.iter().map(String::as_str).collect());
    check(
        &[
            ("a", &["agent; target=t; output=Triage; out=r"], &["n1 next g"]),
            ("g", &nodes, &edges),
            ("end", &["J"], &[]),
            ("other", &["J"], &[]),
        ],
        GATE,
        expected,
    );
}

#[test]
fn a_condition_that_contradicts_itself_is_found() {
    gate(
        &["x > 5 and x < 3"],
        true,
        &["A108 `x > 5 and x < 3` in `g` never holds: it contradicts itself | g/n1"],
    );
    gate(&["x > 3 and x < 5", "x.length > 0 and x is not empty"], true, &[]);
}

#[test]
fn a_word_outside_of_the_enumeration_is_found() {
    gate(
        &["severity = critical", "severity = high"],
        true,
        &["A108 `severity = \"critical\"` in `g` never holds: `severity` can only be `low`, \
             `medium` or `high` | g/n1"],
    );
    gate(
        &["urgent = yes"],
        true,
        &[
            "A108 `urgent = \"yes\"` in `g` never holds: `urgent` can only be `true` or `false` | g/n1",
        ],
    );
    gate(&["severity = high", "urgent", "severity in [low, medium]"], true, &[]);
    gate(&["severity is empty"], true, &[]);
}

#[test]
fn other_writers_may_write_other_words() {
    check(
        &[
            (
                "a",
                &["agent; target=t; output=Triage; out=r", "logic; writes=severity"],
                &["n1 next n2", "n2 next g"],
            ),
            ("g", &["If; cond=severity = critical", "J"], &["n1 then end", "n1 else n2"]),
            ("end", &["J"], &[]),
        ],
        GATE,
        &[],
    );
}

#[test]
fn a_shadowed_condition_is_found_once() {
    gate(
        &["score >= 5", "score >= 7", "score >= 8"],
        true,
        &[
            "A108 `score >= 7` in `g` never holds: the conditions before it take all its cases | g/n1 g/n2",
        ],
    );
    gate(&["score >= 7", "score >= 5", "score < 5"], true, &[]);
    // Partial overlap is what order is for, and a last `always` does no harm.
    gate(&["score > 5", "score < 8", "always"], true, &[]);
    gate(&["a > b", "a <= b"], true, &[]);
}

#[test]
fn a_clause_that_others_lead_to_is_not_shadowed() {
    check(
        &[
            ("a", &["If; cond=fast"], &["n1 then b", "n1 else c"]),
            (
                "b",
                &["If; cond=x > 5", "Set; name=x; ref=9", "If; cond=x > 7", "J"],
                &["n1 then n2", "n1 else n3", "n2 next n3", "n3 then c", "n3 else n4"],
            ),
            ("c", &["J"], &[]),
        ],
        r#"{"declarations": {"inputs": {"x": {"from": "user"}}}}"#,
        &[],
    );
}

#[test]
fn a_hole_is_shown_by_an_example() {
    gate(
        &["score > 7", "score < 7"],
        false,
        &["A109 no branch of `g` takes `score` = `7` | g/n1 g/n2 g/n3"],
    );
    gate(
        &["score >= 7", "score < 5"],
        false,
        &["A109 no branch of `g` takes `score` = `5` | g/n1 g/n2 g/n3"],
    );
    gate(
        &["urgent = true"],
        false,
        &["A109 no branch of `g` takes `urgent` = `false` | g/n1 g/n2"],
    );
    gate(
        &["severity = high", "severity = low"],
        false,
        &["A109 no branch of `g` takes `severity` = `medium` | g/n1 g/n2 g/n3"],
    );
}

#[test]
fn a_gate_without_a_hole_is_quiet() {
    gate(&["score >= 7", "score < 7"], false, &[]);
    // Scores are whole where the conditions are, and counts are not negative.
    gate(&["score >= 8", "score <= 7"], false, &[]);
    gate(&["score = 0", "score > 0"], false, &[]);
    gate(&["urgent", "urgent is false"], false, &[]);
    gate(&["severity = high", "severity in [low, medium]"], false, &[]);
    gate(&["items.length > 0", "items.length = 0"], false, &[]);
    // Text has no end, two names are not decided, and a default takes the rest.
    gate(&["kind = a", "kind = b"], false, &[]);
    gate(&["score > limit", "score < limit"], false, &[]);
    gate(&["score > 7"], true, &[]);
}
