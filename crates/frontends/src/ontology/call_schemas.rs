//! Which schema shapes a call to an agent: the edge's, else the step's, else the agent's. And which
//! one shapes what a store is asked.
//!
//! It is settled here once, so that a node of the graph says it and nobody looks for it again.

use value::Text;

use super::fields::NodeType;
use super::spec::{Line, Spec, Thing};

/// The schema of what the agent is given.
pub(super) fn given<'t>(spec: &Spec<'t>, from: &Thing<'t>, line: &Line<'t>) -> Option<&'t str> {
    shape(spec, from, line, ["input", "data_in", "input_schema"])
}

/// The schema of what the agent answers; without one the answer is text.
pub(super) fn answered<'t>(spec: &Spec<'t>, from: &Thing<'t>, line: &Line<'t>) -> Option<&'t str> {
    shape(spec, from, line, ["output", "data_out", "output_schema"])
}

/// The schema of what a store is asked, where it speaks a protocol: the others have no query that
/// could be an object.
pub(super) fn asked<'t>(spec: &Spec<'t>, line: &Line<'t>) -> Option<&'t str> {
    let store = spec.thing(line.to)?.tree.to_value();
    graph::protocols::protocol(&store)?;
    defined(spec, line.text("query")?)
}

fn shape<'t>(
    spec: &Spec<'t>,
    from: &Thing<'t>,
    line: &Line<'t>,
    [of_edge, of_step, of_agent]: [&str; 3],
) -> Option<&'t str> {
    let step = from.is(NodeType::Step).then(|| from.text(of_step)).flatten();
    let agent = spec.thing(line.to).and_then(|agent| agent.text(of_agent));
    [line.text(of_edge), step, agent].into_iter().find_map(|name| defined(spec, name?))
}

/// A schema by its name. One that nobody defines is reported, and shapes nothing.
pub(super) fn defined<'t>(spec: &Spec<'t>, name: &'t Text) -> Option<&'t str> {
    spec.schema(name).map(|schema| schema.name)
}
