//! What can be written after `quipu`.

pub(crate) mod history;
pub(crate) mod policy;
pub(crate) mod rules;
pub(crate) mod running;
pub(crate) mod tools;

use clap::{Args, Parser, Subcommand, ValueEnum};
use value::Text;

/// Checks, runs and remembers AI agents as graphs.
#[derive(Debug, Parser)]
#[command(name = "quipu", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a new agent from a template
    New(New),
    /// Say everything that is wrong with a file, and run nothing
    Check(Check),
    /// Print the canonical graph as JSON
    Compile(Compile),
    /// Lay AINL out in the one way
    Fmt(Fmt),
    /// Write an agent in another format, and say what that cannot say
    Convert(Convert),
    /// Draw a graph, or which rules feed which, as text, Mermaid or SVG
    Show(Show),
    /// Ask a question about a graph
    Query(Query),
    /// Say what differs between two graphs
    Diff(Diff),
    /// Apply a patch to a graph, all of it or nothing
    Rewrite(Rewrite),
    /// Run rules over facts, and say why they fired
    Rules(rules::Rules),
    /// Run an agent
    Run(running::Run),
    /// Go on with a run that was paused or killed, or whose question was answered
    Resume(running::Resume),
    /// List the questions that wait for people
    Inbox(running::Inbox),
    /// Answer a question
    Answer(running::Answer),
    /// Propose, test and activate what decides about calls of tools
    Policy(policy::Policy),
    /// End a run
    Cancel(running::Cancel),
    /// Show what the names of a run hold at any event
    State(running::State),
    /// Say why a run went the way it went
    Why(running::Why),
    /// Derive a run again from what was recorded, without calling anything
    Replay(running::Replay),
    /// Say where two runs part, and what differs after
    Compare(running::Compare),
    /// List runs, the newest first
    Runs(history::Runs),
    /// Show what happened in a run, one line per event
    Log(history::Log),
    /// Print an event
    Event(history::Event),
    /// Ask a question about what happened
    History(history::History),
    /// Show a run as OpenTelemetry spans, or send them to a collector
    Spans(history::Spans),
    /// Begin a new run at any event of another one
    Fork(history::Fork),
    /// Name places in histories, move the names, and undo that
    Branch(history::Branch),
    /// Check every hash of a store
    Verify(history::Verify),
    /// Print histories as JSON, one line per event
    Export(history::Export),
    /// Add an export, or events of another system, to a store
    Import(history::Import),
    /// Remove large values that nothing refers to any more
    Gc(history::Gc),
    /// Explain a diagnostic code
    Explain(Explain),
    /// List, call and accept tools
    Tools(tools::Tools),
    /// Say whether everything that is needed here is there
    Doctor(running::Doctor),
}

