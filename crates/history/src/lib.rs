//! The history of agents as data: what an event is, how it is hashed and ordered, what follows
//! from a sequence of events. Nothing here stores anything, and nothing decides what an agent does.
//!
//! ```
//! use history::{Event, Stream, chain};
//! let event = Event::read(r#"{"kind": "x.greeting", "ts": "2026-01-01T00:00:00.000000Z"}"#).unwrap();
//! let stream = Stream::run("r1");
//! let link = chain::link(&chain::genesis(&stream), 0, None, event.id());
//! assert_eq!(format!("{:x}", link).len(), 64);
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

pub mod admission;
mod archive;
pub mod chain;
mod event;
mod identity;
pub mod kinds;
mod ledger;
pub mod line;
mod lineage;
mod operation;
pub mod plan;
pub mod projection;
pub mod query;
pub mod references;
pub mod spans;
mod stream;
mod time;
mod timing;

pub use archive::{Archive, Entry, StreamInfo};
pub use event::{Event, NotAnEvent};
pub use identity::{BlobId, EventId, Link, OperationId};
pub use ledger::{Ledger, Violation};
pub use lineage::{Lineage, Segment, Visit};
pub use operation::{Operation, Target};
pub use stream::{Place, Stream};
pub use time::Timestamp;
pub use timing::{Timing, duration_words};
