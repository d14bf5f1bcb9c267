//! From the text of `quipu.toml` to what it says: one file for each section.

use std::collections::BTreeMap;
use std::path::Path;

use diagnostics::{Source, plain};
use toml::de::DeTable;

use super::reader::Reader;
use super::{Config, Finding};
use crate::capabilities::Capabilities;

/// How many places where a text is no TOML are shown.
const BREAKS_MAX: usize = 10;

/// The sections that there are.
const SECTIONS: &[&str] = &["grants", "mcp", "models", "otlp", "people", "stores", "tools"];

pub(super) fn config(source: &Source, folder: &Path) -> Result<Config, Vec<Finding>> {
    let (unmade, writable, servers) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut reader = Reader { source, folder, findings: Vec::new(), unmade, writable, servers };
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    for error in &errors {
        let message = format!("this is not TOML: {}", plain(error.message()));
        reader.found(error.span().unwrap_or_default(), message);
    }
    // What follows on a line that cannot be read only repeats the error, and so does what the
    // rest of the text seems to say.
    reader.findings.dedup_by_key(|finding| finding.at.line);
    reader.findings.truncate(BREAKS_MAX);
    let config = errors.is_empty().then(|| reader.document(document.get_ref()));
    reader.findings.sort_by_key(|finding| finding.at);
    match config {
        Some(config) if reader.findings.is_empty() => Ok(config),
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
                "mcp" => {}
                "stores" => config.stores = self.named(name, at, value, Self::store),
                "tools" => config.tools = self.named(name, at, value, Self::tool),
                "grants" => config.grants = self.grants(at, value),
                _ => self.unknown(at, "key", name, SECTIONS),
            }
        }
        self.make_composites(&mut config.tools);
        self.refuse_written_programs(&config.tools);
        config
    }
}
