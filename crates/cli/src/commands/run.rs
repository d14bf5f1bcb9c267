//! `quipu run`

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use diagnostics::{Severity, render};
use frontends::Format;
use graph::policy::Rulebook;
use graph::{Graph, Kind};
use history::Stream;
use host::pinned::{Pinned, pin};
use host::{Driver, Python};
use runtime::{Begin, Options};
use store::Store;
use value::{Map, Text, Value, json};

use super::fork::new_id;
use crate::args::running::Run;
use crate::args::{ConfigOf, OntologyVersion, Reading};
use crate::load::{Loaded, Strictness, load, read_source, unreadable};
use crate::opened::{Access, open_shared};
use crate::policies::{self, Policies};
use crate::running::{
    Around, Beginning, begin_at, config_file, limit, named_value, not_driven, remind_of_limits,
    remind_of_params, report,
};
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Run) -> Result<Outcome> {
    let is_json = arguments.format.is_json();
    let inputs = inputs(arguments)?;
    let folder = Path::new(&arguments.file).parent().unwrap_or(Path::new("."));
    let mut policies = Policies::default();
    let tried = policies.named(&arguments.policy)?;
    let config = match arguments.world.no_config {
        true => None,
        false => config_file(arguments.world.config.as_deref(), None, folder),
    };
    let own = policies.of_workspace(config.as_deref())?;
    if policies.has_errors() {
        return policies.refuse(is_json);
    }
    let config = match config {
        Some(file) => ConfigOf::File(file.display().to_string()),
        None => ConfigOf::Nothing,
    };
    let given = inputs.keys().cloned().collect();
    let reading = Reading { inputs: given, config, ..arguments.reading.clone() };
    let (mut graph, mut read) = match graph_of(&arguments.file, &reading, is_json)? {
        Ok(both) => both,
        Err(outcome) => return Ok(outcome),
    };
    begin_at(&mut graph, &arguments.entry)
        .with_context(|| format!("`{}` cannot run", arguments.file))?;
    // Where these forbid it, there is not even a store.
    let books: Vec<_> = tried.iter().chain(&own).flat_map(|policy| policy.books()).collect();
    if let Some(outcome) = refused(&graph, &mut read, &books, is_json)? {
        return Ok(outcome);
    }
    let Pinned { document, checksum, plan } =
        pin(&graph).with_context(|| format!("`{}` cannot run", arguments.file))?;
    let store = open_shared(&arguments.store, Access::Create)?;
    let in_force = match tried.is_empty() {
        true => policies::in_force(&*store, &plan.name)?,
        false => None,
    };
    let books = in_force.as_ref().map(|policy| policy.books()).unwrap_or_default();
    if let Some(outcome) = refused(&graph, &mut read, &books, is_json)? {
        return Ok(outcome);
    }
    let mut options = Options::default();
    let around = Around::new(&arguments.world, &options, &plan, folder, store.clone())?;
    around.refuse_without_models(&plan)?;
    around.pin(&mut options, &plan);
    limit(&mut options.limits, &arguments.limits)?;
    if let Some(policy) = policies::together(own, tried, in_force) {
        host::policy::keep(&*store, &policy)?;
        options.policy = Some(policy.digest().clone());
    }
    let run: Text = match &arguments.id {
        Some(id) => new_id(id)?,
        None => uuid::Uuid::now_v7().to_string().into(),
    };
    let name = run.clone();
    let versions = host::versions();
    let begin = Begin {
        graph: checksum,
        document,
        inputs: inputs.clone(),
        options,
        seed: seed(&run),
        versions,
        run,
    };
    remind(&graph, &inputs);
    remind_of_limits(&plan, &arguments.limits);
    around.remind_of_tools(&plan);
    remind_of_params(&plan, around.choice());
    for name in inputs.keys().filter(|name| !plan.may_ask_for(name)) {
        output::note(&format!("note: nothing asks for `{name}`; gates see only declared names"));
    }
    let mut logic = Python::default();
    let outcome = around
        .with(&*store, is_json, |world| {
            let mut driver = Driver::begin(world, &mut logic, plan, begin)?;
            let stopped = driver.drive()?;
            (world.progress)(driver.plan(), driver.run());
            Ok((driver.plan().clone(), driver.run().clone(), stopped))
        })
        .and_then(|driven| report(&*store, driven, is_json, Map::default()))
        .or_else(|error| not_driven(&*store, &name, error, is_json));
    // Another run of this name is not ours to tell of.
    if outcome.is_ok() {
        around.export(&*store, &name);
    }
    outcome
}

/// Randomness follows from the id, which is random unless somebody chose it.
fn seed(run: &str) -> u64 {
    let digest = format!("{:x}", value::Digest::of(run.as_bytes()));
    // Canonical JSON has no whole numbers beyond 2^53.
    u64::from_str_radix(&digest[..13], 16).unwrap_or(0)
}

