//! Questions to people: they outlive processes, and one answer counts.

use super::*;

fn ask(id: &str, more: &str) -> String {
    format!(
        r#"{{"id": "{id}", "op": "Ask",
            "data": {{"prompt": "Pay?", "options": ["Yes", "No"], "out": "said"{more}}}}}"#
    )
}

fn call(id: &str, tool: &str) -> String {
    format!(
        r#"{{"id": "{id}", "op": "R",
            "data": {{"adapter": "tool.CALL", "target": "{tool}", "out": "done"}}}}"#
    )
}

const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$said"}}"#;

/// Asks, then pays.
fn paying() -> Folder {
    let folder = Folder::new();
    let nodes = format!("{}, {}, {END}", ask("n1", ""), call("n2", "pay"));
    folder
        .program("pay", "echo paid $QUIPU_ATTEMPT >> payments; echo true")
        .write("quipu.toml", "[tools.pay]\ncommand = [\"./pay\"]\n")
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
    folder
}

/// The ids of the open questions.
fn open(folder: &Folder) -> Vec<String> {
    let inbox = folder.run(&["inbox", "--json"]).json();
    list(&inbox, "questions").iter().map(|it| text(it, "question").to_string()).collect()
}

#[test]
fn an_answer_is_taken_once_and_the_second_is_told_of_the_first() {
    let folder = paying();
    let done = folder.run(&["run", "agent.json", "--id", "r", "--json"]);
    assert_eq!((done.code, ending(&shown(&done))), (3, "waiting"));
    let question = open(&folder).remove(0);
    assert_eq!(json::compact(shown(&done).get("questions").unwrap()), format!("[\"{question}\"]"));

    let wrong = folder.run(&["answer", &question, "perhaps", "--json"]);
    assert_eq!(wrong.code, 1);
    assert_eq!(text(&shown(&wrong), "error"), "the answer must be one of: Yes, No");
    let first = folder.run(&["answer", &question[..6], "YES", "--json"]);
    assert_eq!((first.code, text(&shown(&first), "run")), (0, "r"), "{}", first.stderr);
    assert_eq!(open(&folder), [""; 0]);
    // What follows from it leaves only when somebody drives the run.
    assert_eq!(folder.text("payments"), "");

    let second = folder.run(&["answer", &question, "no", "--json"]);
    assert_eq!(second.code, 1);
    let told = shown(&second);
    assert_eq!(told.get("ok"), Some(&Value::Bool(false)));
    assert_eq!(text(told.get("first").unwrap(), "answer"), "YES");
    assert!(text(&told, "error").contains(text(told.get("first").unwrap(), "ts")));
    let unknown = folder.run(&["answer", "abcd", "no"]);
    let why = "error: there is no question `abcd`; `quipu inbox` lists them\n";
    assert_eq!((unknown.code, unknown.stderr.as_str()), (2, why));

    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!(text(&shown(&done), "result"), "yes");
    assert_eq!(folder.text("payments"), "paid 1\n");
    let second = folder.run(&["answer", &question, "no", "--json"]);
    assert_eq!(text(shown(&second).get("first").unwrap(), "answer"), "YES");
    folder.is_sound("r");
}

/// A branch asks while another one works, and the process dies three times.
#[test]
fn a_question_outlives_three_processes_that_were_killed() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}},
        {"id": "n9", "op": "J", "data": {"var": "$said"}}"#;
    let asks = format!("{}, {}", ask("n1", ""), call("n2", "pay"));
    folder
        .program("pay", "echo paid >> payments; echo true")
        // Works for as long as nobody says that it is enough.
        .program("work", "echo x >> works; until test -e enough; do sleep 0.01; done; echo true")
        .write(
            "quipu.toml",
            "[tools.pay]\ncommand = [\"./pay\"]\n[tools.work]\ncommand = [\"./work\"]\n\
             again = \"key\"\n",
        )
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->asks n1-branch->works n1-next-n2 n2-next-n9"),
                ("asks", &asks, "n1-next-n2"),
                ("works", &call("n1", "work"), ""),
            ]),
        );
    for turn in 1..=3 {
        let arguments = match turn {
            1 => &["run", "agent.json", "--id", "r"][..],
            _ => &["resume", "r"],
        };
        let process = folder.start(arguments);
        folder.until("the tool works", |folder| folder.text("works").lines().count() == turn);
        assert_eq!(open(&folder).len(), 1, "while others work");
        process.kill();
        assert_eq!(open(&folder).len(), 1, "after the process was killed");
    }
    let question = open(&folder).remove(0);
    let answered = folder.run(&["answer", &question, "yes", "--as", "ada"]);
    assert_eq!(
        (answered.code, answered.stdout.as_str()),
        (0, "answered; `quipu resume r` goes on\n")
    );
    let process = folder.start(&["resume", "r", "--json"]);
    folder.until("it is paid", |folder| !folder.text("payments").is_empty());
    folder.write("enough", "");
    let done = process.end();
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(text(&shown(&done), "result"), "yes");
    assert_eq!(folder.text("payments"), "paid\n");
    let second = folder.run(&["answer", &question, "no", "--json"]);
    assert_eq!((second.code, text(shown(&second).get("first").unwrap(), "answer")), (1, "yes"));
    folder.is_sound("r");
}

