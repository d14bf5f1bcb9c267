//! What can be reached, and what can be left.

use crate::sketch::{Sketch, check, found, graph};

const ENTRY: &str = r#"{"runtime_policy": {"entry": "a"}}"#;

/// A run is given `x`, so that it may be asked for before it is written.
const GIVEN: &str = r#"{"runtime_policy": {"entry": "a"},
    "declarations": {"inputs": {"x": {"from": "assumed"}}}}"#;

#[test]
fn what_nothing_leads_to_is_one_finding_for_each_piece() {
    let labels: &[Sketch<'_>] = &[
        ("a", &["J"], &[]),
        ("d", &["Set; name=x; ref=1"], &["n1 next e"]),
        ("b", &["Set; name=x; ref=1"], &["n1 next c"]),
        ("c", &["Set; name=x; ref=1"], &["n1 next d"]),
        ("e", &["J"], &[]),
        ("f", &["If; cond=x"], &["n1 then g"]),
        ("g", &["Set; name=x; ref=1"], &["n1 next f"]),
        ("orphan", &["J"], &[]),
    ];
    check(
        labels,
        ENTRY,
        &[
            "A101 no path from `a` leads to `b`, nor to the 3 behind it",
            "A101 no path from `a` leads to `f`, nor to the one behind it",
        ],
    );
    // Without an entry, whatever nothing leads to may be begun with.
    check(&labels[..5], "{}", &[]);
}

#[test]
fn handlers_fallbacks_and_messages_lead_somewhere() {
    let rest = r#"{"runtime_policy": {"entry": "a"}, "declarations": {
        "processes": {"a": {"type": "step", "fallback": "b"}},
        "handlers": {"h": {"scope": ["a"], "on_error": "c", "on_finally": "d", "fallback": "e"}},
        "links": {"x->f:subscribe": {"type": "subscribe", "from": "x", "to": "f"},
                  "a->g:error": {"type": "error", "from": "a", "to": "g"},
                  "p->h:observe": {"type": "observe", "from": "p", "to": "h"},
                  "x->i:subscribe": {"type": "subscribe", "from": "x", "to": "i", "activates": false}}}}"#;
    let to_end: &[&str] = &["n1 next end"];
    let set: &[&str] = &["Set; name=x; ref=1"];
    let labels: Vec<_> =
        ["b", "c", "d", "e", "f", "g", "h", "i"].iter().map(|id| (*id, set, to_end)).collect();
    let labels = [&[("a", set, to_end)], &labels[..], &[("end", &["J"], &[])]].concat();
    check(
        &labels,
        rest,
        &["A101 no path from `a` leads to `h`", "A101 no path from `a` leads to `i`"],
    );
}

#[test]
fn guards_and_calls_lead_somewhere() {
    check(
        &[
            (
                "a",
                &["R; adapter=http.GET; target=u", "Err", "Call; label=c", "J"],
                &["n1 err n2", "n1 next n3", "n2 handler b", "n3 next n4"],
            ),
            ("b", &["J"], &[]),
            ("c", &["Loop; ref=xs; item=i"], &["n1 body d"]),
            ("d", &["J"], &[]),
        ],
        ENTRY,
        &[],
    );
}

#[test]
fn a_cycle_without_a_way_out_is_found_once() {
    check(
        &[
            ("a", &["Set; name=x; ref=1"], &["n1 next b"]),
            ("b", &["Set; name=x; ref=1"], &["n1 next c"]),
            ("c", &["If; cond=x"], &["n1 then b", "n1 else d"]),
            ("d", &["Set; name=x; ref=1"], &["n1 next d"]),
        ],
        ENTRY,
        &["A102 a run that comes to `d` never ends: it only leads back to itself | d/n1 d/n1"],
    );
    check(
        &[
            ("a", &["Set; name=x; ref=1"], &["n1 next b"]),
            ("b", &["Set; name=x; ref=1"], &["n1 next c"]),
            ("c", &["Set; name=x; ref=1"], &["n1 next a"]),
        ],
        ENTRY,
        &[
            "A102 a run that comes to `a` never ends: `a`, `b` and `c` only lead to each other | a/n1 b/n1 c/n1 a/n1",
        ],
    );
}

