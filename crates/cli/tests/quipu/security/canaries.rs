//! S18: secrets in every slot there is, through every way that a run can end. None is in any file,
//! output or message. `host/tests/http/secrets.rs` has what a server can say.

use super::*;
use crate::running::{CALL, graph};

/// Where an operator puts secrets: variables for models, for tools, and files.
const SLOTS: [(&str, &str); 8] = [
    ("OPENAI_API_KEY", "canary-openai-5e1f"),
    ("OPENAI_BASE_URL", "http://user:canary-url-77ab@127.0.0.1:1/v1"),
    ("ANTHROPIC_API_KEY", "canary-anthropic-09bd"),
    ("ANTHROPIC_BASE_URL", "http://127.0.0.1:1"),
    ("GEMINI_API_KEY", "canary-gemini-c4d8"),
    ("WORK_KEY", "canary-work-2b6e"),
    ("TOOL_TOKEN", "canary-tool-9a50"),
    ("UNRELATED_PASSWORD", "canary-unrelated-d117"),
];

/// Each begins with this.
const CANARY: &str = "canary-";

/// Runs it in every way, asks everything about it, and looks for a canary everywhere.
fn is_silent(folder: &Folder, what: &str, run: &[&str]) {
    let knows = |arguments: &[&str]| folder.run_knowing(&SLOTS, arguments);
    let done = knows(run);
    let mut told = done.stdout + &done.stderr;
    for arguments in [
        &["check", "agent.json"][..],
        &["doctor"],
        &["runs", "--json"],
        &["log", "r", "--json", "--limit", "1000"],
        &["log", "r", "--trace"],
        &["state", "r", "--json"],
        &["why", "r"],
        &["why", "r", "--json"],
        &["inbox", "--json"],
        &["replay", "r", "--json"],
        &["resume", "r", "--json"],
        &["fork", "r@0", "--json"],
        &["history", "run", "r", "--json"],
        &["history", "calls", "r", "--json"],
        &["verify", "--json"],
        &["export"],
    ] {
        let done = knows(arguments);
        told = told + &done.stdout + &done.stderr;
    }
    assert!(!told.contains("panicked"), "{what}: {told}");
    if let Some(at) = told.find(CANARY) {
        panic!("{what}: a secret is told: {:.200}", &told[at.saturating_sub(80)..]);
    }
    assert_eq!(folder.holds(CANARY, &["secret.txt", "work"]), None, "{what}");
}

