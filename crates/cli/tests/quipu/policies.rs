//! Policies before anything runs: graphs of several formats are held against one file.

use value::{Value, json};

use crate::run::{Done, Folder};

/// A shop with a request, a cron, and a label that both come to.
const SHOP: &str = r#"{
  "crons": [{"label": "Lnightly", "expr": "0 4 * * *"}],
  "services": {"core": {"eps": {"/buy": {"P": {"label_id": "buy"}}, "/list": {"GET": {"label_id": "list"}}}}},
  "capabilities": {"queue": {"orders": {"maxSize": "100"}},
    "policy": {"known": {"constraints": {"auth": "true"}}}},
  "labels": {
    "buy": {
      "nodes": [
        {"id": "n1", "op": "Enf", "data": {"policy": "known"}},
        {"id": "n2", "op": "Call", "data": {"label": "put", "out": "done"}},
        {"id": "n3", "op": "J", "data": {"var": "$done"}}],
      "edges": [
        {"from": "n1", "to": "n2", "to_kind": "node", "port": "next"},
        {"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}]
    },
    "list": {
      "nodes": [
        {"id": "n1", "op": "Call", "data": {"label": "door", "out": "ok"}},
        {"id": "n2", "op": "R", "data": {"adapter": "db.F", "target": "Order", "out": "orders"}},
        {"id": "n3", "op": "J", "data": {"var": "$orders"}}],
      "edges": [
        {"from": "n1", "to": "n2", "to_kind": "node", "port": "next"},
        {"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}]
    },
    "door": {
      "nodes": [
        {"id": "n1", "op": "Enf", "data": {"policy": "known"}},
        {"id": "n2", "op": "J", "data": {"var": "in"}}],
      "edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]
    },
    "nightly": {
      "nodes": [
        {"id": "n1", "op": "R", "data": {"adapter": "Http.Get", "target": "https://a.example", "out": "page"}},
        {"id": "n2", "op": "Err", "data": {"handler": "put"}},
        {"id": "n3", "op": "J", "data": {"var": "$page"}}],
      "edges": [
        {"from": "n1", "to": "n2", "to_kind": "node", "port": "err"},
        {"from": "n2", "to": "put", "to_kind": "label", "port": "handler"},
        {"from": "n1", "to": "n3", "to_kind": "node", "port": "next"}]
    },
    "put": {
      "nodes": [
        {"id": "n1", "op": "QueuePut", "data": {"queue": "orders", "value": "one"}},
        {"id": "n2", "op": "J", "data": {"var": "queued"}}],
      "edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]
    }
  }
}"#;

/// Two agents, one of which may want a tool; a store that is written; a step that calls a tool.
const DESK: &str = "name: desk
version: \"1.0\"
entry_point: think
entities:
  - {id: clerk, label: clerk, type: agent, model: gpt-4o, system_prompt: You help., tools: [mail]}
  - {id: mail, label: mail, type: tool, tool_type: function}
  - {id: notes, label: notes, type: store, store_type: kv}
processes:
  - {id: think, label: think, type: step, description: it thinks}
  - {id: keep, label: keep, type: step, description: it is kept}
edges:
  - {type: invoke, from: think, to: clerk}
  - {type: flow, from: think, to: keep}
  - {type: write, from: keep, to: notes}
";

fn checked(file: &str, text: &str, policy: &str) -> Done {
    let folder = Folder::new();
    folder.write(file, text).write("policy.yaml", policy);
    folder.run(&["check", file, "--policy", "policy.yaml", "--json"])
}

/// The findings about a policy, each as its code, what it says and the way to it.
fn findings(done: &Done) -> Vec<String> {
    let document = done.json();
    let files = document.get("files").and_then(Value::as_list).unwrap();
    let all = files.iter().flat_map(|file| file.get("diagnostics").unwrap().as_list().unwrap());
    let said = all.filter_map(|found| {
        let text = |name: &str| found.get(name).and_then(Value::as_text).unwrap().to_string();
        let path = found.get("path").and_then(Value::as_list).unwrap();
        let path: Vec<&str> = path.iter().map(|step| &**step.as_text().unwrap()).collect();
        let line = format!("{} {} [{}]", text("code"), text("message"), path.join(" "));
        line.starts_with('P').then_some(line)
    });
    said.collect()
}

#[test]
fn what_is_forbidden_is_found_with_the_way_to_it() {
    for (policy, expected) in [
        (
            "deny:\n  - adapters: http.*\n    reason: no network in this workspace\n",
            vec![
                "P101 `nightly/n1` calls `Http.Get`: forbidden by `deny` rule 1 of policy.yaml: \
                 no network in this workspace [nightly/n1]",
            ],
        ),
        (
            "deny:\n  - adapters: queue.Put\n    from: {cron: \"*\"}\n",
            vec![
                "P101 `put/n1` calls `queue.PUT`, and the cron `0 4 * * *` of `nightly` leads \
                 there: forbidden by `deny` rule 1 of policy.yaml [nightly/n1 put/n1]",
            ],
        ),
        (
            "deny:\n  - {adapters: queue.Put, from: {endpoint: 'GET *'}}\n  \
             - {tiers: io-write, from: {endpoint: 'POST /b*'}, labels: p*}\n",
            vec![
                "P101 `put/n1` calls `queue.PUT`, and the endpoint `POST /buy` leads there: \
                 forbidden by `deny` rule 2 of policy.yaml [buy/n1 buy/n2 put/n1]",
            ],
        ),
        ("deny: [\"*.delete\", pay]\n", vec![]),
        (
            "deny:\n  - capabilities: queue.*\nrequire:\n  - capabilities: [policy.known, auth]\n",
            vec![
                "P106 `auth` is not declared, as wanted by `require` rule 1 of policy.yaml []",
                "P101 `queue.orders` is declared: forbidden by `deny` rule 1 of policy.yaml []",
            ],
        ),
        (
            "allow: [queue, {adapters: db.F, labels: list}]\n",
            vec![
                "P102 `nightly/n1` calls `Http.Get`, which no `allow` rule of policy.yaml allows \
                 [nightly/n1]",
            ],
        ),
        ("deny:\n  - {endpoints: '*', without: auth}\n", vec![]),
        (
            "deny: [http]\nallow: [queue, db]\n",
            vec![
                "P101 `nightly/n1` calls `Http.Get`: forbidden by `deny` rule 1 of policy.yaml \
                 [nightly/n1]",
            ],
        ),
        (
            "ask:\n  - adapters: queue\n",
            vec![
                "P104 `put/n1` calls `queue.PUT`, and no `Ask` comes before, as wanted by \
                 `ask` rule 1 of policy.yaml [nightly/n1 put/n1]",
            ],
        ),
    ] {
        let done = checked("shop.json", SHOP, policy);
        let mut found = findings(&done);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{policy}\n{}", done.stderr);
        let is_wrong = expected.iter().any(|line| !line.starts_with("P104"));
        assert_eq!(done.code, i32::from(is_wrong), "{policy}\n{}", done.stdout);
    }
}

#[test]
fn a_handler_of_the_check_itself_serves_anybody() {
    let policy = "deny:\n  - {endpoints: /list, without: auth}\n";
    let handled = SHOP
        .replace(
            r#"{"id": "n2", "op": "J", "data": {"var": "in"}}"#,
            r#"{"id": "n2", "op": "J", "data": {"var": "in"}},
               {"id": "n3", "op": "Err", "data": {"handler": "put"}}"#,
        )
        .replace(
            r#"[{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}]
    },
    "nightly""#,
            r#"[{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"},
                {"from": "n1", "to": "n3", "to_kind": "node", "port": "err"},
                {"from": "n3", "to": "put", "to_kind": "label", "port": "handler"}]
    },
    "nightly""#,
        );
    let expected = "P103 the endpoint `GET /list` comes to `list/n2` whoever is calling: forbidden \
                    by `deny` rule 1 of policy.yaml [list/n1 list/n2]";
    assert_eq!(findings(&checked("shop.json", &handled, policy)), [expected]);
    let open = SHOP.replace(r#"{"auth": "true"}"#, r#"{"auth": "false"}"#);
    assert_eq!(findings(&checked("shop.json", &open, policy)), [expected]);
    let declared = open.replace(
        r#""capabilities": {"#,
        r#""capabilities": {"auth": {"kind": "jwt", "arg": "Authorization"}, "#,
    );
    assert_eq!(findings(&checked("shop.json", &declared, policy)), [""; 0]);
}

#[test]
fn the_same_rules_hold_for_agents_tools_and_stores_of_a_spec() {
    let said = |policy: &str| findings(&checked("desk.yaml", DESK, policy));
    let mail = said("deny: [tool.mail]\n");
    assert_eq!(
        mail,
        [
            "P101 the agent `clerk` of `think/n1` may call `tool.mail`: forbidden by `deny` rule 1 of \
          policy.yaml [think/n1]"
        ]
    );
    let models = said("deny:\n  - {touches: model, from: {entry: think}}\n");
    assert_eq!(models.len(), 1, "{models:?}");
    assert!(models[0].contains("calls `agent.clerk`, and the entry `think` leads there"));
    let stores = said("deny: [store.write]\n");
    assert_eq!(stores.len(), 1, "{stores:?}");
    assert!(stores[0].ends_with("[think/n1 keep/n1]"), "{stores:?}");
    let allowed = said("allow: [agent.clerk, tool.mail, store]\n");
    assert_eq!(allowed, [""; 0]);
    // Runs ask about tools, and not about models.
    let asked = said("ask: [tool.mail, agent.clerk]\n");
    let codes: Vec<&str> = asked.iter().map(|line| &line[..4]).collect();
    assert_eq!(codes, ["P104", "P105"], "{asked:?}");
}

/// Two labels; a model is asked in the second one.
const TWO: &str = "La:\n  Set x 1\n  J x\n\nLb:\n  Set question $question\n  \
                   R llm.COMPLETION question ->text\n  J text\n";

#[test]
fn a_run_that_is_told_nothing_begins_somewhere_too() {
    let policy = "deny:\n  - {adapters: llm.*, from: {entry: \"*\"}}\n";
    let only = &TWO[TWO.find("Lb:").unwrap()..];
    let expected = "P101 `b/n2` calls `llm.COMPLETION`, and the entry `b` leads there: forbidden by \
                    `deny` rule 1 of policy.yaml [b/n1 b/n2]";
    assert_eq!(findings(&checked("b.ainl", only, policy)), [expected]);
    // Requests come before the first label.
    let requested = format!("E /ask GET ->Lb ->text\n\n{TWO}");
    assert_eq!(findings(&checked("b.ainl", &requested, policy)), [expected]);
    assert_eq!(findings(&checked("b.ainl", TWO, policy)), [""; 0]);
}

#[test]
fn a_run_that_begins_elsewhere_is_held_against_the_rules_from_there() {
    let denied = "deny:\n  - {adapters: llm, from: {entry: b}}\n";
    let crons =
        format!("Cr ->Lb \"0 4 * * *\"\nE /ask GET ->Lb ->text\nE /a GET ->La ->x\n\n{TWO}");
    let folder = Folder::new();
    folder
        .write("two.ainl", TWO)
        .write("crons.ainl", crons)
        .write("policy.yaml", denied)
        .write("none.yaml", "deny: [nothing.*]\n")
        .write("tests.yaml", "- {call: {tool: x}, expect: allow}\n");
    let run = |words: &[&str]| {
        let usual = ["--model", "stub:low", "--input", "question=why", "--json"];
        folder.run(&[&["run"], words, &usual].concat())
    };
    let refused = |done: Done, place: &str| {
        assert_eq!(done.code, 1, "{}{}", done.stdout, done.stderr);
        let found = done.json().get("diagnostics").and_then(Value::as_list).unwrap().to_vec();
        let text = json::compact(&Value::list(found));
        assert!(text.contains("the entry `b` leads there"), "{text}");
        assert!(done.stderr.contains(place), "{}", done.stderr);
    };
    let policy = ["--policy", "policy.yaml"];
    let at_b = [&["two.ainl", "--label", "b"][..], &policy].concat();
    refused(run(&at_b), "--> two.ainl:7:");
    assert!(!folder.path().join(".quipu").exists(), "nothing has begun");
    let at_a = [&["two.ainl"][..], &policy].concat();
    assert_eq!(run(&at_a).code, 0);
    for choice in [["--cron", "b"], ["--endpoint", "GET /ask"]] {
        let words = [&["crons.ainl"][..], &choice, &policy].concat();
        refused(run(&words), "--> crons.ainl:");
    }
    // The same holds where it is in force; standard input is read once.
    let proposed =
        folder.run(&["policy", "propose", "policy.yaml", "--tests", "tests.yaml", "--json"]);
    let name = proposed.json().get("policy").and_then(Value::as_text).unwrap().to_string();
    let done = folder.run(&["policy", "activate", &name, "--actor", "ada"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    refused(run(&["two.ainl", "--label", "b"]), "--> two.ainl:7:");
    let words = ["run", "-", "--from", "ainl", "--label", "b", "--input", "question=why", "--json"];
    refused(folder.run_with(&words, TWO), ":7:");
    assert_eq!(run(&["two.ainl", "--label", "a"]).code, 0);
    // Who tries another policy, tries that one.
    assert_eq!(run(&["two.ainl", "--label", "b", "--policy", "none.yaml"]).code, 0);
}

#[test]
fn transactions_go_by_what_they_do() {
    let program = "Txn t sqlite readwrite\n\nLa:\n  Tx begin t\n  Tx commit t\n  Set x 1\n  J x\n";
    let said = |policy: &str| findings(&checked("a.ainl", program, policy));
    let begins = said("deny: [txn.begin]\n");
    let expected =
        "P101 `a/n1` calls `txn.BEGIN`: forbidden by `deny` rule 1 of policy.yaml [a/n1]";
    assert_eq!(begins, [expected]);
    // Of all of them, there is one word.
    assert_eq!(said("deny: [txn.RUN]\n").len(), 2);
    assert_eq!(said("allow: [txn.RUN]\n"), [""; 0]);
    let folder = Folder::new();
    folder
        .write("a.ainl", program)
        .write(
            "quipu.toml",
            "[adapters.sqlite]\npath = \"a.db\"\nallow = [\"query\", \"execute\"]\n",
        )
        .write("policy.yaml", "allow: [txn.BEGIN, txn.COMMIT]\n");
    let run = || folder.run(&["run", "a.ainl", "--policy", "policy.yaml", "--json"]);
    let done = run();
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    folder.write("policy.yaml", "allow: [txn.run]\n");
    let done = run();
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
}

#[test]
fn what_a_run_asks_about_by_itself_is_no_error() {
    let asked = |steps: &str, policy: &str| {
        let program = format!(
            "C totals day 3600\nQ orders 10 1\nTxn t sqlite readwrite\n\nLa:\n  Set x \"1\"\n  {steps}\n  J x\n"
        );
        let folder = Folder::new();
        folder
            .write("a.ainl", program)
            .write(
                "quipu.toml",
                "[adapters.sqlite]\npath = \"a.db\"\nallow = [\"query\", \"execute\"]\n",
            )
            .write("policy.yaml", policy);
        let checked = folder.run(&["check", "a.ainl", "--policy", "policy.yaml", "--json"]);
        let codes: Vec<String> = findings(&checked).iter().map(|line| line[..4].into()).collect();
        let words = ["run", "a.ainl", "--policy", "policy.yaml", "--json"];
        (codes.join(" "), folder.run(&words).code)
    };
    for (steps, policy) in [
        ("QueuePut orders x", "ask: [queue]\n"),
        ("R queue.Put orders x ->y", "ask: [queue]\n"),
        ("CacheSet totals \"k\" x 60", "ask: [cache.set]\n"),
        ("CacheGet totals \"k\" ->y", "ask: [cache.get]\n"),
        ("R cache.get totals \"k\" ->y", "ask: [cache.get]\n"),
        ("R memory.put notes \"k\" \"a\" x ->y", "ask: [memory]\n"),
        ("Tx begin t", "ask: [txn]\n"),
    ] {
        // It waits for whoever must agree.
        assert_eq!(asked(steps, policy), ("P104".to_owned(), 3), "{steps}");
    }
    // Models are not asked about, however they are called.
    assert_eq!(asked("R llm.COMPLETION x ->y", "ask: [llm]\n"), ("P105".to_owned(), 1));
}

#[test]
fn labels_are_known_whatever_they_and_their_nodes_are_called() {
    let document = r#"{"labels": {"a": {
        "nodes": [{"id": "b/n1", "op": "QueuePut", "data": {"queue": "orders", "value": "one"}},
          {"id": "n2", "op": "J", "data": {"var": "queued"}}],
        "edges": [{"from": "b/n1", "to": "n2", "to_kind": "node", "port": "next"}]}}}"#;
    let included = "LENTRY:\n  QueuePut orders \"one\"\n  J 1\n";
    let program = "include lib.ainl as lib\nQ orders 10 1\n\nLa:\n  Call lib/ENTRY ->x\n  J x\n";
    for (file, label, other) in [("a.json", "a", "a/b"), ("a.ainl", "lib/ENTRY", "lib")] {
        let folder = Folder::new();
        folder.write("a.json", document).write("a.ainl", program).write("lib.ainl", included);
        let run = |label: &str| {
            let policy = format!("ask:\n  - {{adapters: queue, labels: {label}}}\n");
            folder.write("policy.yaml", policy);
            folder.run(&["run", file, "--policy", "policy.yaml", "--json"])
        };
        let done = run(label);
        assert_eq!(done.code, 3, "{file} {}{}", done.stdout, done.stderr);
        let done = run(other);
        assert_eq!(done.code, 0, "{file} {}{}", done.stdout, done.stderr);
    }
}

