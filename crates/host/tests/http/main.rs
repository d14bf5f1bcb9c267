//! HTTP as a tool meets it: real sockets on loopback, well-behaved and hostile.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod addresses;
mod client;
mod configured;
mod hostile;
mod names;
mod redirects;
mod scratch;
mod secrets;
mod servers;
mod tls;
mod tools;
