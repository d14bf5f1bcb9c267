//! The pages about findings of an import show files that lead to them.

use std::path::Path;

use crate::shelf::Shelf;

#[test]
fn the_example_of_a_page_leads_to_its_finding_and_no_other() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes");
    let codes = diagnostics::codes::ALL.iter().map(|code| code.id);
    let mut wrong = Vec::new();
    // Only who records an event knows when it was recorded, and an import makes no fork of another
    // event than is named.
    let of_others = [diagnostics::codes::CLOCK_SUSPECT.id, diagnostics::codes::WRONG_ORIGIN.id];
    for code in codes.filter(|code| code.starts_with('H') && !of_others.contains(code)) {
        let page = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap();
        let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next());
        let said = Shelf::memory().import(example.unwrap());
        let message = page.split("```text\n").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        let message = message.split_once("]: ").unwrap().1;
        if said.codes() != [code] || !said.findings[0].contains(message) {
            wrong.push(format!("{code} shows `{message}`: {:#?}", said.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_export_of_the_reference_comes_out_as_it_went_in() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = std::fs::read_to_string(docs.join("history.md")).unwrap();
    let export = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    for shelf in Shelf::all() {
        shelf.import(export);
        assert_eq!(shelf.export(), export);
        assert_eq!(shelf.verify(), [""; 0]);
    }
}