#[test]
fn an_ask_before_it_is_enough() {
    let nodes = |ask: &str| {
        format!(
            r#"{{"labels": {{"a": {{
              "nodes": [{{"id": "n1", "op": "Ask", "data": {{"prompt": "Pay?", "out": "yes"{ask}}}}},
                {{"id": "n2", "op": "R", "data": {{"adapter": "pay.SEND", "target": "$yes", "out": "x"}}}},
                {{"id": "n3", "op": "J", "data": {{"var": "$x"}}}}],
              "edges": [{{"from": "n1", "to": "n2", "to_kind": "node", "port": "next"}},
                {{"from": "n2", "to": "n3", "to_kind": "node", "port": "next"}}]}}}}}}"#
        )
    };
    let policy = "ask:\n  - {adapters: pay, capability: approve.pay}\n";
    let with = nodes(r#", "capability": "approve.pay""#);
    assert_eq!(findings(&checked("a.json", &with, policy)), [""; 0]);
    let found = findings(&checked("a.json", &nodes(""), policy));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("P104 `a/n2` calls `pay.SEND`, and no `Ask` of `approve.pay` comes")
    );
    // Whoever does not answer in time has not agreed.
    let late = with.replace(
        r#""edges": ["#,
        r#""edges": [{"from": "n1", "to": "n2", "to_kind": "node", "port": "expired"},"#,
    );
    assert_eq!(findings(&checked("a.json", &late, policy)).len(), 1);
}

