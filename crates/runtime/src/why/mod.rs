//! Why a run came to an event: the last decision on its way there, what it saw, and what would
//! have led elsewhere.

mod explain;
mod trail;
mod ways;

use std::fmt;

use value::{Text, Value};

use crate::trace::{object, words};

pub use trail::Trail;

/// Why a run came to an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// Which run.
    pub run: Text,
    /// The number of the event.
    pub seq: u64,
    /// What the event tells of, in one line.
    pub event: Text,
    /// The last decision before it; nothing where there was only one way to go.
    pub decided: Option<Decision>,
    /// The last processes that led there.
    pub path: Vec<Text>,
}

/// A decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Where it led, or what it was.
    pub decision: Text,
    /// What decided: `explicit`, `inline`, `polarity`, `default` for a text of a gate, else
    /// `condition`, `loop`, `retry`, `handler`, `join`, `expiry`, `policy`, `person`, or the code of
    /// a failure.
    pub source: Text,
    /// The author's text, or the reason.
    pub text: Text,
    /// The node that decided.
    pub at: Text,
    /// What it looked at.
    pub values: Vec<(Text, Value)>,
    /// What could have been instead.
    pub not_taken: Vec<NotTaken>,
}

/// A way that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct NotTaken {
    /// Where it leads; nothing where the label would have ended.
    pub target: Option<Text>,
    /// What would have led there.
    pub needs: Text,
}

impl Why {
    /// `{"run", "seq", "decision", "source", "text", "at", "values", "not_taken", "path"}`.
    pub fn to_value(&self) -> Value {
        let decided = self.decided.as_ref();
        let not_taken = decided.into_iter().flat_map(|decided| &decided.not_taken).map(|way| {
            Value::map([
                ("target", Value::from(way.target.clone())),
                ("needs", way.needs.clone().into()),
            ])
        });
        let values = decided.map_or(&[][..], |decided| &decided.values);
        Value::map([
            ("run", Value::Text(self.run.clone())),
            ("seq", Value::count(self.seq)),
            ("decision", decided.map(|decided| decided.decision.clone()).into()),
            ("source", decided.map(|decided| decided.source.clone()).into()),
            ("text", decided.map(|decided| decided.text.clone()).into()),
            ("at", decided.map(|decided| decided.at.clone()).into()),
            ("values", object(values)),
            ("not_taken", Value::list(not_taken)),
            ("path", Value::list(self.path.iter().map(|label| label.clone().into()))),
        ])
    }
}

/// A few lines for people.
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}@{} {}", self.run, self.seq, self.event)?;
        match &self.decided {
            None => writeln!(f, "  nothing was decided before it: there was one way to go")?,
            Some(decided) => {
                writeln!(f, "  decided at {}: {}", decided.at, decided.decision)?;
                writeln!(f, "  because of {}: {}", decided.source, decided.text)?;
                if !decided.values.is_empty() {
                    writeln!(f, "  with {}", words(&decided.values))?;
                }
                for way in &decided.not_taken {
                    let target = way.target.as_deref().unwrap_or("the end of the label");
                    writeln!(f, "  {target} would have needed: {}", way.needs)?;
                }
            }
        }
        writeln!(f, "  path: {}", self.path.join(" > "))
    }
}
