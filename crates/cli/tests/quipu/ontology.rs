//! Agent Ontology specs with known verdicts. They are read in place, from the folder that
//! `QUIPU_CORPUS` names; without it the tests say so and pass.
#![expect(clippy::print_stderr, reason = "a test that skips says so, and figures are shown")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use value::{Value, json};

use crate::run::Folder;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return Vec::new();
    };
    let folder = Path::new(&corpus).join("ontology").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

fn read(path: &Path) -> Value {
    json::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn expected(spec: &Path) -> Value {
    read(&spec.with_extension("expected.json"))
}

fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    let found = path.iter().try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_list).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_text).map_or("", |text| text)
}

/// All of them in one go: a list of findings for each.
fn check(files: &[PathBuf], more: &[&str]) -> Vec<Vec<Value>> {
    let mut arguments = vec!["check", "--json"];
    arguments.extend(more);
    arguments.extend(files.iter().map(|path| path.to_str().unwrap()));
    let done = Folder::new().run(&arguments);
    let checked = done.json();
    list(&checked, &["files"]).iter().map(|file| list(file, &["diagnostics"]).to_vec()).collect()
}

fn errors(findings: &[Value]) -> Vec<&Value> {
    findings.iter().filter(|finding| text(finding, "severity") == "error").collect()
}

#[test]
fn every_spec_has_its_verdict_and_its_findings() {
    let files = files("specs", ".yaml");
    if files.is_empty() {
        return;
    }
    for (file, findings) in files.iter().zip(check(&files, &[])) {
        let expected = expected(file);
        let known = ["errors", "warnings"].map(|kind| list(&expected, &["expected", kind]));
        let errors = errors(&findings);
        assert_eq!(errors.is_empty(), known[0].is_empty(), "{}: {errors:#?}", file.display());
        // What a node of an unknown type may be joined with is no second finding.
        let is_asked = |rule: &&Value| **rule != Value::text("endpoint");
        let rules: Vec<&Value> =
            known.iter().flat_map(|list| list.iter()).filter_map(|one| one.get("rule")).collect();
        for rule in rules.iter().filter(|rule| is_asked(rule)) {
            let found = findings.iter().any(|finding| finding.get("rule") == Some(rule));
            assert!(found, "{}: nothing about rule {rule:?}", file.display());
        }
        for finding in findings.iter().filter(|finding| finding.get("rule") != Some(&Value::Null)) {
            let is_known = rules.iter().any(|rule| finding.get("rule") == Some(rule));
            assert!(is_known, "{}: {}", file.display(), text(finding, "message"));
        }
    }
    eprintln!("{} specs", files.len());
}

#[test]
fn every_broken_spec_is_told_what_it_breaks_once() {
    let files = files("invalid", ".yaml");
    let mut repeated = Vec::new();
    if files.is_empty() {
        return;
    }
    for (file, findings) in files.iter().zip(check(&files, &[])) {
        let (name, expected) = (file.display(), expected(file));
        let meta = expected.get("meta").unwrap();
        let errors = errors(&findings);
        let has_errors = !list(&expected, &["expected", "errors"]).is_empty();
        assert_eq!(has_errors, !errors.is_empty(), "{name}: {errors:#?}");
        let Some(breaks) = meta.get("breaks") else { continue };
        let accepted = meta.get("accept").and_then(Value::as_list);
        let accepted = accepted.unwrap_or(std::slice::from_ref(breaks));
        let severity = text(meta, "seed_severity");
        let found = findings.iter().any(|finding| {
            finding.get("rule").is_some_and(|rule| accepted.contains(rule))
                && text(finding, "severity") == severity
        });
        assert!(found, "{name} breaks {breaks:?}: {findings:#?}");
        // The one with two agents of a wrong type has two causes.
        if errors.len() > 1 {
            repeated.push(file.file_stem().unwrap().to_string_lossy().into_owned());
        }
    }
    assert_eq!(repeated, ["r01_agent_type_misspelt"], "one error for each cause");
    eprintln!("{} broken specs", files.len());
}

