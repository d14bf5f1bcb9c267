//! Forks wait at joins, and joins wait and merge in ways that there are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use diagnostics::Source;
use expect_test::{Expect, expect};
use frontends::{Format, Ontology};

/// What is found in a document, each with its place and what helps.
fn found(format: Format, text: &str) -> String {
    let source = Source::new("spec", text.to_string());
    let mut reading = frontends::read(&source, format, Ontology::V1);
    let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    reading.findings.extend(graph::validate::validate(&graph, graph::validate::Edges::Strict));
    reading.origins.trace(&mut reading.findings);
    let line = |finding: &diagnostics::Diagnostic| {
        let at = finding.at.pointer().map_or("", |at| at.as_str());
        let help = finding.help.as_deref().unwrap_or("nothing helps");
        format!("{} {at}\n  {}\n  {help}\n", finding.code.id, finding.message)
    };
    reading.findings.iter().map(line).collect()
}

/// A fork in label `a` whose `next` leads to this label; `d` begins with its second node.
fn forked(to: &str, first: &str) -> String {
    let text = format!(
        r#"{{"labels": {{
  "a": {{"nodes": [{{"id": "n1", "op": "Fork"}}],
       "edges": [{{"from": "n1", "to": "b", "to_kind": "label", "port": "branch"}},
                 {{"from": "n1", "to": "{to}", "to_kind": "label", "port": "next"}}]}},
  "b": {{"nodes": [{{"id": "n1", "op": "J"}}], "edges": []}},
  "d": {{"nodes": [{{"id": "n1", "op": "J"}}, {first}], "entry": "n2",
       "edges": [{{"from": "n2", "to": "n1", "to_kind": "node", "port": "next"}}]}}
}}}}"#
    );
    found(Format::Graph, &text)
}

