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
            quipu.toml:2:1: unknown key `modles`; did you mean `models`?
            quipu.toml:3:8: nothing answers `a`; say what does, such as `command = ["./program"]`
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

/// Lines of a width that people read; what goes on is set in.
fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let mut width = 0;
        for (at, word) in line.split(' ').enumerate() {
            if width > 0 && width + word.len() > 90 {
                wrapped += "\n    ";
                width = 0;
            } else if at > 0 {
                wrapped.push(' ');
            }
            wrapped += word;
            width += word.len() + 1;
        }
        wrapped.push('\n');
    }
    wrapped
}

#[test]
fn folders_programs_and_parts_are_checked_before_anything_runs() {
    let findings = parse(
        r#"
[grants]
capabilities = "net.web"
capabilties = []
[tools.notes]
files = { allow = ["read"] }
[tools.all]
files = { root = ".", allow = ["write"] }
[tools.above]
files = { root = "/", allow = ["append"] }
[tools.odd]
files = { root = "notes", allow = ["reed"], max_bytes = 0 }
touches = "read"
[tools.none]
files = { root = "notes", allow = [] }
[tools.bare]
shell = ["git", "log"]
[tools.line]
shell = "git log {path}"
[tools.holes]
shell = ["/bin/ls", "{a b}", "{open", "x{list...}"]
[tools.hole]
shell = ["/bin/{program}"]
[tools.nothing]
shell = { programs = [] }
[tools.some]
shell = { programs = ["ls"], sub = [] }
[tools.folder]
command = ["./t"]
folder = "x"
[tools.round]
composite = ["about"]
[tools.about]
composite = ["calculator", "round"]
[tools.self]
composite = ["self"]
[tools.parts]
composite = ["serch", 5, { original = "x" }]
touches = "read"
[tools.search]
command = ["./t"]
input = { type = "strin" }
output = "schemas/none.json"
cost = 0.5
replay = "never"
auth_required = "yes"
permissions = "all"
"#,
    )
    .unwrap_err();
    expect![[r#"
        quipu.toml:3:16: `capabilities` must be a list of texts, such as `["net.web"]`
        quipu.toml:4:1: unknown key `capabilties`; did you mean `capabilities`?
        quipu.toml:6:9: `files` needs a `root`: the folder that it is about
        quipu.toml:8:18: this folder holds quipu.toml, and a tool that may write it could bind any
            program; name a folder beneath it, such as `./notes`
        quipu.toml:10:18: this folder holds quipu.toml, and a tool that may write it could bind
            any program; name a folder beneath it, such as `./notes`
        quipu.toml:12:35: unknown operation `reed`; did you mean `read`?
        quipu.toml:12:57: `max_bytes` must be a whole number from 1 on
        quipu.toml:13:1: `touches` says nothing of `files`: what it touches is known
        quipu.toml:15:35: `allow` is empty: there are `read`, `list`, `search`, `delete`, `write`,
            `append`
        quipu.toml:17:9: `git` is no path of a program; write where it is, such as `/usr/bin/git`
        quipu.toml:19:9: `shell` is a list of a program and its arguments, such as
            `["/usr/bin/git", "log", "{path}"]`: no text is read by a shell
        quipu.toml:21:9: `{a b}` in `{a b}` is no name of an argument
        quipu.toml:21:9: `{open` has a brace without its other; write `{{` for one
        quipu.toml:21:9: `{list...}` must stand alone
        quipu.toml:23:9: `/bin/{program}` is no path of a program; write where it is, such as
            `/usr/bin/git`
        quipu.toml:25:9: `shell` needs `programs`: a list of at least one path
        quipu.toml:27:9: `ls` is no path of a program; write where it is, such as `/usr/bin/git`
        quipu.toml:27:30: unknown key `sub`; there are `programs`, `subcommands`, `options`
        quipu.toml:30:1: `folder` says nothing of `command`: it is for `shell`
        quipu.toml:32:14: `round` is made of `about`, which is made of it again
        quipu.toml:34:28: `about` is made of `round`, which is made of it again
        quipu.toml:36:14: `self` is made of `self`, which is made of it again
        quipu.toml:38:14: unknown tool `serch`; did you mean `search`?
        quipu.toml:38:23: a part is the id of a tool
        quipu.toml:38:26: a part needs `tool`: its id
        quipu.toml:39:1: `touches` says nothing of `composite`: what it touches is known
        quipu.toml:42:9: `input` is no JSON Schema: "strin" is not valid under any of the schemas
            listed in the 'anyOf' keyword (at `/type`)
        quipu.toml:43:10: `schemas/none.json` cannot be read: No such file or directory (os error
            2)
        quipu.toml:44:8: `cost` must be an amount as text, such as `"0.02"`
        quipu.toml:45:10: unknown replay `never`; there are `must-stub`, `fail-loud`, `live`
        quipu.toml:46:17: `auth_required` must be `true` or `false`
        quipu.toml:47:15: `permissions` must be a list of capabilities, such as `["net.web"]`
    "#]]
    .assert_eq(&wrapped(&findings.to_string()));
}

#[test]
fn people_have_capabilities_and_nothing_else() {
    let config = parse("[people.alice]\ncapabilities = [\"pay\"]\n[people.bob]\n").unwrap();
    let may = |name: &str| {
        let who = host::Who { name: Some(name.into()), capabilities: config.people.clone() };
        who.refused(Some(&"pay".into())).is_none()
    };
    assert_eq!((may("alice"), may("bob"), may("mallory")), (true, false, false));
    for (text, message) in [
        ("[people.alice]\ncapabilities = \"pay\"", "`capabilities` must be a list of names"),
        ("[people.alice]\ncapabilities = [\" \"]", "`capabilities` must be a list of names"),
        ("[people.alice]\nmay = [\"pay\"]", "unknown key `may`"),
        ("people = [\"alice\"]", "`people` must be a table"),
    ] {
        let found = parse(text).unwrap_err().to_string();
        assert!(found.contains(message), "{text}: {found}");
    }
}
