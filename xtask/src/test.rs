//! The one test command: format, lints, tests. The first failure ends it.
//!
//! There is no second run for slow tests. `QUIPU_SLOW` makes the tests that can take longer
//! do so, such as property tests, which then try more cases.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::node;

/// Tests that see this variable take more cases.
const SLOW: &str = "QUIPU_SLOW";

/// One run of cargo.
#[derive(Debug, PartialEq)]
struct Step {
    args: Vec<String>,
    slow: bool,
}

/// Runs all steps in order, and says whether all of them succeeded.
pub(crate) fn run(root: &Path, test_args: &[String]) -> Result<bool> {
    let steps = steps(test_args);
    let started = Instant::now();
    for step in &steps {
        if step.slow {
            node::prepare(root);
        }
        if !step.run(root)? {
            return Ok(false);
        }
    }
    eprintln!("xtask: all passed in {:.1} s", started.elapsed().as_secs_f64());
    Ok(true)
}

/// The cheapest to fail comes first.
fn steps(test_args: &[String]) -> [Step; 3] {
    let step =
        |line: &str| Step { args: line.split(' ').map(str::to_owned).collect(), slow: false };
    let mut test = step("test --workspace");
    test.args.extend_from_slice(test_args);
    test.slow = true;
    [
        step("fmt --all --check"),
        step("clippy --workspace --all-targets --quiet -- -D warnings"),
        test,
    ]
}

impl Step {
    /// Runs it with its output visible, and says whether it succeeded.
    fn run(&self, root: &Path) -> Result<bool> {
        // Cargo tells its children which cargo they came from, so the toolchain stays the same.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(&self.args).current_dir(root);
        if self.slow {
            command.env(SLOW, "1");
        }
        eprintln!("xtask: {} ...", self.title());
        let started = Instant::now();
        let status = command.status().with_context(|| format!("cannot run {}", self.title()))?;
        let outcome = if status.success() { "passed" } else { "failed" };
        let seconds = started.elapsed().as_secs_f64();
        eprintln!("xtask: {} {outcome} in {seconds:.1} s", self.title());
        Ok(status.success())
    }

    /// What a person would type to run it alone.
    fn title(&self) -> String {
        let variable = if self.slow { format!("{SLOW}=1 ") } else { String::new() };
        format!("{variable}cargo {}", self.args.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_format_lints_and_one_run_of_all_tests() {
        let titles = steps(&["hash".to_owned()]).map(|step| step.title());
        assert_eq!(
            titles,
            [
                "cargo fmt --all --check",
                "cargo clippy --workspace --all-targets --quiet -- -D warnings",
                "QUIPU_SLOW=1 cargo test --workspace hash",
            ]
        );
    }
}
