//! Models of providers, on loopback, as a user asks them.

#[cfg(target_os = "linux")]
mod floods;

use loopback::{Act, Failing, Model, Protocol, Said};

use super::terminal::Console;
use super::*;

/// The key that nobody may ever see.
const CANARY: &str = "sk-canary-7f3a9c5e1b2d4860";

const AGENT: &str = r#"
name: Judge
version: "1.0"
description: Asks one model.
entry_point: ask
entities:
  - id: judge
    type: agent
    label: Judge
    model: MODEL
    system_prompt: You judge.
    config: { temperature: 0.5 }
    output_schema: Verdict
processes:
  - { id: ask, type: step, label: Ask }
edges:
  - { type: invoke, from: ask, to: judge, output: Verdict }
schemas:
  - name: Verdict
    fields:
      - { name: score, type: integer }
      - { name: why, type: string }
"#;

const VERDICT: &str = r#"{"score": 7, "why": "it is good"}"#;

fn model_of(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenAi => "gpt-4o-mini",
        Protocol::Anthropic => "claude-sonnet-4-5",
        Protocol::Gemini => "gemini-2.5-flash",
    }
}

fn agent(model: &str) -> Folder {
    let folder = Folder::new();
    folder.write("agent.yaml", AGENT.replace("MODEL", model));
    folder
}

impl Folder {
    /// The binary where nothing is set but this.
    fn command_where(&self, set: &[(&str, &str)], arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1").stdin(Stdio::null());
        for name in ["OPENAI", "ANTHROPIC", "GEMINI"] {
            command.env_remove(format!("{name}_API_KEY")).env_remove(format!("{name}_BASE_URL"));
        }
        command.envs(set.iter().copied());
        command
    }

    fn run_where(&self, set: &[(&str, &str)], arguments: &[&str]) -> Done {
        done(self.command_where(set, arguments).output().unwrap())
    }

    /// The binary where everybody is this model.
    fn command_on(&self, model: &Model, arguments: &[&str]) -> Command {
        let (base, url) = (model.openai(), model.url());
        let set = [
            ("OPENAI_BASE_URL", base.as_str()),
            ("ANTHROPIC_BASE_URL", &url),
            ("GEMINI_BASE_URL", &url),
            ("OPENAI_API_KEY", CANARY),
            ("ANTHROPIC_API_KEY", CANARY),
            ("GEMINI_API_KEY", CANARY),
        ];
        self.command_where(&set, arguments)
    }

    fn run_on(&self, model: &Model, arguments: &[&str]) -> Done {
        done(self.command_on(model, arguments).output().unwrap())
    }

    /// Whether the key is anywhere in the folder, or in what was printed.
    fn holds_key(&self, done: &Done) -> bool {
        let files = std::fs::read_dir(self.path().join(".quipu")).into_iter().flatten();
        let read = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        let is_there = |bytes: &[u8]| bytes.windows(12).any(|it| it == &CANARY.as_bytes()[..12]);
        let printed = [done.stdout.as_bytes(), done.stderr.as_bytes()];
        printed.into_iter().any(is_there) || read.into_iter().any(|bytes| is_there(&bytes))
    }
}

#[test]
fn a_model_answers_in_every_protocol() {
    for protocol in Protocol::ALL {
        let folder = agent(model_of(protocol));
        let model = Model::script([Act::text(VERDICT)]);
        let done = folder.run_on(&model, &["run", "agent.yaml", "--json", "--id", "r"]);
        let document = shown(&done);
        assert_eq!((done.code, ending(&document)), (0, "done"), "{}{}", done.stdout, done.stderr);
        assert_eq!(document.get("state").unwrap().get("score"), Some(&Value::Int(7)));
        let usage = document.get("usage").unwrap();
        assert!(json::compact(usage).contains("11"), "{usage:?}");
        assert_eq!(model.complaints(), [""; 0]);
        assert_eq!(done.stderr, "", "nothing is said in a pipe");
        assert!(!folder.holds_key(&done));
        folder.is_sound("r");
        // Replaying asks nobody.
        assert_eq!(folder.run_where(&[], &["replay", "r"]).code, 0);
        assert_eq!(model.seen().len(), 1);
    }
}

