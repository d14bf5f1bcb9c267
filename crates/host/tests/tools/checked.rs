//! The border around every tool: what holds for it, and what does not pass.

use std::sync::Arc;

use diagnostics::Source;
use expect_test::expect;
use frontends::{Format, Ontology};
use graph::{Again, Touches};
use host::models::Absent;
use host::{Adapter, Registry, Unbound};
use runtime::{Money, Plan, Replay};
use value::json;

use crate::scratch::{Scratch, answer, call_of, folded, wrapped};

/// The plan of a graph that calls the tool `t`, of which it declares this.
fn plan(declared: &str, schemas: &str) -> Plan {
    let text = format!(
        r#"{{"graph_schema_version": "1.0+quipu", "labels": {{"main": {{"nodes": [
            {{"id": "n1", "op": "R", "data": {{"op": "R", "adapter": "tool.CALL", "target": "t"}}}}
        ], "entry": "n1"}}}},
        "declarations": {{"tools": {{"t": {declared}}}, "schemas": {schemas}}}}}"#
    );
    let source = Source::new("graph.json", &*text);
    let mut reading = frontends::read(&source, Format::Graph, Ontology::V1);
    let draft = reading.draft.take().unwrap_or_else(|| panic!("{:?}", reading.findings));
    Plan::new(&graph::normalize(draft, &mut Vec::new())).unwrap()
}

fn registry(folder: &Scratch, lines: &str, declared: &str) -> Registry {
    let config = folder.config(&format!("[tools.t]\n{lines}\n"));
    let schemas = r#"{"Ask": {"fields": [
        {"name": "q", "type": "string"},
        {"name": "count", "type": "integer", "default": 5},
        {"name": "kind", "type": "enum[web, news]", "optional": true}
    ]}, "Found": {"fields": [{"name": "hits", "type": "list<Hit>"}]},
    "Hit": {"fields": [{"name": "url", "type": "string"}]}}"#;
    Registry::new(&config, Arc::new(Absent), Unbound::Fail).for_plan(&plan(declared, schemas))
}

