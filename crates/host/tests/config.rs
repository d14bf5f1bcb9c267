//! What `quipu.toml` may say, and what is said about everything else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::any::Any;
use std::path::Path;
use std::time::Duration;

use diagnostics::Source;
use expect_test::{Expect, expect};
use graph::{Again, Touches};
use host::Bound;
use host::config::{Config, ConfigError};
use host::tools::Executable;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(&Source::new("quipu.toml", text), Path::new("/project"))
}

fn executable(text: &str) -> Executable {
    program(&parse(text).unwrap())
}

fn program(config: &Config) -> Executable {
    let bound: &dyn Bound = &*config.tools["t"].bound;
    (bound as &dyn Any).downcast_ref::<Executable>().expect("it is a program").clone()
}

#[test]
fn a_tool_is_a_write_that_nobody_repeats_unless_it_says_otherwise() {
    let tool = executable("[tools.t]\ncommand = [\"./bin/t\"]");
    assert_eq!(tool.program, Path::new("/project/./bin/t"));
    assert_eq!(tool.folder, Path::new("/project"));
    assert_eq!((tool.contract.touches, tool.contract.again), (Touches::Write, Again::ByAsking));
    assert_eq!((tool.timeout, tool.arguments.len(), tool.env.len()), (None, 0, 0));
}

#[test]
fn everything_can_be_said() {
    let text = r#"
        [tools.t]
        command = ["python3", "t.py", "--json"]
        touches = "read"
        again = "key"
        timeout = "1m 30s"
        env = ["TOKEN"]
        concurrency = 4
        [tools."with a space"]
        builtin = "calculator"
    "#;
    let tool = executable(text);
    assert_eq!(tool.program, Path::new("python3"), "a bare name is looked up in PATH");
    assert_eq!(tool.arguments, ["t.py", "--json"]);
    assert_eq!((tool.contract.touches, tool.contract.again), (Touches::Read, Again::WithKey));
    assert_eq!(tool.timeout, Some(Duration::from_secs(90)));
    assert_eq!(tool.env, ["TOKEN"]);
    let config = parse(text).unwrap();
    assert_eq!(config.tools["t"].concurrency, Some(4));
    let builtin = config.tools["with a space"].bound.look();
    assert_eq!(builtin, Ok("built in, as `calculator`".to_owned()));
}

#[test]
fn times_are_durations_or_seconds() {
    let timeout =
        |text: &str| executable(&format!("[tools.t]\ncommand = [\"t\"]\ntimeout = {text}")).timeout;
    assert_eq!(timeout("45"), Some(Duration::from_secs(45)));
    assert_eq!(timeout("0x10"), Some(Duration::from_secs(16)));
    assert_eq!(timeout("'250ms'"), Some(Duration::from_millis(250)));
}

#[test]
fn a_text_without_tools_is_fine() {
    assert!(parse("").unwrap().tools.is_empty());
    assert!(parse("\u{feff}# nothing yet\r\n[tools]\r\n").unwrap().tools.is_empty());
}

fn check(text: &str, findings: Expect) {
    findings.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn everything_wrong_is_found_in_one_pass_and_in_order() {
    check(
        r#"
modles = 1
[tools.a]
comand = ["./a"]
[tools.b]
command = "./b"
touches = "raed"
again = "never"
timeout = "soon"
concurrency = 0
env = ["A=B"]
[tools.c]
command = ["./c"]
builtin = "text"
[tools.d]
builtin = "calcluator"
again = "free"
timeuot = 3
[tools.e]
builtin = 7
"#,
        expect![[r#"
            quipu.toml:2:1: unknown key `modles`; there are `tools`
            quipu.toml:3:8: nothing answers `a`; add `command = ["./t"]`, `builtin = "NAME"` or `http = "GET URL"`
            quipu.toml:4:1: unknown key `comand`; did you mean `command`?
            quipu.toml:6:11: `command` must be a list of texts, such as `["./tool", "--json"]`
            quipu.toml:7:11: unknown touches `raed`; did you mean `read`?
            quipu.toml:8:9: unknown again `never`; there are `free`, `key`, `ask`
            quipu.toml:9:11: `timeout` must be a duration such as `"30s"`, or a whole number of seconds from 1 on
            quipu.toml:10:15: `concurrency` must be a whole number from 1 on
            quipu.toml:11:7: `env` must be a list of names of variables, such as `["TOKEN"]`
            quipu.toml:14:1: a tool has either `command` or `builtin`
            quipu.toml:16:11: unknown builtin `calcluator`; did you mean `calculator`?
            quipu.toml:17:1: `again` is for a `command`: what is built in is known
            quipu.toml:18:1: unknown key `timeuot`; did you mean `timeout`?
            quipu.toml:20:11: `builtin` must be the name of a built-in tool, as text"#]],
    );
}

#[test]
fn odd_values_are_refused() {
    let command = |rest: &str| format!("[tools.t]\ncommand = {rest}");
    for text in [
        command("[]"),
        command("[\"\"]"),
        command("[\"t\", 1]"),
        command("[\"t\"]\ntimeout = 0"),
        command("[\"t\"]\ntimeout = -1"),
        command("[\"t\"]\ntimeout = 1.5"),
        command("[\"t\"]\ntimeout = '0s'"),
        command("[\"t\"]\nconcurrency = 4294967296"),
        command("[\"t\"]\nenv = 'PATH'"),
        command("[\"t\"]\nenv = ['']"),
        "tools = 1".to_owned(),
        "[tools]\nt = 'x'".to_owned(),
        "[tools.'']\nbuiltin = 'text'".to_owned(),
        "[[tools.t]]\nbuiltin = 'text'".to_owned(),
    ] {
        let ConfigError::Wrong(findings) = parse(&text).unwrap_err() else {
            panic!("it could be read: {text}")
        };
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
    }
}

#[test]
fn text_that_is_no_toml_says_where() {
    check(
        "[tools.a]\ncommand = [\"./a\"\ntimeout == 3\n",
        expect![
            "quipu.toml:3:1: this is not TOML: missing comma between array elements, expected `,`"
        ],
    );
    check("[tools.a]\n[tools.a]\n", expect!["quipu.toml:2:8: this is not TOML: duplicate key"]);
    check(
        &format!("a = {}", "[".repeat(5_000)),
        expect![
            "quipu.toml:1:85: this is not TOML: cannot recurse further; max recursion depth met"
        ],
    );
}

#[test]
fn files_are_read_and_missing_ones_are_empty() {
    let folder = std::env::temp_dir().join(format!("quipu-config-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    assert!(Config::in_folder(&folder).unwrap().tools.is_empty());
    let path = folder.join("quipu.toml");
    std::fs::write(&path, "[tools.t]\ncommand = [\"./t\"]").unwrap();
    let config = Config::in_folder(&folder).unwrap();
    assert_eq!(program(&config).program, folder.join("./t"));
    std::fs::write(&path, b"# \xc3\xa9\n[tools.t]\n# \xff").unwrap();
    let error = Config::load(&path).unwrap_err().to_string();
    assert!(error.ends_with("quipu.toml:3:3: the bytes from here on are no UTF-8"), "{error}");
    std::fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    assert!(matches!(Config::load(&path), Err(ConfigError::TooLarge { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(Config::load(&path), Err(ConfigError::Unreadable { .. })));
}
