//! The `quipu` command: reads files, asks the core, prints answers.

mod args;
mod changed_lines;
mod commands;
mod contracts;
mod disk;
mod find;
mod include;
mod load;
mod opened;
mod output;
mod policies;
mod rule_files;
mod running;

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
    /// Errors or damage were found, two things differ, or a run failed.
    Found,
    /// A run waits for a person.
    Waiting,
    /// A run was interrupted, and paused so that it can go on.
    Interrupted,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_json = arguments.command.is_json();
    let result = match arguments.command {
        Command::New(arguments) => commands::new::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Compile(arguments) => commands::compile::run(&arguments),
        Command::Fmt(arguments) => commands::fmt::run(&arguments),
        Command::Convert(arguments) => commands::convert::run(&arguments),
        Command::Show(arguments) => commands::show::run(&arguments),
        Command::Query(arguments) => commands::query::run(&arguments),
        Command::Diff(arguments) => commands::diff::run(&arguments),
        Command::Rewrite(arguments) => commands::rewrite::run(&arguments),
        Command::Rules(arguments) => commands::rules::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Resume(arguments) => commands::resume::run(&arguments),
        Command::Inbox(arguments) => commands::inbox::run(&arguments),
        Command::Answer(arguments) => commands::answer::run(&arguments),
        Command::Policy(arguments) => commands::policy::run(&arguments),
        Command::Cancel(arguments) => commands::cancel::run(&arguments),
        Command::State(arguments) => commands::state::run(&arguments),
        Command::Why(arguments) => commands::why::run(&arguments),
        Command::Replay(arguments) => commands::replay::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Tools(arguments) => commands::tools::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::Runs(arguments) => commands::runs::run(&arguments),
        Command::Log(arguments) => commands::log::run(&arguments),
        Command::Event(arguments) => commands::event::run(&arguments),
        Command::History(arguments) => commands::history::run(&arguments),
        Command::Spans(arguments) => commands::spans::run(&arguments),
        Command::Fork(arguments) => commands::fork::run(&arguments),
        Command::Branch(arguments) => commands::branch::run(&arguments),
        Command::Verify(arguments) => commands::verify::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Gc(arguments) => commands::gc::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Waiting) => ExitCode::from(3),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error);
            let code = if opened::is_damage(&error) { 1 } else { 2 };
            if code == 1 && is_json {
                // Scripts are promised a document.
                let _ = output::print_json(&opened::refusal(&error));
            }
            ExitCode::from(code)
        }
    }
}