#[test]
fn a_workspace_has_policies_for_check_and_compile() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    folder
        .write("sub/shop.json", SHOP)
        .write("shop.json", SHOP)
        .write("sub/quipu.toml", "[policy]\nfiles = [\"rules.yaml\"]\n[tools.x]\nbroken = 1\n")
        .write("sub/rules.yaml", "deny: [http]\n");
    let done = folder.run(&["check", "sub/shop.json", "shop.json", "--json"]);
    let found = findings(&done);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("rule 1 of sub/rules.yaml"), "{found:?}");
    assert_eq!(done.code, 1);
    let compiled = folder.run(&["compile", "sub/shop.json"]);
    let errors = json::compact(compiled.json().get("errors").unwrap());
    assert!(compiled.code == 1 && errors.contains("P101"), "{errors}");
    // One that cannot be read must not pass for one that allows everything.
    folder.write("sub/rules.yaml", "denny: [http]\n");
    let done = folder.run(&["check", "sub/shop.json", "--json"]);
    let document = done.json();
    assert_eq!((done.code, document.get("ok")), (1, Some(&Value::Bool(false))));
    let policies = document.get("policies").and_then(Value::as_list).unwrap();
    assert!(json::compact(&policies[0]).contains("P110"), "{policies:?}");
    let compiled = folder.run(&["compile", "sub/shop.json"]);
    assert!(json::compact(compiled.json().get("errors").unwrap()).contains("P110"));
    std::fs::remove_file(folder.path().join("sub/rules.yaml")).unwrap();
    let done = folder.run(&["check", "sub/shop.json"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    folder.write("sub/quipu.toml", "[policy]\nfile = [\"rules.yaml\"]\n");
    let done = folder.run(&["check", "sub/shop.json"]);
    assert!(done.code == 2 && done.stderr.contains("did you mean `files`?"), "{}", done.stderr);
}

#[test]
fn any_policy_text_gives_findings() {
    for policy in [
        "",
        "[]",
        "deny",
        "deny: x",
        "deny: [1]",
        "deny: [[]]",
        "deny: [{}]",
        "deny: [{from: 1}]",
        "deny: [{from: {}}]",
        "deny: [{from: {moon: x}}]",
        "deny: [{adapters: []}]",
        "deny: [{adapters: [1]}]",
        "deny: [{without: auth}]",
        "deny: [{endpoints: x, without: 1}]",
        "deny: [{endpoints: x, adapters: y}]",
        "allow: [{adapters: x, from: {cron: x}}]",
        "require: [x]",
        "require: [{adapters: x}]",
        "ask: [{adapters: x, expires_s: 0}]",
        "ask: [{adapters: x, capability: ''}]",
        "rules: []",
        "default: maybe",
        "deny: [\u{0}]",
        "deny: [{kinds: htt}]",
        "deny: [{touches: [read, wrote]}]",
        "deny: [{abort: 1, labels: x}]",
    ] {
        let done = checked("shop.json", SHOP, policy);
        let document = done.json();
        assert_eq!((done.code, document.get("ok")), (1, Some(&Value::Bool(false))), "{policy}");
        let policies = document.get("policies").and_then(Value::as_list).unwrap();
        let found = policies[0].get("diagnostics").and_then(Value::as_list).unwrap();
        assert!(!found.is_empty(), "{policy}");
    }
}
