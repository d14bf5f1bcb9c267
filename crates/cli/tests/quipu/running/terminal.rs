//! Questions that are asked on a terminal, while the run goes on.

use std::fs::{File, OpenOptions};
use std::io::Write;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;

/// A process at a terminal of its own.
pub(super) struct Console {
    process: Running,
    /// Where the person is.
    person: File,
    /// What was shown, and not looked at yet.
    shown: String,
}

impl Console {
    pub(super) fn start(folder: &Folder, arguments: &[&str]) -> Console {
        // No other process has it, so that the terminal is gone when the test is over.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let person = openpt(flags).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap().into_string().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_quipu"))
            .args(arguments)
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .env("TERM", "xterm")
            .stdin(terminal.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(terminal)
            .spawn();
        let process = Running(child.unwrap());
        Console { process, person: person.into(), shown: String::new() }
    }

    /// Types something. A line ends with `\n`, and `\x04` is Ctrl-D.
    pub(super) fn types(&mut self, text: &str) {
        self.person.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until something is shown. Gives what was shown before it.
    pub(super) fn until(&mut self, words: &str) -> String {
        let begin = Instant::now();
        loop {
            if let Some((before, behind)) = self.shown.split_once(words) {
                let (before, behind) = (before.to_owned(), behind.to_owned());
                self.shown = behind;
                return before;
            }
            assert!(begin.elapsed() < HANG, "`{words}` was never shown:\n{}", self.shown);
            assert!(self.read(), "`{words}` was never shown:\n{}", self.shown);
        }
    }

    /// Reads what there is, and waits a while for it. Says whether there may be more.
    fn read(&mut self) -> bool {
        let mut watched = [PollFd::new(&self.person, PollFlags::IN)];
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        if poll(&mut watched, Some(&second)).unwrap() == 0 {
            return true;
        }
        let mut piece = [0; 4096];
        // Reading fails when nobody has the terminal any more.
        let length = self.person.read(&mut piece).unwrap_or(0);
        self.shown.push_str(&String::from_utf8_lossy(&piece[..length]));
        length > 0
    }

    /// Waits for the end. Gives the code, the data, and what was shown beside it.
    pub(super) fn end(mut self) -> (i32, String, String) {
        let begin = Instant::now();
        while self.read() {
            assert!(begin.elapsed() < HANG, "the binary hangs:\n{}", self.shown);
        }
        let done = self.process.end();
        (done.code, done.stdout, self.shown)
    }
}

fn ask(id: &str, prompt: &str, out: &str, more: &str) -> String {
    format!(
        r#"{{"id": "{id}", "op": "Ask",
            "data": {{"prompt": "{prompt}", "options": ["Yes", "No"], "out": "{out}"{more}}}}}"#
    )
}

/// What both questions got.
const END: &str = r#"{"id": "n9", "op": "J", "data": {"var": "$sure"}}"#;

/// Asks twice, one question after the other.
fn asking(more: &str) -> Folder {
    let folder = Folder::new();
    let (pay, sure) = (ask("n1", "Pay?", "pay", more), ask("n2", "Sure?", "sure", ""));
    let nodes = format!("{pay}, {sure}, {END}");
    folder.write("agent.json", graph(&[("start", &nodes, "n1-next-n2 n2-next-n9")]));
    folder
}

/// Asks in two branches, and works in a third one.
fn branching() -> Folder {
    let folder = Folder::new();
    let fork = format!(
        r#"{{"id": "n1", "op": "Fork", "data": {{}}}}, {{"id": "n2", "op": "Join", "data": {{}}}},
        {END}"#
    );
    let branches = "n1-branch->pays n1-branch->sures n1-branch->works n1-next-n2 n2-next-n9";
    let again = CALL.replace("n1", "n2");
    folder
        .program("work", "echo x >> works; echo true")
        .write("quipu.toml", "[tools.work]\ncommand = [\"./work\"]\n")
        .write(
            "agent.json",
            graph(&[
                ("start", &fork, branches),
                ("pays", &ask("n1", "Pay?", "pay", ""), ""),
                ("sures", &ask("n1", "Sure?", "sure", ""), ""),
                ("works", &format!("{CALL}, {again}"), "n1-next-n2"),
            ]),
        );
    folder
}

/// What was answered, in the order of the history.
fn answers(folder: &Folder) -> Vec<String> {
    let events = folder.events("r");
    let answered = events.iter().filter(|event| text(event, "kind") == "question_answered");
    answered.map(|event| text(event, "answer").to_string()).collect()
}

/// The question that is open, for somebody at another terminal.
fn open(folder: &Folder) -> String {
    let inbox = folder.run(&["inbox", "--json"]).json();
    text(&list(&inbox, "questions")[0], "question").to_string()
}

const RUN: &[&str] = &["run", "agent.json", "--id", "r"];

#[test]
fn an_interrupt_at_the_prompt_pauses_at_once() {
    let folder = asking("");
    let mut console = Console::start(&folder, RUN);
    console.until("? Pay?\r\n  one of: Yes, No\r\n> ");
    console.types("Ye");
    console.process.interrupt();
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (130, ""), "{shown}");
    let told = "\r\npaused: 1 process (run r)\r\nnext: quipu resume r  go on\r\n";
    assert!(shown.ends_with(told), "{shown:?}");
    assert_eq!(folder.kinds("r").last().unwrap(), "run_paused");

    let mut console = Console::start(&folder, &["resume", "r", "--json"]);
    console.until("? Pay?");
    console.until("> ");
    console.types("perhaps\n");
    console.until("the answer must be one of: Yes, No\r\n? Pay?");
    console.until("> ");
    console.process.interrupt();
    let (code, stdout, shown) = console.end();
    assert_eq!(code, 130, "{shown}");
    assert_eq!(text(&json::parse(&stdout).unwrap(), "status"), "paused");

    let mut console = Console::start(&folder, &["resume", "r"]);
    console.until("> ");
    console.types("yes\n");
    console.until("? Sure?");
    console.until("> ");
    console.types("no\n");
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (0, "no\n"), "{shown}");
    assert_eq!(answers(&folder), ["yes", "no"]);
    folder.is_sound("r");
}

