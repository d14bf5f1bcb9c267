//! S18: a program is given secrets as variables, and whatever it says, they do not come back.

use runtime::FaultKind;
use value::json;

use crate::scratch::{Scratch, answer, call, shown};

const CANARY: &str = "canary \"4711\"/ok";

const SECRETS: &str = "secrets = { TOKEN = { file = \"token\" } }";

fn with_canary() -> Scratch {
    let folder = Scratch::new();
    std::fs::write(folder.path("token"), format!("{CANARY}\n")).unwrap();
    folder
}

#[test]
fn a_program_sees_its_secrets_and_no_others() {
    let folder = with_canary();
    let script =
        format!("test \"$TOKEN\" = '{CANARY}' && printf '\"it is %s\"' \"${{OTHER-unset}}\"");
    let said = folder.run(&script, SECRETS, "{}").unwrap();
    assert_eq!(json::compact(&said), r#""it is unset""#);
    let lines = format!("shell = [\"./program\"]\n{SECRETS}");
    let said = answer(folder.tool(&lines).call(call("{}"))).unwrap();
    assert_eq!(json::compact(&said), r#""\"it is unset\"""#);
    let twice = "secrets = { TOKEN = { file = \"token\" }, OTHER = { env = \"CARGO_PKG_NAME\" } }";
    // What is said is a secret too, now.
    let said = folder.run(&script, twice, "{}").unwrap();
    assert_eq!(json::compact(&said), r#""it is {secret:OTHER}""#);
}

/// In an answer, in one that is none, in complaints, and where what is kept of them is cut.
#[test]
fn what_a_program_prints_holds_none_of_them() {
    let escaped = r#"sed 's/"/\\"/g'"#;
    let quoted = format!("\"said $(printf %s \"$TOKEN\" | {escaped})\"");
    let scripts = [
        format!("printf '{{\"a\": [\"%s\"]}}' {quoted}"),
        "printf %s \"$TOKEN\"".to_owned(),
        "echo \"bad token: $TOKEN\" >&2; exit 3".to_owned(),
        "echo \"bad token: $TOKEN\" >&2; kill -9 $$".to_owned(),
        "echo \"bad token: $TOKEN\" >&2; sleep 100".to_owned(),
        // The end of what is kept of standard error begins within the secret.
        "printf '%s%04084d' \"$TOKEN\" 0 >&2; exit 1".to_owned(),
        // So does what is shown of an answer that is no JSON end there.
        "printf '%0190d%s' 0 \"$TOKEN\"".to_owned(),
    ];
    let folder = with_canary();
    for script in scripts {
        folder.program("program", &script);
        for binding in ["command", "shell"] {
            let lines = format!("{binding} = [\"./program\"]\ntimeout = \"1s\"\n{SECRETS}");
            let tool = folder.tool(&lines);
            let answered = answer(tool.call(call("{}")));
            let all = format!("{answered:?} {tool:?} {:?}", tool.look());
            assert!(!all.contains("canary") && !all.contains("4711"), "{script}: {all}");
            assert!(all.contains("{secret:TOKEN}"), "{script}: {all}");
        }
    }
}

#[test]
fn a_program_is_not_run_without_its_secrets() {
    let folder = Scratch::new();
    folder.program("program", "touch ran");
    for (binding, source) in
        [("command", "env = \"QUIPU_NEVER_SET\""), ("shell", "file = \"none\"")]
    {
        let lines = format!("{binding} = [\"./program\"]\nsecrets = {{ TOKEN = {{ {source} }} }}");
        let tool = folder.tool(&lines);
        assert!(tool.look().unwrap_err().starts_with("the secret `TOKEN` is not there"));
        assert!(!tool.has_credentials());
        let fault = answer(tool.call(call("{}"))).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Missing);
        if binding == "command" {
            assert_eq!(
                shown(&fault),
                "missing (has not happened): `t` was not run: the secret `TOKEN` is not there: the \
                 variable `QUIPU_NEVER_SET` is not set; `export QUIPU_NEVER_SET=...`"
            );
        }
    }
    assert!(!folder.path("ran").exists());
}
