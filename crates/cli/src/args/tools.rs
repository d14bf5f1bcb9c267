//! What can be written after `quipu tools`.

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct Tools {
    #[command(subcommand)]
    pub(crate) command: ToolsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List all tools that there are; starts the servers of `quipu.toml`
    List(List),
    /// Call a tool outside of any run: no policy is asked, whoever calls decides
    Call(Call),
    /// Look at the tools of servers, and accept them as they are now
    Accept(Accept),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Where tools are bound; by default `quipu.toml` in this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool: an id, or `SERVER.TOOL`
    #[arg(value_name = "ID")]
    pub(crate) tool: String,
    /// An argument: JSON if it is that, else text
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) values: Vec<String>,
    /// All arguments, as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "values")]
    pub(crate) args: Option<String>,
    /// Call it even if it may change something
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Where tools are bound; by default `quipu.toml` in this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// What to accept: all tools of a server, or one of them
    #[arg(value_name = "SERVER[.TOOL]", required_unless_present = "all")]
    pub(crate) names: Vec<String>,
    /// All tools of all servers
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Where tools are bound; by default `quipu.toml` in this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}

impl Tools {
    pub(crate) fn format(&self) -> &Output {
        match &self.command {
            ToolsCommand::List(arguments) => &arguments.format,
            ToolsCommand::Call(arguments) => &arguments.format,
            ToolsCommand::Accept(arguments) => &arguments.format,
        }
    }
}
