//! A process that is killed at any moment loses nothing, and does nothing twice.
//!
//! `QUIPU_KILLS=300 cargo test -p quipu --test quipu killed` kills more often than the tests do
//! by themselves; `QUIPU_SEED` begins elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sim::Random;

use super::*;

/// How many steps a run has.
const STEPS: usize = 200;

/// How often the process of one kind of tool is killed, unless somebody says otherwise.
const KILLS: usize = 20;

/// A loop over a tool. What it fails with is kept, and the loop goes on.
fn looping() -> String {
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "input", "body": "one", "after": "end"}}"#;
    let one = format!(r#"{CALL}, {{"id": "n2", "op": "Err", "data": {{"handler": "lost"}}}}"#);
    let lost = r#"{"id": "n1", "op": "X",
        "data": {"dst": "losses", "fn": "push", "args": ["$losses", "$_error"]}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$losses"}}"#;
    graph(&[
        ("start", over, "n1-body->one n1-after->end"),
        ("one", &one, "n1-err-n2 n2-handler->lost"),
        ("lost", lost, ""),
        ("end", end, ""),
    ])
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What a series of kills came to.
#[derive(Debug, Default)]
struct Series {
    kills: usize,
    runs: Vec<String>,
}

/// Kills and resumes runs until that was often enough and the last of them is done.
fn kill(folder: &Folder, seed: u64) -> Series {
    let kills = number("QUIPU_KILLS", 2 * KILLS as u64) as usize / 2;
    let mut random = Random::new(seed);
    let items: Vec<String> = (1..=STEPS).map(|item| item.to_string()).collect();
    let items = format!("items=[{}]", items.join(","));
    let mut series = Series::default();
    while series.kills < kills {
        let run = format!("r{}", series.runs.len());
        let begin = ["run", "agent.json", "--id", &run, "--input", &items, "--json"];
        let resume = ["resume", &run, "--json"];
        loop {
            // A process may die before it has begun the run, and even before there is a store.
            let is_begun = folder.run(&["state", &run]).code == 0;
            let process = folder.start(if is_begun { &resume[..] } else { &begin[..] });
            if series.kills == kills {
                let done = process.end();
                assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
                break;
            }
            std::thread::sleep(Duration::from_micros(random.below(250_000) as u64));
            process.kill();
            series.kills += 1;
            let state = folder.run(&["runs", "--json"]);
            if state.code == 0 && is_over(&state.json(), &run) {
                break;
            }
        }
        series.runs.push(run);
    }
    series
}

fn is_over(runs: &Value, run: &str) -> bool {
    let found = list(runs, "runs").iter().find(|found| text(found, "run") == run);
    found.is_some_and(|found| matches!(text(found, "status"), "done" | "failed"))
}

/// The lines that the tool wrote for a run: the input of each, with how often it is there.
fn lines(folder: &Folder, run: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for line in folder.text("lines").lines() {
        let mut words = line.split(' ');
        let (_key, of, input) = (words.next(), words.next(), words.next());
        if of == Some(run) {
            *found.entry(input.unwrap().to_string()).or_default() += 1;
        }
    }
    found
}

#[test]
fn a_tool_that_knows_its_keys_does_everything_exactly_once() {
    let folder = Folder::new();
    folder
        .program(
            "work",
            r#"read -r given
            # A process that was killed may have left one of these running, with the same key.
            until mkdir lock 2>/dev/null; do sleep 0.002; done
            grep -q "^$QUIPU_IDEMPOTENCY_KEY " lines ||
                echo "$QUIPU_IDEMPOTENCY_KEY $QUIPU_RUN $given" >> lines
            rmdir lock
            echo true"#,
        )
        .write("lines", "")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"key\"\n")
        .write("agent.json", looping());
    let seed = number("QUIPU_SEED", 1);
    let series = kill(&folder, seed);
    println!("seed {seed}: {} kills in {} runs", series.kills, series.runs.len());
    let expected: BTreeMap<String, usize> =
        (1..=STEPS).map(|item| (format!(r#"{{"input":{item}}}"#), 1)).collect();
    let mut again = 0;
    for run in &series.runs {
        assert_eq!(lines(&folder, run), expected, "{run} of seed {seed}");
        let done = folder.run(&["resume", run, "--json"]);
        assert_eq!(ending(&shown(&done)), "done");
        assert_eq!(shown(&done).get("result"), Some(&Value::Null), "nothing was lost");
        let kinds = folder.kinds(run);
        assert!(!kinds.contains(&"interruption".to_string()), "no call was in doubt");
        again += kinds.iter().filter(|kind| *kind == "effect_started").count() - STEPS;
        folder.is_sound(run);
    }
    println!("  {again} calls were made again with their key");
}

#[test]
fn a_tool_that_declares_nothing_does_nothing_twice() {
    let folder = Folder::new();
    folder
        .program("work", "read -r given\necho \"k $QUIPU_RUN $given\" >> lines\necho true\n")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write("agent.json", looping());
    let seed = number("QUIPU_SEED", 2);
    let series = kill(&folder, seed);
    println!("seed {seed}: {} kills in {} runs", series.kills, series.runs.len());
    let (mut in_doubt, mut not_done) = (0, 0);
    for run in &series.runs {
        let lines = lines(&folder, run);
        assert!(lines.values().all(|times| *times == 1), "{run} of seed {seed}: {lines:?}");
        let doubts = doubts(&folder, run);
        for item in (1..=STEPS).map(|item| format!(r#"{{"input":{item}}}"#)) {
            let is_done = lines.contains_key(&item);
            assert!(is_done || doubts.contains(&item), "{item} of {run} is lost, seed {seed}");
            not_done += usize::from(!is_done);
        }
        in_doubt += doubts.len();
        folder.is_sound(run);
    }
    println!("  {in_doubt} calls were in doubt, of which {not_done} had not happened");
}

/// The inputs of the calls that interruptions name. Each is told to the run, in words.
fn doubts(folder: &Folder, run: &str) -> BTreeSet<String> {
    let events = folder.events(run);
    let calls: BTreeMap<&str, String> = events
        .iter()
        .filter(|event| text(event, "kind") == "tool_call")
        .map(|call| (text(call, "event_id"), json::compact(call.get("args").unwrap())))
        .collect();
    let interruptions = events.iter().filter(|event| text(event, "kind") == "interruption");
    let named = interruptions.flat_map(|interruption| list(interruption, "affects"));
    let doubts: BTreeSet<String> =
        named.map(|named| calls[text(named, "event_id")].clone()).collect();
    let answered = events.iter().filter(|event| text(event, "kind") == "tool_result").count();
    assert_eq!(calls.len(), STEPS);
    assert_eq!(answered + doubts.len(), STEPS, "every call was answered, or is in doubt");
    let document = shown(&folder.run(&["resume", run, "--json"]));
    let losses = document.get("result").and_then(Value::as_list).unwrap_or_default();
    assert_eq!(losses.len(), doubts.len());
    for loss in losses {
        assert_eq!(text(loss, "code"), "interrupted");
        let message = "the process died while `one/n1` was under way (attempt 1): it may have \
                       happened";
        assert_eq!(text(loss, "message"), message);
    }
    doubts
}