#[test]
fn the_clause_that_decided_is_the_one_that_was_chosen() {
    let traces = files("traces", ".json");
    let (mut gates, mut steps) = (0, 0);
    for path in &traces {
        let trace = read(path);
        let spec = path.parent().unwrap().parent().unwrap().join("specs");
        let spec = spec.join(format!("{}.yaml", text(&trace, "spec")));
        let arguments = ["compile", "--ontology", "0.2", spec.to_str().unwrap()];
        let graph = Folder::new().run(&arguments).json();
        for decided in list(&trace, &["gates"]) {
            let decided: Vec<&str> =
                decided.as_list().unwrap().iter().map(|word| &**word.as_text().unwrap()).collect();
            let [gate, to, source] = decided[..] else { panic!("{decided:?}") };
            let known = clauses(&graph, gate);
            assert!(known.contains(&(to.into(), source.into())), "{path:?} {decided:?}: {known:?}");
            gates += 1;
        }
        let visited = list(&trace, &["visited"]);
        for pair in visited.windows(2) {
            let [from, to] = pair else { unreachable!("windows of two") };
            let label = graph.get("labels").and_then(|labels| labels.get(from.as_text()?)).unwrap();
            let leads = list(label, &["edges"]).iter().any(|edge| edge.get("to") == Some(to));
            assert!(leads, "{path:?}: nothing leads from {from:?} to {to:?}");
            steps += 1;
        }
    }
    if !traces.is_empty() {
        eprintln!("{} traces: {gates} decisions, {steps} steps", traces.len());
    }
}

/// Where a gate can go, and what decides it.
fn clauses(graph: &Value, gate: &str) -> BTreeSet<(String, String)> {
    let label = graph.get("labels").and_then(|labels| labels.get(gate)).unwrap();
    let mut clauses = BTreeSet::new();
    for edge in list(label, &["edges"]) {
        let nodes = list(label, &["nodes"]);
        let node = nodes.iter().find(|node| node.get("id") == edge.get("from")).unwrap();
        let told = node.get("gate");
        let told = match text(edge, "port") {
            // A gate that has only a default goes there without asking.
            "then" | "next" => told,
            _ => told.and_then(|told| told.get("else")),
        };
        // What is not noted decides nothing: the end of a run that logic asked for.
        let Some(told) = told else { continue };
        let source = text(told, "source");
        clauses.insert((text(edge, "to").to_string(), source.to_string()));
    }
    clauses
}

const SLIP: &str = r#"
name: Sure or not
version: "1.0"
entry_point: ask
entities:
  - {id: oracle, type: agent, label: Oracle, model: gpt-4o}
schemas:
  - {name: Answer, fields: [{name: certainty, type: float}]}
processes:
  - {id: ask, type: step, label: Ask}
  - id: sure
    type: gate
    label: Sure?
    condition: certianty >= 0.8
    branches: [{condition: certianty >= 0.8, target: tell}, {condition: certianty < 0.8, target: ask}]
  - {id: tell, type: step, label: Tell}
edges:
  - {type: invoke, from: ask, to: oracle, output: Answer}
  - {type: flow, from: ask, to: sure}
  - {type: branch, from: sure, to: tell, condition: certianty >= 0.8}
  - {type: branch, from: sure, to: ask, condition: certianty < 0.8}
"#;

#[test]
fn a_compiled_spec_compiles_to_itself() {
    let mut files = files("specs", ".yaml");
    files.extend(self::files("invalid", ".yaml"));
    files.push(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../frontends/tests/specs/everything.yaml"),
    );
    let folder = Folder::new();
    // A name that the spec and the analysis would both complain about.
    folder.write("slip.yaml", SLIP);
    files.push(folder.path().join("slip.yaml"));
    for file in files {
        let once = folder.run(&["compile", file.to_str().unwrap()]);
        let again = folder.run_with(&["compile", "-"], &once.stdout);
        assert_eq!(once.code, again.code, "{}", file.display());
        assert_eq!(once.stdout, again.stdout, "{}", file.display());
    }
}

#[test]
fn logic_is_reported_only_where_the_interpreter_lacks_something() {
    let files = files("specs", ".yaml");
    if files.is_empty() {
        return;
    }
    let checked = check(&files, &["--ontology", "0.2"]);
    let findings = checked.iter().flatten();
    let about: Vec<&str> = findings
        .filter(|finding| text(finding, "code").starts_with("O4"))
        .map(|finding| text(finding, "message"))
        .collect();
    let lacks = |message: &&str| message.contains("`yaml`") || message.contains("`call_llm`");
    assert!(about.iter().all(lacks), "{about:#?}");
    eprintln!("{} blocks reported", about.len());
}
