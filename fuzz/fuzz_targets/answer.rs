//! Any text is an answer that fits its schema, or a fault that says why not, never a panic; and
//! what was taken fits again.
#![no_main]

use std::sync::LazyLock;

use diagnostics::Source;
use libfuzzer_sys::fuzz_target;
use runtime::FaultKind;
use runtime::schema::{SchemaId, Schemas};
use value::{Value, json};

static SCHEMAS: LazyLock<(Schemas, SchemaId)> = LazyLock::new(|| {
    let spec = include_str!("answer.yaml");
    let source = Source::new("answer.yaml", spec);
    let reading =
        frontends::read(&source, frontends::Format::Ontology, frontends::Ontology::V1);
    let graph = graph::normalize(reading.draft.expect("it can be read"), &mut Vec::new());
    let schemas = Schemas::compile(&graph.declarations);
    let id = schemas.find("Report").expect("it is declared");
    (schemas, id)
});

fuzz_target!(|text: &str| {
    let (schemas, id) = &*SCHEMAS;
    match schemas.answer(*id, text) {
        Err(fault) => assert_eq!(fault.kind, FaultKind::Schema),
        Ok(object) => {
            let again = schemas.answer(*id, &json::compact(&Value::from(object.clone())));
            assert_eq!(again.as_ref().ok(), Some(&object), "read again: {again:?}");
        }
    }
});
