//! What the analysis says of small graphs, and what it does not say.

mod answers;
mod conditions;
mod corpus;
mod cycles;
mod data;
mod effects;
mod parallel;
mod policy;
mod properties;
mod sketch;
mod specs;
mod variables;