/// Whoever drives the run sees an answer that another process took.
#[test]
fn a_process_that_waits_for_other_work_takes_the_answer_up() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}}"#;
    let asks = format!("{}, {}", ask("n1", ""), call("n2", "pay"));
    folder
        .program("pay", "echo paid $QUIPU_ATTEMPT >> payments; echo true")
        .program("work", "echo x >> works; until test -e payments; do sleep 0.01; done; echo true")
        .write(
            "quipu.toml",
            "[tools.pay]\ncommand = [\"./pay\"]\n[tools.work]\ncommand = [\"./work\"]\n",
        )
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->asks n1-branch->works n1-next-n2"),
                ("asks", &asks, "n1-next-n2"),
                ("works", &call("n1", "work"), ""),
            ]),
        );
    let process = folder.start(&["run", "agent.json", "--id", "r", "--json"]);
    folder.until("the tool works", |folder| !folder.text("works").is_empty());
    let question = open(&folder).remove(0);
    assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
    let done = process.end();
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    assert_eq!(folder.text("payments"), "paid 1\n");
    folder.is_sound("r");
}

/// What the first answer leads to is recorded with the second, when nobody drives the run: it has
/// not left, and is not in doubt.
#[test]
fn two_questions_answered_in_a_row_lead_to_two_effects() {
    let folder = Folder::new();
    let fork = r#"{"id": "n1", "op": "Fork", "data": {}}, {"id": "n2", "op": "Join", "data": {}}"#;
    let asks = format!("{}, {}", ask("n1", ""), call("n2", "pay"));
    folder
        .program("pay", "echo paid >> payments; echo true")
        .write("quipu.toml", "[tools.pay]\ncommand = [\"./pay\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", fork, "n1-branch->one n1-branch->two n1-branch->three n1-next-n2"),
                ("one", &asks, "n1-next-n2"),
                ("two", &asks, "n1-next-n2"),
                ("three", &asks, "n1-next-n2"),
            ]),
        );
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    for question in open(&folder) {
        assert_eq!(folder.run(&["answer", &question, "yes"]).code, 0);
    }
    // Who answers makes no calls, and so records none as leaving.
    let left = |kind: &String| *kind == "effect_started";
    assert!(folder.kinds("r").contains(&"tool_call".to_string()));
    assert!(!folder.kinds("r").iter().any(left));
    let done = folder.run(&["resume", "r", "--json"]);
    assert_eq!(ending(&shown(&done)), "done", "{}", done.stdout);
    assert_eq!(folder.text("payments"), "paid\npaid\npaid\n");
    assert_eq!(folder.kinds("r").into_iter().filter(left).count(), 3);
    assert!(!folder.kinds("r").contains(&"interruption".to_string()));
    folder.is_sound("r");
}

#[test]
fn of_two_answers_at_the_same_moment_one_counts() {
    let folder = paying();
    for turn in 0..4 {
        let run = format!("r{turn}");
        assert_eq!(folder.run(&["run", "agent.json", "--id", &run]).code, 3);
        let question = open(&folder).remove(0);
        let answers = ["yes", "no", "yes", "no"];
        let processes =
            answers.map(|answer| (answer, folder.start(&["answer", &question, answer, "--json"])));
        let ended = processes.map(|(answer, process)| (answer, process.end()));
        let mut taken: Vec<&str> =
            ended.iter().filter(|(_, done)| done.code == 0).map(|(answer, _)| *answer).collect();
        // The same answer at the same microsecond is the same event, and both who gave it are told so.
        taken.dedup();
        assert_eq!(taken.len(), 1, "{turn}");
        for (_, done) in ended.iter().filter(|(_, done)| done.code != 0) {
            let told = shown(done);
            assert_eq!((done.code, text(told.get("first").unwrap(), "answer")), (1, taken[0]));
        }
        let done = folder.run(&["resume", &run, "--json"]);
        assert_eq!((ending(&shown(&done)), text(&shown(&done), "result")), ("done", taken[0]));
    }
}

