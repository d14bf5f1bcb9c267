//! What is found in specs, and what is not although it looks like it.

use diagnostics::Source;
use frontends::Ontology;

/// The codes found in a spec with these processes and edges. An agent `judge` answers with a
/// `Verdict` (`good`, a truth value; `score`, a number; `text`), and tools look, sign in and mail.
fn found(processes: &str, edges: &str) -> Vec<String> {
    let text = format!(
        "name: x
version: \"1\"
entry_point: a
entities:
  - {{id: judge, type: agent, label: J, model: m}}
  - {{id: helper, type: agent, label: H, model: m, tools: [look, crm, mail]}}
  - {{id: look, type: tool, label: L, tool_type: browser}}
  - {{id: crm, type: tool, label: C, tool_type: api, auth_required: true}}
  - {{id: mail, type: tool, label: M, tool_type: api, side_effects: [sends mail]}}
  - {{id: desk, type: channel, label: D, channel_type: topic}}
schemas:
  - name: Verdict
    fields: [{{name: good, type: boolean}}, {{name: score, type: integer}}, {{name: text, type: string}}]
processes:
{processes}
edges:
{edges}
"
    );
    let source = Source::new("spec.yaml", text);
    let mut reading = frontends::ontology::read(&source, Ontology::V1);
    let draft = reading.draft.expect("it can be read");
    let graph = graph::normalize(draft, &mut reading.findings);
    compiler::analyse(&graph).iter().map(|finding| finding.code.id.to_string()).collect()
}

fn gate(id: &str, condition: &str, opposite: &str, yes: &str, no: &str) -> String {
    format!(
        "  - id: {id}
    type: gate
    label: G
    condition: {condition}
    branches: [{{condition: {condition}, target: {yes}}}, {{condition: {opposite}, target: {no}}}]
"
    )
}

#[test]
fn a_name_is_there_where_the_same_was_asked_before() {
    let steps = |second: &str, opposite: &str| {
        "  - {id: a, type: step, label: A}\n".to_string()
            + &gate("g", "good == true", "good == false", "b", "c")
            + "  - {id: b, type: step, label: B, logic: 'state.data[\"x\"] = 1'}\n"
            + "  - {id: c, type: step, label: C}\n"
            + &gate("h", second, opposite, "d", "e")
            + "  - {id: d, type: step, label: D, logic: 'state.data[\"y\"] = state.data[\"x\"]'}\n"
            + "  - {id: e, type: step, label: E}"
    };
    let edges = "  - {type: invoke, from: a, to: judge, output: Verdict}
  - {type: flow, from: a, to: g}
  - {type: flow, from: b, to: h}
  - {type: flow, from: c, to: h}";
    assert_eq!(found(&steps("good == true", "good == false"), edges), [""; 0]);
    assert_eq!(found(&steps("good == false", "good == true"), edges), ["A104"]);
    assert_eq!(found(&steps("score > 3", "score <= 3"), edges), ["A104"]);
}

#[test]
fn parallel_writes_matter_only_where_somebody_reads_them() {
    let steps = |after: &str| {
        format!(
            "  - {{id: a, type: step, label: A, logic: 'state.data[\"x\"] = 0'}}
  - {{id: b, type: step, label: B, logic: 'state.data[\"x\"] = 1'}}
  - {{id: c, type: step, label: C, logic: 'state.data[\"x\"] = 2'}}
  - {{id: d, type: step, label: D, logic: '{after}'}}"
        )
    };
    let edges = "  - {type: flow, from: a, to: b}
  - {type: flow, from: a, to: c}
  - {type: flow, from: b, to: d}
  - {type: flow, from: c, to: d}";
    assert_eq!(found(&steps("state.data[\"y\"] = state.data[\"x\"]"), edges), ["A110"]);
    assert_eq!(found(&steps("state.data[\"x\"] = 3"), edges), [""; 0]);
}

#[test]
fn an_agent_with_all_three_tools_is_exposed() {
    let step = "  - {id: a, type: step, label: A}";
    assert_eq!(found(step, "  - {type: invoke, from: a, to: helper}"), ["A115"]);
    assert_eq!(found(step, "  - {type: invoke, from: a, to: judge}"), [""; 0]);
}

#[test]
fn messages_start_a_step_unless_they_do_not() {
    let steps = "  - {id: a, type: step, label: A}
  - {id: b, type: step, label: B, logic: 'state.data[\"x\"] = 1'}
  - {id: c, type: step, label: C}";
    let edges = |activates: &str| {
        format!(
            "  - {{type: invoke, from: a, to: judge}}
  - {{type: subscribe, from: desk, to: b{activates}}}
  - {{type: flow, from: b, to: c}}"
        )
    };
    assert_eq!(found(steps, &edges(", activates: true")), [""; 0]);
    assert_eq!(found(steps, &edges(", activates: false")), ["A101"]);
}

#[test]
fn words_that_are_alike_are_no_slips() {
    let steps = |read: &str| {
        format!(
            "  - {{id: a, type: step, label: A, logic: 'state.data[\"price\"] = 1; state.data[\"generated\"] = 2'}}
  - {{id: b, type: step, label: B, logic: 'state.data[\"y\"] = state.data.get(\"{read}\", 0)'}}"
        )
    };
    let edges = "  - {type: flow, from: a, to: b}\n  - {type: invoke, from: b, to: judge}";
    for (read, codes) in
        [("prize", &[][..]), ("generator", &[]), ("pirce", &["A107"]), ("genrated", &["A107"])]
    {
        assert_eq!(found(&steps(read), edges), codes, "{read}");
    }
}

#[test]
fn what_no_label_says_yet_may_write_anything() {
    let steps = "  - {id: a, type: spawn, label: A, template: judge}\n".to_string()
        + &gate("g", "score >= 7", "score < 7", "b", "a")
        + "  - {id: b, type: step, label: B}";
    let edges = "  - {type: invoke, from: a, to: judge, output: Verdict}
  - {type: flow, from: a, to: g}";
    assert_eq!(found(&steps, edges), [""; 0]);
}
