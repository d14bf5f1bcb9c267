//! What can be written after `quipu rules`.

use clap::Args;

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct Rules {
    /// The file of rules; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// A fact to begin with, for example `(order 7 open)` (may be given several times)
    #[arg(long = "assert", value_name = "FACT", allow_hyphen_values = true)]
    pub(crate) facts: Vec<String>,
    /// How many rules may fire
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) limit: u64,
    /// Say for each rule that fires which facts completed it, and why others waited
    #[arg(long)]
    pub(crate) explain: bool,
    /// Say why a rule did not fire (may be given several times)
    #[arg(long, value_name = "RULE")]
    pub(crate) why_not: Vec<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}
