//! What people and scripts are told about runs.

use crate::run::Folder;
use crate::running::{graph, list, text};

const END: &str = r#"{"id": "n1", "op": "J", "data": {"var": "$long"}}"#;

/// Formats pad up to 65,535 characters, and values are longer.
#[test]
fn tables_hold_what_is_longer_than_any_line() {
    let folder = Folder::new();
    let long = "x".repeat(70_000);
    folder
        .write("agent.json", graph(&[("start", END, "")]))
        .write("inputs.json", format!(r#"{{"long": "{long}", "short": 1}}"#));
    assert_eq!(folder.run(&["run", "agent.json", "--inputs", "inputs.json", "--id", "r"]).code, 0);
    let state = folder.run(&["state", "r"]);
    assert_eq!((state.code, state.stderr.as_str()), (0, ""));
    assert_eq!(state.stdout, format!("long   \"{long}\"\nshort  1\n"));
    let named = folder.run(&["run", "agent.json", "--id", &long]);
    assert_eq!(named.code, 0);
    assert!(named.stderr.contains(&format!("next: quipu log {long}  ")));
    assert_eq!(folder.run(&["runs"]).code, 0);
}

#[test]
fn a_step_stands_among_the_events_as_an_event_does() {
    let folder = Folder::new();
    folder.write("agent.json", graph(&[("start", END, "")]));
    folder.run(&["run", "agent.json", "--id", "r"]);
    let log = folder.run(&["log", "r", "--trace", "--json"]).json();
    let steps = list(&log, "events").iter().filter_map(|entry| entry.get("step"));
    let told: Vec<&str> = steps.map(|step| text(step, "what")).collect();
    assert_eq!(told.last(), Some(&"returned"), "{told:?}");
}
