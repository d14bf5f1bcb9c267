//! Runs as OpenTelemetry spans: what a collector gets of real runs, and what happens where there
//! is none.

mod collector;
mod hostile;
mod live;

use expect_test::expect;
use value::Value;

use self::collector::Collector;
use crate::console::root;
use crate::run::{Done, Folder};
use crate::running::{CALL, graph, list, text};

/// A support desk with a made-up world.
fn desk() -> Folder {
    let folder = Folder::new();
    let agent = root().join("examples/support.yaml");
    std::fs::copy(agent, folder.path().join("support.yaml")).unwrap();
    folder
}

fn ran(folder: &Folder, id: &str) -> Done {
    let input = "text=canary-input";
    folder.run(&["run", "support.yaml", "--model", "stub:low", "--input", input, "--id", id])
}

/// Sends the spans of a run, which must work.
fn sent(folder: &Folder, run: &str, more: &[&str]) -> Collector {
    let collector = Collector::start();
    let done = folder.run(&[&["spans", run, "--to", &collector.url][..], more].concat());
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    collector
}

#[test]
fn a_collector_gets_what_a_viewer_needs() {
    let folder = desk();
    assert_eq!(ran(&folder, "ticket").code, 0);
    let tree = sent(&folder, "ticket", &[]).tree();
    expect![[r#"
        invoke_workflow Support desk
          invoke_agent Sorter
            chat stub:low
          question ask_for_refund/n1
          execute_tool pay_back
          invoke_agent Writer
            chat stub:low
          invoke_agent Critic
            chat stub:low
          invoke_agent Writer
            chat stub:low
          invoke_agent Critic
            chat stub:low
          invoke_agent Writer
            chat stub:low
          invoke_agent Critic
            chat stub:low
    "#]]
    .assert_eq(&tree.outline());
    let chat = tree.find("chat stub:low");
    assert_eq!(chat.kind, 3, "a model is somebody else");
    assert_eq!(chat.attributes["gen_ai.operation.name"], "chat".into());
    assert_eq!(chat.attributes["gen_ai.provider.name"], "quipu".into());
    assert_eq!(chat.attributes["gen_ai.request.model"], "stub:low".into());
    assert_eq!(chat.attributes["gen_ai.conversation.id"], "ticket".into());
    assert_eq!(chat.attributes["gen_ai.response.finish_reasons"], Value::list(["stop".into()]));
    assert!(matches!(chat.attributes["gen_ai.usage.input_tokens"], Value::Int(1..)));
    assert_eq!(tree.find("invoke_agent Sorter").attributes["quipu.at"], "sort/n1".into());
    assert_eq!(tree.find("execute_tool pay_back").attributes["gen_ai.tool.call.id"], "c4".into());
    assert_eq!(tree.root().attributes["quipu.rehearsal"], true.into());
}

#[test]
fn what_is_sent_twice_is_the_same() {
    let folder = desk();
    ran(&folder, "ticket");
    let (one, other) = (sent(&folder, "ticket", &[]), sent(&folder, "ticket", &[]));
    let bodies = |collector: &Collector| {
        collector.requests().into_iter().map(|request| request.body).collect::<Vec<_>>()
    };
    assert_eq!(bodies(&one), bodies(&other));
    let printed = folder.run(&["spans", "ticket", "--format", "otlp"]);
    assert_eq!(collector::read(&printed.stdout), one.spans(), "and what would be sent");
}

#[test]
fn content_is_left_out_unless_it_is_asked_for() {
    let folder = desk();
    ran(&folder, "ticket");
    let canaries = ["canary-input", "stub:answer", "Pay?", "stub-tool:pay_back"];
    for (more, is_told) in [(&[][..], false), (&["--content"], true)] {
        let sent = sent(&folder, "ticket", more);
        let bodies: String = sent.requests().into_iter().map(|request| request.body).collect();
        let printed = ["--format=otlp", "--format=json", "--format=tree"]
            .map(|format| folder.run(&[&["spans", "ticket", format][..], more].concat()).stdout);
        for canary in canaries {
            assert_eq!(bodies.contains(canary), is_told, "{canary}");
            for (printed, tells) in printed.iter().zip([is_told, is_told, false]) {
                assert_eq!(printed.contains(canary), tells, "{canary} in {printed}");
            }
        }
    }
}

#[test]
fn a_failure_is_told_without_what_it_says() {
    let folder = Folder::new();
    folder
        .program("work", "echo canary-stderr >&2; exit 3")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write("agent.json", graph(&[("start", CALL, "")]));
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 1);
    let left = sent(&folder, "r", &[]);
    expect![[r#"
        invoke_workflow agent error tool
          execute_tool work (attempt) error tool
    "#]]
    .assert_eq(&left.tree().outline());
    assert!(!left.requests()[0].body.contains("canary"));
    assert!(sent(&folder, "r", &["--content"]).requests()[0].body.contains("canary-stderr"));
}

#[test]
fn a_killed_run_has_spans_before_and_after_it_goes_on() {
    let folder = Folder::new();
    folder
        .program("work", "if [ -e again ]; then echo 1; else touch again; sleep 20; fi")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\nagain = \"key\"\n")
        .write("agent.json", graph(&[("start", CALL, "")]));
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("the tool is called", |folder| folder.path().join("again").exists());
    process.kill();
    let before = sent(&folder, "r", &[]).tree();
    expect![[r#"
        invoke_workflow agent open
          execute_tool work (attempt) open
    "#]]
    .assert_eq(&before.outline());
    let done = folder.run(&["resume", "r"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let after = sent(&folder, "r", &[]).tree();
    expect![[r#"
        invoke_workflow agent
          execute_tool work (attempt) (attempt)
    "#]]
    .assert_eq(&after.outline());
    let ids =
        |tree: &collector::Tree| tree.spans.iter().map(|span| span.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after), "the same things have the same ids");
}

#[test]
fn a_fork_is_a_trace_of_its_own_that_links_to_its_parent() {
    let folder = desk();
    ran(&folder, "ticket");
    let fork = folder.run(&["fork", "ticket@6", "--id", "other", "--answer", "deny"]);
    assert_eq!(fork.code, 0, "{}", fork.stderr);
    let parent = sent(&folder, "ticket", &[]).tree();
    let fork = sent(&folder, "other", &[]).tree();
    assert_ne!(parent.root().trace, fork.root().trace);
    let link = (parent.root().trace.clone(), parent.root().id.clone());
    assert_eq!(fork.root().links, [link]);
    assert_eq!(fork.root().attributes["quipu.fork.run"], "ticket".into());
    let asked = fork.find("question ask_for_refund/n1");
    assert_eq!(asked.attributes["quipu.inherited"], true.into());
    let before = parent.find("question ask_for_refund/n1");
    assert_eq!(asked.links, [(before.trace.clone(), before.id.clone())]);
    assert!(!fork.outline().contains("pay_back"), "{}", fork.outline());
    assert!(!fork.outline().contains("Sorter"), "what was before is the parent's");
}

#[test]
fn histories_of_old_and_of_others_have_spans() {
    let folder = Folder::new();
    let old = root().join("crates/host/tests/histories");
    for name in ["desk", "expiry", "killed", "paused", "race", "shelves"] {
        let file = old.join(format!("{name}.jsonl"));
        let done = folder.run(&["import", file.to_str().unwrap()]);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    let parcel = root().join("examples/parcel.jsonl");
    assert_eq!(folder.run(&["import", parcel.to_str().unwrap()]).code, 0);
    let runs = folder.run(&["runs", "--json"]).json();
    let runs = list(&runs, "runs");
    assert!(runs.len() > 7, "{runs:?}");
    for run in runs {
        sent(&folder, text(run, "run"), &["--content"]).tree();
    }
    let outline = sent(&folder, "killed", &[]).tree().outline();
    expect![[r#"
        invoke_workflow killed
          execute_tool keyed (attempt) (attempt)
          execute_tool once (attempt) (interruption) error crash
          execute_tool quick (attempt)
    "#]]
    .assert_eq(&outline);
    let outline = sent(&folder, "parcel-7", &[]).tree().outline();
    expect![[r#"
        invoke_agent parcel
          chat o4-mini
          execute_tool carrier.track (attempt)
          chat o4-mini
          execute_tool bank.refund (attempt)
            approval bank.refund
    "#]]
    .assert_eq(&outline);
}

#[test]
fn long_runs_are_sent_in_parts() {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "input", "body": "one", "after": "end"}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$done"}}"#;
    folder.write("quipu.toml", "[tools.work]\nbuiltin = \"calculator\"\n").write(
        "agent.json",
        graph(&[
            ("start", over, "n1-body->one n1-after->end"),
            ("one", CALL, ""),
            ("end", end, ""),
        ]),
    );
    let items: Vec<String> = (0..1200).map(|item| format!("\"{item}+1\"")).collect();
    let items = format!("items=[{}]", items.join(","));
    let run = ["run", "agent.json", "--id", "r", "--input", &items, "--max-visits", "5000"];
    let done = folder.run(&run);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let collector = sent(&folder, "r", &[]);
    let parts: Vec<usize> =
        collector.requests().iter().map(|request| collector::read(&request.body).len()).collect();
    assert_eq!(parts, [512, 512, 177]);
    assert_eq!(collector.tree().spans.len(), 1201);
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = desk();
    let done = folder.run(&["spans"]);
    assert_eq!(done.code, 2);
    ran(&folder, "ticket");
    for (arguments, why) in [
        (&["spans", "nobody"][..], "there is no run `nobody`"),
        (&["spans", "ticket", "--to", "nowhere"], "`nowhere` is no address of a collector"),
        (&["spans", "ticket", "--to", "http://a:canary@b"], "cannot hold a password"),
        (&["spans", "ticket", "--export"], "`--export` needs `OTEL_EXPORTER_OTLP_ENDPOINT`"),
        (&["spans", "ticket", "--to", "http://127.0.0.1:1", "--format", "otlp"], "prints what"),
        (&["spans", "ticket", "--to", "http://127.0.0.1:1"], "cannot be reached"),
    ] {
        let done = folder.run(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(done.stderr.contains(why), "{arguments:?}: {}", done.stderr);
        assert!(!done.stderr.contains("canary"), "{}", done.stderr);
    }
}
