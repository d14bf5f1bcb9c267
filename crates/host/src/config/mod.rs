//! Reads `quipu.toml`: what the tools, models, servers and stores of a run are, and who may do what.
//!
//! ```toml
//! [tools.search]
//! command = ["./search", "--json"]  # or one of `builtin`, `http`, `files`, `shell`, `mcp`, ...
//! touches = "read"                  # or "write", which is the default
//! again = "free"                    # or "key"; the default is "ask": never repeated unasked
//! secrets = { TOKEN = { env = "SEARCH_TOKEN" } }  # or { file = "./token" }; never itself
//!
//! [grants]
//! capabilities = ["net.web"]        # what tools may need
//!
//! [people.alice]
//! capabilities = ["approve.refund"] # questions that need this only she may answer
//!
//! [models.fast]                     # a name for `--model` and for specs
//! provider = "openai"               # or "anthropic", "gemini", "ollama", ...
//! key = { env = "MY_KEY" }
//! params = { temperature = 0.2 }    # where the spec says nothing
//!
//! [mcp.files]
//! command = ["./server"]            # or url = "http://127.0.0.1:8931/mcp"
//!
//! [stores.handbook]
//! folder = "./docs"                 # its text files can be searched
//!
//! [policy]
//! files = ["policy.yaml"]           # what holds for every graph here
//! [contracts]
//! files = ["contracts.json"]        # what verbs do that are not built in
//! [adapters.http]                   # what `R http.GET` and its kind may do
//! allow = ["api.example.com"]       # see docs/ainl-adapters.md
//!
//! [otlp]
//! endpoint = "http://127.0.0.1:4318"  # spans go there whenever a run stops
//! ```
//!
//! Everything that is wrong is reported in one pass, each with its place.

mod adapters;
mod api;
mod composite;
mod contracts;
mod files;
mod mcp;
mod models;
mod otlp;
mod people;
mod policy;
mod read;
mod reader;
mod secrets;
mod shell;
mod stores;
mod terms;
mod tools;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Position, Source};
use value::Text;

use crate::adapter::Bound;
use crate::adapters::Adapters;
use crate::capabilities::Capabilities;
use crate::mcp::{Keeper, Notices, Server};
use crate::models::ModelSettings;
use crate::shelved::Folder;
use crate::tools::{Builtin, Terms};

pub use otlp::Otlp;

/// The name of the file.
pub const FILE: &str = "quipu.toml";

/// Nobody writes more by hand, and a program that does has made a mistake.
const BYTES_MAX: u64 = 1 << 20;

/// What `quipu.toml` says.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The tools, by the ids that specs call them by.
    pub tools: BTreeMap<Text, Tool>,
    /// Where spans go; nowhere by default.
    pub otlp: Option<Otlp>,
    /// What people may do.
    pub people: Capabilities,
    /// What tools may be used for that need a permission.
    pub grants: Vec<Text>,
    /// The models, by the names that specs and `--model` use.
    pub models: BTreeMap<Text, ModelSettings>,
    /// The MCP servers, by name.
    pub servers: BTreeMap<Text, Arc<Server>>,
    /// What servers say to runs.
    pub notices: Arc<Notices>,
    /// Keeps the sessions with the servers going.
    pub keeper: Arc<Keeper>,
    /// What answers `R namespace.VERB` that is built in.
    pub adapters: Adapters,
    /// The folders that persistent stores show, by the ids of the stores.
    pub stores: BTreeMap<Text, Arc<Folder>>,
    /// The files of the policies that hold for every graph here.
    pub policies: Vec<PathBuf>,
    /// The files that say what verbs do.
    pub contracts: Vec<PathBuf>,
}

/// What is known of a tool.
#[derive(Clone, Debug)]
pub struct Tool {
    /// What answers its calls.
    pub bound: Arc<dyn Bound>,
    /// How many of its calls may run at once, where somebody said so.
    pub concurrency: Option<usize>,
    /// What else is said of it.
    pub terms: Terms,
}

