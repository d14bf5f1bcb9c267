//! What is read from a block: one `check` per matter.

mod data;
mod needs;
mod supported;
mod syntax;

use std::fmt::Write;

use expect_test::Expect;
use logic::{Block, read};

fn check(code: &str, expected: Expect) {
    expected.assert_eq(&shown(code, &read(code)));
}

fn shown(code: &str, block: &Block) -> String {
    let mut text = String::new();
    let mut line = |name: &str, items: Vec<String>| {
        if !items.is_empty() {
            let _ = writeln!(text, "{name}: {}", items.join(", "));
        }
    };
    line("reads", block.reads.iter().map(|key| key.to_string()).collect());
    let need = |need: &logic::Need| {
        format!(
            "{} at `{}`{}",
            need.key,
            &code[need.range.clone()],
            if need.always { "" } else { ", maybe" }
        )
    };
    line("needs", block.needs.iter().map(need).collect());
    line("writes", block.writes.iter().map(|key| key.to_string()).collect());
    line(
        "stores",
        block.stores.iter().map(|(name, access)| format!("{access:?} {name}")).collect(),
    );
    let outside =
        |name: &logic::Outside| format!("{}{}", name.name, if name.called { "()" } else { "" });
    line("outside", block.outside.iter().map(outside).collect());
    line("implied", block.implied.iter().map(|name| name.to_string()).collect());
    let flags = [
        ("reads all", block.reads_all),
        ("inexact", block.inexact),
        ("returns early", block.returns_early),
        ("may end", block.may_end()),
    ];
    line("is", flags.iter().filter(|(_, is)| *is).map(|(name, _)| name.to_string()).collect());
    for found in &block.problems {
        let _ =
            writeln!(text, "{:?}: `{}`: {}", found.kind, &code[found.range.clone()], found.message);
        if let Some(help) = &found.help {
            // Some name everything that there is.
            let _ = writeln!(text, "  help: {}", help.chars().take(90).collect::<String>());
        }
    }
    text
}
