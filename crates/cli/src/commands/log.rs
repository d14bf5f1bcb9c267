//! `quipu log`

use std::io::Write;

use anyhow::{Context, Result, bail};
use history::kinds::{Class, Kind, summary};
use history::{Event, Lineage, Place, Timestamp, Timing, Visit, duration_words};
use host::{LoadError, Python, Told, tell};
use runtime::Step;
use store::{Entry, Store};
use value::{Map, Value, json};

use crate::Outcome;
use crate::args::history::Log;
use crate::find;
use crate::opened::{self, Access, open};
use crate::output::{self, Ink, Paint};

pub(crate) fn run(arguments: &Log) -> Result<Outcome> {
    let store = open(&arguments.store, Access::Read)?;
    let until = find::place(&*store, &arguments.run)?;
    let lineage = Lineage::of(&*store, &until.stream, Some(until.seq + 1))?;
    let lineage = lineage.context("a run that was found is there")?;
    if arguments.from >= lineage.until() {
        bail!("`{}` ends at {}", until.stream, lineage.until().saturating_sub(1));
    }
    let mut page = Page {
        arguments,
        out: output::page(),
        lines: Lines::new(&*store, &until),
        run: until.stream.to_string(),
        shown: 0,
        failed: Ok(()),
    };
    let read = match arguments.trace {
        true => {
            let info = store.stream(&until.stream)?.context("a run that was found is there")?;
            // What follows the last event is shown only where that is the run's last.
            let limit = (lineage.until() < info.next).then_some(lineage.until());
            let mut each = |told: Told<'_>| match told {
                Told::Event(place, entry) => page.event(place, entry),
                Told::Step(step) => page.step(&step),
            };
            let told = tell(&*store, &until.stream, limit, &mut Python::default(), &mut each);
            told.map(drop).map_err(anyhow::Error::from)
        }
        false => lineage
            .visit(&*store, None, 0, |place, entry| page.event(&place, &entry))
            .map_err(anyhow::Error::from),
    };
    page.end(read)
}

/// What is printed, as it comes.
struct Page<'a, W> {
    arguments: &'a Log,
    out: W,
    lines: Lines<'a>,
    run: String,
    /// How many events.
    shown: usize,
    failed: std::io::Result<()>,
}

impl<W: Write> Page<'_, W> {
    fn event(&mut self, place: &Place, entry: &Entry) -> Visit {
        let members = entry.event.members();
        // What was asked before the first line that is shown still tells how long things took.
        let took = self.lines.timing.observe(&entry.event, &members);
        if self.failed.is_err() || self.arguments.limit.is_some_and(|limit| self.shown >= limit) {
            return Visit::Stop;
        }
        if entry.seq < self.arguments.from {
            return Visit::More;
        }
        self.failed = if self.arguments.format.is_json() {
            self.entry(&self.lines.value(place, entry, &members))
        } else {
            let line = self.lines.line(place, entry, &members, took);
            self.out.write_all(line.as_bytes())
        };
        self.shown += 1;
        self.visit()
    }

    /// Something that the engine did behind the last event, and that no event tells of.
    fn step(&mut self, step: &Step) -> Visit {
        if self.failed.is_ok() && self.shown > 0 && step.events == 0 {
            self.failed = if self.arguments.format.is_json() {
                self.entry(&step.to_value())
            } else {
                let line = self.lines.step(step);
                self.out.write_all(line.as_bytes())
            };
        }
        self.visit()
    }

    fn visit(&self) -> Visit {
        if self.failed.is_ok() { Visit::More } else { Visit::Stop }
    }

    /// One more entry of the document, which begins with the first.
    fn entry(&mut self, value: &Value) -> std::io::Result<()> {
        if self.shown == 0 {
            self.begin()?;
        } else {
            self.out.write_all(b",")?;
        }
        write!(self.out, "\n  {}", output::visible(json::compact(value)))
    }

    fn begin(&mut self) -> std::io::Result<()> {
        let run = output::visible(json::compact(&Value::from(self.run.as_str())));
        write!(self.out, "{{\"run\": {run}, \"events\": [")
    }

    /// A document that has begun must be one to the end, also where the store is damaged, or the
    /// run is not what the engine derives.
    fn end(mut self, read: Result<()>) -> Result<Outcome> {
        std::mem::replace(&mut self.failed, Ok(()))?;
        let is_underivable = read.as_ref().is_err_and(|error| error.is::<LoadError>());
        if !self.arguments.format.is_json() || is_underivable && self.shown == 0 {
            self.out.flush()?;
            read?;
            return Ok(Outcome::Fine);
        }
        if self.shown == 0 {
            self.begin()?;
        }
        write!(self.out, "\n]")?;
        if let Err(error) = &read {
            let why = match is_underivable {
                true => Value::map([("message", output::told(error).into())]),
                false => opened::refusal(error).get("error").cloned().unwrap_or_default(),
            };
            write!(self.out, ", \"error\": {}", output::visible(json::compact(&why)))?;
        }
        writeln!(self.out, "}}")?;
        self.out.flush()?;
        match read {
            Ok(()) => Ok(Outcome::Fine),
            Err(error) if is_underivable => Err(error),
            Err(error) => {
                output::complain(&error);
                Ok(Outcome::Found)
            }
        }
    }
}

