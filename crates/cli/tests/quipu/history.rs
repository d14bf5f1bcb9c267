//! The commands that keep histories, as scripts use them.

use std::path::Path;

use value::{Value, json};

use crate::console::root;
use crate::run::{Done, Folder};

fn parcel() -> Folder {
    let folder = Folder::new();
    let example = std::fs::read(root().join("examples/parcel.jsonl")).unwrap();
    folder.write("parcel.jsonl", example);
    let done = folder.run(&["import", "parcel.jsonl"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, "parcel.jsonl: 25 events added\n"));
    folder
}

fn names(value: &Value) -> Vec<String> {
    value.as_map().unwrap().keys().map(|name| name.to_string()).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_text).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_list).unwrap_or_else(|| panic!("no {name} in {value:?}"))
}

fn files(folder: &Folder) -> Vec<String> {
    let read = std::fs::read_dir(folder.path().join(".quipu")).unwrap();
    read.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn fails(done: &Done, code: i32, why: &str) {
    assert_eq!((done.code, done.stdout.as_str()), (code, ""), "{}", done.stderr);
    assert_eq!(done.stderr, format!("error: {why}\n"));
}

#[test]
fn runs_are_listed_newest_first_and_one_file_is_left() {
    let folder = parcel();
    folder.write(
        "old.jsonl",
        r#"{"kind": "run_started", "ts": "2020-01-01T00:00:00.000000Z", "run_id": "old",
            "agent_id": "a"}"#
            .replace('\n', ""),
    );
    assert_eq!(folder.run(&["import", "old.jsonl"]).code, 0);
    let runs = folder.run(&["runs", "--json"]).json();
    let ids: Vec<&str> = list(&runs, "runs").iter().map(|run| text(run, "run")).collect();
    assert_eq!(ids, ["parcel-7", "old"]);
    let newest = &list(&runs, "runs")[0];
    assert_eq!(
        (text(newest, "status"), text(newest, "agent"), newest.get("events")),
        ("done", "parcel", Some(&Value::Int(22)))
    );
    assert_eq!(text(newest, "started"), "2026-11-02T09:14:02.000000Z");
    assert!(newest.get("graph").is_some());
    let open = folder.run(&["runs", "--json", "--status", "open"]).json();
    assert_eq!(text(&list(&open, "runs")[0], "run"), "old");
    assert_eq!(files(&folder), ["quipu.db"]);
}

#[test]
fn a_log_has_every_event_with_its_place() {
    let folder = parcel();
    let log = folder.run(&["log", "last", "--json"]).json();
    assert_eq!(text(&log, "run"), "parcel-7");
    let events = list(&log, "events");
    assert_eq!(events.len(), 22);
    for (seq, event) in events.iter().enumerate() {
        assert_eq!(event.get("seq"), Some(&Value::Int(seq as i64)));
        let members = names(event);
        for name in ["seq", "event_id", "kind", "ts", "at", "summary", "event"] {
            assert!(members.iter().any(|own| own == name), "{name} in {members:?}");
        }
        assert_eq!(text(event.get("event").unwrap(), "event_id"), text(event, "event_id"));
    }
    let part = folder.run(&["log", "parcel@9", "--from", "8", "--json"]).json();
    let seqs: Vec<_> = list(&part, "events").iter().map(|event| event.get("seq")).collect();
    assert_eq!(seqs, [Some(&Value::Int(8)), Some(&Value::Int(9))]);
    let lines = folder.run(&["log", "parcel-7@1"]).stdout;
    assert_eq!(
        lines,
        "2026-11-02\n\
         parcel-7@0  09:14:02.000  run_started          parcel  user\n\
         parcel-7@1  09:14:02.010  resource_registered  parcel  notes, file\n"
    );
}

