//! The pages of the codes that are found when rules are read show what is said: `UPDATE=1` writes
//! it.

use std::path::Path;

use diagnostics::render::{Style, text};
use diagnostics::{Source, codes};

#[test]
fn every_page_shows_what_reading_says() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes");
    let mut wrong = Vec::new();
    let read = |id: &str| ["R1", "R2", "R3"].iter().any(|class| id.starts_with(class));
    for code in codes::ALL.iter().filter(|code| read(code.id)) {
        let path = pages.join(format!("{}.md", code.id));
        let page = std::fs::read_to_string(&path).unwrap();
        let (example, expected) = (fenced(&page, "clp"), fenced(&page, "text"));
        let source = Source::new("example.clp", example);
        let (program, mut findings) = rules::read::read(&source.text);
        if !diagnostics::any_error(&findings) {
            findings.extend(rules::check::check(&program));
        }
        let shown: Vec<String> =
            findings.iter().map(|found| text(&source, found, Style::Plain)).collect();
        let said = format!("{}\n", shown.join("\n").trim_end());
        let ids: Vec<&str> = findings.iter().map(|found| found.code.id).collect();
        if ids != [code.id] {
            wrong.push(format!("{}: found {ids:?}\n{said}", code.id));
        } else if said != expected && std::env::var_os("UPDATE").is_some() {
            std::fs::write(
                &path,
                page.replacen(
                    &format!("```text\n{expected}```"),
                    &format!("```text\n{said}```"),
                    1,
                ),
            )
            .unwrap();
        } else if said != expected {
            wrong.push(format!("{}: the page shows\n{expected}\nbut it says\n{said}", code.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The inside of the first fenced block of a language.
fn fenced<'a>(page: &'a str, language: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n```{language}\n")).expect("it has such a block");
    &rest[..rest.find("\n```").expect("the block ends") + 1]
}
