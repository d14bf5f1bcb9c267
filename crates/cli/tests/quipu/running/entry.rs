//! Where a run begins: at a label, an endpoint or a cron, and what goes on with it begins there too.

use value::{Value, json};

use crate::documents::at;
use crate::run::{Done, Folder};

/// Each label returns its own id.
fn document() -> String {
    let label = |id: &str| {
        format!(
            r#""{id}": {{"nodes": [
              {{"id": "n1", "op": "Set", "data": {{"op": "Set", "name": "was", "ref": "{id}"}},
                "operands": {{"name": {{"var": "was"}}, "ref": {{"lit": "{id}"}}}}}},
              {{"id": "n2", "op": "J", "data": {{"op": "J", "var": "was"}}}}],
            "edges": [{{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}}]}}"#
        )
    };
    let labels = ["1", "2", "_tick", "Late"].map(label).join(",\n");
    format!(
        r#"{{"labels": {{{labels}}},
        "services": {{"core": {{"eps": {{
          "/users": {{"G": {{"label_id": "1"}}, "POST": {{"label_id": "2"}}}},
          "/orders": {{"DELETE": {{"label_id": "2"}}}}}}}}}},
        "crons": [{{"label": "L_tick", "expr": "*/5 * * * *"}}, {{"label": "2", "expr": ""}}]}}"#
    )
}

fn begun(options: &[&str]) -> Done {
    let folder = Folder::new();
    folder.write("a.json", document());
    folder.run(&[&["run", "a.json", "--json", "--store", "memory"], options].concat())
}

fn result(options: &[&str]) -> String {
    let done = begun(options);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let told = done.json();
    assert_eq!(
        json::compact(at(&told, "path")),
        json::compact(&Value::list([at(&told, "result").clone()]))
    );
    at(&told, "result").as_text().unwrap().to_string()
}

fn refusal(options: &[&str]) -> String {
    let done = begun(options);
    assert_eq!((done.code, &*done.stdout), (2, ""), "{}", done.stderr);
    done.stderr.trim().to_string()
}

