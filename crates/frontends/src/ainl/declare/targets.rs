//! The platforms that a program's results are emitted for, by what it declares.

use graph::draft::Draft;
use graph::ops::SlotKind;
use value::{Map, Text, Value};

use super::super::program::{NOWHERE, Program};

/// All targets, in the order in which they are named.
const ALL: [&str; 8] =
    ["react_ts", "python_api", "prisma", "mt5", "scraper", "cron", "langgraph", "temporal"];

/// Says which targets a program needs at least.
pub(super) fn decide(program: &Program<'_>, document: &Map, draft: &mut Draft) {
    let service = |name: &str| document.get("services").and_then(|all| all.get(name));
    let has = |name: &str, member: &str| service(name).is_some_and(|own| own.get(member).is_some());
    let core_is = |mode: &str| {
        let own = service("core").and_then(|core| core.get("mode"));
        own.and_then(Value::as_text).is_some_and(|own| &**own == mode)
    };
    let emits = |target: &str| {
        let list = service("hybrid").and_then(|hybrid| hybrid.get("emit"));
        list.and_then(Value::as_list).is_some_and(|list| list.contains(&target.into()))
    };
    let is_scraper = has("scrape", "defs");
    let is_mt5 = service("mt5").is_some() || calls(program, "mt5");
    let is_cron = !draft.crons.is_empty() || core_is("cron");
    let has_labels = program.labels.iter().any(|label| &*label.id != NOWHERE);
    let is_plain = has_labels && !is_scraper && !is_mt5 && !is_cron;
    let is_needed = |target: &str| match target {
        "react_ts" => service("fe").is_some(),
        "python_api" => {
            let is_served = !draft.endpoints.is_empty() || core_is("web");
            is_served || document.get("rag").is_some() || is_plain
        }
        "prisma" => document.get("types").is_some(),
        "mt5" => is_mt5,
        "scraper" => is_scraper,
        "cron" => is_cron,
        other => emits(other),
    };
    let mut needed: Vec<Text> =
        ALL.into_iter().filter(|target| is_needed(target)).map(Text::from).collect();
    // Nothing runs by the clock alone without something that says when.
    let is_only_cron = matches!(&needed[..], [only] if &**only == "cron");
    if needed.is_empty() || (is_only_cron && draft.crons.is_empty()) {
        needed.push("python_api".into());
        if is_only_cron {
            draft.extra.insert("emit_python_api_fallback_stub".into(), true.into());
        }
    }
    let names = |list: &[Text]| Value::list(list.iter().cloned().map(Value::Text));
    let targets = Value::map([
        ("full_multitarget", Value::list(ALL.map(Value::from))),
        ("minimal_emit", names(&needed)),
    ]);
    draft.extra.insert("required_emit_targets".into(), targets);
    draft.emit_targets = Some(needed);
}

/// Whether a step calls an adapter of this name.
fn calls(program: &Program<'_>, adapter: &str) -> bool {
    let mut steps = program.labels.iter().flat_map(|label| &label.steps);
    steps.any(|step| {
        let called = step.of_kind(SlotKind::Adapter);
        called.is_some_and(|word| word.text.split('.').next() == Some(adapter))
    })
}
