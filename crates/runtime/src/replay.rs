//! Runs a history again: what was recorded is taken in, everything else is derived, and the first
//! event that the engine would have written differently is told with both sides.

use std::fmt;
use std::sync::Arc;

use history::Event;
use history::kinds::Fact;
use value::Value;

use crate::fold::{Difference, Fold};
use crate::logic::Logic;
use crate::plan::Plan;

/// What came of running a history again.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// How many events there were.
    pub events: u64,
    /// The first that differs. What comes after it follows from something else, and says nothing.
    pub first_difference: Option<Difference>,
}

/// Runs a history again, by the graph it was recorded with or by another one.
pub struct Replay {
    fold: Fold,
    replayed: Replayed,
}

impl Replay {
    /// Nothing yet.
    pub fn new(plan: Arc<Plan>) -> Replay {
        Replay { fold: Fold::new(plan), replayed: Replayed::default() }
    }

    /// A fork goes on by another graph, as the event says that comes next.
    pub fn change_plan(&mut self, seq: u64, event: &Event, plan: Arc<Plan>) {
        if self.replayed.first_difference.is_some() {
            return;
        }
        if let Err(refused) = self.fold.change_plan(plan) {
            let why: Vec<String> = refused.iter().map(ToString::to_string).collect();
            self.replayed.first_difference = Some(Difference {
                seq,
                recorded: event.clone(),
                derived: None,
                why: Some(why.join("; ")),
            });
        }
    }

    /// Takes one more event in.
    pub fn take(&mut self, seq: u64, event: &Event, fact: &Fact, logic: &mut dyn Logic) {
        self.replayed.events += 1;
        if self.replayed.first_difference.is_none() {
            self.replayed.first_difference = self.fold.take(seq, event, fact, logic).err();
        }
    }

    /// The run as far as it is known to be as it was.
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// What came of it.
    pub fn finish(self) -> Replayed {
        self.replayed
    }
}

impl Difference {
    /// `{"seq", "recorded", "derived", "why"}`.
    pub fn to_value(&self) -> Value {
        Value::map([
            ("seq", Value::Int(i64::try_from(self.seq).unwrap_or(i64::MAX))),
            ("recorded", self.recorded.value()),
            ("derived", self.derived.as_ref().map(|derived| derived.value()).into()),
            ("why", self.why.clone().into()),
        ])
    }
}

/// Both sides, for people.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "event {} differs", self.seq)?;
        writeln!(f, "  recorded: {}", self.recorded.body())?;
        match &self.derived {
            Some(derived) => writeln!(f, "  derived:  {}", derived.body())?,
            None => writeln!(f, "  derived:  nothing")?,
        }
        match &self.why {
            Some(why) => writeln!(f, "  because:  {why}"),
            None => Ok(()),
        }
    }
}

impl Replayed {
    /// `{"ok", "events", "first_difference"}`.
    pub fn to_value(&self) -> Value {
        let difference = self.first_difference.as_ref();
        Value::map([
            ("ok", difference.is_none().into()),
            ("events", Value::Int(i64::try_from(self.events).unwrap_or(i64::MAX))),
            ("first_difference", difference.map(Difference::to_value).into()),
        ])
    }
}
