//! The `quipu` command: reads files, asks the core, prints answers.

mod args;
mod commands;
mod load;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Arguments, Command};

/// Documents are many small pieces; with this they cost about a third less time than with the
/// system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended. Scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// No errors.
    Fine,
    /// Errors were found, or two graphs differ.
    Found,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::New(arguments) => commands::new::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Compile(arguments) => commands::compile::run(&arguments),
        Command::Show(arguments) => commands::show::run(&arguments),
        Command::Query(arguments) => commands::query::run(&arguments),
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Rewrite(arguments) => commands::rewrite::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            ExitCode::from(2)
        }
    }
}