/// A fork whose `next` leads to this node of its own label, which returns after it.
fn joined(node: &str, declarations: &str) -> String {
    let text = format!(
        r#"{{"labels": {{
  "a": {{"nodes": [{{"id": "n1", "op": "Fork"}}, {node}, {{"id": "n3", "op": "J"}}],
       "edges": [{{"from": "n1", "to": "b", "to_kind": "label", "port": "branch"}},
                 {{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}},
                 {{"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}}]}},
  "b": {{"nodes": [{{"id": "n1", "op": "J"}}], "edges": []}}
}}, "declarations": {{{declarations}}}}}"#
    );
    found(Format::Graph, &text)
}

fn join(data: &str, expected: Expect) {
    let node = format!(r#"{{"id": "n2", "op": "Join", "data": {{{data}}}}}"#);
    expected.assert_eq(&joined(&node, ""));
}

#[test]
fn a_fork_waits_at_a_join_of_its_label_or_at_the_beginning_of_another() {
    assert_eq!(joined(r#"{"id": "n2", "op": "Join"}"#, ""), "");
    assert_eq!(forked("d", r#"{"id": "n2", "op": "Join"}"#), "");
    let set = r#"{"id": "n2", "op": "Set", "data": {"name": "x", "ref": 1}}"#;
    expect![[r#"
        G416 /labels/a/edges/1/to
          `n1` of label `a` is `Fork` and waits nowhere: its `next` leads to `n2`, which is `Set`
          lead it to a `Join`, or to a label that begins with one
    "#]]
    .assert_eq(&joined(set, ""));
    expect![[r#"
        G416 /labels/a/edges/1/to
          `n1` of label `a` is `Fork` and waits nowhere: its `next` leads to label `d`, which begins with `Set`
          lead it to a `Join`, or to a label that begins with one
    "#]].assert_eq(&forked("d", set));
    // What is no op or leads nowhere is one finding, not two.
    expect![[r#"
        G301 /labels/a/nodes/1/op
          unknown op `Jion`
          did you mean `Join`?
    "#]]
    .assert_eq(&joined(r#"{"id": "n2", "op": "Jion"}"#, ""));
    expect![[r#"
        G303 /labels/a/edges/1/to
          the `next` edge of `n1` leads to label `nowhere`, which does not exist
          the labels are `a`, `b`, `d`
    "#]]
    .assert_eq(&forked("nowhere", set));
}

#[test]
fn a_join_waits_for_what_it_can_count() {
    for word in ["all", "any", "race", "quorum", "quorum:1", "quorum:12"] {
        join(&format!(r#""strategy": "{word}""#), expect![""]);
    }
    join(
        r#""strategy": "al""#,
        expect![[r#"
            G409 /labels/a/nodes/1/data/strategy
              `strategy` of `Join` must be `all`, `any`, `race`, `quorum` or `quorum:N`, not `al`
              nothing helps
        "#]],
    );
    join(
        r#""strategy": "quorum:0""#,
        expect![[r#"
            G409 /labels/a/nodes/1/data/strategy
              `strategy` of `Join` must be `all`, `any`, `race`, `quorum` or `quorum:N`, not `quorum:0`
              did you mean `quorum:N`?
        "#]],
    );
    join(
        r#""strategy": "quorum:-1""#,
        expect![[r#"
            G409 /labels/a/nodes/1/data/strategy
              `strategy` of `Join` must be `all`, `any`, `race`, `quorum` or `quorum:N`, not `quorum:-1`
              did you mean `quorum:N`?
        "#]],
    );
    join(
        r#""strategy": "most of them""#,
        expect![[r#"
            G409 /labels/a/nodes/1/data/strategy
              `strategy` of `Join` must be `all`, `any`, `race`, `quorum` or `quorum:N`, not `most of them`
              nothing helps
        "#]],
    );
}

#[test]
fn a_join_merges_by_reducers_that_there_are() {
    let known =
        r#""reducers": {"a": "append", "b": "replace", "c": "merge", "d": "max", "e": "min"}"#;
    join(known, expect![""]);
    join(
        r#""reducers": {"a": "apend", "b": "sum", "c": 7}"#,
        expect![[r#"
            G417 /labels/a/nodes/1/data/reducers/a
              the reducer of `a` is `apend`, which there is not: it counts as `replace`
              did you mean `append`?
            G417 /labels/a/nodes/1/data/reducers/b
              the reducer of `b` is `sum`, which there is not: it counts as `replace`
              use `append`, `replace`, `merge`, `max` or `min`
            G417 /labels/a/nodes/1/data/reducers/c
              the reducer of `c` is a number: it counts as `replace`
              use `append`, `replace`, `merge`, `max` or `min`
        "#]],
    );
    join(
        r#""reducers": ["append"]"#,
        expect![[r#"
            G409 /labels/a/nodes/1/data/reducers
              `reducers` of `Join` must be an object, not a list
              give each name its reducer: `{"notes": "append"}`
        "#]],
    );
    let declared = r#""reducers": {"a": {"reducer": "append"}, "b": {}, "c": {"reducer": "sum"}}"#;
    expect![[r#"
        G417 /declarations/reducers/c/reducer
          the reducer of `c` is `sum`, which there is not: it counts as `replace`
          use `append`, `replace`, `merge`, `max` or `min`
    "#]]
    .assert_eq(&joined(r#"{"id": "n2", "op": "Join"}"#, declared));
}

#[test]
fn a_custom_reducer_is_shown_where_the_spec_declares_it() {
    let text = "name: x
version: \"1\"
entities:
  - {id: writer, type: agent, label: W, model: m}
state:
  channels:
    - {name: notes, type: list<string>, reducer: append}
    - {name: scores, type: object, reducer: custom}
    - {name: totals, type: object, reducer: sum}
processes:
  - {id: a, type: step, label: A}
edges:
  - {type: invoke, from: a, to: writer}
";
    expect![[r#"
        O104 /state/channels/2/reducer
          `reducer` of `totals` in `channels` of `state` of the spec cannot be `sum`
          it is one of `append`, `replace`, `merge`, `custom`
        G417 /state/channels/1/reducer
          the reducer of `scores` is `custom`, which no code belongs to: it counts as `replace`
          use `append`, `replace`, `merge`, `max` or `min`
    "#]]
    .assert_eq(&found(Format::Ontology, text));
}
