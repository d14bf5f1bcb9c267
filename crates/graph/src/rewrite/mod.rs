//! Changes to a graph, all of them or none.
//!
//! A patch works on a copy: node ids are those of the document given, new nodes go by the names
//! the patch gives them, and numbers are given out once, at the end. What is derived is derived
//! again, and a result that is not valid is refused.

mod edit;
mod ops;
mod patch;

pub(crate) use edit::{edge, finish};
pub use patch::{Change, NewNode, Patch};

use diagnostics::render;
use value::{Text, Value};

use crate::hash::Hashes;
use crate::model::Graph;
use crate::validate::{Edges, validate};

/// Why a patch was not applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What kind of reason; stable.
    pub code: &'static str,
    /// The reason, for people.
    pub message: String,
    /// What else a program may want to know.
    pub details: Value,
}

impl Refusal {
    fn new(code: &'static str, message: String) -> Refusal {
        Refusal { code, message, details: Value::Null }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Refusal {
        let mut details = self.details.as_map().cloned().unwrap_or_default();
        details.insert(name.into(), value.into());
        self.details = details.into();
        self
    }
}

/// The patch is not one.
pub const INVALID: &str = "PATCH_INVALID";
/// The graph is not the one the patch was made for.
pub const PRECONDITION: &str = "PATCH_PRECONDITION";
/// A label that does not exist.
pub const LABEL: &str = "PATCH_LABEL";
/// A node that does not exist, or cannot take the change.
pub const NODE: &str = "PATCH_NODE";
/// The result would not be valid.
pub const VALIDATE: &str = "PATCH_VALIDATE";

/// Applies a patch. The graph itself stays as it is.
pub fn rewrite(graph: &Graph, patch: &Patch) -> Result<Graph, Refusal> {
    require(graph, patch)?;
    let mut edited = graph.clone();
    for (position, change) in patch.changes.iter().enumerate() {
        ops::apply(&mut edited, change).map_err(|refusal| refusal.with("op", position as i64))?;
    }
    edit::finish(&mut edited);
    let findings = validate(&edited, Edges::Strict);
    if findings.is_empty() {
        return Ok(edited);
    }
    let lines: Vec<String> = findings.iter().map(render::headline).collect();
    let first = &lines[0];
    let mut message = format!("the result would not be valid: {first}");
    if lines.len() > 1 {
        message.push_str(&format!(" (and {} more)", lines.len() - 1));
    }
    if validate(graph, Edges::Strict).iter().any(|finding| render::headline(finding) == *first) {
        message.push_str("; the graph has this already, so mend it in the same patch");
    }
    let lines = Value::list(lines.into_iter().map(Value::text));
    Err(Refusal::new(VALIDATE, message).with("findings", lines))
}

fn require(graph: &Graph, patch: &Patch) -> Result<(), Refusal> {
    if patch.requires_checksum.is_none() && patch.requires_label_hash.is_empty() {
        return Ok(());
    }
    let hashes = Hashes::of(graph);
    let differs = |what: String, wanted: &Text, found: String| {
        Refusal::new(PRECONDITION, format!("{what} is {found}, and the patch needs {wanted}"))
            .with("required", Value::Text(wanted.clone()))
            .with("found", found)
    };
    if let Some(wanted) = &patch.requires_checksum {
        let found = hashes.checksum.to_string();
        if found != **wanted {
            return Err(differs("the graph's checksum".to_string(), wanted, found));
        }
    }
    for (label, wanted) in &patch.requires_label_hash {
        let Some(found) = hashes.labels.get(label) else {
            return Err(Refusal::new(LABEL, format!("there is no label `{label}`")));
        };
        let found = found.label.to_string();
        if found != **wanted {
            return Err(differs(format!("the hash of label `{label}`"), wanted, found));
        }
    }
    Ok(())
}
