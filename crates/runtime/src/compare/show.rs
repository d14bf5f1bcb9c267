//! Comparisons as JSON, and for people.

use std::fmt;

use value::{Map, Text, Value};

use super::{Cause, Comparison, Effect, Effects, Parted, Paths, States};
use crate::run::Usage;
use crate::trace::{Asking, shown};

/// So many processes, names or calls of each side are shown.
const SHOWN_MAX: usize = 50;

/// So much of an answer is given; the events hold the rest.
const ANSWER_MAX: usize = 500;

impl Cause {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Input => "input",
            Cause::Answer => "answer",
            Cause::Decision => "decision",
            Cause::Graph => "graph",
            Cause::Request => "request",
            Cause::Logic => "logic",
            Cause::Clock => "clock",
            Cause::Order => "order",
            Cause::End => "end",
        }
    }
}

impl Comparison {
    /// `{"equal", "parted", "path", "state", "effects", "usage"}`.
    pub fn to_value(&self) -> Value {
        Value::map([
            ("equal", Value::Bool(self.is_equal())),
            ("parted", self.parted.as_ref().map(Parted::to_value).into()),
            ("path", self.path.to_value()),
            ("state", self.state.to_value()),
            ("effects", self.effects.to_value()),
            ("usage", Value::map([("a", self.usage.0.to_value()), ("b", self.usage.1.to_value())])),
        ])
    }
}

impl Parted {
    fn to_value(&self) -> Value {
        Value::map([
            ("a", Value::Text(self.a.clone())),
            ("b", self.b.clone().into()),
            ("why", self.why.word().into()),
            ("a_did", self.a_did.clone().into()),
            ("b_did", self.b_did.clone().into()),
        ])
    }
}

impl Paths {
    fn to_value(&self) -> Value {
        let first = |path: &[Text]| {
            Value::list(path.iter().take(SHOWN_MAX).map(|label| label.clone().into()))
        };
        let more = |path: &[Text]| Value::count(path.len().saturating_sub(SHOWN_MAX));
        Value::map([
            ("common", Value::count(self.common)),
            ("a", first(&self.a)),
            ("b", first(&self.b)),
            ("a_omitted", more(&self.a)),
            ("b_omitted", more(&self.b)),
        ])
    }
}

impl States {
    fn to_value(&self) -> Value {
        let different = self
            .different
            .iter()
            .map(|(name, a, b)| (name.clone(), Value::map([("a", a.clone()), ("b", b.clone())])));
        Value::map([
            ("only_a", self.only_a.clone().into()),
            ("only_b", self.only_b.clone().into()),
            ("different", Value::map(different)),
        ])
    }
}

/// A value, or the beginning of its text where it is long.
fn bounded(value: &Value) -> Value {
    let text = functions::shown(value);
    match text.char_indices().nth(ANSWER_MAX) {
        Some((end, _)) => Value::text(format!("{}…", &text[..end])),
        None => value.clone(),
    }
}

impl Effect {
    fn to_value(&self) -> Value {
        let (answer, error) = match &self.answer {
            None => (Value::Null, Value::Null),
            Some(Ok(answer)) => (bounded(answer), Value::Null),
            Some(Err(fault)) => (Value::Null, fault.to_value()),
        };
        let request = match self.request.to_value() {
            Value::Map(members) => {
                Value::map(members.iter().map(|(name, value)| (name.clone(), bounded(value))))
            }
            other => other,
        };
        Value::map([
            ("at", Value::Text(self.at.clone())),
            ("call", self.call.clone().into()),
            ("seq", Value::count(self.seq)),
            ("request", request),
            ("answer", answer),
            ("error", error),
        ])
    }
}

impl Effects {
    fn to_value(&self) -> Value {
        let all = |effects: &[Effect]| Value::list(effects.iter().map(Effect::to_value));
        let changed = self.changed.iter().map(|(a, b)| {
            Value::map([
                ("at", Value::Text(a.at.clone())),
                ("a", a.to_value()),
                ("b", b.to_value()),
            ])
        });
        Value::map([
            ("removed", all(&self.removed)),
            ("added", all(&self.added)),
            ("changed", Value::list(changed)),
        ])
    }
}