#[test]
fn a_question_that_was_answered_elsewhere_is_taken_back() {
    let folder = asking("");
    let mut console = Console::start(&folder, RUN);
    console.until("> ");
    // Begun, and not for the next question.
    console.types("N");
    console.until("N");
    let answered = folder.run(&["answer", &open(&folder), "Yes"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    console.until("\r\nnote: `Pay?` was answered elsewhere: Yes\r\n");
    console.until("? Sure?");
    console.until("> ");
    console.types("No\n");
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (0, "no\n"), "{shown}");
    assert!(!shown.contains("must be one of"), "{shown}");
    assert_eq!(answers(&folder), ["Yes", "No"]);
    folder.is_sound("r");
}

#[test]
fn a_question_that_expires_is_taken_back() {
    let folder = asking(r#", "expires": 300, "default": "No""#);
    let mut console = Console::start(&folder, RUN);
    console.until("> ");
    console.until("\r\nnote: `Pay?` has expired\r\n");
    console.until("? Sure?");
    console.until("> ");
    console.types("yes\n");
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (0, "yes\n"), "{shown}");
    assert_eq!(answers(&folder), ["yes"]);
    folder.is_sound("r");
}

#[test]
fn a_run_that_is_cancelled_elsewhere_ends_at_the_prompt() {
    let folder = asking("");
    let mut console = Console::start(&folder, RUN);
    console.until("> ");
    assert_eq!(folder.run(&["cancel", "r"]).code, 0);
    console.until("\r\nnote: `Pay?` needs no answer any more\r\n");
    let (code, _, shown) = console.end();
    assert!(shown.ends_with("cancelled: 1 process (run r)\r\n"), "{shown:?}");
    assert_eq!(code, 1);
}

#[test]
fn other_branches_work_and_questions_are_asked_one_after_the_other() {
    let folder = branching();
    let mut console = Console::start(&folder, RUN);
    console.until("? Pay?\r\n  one of: Yes, No\r\n> ");
    folder.until("both calls are over", |folder| {
        folder.kinds("r").iter().filter(|kind| *kind == "tool_result").count() == 2
    });
    console.types("no\n");
    let before = console.until("? Sure?");
    assert!(!before.contains('?'), "{before:?}");
    console.until("> ");
    console.types("yes\n");
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (0, "yes\n"), "{shown}");
    assert_eq!(answers(&folder), ["no", "yes"]);
    folder.is_sound("r");
}

#[test]
fn a_later_question_that_was_answered_elsewhere_needs_no_line() {
    let folder = branching();
    let mut console = Console::start(&folder, RUN);
    console.until("? Pay?");
    console.until("> ");
    console.types("n");
    let inbox = folder.run(&["inbox", "--json"]).json();
    let mut questions = list(&inbox, "questions").iter();
    let sure = questions.find(|it| text(it, "prompt") == "Sure?").unwrap();
    assert_eq!(folder.run(&["answer", text(sure, "question"), "No"]).code, 0);
    console.types("o\n");
    let (code, stdout, shown) = console.end();
    assert_eq!((code, stdout.as_str()), (0, "no\n"), "{shown}");
    folder.is_sound("r");
}

#[test]
fn the_end_of_input_leaves_the_question_open() {
    let folder = asking("");
    let mut console = Console::start(&folder, RUN);
    console.until("> ");
    console.types("\x04");
    let (code, _, shown) = console.end();
    assert_eq!(code, 3, "{shown}");
    assert!(shown.contains("\r\nwaiting for a person: 1 process (run r)\r\n"), "{shown:?}");
    assert!(shown.contains(&format!("quipu answer {} Yes|No", open(&folder))), "{shown:?}");
    assert_eq!(folder.kinds("r").last().unwrap(), "question_asked");
}

#[test]
fn a_terminal_that_goes_away_leaves_the_question_open() {
    let folder = asking("");
    let mut console = Console::start(&folder, RUN);
    console.until("> ");
    console.types("Yes");
    drop(console.person);
    assert_eq!(console.process.end().code, 3);
    assert_eq!(folder.kinds("r").last().unwrap(), "question_asked");
}

/// Whoever sits at the terminal is asked only what they may answer.
#[test]
fn a_question_that_needs_a_capability_is_asked_of_who_has_it() {
    let people = "[people.alice]\ncapabilities = [\"pay\"]\n";
    let folder = asking(r#", "capability": "pay""#);
    folder.write("quipu.toml", people);
    let mut mallory =
        Console::start(&folder, &["run", "agent.json", "--id", "m", "--as", "mallory"]);
    mallory.until("`Pay?` is left open: `mallory` may not answer this: it needs `pay`; alice may");
    assert_eq!(mallory.end().0, 3);
    let mut alice = Console::start(&folder, &["resume", "m", "--as", "alice"]);
    alice.until("? Pay?");
    alice.types("yes\n");
    alice.until("? Sure?");
    alice.types("no\n");
    assert_eq!(alice.end().0, 0);
    let answered = folder.events("m");
    let answered = answered.iter().filter(|event| text(event, "kind") == "question_answered");
    assert_eq!(answered.map(|event| text(event, "actor")).collect::<Vec<_>>(), ["alice", "alice"]);
}
