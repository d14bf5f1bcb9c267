//! Programs and graph documents that become texts of another format: what was written means the
//! same, or the report says what does not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Severity, Source};
use expect_test::expect;
use frontends::{Format, Ontology, ainl, ontology};
use graph::Graph;
use graph::hash::Hashes;
use graph::validate::{Edges, validate};
use sim::engine::{self, Asked, Limits, Outcome, World};
use value::{Map, Text, Value, json};

fn read(text: &str, format: Format) -> (Graph, Vec<Diagnostic>) {
    let source = Source::new("text", text.to_string());
    let mut reading = frontends::read(&source, format, Ontology::V1);
    let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
    reading.findings.extend(validate(&graph, Edges::Strict));
    (graph, reading.findings)
}

/// The graph of a text, where nothing is wrong with it.
fn graph_of(text: &str, format: Format) -> Option<Graph> {
    let (graph, findings) = read(text, format);
    (!diagnostics::any_error(&findings)).then_some(graph)
}

/// A program that is written again is the same program, in the one layout.
fn program_again(name: &str, text: &str) {
    let graph = graph_of(text, Format::Ainl).unwrap_or_else(|| panic!("{name} has errors"));
    let (written, lost) = ainl::write(&graph);
    assert_eq!(lost, Vec::new(), "{name}");
    let (again, findings) = read(&written, Format::Ainl);
    assert!(!diagnostics::any_error(&findings), "{name}: {findings:?}\n{written}");
    assert_eq!(Hashes::of(&graph).checksum, Hashes::of(&again).checksum, "{name}\n{written}");
    assert_eq!(ainl::format(&written), written, "{name}");
}

/// What is written as a spec has no errors, whatever was lost.
fn spec_of(name: &str, graph: &Graph) {
    let (written, lost) = ontology::write(graph);
    let (again, findings) = read(&written, Format::Ontology);
    let errors: Vec<_> =
        findings.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{written}");
    let analysed = compiler::analyse(&again);
    let errors: Vec<_> =
        analysed.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}\n{written}");
    assert!(!lost.iter().any(|lost| lost.what.contains("breaks")), "{name}: {lost:?}");
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ainl");
    std::fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn programs_are_written_as_they_are() {
    for name in ["orders.ainl", "lib/score.ainl"] {
        program_again(name, &example(name));
    }
    for seed in 0..60 {
        program_again("sim.ainl", &sim::program(seed, 10 + 5 * seed as usize));
    }
}

#[test]
fn programs_become_specs_without_errors() {
    for name in ["orders.ainl", "lib/score.ainl"] {
        spec_of(name, &graph_of(&example(name), Format::Ainl).unwrap());
    }
    for seed in 0..60 {
        let program = sim::program(seed, 10 + 5 * seed as usize);
        spec_of("sim.ainl", &graph_of(&program, Format::Ainl).unwrap());
    }
}

#[test]
fn documents_become_specs_without_errors() {
    for seed in 0..200 {
        let document = json::compact(&sim::document(seed, 1 + seed as usize % 60));
        spec_of(&format!("seed {seed}"), &graph_of(&document, Format::Graph).unwrap());
    }
    for seed in 0..200 {
        spec_of(&format!("seed {seed}"), &engine::graphs::graph(seed, 1 + seed as usize % 40));
    }
    spec_of("nothing", &graph_of(r#"{"labels": {}}"#, Format::Graph).unwrap());
}

const DOES_ALL: &str = r#"{"labels": {
  "1": {"entry": "n1", "nodes": [
      {"id": "n1", "op": "CacheGet", "data": {"name": "seen", "key": "$k", "out": "page"}},
      {"id": "n2", "op": "If", "data": {"cond": "page?"}},
      {"id": "n3", "op": "R", "data": {"adapter": "http.GET", "target": "$k", "out": "page"}},
      {"id": "n4", "op": "Retry", "data": {"count": 2, "backoff_ms": 50}},
      {"id": "n5", "op": "CacheSet", "data": {"name": "seen", "key": "$k", "value": "$page"}}],
    "edges": [
      {"from": "n1", "to": "n2"},
      {"from": "n2", "to": "n3", "port": "else"},
      {"from": "n2", "to": "ask", "to_kind": "label", "port": "then"},
      {"from": "n3", "to": "n4", "port": "retry"},
      {"from": "n3", "to": "n5"},
      {"from": "n5", "to": "ask", "to_kind": "label"}]},
  "ask": {"nodes": [
      {"id": "n1", "op": "R", "data": {"adapter": "llm.COMPLETION", "target": "$page", "out": "told"}},
      {"id": "n2", "op": "Ask", "data": {"prompt": "Shall it be sent?", "options": ["yes", "no"],
        "expires": 60000, "out": "answer"}},
      {"id": "n3", "op": "If", "data": {"cond": "answer = yes"}},
      {"id": "n4", "op": "QueuePut", "data": {"queue": "letters", "value": "$told"}}],
    "edges": [
      {"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3"},
      {"from": "n3", "to": "n4", "port": "then"}]}
}}"#;