impl Usage {
    /// For programs.
    pub fn to_value(&self) -> Value {
        Value::map([
            ("prompt_tokens", Value::count(self.prompt_tokens)),
            ("completion_tokens", Value::count(self.completion_tokens)),
            ("model_calls", Value::count(self.model_calls)),
            ("tool_calls", Value::count(self.tool_calls)),
            ("steps", Value::count(self.steps)),
            ("visits", Value::count(self.visits)),
            ("cost", Value::text(self.cost.to_string())),
        ])
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens = self.prompt_tokens + self.completion_tokens;
        let (models, tools) = (self.model_calls, self.tool_calls);
        write!(f, "{models} model calls, {tools} tool calls, {tokens} tokens, cost {}", self.cost)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.call, Asking(&self.request))?;
        match &self.answer {
            None => f.write_str(" -> no answer"),
            Some(Ok(answer)) => write!(f, " -> {}", shown(answer)),
            Some(Err(fault)) => write!(f, " -> {fault}"),
        }
    }
}

/// Where they part first, then what is different.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (a, b) = &self.runs;
        if self.is_equal() {
            return writeln!(f, "{a} and {b} did the same, and came to the same");
        }
        match &self.parted {
            None => writeln!(f, "{a} and {b} took the same steps")?,
            Some(parted) => {
                writeln!(f, "they part at {} and {}: {}", parted.a, parted.b, parted.why.word())?;
                let did = |did: &Option<Text>| did.clone().unwrap_or_else(|| "nothing more".into());
                writeln!(f, "  {a}: {}", did(&parted.a_did))?;
                writeln!(f, "  {b}: {}", did(&parted.b_did))?;
            }
        }
        self.path.write(f, a, b)?;
        self.state.write(f, a, b)?;
        self.effects.write(f, a, b)?;
        writeln!(f, "usage")?;
        writeln!(f, "  {a}: {}", self.usage.0)?;
        writeln!(f, "  {b}: {}", self.usage.1)
    }
}

impl Paths {
    fn write(&self, f: &mut fmt::Formatter<'_>, a: &str, b: &str) -> fmt::Result {
        if self.a.is_empty() && self.b.is_empty() {
            return writeln!(f, "path: the same {} processes", self.common);
        }
        writeln!(f, "path: {} processes in common, then", self.common)?;
        for (run, rest) in [(a, &self.a), (b, &self.b)] {
            let labels: Vec<&str> = rest.iter().take(SHOWN_MAX).map(|label| &**label).collect();
            let more = if rest.len() > SHOWN_MAX { " > …" } else { "" };
            match labels.is_empty() {
                true => writeln!(f, "  {run}: nothing")?,
                false => writeln!(f, "  {run}: {}{more}", labels.join(" > "))?,
            }
        }
        Ok(())
    }
}

impl States {
    fn write(&self, f: &mut fmt::Formatter<'_>, a: &str, b: &str) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "state: the same");
        }
        writeln!(f, "state")?;
        for (name, one, other) in self.different.iter().take(SHOWN_MAX) {
            writeln!(f, "  {name}: {} | {}", shown(one), shown(other))?;
        }
        write_rest(f, self.different.len())?;
        let mut only = |run: &str, names: &Map| {
            for (name, value) in names.iter().take(SHOWN_MAX) {
                writeln!(f, "  {name}: only in {run}: {}", shown(value))?;
            }
            write_rest(f, names.len())
        };
        only(a, &self.only_a)?;
        only(b, &self.only_b)
    }
}

impl Effects {
    fn write(&self, f: &mut fmt::Formatter<'_>, a: &str, b: &str) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "effects: the same");
        }
        writeln!(f, "effects")?;
        for (one, other) in self.changed.iter().take(SHOWN_MAX) {
            writeln!(f, "  {}", one.at)?;
            writeln!(f, "    {a}: {one}")?;
            writeln!(f, "    {b}: {other}")?;
        }
        write_rest(f, self.changed.len())?;
        for (run, effects) in [(a, &self.removed), (b, &self.added)] {
            for effect in effects.iter().take(SHOWN_MAX) {
                writeln!(f, "  {}: only in {run}: {effect}", effect.at)?;
            }
            write_rest(f, effects.len())?;
        }
        Ok(())
    }
}

/// Says how many of so many are not shown.
fn write_rest(f: &mut fmt::Formatter<'_>, all: usize) -> fmt::Result {
    match all.checked_sub(SHOWN_MAX) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(f, "  … and {more} more"),
    }
}
