//! `[otlp]`

use toml::de::{DeTable, DeValue};

use super::reader::{Item, Known, Place, Reader, is_variable, text};
use crate::otlp::Collector;
use crate::secrets::Source;

/// Where spans go whenever a run stops.
#[derive(Clone, Debug, PartialEq)]
pub struct Otlp {
    /// The address of a collector. INVARIANT: one that [`Collector::new`] takes.
    pub endpoint: String,
    /// Whether prompts, answers, arguments and results go with them.
    pub content: bool,
    /// Where the headers are; by default in the variables of OpenTelemetry.
    pub headers: Option<Source>,
}

const MEMBERS: Known = &[
    ("endpoint", "the address of a collector, such as `\"http://127.0.0.1:4318\"`"),
    ("content", "`true` or `false`"),
    (
        "headers",
        "the name of a variable that holds `name=value,name=value`, or `{ file = \"PATH\" }`",
    ),
];

impl Reader<'_> {
    pub(super) fn otlp(&mut self, at: Place, value: Item<'_, '_>) -> Option<Otlp> {
        let DeValue::Table(table) = value.get_ref() else {
            self.found(at, "`otlp` must be a table: write `[otlp]`");
            return None;
        };
        let table: &DeTable<'_> = table;
        let members = self.members(table, MEMBERS);
        let endpoint = self.given(&members, "endpoint", text);
        let content = self.given(&members, "content", |value| value.as_bool()).unwrap_or(false);
        let headers = match members.get("headers") {
            Some(item) if item.get_ref().is_table() => self.source(item),
            _ => self.given(&members, "headers", |value| {
                let name = text(value).filter(|name| is_variable(name) && !name.contains(' '));
                name.map(Source::Variable)
            }),
        };
        let Some(written) = members.get("endpoint") else {
            let help = Some("write `endpoint = \"http://127.0.0.1:4318\"`".to_owned());
            self.helped(at, "`[otlp]` needs an `endpoint`", help);
            return None;
        };
        let endpoint = endpoint?;
        if let Err(unusable) = Collector::new(&endpoint) {
            self.found(written.span(), unusable.to_string());
            return None;
        }
        Some(Otlp { endpoint, content, headers })
    }
}
