//! S4: a block of logic computes, and reaches nothing. A value is never code, whoever reads it.

use super::*;
use crate::running::{ending, graph, shown, text};
use value::{Value, json};

const CANARY: &str = "canary-51d0aa";

fn block(code: &str) -> String {
    let node = Value::map([
        ("id", "n1".into()),
        ("op", "R".into()),
        ("data", Value::map([("adapter", "logic.PYTHON".into()), ("target", code.into())])),
    ]);
    graph(&[("start", &json::compact(&node), "")])
}

#[test]
fn a_block_reaches_nothing_outside_of_itself() {
    let folder = Folder::new();
    folder.write("secret.txt", CANARY);
    for code in [
        "import os\nos.system('touch pwned')",
        "__import__('os').system('touch pwned')",
        "from os import environ\nstate.data['x'] = environ['CANARY']",
        "import os\nstate.data['x'] = os.getenv('CANARY')",
        "import os\nstate.data['x'] = str(os.environ)",
        "import os\nstate.data['x'] = os.listdir('.')",
        "state.data['x'] = open('secret.txt').read()",
        "open('pwned', 'w').write('x')",
        "with open('pwned', 'w') as f:\n    f.write('x')",
        "from pathlib import Path\nstate.data['x'] = Path('secret.txt').read_text()",
        "from pathlib import Path\nPath('pwned').touch()",
        "import io\nstate.data['x'] = io.open('secret.txt').read()",
        "eval(\"__import__('os').system('touch pwned')\")",
        "exec(\"open('pwned', 'w')\")",
        "compile('1', 'a', 'eval')",
        "x = ().__class__.__bases__[0].__subclasses__()",
        "x = [].__class__.__mro__[1].__subclasses__()",
        "x = type(state).__init__.__globals__",
        "x = (lambda: 0).__globals__['__builtins__']",
        "x = (lambda: 0).__code__",
        "state.data['x'] = '{0.__class__.__init__.__globals__}'.format(state)",
        "state.data['x'] = f'{state.__init__.__globals__}'",
        "state.data['x'] = str(globals())",
        "state.data['x'] = str(locals())",
        "state.data['x'] = str(vars(state))",
        "import subprocess\nsubprocess.run(['touch', 'pwned'])",
        "import socket\nsocket.create_connection(('127.0.0.1', 1))",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')",
        "import ctypes\nctypes.CDLL(None)",
        "import importlib\nimportlib.import_module('os')",
        "import sys\nstate.data['x'] = str(sys.modules)",
        "import builtins\nbuiltins.open('pwned', 'w')",
        "__builtins__['open']('pwned', 'w')",
        "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"touch pwned\"\\ntR.')",
        "import shutil\nshutil.rmtree('.')",
        "import threading\nthreading.Thread(target=print).start()",
        "import asyncio\nasyncio.run(asyncio.create_subprocess_shell('touch pwned'))",
        "breakpoint()",
        "input('x')",
        "while True:\n    pass",
        "def f():\n    return f()\nf()",
        "x = 10 ** 10 ** 8",
        "state.data['x'] = 'x' * 10 ** 11",
        "x = []\nwhile True:\n    x.append(x)",
        "state.data['x'] = [state.data]\nstate.data['y'] = '%s' * 10 ** 10",
    ] {
        folder.write("agent.json", block(code));
        let knows = |arguments: &[&str]| folder.run_knowing(&[("CANARY", CANARY)], arguments);
        let mut told = String::new();
        for command in ["check", "compile", "show"] {
            let done = knows(&[command, "agent.json"]);
            assert!(done.code < 2, "{code}: {}", done.stderr);
            told = told + &done.stdout + &done.stderr;
        }
        let done = knows(&["run", "agent.json", "--json"]);
        let document = shown(&done);
        let error = ending(&document);
        assert_eq!(done.code, 1, "{code} is refused: {}", done.stdout);
        assert!(["logic", "logic_limit"].contains(&error), "{code}: {error}");
        told = told + &done.stdout + &done.stderr;
        assert!(!told.contains(CANARY), "{code}: {told}");
        assert!(!folder.path().join("pwned").exists(), "{code}");
    }
    assert_eq!(folder.holds(CANARY, &["secret.txt"]), None);
}

