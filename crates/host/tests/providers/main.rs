//! Models of providers, asked over real HTTP on loopback in all three protocols.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod config;
mod desk;
mod docs;
mod faults;
mod floods;
mod params;
mod secrets;
mod streams;
mod talk;
mod turns;
