//! A state as facts: the fields of a JSON object that changes, in a working memory that follows.

mod declare;
mod fields;
mod mirror;
mod shape;

pub use declare::Refusal;
pub use mirror::{Mirror, Synced};
pub use shape::{FactShape, Kind, Shape, SlotShape};