/// What looks like code in a value is compared as text, and copied as text.
#[test]
fn a_value_is_never_code() {
    let folder = Folder::new();
    let gate = r#"{"id": "n1", "op": "If", "data": {"cond": "x == 'yes'"}},
        {"id": "n2", "op": "J", "data": {"var": "in"}}, {"id": "n3", "op": "J", "data": {"var": "out"}}"#;
    let logic = r#"{"id": "n1", "op": "R", "data": {"adapter": "logic.PYTHON",
        "target": "state.data['way'] = 'in' if state.data['x'] == 'yes' else 'out'"}},
        {"id": "n2", "op": "R", "data": {"adapter": "logic.PYTHON",
        "target": "state.data['y'] = f\"{state.data['x']}\""}},
        {"id": "n3", "op": "J", "data": {"var": "$way"}}"#;
    folder
        .write("gate.json", graph(&[("start", gate, "n1-then-n2 n1-else-n3")]))
        .write("logic.json", graph(&[("start", logic, "n1-next-n2 n2-next-n3")]));
    for value in [
        "1 == 1",
        "True",
        "not False",
        "x",
        "x == x",
        "'yes'",
        "\"yes\"",
        "yes' or '1' == '1",
        "yes\u{0}",
        "YES",
        " yes",
        "__import__('os').system('touch pwned')",
        "{x}",
        "{state}",
        "{state.data}",
        "${x}",
        "'yes' if True else 'no'",
        "lambda: 'yes'",
        "eval('\"yes\"')",
        "(",
        "[",
        "\\",
        "'",
        "\n== 'yes'",
        "%s",
        "{0.__class__}",
        "{{7*7}}",
        "<%= 7*7 %>",
        "#{7*7}",
    ] {
        let input = json::compact(&Value::map([("x", Value::text(value))]));
        folder.write("inputs.json", input);
        for agent in ["gate.json", "logic.json"] {
            let done = folder.run(&["run", agent, "--inputs", "inputs.json", "--json"]);
            assert_eq!(done.code, 0, "{value}: {}{}", done.stdout, done.stderr);
            let document = shown(&done);
            assert_eq!(text(&document, "result"), "out", "{agent}: {value}");
            let state = document.get("state").unwrap();
            assert_eq!(text(state, "x"), value);
            if agent == "logic.json" {
                assert_eq!(text(state, "y"), value);
            }
        }
    }
    assert!(!folder.path().join("pwned").exists());
    // And the gate would have opened.
    let done = folder.run(&["run", "gate.json", "--input", "x=yes", "--json"]);
    assert_eq!(text(&shown(&done), "result"), "in");
}

/// Conditions are a small language: what is more than that is a finding,
/// and text to whoever runs it all the same.
#[test]
fn a_condition_that_is_code_is_a_finding() {
    let folder = Folder::new();
    for condition in [
        "__import__('os').system('touch pwned')",
        "open('pwned', 'w')",
        "exec('x')",
        "(lambda: 1)()",
        "[c for c in ().__class__.__bases__]",
        "x if y else z",
        "x := 1",
        "import os",
        "`touch pwned`",
        "$(touch pwned)",
        "x; y",
        "{{x}}",
    ] {
        let gate = Value::map([
            ("id", "n1".into()),
            ("op", "If".into()),
            ("data", Value::map([("cond", condition.into())])),
        ]);
        let end = r#"{"id": "n2", "op": "J", "data": {"var": "in"}}"#;
        let nodes = format!("{}, {end}", json::compact(&gate));
        folder.write("agent.json", graph(&[("start", &nodes, "n1-then-n2 n1-else-n2")]));
        let done = folder.run(&["check", "agent.json", "--strict", "--json"]);
        assert_eq!(done.code, 1, "{condition}: {}", done.stdout);
        assert!(done.stdout.contains("G412"), "{condition}: {}", done.stdout);
        let done = folder.run(&["run", "agent.json", "--json"]).json();
        let code = done.get("error").and_then(|error| error.get("code"));
        assert_eq!(code, Some(&"missing".into()), "no way is open: {condition}");
        assert!(!folder.path().join("pwned").exists(), "{condition}");
    }
}