impl Tool {
    /// What is built in.
    pub(crate) fn built_in(tool: &'static Builtin) -> Tool {
        Tool::plain(Arc::new(tool))
    }

    /// One of which the operator says nothing.
    pub(crate) fn plain(bound: Arc<dyn Bound>) -> Tool {
        Tool { bound, concurrency: None, terms: Terms::default() }
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is larger than any that a person would write.
    #[error("`{}` is larger than {BYTES_MAX} bytes", path.display())]
    TooLarge {
        /// Which.
        path: PathBuf,
    },
    /// It does not say what it should. There is at least one finding.
    #[error("{}", lines(.0))]
    Wrong(Vec<Finding>),
}

/// Something wrong in `quipu.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The file, as the user knows it.
    pub file: Text,
    /// Where.
    pub at: Position,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, col } = self.at;
        write!(f, "{}:{line}:{col}: {}", self.file, self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "; {help}"))
    }
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n")
}

impl Config {
    /// The `quipu.toml` in a folder; none there is a configuration without tools.
    pub fn in_folder(folder: &Path) -> Result<Config, ConfigError> {
        let path = folder.join(FILE);
        if path.try_exists().unwrap_or(true) { Config::load(&path) } else { Ok(Config::default()) }
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        Config::load_with(path, Config::parse)
    }

    /// The files of the policies that a file names, whatever else is wrong with it.
    pub fn policies_of(path: &Path) -> Result<Vec<PathBuf>, ConfigError> {
        Config::section_of(path, "policy", read::policies)
    }

    /// The files with contracts that a file names, whatever else is wrong with it.
    pub fn contracts_of(path: &Path) -> Result<Vec<PathBuf>, ConfigError> {
        Config::section_of(path, "contracts", read::contracts)
    }

    fn section_of(
        path: &Path,
        name: &str,
        read: impl FnOnce(&Source, &Path) -> Result<Vec<PathBuf>, Vec<Finding>>,
    ) -> Result<Vec<PathBuf>, ConfigError> {
        Config::load_with(path, |source, folder| {
            // Most have none, and are read for good later. A key may be written with escapes.
            if !source.text.contains(name) && !source.text.contains('\\') {
                return Ok(Vec::new());
            }
            read(source, folder).map_err(ConfigError::Wrong)
        })
    }

    fn load_with<T>(
        path: &Path,
        parse: impl FnOnce(&Source, &Path) -> Result<T, ConfigError>,
    ) -> Result<T, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable { path: path.to_path_buf(), source };
        if std::fs::metadata(path).map_err(unreadable)?.len() > BYTES_MAX {
            return Err(ConfigError::TooLarge { path: path.to_path_buf() });
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        // A relative path would be taken from the folder that the tool runs in, which is this one.
        // The file itself is made absolute: `quipu.toml` alone has no folder that could be.
        let whole = std::path::absolute(path).map_err(unreadable)?;
        let folder = whole.parent().unwrap_or(Path::new("/"));
        let file = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => parse(&Source::new(file, text), folder),
            Err(error) => Err(not_utf8(&file, &error)),
        }
    }

    /// Reads a text. Commands are looked for in the folder, which must be absolute, and run there.
    pub fn parse(source: &Source, folder: &Path) -> Result<Config, ConfigError> {
        read::config(source, folder).map_err(ConfigError::Wrong)
    }
}

fn not_utf8(file: &str, error: &std::string::FromUtf8Error) -> ConfigError {
    let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
    let before = Source::new(file, String::from_utf8_lossy(good));
    let end = u32::try_from(before.text.len()).unwrap_or(u32::MAX);
    ConfigError::Wrong(vec![Finding {
        file: file.into(),
        at: before.position(end),
        message: "the bytes from here on are no UTF-8".to_owned(),
        help: None,
    }])
}
