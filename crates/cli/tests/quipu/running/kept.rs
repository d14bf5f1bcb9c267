//! Caches, queues and memory: what one run keeps, the next one finds.

use super::*;

/// One label of these steps, `OP DATA` each, one after the other.
fn steps(lines: &[&str]) -> String {
    steps_with(lines, "")
}

/// The same, with other members of the document.
fn steps_with(lines: &[&str], members: &str) -> String {
    let nodes = (1..).zip(lines).map(|(number, line)| {
        let (op, data) = line.split_once(' ').unwrap();
        format!(r#"{{"id": "n{number}", "op": "{op}", "data": {data}}}"#)
    });
    let nodes: Vec<String> = nodes.collect();
    let edges = (1..lines.len()).map(|number| format!("n{number}-next-n{}", number + 1));
    let edges: Vec<String> = edges.collect();
    let document = graph(&[("start", &nodes.join(", "), &edges.join(" "))]);
    document.replacen('{', &format!("{{{members}"), 1)
}

const SET: &str = r#"CacheSet {"name": "memo", "key": "who", "value": "$value", "ttl_s": 60}"#;
const GET: &str = r#"CacheGet {"name": "memo", "key": "who", "out": "found", "fallback": "none"}"#;
const PUT: &str = r#"QueuePut {"queue": "jobs", "value": "$value", "out": "put"}"#;
const R_SET: &str =
    r#"R {"adapter": "cache.set", "target": "memo", "args": ["who", "$value", 60]}"#;
const R_GET: &str =
    r#"R {"adapter": "cache.GET", "target": "memo", "args": ["who", "none"], "out": "found"}"#;
/// The older form.
const SPLIT_GET: &str =
    r#"R {"adapter": "cache", "target": "get", "args": ["memo", "who", "none"], "out": "found"}"#;
const R_PUT: &str =
    r#"R {"adapter": "queue.put", "target": "jobs", "args": ["$value"], "out": "put"}"#;
const TAKE: &str = r#"R {"adapter": "queue.get", "target": "jobs", "out": "taken"}"#;
const COUNT: &str = r#"R {"adapter": "queue.len", "target": "jobs", "out": "waiting"}"#;

/// Runs a document, and gives what its names hold at the end.
fn run(folder: &Folder, id: &str, document: &str, more: &[&str]) -> Value {
    folder.write("agent.json", document);
    let words = ["run", "agent.json", "--id", id, "--json"];
    let done = folder.run(&[&words[..], more].concat());
    assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
    folder.is_sound(id);
    state(folder, id)
}

fn state(folder: &Folder, id: &str) -> Value {
    folder.run(&["state", id, "--json"]).json()
}

fn holds(state: &Value, written: &str) {
    let state = json::compact(state);
    assert!(state.contains(written), "no {written} in {state}");
}

/// What a run asked for: `cache.get {...}`.
fn asked(folder: &Folder, run: &str) -> Vec<String> {
    let events = folder.events(run);
    let calls = events.iter().filter(|event| text(event, "kind") == "tool_call");
    let shown = calls.map(|call| {
        let args = json::compact(call.get("args").unwrap());
        format!("{}.{} {args}", text(call, "server"), text(call, "tool"))
    });
    shown.collect()
}

#[test]
fn the_next_run_finds_what_one_has_kept_whoever_says_it_how() {
    for (number, (set, get, put)) in
        [(SET, R_GET, PUT), (R_SET, GET, R_PUT), (SET, SPLIT_GET, R_PUT)].into_iter().enumerate()
    {
        let folder = Folder::new();
        let first = run(&folder, "one", &steps(&[get, set, put]), &["--input", "value=7"]);
        holds(&first, r#""found":"none""#);
        holds(&first, r#""put":7"#);
        let second = steps(&[get, COUNT, TAKE]);
        let second = run(&folder, "two", &second, &[]);
        holds(&second, r#""found":7"#);
        holds(&second, r#""waiting":1"#);
        holds(&second, r#""taken":7"#);
        let third = run(&folder, "three", &steps(&[TAKE, COUNT]), &[]);
        holds(&third, r#""taken":null"#);
        holds(&third, r#""waiting":0"#);
        assert_eq!(
            asked(&folder, "one"),
            [
                r#"cache.get {"default":"none","key":"who","store":"cache/memo"}"#,
                r#"cache.set {"key":"who","store":"cache/memo","ttl_s":60,"value":7}"#,
                r#"queue.put {"store":"queue/jobs","value":7}"#,
            ],
            "{number}"
        );
        // What was kept since is nothing to a run that is over.
        assert_eq!(folder.run(&["replay", "one"]).code, 0);
        let log = folder.run(&["log", "one", "--trace"]).stdout;
        assert!(log.contains("cache.get") && log.contains("queue.put"), "{log}");
    }
}

#[test]
fn what_is_cached_is_gone_when_its_time_is_over() {
    let folder = Folder::new();
    folder.write("set.json", steps(&[SET])).write("get.json", steps(&[GET]));
    let at = |now: &str, file: &str, id: &str| {
        let words = ["run", file, "--id", id, "--input", "value=7", "--json"];
        let done = folder.run_at(now, &words);
        assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
        state(&folder, id)
    };
    at("2026-01-01T00:00:00Z", "set.json", "one");
    holds(&at("2026-01-01T00:00:59Z", "get.json", "two"), r#""found":7"#);
    holds(&at("2026-01-01T00:01:01Z", "get.json", "three"), r#""found":"none""#);
    // Whoever looks at it later derives the same.
    folder.is_sound("two");
    at("2026-01-01T00:02:00Z", "set.json", "four");
    holds(&at("2026-01-01T00:02:01Z", "get.json", "five"), r#""found":7"#);
}

#[test]
fn a_run_that_waits_too_long_does_not_find_what_it_cached() {
    let folder = Folder::new();
    let set = SET.replace("60", "1");
    let sleep = r#"R {"adapter": "core.SLEEP", "target": 1100}"#;
    let again = GET.replace("found", "later");
    let state = run(&folder, "one", &steps(&[&set, GET, sleep, &again]), &["--input", "value=7"]);
    holds(&state, r#""found":7"#);
    holds(&state, r#""later":"none""#);
}

#[test]
fn what_a_graph_declares_counts_where_nothing_else_is_said() {
    let folder = Folder::new();
    let declared = r#""capabilities": {
        "cache": {"memo": {"ttl": "30", "default": "declared"}},
        "queue": {"jobs": {"maxSize": "2"}}},"#;
    let get = GET.replace(r#", "fallback": "none""#, "");
    let set = SET.replace("60", "0");
    let document = steps_with(&[&get, &set, PUT, PUT], declared);
    holds(&run(&folder, "one", &document, &["--input", "value=7"]), r#""found":"declared""#);
    assert!(asked(&folder, "one")[1].contains(r#""ttl_s":"30""#), "{:?}", asked(&folder, "one"));
    // One more does not fit, and says so.
    folder.write("agent.json", &document);
    let done = folder.run(&["run", "agent.json", "--id", "two", "--input", "value=7", "--json"]);
    assert_eq!(ending(&shown(&done)), "store", "{}", done.stdout);
    assert!(
        done.stdout.contains("`queue/jobs` is full: it holds 2 values at most"),
        "{}",
        done.stdout
    );
    let left = steps_with(&[TAKE, PUT, COUNT], declared);
    holds(&run(&folder, "three", &left, &["--input", "value=8"]), r#""waiting":2"#);
    // In a run that leaves nothing behind it is the same.
    let three = steps_with(&[PUT, PUT, PUT], declared);
    folder.write("agent.json", &three);
    let words = ["run", "agent.json", "--input", "value=7", "--model", "stub:high", "--json"];
    let done = folder.run(&words);
    assert_eq!(ending(&shown(&done)), "store", "{}", done.stdout);
    assert!(done.stdout.contains("`queue/jobs` is full"), "{}", done.stdout);
}

#[test]
fn beside_a_stub_model_nothing_is_left_behind() {
    let folder = Folder::new();
    let all = steps(&[SET, GET, R_PUT, COUNT, TAKE]);
    let stub = ["--input", "value=7", "--model", "stub:high"];
    let first = run(&folder, "one", &all, &stub);
    holds(&first, r#""found":7"#);
    holds(&first, r#""waiting":1"#);
    holds(&first, r#""taken":7"#);
    assert!(asked(&folder, "one").is_empty());
    let log = folder.run(&["log", "one", "--trace"]).stdout;
    assert!(log.contains("cache.set memo") && log.contains("queue.put jobs"), "{log}");
    let second = run(&folder, "two", &steps(&[GET, COUNT]), &stub[2..]);
    holds(&second, r#""found":"none""#);
    holds(&second, r#""waiting":0"#);
    // Nor does it see what others have kept.
    run(&folder, "three", &steps(&[SET]), &["--input", "value=7"]);
    holds(&run(&folder, "four", &steps(&[GET]), &stub[2..]), r#""found":"none""#);
}

#[test]
fn a_process_that_is_killed_puts_nothing_twice() {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "value", "body": "one", "after": "end"}}"#;
    let put = r#"{"id": "n1", "op": "QueuePut", "data": {"queue": "jobs", "value": "$value"}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$value"}}"#;
    let edges = "n1-body->one n1-after->end";
    let looping = graph(&[("start", over, edges), ("one", put, ""), ("end", end, "")]);
    folder.write("agent.json", looping);
    let items: Vec<String> = (0..300).map(|item| item.to_string()).collect();
    let items = format!("items=[{}]", items.join(","));
    let begin = ["run", "agent.json", "--id", "r", "--input", &items, "--json"];
    let mut kills = 0;
    loop {
        let is_begun = folder.run(&["state", "r"]).code == 0;
        let process = folder.start(if is_begun { &["resume", "r", "--json"] } else { &begin[..] });
        if kills == 6 {
            let done = process.end();
            assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
            break;
        }
        std::thread::sleep(Duration::from_millis(40 + 35 * kills));
        process.kill();
        kills += 1;
    }
    folder.is_sound("r");
    holds(&run(&folder, "count", &steps(&[COUNT]), &[]), r#""waiting":300"#);
}

/// What is written holds the time: whoever writes it again writes the time when it was first asked
/// for, and is known by it.
#[test]
fn a_process_that_is_killed_resumes_what_it_wrote_with_the_time() {
    let folder = Folder::new();
    let over = r#"{"id": "n1", "op": "Loop",
        "data": {"ref": "$items", "item": "value", "body": "one", "after": "end"}}"#;
    let write = r#"
        {"id": "n1", "op": "R", "data": {"adapter": "memory.append", "target": "ops",
            "args": ["log", "day", "$value", 3600]}},
        {"id": "n2", "op": "CacheSet",
            "data": {"name": "memo", "key": "who", "value": "$value", "ttl_s": 3600}},
        {"id": "n3", "op": "R", "data": {"adapter": "memory.put", "target": "ops",
            "args": ["note", "last", "$value"]}},
        {"id": "n4", "op": "R", "data": {"adapter": "memory.prune", "target": "ops"}}"#;
    let end = r#"{"id": "n1", "op": "J", "data": {"var": "$value"}}"#;
    let ways = ("n1-body->one n1-after->end", "n1-next-n2 n2-next-n3 n3-next-n4");
    let looping = graph(&[("start", over, ways.0), ("one", write, ways.1), ("end", end, "")]);
    folder.write("agent.json", looping);
    let items: Vec<String> = (0..100).map(|item| item.to_string()).collect();
    let items = items.join(",");
    let given = format!("items=[{items}]");
    let begin = ["run", "agent.json", "--id", "r", "--input", &given, "--json"];
    let mut kills = 0;
    loop {
        let is_begun = folder.run(&["state", "r"]).code == 0;
        let process = folder.start(if is_begun { &["resume", "r", "--json"] } else { &begin[..] });
        if kills == 8 {
            let done = process.end();
            assert_eq!(ending(&shown(&done)), "done", "{}{}", done.stdout, done.stderr);
            break;
        }
        std::thread::sleep(Duration::from_millis(60 + 15 * kills));
        process.kill();
        kills += 1;
    }
    folder.is_sound("r");
    let get =
        r#"R {"adapter": "memory.get", "target": "ops", "args": ["log", "day"], "out": "log"}"#;
    let state = run(&folder, "look", &steps(&[get, GET]), &[]);
    holds(&state, &format!(r#""log":[{items}]"#));
    holds(&state, r#""found":99"#);
}

#[test]
fn memory_keeps_records_until_they_are_taken_away() {
    let folder = Folder::new();
    let memory = |verb: &str, target: &str, args: &str| {
        format!(
            r#"R {{"adapter": "memory.{verb}", "target": "{target}", "args": [{args}], "out": "{verb}"}}"#
        )
    };
    let lines = [
        memory("put", "ops", r#""note", "a", {"text": "the first"}"#),
        memory("append", "ops", r#""log", "day", "up""#),
        memory("append", "ops", r#""log", "day", "up""#),
        memory("store", "greet", r#"{"text": "say hello to everybody"}"#),
        r#"R {"adapter": "persona.update", "target": "calm", "args": [0.8, "n1"]}"#.to_string(),
        r#"R {"adapter": "vector_memory.upsert", "target": "docs", "args": ["d1", "twenty days of holiday"]}"#
            .to_string(),
        r#"R {"adapter": "vector_memory.upsert", "target": "docs", "args": ["d2", "holiday trains"]}"#
            .to_string(),
    ];
    let lines: Vec<&str> = lines.iter().map(|line| &**line).collect();
    let reading = [
        memory("get", "ops", r#""log", "day""#),
        memory("list", "ops", r#""note""#),
        memory("recall", "greet", ""),
        memory("search", "hello", "1"),
        r#"R {"adapter": "persona.load", "out": "persona"}"#.to_string(),
        r#"R {"adapter": "vector_memory.search", "target": "docs", "args": ["days", 1], "out": "near"}"#
            .to_string(),
        r#"R {"adapter": "vector_memory.list_similar", "target": "docs", "args": ["d1"], "out": "like"}"#
            .to_string(),
        memory("delete", "ops", r#""log", "day""#),
        memory("get", "ops", r#""log", "day""#).replace(r#""out": "get""#, r#""out": "gone""#),
    ];
    let reading: Vec<&str> = reading.iter().map(|line| &**line).collect();
    let check = |state: &Value| {
        holds(state, r#""get":["up","up"]"#);
        holds(state, r#""payload":{"text":"the first"}"#);
        holds(state, r#""recall":{"text":"say hello to everybody"}"#);
        let found = json::compact(state);
        assert!(found.contains(r#""id":"greet""#), "{found}");
        holds(state, r#""persona":{"calm":0.8}"#);
        assert!(found.contains(r#""near":[{"id":"d1""#), "{found}");
        assert!(found.contains(r#""like":[{"id":"d2""#), "{found}");
        holds(state, r#""gone":null"#);
    };
    run(&folder, "one", &steps(&lines), &[]);
    check(&run(&folder, "two", &steps(&reading), &[]));
    // The same in a run that keeps nothing.
    let all = steps(&[&lines[..], &reading[..]].concat());
    check(&run(&folder, "stub", &all, &["--model", "stub:high"]));
}

#[test]
fn no_program_that_comes_out_of_a_store_is_run() {
    let folder = Folder::new();
    for verb in ["execute", "merge", "patch"] {
        let line = format!(r#"R {{"adapter": "memory.{verb}", "target": "p"}}"#);
        folder.write("agent.json", steps(&[&line]));
        let done = folder.run(&["run", "agent.json", "--json"]);
        assert_eq!(ending(&shown(&done)), "missing", "{}", done.stdout);
        assert!(done.stdout.contains("would run a program that comes out of a store"));
    }
    // What is written wrongly is told how it is written.
    folder.write("agent.json", steps(&[r#"R {"adapter": "cache.get", "target": "memo"}"#]));
    let done = folder.run(&["run", "agent.json", "--json"]);
    assert!(done.stdout.contains("`cache.get NAME KEY [DEFAULT]`"), "{}", done.stdout);
}

#[test]
fn policies_and_forks_see_the_verb_of_an_op_as_that_of_a_call() {
    let rules = "rules:\n  - {when: server == 'queue' and tool == 'put', decision: deny_continue, \
                 reason: not now}\ndefault: allow\n";
    for put in [PUT, R_PUT] {
        let folder = Folder::new();
        folder.write("rules.yaml", rules).write("agent.json", steps(&[SET, put]));
        let words = ["run", "agent.json", "--id", "r", "--input", "value=7", "--json"];
        let done = folder.run(&[&words[..], &["--policy", "rules.yaml"]].concat());
        assert_eq!(ending(&shown(&done)), "denied", "{}", done.stdout);
        assert!(done.stdout.contains("`queue.put`: not now"), "{}", done.stdout);
        folder.is_sound("r");
        let state = run(&folder, "count", &steps(&[COUNT, GET]), &[]);
        holds(&state, r#""waiting":0"#);
        holds(&state, r#""found":7"#);
        // A fork writes nothing unless somebody says so.
        run(&folder, "s", &steps(&[put]), &["--input", "value=7"]);
        let forked = folder.run(&["fork", "s@0", "--json"]);
        assert!(forked.stdout.contains("`queue.put` needs `--live`"), "{}", forked.stdout);
    }
}
