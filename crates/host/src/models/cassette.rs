//! `record:FILE` keeps what models answer, `replay:FILE` answers from it.
//!
//! A cassette is a text with a line of JSON per question:
//! `{"key": HASH, "turn": N, "question": {...}, "answer": {...}}`, or `"error"` in place of
//! `"answer"`. The hash is that of the question, so that equal questions are found at once.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diagnostics::Source;
use history::kinds::records::Error;
use runtime::{Answer, Fault, FaultKind, ModelAnswer, ModelCall, Offered, Request, Said, ToolUse};
use value::{Digest, Text, Value, json};

use super::{ModelError, read_json};
use crate::adapter::{Adapter, Call, Calling};

/// What makes two questions the same, in the order in which differences are told. Which model is
/// asked does not: it is this cassette when it answers, and was another one when it was recorded.
const PARTS: [&str; 7] = ["agent", "schema", "params", "tools", "system", "prompt", "talk"];

/// What was said after the question and the tools that are offered count only where there are any,
/// so that cassettes from before there were any still answer.
fn question(call: &ModelCall) -> Value {
    let mut members = vec![
        ("agent", Value::Text(call.agent.clone())),
        ("schema", call.schema.clone().into()),
        ("params", call.params.clone().into()),
        ("system", Value::Text(call.system.clone())),
        ("prompt", Value::Text(call.prompt.clone())),
    ];
    if !call.tools.is_empty() {
        members.push(("tools", Value::list(call.tools.iter().map(offered_value))));
    }
    if !call.talk.is_empty() {
        members.push(("talk", Value::list(call.talk.iter().map(said_value))));
    }
    Value::map(members)
}

fn offered_value(offered: &Offered) -> Value {
    Value::map([
        ("name", Value::Text(offered.name.clone())),
        ("description", Value::Text(offered.description.clone())),
        ("input", offered.input.clone()),
    ])
}

/// By what everybody understands: what a provider sent beside it, such as signatures, is another
/// each time.
fn said_value(said: &Said) -> Value {
    match said {
        Said::Us(text) => Value::map([("us", Value::Text(text.clone()))]),
        Said::Model(answer) => {
            let uses = answer.uses.iter().map(use_value);
            let text = Value::Text(answer.text.clone());
            Value::map([("model", text), ("uses", Value::list(uses))])
        }
        Said::Tools(replies) => {
            let replies = replies.iter().map(|reply| {
                Value::map([
                    ("id", Value::Text(reply.id.clone())),
                    ("name", Value::Text(reply.name.clone())),
                    ("output", reply.output.clone()),
                    ("is_error", reply.is_error.into()),
                ])
            });
            Value::map([("tools", Value::list(replies))])
        }
    }
}

fn use_value(wanted: &ToolUse) -> Value {
    Value::map([
        ("id", Value::Text(wanted.id.clone())),
        ("name", Value::Text(wanted.name.clone())),
        ("input", wanted.input.clone().into()),
    ])
}

/// Asks another adapter, and keeps each question with its answer.
pub struct Recorder {
    tape: Arc<Tape>,
    inner: Arc<dyn Adapter>,
}

struct Tape {
    path: PathBuf,
    file: Mutex<File>,
}

impl Recorder {
    /// Adds to a file, or begins one. A last line that a crash cut off is removed.
    pub fn open(path: &Path, inner: Arc<dyn Adapter>) -> Result<Recorder, ModelError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.and_then(|file| {
            let bytes = std::fs::read(path)?;
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if whole < bytes.len() {
                file.set_len(whole as u64)?;
            }
            Ok(file)
        });
        let file = Mutex::new(file.map_err(ModelError::unusable(path))?);
        Ok(Recorder { tape: Arc::new(Tape { path: path.to_path_buf(), file }), inner })
    }
}

impl Tape {
    /// An answer that cannot be kept is a failure: nobody would notice before the replay.
    fn keep(&self, call: &ModelCall, answer: Answer) -> Answer {
        match self.write(call, &answer) {
            Ok(()) => answer,
            Err(error) => {
                let path = self.path.display();
                let message = format!("the answer could not be kept in `{path}`: {error}");
                let details = match &answer {
                    Answer::Model(given) => {
                        Some(Value::map([("text", Value::Text(given.text.clone()))]))
                    }
                    _ => None,
                };
                Answer::Failed(Fault { details, ..Fault::new(FaultKind::Model, message) })
            }
        }
    }