#[test]
fn a_named_model_is_asked_by_every_agent() {
    let folder = agent("gpt-4o");
    folder.write("quipu.toml", "[models.fast]\nprovider = \"openai\"\nmodel = \"qwen2.5:7b\"\n");
    let model = Model::script([Act::text(VERDICT), Act::text(VERDICT)]);
    for (name, sent) in [("fast", "qwen2.5:7b"), ("claude-sonnet-4-5", "claude-sonnet-4-5")] {
        let done = folder.run_on(&model, &["run", "agent.yaml", "--model", name, "--json"]);
        assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
        assert_eq!(model.seen().last().unwrap().body["model"], sent);
    }
}

#[test]
fn without_a_key_nothing_begins_and_it_is_said_what_to_do() {
    for (name, variable) in [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("gemini-2.5-pro", "GEMINI_API_KEY"),
    ] {
        let folder = agent(name);
        let done = folder.run_where(&[], &["run", "agent.yaml"]);
        assert_eq!(done.code, 2, "{}", done.stderr);
        for words in [
            &format!("`{name}` is a model of"),
            &format!("export {variable}=..."),
            "export OPENAI_BASE_URL=http://127.0.0.1:11434/v1",
            "--model stub:high",
        ] {
            assert!(done.stderr.contains(words), "{words}: {}", done.stderr);
        }
        assert_eq!(folder.run(&["runs", "--json"]).json().get("runs"), Some(&Value::list([])));
        let stub = folder.run_where(&[], &["run", "agent.yaml", "--model", "stub:high", "--json"]);
        assert_eq!(stub.code, 0, "{}", stub.stderr);
    }
    let unknown = agent("oracle").run_where(&[], &["run", "agent.yaml"]);
    assert!(unknown.stderr.contains("nothing says whose model `oracle` is"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("[models.\"oracle\"]"), "{}", unknown.stderr);
}

#[test]
fn a_run_waits_for_its_key() {
    let folder = agent("gpt-4o-mini");
    let model = Model::script([Act::status(400, "not today"), Act::text(VERDICT)]);
    let failed = folder.run_on(&model, &["run", "agent.yaml", "--json", "--id", "r"]);
    assert_eq!(failed.code, 1, "{}", failed.stdout);
    let fork = &["fork", "r@0", "--id", "s", "--json"];
    assert_eq!(folder.run_where(&[], fork).code, 2, "nobody can be asked");
    let done = folder.run_on(&model, fork);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
}

#[test]
fn where_nobody_answers_the_run_fails_and_says_why() {
    let folder = agent("gpt-4o-mini");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let done = folder
        .run_where(&[("OPENAI_BASE_URL", &url)], &["run", "agent.yaml", "--json", "--id", "r"]);
    let document = shown(&done);
    assert_eq!((done.code, ending(&document)), (1, "model"), "{}", done.stdout);
    let message = text(document.get("error").unwrap(), "message").to_owned();
    for words in ["cannot be reached at", &url, "OPENAI_BASE_URL", "--model stub:high"] {
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn no_failure_shows_the_key() {
    let echo = format!("Incorrect API key provided: {CANARY}");
    for protocol in Protocol::ALL {
        for act in
            [Act::status(401, &echo), Act::Fail(Failing::Garbage("text/html".into(), echo.clone()))]
        {
            let folder = agent(model_of(protocol));
            let model = Model::script(vec![act; 4]);
            for arguments in [
                &["run", "agent.yaml", "--id", "r"][..],
                &["log", "r", "--json"],
                &["why", "r"],
                &["export"],
                &["doctor"],
            ] {
                let done = folder.run_on(&model, arguments);
                assert!(!folder.holds_key(&done), "{arguments:?}: {}{}", done.stdout, done.stderr);
            }
            assert!(!model.seen().is_empty());
        }
    }
}

#[test]
fn what_is_said_is_shown_where_somebody_wants_it() {
    for protocol in Protocol::ALL {
        let folder = agent(model_of(protocol));
        let model = Model::script([Act::text(VERDICT), Act::text(VERDICT)]);
        let done = folder.run_on(&model, &["run", "agent.yaml", "--stream", "--json", "--id", "r"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert_eq!(done.stderr, format!("judge: {VERDICT}\n"));
        assert!(model.seen()[0].is_stream);
        // The history keeps the answer, and nothing of how it came.
        let quiet = folder.run_on(&model, &["run", "agent.yaml", "--json", "--id", "s"]);
        assert!(!model.seen()[1].is_stream);
        assert_eq!(folder.kinds("r"), folder.kinds("s"));
        assert_eq!(done.json().get("state"), quiet.json().get("state"));
    }
}

#[test]
fn a_terminal_hears_models_speak() {
    let folder = agent("gpt-4o-mini");
    let said = Said { text: VERDICT.into(), pause: Duration::from_millis(30), ..Said::default() };
    let act = Act::Say(Box::new(said));
    let model = Model::script([act.clone(), act]);
    let toml = format!("[models.m]\nprovider = \"openai\"\nbase_url = \"{}\"\n", model.openai());
    folder.write("quipu.toml", toml);
    let mut console = Console::start(&folder, &["run", "agent.yaml", "--model", "m"]);
    console.until("judge: ");
    console.until("it is good");
    console.until("done");
    let mut console =
        Console::start(&folder, &["run", "agent.yaml", "--model", "m", "--no-stream"]);
    let before = console.until("done");
    assert!(!before.contains("judge: "), "{before}");
    let streamed: Vec<bool> = model.seen().iter().map(|seen| seen.is_stream).collect();
    assert_eq!(streamed, [true, false]);
}

#[test]
fn what_is_recorded_is_replayed_without_anybody() {
    let folder = agent("gpt-4o-mini");
    let model = Model::script([Act::text(VERDICT), Act::text(VERDICT)]);
    for (name, choice) in [("own", "record:own.jsonl"), ("other", "record:other.jsonl,gpt-4o")] {
        let arguments = ["run", "agent.yaml", "--json", "--model", choice];
        let recorded = folder.run_on(&model, &arguments);
        assert_eq!(recorded.code, 0, "{}{}", recorded.stdout, recorded.stderr);
        let tape = folder.text(&format!("{name}.jsonl"));
        assert!(tape.contains("\"items\"") && !tape.contains("canary"), "{tape}");
        let replay = format!("replay:{name}.jsonl");
        let replayed = folder.run_where(&[], &["run", "agent.yaml", "--json", "--model", &replay]);
        assert_eq!(replayed.json().get("state"), recorded.json().get("state"));
    }
    let asked: Vec<String> =
        model.seen().iter().map(|seen| seen.body["model"].as_str().unwrap().to_owned()).collect();
    assert_eq!(asked, ["gpt-4o-mini", "gpt-4o"]);
}

#[test]
fn parameters_that_nobody_honours_are_named() {
    let folder = Folder::new();
    folder.write("agent.yaml", AGENT.replace("MODEL", "gpt-4o"));
    let compiled = folder.run(&["compile", "agent.yaml"]);
    let changed =
        compiled.stdout.replace("\"temperature\": 0.5", "\"temperature\": 0.5, \"top_p\": 1");
    folder.write("agent.json", changed);
    let model = Model::script([Act::text(VERDICT)]);
    let done = folder.run_on(&model, &["run", "agent.json", "--json"]);
    assert!(
        done.stderr.contains("note: `top_p` of agent `judge` is sent to no model"),
        "{}",
        done.stderr
    );
    let stub = folder.run(&["run", "agent.json", "--json", "--model", "stub:high"]);
    assert!(!stub.stderr.contains("top_p"), "{}", stub.stderr);
}

#[test]
fn the_doctor_looks_at_models() {
    let folder = Folder::new();
    let nothing = folder.run_where(&[], &["doctor"]);
    assert_eq!(nothing.code, 0, "{}", nothing.stdout);
    assert!(nothing.stdout.contains("`export OPENAI_API_KEY=...`"), "{}", nothing.stdout);
    let model = Model::with_key(CANARY, |_| Act::text("never"));
    folder
        .write("quipu.toml", "[models.mine]\nprovider = \"openai\"\nkey = { env = \"NOT_SET\" }\n");
    let done = folder.run_on(&model, &["doctor"]);
    assert_eq!(done.code, 1, "{}", done.stdout);
    assert!(done.stdout.contains("`NOT_SET` is not set"), "{}", done.stdout);
    assert!(model.seen().is_empty());
    folder.write("quipu.toml", "");
    let done = folder.run_on(&model, &["doctor", "--online"]);
    assert_eq!(done.code, 0, "{}", done.stdout);
    assert_eq!(done.stdout.matches(" answers").count(), 3, "{}", done.stdout);
    assert!(!folder.holds_key(&done));
    drop(model);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}/v1");
    let gone = folder.run_where(&[("OPENAI_BASE_URL", &url)], &["doctor", "--online"]);
    assert_eq!(gone.code, 1, "{}", gone.stdout);
    assert!(gone.stdout.contains("cannot be reached; is it running"), "{}", gone.stdout);
}
