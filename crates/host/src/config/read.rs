//! From the text of `quipu.toml` to what it says: one file for each section.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diagnostics::{Source, plain};
use toml::de::DeTable;

use super::reader::Reader;
use super::{Config, Finding};
use crate::capabilities::Capabilities;

/// How many places where a text is no TOML are shown.
const BREAKS_MAX: usize = 10;

/// The sections that there are.
const SECTIONS: &[&str] = &[
    "adapters",
    "contracts",
    "grants",
    "mcp",
    "models",
    "otlp",
    "people",
    "policy",
    "stores",
    "tools",
];

pub(super) fn config(source: &Source, folder: &Path) -> Result<Config, Vec<Finding>> {
    read(source, folder, |reader, document| reader.document(document))
}

/// Only what it says of policies: who checks a graph needs nothing else to be there.
pub(super) fn policies(source: &Source, folder: &Path) -> Result<Vec<PathBuf>, Vec<Finding>> {
    read(source, folder, |reader, document| match document.get_key_value("policy") {
        Some((name, value)) => reader.policies(name.span(), value),
        None => Vec::new(),
    })
}

/// Only what it says of contracts, for the same reason.
pub(super) fn contracts(source: &Source, folder: &Path) -> Result<Vec<PathBuf>, Vec<Finding>> {
    read(source, folder, |reader, document| match document.get_key_value("contracts") {
        Some((name, value)) => reader.contracts(name.span(), value),
        None => Vec::new(),
    })
}

fn read<T>(
    source: &Source,
    folder: &Path,
    document: impl FnOnce(&mut Reader<'_>, &DeTable<'_>) -> T,
) -> Result<T, Vec<Finding>> {
    let (unmade, writable, servers) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut reader = Reader { source, folder, findings: Vec::new(), unmade, writable, servers };
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    for error in &errors {
        let message = format!("this is not TOML: {}", plain(error.message()));
        reader.found(error.span().unwrap_or_default(), message);
    }
    // What follows on a line that cannot be read only repeats the error, and so does what the
    // rest of the text seems to say.
    reader.findings.dedup_by_key(|finding| finding.at.line);
    reader.findings.truncate(BREAKS_MAX);
    let read = errors.is_empty().then(|| document(&mut reader, table.get_ref()));
    reader.findings.sort_by_key(|finding| finding.at);
    match read {
        Some(read) if reader.findings.is_empty() => Ok(read),
        _ => Err(reader.findings),
    }
}

impl Reader<'_> {
    fn document(&mut self, document: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        if let Some((name, value)) = document.get_key_value("mcp") {
            self.servers(name.span(), value, &mut config);
        }
        for (name, value) in document.iter() {
            let (name, at) = (name.get_ref().as_ref(), name.span());
            match name {
                "otlp" => config.otlp = self.otlp(at, value),
                "people" => {
                    let people = self.named(name, at, value, Self::person);
                    config.people = Capabilities::new(people);
                }
                "models" => config.models = self.named(name, at, value, Self::model),
                "contracts" => config.contracts = self.contracts(at, value),
                "mcp" => {}
                "policy" => config.policies = self.policies(at, value),
                "stores" => config.stores = self.named(name, at, value, Self::store),
                "tools" => config.tools = self.named(name, at, value, Self::tool),
                "adapters" => config.adapters = self.adapters(at, value),
                "grants" => config.grants = self.grants(at, value),
                _ => self.unknown(at, "key", name, SECTIONS),
            }
        }
        self.make_composites(&mut config.tools);
        self.refuse_written_programs(&config.tools);
        config
    }
}
