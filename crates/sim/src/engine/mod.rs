//! Graphs that run, a world that answers them, and a second opinion on what they do.
//!
//! [`naive`] is written from `docs/running.md` and from nothing else, so that the engine and it
//! can be compared on every seed. It is slow and plain on purpose.
//!
//! ```
//! use sim::engine::{self, Limits, World};
//! let graph = engine::graphs::graph(7, 20);
//! let inputs = engine::graphs::inputs(7);
//! let once = engine::naive::run(&graph, &inputs, &mut World::seeded(7), &Limits::default());
//! let again = engine::naive::run(&graph, &inputs, &mut World::seeded(7), &Limits::default());
//! assert_eq!(once, again);
//! ```

pub mod blocks;
pub mod cases;
mod desk;
pub mod driven;
pub mod graphs;
pub mod naive;
pub mod oracles;
mod outcome;
pub mod shrink;
mod sketch;
pub mod soak;
pub mod unrest;
mod world;

pub use desk::Desk;
use diagnostics::{Severity, Source};
use graph::Graph;
use graph::validate::{Edges, validate};
pub use outcome::{Asked, Outcome, Status, comparable};
pub use sketch::Sketch;
use value::{Value, json};
pub use world::{Doubt, Fault, Reply, Trouble, Verdict, World};

/// What a run may take. Small, so that what never ends is found out soon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long `path` may become.
    pub visits: usize,
    /// How many nodes may run, in all. Only a guard against mistakes in generated graphs.
    pub steps: usize,
    /// How many activations a fiber may have.
    pub depth: usize,
    /// How many fibers there may be at the same time.
    pub fibers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { visits: 120, steps: 20_000, depth: 12, fibers: 80 }
    }
}

/// Reads a document, and says what is wrong with it.
pub fn read(document: &Value) -> Result<Graph, String> {
    let source = Source::new("case.json", json::compact(document));
    let reading = frontends::read(&source, frontends::Format::Graph, frontends::Ontology::V1);
    let mut findings = reading.findings;
    let Some(draft) = reading.draft else { return Err(format!("{findings:?}")) };
    let graph = graph::normalize(draft, &mut findings);
    findings.extend(validate(&graph, Edges::Strict));
    let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    match errors.next() {
        Some(error) => Err(format!("{}: {}", error.code.id, error.message)),
        None => Ok(graph),
    }
}
