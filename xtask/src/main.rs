//! What this repository does to itself: its one test command, and the checks of its own shape.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool prints")]

mod node;
mod test;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

/// What `--help` prints.
const HELP: &str = "\
Tasks of this repository.

Usage: cargo xtask <COMMAND>

Commands:
  test [-- ARGS]  Check the format, lint, then run every test, slow ones too.
                  ARGS go to `cargo test`, such as `-- some_name -- --nocapture`.
  tidy            Check the shape of the repository (`cargo test` does it too).
                  Prints each finding as `file:line: what`.

Options:
  -h, --help      Print this.
";

/// The exit code for a command line that cannot be read.
const USAGE: u8 = 2;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
enum Task {
    /// Print the help.
    Help,
    /// Run all tests, with more arguments for `cargo test`.
    Test(Vec<String>),
    /// Check the shape of the repository.
    Tidy,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task = match task(&args) {
        Ok(task) => task,
        Err(message) => {
            eprintln!("xtask: {message}\n\n{HELP}");
            return ExitCode::from(USAGE);
        }
    };
    match run(task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the command line.
fn task(args: &[String]) -> Result<Task, String> {
    let own = args.iter().take_while(|arg| *arg != "--");
    if own.clone().any(|arg| arg == "-h" || arg == "--help") {
        return Ok(Task::Help);
    }
    let own: Vec<&str> = own.map(String::as_str).collect();
    let passed_on = args.get(own.len() + 1..).unwrap_or_default();
    match own[..] {
        ["test"] => Ok(Task::Test(passed_on.to_vec())),
        ["tidy"] if passed_on.is_empty() => Ok(Task::Tidy),
        [] => Err("a command is missing".to_owned()),
        _ => Err(format!("cannot read `{}`", args.join(" "))),
    }
}

/// Does it, and says whether all is well.
fn run(task: Task) -> Result<bool> {
    match task {
        Task::Help => {
            print!("{HELP}");
            Ok(true)
        }
        Task::Test(args) => test::run(root()?, &args),
        Task::Tidy => {
            let findings = tidy::findings(root()?)?;
            for finding in &findings {
                println!("{finding}");
            }
            eprintln!("xtask: tidy has {} findings", findings.len());
            Ok(findings.is_empty())
        }
    }
}

/// The folder that holds the whole repository.
fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lives in no workspace")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Task, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        task(&args)
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(read("tidy"), Ok(Task::Tidy));
        assert_eq!(read("test"), Ok(Task::Test(Vec::new())));
        assert_eq!(read("--help"), Ok(Task::Help));
        assert_eq!(read("test -h"), Ok(Task::Help));
    }

    #[test]
    fn what_follows_the_dashes_is_passed_on_as_it_is() {
        let expected = ["name", "--", "--help"].map(str::to_owned).to_vec();
        assert_eq!(read("test -- name -- --help"), Ok(Task::Test(expected)));
    }

    #[test]
    fn anything_else_is_refused() {
        assert_eq!(read(""), Err("a command is missing".to_owned()));
        assert_eq!(read("test name"), Err("cannot read `test name`".to_owned()));
        assert_eq!(read("tidy -- name"), Err("cannot read `tidy -- name`".to_owned()));
    }
}
