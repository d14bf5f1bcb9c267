//! What must have been passed before, through calls, loops, handlers and recursion.

use diagnostics::{Diagnostic, Source};

use crate::sketch::{Sketch, graph};

const ENTRY: &str = r#"{"runtime_policy": {"entry": "a"}}"#;

/// The findings about rules, as code and path.
fn held(labels: &[Sketch<'_>], rest: &str, policy: &str) -> Vec<String> {
    let source = Source::new("policy.yaml", policy);
    let mut findings = Vec::new();
    let tree = frontends::yaml::read(&source, &mut findings).expect("it is YAML");
    let book = frontends::policy::read(&source, &tree, &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    let found = compiler::policy::check(&graph(labels, rest), &[&book]);
    let line = |found: &Diagnostic| format!("{} {}", found.code.id, found.path.join(" "));
    found.iter().map(line).collect()
}

const PAY: &str = "R; adapter=pay.SEND";

#[test]
fn an_ask_counts_where_every_way_passes_it() {
    let policy = "ask: [pay]";
    let ask: &[&str] = &["Ask; prompt=ok", "J; var=1"];
    let next: &[&str] = &["n1 next n2"];
    let payed: &[&str] = &[PAY, "J; var=1"];
    for (what, labels, expected) in [
        (
            "a label that is called asks",
            vec![
                ("a", &["Call; label=b", PAY, "J; var=1"][..], &["n1 next n2", "n2 next n3"][..]),
                ("b", ask, next),
            ],
            vec![],
        ),
        (
            "the body of a loop may never run",
            vec![
                ("a", &["Loop; ref=[]; item=i"][..], &["n1 body b", "n1 after c"][..]),
                ("b", ask, next),
                ("c", payed, next),
            ],
            vec!["P104 a/n1 c/n1"],
        ),
        (
            "who calls itself and asks never returns without",
            vec![
                ("a", &["Call; label=b", PAY, "J; var=1"][..], &["n1 next n2", "n2 next n3"][..]),
                (
                    "b",
                    &["If; cond=x", "Call; label=b", "Ask; prompt=ok", "J; var=1"][..],
                    &["n1 then n2", "n1 else n3", "n2 next n4", "n3 next n4"][..],
                ),
            ],
            vec![],
        ),
        (
            "one branch does not ask",
            vec![
                ("a", &["If; cond=x"][..], &["n1 then b", "n1 else c"][..]),
                ("b", &["Ask; prompt=ok"][..], &["n1 next c"][..]),
                ("c", payed, next),
            ],
            vec!["P104 a/n1 c/n1"],
        ),
        (
            "what fails was not agreed to",
            vec![
                (
                    "a",
                    &["Ask; prompt=ok", "Err", PAY][..],
                    &["n1 err n2", "n2 handler c", "n1 next n3"][..],
                ),
                ("c", payed, next),
            ],
            vec!["P104 a/n1 c/n1"],
        ),
        (
            "nothing leads to it, and somebody may begin there",
            vec![("a", ask, next), ("c", payed, next)],
            vec!["P104 c/n1"],
        ),
    ] {
        assert_eq!(held(&labels, ENTRY, policy), expected, "{what}");
    }
}

#[test]
fn a_call_is_reached_through_everything_that_leads_there() {
    let rest =
        r#"{"runtime_policy": {"entry": "a"}, "crons": [{"label": "night", "expr": "@daily"}]}"#;
    let labels: &[Sketch<'_>] = &[
        ("a", &["Call; label=pay", "J; var=1"], &["n1 next n2"]),
        ("night", &["While; cond=x"], &["n1 body turn", "n1 after end"]),
        (
            "turn",
            &["R; adapter=db.F", "Err", "J; var=1"],
            &["n1 err n2", "n2 handler pay", "n1 next n3"],
        ),
        ("pay", &[PAY, "J; var=1"], &["n1 next n2"]),
        ("end", &["J; var=1"], &[]),
    ];
    let found =
        |from: &str| held(labels, rest, &format!("deny: [{{adapters: pay, from: {from}}}]"));
    assert_eq!(found("{cron: '*'}"), ["P101 night/n1 turn/n1 pay/n1"]);
    assert_eq!(found("{cron: '@daily'}"), ["P101 night/n1 turn/n1 pay/n1"]);
    assert_eq!(found("{cron: other}"), [""; 0]);
    assert_eq!(found("{entry: a}"), ["P101 a/n1 pay/n1"]);
    assert_eq!(found("{label: [end, tu*]}"), ["P101 turn/n1 pay/n1"]);
    assert_eq!(found("{endpoint: '*'}"), [""; 0]);
}

#[test]
fn many_findings_of_one_rule_are_told_as_a_number() {
    let nodes = vec![PAY; 150];
    let edges: Vec<String> = (1..150).map(|at| format!("n{at} next n{}", at + 1)).collect();
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let labels: &[Sketch<'_>] = &[("a", &nodes, &edges)];
    assert_eq!(held(labels, ENTRY, "deny: [pay]").len(), 100);
}
