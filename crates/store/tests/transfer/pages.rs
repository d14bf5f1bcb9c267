//! The pages about findings of an import show files that lead to them.

use std::path::Path;

use crate::shelf::Shelf;

#[test]
fn the_example_of_a_page_leads_to_its_finding_and_no_other() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes");
    let codes = diagnostics::codes::ALL.iter().map(|code| code.id);
    for code in codes.filter(|code| code.starts_with("H1") || code.starts_with("H2")) {
        let page = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap();
        let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next());
        let said = Shelf::memory().import(example.unwrap());
        assert_eq!(said.codes(), [code], "{:?}", said.findings);
        let message = page.split("```text\n").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        let message = message.split_once("]: ").unwrap().1;
        assert!(said.findings[0].contains(message), "{message}\n{:?}", said.findings);
    }
}
