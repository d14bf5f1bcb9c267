//! The blocks of real specs, read in place from the folder that `QUIPU_CORPUS` names; without it
//! the test says so and passes.

use std::path::{Path, PathBuf};

use diagnostics::Source;
use host::Python;
use value::{Text, Value};

/// Every `logic` of a document.
fn blocks(value: &Value, found: &mut Vec<Text>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| blocks(item, found)),
        Value::Map(members) => {
            found.extend(members.get("logic").and_then(Value::as_text).cloned());
            members.iter().for_each(|(_, member)| blocks(member, found));
        }
        _ => {}
    }
}

#[test]
fn the_blocks_of_real_specs_compile_or_are_reported() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let folder = Path::new(&corpus).join("ontology/specs");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let (mut all, mut reported, mut ran) = (0, 0, 0);
    for file in files {
        let source = Source::new("spec.yaml", std::fs::read_to_string(&file).unwrap());
        let tree = frontends::yaml::read(&source, &mut Vec::new()).expect("it is YAML");
        let mut found = Vec::new();
        blocks(&tree.to_value(), &mut found);
        for code in found {
            all += 1;
            let problems = logic::read(&code).problems;
            reported += usize::from(!problems.is_empty());
            if let Err(fault) = Python::check(&code) {
                assert!(!problems.is_empty(), "{}: {fault}\n{code}", file.display());
                continue;
            }
            match crate::run(&code, "{}") {
                Ok(_) => ran += 1,
                Err(fault) => {
                    let stops = ["KeyError", "NameError", "ModuleNotFoundError", "AttributeError"];
                    let known = stops.iter().any(|stop| fault.message.starts_with(stop));
                    assert!(known, "{}: {fault}\n{code}", file.display());
                }
            }
        }
    }
    eprintln!("{all} blocks, {reported} with problems; {ran} run on an empty state");
    assert!(all >= 100, "{all} blocks are too few to say anything");
}
