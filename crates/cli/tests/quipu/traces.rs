//! Runs of real specs visit the processes that they should, in the same order. The specs and what
//! they visit are in the corpus that `QUIPU_CORPUS` names; without it the test says so and passes.

use std::path::PathBuf;

use value::{Value, json};

use crate::run::Folder;

#[test]
fn real_specs_visit_what_they_should() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let ontology = PathBuf::from(corpus).join("ontology");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(ontology.join("traces")).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "the corpus has traces");
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for file in files {
        let trace = json::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let text = |name: &str| trace.get(name).and_then(Value::as_text).unwrap().to_string();
        let spec = ontology.join("specs").join(format!("{}.yaml", text("spec")));
        folder.write("inputs.json", json::compact(trace.get("initial").unwrap()));
        let visits = json::compact(trace.get("max_iterations").unwrap());
        let model = format!("stub:{}", text("profile"));
        let done = folder.run(&[
            "run",
            spec.to_str().unwrap(),
            "--inputs",
            "inputs.json",
            "--model",
            &model,
            "--max-visits",
            &visits,
            "--json",
        ]);
        let ran = done.json();
        if ran.get("path") != trace.get("visited") {
            wrong.push(format!("{}: {:?}", file.display(), ran.get("error")));
        }
        // What was recorded is enough to derive the run again.
        let run = ran.get("run").and_then(Value::as_text).unwrap();
        let replayed = folder.run(&["replay", run, "--json"]);
        assert_eq!(replayed.code, 0, "{}: {}", file.display(), replayed.stdout);
    }
    assert!(wrong.is_empty(), "{} runs went another way:\n{}", wrong.len(), wrong.join("\n"));
}
