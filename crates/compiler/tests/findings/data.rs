//! Names along paths.

use crate::sketch::check;

const SCHEMAS: &str = r#"{"runtime_policy": {"entry": "a"}, "declarations": {"schemas": {
    "Plan": {"fields": [{"name": "steps", "type": "list<string>"}, {"name": "score", "type": "integer"}]},
    "Ask": {"fields": [{"name": "steps", "type": "list<string>"},
                       {"name": "tone", "type": "string", "optional": true}]},
    "Word": {"fields": [{"name": "score", "type": "string"}]},
    "Whole": {"fields": [{"name": "plan_inside", "type": "Plan"}]}}}}"#;

#[test]
fn a_path_that_misses_a_write_is_shown() {
    check(
        &[
            ("a", &["If; cond=fast"], &["n1 then c", "n1 else b"]),
            ("b", &["logic; writes=plan"], &["n1 next c"]),
            ("c", &["logic; needs=plan", "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &["A104 `c` needs `plan`, which nothing on some path to it has written | a/n1 c/n1"],
    );
}

#[test]
fn writes_on_every_path_are_seen() {
    // One on each branch; at a join, one on any branch; in a call; before a loop comes back.
    check(
        &[
            ("a", &["If; cond=fast"], &["n1 then b", "n1 else c"]),
            ("b", &["logic; writes=plan"], &["n1 next d"]),
            ("c", &["logic; writes=plan"], &["n1 next d"]),
            ("d", &["logic; needs=plan", "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &[],
    );
    check(
        &[
            ("a", &["Fork"], &["n1 branch b", "n1 branch c", "n1 next d"]),
            ("b", &["logic; writes=left"], &["n1 next d"]),
            ("c", &["logic; writes=right"], &["n1 next d"]),
            ("d", &["Join", "logic; needs=left right", "J"], &["n1 next n2", "n2 next n3"]),
        ],
        SCHEMAS,
        &[],
    );
    check(
        &[
            (
                "a",
                &["Call; label=b; out=r", "logic; needs=plan", "J"],
                &["n1 next n2", "n2 next n3"],
            ),
            ("b", &["Call; label=c", "J"], &["n1 next n2"]),
            ("c", &["logic; writes=plan", "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &[],
    );
    check(
        &[
            ("a", &["logic; writes=round"], &["n1 next b"]),
            ("b", &["logic; needs=round; writes=round"], &["n1 next c"]),
            ("c", &["If; cond=round < 3", "J"], &["n1 then b", "n1 else n2"]),
        ],
        SCHEMAS,
        &[],
    );
}

#[test]
fn what_may_be_known_is_not_reported() {
    let ends: &[&str] = &["n1 next n2"];
    // Written nowhere: a run is given it.
    check(&[("a", &["logic; needs=task", "J"], ends)], SCHEMAS, &[]);
    // Who asks for it knows that it may be missing.
    check(
        &[
            ("a", &["If; cond=plan is empty"], &["n1 then b", "n1 else c"]),
            ("b", &["logic; writes=plan"], &["n1 next c"]),
            ("c", &["logic; needs=plan", "J"], ends),
        ],
        SCHEMAS,
        &[],
    );
    // The flag is only set where the plan is made, so the path without it cannot be taken.
    check(
        &[
            ("a", &["If; cond=has_plan"], &["n1 then c", "n1 else b"]),
            ("b", &["logic; writes=plan has_plan"], &["n1 next a"]),
            ("c", &["logic; needs=plan", "J"], ends),
        ],
        SCHEMAS,
        &["A116 `a` reads `has_plan`, which nothing on some path to it has written | a/n1"],
    );
    // A computed key may be any.
    check(
        &[
            ("a", &["logic; inexact"], &["n1 next b"]),
            ("b", &["logic; needs=plan; writes=plan", "J"], ends),
        ],
        SCHEMAS,
        &[],
    );
    // Declared as given.
    let given = r#"{"declarations": {"inputs": {"plan": {"from": "user"}}}}"#;
    check(&[("a", &["logic; needs=plan; writes=plan", "J"], ends)], given, &[]);
    // A handler runs whenever something failed: nothing is known of that.
    let handler = r#"{"runtime_policy": {"entry": "a"},
        "declarations": {"handlers": {"h": {"scope": ["b"], "on_error": "c"}}}}"#;
    check(
        &[("a", &["logic; writes=plan", "J"], ends), ("c", &["logic; needs=plan", "J"], ends)],
        handler,
        &[],
    );
}

#[test]
fn a_failure_comes_before_the_write() {
    check(
        &[
            (
                "a",
                &["R; adapter=http.GET; target=u; out=page", "Err", "J"],
                &["n1 next n3", "n1 err n2", "n2 handler b"],
            ),
            ("b", &["logic; needs=page", "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &["A104 `b` needs `page`, which nothing on some path to it has written | a/n1 b/n1"],
    );
}

#[test]
fn a_field_that_comes_too_late_is_found() {
    let labels = |first: &'static str| {
        [
            ("a", vec!["agent; target=x; input=Ask; out=a_result"], vec![first]),
            (
                "b",
                vec!["agent; target=y; output=Plan; out=b_result", "If; cond=score < 3", "J"],
                vec!["n1 next n2", "n2 then b", "n2 else n3"],
            ),
            ("c", vec!["J"], vec![]),
        ]
    };
    let run = |first| {
        let labels = labels(first);
        let labels: Vec<_> =
            labels.iter().map(|(id, nodes, edges)| (*id, &nodes[..], &edges[..])).collect();
        crate::sketch::found(&crate::sketch::graph(&labels, SCHEMAS))
    };
    assert_eq!(
        run("n1 next b"),
        ["A105 nothing before `a` writes `steps`, which `Ask` asks for | a/n1"]
    );
    // On a way back it is there.
    check(
        &[
            ("a", &["agent; target=x; input=Ask; out=a_result"], &["n1 next b"]),
            (
                "b",
                &["agent; target=y; output=Plan; out=b_result", "If; cond=score < 3", "J"],
                &["n1 next n2", "n2 then a", "n2 else n3"],
            ),
        ],
        SCHEMAS,
        &[],
    );
    // Inside of another answer it is there too.
    check(
        &[
            ("z", &["agent; target=w; output=Whole; out=z_result"], &["n1 next a"]),
            ("a", &["agent; target=x; input=Ask; out=a_result"], &["n1 next b"]),
            ("b", &["agent; target=y; output=Plan; out=b_result", "J"], &["n1 next n2"]),
        ],
        &SCHEMAS.replace("\"entry\": \"a\"", "\"entry\": \"z\""),
        &[],
    );
}

#[test]
fn an_input_that_nobody_declares_is_found() {
    let inputs = |inputs: &str| {
        SCHEMAS
            .replace("\"declarations\": {", &format!("\"declarations\": {{\"inputs\": {inputs},"))
    };
    let labels: &[_] = &[(
        "a",
        &["agent; target=x; input=Ask; out=a_result", "logic; needs=topic", "J"] as &[_],
        &["n1 next n2", "n2 next n3"] as &[_],
    )];
    check(
        labels,
        &inputs(r#"{"task": {"from": "user"}, "steps": {"from": "assumed"}}"#),
        &[
            "A106 `a` wants `steps`, which is neither written nor an input | a/n1",
            "A106 `a` wants `topic`, which is neither written nor an input | a/n1 a/n2",
        ],
    );
    check(labels, &inputs(r#"{"topic": {"from": "state"}, "steps": {"from": "user"}}"#), &[]);
    // Where none is declared, whatever is read is given.
    check(labels, &inputs(r#"{"steps": {"from": "assumed"}, "topic": {"from": "assumed"}}"#), &[]);
}

#[test]
fn a_slip_of_the_pen_is_found() {
    check(
        &[
            ("a", &["logic; writes=quality_score result"], &["n1 next b"]),
            ("b", &["If; cond=qualty_score >= 7", "J"], &["n1 then n2", "n1 else c"]),
            ("c", &["logic; reads=results min_score", "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &["A107 `qualty_score` is read in `b`, but nothing writes it"],
    );
    // That a cycle is never left is a consequence.
    check(
        &[
            ("a", &["logic; writes=quality_score"], &["n1 next b"]),
            ("b", &["If; cond=qualty_score >= 7", "J"], &["n1 then n2", "n1 else a"]),
        ],
        SCHEMAS,
        &["A107 `qualty_score` is read in `b`, but nothing writes it"],
    );
    // A name that is declared is meant.
    let given = r#"{"declarations": {"inputs": {"qualty_score": {"from": "user"}}}}"#;
    check(
        &[("a", &["logic; writes=quality_score; reads=qualty_score", "J"], &["n1 next n2"])],
        given,
        &[],
    );
}

#[test]
fn shapes_that_cannot_agree_are_found() {
    let plan = "agent; target=y; output=Plan; out=r";
    let takes = "agent; target=x; input=Word; out=s";
    check(
        &[("a", &[plan], &["n1 next b"]), ("b", &[takes, "J"], &["n1 next n2"])],
        SCHEMAS,
        &["A112 `b` takes `score` as `string`, but `a` gives `integer` | a/n1 b/n1"],
    );
    // Something between them may convert it, and another path may bring what is wanted.
    check(
        &[
            ("a", &[plan, "logic; reads=score; writes=score"], &["n1 next n2", "n2 next b"]),
            ("b", &[takes, "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &[],
    );
    check(
        &[
            ("a", &["If; cond=fast"], &["n1 then c", "n1 else d"]),
            ("c", &[plan], &["n1 next b"]),
            ("d", &["agent; target=z; output=Word; out=q"], &["n1 next b"]),
            ("b", &[takes, "J"], &["n1 next n2"]),
        ],
        SCHEMAS,
        &[],
    );
}