fn inputs(arguments: &Run) -> Result<Map> {
    let mut inputs = match &arguments.inputs {
        None => Map::default(),
        Some(file) => {
            let source = read_source(file)?;
            match json::parse(&source.text) {
                Ok(Value::Map(map)) => Arc::unwrap_or_clone(map),
                Ok(other) => bail!("`{file}` must be a JSON object, not {}", other.kind()),
                Err(error) => {
                    bail!(render::line(&source, &diagnostics::unreadable(&source, &error)))
                }
            }
        }
    };
    for words in &arguments.input {
        let (name, value) = named_value(words)?;
        inputs.insert(name, value);
    }
    Ok(inputs)
}

/// The graph of a file, if it has no errors, and what else was read. A spec that only uses types of
/// ontology 0.2 is read as one.
fn graph_of(
    file: &str,
    reading: &Reading,
    is_json: bool,
) -> Result<Result<(Graph, Loaded), Outcome>> {
    let mut loaded = load(file, reading, Strictness::Normal)?;
    if loaded.format == Format::Ontology
        && loaded.has_errors()
        && reading.ontology == OntologyVersion::V1
        && file != "-"
    {
        let later = Reading { ontology: OntologyVersion::V02, ..reading.clone() };
        let again = load(file, &later, Strictness::Normal)?;
        if !again.has_errors() {
            output::note(&format!(
                "note: `{file}` is read under ontology 0.2, whose types it uses"
            ));
            loaded = again;
        }
    }
    match loaded.graph.take().filter(|_| !loaded.has_errors()) {
        Some(graph) => {
            // A line that means nothing is left out of the run: nobody should have to guess that.
            if loaded.format == Format::Ainl
                && let Some(counts) = output::count(&loaded.findings)
            {
                output::note(&format!("{file}: {counts}; `quipu check` shows them"));
            }
            Ok(Ok((graph, loaded)))
        }
        None => {
            keep_errors(&mut loaded);
            Ok(Err(unreadable(&loaded, is_json)?))
        }
    }
}

/// Holds a graph against rules, when it is known where its run begins. Says what is against them.
fn refused(
    graph: &Graph,
    read: &mut Loaded,
    books: &[&Rulebook],
    is_json: bool,
) -> Result<Option<Outcome>> {
    read.findings = compiler::policy::check(graph, books);
    if !read.has_errors() {
        return Ok(None);
    }
    keep_errors(read);
    read.place();
    unreadable(read, is_json).map(Some)
}

/// The graph of a file, as a run that was begun before would begin with it. Rules may hold for what
/// it may do.
pub(crate) fn begun_again(
    file: &str,
    store: &dyn Store,
    stream: &Stream,
    config: ConfigOf,
    is_json: bool,
    books: &[&Rulebook],
) -> Result<Result<Graph, Outcome>> {
    let beginning = Beginning::of(store, stream)?;
    let reading = Reading { inputs: beginning.inputs.clone(), config, ..Reading::default() };
    let (mut graph, mut read) = match graph_of(file, &reading, is_json)? {
        Ok(both) => both,
        Err(outcome) => return Ok(Err(outcome)),
    };
    beginning.keep(&mut graph);
    Ok(match refused(&graph, &mut read, books, is_json)? {
        None => Ok(graph),
        Some(outcome) => Err(outcome),
    })
}

/// Whoever runs something that cannot run wants to know why, and nothing else.
fn keep_errors(loaded: &mut Loaded) {
    loaded.findings.retain(|finding| finding.severity == Severity::Error);
}

/// Says which inputs people should give, and did not. What only other labels read than those that
/// the run can come to is not missed.
fn remind(graph: &Graph, inputs: &Map) {
    let read = read_from(graph);
    let missing: Vec<&str> = graph
        .declarations
        .of(Kind::Inputs)
        .iter()
        .filter(|(name, input)| {
            let from = input.get("from").and_then(Value::as_text).map(|from| &**from);
            from == Some("user")
                && input.get("default").is_none()
                && input.get("optional") != Some(&Value::Bool(true))
                && !inputs.contains_key(name)
                && read.as_ref().is_none_or(|read| read.contains(name))
        })
        .map(|(name, _)| &**name)
        .collect();
    if !missing.is_empty() {
        let names = missing.join(", ");
        output::note(&format!("note: nothing was given for {names}; use `--input NAME=VALUE`"));
    }
}

/// The names that are read where a run can come to; nothing where that is not said.
fn read_from(graph: &Graph) -> Option<BTreeSet<&Text>> {
    let mut open = vec![graph.entry()?];
    let (mut seen, mut read) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        let Some(label) = graph.labels.get(id).filter(|_| seen.insert(id)) else { continue };
        read.extend(label.nodes.iter().flat_map(|node| &node.reads));
        // Calls are among them, for other tools' analyses.
        open.extend(label.edges.iter().filter(|edge| edge.is_to_label()).map(|edge| &edge.to));
    }
    // Without those edges nobody knows what a call leads to.
    let calls = graph.labels.values().flat_map(|label| &label.nodes);
    let calls = calls.filter(|node| {
        node.operands.iter().any(|(slot, _)| slot.kind == graph::ops::SlotKind::Callee)
    });
    let noted = graph.labels.values().flat_map(|label| &label.edges);
    let noted = noted.filter(|edge| edge.analysis_only).count();
    (calls.count() <= noted).then_some(read)
}
