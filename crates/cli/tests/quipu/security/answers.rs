//! S13, S9: nothing listens for answers in this version; `quipu answer` is the one way in. What
//! comes by any other way, or a second time, or for something else, is not a person's answer.

use super::*;
use crate::running::{ending, graph, list, shown, text};
use value::{Value, json};

/// Asks, and works if the answer is yes.
fn asking(expires: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!(
        r#"{{"id": "n1", "op": "Ask", "data": {{"prompt": "Pay?", "options": ["yes", "no"], "out": "go"{expires}}}}},
        {{"id": "n2", "op": "If", "data": {{"cond": "go == 'yes'"}}}},
        {{"id": "n3", "op": "R", "data": {{"adapter": "tool.CALL", "target": "work", "out": "done"}}}},
        {{"id": "n4", "op": "J", "data": {{"var": "$go"}}}}"#
    );
    folder
        .program("work", "echo paid >> payments\necho 1")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[("start", &nodes, "n1-next-n2 n2-then-n3 n2-else-n4 n3-next-n4")]),
        );
    folder
}

fn open(folder: &Folder) -> Vec<String> {
    let inbox = folder.run(&["inbox", "--json"]).json();
    list(&inbox, "questions").iter().map(|it| text(it, "question").to_string()).collect()
}

fn begun(folder: &Folder, run: &str) -> String {
    let done = folder.run(&["run", "agent.json", "--id", run, "--json"]);
    assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
    let inbox = folder.run(&["inbox", run, "--json"]).json();
    text(&list(&inbox, "questions")[0], "question").to_string()
}

#[test]
fn an_answer_to_one_run_is_none_to_another() {
    let folder = asking("");
    let (first, second) = (begun(&folder, "r1"), begun(&folder, "r2"));
    assert_ne!(first, second, "the same question of two runs has two names");
    assert_eq!(folder.run(&["answer", &first, "yes"]).code, 0);
    assert_eq!(open(&folder), std::slice::from_ref(&second));
    let done = folder.run(&["resume", "r2", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"));
    assert_eq!(folder.text("payments"), "", "only what was answered goes on, when it is driven");
    // Nothing that is almost its name is its name.
    let upper = second.to_uppercase();
    for wrong in [
        "",
        "r2",
        &second[1..],
        &upper,
        &format!("{second}0"),
        "*",
        "%",
        "_",
        "' OR 1=1 --",
        "../r2",
    ] {
        if *wrong == second {
            continue;
        }
        let done = folder.run(&["answer", wrong, "yes"]);
        assert_ne!(done.code, 0, "`{wrong}`: {}{}", done.stdout, done.stderr);
    }
    for command in [&["cancel", ""][..], &["resume", ""], &["fork", ""]] {
        assert_eq!(folder.run(command).code, 2, "{command:?}");
    }
    assert_eq!(open(&folder), [second]);
}

/// A fork asks anew: what was said to its parent is said to that.
#[test]
fn an_answer_to_a_run_is_none_to_its_forks() {
    let folder = asking("");
    let question = begun(&folder, "r");
    let fork = folder.run(&["fork", "r@0", "--json", "--live"]);
    let forked = text(&shown(&fork), "run").to_string();
    let inbox = folder.run(&["inbox", &forked, "--json"]).json();
    let own = text(&list(&inbox, "questions")[0], "question").to_string();
    assert_ne!(own, question);
    assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
    let done = folder.run(&["resume", &forked, "--json"]);
    assert_eq!(done.code, 3, "the fork still waits: {}", done.stdout);
    assert_eq!(folder.text("payments"), "");
}

/// A file that is imported can say that somebody answered. It is not the run that it names.
#[test]
fn an_event_from_elsewhere_answers_no_question() {
    let folder = asking("");
    let question = begun(&folder, "r");
    let before = folder.run(&["export"]).stdout;
    let agent = text(&folder.events("r")[0], "agent_id").to_string();
    let members = |more: &[(&str, &str)]| {
        let texts = [
            ("kind", "question_answered"),
            ("question_id", &*question),
            ("answer", "yes"),
            ("run_id", "r"),
            ("agent_id", &*agent),
            ("at", "start/n1"),
            ("ts", "2030-03-01T09:00:00.000000Z"),
        ];
        let all = texts.iter().chain(more).map(|(name, value)| (*name, Value::text(*value)));
        json::compact(&Value::map(all))
    };
    for event in [members(&[]), members(&[("actor", "admin")])] {
        folder.write("forged.jsonl", format!("{event}\n"));
        for arguments in [&["import", "forged.jsonl"][..], &["import", "forged.jsonl", "--strict"]]
        {
            let done = folder.run(arguments);
            assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
        }
        assert_eq!(open(&folder), std::slice::from_ref(&question), "it still waits for a person");
        assert_eq!(folder.run(&["export"]).stdout, before, "nothing was added");
    }
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"), "{}", done.stdout);
    assert_eq!(folder.text("payments"), "");
    // What it exported itself it may have again.
    folder.write("own.jsonl", &before);
    assert_eq!(folder.run(&["import", "own.jsonl"]).code, 0);
    assert_eq!(folder.run(&["answer", &question, "no"]).code, 0);
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!((done.code, folder.text("payments").as_str()), (0, ""), "{}", done.stdout);
    folder.is_sound("r");
}

/// What was said once is not said again by giving the run back as it was before.
#[test]
fn a_second_answer_and_a_late_one_change_nothing() {
    let folder = asking(r#", "expires": 3600000, "default": "no""#);
    let question = begun(&folder, "r");
    assert_eq!(folder.run(&["answer", &question, "no"]).code, 0);
    for _ in 0..3 {
        assert_eq!(folder.run(&["answer", &question, "yes", "--json"]).code, 1);
    }
    assert_eq!(folder.run(&["resume", "r", "--json"]).code, 0);
    assert_eq!(folder.run(&["answer", &question, "yes", "--json"]).code, 1);
    assert_eq!(folder.text("payments"), "");
    let late = begun(&folder, "late");
    let done = folder.run_at("2099-01-01T00:00:00.000000Z", &["answer", &late, "yes", "--json"]);
    assert_eq!(done.code, 1, "{}", done.stdout);
    let done = folder.run_at("2099-01-01T00:00:00.000000Z", &["resume", "late", "--json"]);
    assert_eq!((done.code, folder.text("payments").as_str()), (0, ""), "{}", done.stdout);
}
