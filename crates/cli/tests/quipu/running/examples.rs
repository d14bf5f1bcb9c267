//! The agents of `examples`, with a model on loopback: run, killed on their way, resumed, and
//! replayed without a call.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use loopback::{Act, Model, Said, Seen};
use serde_json::{Value as Json, json as object};
use sim::Random;

use super::*;
use crate::console::root;
use crate::readme::copy;

/// So often each agent is killed on its way.
const KILLS: usize = 4;

/// One of the examples, in a folder of its own.
struct Stage {
    folder: Folder,
    model: Model,
}

impl Stage {
    fn new(example: &str, rule: impl Fn(&Seen) -> Act + Send + Sync + 'static) -> Stage {
        let folder = Folder::new();
        copy(&root().join("examples").join(example), folder.path());
        Stage { folder, model: Model::start(rule) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).current_dir(self.folder.path()).env("NO_COLOR", "1");
        command.env("OPENAI_BASE_URL", self.model.openai()).env_remove("OPENAI_API_KEY");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        done(self.command(arguments).output().unwrap())
    }

    /// Runs an agent as `r`, kills it a few times on its way, and lets it come to where it stops.
    fn run_through_kills(&self, inputs: &[&str], seed: u64) -> Done {
        let mut begin = vec!["run", "agent.yaml", "--id", "r", "--json"];
        begin.extend(inputs.iter().flat_map(|input| ["--input", *input]));
        let mut random = Random::new(seed);
        for _ in 0..KILLS {
            let mut process = self.command(self.next(&begin)).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(random.between(30, 250) as u64));
            process.kill().unwrap();
            process.wait().unwrap();
        }
        self.run(self.next(&begin))
    }

    fn next<'a>(&self, begin: &'a [&'a str]) -> &'a [&'a str] {
        match self.run(&["state", "r"]).code {
            0 => &["resume", "r", "--json"],
            _ => begin,
        }
    }

    /// A replay is the same run, and asks nobody.
    fn replays(&self) {
        let asked = self.model.seen().len();
        let replayed = self.run(&["replay", "r", "--json"]);
        assert_eq!(replayed.code, 0, "{}", replayed.stdout);
        assert_eq!(self.model.seen().len(), asked, "a replay calls nothing");
        let verified = self.run(&["verify"]);
        assert_eq!(verified.code, 0, "{}", verified.stdout);
        assert_eq!(self.model.complaints(), Vec::<String>::new());
    }
}

/// What was said last: the question, or what each tool did.
fn told(seen: &Seen) -> (bool, Vec<String>) {
    let messages = seen.body["messages"].as_array().unwrap();
    let of_tools = messages.iter().rev().take_while(|message| message["role"] == "tool");
    let mut texts: Vec<String> = of_tools.map(|message| text_of(&message["content"])).collect();
    texts.reverse();
    match texts.is_empty() {
        true => (false, vec![text_of(&messages.last().unwrap()["content"])]),
        false => (true, texts),
    }
}

