//! A run as OpenTelemetry spans: what was asked, from when to when, and what came of it. They are
//! derived from the events whenever somebody wants them, so that an old run has them too, and the
//! same events always give the same spans. Nothing here is stored, and nothing is sent.
//!
//! ```
//! use history::spans::{Content, Spans};
//! use history::{Event, Place};
//! let text = r#"{"kind": "run_started", "ts": "2026-01-01T00:00:00.000000Z",
//!     "agent_id": "desk", "run_id": "r"}"#;
//! let event = Event::read(text).unwrap();
//! let mut spans = Spans::new("r", Content::Left);
//! spans.take(&Place::parse("r@0").unwrap(), event.id(), &event.fact().unwrap());
//! let trace = spans.finish().unwrap();
//! assert_eq!(trace.spans[0].name, "invoke_agent desk");
//! ```

mod agents;
mod asking;
mod call;
mod content;
mod course;
mod fold;
mod identity;
pub mod names;
mod provider;
mod tree;
mod turns;

use value::{Text, Value};

pub use fold::Spans;
pub use identity::{SpanId, TraceId};

use crate::kinds::Kind;
use crate::{Archive, EventId, Lineage, Place, Stream, Timestamp, Visit};

/// The version of OpenTelemetry's semantic conventions that names and attributes follow: the last
/// one before those for generative AI moved to a repository of their own.
pub const CONVENTIONS: &str = "1.41.1";

/// So many notes are kept on a span; more are counted.
pub const NOTES_MAX: usize = 1000;

/// Whether prompts, answers, arguments and results become part of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Only what was asked of whom, how long it took, and how it ended.
    Left,
    /// Everything that was said.
    Told,
}

/// The spans of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Its id, which follows from the run's.
    pub id: TraceId,
    /// Which run.
    pub run: Text,
    /// The whole run first, and every span behind the one that it is part of.
    pub spans: Vec<Span>,
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Its id, which follows from the event that began it.
    pub id: SpanId,
    /// What it is part of; nothing for the whole run.
    pub parent: Option<SpanId>,
    /// What it is, such as `chat gpt-4o`.
    pub name: String,
    /// Whether somebody else did the work.
    pub kind: SpanKind,
    /// From when.
    pub start: Timestamp,
    /// Until when. INVARIANT: not before `start`, and neither is outside of its parent.
    pub end: Timestamp,
    /// What is known of it.
    pub attributes: Vec<Attribute>,
    /// What happened meanwhile.
    pub notes: Vec<Note>,
    /// How many notes were left out.
    pub notes_dropped: usize,
    /// Spans of other runs that it has to do with.
    pub links: Vec<SpanLink>,
    /// How it ended.
    pub status: SpanStatus,
    /// Whether it had not ended when its run was looked at.
    pub open: bool,
    /// Whether it may still become longer, as far as the events tell.
    pub may_grow: bool,
}

/// A name and a value: a text, a number, a boolean or a list of texts.
pub type Attribute = (&'static str, Value);

/// Who did the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// We did, or whoever we wait for is no service.
    Internal,
    /// A service that was called.
    Client,
}

/// How a span ended.
#[derive(Clone, Debug, PartialEq)]
pub enum SpanStatus {
    /// Nothing went wrong, as far as is known.
    Unset,
    /// It failed. What the failure says is content.
    Error(Option<Text>),
}

/// Something that happened at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What.
    pub name: &'static str,
    /// When.
    pub at: Timestamp,
    /// What is known of it.
    pub attributes: Vec<Attribute>,
}

/// A span of another trace.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanLink {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
    /// What is known of the link.
    pub attributes: Vec<Attribute>,
}

impl Span {
    /// An attribute, if it is there.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Trace {
    /// Leaves out what may still become longer: a span that was sent is not sent again with
    /// another end, which many viewers would not notice.
    #[must_use]
    pub fn settled(mut self) -> Trace {
        self.spans.retain(|span| !span.may_grow);
        self
    }
}

/// The kinds that this needs.
const KINDS: &[Kind] = &[
    Kind::RunStarted,
    Kind::RunFinished,
    Kind::RunPaused,
    Kind::RunCancelled,
    Kind::MessageCreated,
    Kind::ModelRequest,
    Kind::ModelResponse,
    Kind::ToolCall,
    Kind::EffectStarted,
    Kind::ToolResult,
    Kind::ApprovalRequested,
    Kind::ApprovalDecided,
    Kind::McpResourceUpdated,
    Kind::McpResourceListChanged,
    Kind::SubagentSpawned,
    Kind::Interruption,
    Kind::Substitution,
    Kind::QuestionAsked,
    Kind::QuestionAnswered,
    Kind::StateSet,
    Kind::TimerSet,
    Kind::TimerFired,
];

/// Why a run has no spans.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpansError<E> {
    /// The archive could not be read.
    #[error("the archive cannot be read")]
    Archive(#[from] E),
    /// It has more events than whoever asked wants to wait for.
    #[error("the run has more than {0} events")]
    TooMany(u64),
    /// There is nothing of this run that has a time.
    #[error("nothing of this run has a time")]
    Nothing,
}

/// The spans of a run up to a place. A fork has spans of its own events only: what was before is
/// in the trace of its parent, to which it links.
pub fn spans<A: Archive + ?Sized>(
    archive: &A,
    until: &Place,
    content: Content,
    events_max: u64,
) -> Result<Trace, SpansError<A::Error>> {
    let limit = until.seq.saturating_add(1);
    let lineage = Lineage::of(archive, &until.stream, Some(limit))?;
    let lineage = lineage.ok_or(SpansError::Nothing)?;
    if lineage.until() > events_max {
        return Err(SpansError::TooMany(events_max));
    }
    let run = until.stream.run_id().cloned().unwrap_or_else(|| until.stream.name().into());
    let mut spans = Spans::of_stream(until.stream.clone(), run, content);
    // The first event says which trace it is, whatever its kind.
    for segment in lineage.segments() {
        if let Some(first) = archive.read(&segment.stream, segment.from, 1)?.first() {
            spans.begins(&segment.stream, first.seq, first.event.id());
        }
    }
    let mut failed = None;
    lineage.visit(archive, Some(KINDS), 0, |place, entry| {
        let read = |id| {
            archive.value(id).unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        };
        // Where content is left out it is not even read, but for the graph, which names agents.
        let is_graph = entry.event.kind() == Kind::RunStarted;
        let fact = match content == Content::Told || is_graph {
            true => entry.event.fact_with(read),
            false => entry.event.fact_in_short(read),
        };
        if let Some(fact) = fact {
            spans.take(&place, entry.event.id(), &fact);
        }
        if failed.is_some() { Visit::Stop } else { Visit::More }
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => spans.finish().ok_or(SpansError::Nothing),
    }
}

/// The ids of the trace and of the whole run, which follow from its first event.
fn root(stream: &Stream, seq: u64, first: EventId) -> (TraceId, SpanId) {
    let trace = TraceId::of(stream, first);
    (trace, SpanId::of(trace, "run", seq, first))
}
