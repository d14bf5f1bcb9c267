//! Agent Ontology: a YAML spec of entities, processes, edges and schemas becomes a graph.
//!
//! The tables in [`fields`] say what there is. `collect` finds the nodes and edges, `shape`,
//! `names` and `rules` check them, `gates` settles which texts decide, and `lower` makes one
//! label of each process.

mod call_schemas;
mod collect;
mod control;
mod declare;
mod duration;
mod effects;
mod entry;
mod field_type;
pub mod fields;
mod gates;
mod kinds;
mod label;
mod lines;
mod lower;
mod meeting;
mod met;
mod names;
mod polarity;
mod possible;
mod rules;
mod shape;
mod spec;
mod termination;
mod texts;
mod ways;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, Source, codes};
use graph::Kind;
use graph::draft::Draft;
use value::{Map, Text, Value};

use crate::origins::Origins;
use crate::yaml::Tree;
use crate::{Reading, yaml};
use control::Control;
use effects::Effects;
use fields::NodeType;
use lower::Lowering;
use shape::Checker;
use spec::Spec;
pub(crate) use spec::heading;
use ways::Ways;
pub use write::write;

/// Which ontology a spec is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ontology {
    /// The specification, version 1.0.
    #[default]
    V1,
    /// With the additions of ontology 0.2 that specs in the wild use.
    V02,
}

/// Reads a spec.
pub fn read(source: &Source, ontology: Ontology) -> Reading {
    let mut findings = Vec::new();
    let mut origins = Origins::default();
    let Some(tree) = yaml::read(source, &mut findings) else {
        return Reading { draft: None, findings, carried: Vec::new(), origins };
    };
    let draft = compile(&tree, source, ontology, &mut findings, &mut origins);
    origins.keep(tree);
    Reading { draft, findings, carried: Vec::new(), origins }
}

fn compile(
    tree: &Tree,
    source: &Source,
    ontology: Ontology,
    findings: &mut Vec<Diagnostic>,
    origins: &mut Origins,
) -> Option<Draft> {
    let spec = collect::collect(tree, ontology, findings)?;
    let mut checker = Checker {
        source,
        ontology,
        spec: &spec,
        findings: std::mem::take(findings),
        forgiven: BTreeSet::new(),
        forgiven_schemas: BTreeSet::new(),
        unknown: BTreeMap::new(),
        meant: BTreeSet::new(),
        covered: BTreeSet::new(),
    };
    checker.check();
    *findings = checker.findings;
    let mut draft = Draft { declarations: declare::declare(&spec, origins), ..Draft::default() };
    declare::inputs(&spec, &mut draft.declarations);
    let effects = effects::effects(&spec, &draft.declarations, source, findings);
    let control = Control::new(&spec);
    let mut about_gates = Vec::new();
    let decisions = decide(&spec, &control, &effects, &draft, &mut about_gates);
    // Whether something writes a name cannot be told while it is unclear what is meant.
    let is_clear = !findings.iter().any(|finding| finding.code.obscures());
    findings.extend(
        about_gates
            .into_iter()
            .filter(|finding| is_clear || *finding.code != codes::UNWRITTEN_NAME),
    );
    let ways = ways::ways(&spec, &control, &decisions, findings);
    let joins = control.joins(&ways);
    let meetings = met::meetings(&spec, &control, &ways, &joins, &effects);
    let lowering = Lowering {
        spec: &spec,
        effects: &effects,
        decisions: &decisions,
        ways: &ways,
        joins: &joins,
        meetings,
    };
    for (process, thing) in spec.processes() {
        if control::passed(&spec, thing.id) != Some(process) {
            continue;
        }
        let (label, origin) = lowering.label(process);
        let id: Text = thing.id.into();
        origins.label(id.clone(), origin);
        draft.labels.insert(id, label);
    }
    assume(&effects, &decisions, &ways, &mut draft);
    describe(&spec, &control, &mut draft);
    Some(draft)
}

