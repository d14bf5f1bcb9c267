//! What can be written after `quipu policy`.

use clap::{Args, Subcommand};

use super::Output;
use super::history::StoreChoice;

#[derive(Debug, Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Propose a policy, with the tests that it must pass
    Propose(Propose),
    /// Run the tests of a policy
    Test(Test),
    /// Put a policy in force, if its tests pass
    Activate(Activate),
    /// Say what was proposed and put in force
    History(PolicyHistory),
    /// Print a policy
    Show(Show),
}

impl Policy {
    pub(crate) fn format(&self) -> &Output {
        match &self.command {
            PolicyCommand::Propose(arguments) => &arguments.format,
            PolicyCommand::Test(arguments) => &arguments.format,
            PolicyCommand::Activate(arguments) => &arguments.format,
            PolicyCommand::History(arguments) => &arguments.format,
            PolicyCommand::Show(arguments) => &arguments.format,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Propose {
    /// The policy: Python in a `.py`, rules in YAML
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Calls, and what must become of them: YAML or JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: String,
    /// For this agent only
    #[arg(long, value_name = "NAME", default_value = host::policy::ALL_AGENTS, hide_default_value = true)]
    pub(crate) agent: String,
    /// What others should know
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// The beginning of a proposal's name or digest, or a file
    #[arg(value_name = "POLICY|FILE")]
    pub(crate) policy: String,
    /// Other tests than those that it was proposed with
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Activate {
    /// The beginning of a proposal's name or digest
    #[arg(value_name = "POLICY")]
    pub(crate) policy: String,
    /// Where the same was proposed for several agents: for which
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Who does it; by default `$USER`
    #[arg(long, value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyHistory {
    /// Of this agent only
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The beginning of a proposal's name or digest, or the digest in a decision
    #[arg(value_name = "POLICY")]
    pub(crate) policy: String,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}