/// The five vocabularies, and what each becomes: the table of `docs/tools.md`.
#[test]
fn what_is_declared_becomes_the_two_axes() {
    let folder = Scratch::new();
    let unsaid = "command = [\"./t\"]";
    for (lines, declared, touches, again) in [
        (unsaid, "{}", Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": []}"#, Touches::Read, Again::Freely),
        (unsaid, r#"{"side_effects": ["mail"]}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": "none"}"#, Touches::Nothing, Again::Freely),
        (unsaid, r#"{"side_effects": "read"}"#, Touches::Read, Again::Freely),
        (unsaid, r#"{"side_effects": "write"}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": "external"}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": "harmless"}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": true}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"side_effects": false}"#, Touches::Nothing, Again::Freely),
        (unsaid, r#"{"idempotent": true}"#, Touches::Write, Again::WithKey),
        (unsaid, r#"{"idempotent": false}"#, Touches::Write, Again::ByAsking),
        (unsaid, r#"{"idempotency_key": "order"}"#, Touches::Write, Again::WithKey),
        (unsaid, r#"{"side_effects": ["x"], "idempotent": true}"#, Touches::Write, Again::WithKey),
        // The operator's word wins, whatever a spec says.
        (
            "command = [\"./t\"]\ntouches = \"write\"",
            r#"{"side_effects": []}"#,
            Touches::Write,
            Again::ByAsking,
        ),
        (
            "command = [\"./t\"]\nagain = \"ask\"",
            r#"{"idempotent": true}"#,
            Touches::Write,
            Again::ByAsking,
        ),
        ("command = [\"./t\"]\ntouches = \"read\"", "{}", Touches::Read, Again::Freely),
        (
            "command = [\"./t\"]\ntouches = \"read\"\nagain = \"ask\"",
            "{}",
            Touches::Read,
            Again::ByAsking,
        ),
        // What a binding is by construction, no spec can talk away.
        (
            "files = { root = \"notes\", allow = [\"append\"] }",
            r#"{"side_effects": [], "idempotent": true}"#,
            Touches::Write,
            Again::ByAsking,
        ),
        (
            "builtin = \"calculator\"",
            r#"{"side_effects": "write"}"#,
            Touches::Nothing,
            Again::Freely,
        ),
    ] {
        let found = registry(&folder, lines, declared).resolve("t").unwrap();
        assert_eq!((found.touches, found.again), (touches, again), "{lines} {declared}");
    }
}

#[test]
fn the_rest_of_a_contract_is_pinned_too() {
    let folder = Scratch::new();
    let declared = r#"{"permissions": ["net.web"], "cost_estimate": "1.10",
        "replay_policy": "fail-loud", "deprecated": true, "description": "Looks."}"#;
    let said = registry(&folder, "command = [\"/bin/cat\"]", declared);
    let contract = said.resolve("t").unwrap();
    assert_eq!(contract.permissions, ["net.web".into()]);
    assert_eq!(contract.cost, Money::parse("1.1").unwrap());
    assert_eq!(contract.replay, Replay::FailLoud);
    let bound = said.bound("t").unwrap();
    assert_eq!(bound.look(), Ok("/bin/cat, deprecated".to_owned()));
    assert_eq!(bound.described().description.as_deref(), Some("Looks."));
    for (word, replay) in [
        ("must-stub", Replay::MustStub),
        ("must_stub", Replay::MustStub),
        ("recorded-result", Replay::MustStub),
        ("whatever", Replay::MustStub),
    ] {
        let declared = format!(r#"{{"replay_policy": "{word}"}}"#);
        let found = registry(&folder, "command = [\"./t\"]", &declared).resolve("t").unwrap();
        assert_eq!(found.replay, replay, "{word}");
    }
    let lines = "command = [\"./t\"]\npermissions = []\ncost = \"0.5\"\nreplay = \"live\"\n\
                 description = \"Mine.\"";
    let said = registry(&folder, lines, declared);
    let contract = said.resolve("t").unwrap();
    assert!(contract.permissions.is_empty());
    assert_eq!(contract.cost, Money::parse("0.5").unwrap());
    assert_eq!(contract.replay, Replay::Live);
    assert_eq!(said.bound("t").unwrap().described().description.as_deref(), Some("Mine."));
}

#[test]
fn what_does_not_fit_does_not_leave_and_does_not_come_in() {
    let folder = Scratch::new();
    folder.program("t", "touch \"$(dirname \"$0\")/called\"; cat answer.json");
    let called = || std::fs::remove_file(folder.path("called")).is_ok();
    let declared = r#"{"input_schema": "Ask", "output_schema": "Found"}"#;
    let mut said = String::new();
    let mut ask = |lines: &str, answered: &str, args: &str| {
        std::fs::write(folder.path("answer.json"), answered).unwrap();
        let registry = registry(&folder, &format!("command = [\"./t\"]\n{lines}"), declared);
        said += &match answer(registry.call(call_of("tool", "t", args))) {
            Ok(value) => json::compact(&value) + "\n",
            Err(fault) => folded(&fault) + "\n",
        };
        said += if called() { "  (called)\n" } else { "  (not called)\n" };
    };
    let fine = r#"{"hits": [{"url": "u"}]}"#;
    ask("", fine, r#"{"q": "whales"}"#);
    ask("", fine, r#"{"q": "whales", "count": null, "kind": "web", "more": 1}"#);
    ask("", fine, r#"{"q": 5, "count": "many", "kind": "gossip"}"#);
    ask("", fine, "{}");
    ask("", r#"{"hits": [{"url": 5}]}"#, r#"{"q": "whales"}"#);
    ask("touches = \"read\"", r#""no hits""#, r#"{"q": "whales"}"#);
    // The operator's schemas are in the place of the spec's.
    ask("input = { required = [\"topic\"] }", fine, r#"{"q": "whales"}"#);
    ask("input = {}\noutput = {}", "7", r#"{"anything": true}"#);
    expect![[r#"
        {"hits":[{"url":"u"}]}
          (called)
        {"hits":[{"url":"u"}]}
          (called)
        schema (has not happened):
          `t` was not called: its arguments do not fit its schema: /q: 5 is not of type "string";
          /count: "many" is not of types "null", "integer";
          /kind: "gossip" is not one of "web", "news" or null
          (not called)
        schema (has not happened):
          `t` was not called: its arguments do not fit its schema: the whole: "q" is a required property
          (not called)
        schema (may have happened):
          the answer of `t` does not fit: /hits/0/url: 5 is not of type "string"
          (called)
        schema (has not happened):
          the answer of `t` does not fit: the whole: "no hits" is not of type "object"
          (called)
        schema (has not happened):
          `t` was not called: its arguments do not fit its schema: the whole: "topic" is a required property
          (not called)
        7
          (called)
    "#]].assert_eq(&said);
}

#[test]
fn a_schema_that_cannot_be_used_stops_every_call() {
    let folder = Scratch::new();
    let registry =
        registry(&folder, "command = [\"/bin/cat\"]", r#"{"input_schema": {"type": "strin"}}"#);
    let fault = answer(registry.call(call_of("tool", "t", "{}"))).unwrap_err();
    assert!(folded(&fault).starts_with("missing (has not happened):\n  `t` was not called"));
    assert!(registry.bound("t").unwrap().look().unwrap_err().contains("cannot be used"));
}

#[test]
fn what_acts_as_somebody_needs_a_credential() {
    let folder = Scratch::new();
    let declared = r#"{"auth_required": true}"#;
    let ask = |lines: &str, declared: &str| {
        let registry = registry(&folder, lines, declared);
        match answer(registry.call(call_of("tool", "t", "{}"))) {
            Ok(value) => json::compact(&value),
            Err(fault) => folded(&fault),
        }
    };
    let cat = "command = [\"/bin/cat\"]";
    expect![[r#"
        denied (has not happened):
          `t` was not called: it acts as somebody (`auth_required`), and its binding has no
            credential;
          set the variable that holds one and name it (`env = ["TOKEN"]` of `[tools.t]`), or say
            `auth_required = false` there if it needs none
    "#]]
    .assert_eq(&wrapped(&ask(cat, declared)));
    let set = format!("{cat}\nenv = [\"CARGO_PKG_NAME\"]");
    assert_eq!(ask(&set, declared), "{}");
    let unset = set.replace("CARGO_PKG_NAME", "QUIPU_TEST_NOT_SET");
    assert!(ask(&unset, declared).contains("no credential"));
    assert_eq!(ask(&format!("{cat}\nauth_required = false"), declared), "{}");
    assert_eq!(ask(cat, "{}"), "{}");
    assert!(ask(&format!("{cat}\nauth_required = true"), "{}").contains("no credential"));
}

#[test]
fn a_tool_without_a_binding_says_how_its_kind_is_bound() {
    let folder = Scratch::new();
    let config = folder.config("");
    let mut said = String::new();
    for kind in ["browser", "mcp", "shell", "composite", "function"] {
        let plan = plan(&format!(r#"{{"tool_type": "{kind}"}}"#), "{}");
        let registry = Registry::new(&config, Arc::new(Absent), Unbound::Fail).for_plan(&plan);
        let fault = answer(registry.call(call_of("tool", "t", "{}"))).unwrap_err();
        said += &fault.message[fault.message.find("\n\n").unwrap() + 2..];
        said += "--\n";
    }
    expect![[r##"
        # a browser is driven by an MCP server, whose tools are then accepted
        [mcp.browser]
        command = ["./browser-mcp"]

        [tools.t]
        mcp = "browser"
        --
        [mcp.server]
        command = ["./server"]

        [tools.t]
        mcp = "server"
        --
        [tools.t]
        shell = ["/usr/bin/git", "log", "-n", "{count}"]
        --
        [tools.t]
        composite = ["first", "second"]
        --
        [tools.t]
        command = ["./program"]
        --
    "##]]
    .assert_eq(&said);
}
