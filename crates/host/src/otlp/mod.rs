//! Sends spans to a collector: OTLP over HTTP, as JSON. What spans there are is decided in
//! `history::spans`; nothing is sent unless an operator or a flag says so.

mod collector;
mod encode;
mod send;

pub use collector::{Collector, Unusable};
pub use encode::document;
pub use send::{NotSent, Sent, send};
