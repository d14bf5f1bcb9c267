//! Where events come to stand: bare events, forks, files in parts.

use history::line::Line;
use history::{Event, Place, Stream};
use store::{Expected, Imported};

use crate::shelf::{Shelf, bare, event, file, fork};

fn kinds(shelf: &Shelf, stream: &Stream) -> Vec<String> {
    let entries = shelf.0.read(stream, 0, 100).unwrap();
    let kind = |event: &Event| event.members()["kind"].as_text().unwrap().to_string();
    entries.iter().map(|entry| format!("{} {}", entry.seq, kind(&entry.event))).collect()
}

#[test]
fn the_examples_of_spec_5_come_out_as_they_went_in() {
    let examples = [
        r#"{"kind": "model_request", "event_id": "ID", "ts": "2026-01-01T00:00:00.000000Z",
            "run_id": "r1", "agent_id": "a1", "model": "o4-mini", "params": {"temperature": 0.2},
            "input_refs": [{"event_id": "PREVIOUS"}], "correlation_id": "abc123"}"#,
        r#"{"kind": "tool_result", "event_id": "ID", "ts": "2026-01-01T00:00:01.000000Z",
            "run_id": "r1", "agent_id": "a1", "call_id": "exec-42", "status": "ok",
            "result": {"rc": 0, "stdout": "...", "stderr": "", "duration_ms": 120}}"#,
        r#"{"kind": "snapshot_created", "event_id": "ID", "ts": "2026-01-01T00:00:02.000000Z",
            "agent_id": "a1", "resource_ref": "res-vol-123", "snapshot_ref": "snap-abc",
            "outcome": "ok"}"#,
        r#"{"kind": "restore_attempted", "event_id": "ID", "ts": "2026-01-01T00:00:03.000000Z",
            "agent_id": "a1", "snapshot_ref": "snap-live-ram", "outcome": "unsupported"}"#,
    ];
    let lines: Vec<String> = examples
        .iter()
        .map(|example| {
            let example = example.replace('\n', " ").replace("PREVIOUS", &"0".repeat(64));
            let id = Event::read(&example.replace(r#""event_id": "ID", "#, "")).unwrap().id();
            example.replace("\"ID\"", &format!("\"{id}\""))
        })
        .collect();
    for shelf in Shelf::all() {
        let done = shelf.import(file(&lines)).done;
        assert_eq!((done.added, done.runs, done.errors), (4, 2, 0));
        for line in &lines {
            let event = Event::read(line).unwrap();
            let exported = shelf.export();
            let found = exported.lines().find_map(|line| match Line::read(line) {
                Ok(Line::Event { event: other, .. }) if other.id() == event.id() => Some(other),
                _ => None,
            });
            assert_eq!(found, Some(event));
        }
        let other = Shelf::memory();
        let exported = shelf.export();
        assert_eq!(other.import(&exported).done.added, 4);
        assert_eq!(other.export(), exported);
    }
}

#[test]
fn events_stand_in_the_order_of_the_file_in_the_stream_of_their_members() {
    for shelf in Shelf::all() {
        let agent = r#"{"kind":"x.test.a","agent_id":"a","ts":"2026-01-01T00:00:00.000000Z"}"#;
        let nobody = r#"{"kind":"x.test.n","ts":"2026-01-01T00:00:00.000000Z"}"#;
        let lines = [&bare("r", "2"), agent, &bare("s", "1"), nobody, &bare("r", "1")];
        let done = shelf.take(file(&lines));
        assert_eq!(done, Imported { added: 5, runs: 4, ..Imported::default() });
        assert_eq!(kinds(&shelf, &Stream::run("r")), ["0 x.test.2", "1 x.test.1"]);
        assert_eq!(kinds(&shelf, &Stream::run("s")), ["0 x.test.1"]);
        assert_eq!(kinds(&shelf, &Stream::Agent("a".into())), ["0 x.test.a"]);
        assert_eq!(kinds(&shelf, &Stream::Store), ["0 x.test.n"]);
    }
}

#[test]
fn a_file_may_have_a_byte_order_mark_other_line_ends_empty_lines_and_no_end() {
    for shelf in Shelf::all() {
        let text = format!("\u{feff}{}\r\n\r\n  \n{}", bare("r", "1"), bare("r", "2"));
        assert_eq!(shelf.take(text).added, 2);
        assert_eq!(shelf.take("").added, 0);
        assert_eq!(kinds(&shelf, &Stream::run("r")), ["0 x.test.1", "1 x.test.2"]);
    }
}

#[test]
fn importing_the_same_again_changes_nothing() {
    for shelf in Shelf::all() {
        let many: Vec<String> = (0..600).map(|at| bare("r", &at.to_string())).collect();
        assert_eq!(shelf.take(file(&many)).added, 600);
        let exported = shelf.export();
        let again = Imported { repeated: 600, ..Imported::default() };
        assert_eq!(shelf.take(file(&many)), again);
        assert_eq!(shelf.take(&exported), again);
        assert_eq!(shelf.export(), exported);
        // A part, in another order, with something new at its end.
        let part = [&many[500], &many[3], &bare("r", "new")];
        let done = shelf.import(file(&part)).done;
        let some = Imported { added: 1, repeated: 2, runs: 1, warnings: 1, ..Imported::default() };
        assert_eq!(done, some);
        assert_eq!(shelf.export().lines().count(), 601);
    }
}

#[test]
fn events_in_another_order_than_in_the_store_are_told_once() {
    let [e1, e2, e3, e8, e9] = ["1", "2", "3", "8", "9"].map(|what| bare("r", what));
    let help = "if the file is another history of it, import it into another store, or give it \
                another `run_id`";
    let mixed = |line: u64, end: u64| {
        Some(format!(
            "{line}: warning[H211] column 1: `r` goes on in another way in the store; \
             this event is put behind its last one, `r@{end}`; {help}"
        ))
    };
    let turned = |line: u64| {
        Some(format!(
            "{line}: warning[H211] column 1: the events of `r` stand in another order in the store; \
             they stay as they are there; {help}"
        ))
    };
    for (lines, finding) in [
        (vec![&e1, &e9], mixed(2, 2)),
        (vec![&e1, &e8, &e2, &e9], mixed(2, 2)),
        (vec![&e2, &e1], turned(2)),
        (vec![&e9, &e1], turned(2)),
        (vec![&e1, &e3, &e9, &e8], None),
        (vec![&e2, &e3], None),
        (vec![&e8, &e9], None),
        (vec![&e1, &e1, &e2, &e3, &e9], None),
    ] {
        for shelf in Shelf::all() {
            shelf.take(file(&[&e1, &e2, &e3]));
            assert_eq!(shelf.import(file(&lines)).findings, Vec::from_iter(finding.clone()));
        }
    }
    // Lines of an export say their place.
    let whole = Shelf::memory();
    whole.take(file(&[&e1, &e2, &e3]));
    let exported = whole.export();
    let lines: Vec<&str> = exported.lines().collect();
    let shelf = Shelf::memory();
    shelf.take(file(&[&e1]));
    shelf.take(file(&[&e1, lines[1], &e3, lines[0], &e8]));
}

#[test]
fn an_export_goes_on_where_the_store_ends() {
    let whole = Shelf::memory();
    whole.take(file(&[bare("r", "1"), bare("r", "2"), bare("r", "3")]));
    let lines: Vec<String> = whole.export().lines().map(Into::into).collect();
    for shelf in Shelf::all() {
        shelf.take(file(&lines[..1]));
        assert_eq!(shelf.take(file(&lines[1..])).added, 2);
        assert_eq!(shelf.export(), whole.export());
    }
}

#[test]
fn a_fork_is_imported_after_its_parent_wherever_it_stands() {
    let parent = event("z", "2");
    let start = fork("m", "z", 1, &parent);
    let of_fork = fork("a", "m", 2, &Event::read(&start).unwrap());
    let lines = [
        of_fork,
        bare("a", "end"),
        bare("z", "1"),
        start,
        bare("z", "2"),
        bare("m", "end"),
        bare("z", "3"),
    ];
    for shelf in Shelf::all() {
        let done = shelf.take(file(&lines));
        assert_eq!(done, Imported { added: 7, runs: 3, ..Imported::default() });
        let parent = |run: &str| shelf.0.stream(&Stream::run(run)).unwrap().unwrap().parent;
        assert_eq!(parent("m"), Some(Place::new(Stream::run("z"), 1)));
        assert_eq!(parent("a"), Some(Place::new(Stream::run("m"), 2)));
        assert_eq!(kinds(&shelf, &Stream::run("a")), ["3 run_started", "4 x.test.end"]);
        let exported = shelf.export();
        // By name: the fork of a fork stands first.
        assert!(exported.lines().next().unwrap().ends_with(r#""seq":3,"stream":"run:a"}"#));
        let other = Shelf::memory();
        assert_eq!(other.take(&exported).added, 7);
        assert_eq!(other.export(), exported);
        assert_eq!(other.take(file(&lines)).repeated, 7);
    }
}

#[test]
fn a_fork_of_an_event_before_its_parents_first_is_a_fork_of_that() {
    let first = event("z", "1");
    let start = fork("m", "z", 1, &event("z", "2"));
    let lines = [bare("z", "1"), bare("z", "2"), start, fork("a", "m", 0, &first)];
    for shelf in Shelf::all() {
        shelf.take(file(&lines));
        let info = shelf.0.stream(&Stream::run("a")).unwrap().unwrap();
        assert_eq!(info.parent, Some(Place::new(Stream::run("z"), 0)));
        // All runs that are named come along, so that it can be imported alone.
        let exported = shelf.export_of(Some(&[Stream::run("a")]));
        let other = Shelf::memory();
        assert_eq!(other.take(&exported).added, 4);
        assert_eq!(other.export(), exported);
    }
}

#[test]
fn an_export_of_some_runs_has_what_they_need_and_no_more() {
    for shelf in Shelf::all() {
        let lines = [
            bare("p", "1"),
            bare("p", "2"),
            fork("f", "p", 0, &event("p", "1")),
            bare("other", "1"),
        ];
        shelf.take(file(&lines));
        let [p, f, other] = ["p", "f", "other"].map(Stream::run);
        shelf.name("mine", &f, None);
        shelf.name("both", &p, None);
        shelf.name("both", &other, Some("a test"));
        let exported = shelf.export_of(Some(std::slice::from_ref(&f)));
        let alone = Shelf::memory();
        let done = alone.take(&exported);
        assert_eq!(done, Imported { added: 3, runs: 2, names: 1, ..Imported::default() });
        assert!(alone.0.name("mine").unwrap().is_some());
    }
}

#[test]
fn events_of_one_run_may_be_appended_and_imported() {
    for shelf in Shelf::all() {
        let run = Stream::run("r");
        shelf.append(&run, Expected::New, &[event("r", "1")]);
        assert_eq!(shelf.take(file(&[bare("r", "1"), bare("r", "2")])).added, 1);
        shelf.append(&run, Expected::Next(2), &[event("r", "3")]);
        assert_eq!(kinds(&shelf, &run), ["0 x.test.1", "1 x.test.2", "2 x.test.3"]);
    }
}
