//! A call is recorded as left when there is room for it, and not while it waits for some.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Branches that call a tool of which one call may run at a time, and that takes its time. What
/// is lost is lost for its branch only.
fn branches(again: &str) -> Folder {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {"over": "$items", "item": "input"}},
        {"id": "n2", "op": "Join", "data": {}}"#;
    let one = format!(r#"{CALL}, {{"id": "n2", "op": "Err", "data": {{"handler": "lost"}}}}"#);
    let other = CALL.replace("work", "other");
    let program = "read -r given\necho \"$given\" >> NAME.lines\nuntil test -e enough; do \
                   sleep 0.01; done\necho true";
    let config = format!(
        "[tools.work]\ncommand = [\"./work\"]\nagain = \"{again}\"\nconcurrency = 1\n\
         [tools.other]\ncommand = [\"./other\"]\nagain = \"{again}\"\n"
    );
    folder
        .program("work", &program.replace("NAME", "work"))
        .program("other", &program.replace("NAME", "other"))
        .write("quipu.toml", config)
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->one n1-branch->two n1-next-n2"),
                ("one", &one, "n1-err-n2 n2-handler->lost"),
                (
                    "two",
                    &format!("{other}, {}", &one[CALL.len() + 2..]),
                    "n1-err-n2 n2-handler->lost",
                ),
                ("lost", r#"{"id": "n1", "op": "J", "data": {}}"#, ""),
            ]),
        );
    folder
}

/// Starts a run of five branches for each tool, all of which have called.
fn start(folder: &Folder) -> Running {
    let items = "items=[1,2,3,4,5]";
    let process = folder.start(&["run", "agent.json", "--id", "r", "--input", items]);
    folder.until("whatever has room is under way", |folder| {
        called(folder, "work") == 1 && called(folder, "other") == 5
    });
    process
}

/// How often the program of a tool was run.
fn called(folder: &Folder, tool: &str) -> usize {
    folder.text(&format!("{tool}.lines")).lines().count()
}

/// How many calls of a tool were under way at the same time, at most, as far as the history knows;
/// and which were in doubt.
fn under_way(folder: &Folder, tool: &str) -> (usize, usize) {
    let (mut calls, mut left) = (BTreeMap::new(), BTreeSet::new());
    let (mut most, mut doubts) = (0, 0);
    for event in &folder.events("r") {
        match text(event, "kind") {
            "tool_call" if text(event, "tool") == tool => {
                let id = text(event, "event_id").to_string();
                calls.insert(id, text(event, "call_id").to_string());
            }
            "effect_started" => {
                let call = event.get("call").unwrap();
                left.extend(calls.get(text(call, "event_id")).cloned());
            }
            "tool_result" => drop(left.remove(text(event, "call_id"))),
            "interruption" => {
                for affected in list(event, "affects") {
                    let call = calls.get(text(affected, "event_id"));
                    doubts += usize::from(call.is_some_and(|call| left.remove(call)));
                }
            }
            _ => {}
        }
        most = most.max(left.len());
    }
    (most, doubts)
}

#[test]
fn only_what_had_room_is_in_doubt_after_a_crash() {
    let folder = branches("ask");
    start(&folder).kill();
    folder.write("enough", "");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!(under_way(&folder, "work"), (1, 1));
    assert_eq!(under_way(&folder, "other"), (5, 5));
    assert_eq!((called(&folder, "work"), called(&folder, "other")), (5, 5), "each was made once");
    folder.is_sound("r");
}

#[test]
fn what_is_made_again_takes_its_room_first() {
    let folder = branches("key");
    start(&folder).kill();
    folder.write("enough", "");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!(under_way(&folder, "work"), (1, 0));
    assert_eq!((called(&folder, "work"), called(&folder, "other")), (6, 10));
    folder.is_sound("r");
}

#[test]
fn a_pause_waits_for_what_is_under_way_and_for_nothing_else() {
    let folder = branches("ask");
    let mut process = start(&folder);
    process.interrupt();
    let told = format!(
        "pausing: waits for one/n1{}, which cannot be repeated; once more ends at once",
        ", two/n1".repeat(5)
    );
    assert_eq!(process.line(), told);
    folder.write("enough", "");
    let done = process.end();
    assert_eq!(done.code, 130, "{}{}", done.stdout, done.stderr);
    assert_eq!((called(&folder, "work"), called(&folder, "other")), (1, 5));
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!((under_way(&folder, "work"), under_way(&folder, "other")), ((1, 0), (5, 0)));
    let in_order: String = (1..=5).map(|item| format!("{{\"input\":{item}}}\n")).collect();
    assert_eq!((folder.text("work.lines"), called(&folder, "other")), (in_order, 5));
    folder.is_sound("r");
}
