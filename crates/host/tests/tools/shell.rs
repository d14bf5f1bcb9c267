//! Programs that the operator lists, with arguments that are a list from beginning to end.

use expect_test::expect;
use runtime::FaultKind;
use value::json;

use crate::scratch::{Scratch, answer, call, shown, wrapped};

/// What a program is given, one argument on a line.
const TELLS: &str = r#"for one in "$@"; do printf '[%s]' "$one"; done"#;

fn ask(folder: &Scratch, lines: &str, args: &str) -> String {
    match answer(folder.tool(lines).call(call(args))) {
        Ok(value) => json::compact(&value),
        Err(fault) => shown(&fault),
    }
}

#[test]
fn a_hole_is_one_argument_whatever_it_holds() {
    let folder = Scratch::new();
    folder.program("tells", TELLS);
    let lines =
        r#"shell = ["./tells", "log", "-n", "{count}", "--format={format}", "{paths...}", "{{}}"]"#;
    let said: Vec<String> = [
        r#"{"count": 3, "format": "x"}"#,
        r#"{"count": 3, "format": "x; rm -rf /", "paths": ["a b", "$(id)", "`id`", "*", "'\""]}"#,
        r#"{"count": "3\n4", "format": "--", "paths": []}"#,
        r#"{"count": "-1", "format": "x"}"#,
        r#"{"count": "--upload-pack=id", "format": "x"}"#,
        r#"{"count": 1, "format": "x", "paths": ["ok", "--exec=id"]}"#,
        r#"{"count": 1}"#,
        r#"{"count": [1], "format": "x"}"#,
        r#"{"count": "a\u0000b", "format": "x"}"#,
        r#"{"count": true, "format": 1.5, "paths": null}"#,
    ]
    .iter()
    .map(|args| ask(&folder, lines, args) + "\n")
    .collect();
    expect![[r#"
        "[log][-n][3][--format=x][{}]"
        "[log][-n][3][--format=x; rm -rf /][a b][$(id)][`id`][*]['\"][{}]"
        "[log][-n][3\n4][--format=--][{}]"
        denied (has not happened): `t` was not run: `count` begins with `-`, and the program would
            take it for an option
        denied (has not happened): `t` was not run: `count` begins with `-`, and the program would
            take it for an option
        denied (has not happened): `t` was not run: `paths` begins with `-`, and the program would
            take it for an option
        denied (has not happened): `t` was not run: `format` is missing
        denied (has not happened): `t` was not run: `count` must be text or a number, but is a
            list
        denied (has not happened): `t` was not run: `count` has a NUL
        "[log][-n][true][--format=1.5][{}]"
    "#]]
    .assert_eq(&wrapped(&said.concat()));
    let dashed = format!("{lines}\ndashes = [\"count\"]");
    assert_eq!(
        ask(&folder, &dashed, r#"{"count": "-1", "format": "x"}"#),
        r#""[log][-n][-1][--format=x][{}]""#
    );
}

#[test]
fn only_the_programs_and_options_that_are_listed_are_run() {
    let folder = Scratch::new();
    folder.program("git", TELLS);
    folder.program("ls", TELLS);
    let lines = "shell = { programs = [\"./git\", \"./ls\"], subcommands = [\"log\", \"status\"], \
                 options = [\"-n\", \"--format=\"] }";
    let said: Vec<String> = [
        r#"{"program": "./git", "arguments": ["log", "-n", "3", "--format=%h"]}"#,
        r#"{"program": "./ls", "arguments": ["status"]}"#,
        r#"{"program": "./git", "arguments": ["-n", "3", "push"]}"#,
        r#"{"program": "./git", "arguments": ["push"]}"#,
        r#"{"program": "./git", "arguments": ["log", "--upload-pack=id"]}"#,
        r#"{"program": "./git", "arguments": ["log", "-n3"]}"#,
        r#"{"program": "./git", "arguments": ["log", "--"]}"#,
        r#"{"program": "git", "arguments": ["log"]}"#,
        r#"{"program": "/bin/sh", "arguments": ["log"]}"#,
        r#"{"program": "././git", "arguments": ["log"]}"#,
        r#"{"program": "./git log", "arguments": []}"#,
        r#"{"program": "./git", "arguments": "log"}"#,
        r#"{"program": "./git"}"#,
        r#"{"arguments": ["log"]}"#,
    ]
    .iter()
    .map(|args| ask(&folder, lines, args) + "\n")
    .collect();
    expect![[r#"
        "[log][-n][3][--format=%h]"
        "[status]"
        denied (has not happened): `t` was not run: the first argument must be one of `log`,
            `status`
        denied (has not happened): `t` was not run: the first argument must be one of `log`,
            `status`
        denied (has not happened): `t` was not run: the option `--upload-pack=id` is not allowed;
            there are `-n`, `--format=`
        denied (has not happened): `t` was not run: the option `-n3` is not allowed; there are
            `-n`, `--format=`
        denied (has not happened): `t` was not run: the option `--` is not allowed; there are
            `-n`, `--format=`
        denied (has not happened): `t` was not run: `git` is none of the programs there are:
            `./git`, `./ls`
        denied (has not happened): `t` was not run: `/bin/sh` is none of the programs there are:
            `./git`, `./ls`
        denied (has not happened): `t` was not run: `././git` is none of the programs there are:
            `./git`, `./ls`
        denied (has not happened): `t` was not run: the first argument must be one of `log`,
            `status`
        denied (has not happened): `t` was not run: `arguments` must be a list of texts, but is
            text
        denied (has not happened): `t` was not run: the first argument must be one of `log`,
            `status`
        denied (has not happened): `t` was not run: `program` must be one of `./git`, `./ls`
    "#]]
    .assert_eq(&wrapped(&said.concat()));
}

#[test]
fn it_sees_no_variable_that_is_not_named_and_runs_in_its_folder() {
    let folder = Scratch::new();
    std::fs::create_dir(folder.path("inner")).unwrap();
    let names = |lines: &str| {
        let said = answer(folder.tool(lines).call(call("{}"))).unwrap();
        let said = said.as_text().unwrap().to_string();
        let mut names: Vec<String> =
            said.lines().map(|line| line.split('=').next().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("shell = [\"/usr/bin/env\"]"), ["QUIPU_IDEMPOTENCY_KEY"]);
    let lines = "shell = [\"/usr/bin/env\"]\nenv = [\"CARGO_PKG_NAME\"]";
    assert_eq!(names(lines), ["CARGO_PKG_NAME", "QUIPU_IDEMPOTENCY_KEY"]);
    let said = ask(&folder, "shell = [\"/bin/pwd\"]\nfolder = \"inner\"", "{}");
    assert!(said.ends_with("/inner\\n\""), "{said}");
}

/// What is not there is refused, and nothing else is run in its place.
#[test]
fn a_program_that_is_gone_is_missing_and_not_replaced() {
    let folder = Scratch::new();
    folder.program("sh", TELLS);
    let tool = folder.tool("shell = [\"./gone/sh\", \"{x}\"]");
    let fault = answer(tool.call(call(r#"{"x": "1"}"#))).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Missing);
    assert!(shown(&fault).contains("nothing is run in its place"), "{}", shown(&fault));
    assert!(tool.look().unwrap_err().contains("there is no program"));
    // The same goes for a program of a `command`, and one that may not be executed.
    std::fs::write(folder.path("plain"), "echo 1").unwrap();
    for lines in ["command = [\"./gone/sh\"]", "command = [\"./plain\"]", "shell = [\"./plain\"]"] {
        let fault = answer(folder.tool(lines).call(call("{}"))).unwrap_err();
        assert!(shown(&fault).contains("(has not happened)"), "{}", shown(&fault));
        assert!(shown(&fault).contains("cannot be started"), "{}", shown(&fault));
    }
}

#[test]
fn how_it_ends_is_told() {
    let folder = Scratch::new();
    folder.program("fails", "echo half; echo no such branch >&2; exit 3");
    folder.program("dies", "kill -9 $$");
    folder.program("floods", "exec yes");
    folder.program("hangs", "sleep 60");
    folder.program("bytes", "printf '\\377x'");
    let said: Vec<String> = [
        "shell = [\"./fails\"]",
        "shell = [\"./fails\"]\ntouches = \"read\"",
        "shell = [\"./dies\"]",
        "shell = [\"./floods\"]",
        "shell = [\"./hangs\"]\ntimeout = 1",
        "shell = [\"./bytes\"]",
    ]
    .iter()
    .map(|lines| ask(&folder, lines, "{}") + "\n")
    .collect();
    expect![[r#"
        tool (may have happened): `./fails` ended with exit code 3: no such branch
        tool (has not happened): `./fails` ended with exit code 3: no such branch
        tool (may have happened): `./dies` was killed
        tool (may have happened): `./floods` wrote more than 16777216 bytes and was killed
        timeout (may have happened): `./hangs` took longer than 1s and was killed
        "�x"
    "#]]
    .assert_eq(&wrapped(&said.concat()));
    folder.program("tells", TELLS);
    let many = format!(r#"{{"x": [{}]}}"#, vec!["\"a\""; 2_000].join(","));
    let said = ask(&folder, "shell = [\"./tells\", \"{x...}\"]", &many);
    assert!(said.contains("2000 arguments"), "{said}");
}
