//! The example of each page is a history in which exactly that is wrong, and the page shows the
//! message and the help as they are.

use diagnostics::codes;
use history::{Event, Ledger, Timestamp};

use super::fact;

#[test]
fn the_example_of_every_page_breaks_what_the_page_is_about() {
    let recorded = Timestamp::parse("2026-03-01T12:00:00Z");
    for code in codes::ALL.iter().filter(|code| code.id.starts_with("H3")) {
        let mut ledger = Ledger::default();
        let mut found = Vec::new();
        for line in fenced(code.page, "jsonl").lines() {
            let event = Event::read(line).unwrap_or_else(|why| panic!("{}: {why:?}", code.id));
            let fact = fact(&event);
            found.extend(ledger.check(&event, Some(&fact), recorded));
            ledger.apply(&event, Some(&fact));
        }
        let [found] = &found[..] else { panic!("{}: {found:#?}", code.id) };
        assert_eq!(found.code(), *code);
        let shown = fenced(code.page, "text");
        assert_eq!(shown.lines().next(), Some(&*format!("warning[{}]: {found}", code.id)));
        assert_eq!(shown.lines().last(), Some(&*format!("  = help: {}", found.help())));
    }
}

/// The inside of the first fenced block of a language.
fn fenced<'a>(page: &'a str, language: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n```{language}\n")).expect("a page has both");
    rest.split_once("\n```").expect("a block ends").0
}