#[test]
fn an_event_is_had_by_place_by_id_and_by_a_few_digits() {
    let folder = parcel();
    let event = folder.run(&["event", "parcel-7@8", "--json"]).json();
    let id = text(&event, "event_id").to_string();
    assert_eq!(folder.run(&["event", &id, "--json"]).json(), event);
    assert_eq!(folder.run(&["event", &id[..8]]).json(), event);
    assert_eq!(folder.run(&["event", &format!("sha256:{id}")]).json(), event);
    fails(&folder.run(&["event", "0000000000"]), 2, "there is no event `0000000000`");
    fails(&folder.run(&["event", "parcel-7@22"]), 2, "`parcel-7` ends at parcel-7@21");
}

#[test]
fn every_question_is_answered_as_one_document() {
    let folder = parcel();
    for (query, id, count) in [
        ("run", "parcel-7", 22),
        ("lineage", "s1", 3),
        ("calls", "parcel-7", 2),
        ("resources", "parcel-7", 1),
        ("policies", "parcel", 2),
        ("ancestry", "parcel-7", 0),
        ("search", "parcel-7", 22),
    ] {
        let done = folder.run(&["history", query, id, "--json"]);
        let answer = done.json();
        assert_eq!(text(&answer, "query"), query);
        assert_eq!(list(&answer, "items").len(), count, "{query}: {}", done.stdout);
        assert_eq!(answer.get("truncated"), Some(&Value::Bool(false)));
    }
    let before = ["history", "calls", "parcel-7", "--at", "parcel-7@15", "--json"];
    let calls = folder.run(&before).json();
    assert_eq!(text(&list(&calls, "items")[1], "status"), "open");
    let cut = folder.run(&["history", "run", "parcel-7", "--limit", "2", "--json"]).json();
    assert_eq!(cut.get("truncated"), Some(&Value::Bool(true)));
    fails(
        &folder.run(&["history", "calls", "parcel-7", "--at", "noon"]),
        2,
        "`noon` is no time; write `2026-11-15` or `2026-11-15T17:10:00Z`",
    );
}

#[test]
fn importing_again_changes_nothing_and_exports_travel() {
    let folder = parcel();
    let first = folder.run(&["export"]).stdout;
    let again = folder.run(&["import", "parcel.jsonl", "--json"]).json();
    let file = &list(&again, "files")[0];
    assert_eq!(
        (file.get("added"), file.get("repeated")),
        (Some(&Value::Int(0)), Some(&Value::Int(25)))
    );
    assert_eq!(folder.run(&["export"]).stdout, first);
    let copied = folder.run_with(&["import", "-", "--store", "sqlite:copy.db"], &first);
    assert_eq!(copied.code, 0, "{}", copied.stderr);
    assert_eq!(folder.run(&["export", "--store", "sqlite:copy.db"]).stdout, first);
    let bare: String = first
        .lines()
        .map(|line| json::parse(line).unwrap().get("event").unwrap().clone())
        .map(|event| json::compact(&event) + "\n")
        .collect();
    assert_eq!(folder.run_with(&["import", "-", "--store", "sqlite:bare.db"], &bare).code, 0);
    assert_eq!(folder.run(&["export", "--store", "sqlite:bare.db"]).stdout, first);
}

#[test]
fn a_fork_copies_nothing_and_needs_a_plan() {
    let folder = parcel();
    fails(
        &folder.run(&["fork", "parcel-7@13"]),
        2,
        "the plan does not say what becomes of `notes`; say `--keep`, `--take`, `--snapshot` or \
         `--discard`",
    );
    let before = folder.run(&["log", "parcel-7", "--json"]).stdout;
    let forked = folder.run(&["fork", "parcel-7@13", "--discard", "notes", "--no-run", "--json"]);
    let document = forked.json();
    let run = text(&document, "run").to_string();
    let from = document.get("from").unwrap();
    assert_eq!((text(from, "run"), from.get("seq")), ("parcel-7", Some(&Value::Int(13))));
    let log = folder.run(&["log", &run, "--json"]).json();
    let kinds: Vec<&str> = list(&log, "events")[14..].iter().map(|one| text(one, "kind")).collect();
    assert_eq!(kinds, ["run_started", "agent_forked", "resource_detached"]);
    assert_eq!(folder.run(&["log", "parcel-7", "--json"]).stdout, before);
    assert_eq!(folder.run(&["verify"]).code, 0);
    fails(
        &folder.run(&["fork", "nobody@1"]),
        2,
        "there is no run `nobody`; `quipu runs` lists all of them",
    );
}

