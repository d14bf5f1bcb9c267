//! Spans that leave by themselves, because an operator wants that; and only then.

use std::process::Command;

use super::*;
use crate::running::{done, list};

/// A desk whose operator wants spans.
fn watched(more: &str) -> (Folder, Collector) {
    let folder = desk();
    let collector = Collector::start();
    let config = format!("[otlp]\nendpoint = \"{}\"\n{more}", collector.url);
    folder.write("quipu.toml", config);
    (folder, collector)
}

/// Runs the binary with variables.
fn run_with(folder: &Folder, variables: &[(&str, &str)], arguments: &[&str]) -> Done {
    let output = Command::new(env!("CARGO_BIN_EXE_quipu"))
        .args(arguments)
        .current_dir(folder.path())
        .envs(variables.iter().copied())
        .output();
    done(output.unwrap())
}

#[test]
fn a_run_that_stops_exports_what_has_ended() {
    let (folder, collector) = watched("");
    let run = ["run", "support.yaml", "--model", "stub:low", "--answers", "ask", "--id", "r"];
    let waits = folder.run(&run);
    assert_eq!(waits.code, 3, "{}", waits.stderr);
    let names = |from: usize| {
        let requests = collector.requests();
        let spans = requests[from..].iter().flat_map(|request| collector::read(&request.body));
        spans.map(|span| span.name).collect::<Vec<_>>()
    };
    assert_eq!(names(0), ["invoke_agent Sorter", "chat stub:low"], "the rest goes on");
    let inbox = folder.run(&["inbox", "--json"]).json();
    let question = text(&list(&inbox, "questions")[0], "question");
    let answered = folder.run(&["answer", question, "deny"]);
    assert_eq!((answered.code, answered.stderr.as_str()), (0, ""), "{}", answered.stdout);
    let whole = ["invoke_agent Sorter", "chat stub:low", "question ask_for_refund/n1"];
    assert_eq!(names(1)[..3], whole);
    let before = collector.requests().len();
    let resumed = folder.run(&["resume", "r"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let last = collector.requests()[before..].to_vec();
    let tree =
        collector::Tree::of(last.iter().flat_map(|one| collector::read(&one.body)).collect());
    assert!(!tree.outline().contains("open"), "{}", tree.outline());
    // What was sent before is what is sent now.
    for early in collector.requests()[..before].iter().flat_map(|one| collector::read(&one.body)) {
        assert!(tree.spans.contains(&early), "{early:?}");
    }
}

#[test]
fn an_answer_is_taken_whatever_became_of_the_configuration() {
    let (folder, collector) = watched("");
    let run = ["run", "support.yaml", "--model", "stub:low", "--answers", "ask", "--id", "r"];
    assert_eq!(folder.run(&run).code, 3);
    let before = collector.requests().len();
    let inbox = folder.run(&["inbox", "--json"]).json();
    let question = text(&list(&inbox, "questions")[0], "question");
    folder.write("quipu.toml", "[otlp]\nendpoint = 7\n");
    let answered = folder.run(&["answer", question, "deny"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    assert!(answered.stdout.starts_with("answered; "), "{}", answered.stdout);
    assert!(answered.stderr.starts_with("note: no spans were exported: "), "{}", answered.stderr);
    assert!(answered.stderr.contains("quipu.toml:2:12: `endpoint` must be"), "{}", answered.stderr);
    assert_eq!(collector.requests().len(), before);
}

#[test]
fn content_leaves_only_where_the_operator_says_so() {
    for (more, is_told) in [("", false), ("content = false\n", false), ("content = true\n", true)] {
        let (folder, collector) = watched(more);
        assert_eq!(ran(&folder, "r").code, 0);
        let body = collector.requests()[0].body.clone();
        assert_eq!(body.contains("canary-input"), is_told, "{more}");
        assert_eq!(ran(&folder, "r").code, 2, "there is such a run");
        assert_eq!(collector.requests().len(), 1, "and nothing more to tell of it");
    }
}

#[test]
fn variables_alone_make_nothing_leave() {
    let folder = desk();
    let collector = Collector::start();
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str())];
    let run = ["run", "support.yaml", "--model", "stub:low", "--id", "r"];
    assert_eq!(run_with(&folder, &variables, &run).code, 0);
    assert_eq!(run_with(&folder, &variables, &["spans", "r"]).code, 0);
    assert_eq!(collector.requests().len(), 0);
    let done = run_with(&folder, &variables, &["spans", "r", "--export", "--json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(done.json().get("rejected"), Some(&Value::Int(0)));
    collector.tree();
    let whole = format!("{}/v1/traces", collector.url);
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", whole.as_str()),
    ];
    assert_eq!(run_with(&folder, &variables, &["spans", "r", "--export"]).code, 0);
    assert_eq!(collector.requests().len(), 2, "the one for traces counts more");
}

#[test]
fn headers_come_from_the_environment_and_are_shown_nowhere() {
    let (folder, collector) = watched("headers = \"DESK_HEADERS\"\n");
    let run = ["run", "support.yaml", "--model", "stub:low", "--id"];
    let variables = [("DESK_HEADERS", "authorization=Bearer%20canary-key, x-desk=1")];
    let done = run_with(&folder, &variables, &[&run[..], &["r"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let headers = &collector.requests()[0].headers;
    assert_eq!(headers["authorization"], "Bearer canary-key");
    assert_eq!(headers["x-desk"], "1");
    let unset = folder.run(&[&run[..], &["s"]].concat());
    assert_eq!(unset.code, 0, "{}", unset.stderr);
    let why = "note: no spans were exported: the headers are not there: the variable `DESK_HEADERS` \
               is not set";
    assert!(unset.stderr.contains(why), "{}", unset.stderr);
    let wrong = run_with(&folder, &[("DESK_HEADERS", "canary-key")], &[&run[..], &["t"]].concat());
    assert!(wrong.stderr.contains("the part 1 is none"), "{}", wrong.stderr);
    let log = folder.run(&["log", "r", "--json"]).stdout + &folder.run(&["export"]).stdout;
    for said in [&done.stdout, &done.stderr, &wrong.stderr, &log] {
        assert!(!said.contains("canary-key"), "{said}");
    }
    let database = std::fs::read(folder.path().join(".quipu/quipu.db")).unwrap();
    assert!(!database.windows(10).any(|bytes| bytes == b"canary-key"));
}

/// Headers may be in a file, and a collector that says them again is not quoted.
#[test]
fn a_key_that_a_collector_says_again_is_not_shown() {
    let folder = desk();
    for (status, body, why) in [
        (401, "unknown: Bearer canary-key", "401 Unauthorized: unknown: {secret:authorization}"),
        (
            200,
            r#"{"partialSuccess": {"rejectedSpans": 1, "errorMessage": "not by 'canary-key'"}}"#,
            "did not take 1 span: not by '{secret:authorization}'",
        ),
    ] {
        let collector = Collector::answering(vec![(status, vec![], body)]);
        folder.write("headers", "authorization=Bearer%20canary-key\n");
        let headers = "headers = { file = \"./headers\" }";
        let config = format!("[otlp]\nendpoint = \"{}\"\n{headers}\n", collector.url);
        folder.write("quipu.toml", &config);
        let done = ran(&folder, &format!("r{status}"));
        assert_eq!(collector.requests()[0].headers["authorization"], "Bearer canary-key");
        assert!(done.stderr.contains(why), "{}", done.stderr);
        assert!(!done.stderr.contains("canary"), "{}", done.stderr);
    }
}

#[test]
fn a_collector_that_is_not_there_is_one_note() {
    let folder = desk();
    folder.write("quipu.toml", "[otlp]\nendpoint = \"http://127.0.0.1:1\"\n");
    let done = ran(&folder, "r");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let notes: Vec<&str> = done.stderr.lines().filter(|line| line.contains("spans")).collect();
    let [note] = notes[..] else { panic!("{}", done.stderr) };
    assert!(
        note.starts_with("note: no spans were exported: `http://127.0.0.1:1/v1/traces` cannot")
    );
    assert!(note.ends_with("`quipu spans r --to http://127.0.0.1:1` does it later"), "{note}");
}

#[test]
fn what_the_operator_writes_wrongly_is_said_at_its_place() {
    let folder = desk();
    for (config, why) in [
        ("otlp = 1", "quipu.toml:1:1: `otlp` must be a table: write `[otlp]`"),
        ("[otlp]", "quipu.toml:1:2: `[otlp]` needs an `endpoint`"),
        ("[otlp]\nendpoint = 7", "quipu.toml:2:12: `endpoint` must be the address"),
        ("[otlp]\nendpoint = \"x\"", "quipu.toml:2:12: `x` is no address of a collector"),
        ("[otlp]\nendpoint = \"http://a\"\ncontents = true", "did you mean `content`?"),
        ("[otlp]\nendpoint = \"http://a\"\ncontent = \"yes\"", "must be `true` or `false`"),
        ("[otlp]\nendpoint = \"http://a\"\nheaders = \"a=b\"", "`headers` must be the name"),
    ] {
        folder.write("quipu.toml", config);
        let done = ran(&folder, "r");
        assert_eq!(done.code, 2, "{config}: {}", done.stderr);
        assert!(done.stderr.contains(why), "{config}: {}", done.stderr);
    }
}