    fn write(&self, call: &ModelCall, answer: &Answer) -> io::Result<()> {
        let (name, answer) = match answer {
            Answer::Model(given) => ("answer", answer_value(given)),
            Answer::Failed(fault) => ("error", fault.to_value()),
            _ => return Err(io::Error::other("no model answers like this")),
        };
        let question = question(call);
        let key = value::digest(&question);
        let mut line = json::compact(&Value::map([
            ("key", Value::text(format!("{key:x}"))),
            ("turn", Value::Int(call.turn.into())),
            ("question", question),
            (name, answer),
        ]));
        line.push('\n');
        // One write, so that no other line comes between.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.flush()
    }
}

impl Adapter for Recorder {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(asked) = call.request.clone() else { return Calling::misrouted(&call) };
        let tape = Arc::clone(&self.tape);
        match self.inner.call(call) {
            Calling::Now(answer) => Calling::Now(tape.keep(&asked, answer)),
            Calling::Later(answer) => {
                Calling::Later(Box::pin(async move { tape.keep(&asked, answer.await) }))
            }
        }
    }
}

/// Answers what was asked before as it was answered then, and nothing else.
#[derive(Debug)]
pub struct Replayer {
    path: Text,
    entries: Vec<Entry>,
    /// The places of equal questions, in the order in which they were asked.
    places: BTreeMap<Digest, Vec<usize>>,
    /// Which entries have answered already.
    taken: Mutex<Vec<bool>>,
}

#[derive(Debug)]
struct Entry {
    turn: i64,
    question: Value,
    answer: Answer,
}

impl Replayer {
    /// Reads a cassette. A last line that a crash cut off does not count.
    pub fn load(path: &Path) -> Result<Replayer, ModelError> {
        let text = std::fs::read_to_string(path).map_err(ModelError::unusable(path))?;
        let name = path.display().to_string();
        let mut entries = Vec::new();
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if let Some(line) = line.strip_suffix('\n').filter(|line| !line.trim().is_empty()) {
                entries.push(entry(&Source::piece(name.as_str(), number + 1, line))?);
            }
        }
        let mut places: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for (place, entry) in entries.iter().enumerate() {
            places.entry(value::digest(&entry.question)).or_default().push(place);
        }
        let taken = Mutex::new(vec![false; entries.len()]);
        Ok(Replayer { path: name.into(), entries, places, taken })
    }

    /// The answer of the same question at the same turn, so that a run that is resumed goes on
    /// where it was; else the first that nobody took yet.
    fn answer(&self, call: &ModelCall) -> Result<Answer, Fault> {
        let asked = question(call);
        let places = self.places.get(&value::digest(&asked)).map_or(&[][..], Vec::as_slice);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = places.iter().copied().filter(|place| !taken[*place]);
        let same_turn = |place: &usize| self.entries[*place].turn == i64::from(call.turn);
        let place = open.clone().find(same_turn).or_else(|| open.next()).ok_or_else(|| {
            let message = match places.len() {
                0 => self.not_there(&asked),
                1 => format!("`{}` has one answer to this question, and it is taken", self.path),
                count => format!(
                    "`{}` has {count} answers to this question, and all are taken",
                    self.path
                ),
            };
            Fault::new(FaultKind::Model, message)
        })?;
        taken[place] = true;
        Ok(self.entries[place].answer.clone())
    }

    fn not_there(&self, asked: &Value) -> String {
        let path = &self.path;
        let nearest = self.entries.iter().max_by_key(|entry| likeness(asked, &entry.question));
        match nearest {
            None => format!("`{path}` has no answers"),
            Some(entry) => format!(
                "`{path}` has no answer to this question; the nearest was asked at turn {}: {}",
                entry.turn,
                difference(asked, &entry.question)
            ),
        }
    }
}

impl Adapter for Replayer {
    fn call(&self, call: Call) -> Calling {
        let Request::Model(asked) = &call.request else { return Calling::misrouted(&call) };
        Calling::Now(self.answer(asked).unwrap_or_else(Answer::Failed))
    }
}

/// How many parts are equal, then how much of the last one is.
fn likeness(asked: &Value, recorded: &Value) -> (usize, usize) {
    let equal = PARTS.iter().filter(|part| asked.get(part) == recorded.get(part)).count();
    let prompt = |question: &Value| question.get("prompt").map(part_text).unwrap_or_default();
    (equal, common(&prompt(asked), &prompt(recorded)))
}