#[test]
fn labels_become_steps_gates_and_checkpoints() {
    let graph = graph_of(DOES_ALL, Format::Graph).unwrap();
    let (written, lost) = ontology::write(&graph);
    let lost: Vec<String> =
        lost.iter().map(|lost| format!("# {}: {}\n", lost.at, lost.what)).collect();
    expect![[r#"
        name: Converted
        version: '1.0'
        entry_point: L1

        entities:
          - { id: model, type: agent, label: Model, model: default }
          - { id: http_get, type: tool, label: http.GET, tool_type: api }
          - id: letters
            type: store
            label: letters
            store_type: queue
            retention: persistent
            access: readwrite
          - { id: seen, type: store, label: seen, store_type: kv, retention: persistent, access: readwrite }

        processes:
          - id: L1
            type: step
            label: L1
            logic: 'state.data["page"] = None if state.data.get("k") is None else state.seen.read(state.data.get("k"))'
          - id: L1_n2
            type: gate
            label: L1 n2
            condition: page?
            branches: [{ condition: page?, target: ask }, { condition: else, target: L1_n3 }]
          - { id: L1_n3, type: step, label: L1 n3, logic: 'state.data["tool_input"] = state.data.get("k")' }
          - id: L1_after_n3
            type: step
            label: L1 after n3
            logic: |-
              state.data["page"] = state.data.get("observation")
              state.seen.write(state.data.get("k"), state.data.get("page"))
          - { id: ask, type: step, label: Ask, logic: 'state.data["prompt"] = state.data.get("page")' }
          - id: ask_after_n1
            type: step
            label: Ask after n1
            logic: 'state.data["told"] = state.data.get("model_result")'
          - id: ask_n2
            type: checkpoint
            label: Ask n2
            prompt: Shall it be sent?
            options: ['yes', 'no']
            timeout: '60s'
          - id: ask_after_n2
            type: step
            label: Ask after n2
            logic: 'state.data["answer"] = state.data.get("checkpoint_response")'
          - id: ask_n3
            type: gate
            label: Ask n3
            condition: 'answer = "yes"'
            branches: [{ condition: 'answer = "yes"', target: ask_n4 }, { condition: else, target: end }]
          - { id: ask_n4, type: step, label: Ask n4, logic: 'state.letters.write(state.data.get("told"))' }
          - { id: end, type: step, label: End }

        edges:
          - { type: flow, from: L1, to: L1_n2 }
          - { type: branch, from: L1_n2, to: ask, condition: page? }
          - { type: branch, from: L1_n2, to: L1_n3, condition: else }
          - type: invoke
            from: L1_n3
            to: http_get
            retry: { max_retries: 2, initial_delay_ms: 50, backoff: linear, max_delay_ms: 50 }
          - { type: flow, from: L1_n3, to: L1_after_n3 }
          - { type: flow, from: L1_after_n3, to: ask }
          - { type: invoke, from: ask, to: model, input: Prompt }
          - { type: flow, from: ask, to: ask_after_n1 }
          - { type: flow, from: ask_after_n1, to: ask_n2 }
          - { type: flow, from: ask_n2, to: ask_after_n2 }
          - { type: flow, from: ask_after_n2, to: ask_n3 }
          - { type: branch, from: ask_n3, to: ask_n4, condition: 'answer = "yes"' }
          - { type: branch, from: ask_n3, to: end, condition: else }

        schemas:
          - { name: Prompt, fields: [{ name: prompt, type: string }] }

        state:
          initial: { k: null }

        # llm: models became the agent `model`: say which model it is
        # http.GET: became the tool `http_get`, which is given its arguments as `input`: bind it in quipu.toml
        # letters: became the store `letters`, in which nothing expires
        # seen: became the store `seen`, in which nothing expires
    "#]].assert_eq(&format!("{written}\n{}", lost.concat()));
    spec_of("all", &graph);
}

/// How runs end, what they write, and what they ask of the world: of one in which every call is
/// answered, and of one in which every call fails.
fn runs(graph: &Graph, seed: u64) -> [(String, Vec<Text>); 2] {
    let mut failing = World::seeded(seed);
    failing.has_policy = false;
    [World::scripted(Map::default()), failing].map(|mut world| {
        let inputs = engine::graphs::inputs(seed);
        let Outcome { status, state, effects, .. } =
            engine::naive::run(graph, &inputs, &mut world, &Limits::default());
        let asked = effects.into_iter().map(|Asked { request, .. }| request).collect();
        (format!("{status:?} {}", json::canonical(&Value::from(state))), asked)
    })
}

#[test]
fn documents_become_programs_that_do_the_same() {
    let mut same = 0;
    for seed in 0..200 {
        let document = json::compact(&sim::document(seed, 1 + seed as usize % 60));
        let graph = graph_of(&document, Format::Graph).unwrap();
        let (written, lost) = ainl::write(&graph);
        if !lost.is_empty() {
            continue;
        }
        let (again, findings) = read(&written, Format::Ainl);
        assert!(!diagnostics::any_error(&findings), "seed {seed}: {findings:?}\n{written}");
        assert_eq!(runs(&graph, seed), runs(&again, seed), "seed {seed}\n{document}\n{written}");
        assert_eq!(ainl::format(&written), written, "seed {seed}");
        same += 1;
    }
    assert!(same > 20, "only {same} were written without a report");
}

#[test]
fn programs_of_the_corpus_become_specs_without_errors() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let entries = std::fs::read_dir(Path::new(&corpus).join("ainl")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut count = 0;
    for file in files {
        let case = json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let document = Value::map([("labels", case.get("labels").unwrap().clone())]);
        if let Some(graph) = graph_of(&json::compact(&document), Format::Graph) {
            spec_of(&file.display().to_string(), &graph);
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
