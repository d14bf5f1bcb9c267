//! What is found in graphs that the reference compiler wrote, by the names of their files. They are
//! read from the folder that `QUIPU_CORPUS` names; without it the test says so and passes.

use std::path::Path;

use diagnostics::{Source, any_error};
use graph::validate::{Edges, validate};
use value::{Value, json};

/// Files in which the graph shows something; of all others it shows nothing.
const FOUND: [(&str, &[&str]); 15] = [
    ("adjacent", &["A117"]),
    ("call_bad_bind", &["A117"]),
    ("call_missing", &["G303"]),
    ("endpoint_mismatch", &["A119"]),
    ("endpoint_missing", &["G303"]),
    // The reference tells the one cause three times.
    ("endpoint_twoj", &["G407"]),
    ("err_bad_node", &["G406"]),
    // The reference takes a return for a jump and finds nothing.
    ("j_label", &["A121"]),
    ("line_filter_foreach", &["G304"]),
    // The reference finds nothing: one branch is enough for it.
    ("may_defined", &["A116"]),
    ("mem_types", &["A117", "A117", "A117"]),
    // The reference finds nothing.
    ("recursion", &["A114"]),
    ("target_no_j", &["A120"]),
    ("undef_target", &["G303"]),
    // The reference finds nothing, and breaks when it runs.
    ("x_unknown_alone", &["G419"]),
];

#[test]
fn compiled_graphs_show_what_they_lack() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        return eprintln!("skipped: QUIPU_CORPUS is not set");
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(Path::new(&corpus).join("ainl")).expect("it is a folder") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let case = json::parse(&text).expect("it is JSON");
        let members = ["labels", "services", "capabilities", "crons"];
        let members = members.into_iter().filter_map(|name| Some((name, case.get(name)?.clone())));
        let document = json::compact(&Value::map(members));
        let source = Source::new("case.json", document);
        let mut reading = frontends::document::read(&source);
        let draft = reading.draft.expect("it is a document");
        let graph = graph::normalize(draft, &mut reading.findings);
        let mut findings = validate(&graph, Edges::Strict);
        if !any_error(&findings) {
            findings.extend(compiler::analyse(&graph));
        }
        let found: Vec<&str> = findings.iter().map(|finding| finding.code.id).collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let listed = FOUND.iter().find(|(listed, _)| *listed == name);
        seen += usize::from(listed.is_some());
        assert_eq!(found, listed.map_or(&[][..], |(_, codes)| *codes), "{name}");
    }
    assert_eq!(seen, FOUND.len());
}