/// The first part that differs, from where on, with some of both.
fn difference(asked: &Value, recorded: &Value) -> String {
    let differs = PARTS.iter().find(|part| asked.get(part) != recorded.get(part));
    let Some(part) = differs else { return "with other members".to_owned() };
    let text = |question: &Value| question.get(part).map(part_text).unwrap_or_default();
    let (asked, recorded) = (text(asked), text(recorded));
    let same = common(&asked, &recorded);
    format!(
        "its `{part}` differs from character {} on: recorded `{}`, asked `{}`",
        same + 1,
        around(&recorded, same),
        around(&asked, same)
    )
}

fn part_text(part: &Value) -> String {
    part.as_text().map_or_else(|| json::canonical(part), |text| text.to_string())
}

/// How many characters at the beginning are the same.
fn common(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}

/// A little before a place, and a little behind it.
fn around(text: &str, place: usize) -> String {
    const BEFORE: usize = 10;
    const LENGTH: usize = 50;
    let start = place.saturating_sub(BEFORE);
    let piece: String = text.chars().skip(start).take(LENGTH).collect();
    let is_cut = text.chars().nth(start + LENGTH).is_some();
    let (before, behind) = (if start > 0 { "..." } else { "" }, if is_cut { "..." } else { "" });
    format!("{before}{}{behind}", diagnostics::plain(&piece))
}

fn answer_value(answer: &ModelAnswer) -> Value {
    let mut members = vec![
        ("text", Value::Text(answer.text.clone())),
        ("prompt_tokens", Value::count(answer.prompt_tokens)),
        ("completion_tokens", Value::count(answer.completion_tokens)),
        ("finish_reason", answer.finish_reason.clone().into()),
        ("cost", answer.cost.clone().into()),
    ];
    if let Some(reasoning) = &answer.reasoning {
        members.push(("reasoning", Value::Text(reasoning.clone())));
    }
    if !answer.uses.is_empty() {
        members.push(("uses", Value::list(answer.uses.iter().map(use_value))));
    }
    if !answer.items.is_empty() {
        let items = answer.items.iter().map(|item| Value::Map(Arc::clone(item)));
        members.push(("items", Value::list(items)));
    }
    Value::map(members)
}

fn entry(source: &Source) -> Result<Entry, ModelError> {
    let line = read_json(source)?;
    let wrong = |what: &str| {
        ModelError::Wrong(format!("{}:{}:1: {what}", source.file, source.first_line()))
    };
    let question = line.get("question").filter(|question| question.as_map().is_some());
    let question = question.ok_or_else(|| wrong("this line of the cassette has no `question`"))?;
    let answer = match (line.get("answer"), line.get("error")) {
        (Some(given), None) => read_answer(given),
        (None, Some(error)) => read_error(error),
        _ => None,
    };
    let turn = match line.get("turn") {
        Some(Value::Int(turn)) => *turn,
        _ => 0,
    };
    let answer = answer.ok_or_else(|| {
        wrong("this line of the cassette must have an `answer` or an `error` that can be read")
    })?;
    Ok(Entry { turn, question: question.clone(), answer })
}

fn read_answer(given: &Value) -> Option<Answer> {
    let text = |name: &str| given.get(name).and_then(Value::as_text).cloned();
    let count = |name: &str| match given.get(name) {
        Some(Value::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    let list = |name: &str| given.get(name).and_then(Value::as_list).unwrap_or_default();
    let uses: Option<Vec<ToolUse>> = list("uses").iter().map(read_use).collect();
    let item = |item: &Value| match item {
        Value::Map(item) => Some(Arc::clone(item)),
        _ => None,
    };
    Some(Answer::Model(Box::new(ModelAnswer {
        text: text("text")?,
        reasoning: text("reasoning"),
        uses: uses?,
        items: list("items").iter().map(item).collect::<Option<Vec<_>>>()?,
        prompt_tokens: count("prompt_tokens")?,
        completion_tokens: count("completion_tokens")?,
        finish_reason: text("finish_reason"),
        cost: text("cost"),
    })))
}

fn read_use(wanted: &Value) -> Option<ToolUse> {
    let text = |name: &str| wanted.get(name).and_then(Value::as_text).cloned();
    let input = wanted.get("input").and_then(Value::as_map)?.clone();
    Some(ToolUse { id: text("id")?, name: text("name")?, input })
}

fn read_error(error: &Value) -> Option<Answer> {
    let text = |name: &str| error.get(name).and_then(Value::as_text).cloned();
    let (code, message) = (text("code")?, text("message")?);
    let details = error.get("details").cloned();
    Some(Answer::Failed(Fault::from_error(&Error {
        code: Some(code),
        message: Some(message),
        details,
    })))
}
