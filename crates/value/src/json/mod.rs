//! JSON text, in and out.

mod read;
mod write;

pub use read::{DEPTH_MAX, Problem, Unreadable, parse, read};
pub use write::{canonical, compact, pretty, write_canonical, write_text};
