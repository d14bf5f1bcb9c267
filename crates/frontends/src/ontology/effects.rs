//! What each process reads and writes, as far as its text tells.

use std::collections::BTreeSet;

use diagnostics::{Anchor, Diagnostic, Source, codes};
use graph::Declarations;
use logic::{Block, ProblemKind};
use value::Text;

use super::call_schemas;
use super::fields::{EdgeType, NodeType};
use super::spec::{Line, Spec, Thing};
use crate::yaml;

/// What a process does to the state.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: Vec<Text>,
    pub(super) writes: Vec<Text>,
    /// It may write names that cannot be known.
    pub(super) inexact: bool,
    /// It may set `_done`, which ends the run.
    pub(super) may_end: bool,
    /// Its logic may return early, which skips its calls and writes.
    pub(super) returns_early: bool,
}

/// The effects of every node of a spec, by its position. Problems of logic are reported.
pub(super) fn effects(
    spec: &Spec<'_>,
    declared: &Declarations,
    source: &Source,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Effects> {
    let mut all = Vec::with_capacity(spec.things.len());
    for (position, thing) in spec.things.iter().enumerate() {
        let mut effects = Effects::default();
        if thing.place.list == "processes" {
            if let Some(code) = runs_logic(thing) {
                let block = logic::read(code);
                report(thing, &block, source, findings);
                undefined(thing, &block, source, findings);
                effects.may_end = block.may_end() || block.inexact;
                effects.inexact = block.inexact;
                effects.returns_early = block.returns_early;
                effects.reads = block.reads;
                effects.writes = block.writes;
            }
            if thing.is(NodeType::Checkpoint) {
                effects.writes.push(ANSWER.into());
            }
            for line in spec.edges_from(position) {
                touch(spec, declared, thing, line, &mut effects);
            }
            for line in subscriptions(spec, thing) {
                effects.writes.push(line.from.into());
            }
            // Of several tools one is chosen by name, and given what it asks for.
            if is_made(thing) && spec.tools_of(position) > 1 {
                effects.reads.push(TOOL_NAME.into());
            }
        }
        all.push(effects);
    }
    all
}

/// All names that some process can write.
pub(super) fn all_written(effects: &[Effects]) -> BTreeSet<&Text> {
    effects.iter().flat_map(|effects| &effects.writes).collect()
}

/// The name of a person's answer.
pub(super) const ANSWER: &str = "checkpoint_response";
/// The name of what a tool answers.
pub(super) const OBSERVATION: &str = "observation";

/// The name of the tool to call, where there are several.
pub(super) const TOOL_NAME: &str = "tool_name";

/// The logic that a process runs: steps and gates do.
pub(super) fn runs_logic<'t>(thing: &Thing<'t>) -> Option<&'t Text> {
    thing.text("logic").filter(|code| is_made(thing) && !code.trim().is_empty())
}

/// Channels that a process receives from.
pub(super) fn subscriptions<'s, 't>(
    spec: &'s Spec<'t>,
    thing: &Thing<'t>,
) -> impl Iterator<Item = &'s Line<'t>> {
    let id = thing.id;
    let lines = spec.receivers(id).iter().map(|edge| &spec.edges[*edge as usize]);
    lines.filter(|line| spec.thing(line.from).is_some_and(|from| from.is(NodeType::Channel)))
}

/// Whether what a process says is done: of steps and gates. Of others it is only kept yet.
pub(super) fn is_made(thing: &Thing<'_>) -> bool {
    thing.is(NodeType::Step) || thing.is(NodeType::Gate)
}

