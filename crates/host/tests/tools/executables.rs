//! Programs that behave.

use expect_test::expect;
use runtime::Request;
use value::json;

use crate::scratch::{Scratch, answer, call, shown};

#[test]
fn arguments_come_on_standard_input_and_the_answer_leaves_on_standard_output() {
    let answer = Scratch::new().run("cat", "", r#"{"a": [1, {"b": "ü"}], "c": null}"#).unwrap();
    assert_eq!(json::compact(&answer), r#"{"a":[1,{"b":"ü"}],"c":null}"#);
}

#[test]
fn python_speaks_it_too() {
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no python3");
        return;
    }
    let folder = Scratch::new();
    let script =
        "import json, sys\nargs = json.load(sys.stdin)\njson.dump(args['n'] + 1, sys.stdout)";
    std::fs::write(folder.path("t.py"), script).unwrap();
    let tool = folder.tool(r#"command = ["python3", "t.py"]"#);
    assert_eq!(answer(tool.call(call(r#"{"n": 41}"#))), Ok(42.into()));
}

#[test]
fn it_runs_in_its_folder_and_knows_which_effect_it_is() {
    let script = r#"printf '"%s %s %s %s"' "$QUIPU_RUN" "$QUIPU_IDEMPOTENCY_KEY" "$QUIPU_ATTEMPT" \
        "$(ls program)""#;
    let answer = Scratch::new().run(script, "", "{}").unwrap();
    assert_eq!(json::compact(&answer), r#""run-1 key-1 2 program""#);
}

/// Cargo sets variables for a test that nobody else has; to a tool they are like any secret.
#[test]
fn variables_of_the_parent_do_not_leak_unless_they_are_named() {
    let folder = Scratch::new();
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo runs the tests");
    let script = r#"printf '"%s %s"' "${CARGO_PKG_NAME-unset}" "${CARGO_MANIFEST_DIR+set}""#;
    let run = |lines: &str| json::compact(&folder.run(script, lines, "{}").unwrap());
    assert_eq!(run(""), r#""unset ""#);
    assert_eq!(run("env = [\"CARGO_MANIFEST_DIR\"]"), r#""unset set""#);
    let names = r#"env | cut -d= -f1 | sort | tr '\n' ' ' | sed 's/.*/"&"/'"#;
    let seen = folder.run(names, "", "{}").unwrap();
    let own = ["PWD", "_", "SHLVL", "OLDPWD"];
    for name in seen.as_text().unwrap().split_whitespace() {
        let is_known = host::tools::VARIABLES.contains(&name) || own.contains(&name);
        assert!(is_known || name.starts_with("QUIPU_") || name.starts_with("LC_"), "{name}");
    }
}

#[test]
fn saying_nothing_is_null() {
    assert_eq!(Scratch::new().run("true", "", "{}"), Ok(value::Value::Null));
}

#[test]
fn another_exit_code_is_a_failure_with_standard_error_as_its_text() {
    let folder = Scratch::new();
    let run = |script: &str, lines: &str| folder.run(script, lines, "{}").unwrap_err();
    let fault = run("echo '\"half\"'; echo no such city >&2; exit 3", "");
    expect!["tool (may have happened): no such city"].assert_eq(&shown(&fault));
    expect![[r#"{"tool":"t","exit_code":3,"reported":true,"may_have_happened":true}"#]]
        .assert_eq(&json::compact(&fault.details.unwrap()));
    let fault = run("exit 1", "touches = \"read\"");
    expect![
        "tool (has not happened): `t` ended with exit code 1 and wrote nothing to standard error"
    ]
    .assert_eq(&shown(&fault));
}

#[test]
fn what_it_starts_on_purpose_may_go_on() {
    let folder = Scratch::new();
    // The one in the background waits to be told that the answer was taken.
    let script =
        "mkfifo told heard\n(cat < told | cat > heard) > /dev/null 2>&1 < /dev/null &\necho 1";
    assert_eq!(folder.run(script, "", "{}"), Ok(1.into()));
    std::fs::write(folder.path("told"), "go on").unwrap();
    assert_eq!(std::fs::read_to_string(folder.path("heard")).unwrap(), "go on");
}

#[test]
fn the_shorter_time_counts() {
    let folder = Scratch::new();
    folder.program("program", "exec sleep 600");
    let tool = folder.tool("command = [\"./program\"]\ntimeout = \"10m\"");
    let mut called = call("{}");
    if let Request::Tool(tool) = &mut called.request {
        tool.timeout_ms = Some(20);
    }
    let fault = answer(tool.call(called)).unwrap_err();
    expect!["timeout (may have happened): `t` took longer than 20ms and was killed"]
        .assert_eq(&shown(&fault));
}