#[test]
fn ways_to_an_end_are_seen() {
    // A condition without an `else` runs out, and so does a loop without `after`; a failure that
    // is handled leads on.
    for (nodes, edges) in [
        (&["If; cond=x", "Set; name=x; ref=1"][..], &["n1 then n2", "n2 next a"][..]),
        (&["Set; name=x; ref=1", "Loop; ref=xs; item=i"], &["n1 next n2", "n2 body end"]),
        (
            &["R; adapter=http.GET; target=u; out=x", "Err"],
            &["n1 next a", "n1 err n2", "n2 handler end"],
        ),
        (&["Ask; prompt=more?; out=more"], &["n1 next a", "n1 expired end"]),
    ] {
        check(&[("a", nodes, edges), ("end", &["J"], &[])], GIVEN, &[]);
    }
}

#[test]
fn a_cycle_whose_exit_cannot_change_is_found() {
    let rest = r#"{"runtime_policy": {"entry": "a"},
        "declarations": {"processes": {"check": {"type": "gate"}}}}"#;
    let cycle = |work: &'static str| {
        found(&graph(
            &[
                ("a", &["Set; name=score; ref=1"], &["n1 next work"]),
                ("work", &[work], &["n1 next check"]),
                ("check", &["If; cond=score >= limit"], &["n1 then end", "n1 else work"]),
                ("end", &["J"], &[]),
                ("count", &["Set; name=score; ref=2", "J"], &["n1 next n2"]),
            ],
            rest,
        ))
    };
    assert_eq!(
        cycle("Set; name=draft; ref=1"),
        [
            "A103 the cycle through `work` may never end: its only exit depends on `limit` and `score`, \
          which nothing in it writes | work/n1 check/n1 work/n1"
        ]
    );
    for work in [
        "Set; name=score; ref=2",
        "logic; inexact",
        "logic; writes=limit",
        "Ask; prompt=go on?",
        "Call; label=count",
    ] {
        assert_eq!(cycle(work), [""; 0], "{work}");
    }
}

#[test]
fn a_bound_or_another_exit_is_enough() {
    check(
        &[
            ("a", &["Set; name=x; ref=1"], &["n1 next b"]),
            (
                "b",
                &[
                    "If; cond=x and _loops_b_a < 3",
                    "X; dst=_loops_b_a; fn=add; args=[\"$_loops_b_a\", 1]",
                    "J",
                ],
                &["n1 then n2", "n2 next a", "n1 else n3"],
            ),
        ],
        ENTRY,
        &[],
    );
    // The gate's own name stays, but logic may say that the run is done.
    check(
        &[
            (
                "a",
                &["logic; writes=_done", "If; cond=_done", "J"],
                &["n1 next n2", "n2 then n3", "n2 else b"],
            ),
            ("b", &["If; cond=mode = fast"], &["n1 then a", "n1 else end"]),
            ("end", &["J"], &[]),
        ],
        ENTRY,
        &[],
    );
    // Whoever runs the graph counts for itself.
    check(
        &[
            ("a", &["If; cond=_iteration > 5", "J"], &["n1 then n2", "n1 else b"]),
            ("b", &["Set; name=x; ref=1"], &["n1 next a"]),
        ],
        ENTRY,
        &[],
    );
}

#[test]
fn calling_oneself_whatever_happens_is_found() {
    check(
        &[
            (
                "a",
                &["Set; name=x; ref=1", "Call; label=b; out=y", "J"],
                &["n1 next n2", "n2 next n3"],
            ),
            ("b", &["Call; label=a; out=z", "J"], &["n1 next n2"]),
        ],
        ENTRY,
        &["A114 `a` calls itself again whatever happens, without end | a/n1 a/n2 b/n1 a/n1"],
    );
    check(
        &[(
            "a",
            &["If; cond=x", "Call; label=a; out=x", "J; var=1"],
            &["n1 then n2", "n1 else n3", "n2 next n3"],
        )],
        GIVEN,
        &[],
    );
    check(&[("a", &["Loop; ref=xs; item=i", "J"], &["n1 body a", "n1 after n2"])], ENTRY, &[]);
}
