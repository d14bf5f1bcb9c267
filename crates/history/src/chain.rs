//! How events are chained. `docs/history.md` defines the bytes, with vectors.

use value::Digest;

use crate::{EventId, Link, Stream};

/// What every chain of a stream begins with.
pub fn genesis(stream: &Stream) -> Digest {
    Digest::of_parts(&[&[0], stream.name().as_bytes()])
}

/// The link of an event: it covers the stream, the place and all that was before. The first
/// event of a stream has no previous link, that of a fork has its parent's.
pub fn link(genesis: &Digest, seq: u64, previous: Option<Link>, event: EventId) -> Link {
    let previous = previous.as_ref().map_or(&[0; 32], Link::as_bytes);
    let parts: [&[u8]; 5] =
        [&[1], genesis.as_bytes(), &seq.to_be_bytes(), previous, event.as_bytes()];
    Link(Digest::of_parts(&parts))
}
