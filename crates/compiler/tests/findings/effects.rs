//! Side effects, and what they may give away.

use crate::sketch::{check, found, graph};

fn tools(rest: &str) -> String {
    format!(
        r#"{{"runtime_policy": {{"entry": "a"}}, "declarations": {{
        "tools": {{
            "mail": {{"tool_type": "api", "side_effects": ["sends email"]}},
            "upsert": {{"tool_type": "function", "side_effects": ["database write"], "idempotent": true}},
            "look": {{"tool_type": "function", "side_effects": []}},
            "web": {{"tool_type": "browser"}},
            "crm": {{"tool_type": "function", "auth_required": true}},
            "note": {{"tool_type": "function", "side_effects": ["postgres write"]}}}},
        "stores": {{"kept": {{"retention": "persistent"}}, "brief": {{"retention": "session"}}}},
        "schemas": {{"Both": {{"fields": [{{"name": "secret"}}, {{"name": "observation"}}]}},
                     "Outside": {{"fields": [{{"name": "observation"}}]}}}}{rest}}}}}"#
    )
}

#[test]
fn a_side_effect_that_is_tried_again_is_found() {
    let guarded = |tool: &str, count: i64, expected: &[&str]| {
        check(
            &[(
                "a",
                &[
                    &format!("tool; target={tool}; out=observation"),
                    &format!("Retry; count={count}"),
                    "J",
                ],
                &["n1 retry n2", "n1 next n3"],
            )],
            &tools(""),
            expected,
        );
    };
    guarded(
        "mail",
        2,
        &["A113 `mail` has side effects, and `a` may call it up to 2 times more | a/n1 a/n2"],
    );
    guarded(
        "mail",
        1,
        &["A113 `mail` has side effects, and `a` may call it once more | a/n1 a/n2"],
    );
    for (tool, count) in [("mail", 0), ("upsert", 3), ("look", 3), ("unknown", 3)] {
        guarded(tool, count, &[]);
    }
}

#[test]
fn a_handler_that_tries_again_counts() {
    let handled = |handler: &str, expected: &[&str]| {
        let rest = tools(&format!(r#", "handlers": {{"again": {handler}}}"#));
        check(
            &[("a", &["tool; target=mail; out=observation", "J"], &["n1 next n2"])],
            &rest,
            expected,
        );
    };
    handled(
        r#"{"scope": ["a"], "retry": {"backoff": "none"}}"#,
        &["A113 `mail` has side effects, and `a` may call it up to 3 times more by `again` | a/n1"],
    );
    handled(r#"{"scope": ["a"], "retry": {"max_retries": 0}}"#, &[]);
    handled(r#"{"scope": ["a"]}"#, &[]);
    handled(r#"{"scope": ["b"], "retry": {"max_retries": 5}}"#, &[]);
}

/// The nodes of one label, one after the other.
fn chain(nodes: &[&str]) -> Vec<String> {
    let edges: Vec<String> = (1..nodes.len()).map(|at| format!("n{at} next n{}", at + 1)).collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    found(&graph(&[("a", nodes, &edges)], &tools("")))
}

#[test]
fn private_data_untrusted_text_and_a_way_out_are_found() {
    let [private, outside, both, out, end] = [
        "read; target=kept; out=secret",
        "tool; target=web; out=observation",
        "agent; target=x; input=Both; out=r",
        "tool; target=mail; out=sent",
        "J",
    ];
    let message =
        "A115 text from `web` can lead the agent `x` to send private data of `kept` out by `mail`";
    for nodes in [[private, outside, both, out, end], [outside, private, both, out, end]] {
        assert_eq!(chain(&nodes), [format!("{message} | a/n1 a/n2 a/n3 a/n4")]);
    }
    // A tool that signs in gives private data too, and an agent without a schema reads everything.
    let crm = "tool; target=crm; out=secret";
    assert_eq!(chain(&[crm, outside, "agent; target=x; out=r", out, end]).len(), 1);
    for nodes in [
        // One of the three is missing, or comes too late.
        &["read; target=brief; out=secret", outside, both, out, end][..],
        &[private, "tool; target=look; out=observation", both, out, end],
        &[private, outside, both, "tool; target=note; out=sent", end],
        &[private, outside, out, both, end],
        &[private, "agent; target=x; out=r", outside, out, end],
        // A person agrees first.
        &[private, outside, both, "Ask; prompt=send it?; out=agreed", out, end],
        // The agent is given only one of both.
        &[private, outside, "agent; target=x; input=Outside; out=r", out, end],
        &[private, outside, "logic; reads=secret", out, end],
    ] {
        assert_eq!(chain(nodes), [""; 0], "{nodes:?}");
    }
}

#[test]
fn what_was_made_of_both_is_still_both() {
    let nodes = [
        "read; target=kept; out=k",
        "tool; target=web; out=w",
        "logic; reads=k w; writes=secret observation",
        "agent; target=x; input=Both; out=r",
        "tool; target=mail; out=sent",
        "J",
    ];
    assert_eq!(chain(&nodes).len(), 1);
}
