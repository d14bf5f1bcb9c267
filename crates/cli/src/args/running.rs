//! What can be written after the commands that run agents.

use clap::Args;

use super::history::StoreChoice;
use super::{Output, Reading};

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The agent to run; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// A value to begin with: JSON if it is that, else text (may be given several times)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) input: Vec<String>,
    /// A JSON object of values to begin with
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<String>,
    #[command(flatten)]
    pub(crate) entry: EntryChoice,
    /// The run's id; by default a new UUID
    #[arg(long, value_name = "RUN")]
    pub(crate) id: Option<String>,
    /// Try a policy in this run, without putting it in force (may be given several times)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<String>,
    #[command(flatten)]
    pub(crate) world: WorldChoice,
    #[command(flatten)]
    pub(crate) limits: LimitChoice,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

/// Where a run begins: by default where the agent says.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct EntryChoice {
    /// Begin at this label
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,
    /// Begin where this request begins, for example `"GET /users"`
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) endpoint: Option<String>,
    /// Begin where the cron of this label begins
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub(crate) cron: Option<String>,
}

/// Who answers.
#[derive(Debug, Args)]
pub(crate) struct WorldChoice {
    /// The model that every agent asks: a name such as `gpt-4o` or `ollama/qwen2.5:7b`;
    /// `stub:low`, `stub:high` and `stub:cycle` make answers up, `script:FILE` takes them from a
    /// list, `record:FILE,MODEL` and `replay:FILE` keep and repeat them
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Who answers questions: `ask` leaves them to people, a file is a JSON array taken in order
    #[arg(long, value_name = "FILE|ask")]
    pub(crate) answers: Option<String>,
    /// Who answers questions here; by default `$USER`
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// Where tools are bound; by default `quipu.toml` beside the agent, else in this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Bind nothing: read no `quipu.toml`, wherever there is one
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,
    /// Show on stderr what models say while they say it, as on a terminal
    #[arg(long, overrides_with = "no_stream")]
    pub(crate) stream: bool,
    /// Show nothing before it is there, also on a terminal
    #[arg(long, overrides_with = "stream")]
    pub(crate) no_stream: bool,
}

/// How far a run may go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitChoice {
    /// At most so many processes are begun [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) max_visits: Option<u64>,
    /// At most so many steps are taken [default: 10000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// Calls go at most so deep [default: 500]
    #[arg(long, value_name = "N")]
    pub(crate) max_depth: Option<u64>,
    /// At most so many branches at the same time [default: 100000]
    #[arg(long, value_name = "N")]
    pub(crate) max_fibers: Option<u64>,
    /// At most so many effects under way at the same time [default: 64]
    #[arg(long, value_name = "N")]
    pub(crate) max_in_flight: Option<u64>,
    /// A model may answer so often at one node while it wants tools [default: 20]
    #[arg(long, value_name = "N")]
    pub(crate) max_tool_turns: Option<u64>,
    /// At most so many tokens of all models together
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u64>,
    /// Models may cost so much together, as a decimal number
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) max_cost: Option<String>,
    /// The run may take so long: seconds, or with a unit as in `90s`, `5m`, `2h`
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<String>,
    /// A tool may be called so often (may be given several times)
    #[arg(long, value_name = "TOOL=N")]
    pub(crate) max_calls: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run: its id, the beginning of it, a branch, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) world: WorldChoice,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    /// The run: its id, the beginning of it, a branch, or `last`
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Why
    #[arg(long, short = 'm', value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Inbox {
    /// Only questions of this run
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Answer {
    /// The question, as `quipu inbox` shows it, or the beginning of its id
    #[arg(value_name = "QUESTION")]
    pub(crate) question: String,
    /// The answer: JSON if it is that, else text
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: String,
    /// Who answers; by default `$USER`
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// The run, where several ask the same question
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Where it says what people may do (`[people]`); by default where the run was begun with, and
    /// `quipu.toml` in this folder for a run that was not begun here
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct State {
    /// The run, at one of its events: `RUN@SEQ`; `RUN` alone is its last event
    #[arg(value_name = "RUN[@SEQ]", default_value = "last")]
    pub(crate) at: String,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The event: `RUN@SEQ`; `RUN` alone is its last event
    #[arg(value_name = "RUN[@SEQ]", default_value = "last")]
    pub(crate) at: String,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The run: its id, the beginning of it, a branch, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// Replay it with another graph, and say where it would go another way
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The one run
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Where tools are bound; by default `quipu.toml` in this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// Also ask the providers whose keys are there whether they answer
    #[arg(long)]
    pub(crate) online: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}
