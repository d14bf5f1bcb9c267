//! Whoever decides about tools decides about adapters too: policies, limits, forks.

use super::*;

const RULES: &str = "rules:
  - {when: server == 'http' and tool == 'POST', decision: ask, reason: it is sent}
  - {when: server == 'tool' and tool == 'email', decision: deny_continue, reason: no mail}
default: allow
";

fn posting(server: &Server) -> Folder {
    let folder = Folder::new();
    let url = format!("\"http://127.0.0.1:{}/\"", server.port);
    folder
        .write("quipu.toml", format!("[adapters.http]\nallow = ['127.0.0.1:{}']\n", server.port))
        .write("rules.yaml", RULES)
        .write("agent.json", agent(&[("R", &called("http.post", &url, "[1]")), END]));
    folder
}

#[test]
fn a_policy_is_asked_about_an_adapter() {
    let server = Server::new("200 OK\r\n", "");
    let folder = posting(&server);
    let done = folder.run(&["run", "agent.json", "--id", "r", "--policy", "rules.yaml"]);
    assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains("May `http.POST` be called with"), "{}", done.stderr);
    assert_eq!(server.heard(), [""; 0], "nothing leaves before somebody approves");
    folder.say("approve");
    let document = shown(&folder.run(&["resume", "r", "--json"]));
    assert_eq!(ending(&document), "done");
    assert_eq!(server.heard().len(), 1);
    folder.is_sound("r");
}

/// An adapter is no way around what is said of the tool that is bound to it.
#[test]
fn a_policy_is_asked_about_the_tool_behind_an_adapter() {
    let folder = Folder::new();
    let send = r#"{"adapter": "email.SEND", "target": "ada", "out": "x"}"#;
    folder
        .program("mail", "touch sent; echo 1")
        .write("quipu.toml", "[tools.email]\ncommand = ['./mail']\n")
        .write("rules.yaml", RULES)
        .write("agent.json", agent(&[("R", send), END]));
    let shown = folder.ends("denied", &["--policy", "rules.yaml"]);
    assert!(why(&shown).contains("it calls `email`: no mail"), "{}", why(&shown));
    assert!(!folder.path().join("sent").exists());
}

#[test]
fn limits_and_forks_count_adapters() {
    let server = Server::new("200 OK\r\n", "");
    let folder = posting(&server);
    let shown_ = folder.ends("calls_exceeded", &["--max-calls", "http.POST=0"]);
    assert!(why(&shown_).contains("`http.POST` may be called 0 times"));
    assert_eq!(server.heard(), [""; 0]);
    folder.ends("done", &["--id", "r"]);
    let document = shown(&folder.run(&["fork", "r@1", "--id", "f", "--json"]));
    assert_eq!(ending(&document), "denied");
    assert!(why(&document).contains("`http.POST` needs `--live`"), "{}", why(&document));
    assert_eq!(server.heard().len(), 1);
}
