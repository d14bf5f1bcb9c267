//! S15, S16: files that are made to take for ever or to take everything. Each ends with words, and
//! with memory in proportion to its size. Nothing is unpacked in this version, so that no file
//! stands for a larger one.

use std::time::{Duration, Instant};

use super::*;

/// Only what does not end comes here.
const HANG: Duration = Duration::from_secs(300);

/// What is there before anything is read, on any machine.
const BASE: u64 = 192 << 20;

/// Runs a command, and says with it how much memory it had at most, where the system tells.
#[expect(clippy::print_stdout, reason = "what each took is for whoever reads the output")]
fn measured(folder: &Folder, arguments: &[&str]) -> (Done, u64) {
    let files = ["out", "err"].map(|name| std::fs::File::create(folder.path().join(name)).unwrap());
    let [out, err] = files;
    let mut child = Command::new(env!("CARGO_BIN_EXE_quipu"))
        .args(arguments)
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let (begin, mut most) = (Instant::now(), 0);
    let ended = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) << 10);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        if begin.elapsed() > HANG {
            child.kill().unwrap();
            panic!("{arguments:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = |name| {
        String::from_utf8_lossy(&std::fs::read(folder.path().join(name)).unwrap()).into_owned()
    };
    let code = ended.code().expect("it was not killed by a signal");
    let took = begin.elapsed();
    println!("{arguments:?}: {} ms, {} MB", took.as_millis(), most >> 20);
    (Done { code, stdout: text("out"), stderr: text("err") }, most)
}

/// Ends with words of some length, and within memory in proportion.
#[track_caller]
fn ends(what: &str, size: usize, codes: &[i32], (done, most): (Done, u64)) {
    assert!(
        codes.contains(&done.code),
        "{what}: {} {:.600}{:.600}",
        done.code,
        done.stdout,
        done.stderr
    );
    let told = done.stdout.len() + done.stderr.len();
    // What is told holds what was given at most a few times.
    assert!(told > 0 && told < 200_000 + 16 * size, "{what}: {told} bytes are told");
    assert!(!done.stderr.contains("panicked"), "{what}: {}", done.stderr);
    assert!(most < BASE + 24 * size as u64, "{what} of {size} bytes took {most}");
}

/// Ten million letters, and other amounts.
const MUCH: usize = 10 << 20;

fn bombs() -> Vec<(&'static str, String)> {
    let lists = |open: &str, close: &str, depth: usize| open.repeat(depth) + &close.repeat(depth);
    vec![
        ("deep lists", lists("[", "]", MUCH / 2)),
        ("deep maps", format!("{}1{}", "{\"a\":".repeat(MUCH / 6), "}".repeat(MUCH / 6))),
        ("lists that never end", "[".repeat(MUCH)),
        ("a key of ten million letters", format!("{{\"{}\": 1}}", "k".repeat(MUCH))),
        ("a text of ten million letters", format!("[\"{}\"]", "t".repeat(MUCH))),
        ("a number of ten million digits", format!("[1{}]", "0".repeat(MUCH))),
        ("an exponent", "[1e999999999, -1e999999999]".to_owned()),
        ("a key again and again", format!("{{{}\"a\": 1}}", "\"a\": 1, ".repeat(100_000))),
        ("escapes", format!("[\"{}\"]", "\\ud800".repeat(100_000))),
        ("zeros", "\0".repeat(MUCH)),
    ]
}

fn yaml_bombs() -> Vec<(&'static str, String)> {
    let head = "name: x\nversion: \"1\"\n";
    let mut aliases = format!("{head}a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    let mut merges = format!("{head}m0: &m0 {{k0: 1}}\n");
    for level in 1..40 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        aliases += &format!("a{level}: &a{level} [{below}]\n");
        let below = level - 1;
        merges += &format!("m{level}: &m{level} {{<<: [*m{below}, *m{below}], k{level}: 1}}\n");
    }
    vec![
        ("aliases of aliases", aliases + "entities: *a39\n"),
        ("merges of merges", merges + "entities: *m39\n"),
        ("an alias of itself", format!("{head}entities: &a [*a]\n")),
        ("a merge of itself", format!("{head}entities: &a {{<<: *a}}\n")),
        ("a folded text", format!("{head}description: >\n{}", "  x\n\n".repeat(MUCH / 5))),
        ("deep sequences", format!("{head}entities:\n{}", "- ".repeat(MUCH / 2))),
        (
            "deep blocks",
            format!(
                "{head}{}",
                (0..3_000).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect::<String>()
            ),
        ),
        ("a key of ten million letters", format!("{head}{}: 1\n", "k".repeat(MUCH))),
        (
            "keys without end",
            format!("{head}{}", (0..400_000).map(|key| format!("k{key}: 1\n")).collect::<String>()),
        ),
        ("a key again and again", format!("{head}{}", "entities: []\n".repeat(100_000))),
        ("tags", format!("{head}entities: {}x\n", "!!a ".repeat(100_000))),
        (
            "anchors",
            format!(
                "{head}entities: [{}]\n",
                (0..200_000).map(|name| format!("&n{name} x, ")).collect::<String>()
            ),
        ),
    ]
}