fn text_of(content: &Json) -> String {
    match content {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Answers slowly, so that there is time to be killed in.
fn slowly(act: Act) -> Act {
    match act {
        Act::Say(said) => Act::Say(Box::new(Said { pause: Duration::from_millis(60), ..*said })),
        other => other,
    }
}

/// A clerk that pays back what an order cost, and says what came of it.
fn clerk(seen: &Seen) -> Act {
    let (is_of_tools, texts) = told(seen);
    let last = texts.last().unwrap();
    let read: Json = serde_json::from_str(last).unwrap_or_default();
    slowly(if !is_of_tools {
        let order = read["order"].as_str().unwrap_or("none");
        Act::tools([("find_order", object!({"order": order}))])
    } else if read["price"].is_number() {
        let payment = object!({"order": read["order"], "amount": read["price"]});
        Act::tools([("pay_back", payment)])
    } else if read["paid"] == true {
        Act::text(&object!({"letter": "You have your money back.", "paid": 1}).to_string())
    } else {
        let letter = format!("Nothing was paid: {last}");
        Act::text(&object!({"letter": letter, "paid": 0}).to_string())
    })
}

fn ledger(stage: &Stage) -> usize {
    let text = std::fs::read_to_string(stage.folder.path().join("ledger.txt"));
    text.map_or(0, |text| text.lines().count())
}

fn put_in_force(stage: &Stage) {
    let proposed =
        stage.run(&["policy", "propose", "policy.yaml", "--tests", "policy.tests.yaml", "--json"]);
    assert_eq!(proposed.code, 0, "{}{}", proposed.stdout, proposed.stderr);
    let proposed = proposed.json();
    let policy = text(&proposed, "policy");
    let activated = stage.run(&["policy", "activate", policy, "--actor", "anna"]);
    assert_eq!(activated.code, 0, "{}", activated.stderr);
}

#[test]
fn a_small_refund_is_paid_once_however_often_the_process_dies() {
    for seed in 1..=3 {
        let stage = Stage::new("refunds", clerk);
        put_in_force(&stage);
        let done = stage.run_through_kills(&["order=A-7", "text=it is broken"], seed);
        assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
        let document = done.json();
        let result = document.get("result").unwrap();
        assert_eq!(text(result, "letter"), "You have your money back.");
        assert_eq!(ledger(&stage), 1, "paid once");
        stage.replays();
    }
}

#[test]
fn a_large_refund_waits_for_somebody_who_may_agree_to_it() {
    for (answer, paid) in [("approve", 1), ("deny", 0)] {
        let stage = Stage::new("refunds", clerk);
        put_in_force(&stage);
        let done = stage.run_through_kills(&["order=B-9", "text=it never came"], 7);
        assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
        assert_eq!(ledger(&stage), 0, "nothing is paid before somebody has agreed");
        let inbox = stage.run(&["inbox", "--json"]).json();
        let question = text(&list(&inbox, "questions")[0], "question");
        let other = stage.run(&["answer", question, "approve", "--as", "mallory"]);
        assert_eq!(other.code, 1, "{}", other.stdout);
        assert!(other.stderr.contains("anna"), "{}", other.stderr);
        let answered = stage.run(&["answer", question, answer, "--as", "anna"]);
        assert_eq!(answered.code, 0, "{}", answered.stderr);
        let again = stage.run(&["answer", question, "approve", "--as", "anna"]);
        assert_eq!(again.code, 1, "it was answered before");
        let done = stage.run_through_kills(&[], 8);
        assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
        assert_eq!(ledger(&stage), paid, "{answer}");
        let document = done.json();
        let letter = text(document.get("result").unwrap(), "letter");
        assert_eq!(letter.starts_with("Nothing was paid"), paid == 0, "{letter}");
        stage.replays();
    }
}

/// A search service: says of every topic that there is one page about it.
fn search() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
            let asked = line.split(['=', ' ']).nth(2).unwrap_or_default().to_string();
            let body = object!({"pages": [{"title": asked, "excerpt": "cords with knots"}]});
            let body = body.to_string();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

/// Looks at the web and at the notes together, then writes; and one who is content with that.
fn researcher(seen: &Seen) -> Act {
    let system = text_of(&seen.body["messages"][0]["content"]);
    let (is_of_tools, texts) = told(seen);
    slowly(if system.starts_with("Rate") {
        Act::text(&object!({"score": 8, "missing": ""}).to_string())
    } else if is_of_tools {
        let report = format!("What was found:\n{}", texts.join("\n"));
        let report = object!({"report": report, "sources": ["web", "quipus.md"]});
        Act::text(&report.to_string())
    } else {
        Act::tools([
            ("search", object!({"query": "quipu & knots"})),
            ("notes", object!({"operation": "read", "path": "quipus.md"})),
        ])
    })
}

#[test]
fn a_report_is_found_out_checked_and_kept() {
    let stage = Stage::new("research", researcher);
    let port = search();
    let bound = std::fs::read_to_string(stage.folder.path().join("quipu.toml")).unwrap();
    let line = bound.lines().find(|line| line.starts_with("http =")).unwrap();
    let here = format!(
        "http = \"GET http://127.0.0.1:{port}/search?q={{query}}\"\nallow = [\"127.0.0.1:{port}\"]"
    );
    stage.folder.write("quipu.toml", bound.replace(line, &here));
    let done = stage.run_through_kills(&["question=What is a quipu?"], 3);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    let kept = std::fs::read_to_string(stage.folder.path().join("reports/report.md")).unwrap();
    assert!(kept.contains("quipu%20%26%20knots"), "the query is one parameter: {kept}");
    assert!(kept.contains("quipucamayoc"), "the note was read: {kept}");
    stage.replays();
}

/// Answers from the pages that it is given, and says which.
fn answerer(seen: &Seen) -> Act {
    let (_, texts) = told(seen);
    let asked: Json = serde_json::from_str(&texts[0]).unwrap();
    let pages = asked["pages"].as_array().cloned().unwrap_or_default();
    let first = pages.first().cloned().unwrap_or_default();
    let is_there = first["text"].as_str().is_some_and(|text| text.contains("28 days"));
    let answer = object!({
        "answer": if is_there { "28 days a year" } else { "the pages do not say" },
        "sources": pages.iter().take(1).map(|page| page["id"].clone()).collect::<Vec<_>>(),
        "found": is_there,
    });
    slowly(Act::text(&answer.to_string()))
}

#[test]
fn a_handbook_answers_from_its_pages() {
    let stage = Stage::new("handbook", answerer);
    let done = stage.run_through_kills(&["question=How many holidays do I get each year?"], 5);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    let document = done.json();
    let result = document.get("result").unwrap();
    assert_eq!(text(result, "answer"), "28 days a year");
    assert!(json::compact(result).contains("holidays.md"), "{}", json::compact(result));
    stage.replays();
}

#[test]
fn a_tool_that_calls_others_is_no_way_around_a_policy() {
    let stage = Stage::new("refunds", |_| Act::tools([("both", object!({"order": "A-7"}))]));
    let folder = stage.folder.path();
    let spec = std::fs::read_to_string(folder.join("agent.yaml")).unwrap();
    let spec = spec.replace("tools: [find_order, pay_back]", "tools: [both]");
    stage.folder.write("agent.yaml", spec.replace("  - id: find_order\n", "  - id: both\n"));
    let bound = std::fs::read_to_string(folder.join("quipu.toml")).unwrap();
    let composite = "[tools.both]\ncomposite = [\"find_order\", \"pay_back\"]\n";
    stage.folder.write("quipu.toml", format!("{bound}\n{composite}"));
    let rule = "rules:\n  - when: tool == 'pay_back'\n    decision: deny_abort\ndefault: allow\n";
    stage.folder.write("deny.yaml", rule);
    let inputs = ["--input", "order=A-7", "--input", "text=x", "--json"];
    let done = stage.run(&[&["run", "agent.yaml", "--policy", "deny.yaml"], &inputs[..]].concat());
    assert_eq!(done.code, 1, "{}", done.stdout);
    let document = done.json();
    let error = document.get("error").unwrap();
    assert_eq!(text(error, "code"), "aborted");
    assert!(text(error, "message").contains("it calls `pay_back`"), "{}", done.stdout);
    assert_eq!(ledger(&stage), 0);
}