#[test]
fn damage_is_named_and_nothing_damaged_is_handed_out() {
    let folder = parcel();
    damage(&folder);
    let report = folder.run(&["verify", "--json"]);
    assert_eq!(report.code, 1);
    let report = report.json();
    assert_eq!(report.get("ok"), Some(&Value::Bool(false)));
    let first = &list(&report, "damage")[0];
    assert_eq!((text(first, "run"), first.get("seq")), ("parcel-7", Some(&Value::Int(16))));
    assert_eq!(names(first), ["run", "seq", "event_id", "what"]);
    let log = folder.run(&["log", "parcel-7"]);
    assert_eq!(log.code, 1, "{}", log.stderr);
    assert!(log.stderr.contains("parcel-7@16"), "{}", log.stderr);
    for arguments in [
        &["log", "parcel-7", "--json"][..],
        &["history", "run", "parcel-7", "--json"],
        &["history", "calls", "parcel-7", "--json"],
        &["event", "parcel-7@16", "--json"],
        &["gc", "--json"],
    ] {
        let done = folder.run(arguments);
        assert_eq!(done.code, 1, "{arguments:?}: {}", done.stderr);
        assert!(done.json().get("error").is_some(), "{arguments:?}: {}", done.stdout);
    }
    let whole = std::fs::read(folder.path().join(".quipu/quipu.db")).unwrap();
    std::fs::write(folder.path().join(".quipu/quipu.db"), &whole[..whole.len() / 2]).unwrap();
    let report = folder.run(&["verify", "--json"]);
    assert_eq!(
        (report.code, names(&report.json())),
        (1, ["ok", "runs", "events", "damage"].map(String::from).to_vec())
    );
}

