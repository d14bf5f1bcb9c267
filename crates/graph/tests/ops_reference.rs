//! `docs/ops.md` is generated from the op table. `UPDATE=1 cargo test` writes it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::path::Path;

use graph::ops::{Leads, OPS, OpDef, SlotKind};
use graph::{Again, Effect, Tier, Touches};

#[test]
fn the_reference_is_the_op_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ops.md");
    let fresh = reference();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/ops.md is not what the op table says: UPDATE=1 cargo test");
}

fn reference() -> String {
    let mut page = String::from(
        "# Ops\n\n<!-- Generated from the op table: UPDATE=1 cargo test -p quipu-graph -->\n\n\
         Every node has one of these ops.\n\
         A *slot* is a member of `data`, and of `operands` with its type; *ports* are the edges that may leave.\n\
         An op marked with + is ours: a graph that uses one says `graph_schema_version` `1.0+quipu`.\n\n",
    );
    for op in OPS {
        section(&mut page, op);
    }
    page.push_str(&effects());
    page
}

fn section(page: &mut String, op: &OpDef) {
    let mark = if op.standard { "" } else { " +" };
    writeln!(page, "## {}{mark}\n\n{}\n", op.name, op.doc).unwrap();
    let slots: Vec<_> = op
        .slots
        .iter()
        .map(|slot| {
            let need = if slot.required { "" } else { ", optional" };
            format!("`{}` ({}{need})", slot.name, kind(slot.kind))
        })
        .collect();
    let ports: Vec<_> = op
        .ports
        .iter()
        .map(|def| {
            let to = match def.to {
                Leads::Node => "node",
                Leads::Label => "label",
                Leads::Either => "node or label",
            };
            let many = if def.many { "s" } else { "" };
            let need = if def.required { ", needed" } else { "" };
            format!("`{}` ({to}{many}{need})", def.port)
        })
        .collect();
    let tier = match op.tier() {
        Some((tier, _)) => format!("`{}`", tier.word()),
        None => "by the adapter's contract".to_string(),
    };
    writeln!(page, "- Slots: {}", or_none(&slots)).unwrap();
    writeln!(page, "- Ports: {}", or_none(&ports)).unwrap();
    writeln!(page, "- Effect: `{}`, tier {tier}\n", op.effect().word()).unwrap();
}

fn or_none(items: &[String]) -> String {
    if items.is_empty() { "none".to_string() } else { items.join(", ") }
}

fn kind(kind: SlotKind) -> String {
    match kind {
        SlotKind::Adapter => "`namespace.verb`".to_string(),
        SlotKind::Value | SlotKind::FirstValue => "a literal or a variable".to_string(),
        SlotKind::Values => "a list of literals and variables".to_string(),
        SlotKind::Condition => "a condition".to_string(),
        SlotKind::Bind => "a name that is written".to_string(),
        SlotKind::Callee => "a label".to_string(),
        SlotKind::Target(port) => format!("repeats where `{port}` leads"),
        SlotKind::Protects => "repeats which node it protects".to_string(),
        SlotKind::Name => "a name".to_string(),
        SlotKind::Takes => "a schema, whose fields are read".to_string(),
        SlotKind::Gives => "a schema, whose fields are written".to_string(),
        SlotKind::Word(words) => {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
        }
        SlotKind::Number => "a whole number".to_string(),
        SlotKind::Literal => "a literal".to_string(),
    }
}

fn effects() -> String {
    let mut page = String::from(
        "## Effects\n\n\
         Two axes decide everything: what a node touches, and how it may run again \
         (freely, with the same key, or by asking).\n\
         The older words are printed from them.\n\n\
         | touches | `effect_tier` |\n|---|---|\n",
    );
    let all = [
        ("nothing", Touches::Nothing),
        ("clock", Touches::Clock),
        ("random", Touches::Random),
        ("read", Touches::Read),
        ("write", Touches::Write),
        ("model", Touches::Model),
        ("person", Touches::Person),
    ];
    for (word, touches) in all {
        writeln!(page, "| {word} | `{}` |", touches.tier().word()).unwrap();
    }
    page.push_str(
        "\nOps that only decide where control goes are `control`, and `Err` is `meta`.\n\
         A verb that no contract names may do anything: it counts as a write that runs again only by asking.\n",
    );
    page
}

#[test]
fn an_unknown_verb_may_do_anything() {
    assert_eq!(graph::contracts::UNKNOWN.touches, Touches::Write);
    assert_eq!(graph::contracts::UNKNOWN.again, Again::ByAsking);
    assert_eq!(Touches::Write.tier(), Tier::IoWrite);
    assert_eq!(Effect::find("io"), Some(Effect::Io));
}
