//! `Tx begin`, `commit` and `rollback` on a database.

use super::sqlite::{CONFIG, names, people, statement};
use super::*;

const TXN: &str = r#"{"txn": {"t": {"adapter": "sqlite", "mode": "readwrite"},
    "d": {"adapter": "db", "mode": "readwrite"}}}"#;

fn tx(action: &str) -> String {
    format!(r#"{{"action": "{action}", "name": "t"}}"#)
}

fn insert(name: &str) -> String {
    statement("EXECUTE", "insert into people (name) values (?)", &format!(r#"["{name}"]"#))
}

fn write(folder: &Folder, steps: &[(&str, &str)]) {
    folder.write("agent.json", agent_with(steps, TXN));
}

#[test]
fn what_is_rolled_back_was_never_there_and_what_is_committed_stays() {
    let folder = people();
    let (begin, bob, eve) = (tx("begin"), insert("Bob"), insert("Eve"));
    let count = statement("QUERY", "select count(*) as n from people", "[]");
    let (commit, rollback) = (tx("commit"), tx("rollback"));
    write(&folder, &[("Tx", &begin), ("R", &bob), ("R", &count), ("Tx", &rollback), END]);
    // Within the transaction it was there.
    assert_eq!(result(&folder.ends("done", &[])), r#"[{"n":2}]"#);
    assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#);
    let id = ("J", r#"{"var": "$_txid"}"#);
    write(&folder, &[("Tx", &begin), ("R", &eve), ("Tx", &commit), id]);
    let shown = folder.ends("done", &["--id", "r"]);
    assert!(text(&shown, "result").starts_with("tx-"), "the id stays: {shown:?}");
    assert_eq!(names(&folder), r#"[{"name":"Ada"},{"name":"Eve"}]"#);
    folder.is_sound("r");
}

#[test]
fn a_run_that_fails_in_a_transaction_leaves_nothing() {
    let folder = people();
    let (begin, bob) = (tx("begin"), insert("Bob"));
    let fail = r#"{"adapter": "core.FAIL", "target": "boom"}"#;
    write(&folder, &[("Tx", &begin), ("R", &bob), ("R", fail)]);
    folder.ends("boom", &[]);
    assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#);
}

#[test]
fn a_statement_that_fails_in_a_transaction_takes_nothing_else_with_it() {
    let folder = people();
    let rows = "insert or fail into people values (7, 'Eve'), (1, 'Eve')";
    let (begin, bob, commit) = (tx("begin"), insert("Bob"), tx("commit"));
    let bad = statement("EXECUTE", rows, "[]");
    let node = |id: u32, op: &str, data: &str| {
        format!(r#"{{"id": "n{id}", "op": "{op}", "data": {data}}}"#)
    };
    let nodes = [
        node(1, "Tx", &begin),
        node(2, "R", &bob),
        node(3, "R", &bad),
        node(4, "Err", r#"{"handler": "end"}"#),
    ];
    let edges = "n1-next-n2 n2-next-n3 n3-err-n4 n4-handler->end";
    let end = node(1, "Tx", &commit);
    let document = graph(&[("start", &nodes.join(", "), edges), ("end", &end, "")]);
    let document = document.replacen('{', &format!(r#"{{"capabilities": {TXN},"#), 1);
    folder.write("agent.json", document);
    folder.ends("done", &[]);
    assert_eq!(names(&folder), r#"[{"name":"Ada"},{"name":"Bob"}]"#);
}

/// While a person is asked nobody holds the transaction: what comes after it must not happen
/// outside of it.
#[test]
fn a_transaction_whose_process_has_ended_is_gone_and_says_so() {
    let (begin, bob, commit) = (tx("begin"), insert("Bob"), tx("commit"));
    let ask = ("Ask", r#"{"prompt": "Go on?", "options": ["yes"], "out": "said"}"#);
    let (eve, rollback) = (insert("Eve"), tx("rollback"));
    for (last, end) in
        [(("R", &*eve), "tool"), (("Tx", &*commit), "tool"), (("Tx", &*rollback), "done")]
    {
        let folder = people();
        write(&folder, &[("Tx", &begin), ("R", &bob), ask, last]);
        let done = folder.run(&["run", "agent.json", "--id", "r", "--answers", "ask"]);
        assert_eq!(done.code, 3, "{}{}", done.stdout, done.stderr);
        folder.say("yes");
        let document = shown(&folder.run(&["resume", "r", "--json"]));
        assert_eq!(ending(&document), end);
        if end != "done" {
            assert!(why(&document).contains("is gone: the process that held it has ended"));
        }
        assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#);
        folder.is_sound("r");
    }
}

#[test]
fn an_end_needs_a_beginning_and_a_beginning_an_end() {
    let folder = people();
    let (begin, commit) = (tx("begin"), tx("commit"));
    write(&folder, &[("Tx", &commit)]);
    assert!(why(&folder.ends("failed", &[])).contains("no transaction is open"));
    write(&folder, &[("Tx", &begin), ("Tx", &begin)]);
    assert!(why(&folder.ends("failed", &[])).contains("commit it or roll it back"));
    write(&folder, &[("Tx", r#"{"action": "begin", "name": "none"}"#)]);
    assert!(why(&folder.ends("missing", &[])).contains("there is no transaction `none`"));
}

#[test]
fn only_sqlite_has_transactions_and_a_stub_rehearses_them_all() {
    let folder = people();
    let other = |action: &str| format!(r#"{{"action": "{action}", "name": "d"}}"#);
    let (begin, commit) = (other("begin"), other("commit"));
    write(&folder, &[("Tx", &begin), ("Tx", &commit)]);
    for config in [CONFIG, ""] {
        folder.write("quipu.toml", config);
        let shown = folder.ends("missing", &[]);
        assert!(why(&shown).contains("it is about `db`, and only `sqlite`"), "{}", why(&shown));
    }
    folder.ends("done", &["--model", "stub:high"]);
}

#[test]
fn a_fork_begins_nothing_unless_it_is_live() {
    let folder = people();
    let (begin, bob, commit) = (tx("begin"), insert("Bob"), tx("commit"));
    write(&folder, &[("Tx", &begin), ("R", &bob), ("Tx", &commit)]);
    folder.ends("done", &["--id", "r"]);
    let document = shown(&folder.run(&["fork", "r@1", "--id", "f", "--json"]));
    assert_eq!(ending(&document), "denied");
    let document = shown(&folder.run(&["fork", "r@1", "--id", "g", "--live", "--json"]));
    assert_eq!(ending(&document), "done");
    assert_eq!(names(&folder), r#"[{"name":"Ada"},{"name":"Bob"},{"name":"Bob"}]"#);
}
