//! Finds texts that are like a text: by the words they share, and by pieces of words, so that a
//! plural or a typing error still finds what was meant.
//!
//! Nothing here knows what words mean. A synonym that shares no letters finds nothing.

mod features;
mod index;
mod logarithm;

pub(super) use index::{BLOCK, Block, Found, best};