/// Changes one letter of one event.
fn damage(folder: &Folder) {
    let path = folder.path().join(".quipu/quipu.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = find(&bytes, b"the carrier confirmed it").unwrap();
    bytes[at] = b'T';
    std::fs::write(&path, bytes).unwrap();
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[test]
fn what_is_no_store_is_said_to_be_none() {
    let folder = Folder::new();
    fails(
        &folder.run(&["runs"]),
        2,
        "there is no store at `.quipu/quipu.db` yet; `quipu run FILE` makes one",
    );
    fails(
        &folder.run(&["runs", "--store", "redis:x"]),
        2,
        "`redis:x` is no store; write `sqlite:PATH` or `memory`",
    );
    folder
        .write("text.db", "this is no database at all, but it is long enough to look like one...");
    for command in ["runs", "verify", "gc"] {
        let done = folder.run(&[command, "--store", "sqlite:text.db"]);
        assert_eq!(done.code, 2, "{command}: {}", done.stderr);
        assert!(done.stderr.contains("is not a store"), "{}", done.stderr);
    }
    assert!(!Path::new(&folder.path().join(".quipu")).exists());
}

#[test]
fn a_strict_import_takes_all_or_nothing() {
    let folder = Folder::new();
    let lone = r#"{"kind": "tool_result", "ts": "2026-01-01T00:00:00.000000Z", "run_id": "r",
        "agent_id": "a", "call_id": "c", "status": "ok", "result": {}}"#;
    folder.write("lone.jsonl", lone.replace('\n', ""));
    let strict = folder.run(&["import", "lone.jsonl", "--strict"]);
    assert_eq!(strict.code, 1);
    assert!(strict.stderr.contains("error[H301]"), "{}", strict.stderr);
    assert!(strict.stderr.contains("nothing was taken"), "{}", strict.stderr);
    assert_eq!(folder.run(&["export"]).stdout, "");
    let lenient = folder.run(&["import", "lone.jsonl"]);
    assert_eq!(lenient.code, 0);
    assert!(lenient.stderr.contains("warning[H301]"), "{}", lenient.stderr);
    assert_eq!(list(&folder.run(&["runs", "--json"]).json(), "runs").len(), 1);
}

#[test]
fn an_export_never_costs_what_was_there() {
    let folder = parcel();
    let before = folder.run(&["export"]).stdout;
    for target in [".quipu/quipu.db", ".quipu/../.quipu/quipu.db-wal"] {
        let done = folder.run(&["export", "-o", target]);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{}", done.stderr);
    }
    assert_eq!(folder.run(&["export", "-o", "all.jsonl"]).code, 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap(), before);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let (real, link) = (folder.path().join("all.jsonl"), folder.path().join("link"));
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        assert_eq!(folder.run(&["export", "-o", "link"]).code, 0);
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), before);
        assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_file(link).unwrap();
        assert_eq!(folder.run(&["export", "-o", "/dev/stdout"]).stdout, before);
    }
    damage(&folder);
    let done = folder.run(&["export", "-o", "all.jsonl"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap(), before);
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn nothing_from_elsewhere_moves_the_terminal() {
    let folder = Folder::new();
    let id = "r\u{1b}[31m\u{9b}2J\u{202e}\nx";
    let event = Value::map([
        ("kind", Value::from("odd\u{1b}\nkind")),
        ("ts", "2026-01-01T00:00:00.000000Z".into()),
        ("run_id", id.into()),
        ("agent_id", "a\u{7}\u{9b}".into()),
    ]);
    folder.write("odd.jsonl", json::compact(&event));
    let odd = |text: &str| {
        let is_odd = |c: &char| *c != '\n' && !diagnostics::is_plain(*c);
        text.chars().find(is_odd)
    };
    for arguments in [
        &["import", "odd.jsonl"][..],
        &["runs"],
        &["log", id],
        &["log", id, "--json"],
        &["event", &format!("{id}@0")],
        &["history", "run", id],
        &["fork", id, "--id", "f"],
        &["branch", "main", &format!("{id}@0")],
        &["branch"],
        &["log", &format!("no{id}")],
        &["fork", id, "--id", id],
        &["runs", "--store", id],
    ] {
        let done = folder.run(arguments);
        assert_eq!(odd(&done.stdout), None, "{arguments:?}: {:?}", done.stdout);
        assert_eq!(odd(&done.stderr), None, "{arguments:?}: {:?}", done.stderr);
    }
    let runs = folder.run(&["runs"]).stdout;
    assert_eq!(runs.lines().count(), 1, "{runs:?}");
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let folder = parcel();
    let before = folder.run(&["export"]).stdout;
    for arguments in [
        &["fork", "parcel-7@0", "--id", "f", "--branch", "a b"][..],
        &["fork", "parcel-7@0", "--id", "last"],
        &["fork", "parcel-7@0", "--id", "agent:x"],
        &["fork", "parcel-7@0", "--id", "a@1"],
        &["branch", "--undo"],
        &["branch", "last", "parcel-7@1"],
        &["branch", "parcel-7", "parcel-7@1"],
        &["fork", "parcel-7@0", "--id", "f", "--branch", "parcel-7"],
        &["history", "ancestry", "nosuch"],
        &["history", "policies", "nosuch"],
        &["history", "resources", "nosuch"],
        &["branch", "main", "--strategy", "ours"],
        &["history", "calls", "parcel-7", "--kind", "tool_call"],
        &["import", "parcel.jsonl", "nowhere.jsonl"],
        &["runs", "--status", "bogus"],
        &["log", "parcel-7", "--from", "22"],
    ] {
        let done = folder.run(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments:?}: {}", done.stderr);
    }
    assert_eq!(folder.run(&["export"]).stdout, before);
    let empty = Folder::new();
    for arguments in [
        &["gc"][..],
        &["gc", "--dry-run"],
        &["fork", "x"],
        &["branch", "main", "x@1"],
        &["import", "nowhere.jsonl"],
    ] {
        assert_eq!(empty.run(arguments).code, 2, "{arguments:?}");
    }
    assert!(!empty.path().join(".quipu").exists());
}

#[test]
fn a_branch_names_a_place_and_last_is_the_newest() {
    let folder = parcel();
    assert_eq!(folder.run(&["branch", "asked", "parcel-7@15"]).code, 0);
    let log = folder.run(&["log", "asked", "--json"]).json();
    assert_eq!(list(&log, "events").len(), 16);
    let last = r#"{"kind": "run_started", "ts": "2020-01-01T00:00:00.000000Z", "run_id": "last",
        "agent_id": "a"}"#;
    folder.write("last.jsonl", last.replace('\n', ""));
    assert_eq!(folder.run(&["import", "last.jsonl"]).code, 0);
    assert_eq!(text(&folder.run(&["log", "last", "--json"]).json(), "run"), "parcel-7");
    assert_eq!(text(&folder.run(&["log", "run:last", "--json"]).json(), "run"), "run:last");
    assert!(folder.run(&["runs"]).stdout.contains("run:last"));
}

