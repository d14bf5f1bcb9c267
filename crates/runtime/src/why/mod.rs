//! Why a run came to an event: the last decision on its way there, what it saw, and what would
//! have led elsewhere.

mod explain;
mod ways;

use std::fmt;

use value::{Text, Value};

use crate::plan::Plan;
use crate::trace::{Step, StepKind, object, words};

/// So much of the path is told.
const PATH_MAX: usize = 20;

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
    /// `condition`, `loop`, `retry`, `handler`, `join`, `expiry`, or the code of a failure.
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

/// Why a run came to the event with this number; nothing where there is none. `plan` is the one
/// that the run goes by, `steps` are all that it has taken.
pub fn why(plan: &Plan, run: &str, steps: &[Step], seq: u64) -> Option<Why> {
    let covers = |step: &Step| step.seq + 1 - step.events.min(step.seq + 1) <= seq;
    let own = steps.iter().position(|step| step.events > 0 && covers(step) && seq <= step.seq);
    let at = own.or_else(|| steps.iter().rposition(|step| step.seq < seq))?;
    let event = match own {
        Some(own) => steps[own].to_string().into(),
        None => "an event that decides nothing".into(),
    };
    let back = Backwards { steps, at, fiber: steps[at].fiber };
    let (decided, path) = back.walk(plan);
    Some(Why { run: run.into(), seq, event, decided, path })
}

/// Goes from a step back to the last decision that led to it.
struct Backwards<'a> {
    steps: &'a [Step],
    at: usize,
    fiber: u32,
}

impl Backwards<'_> {
    fn walk(mut self, plan: &Plan) -> (Option<Decision>, Vec<Text>) {
        let mut decided = None;
        let mut path = Vec::new();
        let mut at = self.at;
        loop {
            let step = &self.steps[at];
            if step.fiber == self.fiber {
                if matches!(step.what, StepKind::Entered) {
                    path.push(step.at.clone());
                }
                // What is decided after the decision belongs to the path only.
                if decided.is_none() {
                    decided = explain::decision(plan, self.steps, at, at == self.at);
                }
                at = self.before_call(at);
            } else if let StepKind::Forked { branches, .. } = &step.what
                && branches.iter().any(|branch| branch.fiber == self.fiber)
            {
                self.fiber = step.fiber;
            }
            if at == 0 || decided.is_some() && path.len() >= PATH_MAX {
                path.truncate(PATH_MAX);
                path.reverse();
                return (decided, path);
            }
            at -= 1;
        }
    }

    /// Where a call came back, the step that made it: what was decided inside does not matter any
    /// more. Any other step is itself.
    fn before_call(&self, from: usize) -> usize {
        if !matches!(self.steps[from].what, StepKind::CameBack { turns: None, .. }) {
            return from;
        }
        let mut open = 0;
        let node = &self.steps[from].at;
        let own = |step: &Step| step.fiber == self.fiber && step.at == *node;
        for at in (0..=from).rev().filter(|at| own(&self.steps[*at])) {
            match &self.steps[at].what {
                StepKind::CameBack { .. } | StepKind::Unwound { .. } => open += 1,
                StepKind::Called { .. } => open -= 1,
                _ => {}
            }
            if open == 0 {
                return at;
            }
        }
        from
    }
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
            ("seq", Value::Int(i64::try_from(self.seq).unwrap_or(i64::MAX))),
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