fn touch(
    spec: &Spec<'_>,
    declared: &Declarations,
    thing: &Thing<'_>,
    line: &Line<'_>,
    effects: &mut Effects,
) {
    if !is_made(thing) {
        return;
    }
    let fields = |schema: Option<&str>| {
        let fields = schema.into_iter().flat_map(|schema| declared.fields(schema));
        fields.map(|(field, _)| field.clone()).collect::<Vec<Text>>()
    };
    let named = |member: &str| call_schemas::defined(spec, line.text(member)?);
    let target = spec.thing(line.to).and_then(|to| to.def).map(|def| def.is);
    match (line.def.map(|def| def.is), target) {
        (Some(EdgeType::Read), Some(NodeType::Store)) => {
            effects.writes.push(line.to.into());
            effects.reads.extend(line.text("query_key").cloned());
            effects.reads.extend(fields(call_schemas::asked(spec, line)));
        }
        (Some(EdgeType::Invoke), Some(NodeType::Agent)) => {
            effects.reads.extend(fields(call_schemas::given(spec, thing, line)));
            match call_schemas::answered(spec, thing, line) {
                Some(schema) => {
                    effects.writes.extend(fields(Some(schema)));
                    effects.writes.push(declared.name_of_answer(schema));
                    effects.writes.push(result_of(thing, line));
                }
                None => effects.writes.push(format!("{}_result", line.to).into()),
            }
        }
        (Some(EdgeType::Invoke), Some(NodeType::Tool)) => {
            if spec.find(thing.id).is_some_and(|from| spec.tools_of(from) == 1) {
                effects.reads.extend(fields(named("input")));
            }
            effects.writes.push(OBSERVATION.into());
        }
        (Some(EdgeType::Write | EdgeType::Publish), _) => {
            effects.reads.extend(fields(named("data")))
        }
        _ => {}
    }
}

/// The name under which an agent's answer is kept for the process it returns to.
pub(super) fn result_of(thing: &Thing<'_>, line: &Line<'_>) -> Text {
    let to = line.text("return_to").map_or(thing.id, |to| to);
    format!("{to}_result").into()
}

/// Names that neither the block nor the interpreter defines: it would stop there.
fn undefined(thing: &Thing<'_>, block: &Block, source: &Source, findings: &mut Vec<Diagnostic>) {
    let Some(tree) = thing.tree.get("logic") else { return };
    // What a broken block defines cannot be told.
    if block.problems.iter().any(|problem| problem.kind == ProblemKind::Syntax) {
        return;
    }
    for outside in &block.outside {
        let span = yaml::inside(source, tree, outside.range.clone());
        let at = Anchor::Located(span, thing.place.pointer().child("logic"));
        let message =
            format!("the logic of `{}` cannot run: nothing defines `{}`", thing.id, outside.name);
        let found = Diagnostic::new(&codes::UNSUPPORTED_PYTHON, at, message);
        findings.push(match &*outside.name {
            "true" | "false" | "null" => found.help("Python writes `True`, `False` and `None`"),
            name if logic::importable_modules().any(|module| module == name) => {
                found.help(format!("add `import {name}`"))
            }
            _ if outside.called => {
                found.help("logic calls no models and tools: use an invoke edge")
            }
            _ => found.help("use `state.data[...]` for values that other steps wrote"),
        });
    }
}

fn report(thing: &Thing<'_>, block: &Block, source: &Source, findings: &mut Vec<Diagnostic>) {
    let Some(tree) = thing.tree.get("logic") else { return };
    for problem in &block.problems {
        let span = yaml::inside(source, tree, problem.range.clone());
        let at = Anchor::Located(span, thing.place.pointer().child("logic"));
        let (code, message) = match problem.kind {
            ProblemKind::Syntax => (
                &codes::NOT_PYTHON,
                format!("the logic of `{}` is not Python: {}", thing.id, problem.message),
            ),
            ProblemKind::Unsupported => (
                &codes::UNSUPPORTED_PYTHON,
                format!("the logic of `{}` cannot run: {}", thing.id, problem.message),
            ),
        };
        let found = Diagnostic::new(code, at, message);
        findings.push(match &problem.help {
            Some(help) => found.help(&**help),
            None => found,
        });
    }
}