impl Command {
    /// Whether its answer is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        let format = match self {
            Command::New(arguments) => &arguments.format,
            Command::Check(arguments) => &arguments.format,
            Command::Compile(arguments) => &arguments.format,
            Command::Query(arguments) => &arguments.format,
            Command::Diff(arguments) => &arguments.format,
            Command::Rewrite(arguments) => &arguments.format,
            Command::Rules(arguments) => &arguments.format,
            Command::Run(arguments) => &arguments.format,
            Command::Resume(arguments) => &arguments.format,
            Command::Inbox(arguments) => &arguments.format,
            Command::Answer(arguments) => &arguments.format,
            Command::Policy(arguments) => arguments.format(),
            Command::Cancel(arguments) => &arguments.format,
            Command::State(arguments) => &arguments.format,
            Command::Why(arguments) => &arguments.format,
            Command::Replay(arguments) => &arguments.format,
            Command::Compare(arguments) => &arguments.format,
            Command::Tools(arguments) => arguments.format(),
            Command::Doctor(arguments) => &arguments.format,
            Command::Runs(arguments) => &arguments.format,
            Command::Log(arguments) => &arguments.format,
            Command::Event(arguments) => &arguments.format,
            Command::History(arguments) => &arguments.format,
            Command::Fork(arguments) => &arguments.format,
            Command::Branch(arguments) => &arguments.format,
            Command::Verify(arguments) => &arguments.format,
            Command::Import(arguments) => &arguments.format,
            Command::Gc(arguments) => &arguments.format,
            Command::Explain(arguments) => &arguments.format,
            Command::Spans(arguments) => return arguments.is_json(),
            Command::Convert(arguments) => &arguments.format,
            Command::Fmt(_) | Command::Show(_) | Command::Export(_) => return false,
        };
        format.is_json()
    }
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The folder to make it in; `.` is this one
    #[arg(value_name = "DIR")]
    pub(crate) folder: String,
    /// What to begin with
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Template::SelfRefine)]
    pub(crate) template: Template,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Template {
    /// Answer questions with tools, thinking and acting in turns
    React,
    /// Draft a text, then criticise and refine it until it is good enough
    SelfRefine,
    /// Draft an email, and send it only when a person agrees
    HumanApproval,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The files to check; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Rules for what the graphs may do, beside those of the workspace (may be given several times)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Make errors of the findings of phase 2
    #[arg(long)]
    pub(crate) strict: bool,
    /// Change the files where a fix needs nobody's consent, included ones too; say what is left
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show what `--fix` would change and what would be left, and write nothing
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// The file to compile; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Make errors of the findings of phase 2
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// The files to lay out, in place; `-` goes from standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Change nothing, and say which files would change
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The file to convert; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: ToFormat,
    /// Write it to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToFormat {
    /// Agent Graph v1, as JSON
    Graph,
    /// AINL source
    Ainl,
    /// An Agent Ontology spec, as YAML
    Ontology,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The file to draw; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// What to draw it as
    #[arg(long = "as", value_enum, default_value_t = Picture::Text, value_name = "KIND")]
    pub(crate) picture: Picture,
    /// What to show: by default `flow` where the graph says what its labels are for, else `labels`
    #[arg(long, value_enum, value_name = "VIEW")]
    pub(crate) view: Option<ShowView>,
    /// Draw only this label, with its nodes
    #[arg(long, value_name = "LABEL", conflicts_with = "view")]
    pub(crate) label: Option<String>,
    /// Write it to a file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// An outline for the terminal
    Text,
    /// A Mermaid flowchart
    Mermaid,
    /// A picture that needs nothing else
    Svg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowView {
    /// Processes in the order of the flow, with what they use
    Flow,
    /// Who talks to whom, and what is kept where
    Architecture,
    /// The shapes of data
    Schemas,
    /// Every node of every label
    Labels,
}

#[derive(Debug, Args)]
pub(crate) struct Query {
    /// The file to ask about; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The question
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) name: QueryName,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Only these labels (may be given several times)
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Vec<String>,
    /// The node it is about, for example `n3`
    #[arg(long, value_name = "NODE")]
    pub(crate) node: Option<String>,
    /// Only edges of this port
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<String>,
    /// Adapters that begin with these segments, for example `db` or `http.GET`
    #[arg(long, value_name = "ADAPTER")]
    pub(crate) prefix: Option<String>,
    /// Only this kind of memory
    #[arg(long = "memory-type", value_name = "KIND")]
    pub(crate) memory_type: Option<String>,
    /// The path of an endpoint
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The method of an endpoint; `G` is `GET`
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// How many steps a slice goes
    #[arg(long, value_name = "STEPS", default_value_t = 2)]
    pub(crate) depth: usize,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum QueryName {
    /// The nodes of labels
    LabelNodes,
    /// The control edges of labels
    LabelEdges,
    /// Data flow and routing edges
    EmitEdges,
    /// Only the data flow among them
    DataFlowEdges,
    /// Nodes that work on memory
    MemoryNodes,
    /// The edges that leave a node
    Successors,
    /// The edges that lead to a node
    Predecessors,
    /// Nodes with side effects
    IoNodes,
    /// Nodes that call an adapter
    NodesUsingAdapter,
    /// Ways to a failure and its handler
    ErrorPaths,
    /// Ways to a return or to another label
    SuccessPaths,
    /// Nodes that return
    ExitNodes,
    /// Which request runs which label
    Endpoints,
    /// The label that a request runs
    EndpointLabel,
    /// What is near a node
    Slice,
    /// Stores with their protocols and capabilities
    Stores,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The graph before
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// The graph after
    #[arg(value_name = "NEW")]
    pub(crate) new: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Rewrite {
    /// The graph to change; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The patch, as JSON; `-` reads standard input
    #[arg(value_name = "PATCH")]
    pub(crate) patch: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) format: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, for example `G301`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
    #[command(flatten)]
    pub(crate) format: Output,
}

/// How files are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reading {
    /// The format of the input; by default its content decides
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<FromFormat>,
    /// Let a node without `next` go on by the only edge it has
    #[arg(long)]
    pub(crate) legacy_edges: bool,
    /// The ontology that specs are written for
    #[arg(long, value_enum, value_name = "VERSION", default_value_t = OntologyVersion::V1)]
    pub(crate) ontology: OntologyVersion,
    /// The names of the inputs that a run is given.
    #[arg(skip)]
    pub(crate) inputs: Vec<Text>,
    /// A file that says what verbs do which are not built in (docs/contracts.md); may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) contracts: Vec<String>,
    /// The `quipu.toml` that names more of them, where a command has one of its own.
    #[arg(skip)]
    pub(crate) config: ConfigOf,
}

/// Which `quipu.toml` counts for a file that is read.
#[derive(Clone, Debug, Default)]
pub(crate) enum ConfigOf {
    /// The one beside the file, else the one in this folder.
    #[default]
    Place,
    /// This one.
    File(String),
    /// None.
    Nothing,
}

/// As if nothing was said.
impl Default for Reading {
    fn default() -> Reading {
        Reading {
            from: None,
            legacy_edges: false,
            ontology: OntologyVersion::V1,
            inputs: Vec::new(),
            contracts: Vec::new(),
            config: ConfigOf::Place,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OntologyVersion {
    /// The Agent Ontology spec format, version 1.0
    #[value(name = "1.0")]
    V1,
    /// With the additions of ontology 0.2
    #[value(name = "0.2")]
    V02,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FromFormat {
    /// An Agent Graph v1 document
    Graph,
    /// AINL source
    Ainl,
    /// An Agent Ontology spec
    Ontology,
    /// A Stargraph document
    Stargraph,
    /// Rules, as CLIPS writes them
    Rules,
}

/// How answers are printed.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// How to print the answer
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text)]
    format: OutputFormat,
    /// The same as `--format json`
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
}

impl Output {
    pub(crate) fn is_json(&self) -> bool {
        self.json || self.format == OutputFormat::Json
    }
}
