//! What is wrong with a graph although each of its labels is right by itself.
//!
//! [`analyse`] asks one question after the other of one flow graph over all labels. Each question
//! has a file; each finding has a witness where a path can be one. Nothing here knows a format,
//! changes a graph, or looks at what one node or one label shows: that is validation.
//!
//! Quiet is the first virtue: where something cannot be known, it counts as being in order.
//!
//! ```
//! use diagnostics::Source;
//! let source = Source::new("again.json", r#"{"labels": {"again": {
//!     "nodes": [{"id": "n1", "op": "Set", "data": {"name": "x", "ref": 1}}],
//!     "edges": [{"from": "n1", "to": "again", "to_kind": "label", "port": "next"}]}}}"#);
//! let mut reading = frontends::document::read(&source);
//! let graph = graph::normalize(reading.draft.unwrap(), &mut reading.findings);
//! let found = compiler::analyse(&graph);
//! assert_eq!(found[0].message, "a run that comes to `again` never ends: it only leads back to itself");
//! assert_eq!(found[0].path, ["again/n1", "again/n1"]);
//! ```
#![deny(clippy::disallowed_methods, clippy::disallowed_types, reason = "the core must replay")]

mod answers;
mod calls;
mod clauses;
mod conditions;
mod definite;
mod dominators;
mod effects;
mod ends;
mod exposure;
mod flow;
mod inputs;
mod misspelt;
mod names;
mod parallel;
mod paths;
pub mod policy;
mod presence;
mod services;
mod shapes;
mod spread;
mod table;
mod unreachable;
mod variables;

use diagnostics::Diagnostic;
use graph::Graph;

use crate::calls::Calls;
use crate::dominators::Dominators;
use crate::flow::Flow;
use crate::names::Names;
use crate::paths::Search;
use crate::table::Table;

/// Everything there is to say about a graph as a whole. Places are pointers into its document.
/// Takes about linear time; a graph may have errors.
pub fn analyse(graph: &Graph) -> Vec<Diagnostic> {
    let flow = Flow::new(graph);
    let mut findings = Vec::new();
    if flow.len() == 0 {
        return findings;
    }
    let mut table = Table::new(flow.len());
    let calls = Calls::new(&flow, &mut table);
    let names = Names::new(&flow, &calls, table);
    let dominators = Dominators::new(&flow);
    let mut search = Search::new(&flow);
    let mut slips = Vec::new();
    let misspelt = misspelt::check(&flow, &names, &calls, &mut slips);
    let (returned, texts) = answers::returned_labels(&flow, &names, &mut findings);
    unreachable::check(&flow, &returned, &mut findings);
    ends::check(&flow, &names, &misspelt, &mut search, &mut findings);
    let mut told = definite::check(&flow, &names, &dominators, &mut search, &mut findings);
    told.extend(misspelt.iter().chain(&texts));
    variables::check(&flow, &names, &dominators, &told, &mut search, &mut findings);
    answers::check(&flow, &names, &mut findings);
    services::check(&flow, &mut findings);
    findings.append(&mut slips);
    inputs::check(&flow, &names, &calls, &dominators, &misspelt, &mut findings);
    conditions::check(&flow, &names, &calls, &mut findings);
    parallel::check(&flow, &names, &mut findings);
    shapes::check(&flow, &names, &calls, &mut search, &mut findings);
    effects::repeated(&flow, &calls, &mut findings);
    effects::recursion(&flow, &mut findings);
    exposure::check(&flow, &names, &calls, &mut findings);
    findings
}
