//! Namespaces that are not built in: a tool is bound to them.

use super::*;

const SEND: &str =
    r#"{"adapter": "email.send", "target": "ada@example.com", "args": ["hi", 3], "out": "x"}"#;

fn folder(config: &str, data: &str) -> Folder {
    let folder = Folder::new();
    folder
        .program("echo", "cat")
        .write("quipu.toml", config)
        .write("agent.json", agent(&[("R", data), END]));
    folder
}

#[test]
fn a_tool_is_bound_to_a_verb_or_to_all_of_them() {
    let given = r#"{"args":["hi",3],"target":"ada@example.com","verb":"SEND"}"#;
    for section in ["[tools.email]", "[tools.\"email.SEND\"]", "[tools.\"email.send\"]"] {
        let folder = folder(&format!("{section}\ncommand = ['./echo']\n"), SEND);
        assert_eq!(result(&folder.ends("done", &["--id", "r"])), given);
        folder.is_sound("r");
    }
    // An object alone is what a tool of one verb is given.
    let alone = r#"{"adapter": "email.SEND", "target": "$mail", "out": "x"}"#;
    for (section, expected) in [
        ("[tools.\"email.SEND\"]", r#"{"to":"ada"}"#),
        ("[tools.\"email.send\"]", r#"{"to":"ada"}"#),
        ("[tools.email]", r#"{"target":{"to":"ada"},"verb":"SEND"}"#),
    ] {
        let folder = folder(&format!("{section}\ncommand = ['./echo']\n"), alone);
        let shown = folder.ends("done", &["--input", r#"mail={"to": "ada"}"#]);
        assert_eq!(result(&shown), expected);
    }
}

#[test]
fn what_nothing_is_bound_to_names_the_section() {
    let folder = folder("", SEND);
    let shown = folder.ends("missing", &[]);
    assert!(why(&shown).contains("[tools.email]"), "{}", why(&shown));
    assert!(why(&shown).contains("[tools.\"email.SEND\"]"), "{}", why(&shown));
    let shown = folder.ends("done", &["--model", "stub:high"]);
    assert_eq!(result(&shown), r#""stub-tool:email.SEND:ada@example.com""#);
    // What is bound by accident is not bound: built-in tools have names too.
    folder.write("agent.json", agent(&[("R", &SEND.replace("email.send", "text.upper")), END]));
    folder.ends("missing", &[]);
}

#[test]
fn its_contract_is_that_of_the_tool() {
    let config = "[tools.email]\ncommand = ['./echo']\npermissions = ['net.mail']\n\
                  touches = 'read'\nagain = 'free'\ninput = {required = ['subject']}\n";
    let folder = folder(config, SEND);
    let shown = folder.ends("denied", &["--id", "r"]);
    assert!(why(&shown).contains("`email.SEND` needs `net.mail`"), "{}", why(&shown));
    let begun = json::compact(&folder.events("r")[0]);
    assert!(begun.contains(r#""email.SEND":{"again":"free""#), "{begun}");
    folder.write("quipu.toml", format!("{config}[grants]\ncapabilities = ['net.mail']\n"));
    assert!(why(&folder.ends("schema", &[])).contains("subject"));
    // It must still be there when the run goes on.
    let wait = ("Ask", r#"{"prompt": "Go on?", "options": ["yes"], "out": "said"}"#);
    folder.write("agent.json", agent(&[wait, ("R", SEND), END]));
    let done = folder.run(&["run", "agent.json", "--id", "s", "--answers", "ask"]);
    assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
    folder.say("yes");
    folder.write("quipu.toml", "");
    let done = folder.run(&["resume", "s"]);
    assert!(done.stderr.contains("nothing is bound to `email.SEND` any more"), "{}", done.stderr);
}
