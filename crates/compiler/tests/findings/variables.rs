//! Variables along paths: what is written for certain where it is read.

use crate::sketch::check;

const ENTRY: &str = r#"{"runtime_policy": {"entry": "a"}}"#;
const UNKNOWN: &str = r#"{"runtime_policy": {"entry": "a"},
    "declarations": {"inputs": {"c": {"from": "user"}, "list": {"from": "user"}}}}"#;

#[test]
fn one_branch_is_not_enough() {
    check(
        &[
            ("a", &["If; cond=c"], &["n1 then b", "n1 else d"]),
            ("b", &["Set; name=v; ref=1"], &["n1 next d"]),
            ("d", &["J; var=v"], &[]),
        ],
        UNKNOWN,
        &["A116 `d` reads `v`, which nothing on some path to it has written | a/n1 d/n1"],
    );
    // Both are.
    check(
        &[
            ("a", &["If; cond=c"], &["n1 then b", "n1 else e"]),
            ("b", &["Set; name=v; ref=1"], &["n1 next d"]),
            ("e", &["Set; name=v; ref=2"], &["n1 next d"]),
            ("d", &["J; var=v"], &[]),
        ],
        UNKNOWN,
        &[],
    );
    // One finding for a name, however often it is read; arguments and conditions are reads.
    check(
        &[
            ("a", &["If; cond=c"], &["n1 then b", "n1 else d"]),
            ("b", &["Set; name=v; ref=1", "Set; name=w; ref=2"], &["n1 next n2", "n2 next d"]),
            (
                "d",
                &[
                    "R; adapter=core.ADD; target=1; args=[\"$v\"]; out=s",
                    "If; cond=w > 1",
                    "J; var=v",
                ],
                &["n1 next n2", "n2 then n3", "n2 else n3"],
            ),
        ],
        UNKNOWN,
        &[
            "A116 `d` reads `v`, which nothing on some path to it has written | a/n1 d/n1",
            "A116 `d` reads `w`, which nothing on some path to it has written | a/n1 d/n1 d/n2",
        ],
    );
}

#[test]
fn a_label_knows_what_all_its_callers_know() {
    let labels = |second: &'static [&'static str], edges: &'static [&'static str]| {
        [
            ("a", &["If; cond=c"] as &[_], &["n1 then b", "n1 else d"] as &[_]),
            (
                "b",
                &["Set; name=v; ref=1", "Call; label=e; out=r", "J; var=r"],
                &["n1 next n2", "n2 next n3"],
            ),
            ("d", second, edges),
            ("e", &["J; var=v"], &[]),
        ]
    };
    check(
        &labels(&["Call; label=e; out=r", "J; var=r"], &["n1 next n2"]),
        UNKNOWN,
        &["A116 `e` reads `v`, which nothing on some path to it has written | a/n1 d/n1 e/n1"],
    );
    check(
        &labels(
            &["Set; name=v; ref=2", "Call; label=e; out=r", "J; var=r"],
            &["n1 next n2", "n2 next n3"],
        ),
        UNKNOWN,
        &[],
    );
}

#[test]
fn a_call_writes_what_every_way_through_it_writes() {
    let caller: &[&str] = &["Call; label=b; out=r", "J; var=v"];
    let first = ("a", caller, &["n1 next n2"] as &[_]);
    check(&[first, ("b", &["Set; name=v; ref=1", "J"], &["n1 next n2"])], UNKNOWN, &[]);
    // Also further down, and where the label runs out instead.
    check(
        &[
            first,
            ("b", &["Call; label=d", "J"], &["n1 next n2"]),
            ("d", &["If; cond=c"], &["n1 then e", "n1 else f"]),
            ("e", &["Set; name=v; ref=1"], &[]),
            ("f", &["Set; name=v; ref=2", "J"], &["n1 next n2"]),
        ],
        UNKNOWN,
        &[],
    );
    check(
        &[
            first,
            ("b", &["If; cond=c", "J"], &["n1 then d", "n1 else n2"]),
            ("d", &["Set; name=v; ref=1", "J"], &["n1 next n2"]),
        ],
        UNKNOWN,
        &["A116 `a` reads `v`, which nothing on some path to it has written | a/n1 a/n2"],
    );
    // The result is there behind the call, and not inside of it.
    check(
        &[("a", &["Call; label=b; out=r", "J; var=r"], &["n1 next n2"]), ("b", &["J; var=r"], &[])],
        UNKNOWN,
        &["A116 `b` reads `r`, which nothing on some path to it has written | a/n1 b/n1"],
    );
}

