//! Where a history and the engine disagree.

use std::fmt;

use history::Event;
use value::{Value, json};

/// Where the history and the engine disagree.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The number of the event.
    pub seq: u64,
    /// What was recorded.
    pub recorded: Event,
    /// What the engine would record; nothing where it would wait.
    pub derived: Option<Box<Event>>,
    /// In words, where the engine cannot take the event at all.
    pub why: Option<String>,
}

impl Difference {
    /// `{"seq", "recorded", "derived", "why"}`.
    pub fn to_value(&self) -> Value {
        Value::map([
            ("seq", Value::count(self.seq)),
            ("recorded", self.recorded.value()),
            ("derived", self.derived.as_ref().map(|derived| derived.value()).into()),
            ("why", self.why.clone().into()),
        ])
    }
}

/// Both sides, without what is the same in both.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded = self.recorded.members();
        let Some(derived) = &self.derived else {
            let why = self.why.as_deref().unwrap_or("nothing was derived");
            let kind = self.recorded.kind().name();
            return write!(f, "they part at {}: `{kind}` was recorded, and {why}", self.seq);
        };
        let derived = derived.members();
        write!(f, "they part at {}:", self.seq)?;
        let mut names: Vec<_> = recorded.keys().chain(derived.keys()).collect();
        names.sort();
        names.dedup();
        for name in names {
            let (own, other) = (recorded.get(name), derived.get(name));
            if own != other {
                let shown = |value: Option<&Value>| value.map_or("-".to_owned(), json::compact);
                write!(f, "\n  {name}")?;
                write!(f, "\n    recorded  {}", shown(own))?;
                write!(f, "\n    derived   {}", shown(other))?;
            }
        }
        Ok(())
    }
}
