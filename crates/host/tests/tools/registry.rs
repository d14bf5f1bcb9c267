//! Which adapter a call goes to.

use std::sync::Arc;

use expect_test::{Expect, expect};
use graph::{Again, Touches};
use host::config::Config;
use host::models::{Absent, ModelChoice};
use host::{Adapter, Call, Calling, Registry, Unbound};
use runtime::{Answer, FaultKind, ModelCall, Request, ToolContract};
use value::{Map, Value, json};

use crate::scratch::{Scratch, answer, call_of, folded};

fn registry(config: &Config, unbound: Unbound) -> Registry {
    Registry::new(config, Arc::new(Absent), unbound)
}

/// Calls tools, `server.tool {arguments}` each, and shows what they answer.
fn check(registry: &Registry, calls: &[&str], answers: Expect) {
    let said = |text: &&str| {
        let (name, args) = text.split_once(' ').unwrap();
        let (server, tool) = name.split_once('.').unwrap();
        match answer(registry.call(call_of(server, tool, args))) {
            Ok(value) => json::compact(&value) + "\n",
            Err(fault) => folded(&fault) + "\n",
        }
    };
    answers.assert_eq(&calls.iter().map(said).collect::<String>());
}

#[test]
fn tools_are_bound_by_name_and_never_guessed() {
    let folder = Scratch::new();
    folder.program("echo-tool", "cat");
    let config = folder.config(
        "[tools.search]\ncommand = [\"./echo-tool\"]\ntouches = \"read\"\nagain = \"free\"\n\
         [tools.sums]\nbuiltin = \"calculator\"\n\
         [tools.text]\ncommand = [\"./echo-tool\"]\n",
    );
    let registry = registry(&config, Unbound::Fail);
    check(
        &registry,
        &[
            r#"tool.search {"q": "whales"}"#,
            r#"tool.sums {"expression": "1 + 1"}"#,
            r#"tools.calculator {"expression": "1 + 2"}"#,
            r#"tool.text {"operation": "upper"}"#,
            r#"tool.Calculator {"expression": "1 + 2"}"#,
            r#"tool.web_search {}"#,
            r#"tool.look\"up {}"#,
            r#"http.GET {}"#,
            r#"store.READ {}"#,
        ],
        expect![[r#"
            {"q":"whales"}
            2
            3
            {"operation":"upper"}
            missing (has not happened):
              nothing answers the tool `Calculator` (did you mean `calculator`?);
              bind it in quipu.toml, or run with `--model stub:high`:

            [tools.Calculator]
            command = ["./program"]

            missing (has not happened):
              nothing answers the tool `web_search`;
              bind it in quipu.toml, or run with `--model stub:high`:

            [tools.web_search]
            command = ["./program"]

            missing (has not happened):
              nothing answers the tool `look\"up`;
              bind it in quipu.toml, or run with `--model stub:high`:

            [tools."look\\\"up"]
            command = ["./program"]

            missing (has not happened):
              nothing answers `http.GET`;
              write in quipu.toml:

            [adapters.http]
            allow = ["api.example.com"]

            missing (has not happened):
              no store is open for `step/n1`
        "#]],
    );
}

#[test]
fn contracts_are_known_before_a_call_is_made() {
    let folder = Scratch::new();
    let config = folder.config(
        "[tools.search]\ncommand = [\"./missing\"]\ntouches = \"read\"\nagain = \"free\"\n\
         [tools.pay]\ncommand = [\"./missing\"]\n",
    );
    let contract = |touches, again| Some((touches, again, false));
    let resolved = |registry: &Registry, tool: &str| {
        let ToolContract { touches, again, made_up, .. } = registry.resolve(tool)?;
        Some((touches, again, made_up))
    };
    let bound = registry(&config, Unbound::Fail);
    assert_eq!(resolved(&bound, "search"), contract(Touches::Read, Again::Freely));
    assert_eq!(resolved(&bound, "pay"), contract(Touches::Write, Again::ByAsking));
    assert_eq!(resolved(&bound, "clock"), contract(Touches::Clock, Again::Freely));
    assert_eq!(resolved(&bound, "none"), None);
    let made_up = registry(&config, Unbound::MakeUp);
    assert_eq!(resolved(&made_up, "pay"), contract(Touches::Write, Again::ByAsking));
    let none = Some((Touches::Nothing, Again::Freely, true));
    assert_eq!(resolved(&made_up, "none"), none);
}

/// Stores as another crate brings them.
struct Shelf;

impl Adapter for Shelf {
    fn call(&self, call: Call) -> Calling {
        Calling::Now(Answer::Value(Value::text(call.at)))
    }
}

#[test]
fn stores_answer_what_goes_to_stores() {
    let registry = registry(&Config::default(), Unbound::Fail).with_stores(Arc::new(Shelf));
    let calls = ["store.READ {}", "channel.PUBLISH {}"];
    check(
        &registry,
        &calls,
        expect![[r#"
        "step/n1"
        "step/n1"
    "#]],
    );
}

#[test]
fn beside_a_stub_what_is_not_bound_answers_by_its_name() {
    let folder = Scratch::new();
    let config = folder.config("[tools.sums]\nbuiltin = \"calculator\"\n");
    let registry = registry(&config, Unbound::MakeUp);
    check(
        &registry,
        &[
            r#"tool.search {"tool_input": "whales", "input": "no"}"#,
            r#"tool.search {"tool_input": "", "input": {"q": [1]}}"#,
            r#"tool.search {"tool_input": null, "action": "look"}"#,
            r#"tool.search {"q": "whales"}"#,
            r#"tool.calculator {"input": "1 + 1"}"#,
            r#"tool.sums {"input": "1 + 1"}"#,
        ],
        expect![[r#"
            "stub-tool:search:whales"
            "stub-tool:search:{\"q\":[1]}"
            "stub-tool:search:look"
            "stub-tool:search:"
            "stub-tool:calculator:1 + 1"
            2
        "#]],
    );
    let long = format!(r#"{{"input": "{}"}}"#, "é".repeat(500));
    let answered = answer(registry.call(call_of("tool", "search", &long))).unwrap();
    assert_eq!(answered.as_text().unwrap().chars().count(), 200);
}

#[test]
fn models_are_asked_as_the_choice_says() {
    let sample = |_| -> host::models::Sample { Arc::new(|_, _| Some(Map::default())) };
    let ask = |choice: &str| {
        let choice: ModelChoice = choice.parse().unwrap();
        let model = choice.open(&sample, &|_| Arc::new(Absent)).unwrap();
        let registry = Registry::new(&Config::default(), model, choice.unbound());
        let mut call = call_of("tool", "t", "{}");
        call.request = Request::Model(Box::new(ModelCall {
            agent: "writer".into(),
            model: "gpt-5".into(),
            system: "".into(),
            prompt: "Hello?".into(),
            talk: Vec::new(),
            refs: Vec::new(),
            tools: std::sync::Arc::default(),
            shape: None,
            schema: None,
            params: Map::default(),
            timeout_ms: None,
            turn: 1,
        }));
        let Calling::Now(answer) = registry.call(call) else { panic!("it answers at once") };
        (answer, choice.unbound())
    };
    let (answer, unbound) = ask("stub:low");
    assert!(matches!(answer, Answer::Model(answer) if &*answer.text == "stub text"));
    assert_eq!(unbound, Unbound::MakeUp);
    let (answer, unbound) = ask("gpt-5");
    assert!(matches!(answer, Answer::Failed(fault) if fault.kind == FaultKind::Model));
    assert_eq!(unbound, Unbound::Fail);
    let folder = Scratch::new();
    let tape = folder.path("tape.jsonl");
    let (recorded, unbound) = ask(&format!("record:{},stub:low", tape.display()));
    assert_eq!(unbound, Unbound::MakeUp);
    assert_eq!(ask(&format!("replay:{}", tape.display())).0, recorded);
}