#[test]
fn specs_and_documents() {
    let folder = Folder::new();
    for (what, text) in yaml_bombs() {
        folder.write("bomb.yaml", &text);
        ends(what, text.len(), &[1], measured(&folder, &["check", "bomb.yaml"]));
    }
    for (what, text) in bombs() {
        folder.write("bomb.json", &text);
        ends(what, text.len(), &[1], measured(&folder, &["check", "bomb.json"]));
        let document = format!("{{\"labels\": {text}}}");
        folder.write("bomb.json", &document);
        ends(what, document.len(), &[1], measured(&folder, &["check", "bomb.json"]));
    }
}

#[test]
fn inputs_scripts_answers_and_patches() {
    let folder = Folder::new();
    folder.write(
        "agent.json",
        crate::running::graph(&[("start", r#"{"id": "n1", "op": "J", "data": {"var": "x"}}"#, "")]),
    );
    for (what, text) in bombs() {
        folder.write("bomb.json", &text);
        for (arguments, codes) in [
            (
                &["run", "agent.json", "--inputs", "bomb.json", "--store", "memory"][..],
                &[0, 1, 2][..],
            ),
            (
                &["run", "agent.json", "--model", "script:bomb.json", "--store", "memory"],
                &[0, 1, 2],
            ),
            (&["run", "agent.json", "--answers", "bomb.json", "--store", "memory"], &[0, 1, 2]),
            (&["rewrite", "agent.json", "bomb.json"], &[1, 2]),
        ] {
            ends(what, text.len(), codes, measured(&folder, arguments));
        }
    }
}

#[test]
fn configurations() {
    let folder = Folder::new();
    folder.write(
        "agent.json",
        crate::running::graph(&[("start", r#"{"id": "n1", "op": "J", "data": {"var": "x"}}"#, "")]),
    );
    for (what, text) in [
        ("deep lists", format!("a = {}", "[".repeat(1 << 20))),
        ("deep tables", format!("{} = 1", vec!["a"; 1 << 18].join("."))),
        ("deep headers", format!("[{}]", vec!["a"; 1 << 18].join("."))),
        ("inline tables", format!("a = {}", "{a = ".repeat(1 << 18))),
        ("a long key", format!("{} = 1", "k".repeat(1 << 20))),
        ("a long text", format!("a = \"{}\"", "t".repeat(1 << 20))),
        ("a key again and again", "a = 1\n".repeat(20_000)),
        ("tools without end", (0..10_000).map(|number| format!("[tools.t{number}]\n")).collect()),
        ("zeros", "\0".repeat(1 << 20)),
        (
            "a template that never ends",
            format!("[tools.a]\nhttp = 'GET http://a/{}'\n", "{".repeat(1 << 18)),
        ),
        (
            "gaps without end",
            format!("[tools.a]\nhttp = 'GET http://a/{}'\n", "{a}".repeat(1 << 15)),
        ),
    ] {
        folder.write("quipu.toml", &text);
        ends(
            what,
            text.len(),
            &[0, 1, 2],
            measured(&folder, &["run", "agent.json", "--store", "memory"]),
        );
    }
}

/// Histories of others: long lines, many lines, deep values. The store is sound after each.
#[test]
fn histories() {
    let folder = Folder::new();
    let event = |more: &str| {
        format!(
            "{{\"kind\": \"x.test.a\", \"ts\": \"2026-03-01T09:00:00.000000Z\", \
             \"run_id\": \"r\", \"agent_id\": \"a\"{more}}}\n"
        )
    };
    let many = if std::env::var_os("QUIPU_SLOW").is_some() { 200_000 } else { 20_000 };
    let mut files = vec![
        (
            "many events",
            (0..many).map(|number| event(&format!(", \"n\": {number}"))).collect::<String>(),
        ),
        (
            "many runs",
            (0..many / 10)
                .map(|number| event("").replace("\"r\"", &format!("\"r{number}\"")))
                .collect(),
        ),
        ("empty lines", "\n".repeat(MUCH)),
        ("the same event", event("").repeat(many)),
        ("lines that are nothing", "x\n".repeat(many)),
        ("a line that never ends", format!("{{\"kind\": \"{}", "k".repeat(MUCH))),
    ];
    for (what, text) in bombs() {
        files.push((what, event(&format!(", \"v\": {text}"))));
    }
    for (what, text) in files {
        folder.write("bomb.jsonl", &text);
        let store = ["--store", "sqlite:bomb.db"];
        ends(
            what,
            text.len(),
            &[0, 1],
            measured(&folder, &[&["import", "bomb.jsonl"][..], &store].concat()),
        );
        let done = folder.run(&[&["verify"][..], &store].concat());
        assert_eq!(done.code, 0, "{what}: {}{}", done.stdout, done.stderr);
        for name in ["bomb.db", "bomb.db-wal", "bomb.db-shm"] {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
    }
}