const MONDAY: &str = "2026-03-02T09:00:00.000000Z";
const TUESDAY: &str = "2026-03-03T09:00:00.000000Z";

#[test]
fn a_question_that_nobody_answers_in_time_goes_the_way_its_author_chose() {
    let late = r#"{"id": "n3", "op": "J", "data": {"var": "nobody"}}"#;
    for (more, edges, code, came_to) in [
        (r#", "expires": 14400000, "default": "No""#, "n1-next-n9", "done", r#""No""#),
        (r#", "expires": 14400000"#, "n1-next-n9 n1-expired-n3", "done", r#""nobody""#),
        (r#", "expires": 14400000"#, "n1-next-n9", "expired", "null"),
    ] {
        let folder = Folder::new();
        let nodes = format!("{}, {late}, {END}", ask("n1", more));
        folder.write("agent.json", graph(&[("start", &nodes, edges)]));
        let done = folder.run_at(MONDAY, &["run", "agent.json", "--id", "r", "--json"]);
        assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
        let inbox = folder.run(&["inbox", "--json"]).json();
        let expires = text(&list(&inbox, "questions")[0], "expires");
        assert_eq!(expires, "2026-03-02T13:00:00.000000Z");
        // Nothing has happened before that, whoever looks.
        let done = folder.run_at(MONDAY, &["resume", "r", "--json"]);
        assert_eq!(ending(&shown(&done)), "waiting");
        let question = open(&folder).remove(0);
        let answered = folder.run_at(TUESDAY, &["answer", &question, "yes", "--json"]);
        assert_eq!(answered.code, 1, "{}", answered.stdout);
        assert_eq!(
            text(&shown(&answered), "error"),
            "it expired at 2026-03-02T13:00:00.000000Z; `quipu resume r` goes on without an answer"
        );
        let done = folder.run_at(TUESDAY, &["resume", "r", "--json"]);
        let document = shown(&done);
        assert_eq!(ending(&document), code, "{}", done.stdout);
        assert_eq!(json::compact(document.get("result").unwrap()), came_to);
        let late = folder.run_at(TUESDAY, &["answer", &question, "yes", "--json"]);
        assert_eq!(late.code, 1);
        assert_eq!(text(&shown(&late), "error"), "nobody waits for an answer to this any more");
        folder.is_sound("r");
    }
}

/// What is written around an answer does not make it another one.
#[test]
fn an_answer_is_kept_without_the_space_around_it() {
    let folder = Folder::new();
    let gate = r#"{"id": "n2", "op": "If", "data": {"cond": "said == 'yes'"}}"#;
    folder.write(
        "agent.json",
        graph(&[
            (
                "start",
                &format!("{}, {gate}", ask("n1", "")),
                "n1-next-n2 n2-then->pay n2-else->not",
            ),
            ("pay", END, ""),
            ("not", END, ""),
        ]),
    );
    assert_eq!(folder.run(&["run", "agent.json", "--id", "r"]).code, 3);
    let question = open(&folder).remove(0);
    assert_eq!(folder.run(&["answer", &question, " Yes\t"]).code, 0);
    let done = shown(&folder.run(&["resume", "r", "--json"]));
    assert_eq!(text(&done, "result"), "yes");
    assert_eq!(json::compact(done.get("path").unwrap()), r#"["start","pay"]"#);
    folder.is_sound("r");
}

/// More questions than are read at once.
#[test]
fn the_last_of_many_questions_is_found() {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop", "data": {"ref": "$items", "item": "item"}}"#;
    let answers = vec!["yes"; 1_001];
    folder.write("answers.json", format!("{answers:?}")).write(
        "agent.json",
        graph(&[("start", over, "n1-body->one"), ("one", &ask("n1", ""), "")]),
    );
    let items = format!("items={:?}", vec![0; answers.len()]);
    let run = ["run", "agent.json", "--id", "r", "--answers", "answers.json", "--input", &items];
    let done = folder.run(&run);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let events = folder.events("r");
    let mut asked = events.iter().filter(|event| text(event, "kind") == "question_asked");
    let last = text(asked.next_back().unwrap(), "question_id");
    let done = folder.run(&["answer", last, "no"]);
    assert_eq!(done.code, 1);
    assert!(done.stderr.starts_with("it was answered at "), "{}", done.stderr);
}