fn agent(config: &str) -> Folder {
    let folder = Folder::new();
    let nodes = format!(r#"{CALL}, {{"id": "n2", "op": "J", "data": {{"var": "$done"}}}}"#);
    folder
        .write("secret.txt", "canary-file-e07c\n")
        .write("quipu.toml", config)
        .write("agent.json", graph(&[("start", &nodes, "n1-next-n2")]));
    folder
}

/// Programs that were given a variable use it, and say something else, in every way to end.
#[test]
fn programs_that_end_in_every_way() {
    for (what, lines) in [
        ("success", "test \"$TOOL_TOKEN\" = canary-tool-9a50 && echo 1"),
        ("failure", "echo no >&2; exit 1"),
        ("garbage", "echo '{'"),
        ("a signal", "kill -SEGV $$"),
        ("too long", "sleep 100"),
        ("what it was not given", "echo \"\\\"$WORK_KEY$OPENAI_API_KEY$UNRELATED_PASSWORD\\\"\""),
        (
            "all that it was not given",
            "unset TOOL_TOKEN; echo \"\\\"$(env | tr -d '\\\\\"\\n')\\\"\"",
        ),
    ] {
        let folder = agent(
            "[tools.work]\ncommand = [\"./work\"]\ntimeout = \"1s\"\nenv = [\"TOOL_TOKEN\"]\n",
        );
        folder.program("work", lines);
        is_silent(&folder, what, &["run", "agent.json", "--id", "r"]);
    }
    let folder = agent("[tools.work]\ncommand = [\"./none\"]\nenv = [\"TOOL_TOKEN\"]\n");
    is_silent(&folder, "no such program", &["run", "agent.json", "--id", "r"]);
}

/// Programs that were given secrets say them, in every way that there is.
#[test]
fn programs_that_say_their_secrets() {
    let secrets = "secrets = { TOKEN = { env = 'TOOL_TOKEN' }, FILED = { file = 'secret.txt' } }\n";
    for (what, lines) in [
        ("an answer", "echo \"[\\\"$TOKEN\\\", {\\\"$FILED\\\": 1}]\""),
        ("no answer", "echo \"$TOKEN$FILED\""),
        ("a complaint", "echo \"bad: $TOKEN$FILED\" >&2; exit 1"),
        ("a signal", "echo \"bad: $TOKEN$FILED\" >&2; kill -SEGV $$"),
    ] {
        for binding in ["command", "shell"] {
            let folder = agent(&format!("[tools.work]\n{binding} = [\"./work\"]\n{secrets}"));
            folder.program("work", lines);
            is_silent(&folder, what, &["run", "agent.json", "--id", "r"]);
        }
    }
}

/// Requests with secrets from a variable and from a file, to nobody, to whom they may not go, and
/// with what is missing.
#[test]
fn requests_that_fail_in_every_way() {
    let secrets = "secrets = { FILED = { file = 'secret.txt' } }\n";
    for (what, lines) in [
        (
            "nobody is there",
            "http = 'POST http://127.0.0.1:1/?k={secret:WORK_KEY}'\nallow = ['127.0.0.1:1']",
        ),
        ("a place that is denied", "http = 'POST http://169.254.169.254/{secret:WORK_KEY}'"),
        ("a name that is nobody's", "http = 'GET http://nobody.invalid/?k={secret:FILED}'"),
        ("an argument that is missing", "http = 'GET http://nobody.invalid/{q}?k={secret:FILED}'"),
        (
            "a header",
            "http = 'GET http://127.0.0.1:1/'\nallow = ['127.0.0.1:1']\n\
             headers = { Authorization = 'Bearer {secret:FILED}', X-Key = '{secret:WORK_KEY}' }",
        ),
        (
            "a body",
            "http = 'POST http://127.0.0.1:1/'\nallow = ['127.0.0.1:1']\n\
             body = { a = '{secret:FILED}', b = '{secret:WORK_KEY}' }",
        ),
        (
            "a secret that is missing",
            "http = 'GET http://127.0.0.1:1/{secret:NONE}/{secret:WORK_KEY}'\nallow = ['127.0.0.1:1']",
        ),
    ] {
        let uses = if lines.contains("FILED") { secrets } else { "" };
        let folder = agent(&format!("[tools.work]\n{lines}\n{uses}timeout = \"5s\"\n"));
        is_silent(&folder, what, &["run", "agent.json", "--id", "r"]);
    }
}

/// Models of every provider, with keys that nobody accepts or that nothing needs.
#[test]
fn models_that_do_not_answer() {
    for model in ["gpt-4o", "claude-3-5-haiku-latest", "gemini-2.0-flash", "none/such", "stub:low"]
    {
        let folder = Folder::new();
        let asks = r#"{"id": "n1", "op": "R", "data": {"adapter": "agent.INVOKE", "target": "a", "out": "said"}}"#;
        let declared =
            format!(r#"{{"declarations": {{"agents": {{"a": {{"model": "{model}"}}}}}},"#);
        folder
            .write("secret.txt", "canary-file-e07c\n")
            .write("agent.json", graph(&[("start", asks, "")]).replacen('{', &declared, 1));
        is_silent(&folder, model, &["run", "agent.json", "--id", "r", "--model", model]);
        let folder_without = Folder::new();
        folder_without.write("agent.json", folder.text("agent.json"));
        is_silent(&folder_without, model, &["run", "agent.json", "--id", "r"]);
    }
}

/// A configuration that is wrong is shown where it is wrong; a secret that somebody wrote into it
/// all the same is not a reference, and is refused or not shown.
#[test]
fn configurations_that_are_wrong() {
    for lines in [
        "http = 'GET http://127.0.0.1:1/'\nsecrets = { A = { env = 'WORK_KEY', file = 'secret.txt' } }",
        "http = 'GET http://127.0.0.1:1/{secret:}'",
        "command = ['./work']\nenv = 'TOOL_TOKEN'",
        "command = ['./work']\nenv = ['TOOL_TOKEN=']",
        "command = ['./work']\nsecrets = { A = 'TOOL_TOKEN', 'B=' = { env = 'TOOL_TOKEN' } }",
    ] {
        let folder = agent(&format!("[tools.work]\n{lines}\n"));
        is_silent(&folder, lines, &["run", "agent.json", "--id", "r"]);
    }
}
