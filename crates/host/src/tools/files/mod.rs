//! A tool that is a folder: what is in it can be read, listed, searched and, where the operator
//! says so, written. Nothing outside of it can be named.

mod beneath;
mod operations;
mod walk;

use std::path::PathBuf;
use std::time::Duration;

use graph::{Again, Touches};
use runtime::{Answer, FaultKind, Request};
use value::{Text, Value};

use super::detailed;
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described, shorter};
use operations::Failed;

/// How long a call may take where nobody says: a folder may be on a disk that does not answer.
const TIME_MAX: Duration = Duration::from_secs(30);

/// The largest file that is read or written where nobody says, in bytes.
pub(crate) const BYTES_MAX: u64 = 1 << 20;

/// What can be done in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// The text of a file.
    Read,
    /// What is in a folder.
    List,
    /// Where a text stands.
    Search,
    /// A file goes away.
    Delete,
    /// A file is replaced by another text, at once or not at all.
    Write,
    /// A text is put behind what a file has.
    Append,
}

impl Operation {
    /// All of them, with the words that they are asked for by.
    pub const ALL: [(&str, Operation); 6] = [
        ("read", Operation::Read),
        ("list", Operation::List),
        ("search", Operation::Search),
        ("delete", Operation::Delete),
        ("write", Operation::Write),
        ("append", Operation::Append),
    ];

    pub(crate) fn word(self) -> &'static str {
        let found = Operation::ALL.iter().find(|(_, operation)| *operation == self);
        found.map_or("", |(word, _)| word)
    }

    /// Whether it changes something.
    pub(crate) fn writes(self) -> bool {
        matches!(self, Operation::Write | Operation::Append | Operation::Delete)
    }

    fn takes_text(self) -> bool {
        matches!(self, Operation::Write | Operation::Append | Operation::Search)
    }
}

/// A folder that answers the calls of a tool.
#[derive(Clone, Debug)]
pub struct Files {
    /// The tool's id.
    pub id: Text,
    /// The folder: an absolute path.
    pub root: PathBuf,
    /// What may be done in it.
    pub allow: Vec<Operation>,
    /// The largest file that is read or written, in bytes.
    pub bytes_max: u64,
    /// How long a call may take, where its operator said so.
    pub timeout: Option<Duration>,
}

impl Files {
    fn words(&self) -> Vec<&'static str> {
        self.allow.iter().map(|operation| operation.word()).collect()
    }
}

impl Adapter for Files {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let time_max = shorter(self.timeout, tool.timeout_ms).unwrap_or(TIME_MAX);
        let (own, args) = (self.clone(), tool.args.clone());
        Calling::Later(Box::pin(async move {
            let id = own.id.clone();
            let lost = own.contract().lost();
            let work = tokio::task::spawn_blocking(move || own.run(&args));
            let (kind, message, happened) = match tokio::time::timeout(time_max, work).await {
                Ok(Ok(Ok(value))) => return Answer::Value(value),
                Ok(Ok(Err(Failed { message, happened }))) => (FaultKind::Tool, message, happened),
                // Nobody can stop what waits for a disk: it may yet be done.
                Ok(Err(_)) | Err(_) => {
                    (FaultKind::Timeout, format!("took longer than {time_max:?}"), lost)
                }
            };
            let tool = ("tool", Value::Text(id.clone()));
            let fault = detailed(kind, format!("{id}: {message}"), [tool]);
            Answer::Failed(fault.with_happened(happened))
        }))
    }
}

impl Bound for Files {
    fn contract(&self) -> Contract {
        let (touches, again) = match self.allow.iter().max() {
            // A text that was put behind another one would be put there twice.
            Some(Operation::Append) => (Touches::Write, Again::ByAsking),
            Some(Operation::Write | Operation::Delete) => (Touches::Write, Again::WithKey),
            _ => (Touches::Read, Again::Freely),
        };
        Contract { touches, again }
    }

    fn is_certain(&self) -> bool {
        true
    }

    fn described(&self) -> Described {
        let text =
            |about: &str| Value::map([("type", "string".into()), ("description", about.into())]);
        let words = Value::list(self.words().into_iter().map(Value::from));
        let operation = Value::map([("type", "string".into()), ("enum", words)]);
        let mut properties = vec![
            ("operation", operation),
            (
                "path",
                text(
                    "such as `reports/may.md`; for `list` and `search` the whole folder when left out",
                ),
            ),
        ];
        if self.allow.iter().any(|operation| operation.takes_text()) {
            properties.push(("text", text("what to write or append, or what to look for")));
        }
        let input = Value::map([
            ("type", "object".into()),
            ("properties", Value::map(properties)),
            ("required", Value::list(["operation".into()])),
            ("additionalProperties", false.into()),
        ]);
        let description = format!("A folder of files: {}.", self.words().join(", "));
        Described { description: Some(description.into()), input: Some(input), output: None }
    }

    fn look(&self) -> Result<String, String> {
        let (root, words) = (self.root.display(), self.words().join(", "));
        match self.root.is_dir() {
            true => Ok(format!("{words} in `{root}`")),
            false => Err(format!("there is no folder `{root}`; make it (`mkdir -p {root}`)")),
        }
    }
}
