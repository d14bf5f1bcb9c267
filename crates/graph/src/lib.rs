//! Agent Graph v1: the one graph that every format becomes.
//!
//! The op table is in [`ops`]. [`normalize`] makes a [`Graph`] of a [`draft::Draft`];
//! [`validate`] says what is wrong with it; [`hash`], [`query`], [`diff`], [`rewrite`] and
//! [`draw`] work on it. Nothing here parses text or runs anything.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

pub mod components;
pub mod contracts;
mod declarations;
pub mod diff;
pub mod draft;
pub mod draw;
mod effects;
mod expr;
mod guards;
pub mod hash;
mod index;
mod model;
pub mod normalize;
mod operand;
pub mod ops;
pub mod place;
pub mod policy;
pub mod protocols;
pub mod query;
pub mod rewrite;
pub mod validate;

pub use contracts::Verb;
pub use declarations::{ASSUMED, Declarations, IN_LABELS, Kind, RECOVERIES};
pub use effects::{Again, Effect, Tier, Touches};
pub use expr::{BadExpr, Cmp, Expr, Names, Path, Term, Test, is_name, scalar, truthy};
pub use guards::{Guards, passed};
pub use index::Index;
pub use model::{Edge, EmitEdge, Endpoint, Exit, Extra, Graph, Label, Node, ToKind};
pub use normalize::{normalize, normalize_with};
pub use operand::{Filled, Operand, Operands, Written};