#[test]
fn a_run_begins_where_somebody_says() {
    assert_eq!(result(&[]), "1");
    for (written, label) in [
        ("2", "2"),
        ("L2", "2"),
        ("->L2", "2"),
        ("_tick", "_tick"),
        ("L_tick", "_tick"),
        ("Late", "Late"),
    ] {
        assert_eq!(result(&["--label", written]), label, "{written}");
    }
    for (written, label) in [
        ("GET /users", "1"),
        ("g  /users", "1"),
        ("P /users", "2"),
        ("/orders", "2"),
        ("D /orders", "2"),
    ] {
        assert_eq!(result(&["--endpoint", written]), label, "{written}");
    }
    for (written, label) in [("_tick", "_tick"), ("L_tick", "_tick"), ("2", "2"), ("L2", "2")] {
        assert_eq!(result(&["--cron", written]), label, "{written}");
    }
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let is = |options: &[&str], words: &str| {
        assert_eq!(refusal(options), format!("error: `a.json` cannot run: {words}"));
    };
    is(&["--label", "_tock"], "there is no label `_tock`; did you mean `_tick`?");
    is(
        &["--endpoint", "GET /user"],
        "there is no endpoint `GET /user`; did you mean `GET /users`?",
    );
    is(&["--endpoint", "/order"], "there is no endpoint `/order`; did you mean `/orders`?");
    is(
        &["--endpoint", "DELETE /users"],
        "`/users` has no `DELETE`; it has `GET /users`, `POST /users`",
    );
    is(
        &["--endpoint", "/users"],
        "`/users` has several methods; say which: `GET /users`, `POST /users`",
    );
    is(
        &["--endpoint", "GET /users now"],
        "`GET /users now` is no endpoint; say for example `--endpoint \"GET /users\"`",
    );
    is(&["--cron", "1"], "there is no cron `1`; there are `_tick` (*/5 * * * *), `2`");
    let both = begun(&["--label", "1", "--cron", "2"]);
    assert_eq!(both.code, 2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn what_goes_on_with_a_run_begins_where_it_was_begun() {
    let folder = Folder::new();
    folder.write("a.json", document());
    let done = folder.run(&["run", "a.json", "--json", "--id", "chosen", "--endpoint", "P /users"]);
    assert_eq!(at(&done.json(), "result"), &Value::from("2"));
    let replayed = folder.run(&["replay", "chosen", "--json"]);
    assert_eq!(replayed.code, 0, "{}", replayed.stdout);
    let fork = folder.run(&["fork", "chosen@0", "--json"]);
    assert_eq!(at(&fork.json(), "result"), &Value::from("2"), "{}", fork.stderr);
    // The file says nothing of where it was begun, but the run does.
    let other = folder.run(&["replay", "chosen", "--graph", "a.json", "--json"]);
    assert_eq!(other.code, 0, "{}", other.stdout);
    folder.run(&["run", "a.json", "--json", "--id", "usual"]);
    folder.write(
        "b.json",
        document().replacen("\"labels\"", "\"runtime_policy\": {\"entry\": \"2\"}, \"labels\"", 1),
    );
    let usual = folder.run(&["replay", "usual", "--graph", "b.json", "--json"]);
    assert_eq!(usual.code, 1, "nobody chose its label: {}", usual.stdout);
    let lacking = document().replace("\"2\"", "\"3\"");
    let lacking =
        folder.write("c.json", lacking).run(&["replay", "chosen", "--graph", "c.json", "--json"]);
    assert_eq!(lacking.code, 1);
    let note = "note: the run was begun at label `2` (endpoint P /users), which the graph lacks";
    assert!(lacking.stderr.contains(note), "{}", lacking.stderr);
}

#[test]
fn another_graph_is_read_with_the_configuration_that_is_named() {
    let folder = Folder::new();
    folder.write("a.json", document());
    assert_eq!(folder.run(&["run", "a.json", "--json", "--id", "r"]).code, 0);
    let names = "[contracts]\nfiles = [\"wrong.json\"]\n";
    folder.write("other.toml", names).write("wrong.json", r#"{"a.B": {"effect_tier": "often"}}"#);
    let fork = ["fork", "r@0", "--no-run", "--graph", "a.json", "--json"];
    let with = |more: &[&str]| folder.run(&[&fork[..], more].concat());
    assert_eq!(with(&[]).code, 0);
    let done = with(&["--config", "other.toml"]);
    assert!(done.code == 1 && done.stderr.contains("wrong.json"), "{}{}", done.code, done.stderr);
    folder.write("quipu.toml", names);
    assert_eq!(with(&[]).code, 1);
    let done = with(&["--no-config"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

#[test]
fn a_fork_that_begins_elsewhere_is_held_against_the_rules_from_there() {
    let folder = Folder::new();
    let program =
        |second: &str| format!("La:\n  Set x 1\n  J x\n\nLb:\n  Set x 2\n{second}  J x\n");
    folder
        .write("a.ainl", program(""))
        .write("b.ainl", program("  QueuePut orders x\n"))
        .write("policy.yaml", "deny:\n  - {adapters: queue, from: {entry: b}}\n");
    for (label, code) in [("a", 0), ("b", 1)] {
        let words = ["run", "a.ainl", "--json", "--id", label, "--label", label];
        let done = folder.run(&[&words[..], &["--policy", "policy.yaml"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let at = format!("{label}@0");
        let fork = folder.run(&["fork", &at, "--no-run", "--graph", "b.ainl", "--json"]);
        assert_eq!(fork.code, code, "{label} {}{}", fork.stdout, fork.stderr);
        assert_eq!(fork.stderr.contains("P101"), code == 1, "{}", fork.stderr);
    }
}