/// Makes lines of events.
struct Lines<'a> {
    store: &'a dyn Store,
    paint: Paint,
    timing: Timing,
    /// How wide the places are at most.
    width: usize,
    day: String,
}

impl<'a> Lines<'a> {
    fn new(store: &'a dyn Store, until: &Place) -> Lines<'a> {
        let width = until.to_string().chars().count();
        Lines {
            store,
            paint: Paint::stdout(),
            timing: Timing::default(),
            width,
            day: String::new(),
        }
    }

    fn summary(&self, event: &Event) -> String {
        // What is damaged or missing is no part of a line; `verify` names it.
        summary(event, |id| self.store.value(id).ok().flatten())
    }

    fn step(&self, step: &Step) -> String {
        let text: Vec<String> = step.to_string().lines().map(str::to_owned).collect();
        let lines = text.iter().map(|line| {
            format!("{}  {}\n", " ".repeat(self.width), self.paint.text(Ink::Faint, line))
        });
        lines.collect()
    }

    fn value(&self, place: &Place, entry: &Entry, members: &Map) -> Value {
        let own = |name: &str| members.get(name).cloned().unwrap_or_default();
        Value::map([
            // A run is a few thousand events; none comes near what a number holds.
            ("seq", Value::Int(entry.seq.cast_signed())),
            ("event_id", entry.event.id().into()),
            ("kind", own("kind")),
            ("ts", own("ts")),
            ("at", own("at")),
            ("summary", self.summary(&entry.event).into()),
            ("run", place.stream.to_string().into()),
            ("link", entry.link.into()),
            ("event", entry.event.value()),
        ])
    }

    fn line(&mut self, place: &Place, entry: &Entry, members: &Map, took: Option<i64>) -> String {
        let text = |name: &str| members.get(name).and_then(Value::as_text).map_or("", |text| text);
        let mut line = String::new();
        let (day, time) = match Event::ts(members).map(|ts| ts.to_string()) {
            Some(ts) => (ts[..10].to_string(), ts[11..23].to_string()),
            None => (self.day.clone(), "-".repeat(12)),
        };
        if day != self.day {
            line.push_str(&format!("{}\n", self.paint.text(Ink::Faint, &day)));
            self.day = day;
        }
        let kind = match entry.event.kind() {
            Kind::Unknown => text("kind").to_string(),
            kind => kind.name().to_string(),
        };
        let ink = ink(entry.event.kind(), members);
        let what = self.summary(&entry.event);
        let took = took.map(|micros| {
            format!("  {}", self.paint.text(Ink::Faint, &format!("({})", duration_words(micros))))
        });
        let cells = [
            self.paint.cell(Ink::Plain, &place.to_string(), self.width),
            self.paint.text(Ink::Faint, &time),
            self.paint.cell(ink, &kind, KIND_WIDTH),
            // Where in the graph it happened says more than whose run it is.
            self.paint.text(
                Ink::Faint,
                if text("at").is_empty() { text("agent_id") } else { text("at") },
            ),
            what,
        ];
        let cells: Vec<String> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
        line.push_str(cells.join("  ").trim_end());
        line.push_str(&took.unwrap_or_default());
        line.push('\n');
        line
    }
}

/// Most kinds are not longer.
const KIND_WIDTH: usize = 19;

fn ink(kind: Kind, members: &Map) -> Ink {
    let is = |name: &str, words: &[&str]| {
        let word = members.get(name).and_then(Value::as_text);
        word.is_some_and(|word| words.contains(&&**word))
    };
    let is_bad = is("status", &["error", "timeout", "canceled", "interrupted"])
        || is("exit", &["error", "aborted"])
        || is("outcome", &["error", "unsupported", "evaluator_error"]);
    match kind.row().map(|row| row.class) {
        _ if is_bad || kind == Kind::Interruption => Ink::Bad,
        Some(Class::Intent) => Ink::Intent,
        Some(Class::Transition) => Ink::Transition,
        Some(Class::Observation) => Ink::Plain,
        Some(Class::Provenance | Class::Cache) | None => Ink::Faint,
    }
}

/// A time that a user wrote.
pub(crate) fn time(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z"))).with_context(
        || format!("`{text}` is no time; write `2026-11-15` or `2026-11-15T17:10:00Z`"),
    )
}
