//! Ways in through `R namespace.VERB`: a request that is led inside, a path that leads out, a
//! statement that reaches further than its database, a variable that nobody listed.

use super::*;
use crate::running::adapters::{END, Server, agent, agent_with, called, why};
use crate::running::shown;

/// Runs a graph of one call, which must end like this.
fn ends(folder: &Folder, how: &str, data: &str) -> String {
    folder.write("agent.json", agent(&[("R", data), END]));
    why(&folder.ends(how, &[])).to_owned()
}

#[test]
fn no_url_leads_inside() {
    let inside = Server::new("200 OK\r\n", "secret");
    let to_inside = format!("302 Found\r\nLocation: http://127.0.0.1:{}/\r\n", inside.port);
    let listed = Server::new(to_inside, "");
    let folder = Folder::new();
    let allow = format!(r#"["127.0.0.1:{}", "localhost", "example.com"]"#, listed.port);
    folder.write("quipu.toml", format!("[adapters.http]\nallow = {allow}\n"));
    // A redirect is judged as a URL is.
    let url = format!("\"http://127.0.0.1:{}/\"", listed.port);
    assert!(ends(&folder, "tool", &called("http.GET", &url, "[]")).contains("is not listed"));
    assert_eq!(listed.heard().len(), 1);
    let (port, listed) = (inside.port, listed.port);
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://0x7f000001:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://example.com@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{listed}@127.0.0.1:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://example.com:25/".to_owned(),
    ] {
        ends(&folder, "denied", &called("http.GET", &format!("\"{url}\""), "[]"));
    }
    // A name alone may only have public addresses.
    let local = called("http.GET", &format!("\"http://localhost:{port}/\""), "[]");
    assert!(
        ends(&folder, "tool", &local).contains(&format!("list `localhost:{port}` under `allow`"))
    );
    assert_eq!(inside.heard(), [""; 0]);
}

#[test]
fn no_path_leads_out() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::os::unix::fs::symlink("..", folder.path().join("data/up")).unwrap();
    let rights = "['read', 'list', 'write', 'delete']";
    folder
        .write("secret", "s3cret")
        .write("quipu.toml", format!("[adapters.fs]\nroot = './data'\nallow = {rights}\n"));
    let absolute = folder.path().join("secret").display().to_string();
    for path in ["../secret", "up/secret", "x/../../secret", "./../secret", &absolute] {
        for verb in ["fs.READ", "fs.LIST", "fs.WRITE", "fs.DELETE"] {
            let path = value::json::compact(&value::Value::text(path));
            ends(&folder, "tool", &called(verb, &path, r#"["changed"]"#));
        }
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("secret")).unwrap(), "s3cret");
    // Whoever could write this file could have anything run.
    folder.write("quipu.toml", "[adapters.fs]\nroot = '.'\nallow = ['delete']\n");
    let done = folder.run(&["run", "agent.json"]);
    assert!(done.stderr.contains("this folder holds quipu.toml"), "{}", done.stderr);
}

#[test]
fn no_statement_reaches_beyond_its_database() {
    let folder = Folder::new();
    let config = "[adapters.sqlite]\npath = './app.db'\nallow = ['query', 'execute']\n";
    folder.write("quipu.toml", config);
    let statement = |verb: &str, sql: &str| {
        called(&format!("sqlite.{verb}"), &value::json::compact(&value::Value::text(sql)), "[]")
    };
    let make = statement("EXECUTE", "create table t (a)");
    folder.write("agent.json", agent(&[("R", &make), END]));
    folder.ends("done", &[]);
    for (verb, how, sql) in [
        ("QUERY", "denied", "delete from t"),
        ("QUERY", "denied", "with x as (select 1) insert into t select * from x"),
        ("QUERY", "denied", "create table u (a)"),
        ("QUERY", "denied", "attach 'other.db' as o"),
        ("EXECUTE", "denied", "attach 'other.db' as o"),
        ("EXECUTE", "tool", "vacuum into 'other.db'"),
        ("EXECUTE", "denied", "pragma journal_mode = off"),
        ("EXECUTE", "denied", "pragma writable_schema = 1"),
        ("EXECUTE", "denied", "begin"),
        ("EXECUTE", "denied", "savepoint s"),
        ("EXECUTE", "tool", "select load_extension('x.so')"),
        ("EXECUTE", "tool", "insert into t values (1); drop table t"),
        ("QUERY", "tool", "select 1; select 2"),
        ("QUERY", "tool", "select * from o.t"),
    ] {
        let told = ends(&folder, how, &statement(verb, sql));
        assert!(!told.is_empty(), "{sql}");
    }
    // Nor does one end a transaction that the run is in.
    let txn = r#"{"txn": {"t": {"adapter": "sqlite"}}}"#;
    let steps =
        [("Tx", r#"{"action": "begin", "name": "t"}"#), ("R", &statement("EXECUTE", "commit"))];
    folder.write("agent.json", agent_with(&steps, txn));
    folder.ends("denied", &[]);
    assert!(!folder.path().join("other.db").exists());
    // Its own past is out of reach, by whatever name.
    std::os::unix::fs::symlink(".quipu/quipu.db", folder.path().join("link.db")).unwrap();
    for path in ["./.quipu/quipu.db", "./link.db"] {
        folder.write("quipu.toml", config.replace("./app.db", path));
        for verb in ["QUERY", "EXECUTE"] {
            let told = ends(&folder, "denied", &statement(verb, "select * from sqlite_master"));
            assert!(told.contains("is a store of Quipu"), "{told}");
        }
    }
    assert_eq!(folder.run(&["verify"]).code, 0);
}

#[test]
fn no_variable_is_read_that_nobody_listed() {
    const CANARY: &str = "canary-of-a-variable-8861";
    let folder = Folder::new();
    folder.write("agent.json", agent(&[("R", &called("core.ENV", "\"SECRET_TOKEN\"", "[]")), END]));
    for config in ["", "[adapters.env]\nallow = ['HOME_REGION']\n"] {
        folder.write("quipu.toml", config);
        let variables = [("SECRET_TOKEN", CANARY), ("HOME_REGION", "eu")];
        let done = folder.run_knowing(&variables, &["run", "agent.json", "--json"]);
        let document = shown(&done);
        assert_eq!(crate::running::ending(&document), "denied");
        assert!(why(&document).contains("\"SECRET_TOKEN\"]"), "{}", why(&document));
        assert!(!done.stdout.contains(CANARY) && !done.stderr.contains(CANARY));
    }
    assert_eq!(folder.holds(CANARY, &[]), None);
}
