//! What a run came to, in a form in which two interpreters can be compared.

use std::fmt;

use value::{Map, Text, Value, json};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The first fiber ended, and returned this.
    Done(Value),
    /// The run failed with an error of this code.
    Failed(Text),
}

/// Something that was asked of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The node, as `label/n1`.
    pub at: Text,
    /// What was asked: `model PROMPT`, `tool NAME ARGS`, `person PROMPT` or the adapter's verb,
    /// with JSON in canonical form.
    pub request: Text,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The frame of the first fiber when it ended, as [`comparable`] leaves it.
    pub state: Map,
    /// The processes in the order in which they began.
    pub path: Vec<Text>,
    /// What was asked of the world, in this order.
    pub effects: Vec<Asked>,
}

/// A frame without what two interpreters may say differently: the words of a message, and the
/// digits of a UUID. Members are in the order of their names.
pub fn comparable<'a>(frame: impl IntoIterator<Item = (&'a Text, &'a Value)>) -> Map {
    let mut members: Vec<(Text, Value)> = frame
        .into_iter()
        .map(|(name, value)| {
            let value = match (&**name, value) {
                ("_error", error) => {
                    Value::map([("code", error.get("code").cloned().unwrap_or_default())])
                }
                ("_uuid", Value::Text(text)) if text.len() == 36 => Value::text("a UUID"),
                (_, value) => value.clone(),
            };
            (name.clone(), value)
        })
        .collect();
    members.sort_by(|left, right| left.0.cmp(&right.0));
    members.into_iter().collect()
}

/// The form of a case: one line each for the end, the path, what was asked, and the state.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.status {
            Status::Done(value) => writeln!(f, "done {}", json::compact(value))?,
            Status::Failed(code) => writeln!(f, "failed {code}")?,
        }
        writeln!(f, "path {}", self.path.join(" "))?;
        for asked in &self.effects {
            writeln!(f, "asked {} {}", asked.at, asked.request)?;
        }
        writeln!(f, "state {}", json::canonical(&self.state.clone().into()))
    }
}