/// Settles every gate.
fn decide(
    spec: &Spec<'_>,
    control: &Control,
    effects: &[Effects],
    draft: &Draft,
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<usize, gates::Decision> {
    let names = gates::names(spec);
    let asked: BTreeSet<&str> = names.iter().map(|name| &**name).collect();
    let written = control.written_before(effects, &asked);
    let given = draft.declarations.of(Kind::Inputs);
    let all_written = effects::all_written(effects);
    let mut decisions = BTreeMap::new();
    for (position, gate) in spec.of_type(NodeType::Gate) {
        if spec.find(gate.id) != Some(position) {
            continue;
        }
        let own = &effects[position];
        let is_written = |name: &str| {
            own.inexact
                || given.contains_key(name)
                || own.writes.iter().any(|own| **own == *name)
                || written.before(position, name)
        };
        decisions
            .insert(position, gates::decide(spec, position, &is_written, &all_written, findings));
    }
    decisions
}

/// Names that are read and written nowhere are inputs, declared or not.
fn assume(
    effects: &[Effects],
    decisions: &BTreeMap<usize, gates::Decision>,
    ways: &[Ways<'_, '_>],
    draft: &mut Draft,
) {
    if effects.iter().any(|effects| effects.inexact) {
        return;
    }
    let written = effects::all_written(effects);
    let read = effects.iter().flat_map(|effects| effects.reads.iter().cloned());
    let asked = decisions.values().flat_map(|decision| &decision.clauses);
    let asked = asked.flat_map(|clause| clause.when.names().into_iter().cloned());
    let loops = ways.iter().flat_map(|ways| &ways.loops).filter_map(|way| way.when.as_ref());
    let loops = loops.flat_map(|when| when.names().into_iter().cloned());
    let read: Vec<Text> = read.chain(asked).chain(loops).collect();
    declare::assume(&mut draft.declarations, read.into_iter(), |name| {
        written.contains(&Text::from(name))
    });
}

/// The members of the document that are about all of it.
fn describe(spec: &Spec<'_>, control: &Control, draft: &mut Draft) {
    for name in ["name", "version", "description", "metadata", "contracts"] {
        if let Some(value) = spec.tree.get(name).filter(|value| !value.is_null()) {
            draft.extra.insert(name.into(), value.to_value());
        }
    }
    let mut policy = Map::default();
    if let Some(entry) = control.entry {
        policy.insert("entry".into(), Value::text(spec.things[entry].id));
    }
    if let Some(value) = spec.tree.get("checkpointing").filter(|value| value.as_map().is_some()) {
        policy.insert("checkpointing".into(), value.to_value());
    }
    draft.runtime_policy = policy;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of a process before its label exists must be what its nodes then say.
    #[test]
    fn effects_of_processes_are_those_of_their_nodes() {
        let everything = include_str!("../../tests/specs/everything.yaml").to_string();
        for text in (0..20).map(|seed| sim::spec(seed, 40)).chain([everything]) {
            let source = Source::new("spec.yaml", text);
            let tree = yaml::read(&source, &mut Vec::new()).unwrap();
            let spec = collect::collect(&tree, Ontology::V1, &mut Vec::new()).unwrap();
            let declared = declare::declare(&spec, &mut Origins::default());
            let effects = effects::effects(&spec, &declared, &source, &mut Vec::new());
            let draft = read(&source, Ontology::V1).draft.unwrap();
            let graph = graph::normalize(draft, &mut Vec::new());
            for (id, label) in &graph.labels {
                let made = ["_loops_", "_missed_", "_returned"];
                let own = |name: &&Text| !made.iter().any(|made| name.starts_with(made));
                let known = &effects[spec.find(id).unwrap()];
                let known: BTreeSet<&Text> = known.writes.iter().collect();
                let said = label.nodes.iter().flat_map(|node| &node.writes);
                assert_eq!(said.filter(own).collect::<BTreeSet<_>>(), known, "{id} writes");
            }
        }
    }
}