#[test]
fn recursion_comes_to_an_end() {
    // The way out writes it; the way that calls again has it from there.
    check(
        &[
            ("a", &["Call; label=b", "J; var=v"], &["n1 next n2"]),
            ("b", &["If; cond=c"], &["n1 then d", "n1 else e"]),
            ("d", &["Call; label=b", "J; var=v"], &["n1 next n2"]),
            ("e", &["Set; name=v; ref=1", "J"], &["n1 next n2"]),
        ],
        UNKNOWN,
        &[],
    );
    check(
        &[
            ("a", &["Call; label=b", "J; var=v"], &["n1 next n2"]),
            ("b", &["If; cond=c"], &["n1 then d", "n1 else e"]),
            ("d", &["Call; label=b", "Set; name=v; ref=1", "J"], &["n1 next n2", "n2 next n3"]),
            ("e", &["J"], &[]),
        ],
        UNKNOWN,
        &["A116 `a` reads `v`, which nothing on some path to it has written | a/n1 a/n2"],
    );
}

#[test]
fn items_are_there_in_the_body_and_bodies_may_not_run() {
    let body = ("b", &["X; dst=sum; fn=add; args=[\"$sum\", \"$it\"]", "J; var=sum"] as &[_]);
    check(
        &[
            (
                "a",
                &["Set; name=sum; ref=0", "Loop; ref=$list; item=it"],
                &["n1 next n2", "n2 body b", "n2 after d"],
            ),
            (body.0, body.1, &["n1 next n2"]),
            ("d", &["J; var=sum"], &[]),
        ],
        UNKNOWN,
        &[],
    );
    check(
        &[
            ("a", &["Loop; ref=$list; item=it"], &["n1 body b", "n1 after d"]),
            ("b", &["Set; name=last; ref=$it", "J; var=last"], &["n1 next n2"]),
            ("d", &["Set; name=x; ref=$it", "J; var=last"], &["n1 next n2"]),
        ],
        UNKNOWN,
        &[
            "A116 `d` reads `it`, which nothing on some path to it has written | a/n1 d/n1",
            "A116 `d` reads `last`, which nothing on some path to it has written | a/n1 d/n1 d/n2",
        ],
    );
}

#[test]
fn a_handler_has_what_was_written_before_the_failure() {
    let labels = |read: &'static [&'static str]| {
        [
            (
                "a",
                &[
                    "Set; name=key; ref=1",
                    "R; adapter=http.GET; target=u; out=page",
                    "Err",
                    "J; var=page",
                ] as &[_],
                &["n1 next n2", "n2 next n3", "n2 err n3", "n3 handler b", "n3 next n4"] as &[_],
            ),
            ("b", read, &[]),
        ]
    };
    check(&labels(&["J; var=key"]), ENTRY, &[]);
    check(&labels(&["J; var=_error"]), ENTRY, &[]);
    check(
        &labels(&["J; var=page"]),
        ENTRY,
        &["A116 `b` reads `page`, which nothing on some path to it has written | a/n1 a/n2 b/n1"],
    );
}

#[test]
fn who_asks_whether_a_name_is_there_may_read_it_then() {
    let labels = |cond: &'static str| {
        [
            ("a", &["If; cond=c"] as &[_], &["n1 then b", "n1 else d"] as &[_]),
            ("b", &["Set; name=v; ref=1"], &["n1 next d"]),
            (
                "d",
                if cond == "v?" { &["If; cond=v?"] } else { &["If; cond=v is empty"] },
                &["n1 then e", "n1 else f"],
            ),
            ("e", &["J; var=v"], &[]),
            ("f", &["J"], &[]),
        ]
    };
    check(&labels("v?"), UNKNOWN, &[]);
    check(
        &labels("v is empty"),
        UNKNOWN,
        &["A116 `e` reads `v`, which nothing on some path to it has written | a/n1 d/n1 e/n1"],
    );
}

#[test]
fn what_nothing_writes_is_found_once() {
    check(
        &[(
            "a",
            &[
                "Set; name=total; ref=1",
                "Set; name=x; ref=$totl",
                "Set; name=y; ref=$totl",
                "J; var=$user",
            ],
            &["n1 next n2", "n2 next n3", "n3 next n4"],
        )],
        ENTRY,
        &[
            "A117 nothing writes `totl`, and it is no input",
            "A117 nothing writes `user`, and it is no input",
        ],
    );
    let given = r#"{"declarations": {"inputs": {"user": {"from": "user"}}}}"#;
    check(&[("a", &["J; var=$user"], &[])], given, &[]);
    check(&[("a", &["J; var=$_error"], &[])], ENTRY, &[]);
    // Logic with computed keys may write it.
    check(&[("a", &["logic; inexact", "J; var=$user"], &["n1 next n2"])], ENTRY, &[]);
}

#[test]
fn a_variable_that_is_kept_under_its_name_is_given() {
    check(&[("a", &["Set; name=x; ref=$x", "J; var=x"], &["n1 next n2"])], ENTRY, &[]);
    check(
        &[("a", &["X; dst=x; fn=add; args=[\"$x\", 1]", "J; var=x"], &["n1 next n2"])],
        ENTRY,
        &["A116 `a` reads `x`, which nothing on some path to it has written | a/n1"],
    );
}
