//! Branches that run beside each other.

use crate::sketch::check;

const ENTRY: &str = r#"{"runtime_policy": {"entry": "a"}}"#;

fn meet(left: &str, right: &str, join: &str, after: &str, rest: &str, expected: &[&str]) {
    check(
        &[
            ("a", &["Fork"], &["n1 branch b", "n1 branch c", "n1 next d"]),
            ("b", &[left], &["n1 next b2"]),
            ("b2", &["Set; name=own; ref=1"], &["n1 next d"]),
            ("c", &[right], &["n1 next d"]),
            ("d", &[join, after, "J"], &["n1 next n2", "n2 next n3"]),
        ],
        rest,
        expected,
    );
}

#[test]
fn two_branches_that_write_one_name_are_found() {
    let x = "Set; name=x; ref=1";
    let reads = "logic; reads=x";
    meet(
        x,
        x,
        "Join",
        reads,
        ENTRY,
        &["A110 the branches `b` and `c` both write `x`, and no reducer says which value counts \
             | a/n1 b/n1 c/n1 d/n1"],
    );
    meet(x, "Set; name=y; ref=1", "Join", reads, ENTRY, &[]);
    // Nobody reads it afterwards, or it belongs to whoever runs the graph.
    meet(x, x, "Join", "logic; reads=y", ENTRY, &[]);
    meet("Set; name=_x; ref=1", "Set; name=_x; ref=1", "Join", "logic; reads=_x", ENTRY, &[]);
    // A reducer says what becomes of both.
    meet(x, x, "Join; reducers={\"x\": \"append\"}", reads, ENTRY, &[]);
    let declared = r#"{"runtime_policy": {"entry": "a"}, "declarations": {"reducers": {"x": {"reducer": "append"}}}}"#;
    meet(x, x, "Join", reads, declared, &[]);
}

#[test]
fn alternatives_are_not_parallel() {
    check(
        &[
            ("a", &["If; cond=q"], &["n1 then b", "n1 else c"]),
            ("b", &["Set; name=x; ref=1"], &["n1 next d"]),
            ("c", &["Set; name=x; ref=2"], &["n1 next d"]),
            ("d", &["logic; reads=x", "J"], &["n1 next n2"]),
        ],
        ENTRY,
        &[],
    );
}

#[test]
fn branches_that_never_meet_are_found() {
    let apart = |last: &'static str, branch: &[&'static str], expected: &[&str]| {
        check(
            &[
                (
                    "a",
                    &["Fork", "Join", last],
                    &["n1 branch b", "n1 branch c", "n1 next n2", "n2 next n3"],
                ),
                ("b", &["Set; name=x; ref=1", "J"], branch),
                ("c", &["J"], &[]),
                ("b2", &["J"], &[]),
            ],
            "{}",
            expected,
        );
    };
    apart(
        "J",
        &["n1 next b2"],
        &["A111 `a` starts `b` and `c`, which never meet again | a/n1 b2/n1 c/n1"],
    );
    // Each does one thing and is done; or what they did is returned.
    apart("J", &["n1 next n2"], &[]);
    apart("J; var=$x", &["n1 next b2"], &[]);
}
