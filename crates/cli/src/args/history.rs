//! What can be written after the commands that read and keep histories.

use clap::{Args, ValueEnum};

use super::Output;
use super::running::{LimitChoice, WorldChoice};

/// Where histories are kept.
#[derive(Debug, Args)]
pub(crate) struct StoreChoice {
    /// `sqlite:PATH` or `memory`; by default `QUIPU_STORE`, else `sqlite:.quipu/quipu.db`
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// Only runs of this agent
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Only runs with this status
    #[arg(long, value_enum, value_name = "STATUS")]
    pub(crate) status: Option<RunStatus>,
    /// Only runs that began at this time or later
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only runs that began before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only runs whose id has this text in it
    #[arg(long, value_name = "TEXT")]
    pub(crate) id: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunStatus {
    /// It goes on
    Open,
    /// Somebody has to answer or decide
    Waiting,
    /// It was stopped for now
    Paused,
    /// It came to its end
    Done,
    /// It ended with an error
    Failed,
    /// Somebody ended it
    Cancelled,
}

#[derive(Debug, Args)]
pub(crate) struct Log {
    /// The run, up to one of its events: `RUN`, `RUN@SEQ`, a branch or `last`
    #[arg(value_name = "RUN[@SEQ]", default_value = "last")]
    pub(crate) run: String,
    /// Begin with this event
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) from: u64,
    /// At most so many events
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show what the engine did between events too: steps, decisions, values, joins
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Event {
    /// The event: its id, the beginning of its id, or `RUN@SEQ`
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Show large values in place of their hashes
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// The question
    #[arg(value_enum, value_name = "QUERY")]
    pub(crate) query: HistoryQuery,
    /// What it is about: a run, an agent, or the id of a message, event or resource
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// As of an event (`RUN@SEQ`) or a time; given twice, as of both
    #[arg(long, value_name = "RUN@SEQ|TIME")]
    pub(crate) at: Vec<String>,
    /// search: only events of this kind (may be given several times)
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<String>,
    /// search: only calls of this tool and their results
    #[arg(long, value_name = "TOOL")]
    pub(crate) tool: Option<String>,
    /// search: only events with this status
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// search: only events with this text in them
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// search: only events at this time or later
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// search: only events before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// At most so many items
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistoryQuery {
    /// The events of a run in order
    Run,
    /// What a message, summary, snapshot or resource was made from
    Lineage,
    /// The tool calls of a run with approvals, attempts and results
    Calls,
    /// Who owns which resources, and where they are attached
    Resources,
    /// Policies as they were proposed, decided and activated
    Policies,
    /// Forks and subagents, up to the root and down to the leaves
    Ancestry,
    /// Events by kind, tool, status, time and text
    Search,
}

#[derive(Debug, Args)]
pub(crate) struct Spans {
    /// The run, up to one of its events: `RUN`, `RUN@SEQ`, a branch or `last`
    #[arg(value_name = "RUN[@SEQ]", default_value = "last")]
    pub(crate) run: String,
    /// Send them to a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`
    #[arg(long, value_name = "URL")]
    pub(crate) to: Option<String>,
    /// Send them to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names
    #[arg(long, conflicts_with = "to")]
    pub(crate) export: bool,
    /// Tell prompts, answers, arguments and results too
    #[arg(long)]
    pub(crate) content: bool,
    /// How to print them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SpansFormat::Tree)]
    pub(crate) format: SpansFormat,
    /// The same as `--format json`
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpansFormat {
    /// A tree for people
    Tree,
    /// What a collector gets
    Otlp,
    /// One JSON document
    Json,
}

impl Spans {
    pub(crate) fn is_json(&self) -> bool {
        self.json || self.format != SpansFormat::Tree
    }
}

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Only these runs, with the runs they were forked from; by default everything
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// Write it to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The files to import: an export, or events one per line; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Take nothing from a file with anything in it that cannot be vouched for
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Gc {
    /// Only say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// Where to fork: `RUN@SEQ`; `RUN` alone is its last event before its end
    #[arg(value_name = "RUN[@SEQ]")]
    pub(crate) at: String,
    /// The new run's id; by default a new UUID
    #[arg(long, value_name = "RUN")]
    pub(crate) id: Option<String>,
    /// Only make the fork, and do not run it
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Give a name another value there: JSON if it is that, else text (may be given several times)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Answer the question that is open there; with several, say which one
    #[arg(long, value_name = "[QUESTION=]VALUE")]
    pub(crate) answer: Vec<String>,
    /// Let a node answer this the next time: `LABEL/nK`, or a label's only effect
    #[arg(long, value_name = "NODE=VALUE")]
    pub(crate) output: Vec<String>,
    /// Go on with another graph, if what is under way there fits it
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<String>,
    /// Let writes leave: without it, a fork reads and asks models only
    #[arg(long)]
    pub(crate) live: bool,
    #[command(flatten)]
    pub(crate) world: WorldChoice,
    #[command(flatten)]
    pub(crate) limits: LimitChoice,
    /// The new branch's name, which then points to the fork
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// A resource that stays with the run that is forked (may be given several times)
    #[arg(long, value_name = "RESOURCE")]
    pub(crate) keep: Vec<String>,
    /// A resource that the fork takes over
    #[arg(long, value_name = "RESOURCE")]
    pub(crate) take: Vec<String>,
    /// A resource that the fork gets a copy of; for a folder, say where to put it
    #[arg(long, value_name = "RESOURCE[=FOLDER]")]
    pub(crate) snapshot: Vec<String>,
    /// A resource that the fork does without
    #[arg(long, value_name = "RESOURCE")]
    pub(crate) discard: Vec<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Branch {
    /// The name; without one, all names are listed
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where it shall point
    #[arg(value_name = "RUN@SEQ")]
    pub(crate) target: Option<String>,
    /// Let it point to where it pointed before
    #[arg(long, requires = "name", conflicts_with_all = ["target", "remove", "merge"])]
    pub(crate) undo: bool,
    /// Let it point nowhere
    #[arg(long, requires = "name", conflicts_with_all = ["target", "merge"])]
    pub(crate) remove: bool,
    /// Record the decision to merge this branch into it
    #[arg(long, value_name = "NAME", requires = "name", conflicts_with = "target")]
    pub(crate) merge: Option<String>,
    /// merge: which side counts; by default, this one
    #[arg(long, value_enum, value_name = "STRATEGY", requires = "merge")]
    pub(crate) strategy: Option<Merge>,
    /// merge: an event to take over, by id or `RUN@SEQ` (may be given several times)
    #[arg(long, value_name = "EVENT", requires = "merge")]
    pub(crate) pick: Vec<String>,
    /// merge: a resource of both that this branch keeps (may be given several times)
    #[arg(long, value_name = "RESOURCE", requires = "merge")]
    pub(crate) keep: Vec<String>,
    /// List every move of the name
    #[arg(long, requires = "name", conflicts_with_all = ["target", "undo", "remove", "merge"])]
    pub(crate) log: bool,
    /// Why
    #[arg(long, short = 'm', value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Merge {
    /// What this branch has counts
    Ours,
    /// What the other branch has counts
    Theirs,
    /// Only the events that are picked are taken over
    CherryPick,
}