#[test]
fn a_large_value_is_shown_whole_when_asked_for() {
    let folder = Folder::new();
    let inputs = Value::map([("text", "x".repeat(5000).into())]);
    let bytes = json::canonical(&inputs);
    let id = format!("{:x}", value::Digest::of(bytes.as_bytes()));
    let blob = Value::map([("blob", Value::from(id.as_str())), ("text", bytes.as_str().into())]);
    let event = Value::map([
        ("kind", Value::from("run_started")),
        ("ts", "2026-01-01T00:00:00.000000Z".into()),
        ("run_id", "r".into()),
        ("agent_id", "a".into()),
        ("inputs", Value::map([("$blob", id.as_str().into())])),
    ]);
    folder.write("large.jsonl", json::compact(&event) + "\n" + &json::compact(&blob));
    let done = folder.run(&["import", "large.jsonl"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, "large.jsonl: 1 event added\n"));
    let short = folder.run(&["event", "r@0", "--json"]).json();
    assert_eq!(short.get("inputs").unwrap().get("$blob"), Some(&Value::from(id.as_str())));
    let full = folder.run(&["event", "r@0", "--full", "--json"]).json();
    assert_eq!(full.get("inputs"), Some(&inputs));
}

#[test]
fn what_a_snapshot_holds_is_verified_too() {
    let folder = parcel();
    std::fs::create_dir(folder.path().join("notes")).unwrap();
    folder.write("notes/a.txt", "one").write("notes/b.txt", "two");
    let done = folder.run(&["fork", "parcel-7@13", "--id", "f", "--snapshot", "notes=copy"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(folder.run(&["verify"]).code, 0);
    let export = folder.run(&["export"]).stdout;
    // Without the values that the snapshot lists, and without the list.
    for left_out in [r#""text":"two""#, r#"{"blob":"#] {
        let part: String = export
            .lines()
            .filter(|line| !line.contains(left_out))
            .map(|line| line.to_string() + "\n")
            .collect();
        let store = format!("sqlite:{}.db", left_out.len());
        folder.run_with(&["import", "-", "--store", &store], &part);
        let report = folder.run(&["verify", "--store", &store, "--json"]);
        assert_eq!(report.code, 1, "{left_out}: {}", report.stdout);
        let first = list(&report.json(), "damage")[0].clone();
        assert_eq!((text(&first, "run"), first.get("seq")), ("f", Some(&Value::Int(17))));
    }
}
