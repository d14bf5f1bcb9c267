//! `quipu tools`

mod accept;
mod call;
mod list;
pub(crate) mod servers;

use std::io::IsTerminal;

use anyhow::{Result, bail};

use crate::args::tools::{Tools, ToolsCommand};
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Tools) -> Result<Outcome> {
    match &arguments.command {
        ToolsCommand::List(arguments) => list::run(arguments),
        ToolsCommand::Call(arguments) => call::run(arguments),
        ToolsCommand::Accept(arguments) => accept::run(arguments),
    }
}

/// Whether somebody at the terminal agrees. Where nobody is, they must have said so before.
fn agrees(question: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        bail!("nobody is here who could agree; say `--yes` if you do");
    }
    output::prompt(&format!("{question} [y/N] "));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    output::entered();
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
