//! JSON text, in and out.

mod peek;
mod read;
mod write;

pub use peek::first_member;
pub use read::{DEPTH_MAX, Problem, Unreadable, parse, read};
pub use write::{canonical, compact, pretty, write_canonical, write_text};
