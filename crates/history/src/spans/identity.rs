//! The ids of traces and spans. They follow from the history, so that whoever sends a run twice
//! sends the same spans twice.

use std::fmt;

use value::Digest;

use crate::{EventId, Stream};

/// Names a trace: 16 bytes, not all of them zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TraceId([u8; 16]);

/// Names a span within its trace: 8 bytes, not all of them zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanId([u8; 8]);

impl TraceId {
    /// The trace of a run. Its first event makes it another one than that of a run of the same
    /// name in another store.
    pub(super) fn of(stream: &Stream, first: EventId) -> TraceId {
        let digest = Digest::of(format!("trace\n{}\n{first}", stream.name()).as_bytes());
        TraceId(beginning(&digest))
    }
}

impl SpanId {
    /// What an event begins. One event may begin several things, and the same event may stand in
    /// a run twice.
    pub(super) fn of(trace: TraceId, what: &str, seq: u64, event: EventId) -> SpanId {
        let digest = Digest::of(format!("span\n{trace}\n{what}\n{seq}\n{event}").as_bytes());
        SpanId(beginning(&digest))
    }
}

/// The first bytes of a hash. Nothing but zeros means no id, and is never given.
fn beginning<const N: usize>(digest: &Digest) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&digest.as_bytes()[..N]);
    if bytes.iter().all(|byte| *byte == 0) {
        bytes[N - 1] = 1;
    }
    bytes
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_is_all_zeros() {
        let nothing = Digest::from_bytes([0; 32]);
        assert_eq!(beginning::<8>(&nothing), [0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(TraceId(beginning(&nothing)).to_string(), format!("{}01", "0".repeat(30)));
    }

    #[test]
    fn an_id_follows_from_all_that_it_is_about() {
        let event = |text: &str| EventId(Digest::of(text.as_bytes()));
        let trace = TraceId::of(&Stream::run("r"), event("a"));
        assert_eq!(trace, TraceId::of(&Stream::run("r"), event("a")));
        assert_ne!(trace, TraceId::of(&Stream::run("r"), event("b")));
        assert_ne!(trace, TraceId::of(&Stream::run("s"), event("a")));
        let span = SpanId::of(trace, "call", 1, event("a"));
        assert_ne!(span, SpanId::of(trace, "turn", 1, event("a")));
        assert_ne!(span, SpanId::of(trace, "call", 2, event("a")));
    }
}
