//! What processes become, label by label: the order inside a step, gates, loops, forks, ends.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use diagnostics::Source;
use expect_test::{Expect, expect};
use frontends::{Format, Ontology};

/// A spec with these processes and edges. It has agents `writer` and `critic`, tools `search` and
/// `pay`, stores `notes` and `orders-db`, a channel `desk`, and a person.
fn lowered(processes: &str, edges: &str, labels: &[&str], expected: Expect) {
    let text = format!(
        "name: x
version: \"1\"
entities:
  - {{id: writer, type: agent, label: W, model: m}}
  - {{id: critic, type: agent, label: C, model: m}}
  - {{id: search, type: tool, label: S, tool_type: api}}
  - {{id: pay, type: tool, label: P, tool_type: api}}
  - {{id: notes, type: store, label: N, store_type: kv}}
  - {{id: orders-db, type: store, label: O, store_type: kv}}
  - {{id: desk, type: channel, label: D, channel_type: topic}}
  - {{id: user, type: human, label: U}}
schemas:
  - {{name: Task, fields: [{{name: task, type: string}}]}}
  - {{name: PlanStep, fields: [{{name: score, type: integer}}, {{name: note, type: string}}]}}
entry_point: a
processes:
{processes}
edges:
{edges}
"
    );
    let source = Source::new("spec.yaml", text);
    let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
    let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    reading.findings.extend(graph::validate::validate(&graph, graph::validate::Edges::Strict));
    let errors: Vec<&String> = reading
        .findings
        .iter()
        .filter(|finding| finding.severity == diagnostics::Severity::Error)
        .map(|finding| &finding.message)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let slots = reading.findings.iter().filter(|finding| finding.code.id.starts_with('G'));
    assert_eq!(slots.map(|finding| &finding.message).next(), None, "lowering makes valid graphs");
    let mut shown = String::new();
    for label in labels {
        shown.push_str(&graph::draw::outline(&graph, Some(label)));
        shown.push('\n');
        for node in &graph.labels[*label].nodes {
            if !node.writes.is_empty() {
                shown.push_str(&format!("  {} writes {}\n", node.id, node.writes.join(", ")));
            }
        }
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_step_reads_receives_thinks_calls_writes_and_publishes() {
    lowered(
        "  - {id: a, type: step, label: A, logic: 'state.data[\"n\"] = 1'}",
        "  - {type: publish, from: a, to: desk, data: Task}
  - {type: write, from: a, to: notes, data: Task}
  - {type: invoke, from: a, to: search, input: Task}
  - {type: invoke, from: a, to: writer, input: Task, output: PlanStep, timeout: 5s, retry: {max_retries: 2}}
  - {type: invoke, from: a, to: critic}
  - {type: subscribe, from: desk, to: a}
  - {type: read, from: a, to: orders-db, query_key: task}",
        &["a"],
        expect![[r#"
            label a
              n1   R      store.READ "orders-db" task -> orders-db  read
              n2   R      channel.RECEIVE "desk" -> desk            read
              n3   R      logic.PYTHON "state.data[\"n\"] = 1"
              n4   R      agent.INVOKE "writer" -> a_result         model
                            retry -> n5
                            next -> n6
              n5   Retry  retry 2x, 1000 ms none
              n6   R      agent.INVOKE "critic" -> critic_result    model
              n7   R      tool.CALL "search" -> observation         write
              n8   R      store.WRITE "notes"                       write
              n9   R      channel.PUBLISH "desk"                    write
              n10  J      return

              n1 writes orders-db
              n2 writes desk
              n3 writes n
              n4 writes a_result, score, note, plan_step
              n6 writes critic_result
              n7 writes observation
        "#]],
    );
}

#[test]
fn a_call_is_shaped_by_its_edge_then_by_the_step_then_by_the_agent() {
    let shaped = |members: &str, edge: &str| {
        let text = format!(
            "name: x
version: \"1\"
entities:
  - {{id: writer, type: agent, label: W, model: m, input_schema: OfAgent, output_schema: OfAgent}}
  - {{id: critic, type: agent, label: C, model: m}}
schemas:
  - {{name: OfEdge, fields: [{{name: edge, type: string}}]}}
  - {{name: OfStep, fields: [{{name: step, type: string}}]}}
  - {{name: OfAgent, fields: [{{name: agent, type: string}}]}}
entry_point: a
processes:
  - {{id: a, type: step, label: A{members}}}
  - {{id: b, type: step, label: B, logic: 'x = state.data[\"step\"]'}}
edges:
  - {{type: invoke, from: a{edge}}}
  - {{type: flow, from: a, to: b}}
"
        );
        let source = Source::new("spec.yaml", text);
        let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
        let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
        let call = &graph.labels["a"].nodes[0];
        let inputs: Vec<&str> =
            graph.declarations.of(graph::Kind::Inputs).keys().map(|name| &**name).collect();
        format!(
            "reads [{}], writes [{}], inputs [{}]",
            call.reads.join(" "),
            call.writes.join(" "),
            inputs.join(" ")
        )
    };
    let both = ", data_in: OfStep, data_out: OfStep";
    let shapes = [
        shaped(both, ", to: writer, input: OfEdge, output: OfEdge"),
        shaped(both, ", to: writer"),
        shaped("", ", to: writer"),
        shaped(", data_in: OfStep", ", to: writer, output: OfEdge"),
        // What nobody defines shapes nothing, and the next one counts.
        shaped(both, ", to: writer, input: OfEgde, output: OfEgde"),
        shaped("", ", to: critic"),
    ];
    expect![[r#"
        reads [edge], writes [a_result edge of_edge], inputs [step]
        reads [step], writes [a_result step of_step], inputs []
        reads [agent], writes [a_result agent of_agent], inputs [step]
        reads [step], writes [a_result edge of_edge], inputs [step]
        reads [step], writes [a_result step of_step], inputs []
        reads [], writes [critic_result], inputs [step]"#]]
    .assert_eq(&shapes.join("\n"));
}

#[test]
fn one_of_several_tools_is_chosen_by_name() {
    lowered(
        "  - {id: a, type: step, label: A}",
        "  - {type: invoke, from: a, to: search}\n  - {type: invoke, from: a, to: pay}",
        &["a"],
        expect![[r#"
            label a
              n1  R  tool.CALL tool_name "search" "pay" -> observation  write
              n2  J  return

              n1 writes observation
        "#]],
    );
}

#[test]
fn done_ends_the_run_and_an_early_return_skips_the_calls() {
    lowered(
        "  - id: a
    type: step
    label: A
    logic: |
      if state.data.get(\"stop\"):
          state.data[\"_done\"] = True
          return state
      state.data[\"n\"] = 1
  - {id: b, type: step, label: B, logic: 'state.data[\"_done\"] = True'}",
        "  - {type: invoke, from: a, to: writer}\n  - {type: flow, from: a, to: b}",
        &["a", "b"],
        expect![[r#"
            label a
              n1  R   logic.PYTHON "if state.data.get(\"stop\"):\n    state.data[\"_d…
              n2  If  if _done
                        then -> n5
                        else -> n3
              n5  J   return
              n3  If  if _returned
                        then -> label b
                        else -> n4
              n4  R   agent.INVOKE "writer" -> writer_result                            model
                        next -> label b

              n1 writes _returned, _done, n
              n4 writes writer_result
            label b
              n1  R  logic.PYTHON "state.data[\"_done\"] = True"
              n2  J  return

              n1 writes _done
        "#]],
    );
}

#[test]
fn clauses_of_a_gate_are_asked_in_order() {
    lowered(
        "  - {id: a, type: step, label: A}
  - id: g
    type: gate
    label: G
    condition: which way
    branches: [{condition: good, target: b}, {condition: score >= 3, target: c}, {condition: bad, target: d}]
    default: d
  - {id: b, type: step, label: B}
  - {id: c, type: step, label: C}
  - {id: d, type: step, label: D}",
        "  - {type: invoke, from: a, to: critic, output: PlanStep}
  - {type: flow, from: a, to: g}
  - {type: branch, from: g, to: d, condition: score < 1, priority: 2}
  - {type: branch, from: g, to: b, condition: score >= 7, priority: 1}",
        &["g"],
        expect![[r#"
            label g
              n1  If  if score >= 7
                        then -> label b
                        else -> n2
              n2  If  if score < 1
                        then -> label d
                        else -> n3
              n3  If  if score >= 3
                        then -> label c
                        else -> label d

        "#]],
    );
}

#[test]
fn a_gate_runs_its_logic_and_its_calls_before_it_decides() {
    lowered(
        "  - id: a
    type: gate
    label: A
    logic: 'state.data[\"tries\"] = state.data.get(\"tries\", 0) + 1'
    condition: tries < 3
    branches: [{condition: tries < 3, target: b}, {condition: tries >= 3, target: c}]
  - {id: b, type: step, label: B}
  - {id: c, type: step, label: C}",
        "  - {type: invoke, from: a, to: critic}",
        &["a"],
        expect![[r#"
            label a
              n1  R   logic.PYTHON "state.data[\"tries\"] = state.data.get(\"tries\",…
              n2  R   agent.INVOKE "critic" -> critic_result                            model
              n3  If  if tries < 3
                        then -> label b
                        else -> label c

              n1 writes tries
              n2 writes critic_result
        "#]],
    );
}

#[test]
fn a_gate_that_nothing_decides_fails() {
    lowered(
        "  - {id: a, type: step, label: A}
  - id: g
    type: gate
    label: G
    condition: is it good
    branches: [{condition: oh yes, target: b}, {condition: oh no, target: c}]
  - {id: b, type: step, label: B}
  - {id: c, type: step, label: C}",
        "  - {type: flow, from: a, to: g}\n  - {type: observe, from: user, to: b}",
        &["g"],
        expect![[r#"
            label g
              n1  R  core.FAIL "gate_unresolved"
              n2  J  return

        "#]],
    );
}

#[test]
fn loops_have_their_own_condition_and_counter() {
    lowered(
        "  - {id: a, type: step, label: A}
  - {id: b_c, type: step, label: BC}
  - {id: a_b, type: step, label: AB}
  - {id: c, type: step, label: C}
  - {id: d, type: step, label: D}",
        "  - {type: flow, from: a, to: b_c}
  - {type: flow, from: b_c, to: a_b}
  - {type: loop, from: a_b, to: a, condition: n < 3, max_iterations: 4}
  - {type: flow, from: a_b, to: c}
  - {type: loop, from: c, to: b_c, condition: m < 3}
  - {type: flow, from: c, to: d}
  - {type: loop, from: d, to: c, max_iterations: 2}",
        &["a_b", "c", "d"],
        expect![[r#"
            label a_b
              n1  R   core.NOOP
              n2  If  if n < 3 and _loops_a_b_a < 4
                        then -> n3
                        else -> label c
              n3  X   set _loops_a_b_a = add _loops_a_b_a 1
                        next -> label a

              n3 writes _loops_a_b_a
            label c
              n1  R   core.NOOP
              n2  If  if m < 3
                        then -> label b_c
                        else -> label d

            label d
              n1  R   core.NOOP
              n2  If  if _loops_d_c < 2
                        then -> n3
                        else -> n4
              n3  X   set _loops_d_c = add _loops_d_c 1
                        next -> label c
              n4  J   return

              n3 writes _loops_d_c
        "#]],
    );
}

#[test]
fn a_flow_beside_a_loop_to_the_same_place_is_the_loop() {
    lowered(
        "  - {id: a, type: step, label: A}
  - {id: b, type: step, label: B}
  - {id: x, type: step, label: X}",
        "  - {type: flow, from: a, to: b}
  - {type: flow, from: b, to: a}
  - {type: flow, from: b, to: x}
  - {type: loop, from: b, to: a, condition: n < 3}",
        &["b", "x"],
        expect![[r#"
            label b
              n1  R   core.NOOP
              n2  If  if n < 3
                        then -> label a
                        else -> label x

            label x
              n1  R  core.NOOP
              n2  J  return

        "#]],
    );
}

#[test]
fn a_fork_waits_where_its_ways_meet() {
    lowered(
        "  - {id: a, type: step, label: A}
  - {id: b, type: step, label: B}
  - {id: c, type: step, label: C, logic: 'state.data[\"_done\"] = True'}
  - {id: d, type: step, label: D}
  - {id: e, type: step, label: E}
  - {id: f, type: step, label: F}",
        "  - {type: flow, from: a, to: b, label: left}
  - {type: flow, from: a, to: c}
  - {type: flow, from: b, to: d}
  - {type: flow, from: c, to: e}
  - {type: flow, from: e, to: d}
  - {type: loop, from: d, to: a, condition: n < 3}
  - {type: observe, from: user, to: f}",
        &["a", "c", "d"],
        expect![[r#"
            label a
              n1  R     core.NOOP
              n2  Fork  fork
                          branch -> label b
                          branch -> label c
                          next -> label d

            label c
              n1  R   logic.PYTHON "state.data[\"_done\"] = True"
              n2  If  if _done
                        then -> n3
                        else -> label e
              n3  J   return

              n1 writes _done
            label d
              n1  Join  join all
              n2  If    if _done
                          then -> n4
                          else -> n3
              n4  J     return
              n3  If    if n < 3
                          then -> label a
                          else -> n4

        "#]],
    );
}

#[test]
fn a_fork_waits_where_its_ways_may_meet_and_asks_whether_one_came() {
    let gates = "  - {id: a, type: step, label: A}
  - {id: b, type: gate, label: B, condition: score > 1, branches: [
      {condition: score > 1, target: d}, {condition: score <= 1, target: e}]}
  - {id: c, type: gate, label: C, condition: score > 2, branches: [
      {condition: score > 2, target: d}, {condition: score <= 2, target: f}]}
  - {id: d, type: step, label: D}
  - {id: e, type: step, label: E}
  - {id: f, type: step, label: F}";
    let flows = "  - {type: invoke, from: a, to: writer, output: PlanStep}
  - {type: flow, from: a, to: b}
  - {type: flow, from: a, to: c}";
    lowered(
        gates,
        flows,
        &["a", "b", "d"],
        expect![[r#"
            label a
              n1  R     agent.INVOKE "writer" -> a_result  model
              n2  Set   set _missed_d = true
              n3  Fork  fork
                          branch -> label b
                          branch -> label c
                          next -> label d

              n1 writes a_result, score, note, plan_step
              n2 writes _missed_d
            label b
              n1  If   if score > 1
                         then -> n2
                         else -> label e
              n2  Set  set _missed_d = false
                         next -> label d

              n2 writes _missed_d
            label d
              n1  Join  join all
              n2  If    if _missed_d
                          then -> n3
                          else -> n4
              n3  Set   set _missed_d = false
              n4  J     return

              n3 writes _missed_d
        "#]],
    );
    // A branch that is sure to come need not be asked for.
    let sure = format!("{flows}\n  - {{type: flow, from: a, to: e}}");
    let sure = format!("{sure}\n  - {{type: flow, from: e, to: d}}");
    lowered(
        gates,
        &sure,
        &["a", "b", "d"],
        expect![[r#"
            label a
              n1  R     agent.INVOKE "writer" -> a_result  model
              n2  Fork  fork
                          branch -> label b
                          branch -> label c
                          branch -> label e
                          next -> label d

              n1 writes a_result, score, note, plan_step
            label b
              n1  If  if score > 1
                        then -> label d
                        else -> label e

            label d
              n1  Join  join all
              n2  J     return

        "#]],
    );
}

#[test]
fn a_fork_whose_ways_never_meet_waits_for_their_ends() {
    lowered(
        "  - {id: a, type: step, label: A}\n  - {id: b, type: step, label: B}\n  - {id: c, type: step, label: C}",
        "  - {type: flow, from: a, to: b}\n  - {type: flow, from: a, to: c}",
        &["a", "b"],
        expect![[r#"
            label a
              n1  R     core.NOOP
              n2  Fork  fork
                          branch -> label b
                          branch -> label c
              n3  Join  join all
              n4  J     return

            label b
              n1  R  core.NOOP
              n2  J  return

        "#]],
    );
}

#[test]
fn flow_through_an_agent_goes_on_where_the_agent_leads() {
    lowered(
        "  - {id: a, type: step, label: A}\n  - {id: b, type: step, label: B}",
        "  - {type: invoke, from: a, to: writer}
  - {type: flow, from: a, to: writer}
  - {type: flow, from: writer, to: b}
  - {type: flow, from: writer, to: a}",
        &["a"],
        expect![[r#"
            label a
              n1  R  agent.INVOKE "writer" -> writer_result  model
                       next -> label b

              n1 writes writer_result
        "#]],
    );
}

#[test]
fn a_checkpoint_asks_and_may_be_skipped() {
    lowered(
        "  - {id: a, type: checkpoint, label: A, prompt: Go?, options: [yes, no], timeout: 1h, default_action: skip}
  - {id: b, type: checkpoint, label: B, prompt: Sure?, timeout: 60, default_action: deny}
  - {id: c, type: spawn, label: C, template: writer}",
        "  - {type: flow, from: a, to: b}\n  - {type: flow, from: b, to: c}",
        &["a", "b", "c"],
        expect![[r#"
            label a
              n1  Ask  ask "Go?" -> checkpoint_response  person
                         next -> label b
                         expired -> label b

              n1 writes checkpoint_response
            label b
              n1  Ask  ask "Sure?" -> checkpoint_response  person
                         next -> label c

              n1 writes checkpoint_response
            label c
              n1  R  core.NOOP
              n2  J  return

        "#]],
    );
}

#[test]
fn the_default_of_a_checkpoint_is_its_answer_after_the_timeout() {
    let asked = |members: &str| {
        let text = format!(
            "name: x
version: \"1\"
entities:
  - {{id: writer, type: agent, label: W, model: m}}
processes:
  - {{id: a, type: checkpoint, label: A, prompt: Go?{members}}}
edges: []
"
        );
        let source = Source::new("spec.yaml", text);
        let mut reading = frontends::read(&source, Format::Ontology, Ontology::V1);
        let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
        let label = &graph.labels["a"];
        let ports: Vec<&str> =
            label.edges.iter().filter_map(|edge| Some(edge.port?.word())).collect();
        let slots = label.nodes[0].operands.to_map().into_iter();
        let slots = slots.filter(|(name, _)| !["prompt", "out"].contains(&&**name));
        let slots: value::Map = slots.collect();
        format!("{} {}\n", value::json::compact(&slots.into()), ports.join(" "))
    };
    let all = [
        "",
        ", timeout: 1h",
        ", timeout: 1h, default_action: approve, options: [Ship, Wait]",
        ", timeout: 1h, default_action: deny",
        ", timeout: 1h, default_action: skip",
    ];
    expect![[r#"
        {} next
        {"expires":{"lit":3600000}} next
        {"options":{"lit":["Ship","Wait"]},"default":{"lit":"approve"},"expires":{"lit":3600000}} next
        {"default":{"lit":"deny"},"expires":{"lit":3600000}} next
        {"expires":{"lit":3600000}} next expired
    "#]].assert_eq(&all.map(asked).concat());
}
