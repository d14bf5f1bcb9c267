//! A call that may have happened is not made again by a `Retry` further out, however its failure
//! comes there.

use super::*;

/// The entry calls `work`, and tries again whatever fails in it.
fn retrying(labels: &[(&str, &str, &str)]) -> String {
    let start = r#"{"id": "n1", "op": "Call", "data": {"label": "work", "out": "x"}},
        {"id": "n2", "op": "Retry", "data": {"count": 2}}"#;
    graph(&[&[("start", start, "n1-retry-n2")], labels].concat())
}

/// A fork, and where its branches join.
fn joined(strategy: &str) -> String {
    format!(
        r#"{{"id": "n1", "op": "Fork", "data": {{}}}},
        {{"id": "n2", "op": "Join", "data": {{"strategy": "{strategy}"}}}}"#
    )
}

fn calls(tool: &str) -> String {
    CALL.replace("work", tool)
}

/// The idempotency keys under which calls have left, one for each time that one did.
fn keys(folder: &Folder) -> Vec<String> {
    let events = folder.events("r");
    let left = events.iter().filter(|event| text(event, "kind") == "effect_started");
    left.map(|event| text(event, "idem_key").to_string()).collect()
}

#[test]
fn a_retry_of_what_called_it_does_not_repeat_it() {
    let fork = |strategy| vec![("work", joined(strategy), "n1-branch->one n1-next-n2")];
    let two = vec![
        ("work", joined("quorum:2"), "n1-branch->one n1-branch->fine n1-next-n2"),
        ("fine", r#"{"id": "n1", "op": "J", "data": {}}"#.to_string(), ""),
    ];
    for (again, labels, ending_in) in [
        ("ask", fork("all"), "timeout"),
        ("ask", fork("any"), "branches"),
        ("ask", two, "branches"),
        ("key", fork("all"), "timeout"),
        ("key", vec![("work", CALL.replace("work", "pay"), "")], "timeout"),
        ("ask", vec![("work", CALL.replace("work", "pay"), "")], "timeout"),
    ] {
        let folder = Folder::new();
        let one = calls("pay");
        let mut labels: Vec<(&str, &str, &str)> =
            labels.iter().map(|(id, nodes, edges)| (*id, &**nodes, *edges)).collect();
        if labels[0].2.contains("one") {
            labels.push(("one", &one, ""));
        }
        folder
            .program("pay", "echo paid >> works\nexec sleep 100")
            .write(
                "quipu.toml",
                format!(
                    "[tools.pay]\ncommand = [\"./pay\"]\nagain = \"{again}\"\ntimeout = \"100ms\"\n"
                ),
            )
            .write("agent.json", retrying(&labels));
        let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
        let wanted = (ending_in, "paid\n".to_string());
        assert_eq!((ending(&shown(&done)), folder.text("works")), wanted, "{again} {labels:?}");
        assert_eq!(keys(&folder).len(), 1);
        folder.is_sound("r");
    }
}

/// Where the call may be made again freely, nothing is in doubt.
#[test]
fn what_may_be_repeated_freely_is_also_from_further_out() {
    let folder = Folder::new();
    let (fork, one) = (joined("all"), calls("pay"));
    let labels = [("work", &*fork, "n1-branch->one n1-next-n2"), ("one", &*one, "")];
    folder
        .program(
            "pay",
            "echo paid >> works\ntest -e slow && echo 5 && exit\n: > slow\nexec sleep 100",
        )
        .write(
            "quipu.toml",
            "[tools.pay]\ncommand = [\"./pay\"]\nagain = \"free\"\ntimeout = \"1s\"\n",
        )
        .write("agent.json", retrying(&labels));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!((ending(&shown(&done)), folder.text("works")), ("done", "paid\npaid\n".to_string()));
    folder.is_sound("r");
}

/// One branch fails while the call of another is under way: nobody waits for it any more, but it
/// may have happened.
#[test]
fn what_a_join_gives_up_is_not_repeated() {
    let folder = Folder::new();
    let (fork, pay, fail) = (joined("all"), calls("pay"), calls("fail"));
    let labels = [
        ("work", &*fork, "n1-branch->one n1-branch->two n1-next-n2"),
        ("one", &*pay, ""),
        ("two", &*fail, ""),
    ];
    let config = "[tools.pay]\ncommand = [\"./pay\"]\ntimeout = \"500ms\"\n\
                  [tools.fail]\ncommand = [\"./fail\"]\n";
    folder
        .program("pay", "echo paid >> works\nexec sleep 100")
        .program("fail", "until test -e works; do sleep 0.01; done\necho it broke >&2\nexit 1")
        .write("quipu.toml", config)
        .write("agent.json", retrying(&labels));
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!((ending(&shown(&done)), folder.text("works")), ("tool", "paid\n".to_string()));
    assert_eq!(keys(&folder).len(), 2);
    folder.is_sound("r");
}

/// That the process died is no less so where a join tells of it in other words.
#[test]
fn a_join_does_not_hide_that_a_call_was_interrupted() {
    let folder = Folder::new();
    let (fork, pay) = (joined("any"), calls("pay"));
    let labels = [("work", &*fork, "n1-branch->one n1-next-n2"), ("one", &*pay, "")];
    folder
        .program("pay", "echo paid >> works\nuntil test -e enough; do sleep 0.01; done\necho 5")
        .write("quipu.toml", "[tools.pay]\ncommand = [\"./pay\"]\n")
        .write("agent.json", retrying(&labels));
    let process = folder.start(&["run", "agent.json", "--id", "r"]);
    folder.until("the tool works", |folder| !folder.text("works").is_empty());
    process.kill();
    folder.write("enough", "");
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!((ending(&shown(&done)), folder.text("works")), ("branches", "paid\n".to_string()));
    folder.is_sound("r");
}
