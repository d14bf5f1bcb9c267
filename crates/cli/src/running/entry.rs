//! Where a run begins, if somebody says so: it is written into the graph that the run is pinned to,
//! so that whatever goes on with the run, or derives it again, begins there too.

use anyhow::{Result, bail};
use diagnostics::nearest;
use graph::Graph;
use graph::query::{endpoints, method_word};
use history::kinds::What;
use history::{Lineage, Stream};
use store::Store;
use value::{Text, Value};

use crate::args::running::EntryChoice;
use crate::commands::no_label;
use crate::output;

/// The member of `runtime_policy` that says that the entry was chosen, and how.
const CHOSEN: &str = "begun_at";

/// Makes a run of a graph begin where it should.
pub(crate) fn begin_at(graph: &mut Graph, choice: &EntryChoice) -> Result<()> {
    let (label, words) = if let Some(label) = &choice.label {
        (find_label(graph, label)?, format!("label {label}"))
    } else if let Some(endpoint) = &choice.endpoint {
        (find_endpoint(graph, endpoint)?, format!("endpoint {endpoint}"))
    } else if let Some(cron) = &choice.cron {
        (find_cron(graph, cron)?, format!("cron {cron}"))
    } else {
        return Ok(());
    };
    set_entry(graph, label, words.into());
    Ok(())
}

fn set_entry(graph: &mut Graph, label: Text, words: Text) {
    graph.runtime_policy.insert("entry".into(), Value::Text(label));
    graph.runtime_policy.insert(CHOSEN.into(), Value::Text(words));
}

/// Labels go by their ids; in some texts `L` or `->L` is written before them.
fn known_label(graph: &Graph, written: &str) -> Option<Text> {
    let bare = written.strip_prefix("->").unwrap_or(written);
    let names = [written, bare, bare.strip_prefix('L').unwrap_or(bare)];
    let mut known = names.iter().filter_map(|name| graph.labels.get_key_value(name));
    known.next().map(|(id, _)| id.clone())
}

fn find_label(graph: &Graph, written: &str) -> Result<Text> {
    known_label(graph, written).ok_or_else(|| no_label(graph, written))
}

/// `METHOD PATH`, or the path alone where that leaves no choice.
fn find_endpoint(graph: &Graph, written: &str) -> Result<Text> {
    let words: Vec<&str> = written.split_whitespace().collect();
    let (method, path) = match *words.as_slice() {
        [path] => (None, path),
        [method, path] => (Some(method), path),
        _ => bail!("`{written}` is no endpoint; say for example `--endpoint \"GET /users\"`"),
    };
    let shown =
        |endpoint: &graph::Endpoint| format!("{} {}", method_word(&endpoint.method), endpoint.path);
    let list = |found: &[&graph::Endpoint]| {
        found.iter().map(|one| format!("`{}`", shown(one))).collect::<Vec<_>>().join(", ")
    };
    let mut found: Vec<_> = endpoints(graph, Some(path), method).collect();
    found.dedup_by_key(|endpoint| method_word(&endpoint.method));
    match found.as_slice() {
        [] => {}
        [one] => match one.label.as_deref().and_then(|label| known_label(graph, label)) {
            Some(label) => return Ok(label),
            None => bail!("endpoint `{}` runs no label", shown(one)),
        },
        several => bail!("`{path}` has several methods; say which: {}", list(several)),
    }
    let other_methods: Vec<_> = endpoints(graph, Some(path), None).collect();
    if let (false, Some(method)) = (other_methods.is_empty(), method) {
        bail!("`{path}` has no `{}`; it has {}", method_word(method), list(&other_methods));
    }
    let all: Vec<_> = graph.endpoints.iter().collect();
    let words: Vec<String> = match method {
        Some(_) => all.iter().map(|endpoint| shown(endpoint)).collect(),
        None => all.iter().map(|endpoint| endpoint.path.to_string()).collect(),
    };
    let asked = method.map_or(path.to_string(), |method| format!("{} {path}", method_word(method)));
    match (nearest(&asked, words.iter().map(String::as_str)), all.as_slice()) {
        (_, []) => bail!("there is no endpoint `{asked}`; the graph has none"),
        (Some(near), _) => bail!("there is no endpoint `{asked}`; did you mean `{near}`?"),
        (None, some) => {
            bail!("there is no endpoint `{asked}`; there are {}", list(&some[..some.len().min(20)]))
        }
    }
}

/// A cron is known by the label that it runs.
fn find_cron(graph: &Graph, written: &str) -> Result<Text> {
    let member = |cron: &Value, name: &str| cron.get(name).and_then(Value::as_text).cloned();
    let labels: Vec<(Text, String)> = graph
        .crons
        .iter()
        .filter_map(|cron| {
            let label = known_label(graph, &member(cron, "label")?)?;
            Some((label, member(cron, "expr").unwrap_or_default().to_string()))
        })
        .collect();
    let wanted = known_label(graph, written);
    if let Some(label) = wanted.filter(|label| labels.iter().any(|(known, _)| known == label)) {
        return Ok(label);
    }
    if labels.is_empty() {
        bail!("there is no cron `{written}`; the graph has none");
    }
    let listed = labels.iter().take(20).map(|(label, expr)| match expr.is_empty() {
        true => format!("`{label}`"),
        false => format!("`{label}` ({expr})"),
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    bail!(
        "there is no cron `{written}`; there {} {listed}",
        if labels.len() == 1 { "is" } else { "are" }
    )
}

/// How a run was begun, as far as a reader of another graph must know it.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// The names of its inputs.
    pub(crate) inputs: Vec<Text>,
    /// The label that was chosen, and in which words.
    chosen: Option<(Text, Text)>,
}

impl Beginning {
    /// Of a run, or of the one that it was forked from.
    pub(crate) fn of(store: &dyn Store, stream: &Stream) -> Result<Beginning> {
        let Some(lineage) = Lineage::of(store, stream, None)? else {
            return Ok(Beginning::default());
        };
        let Some(part) = lineage.segments().first() else { return Ok(Beginning::default()) };
        let first = store.read(&part.stream, part.from, 1)?;
        let fact = first.first().map(|entry| store.fact(&entry.event)).transpose()?.flatten();
        let Some(What::RunStarted(started)) = fact.map(|fact| fact.what) else {
            return Ok(Beginning::default());
        };
        let inputs = started.inputs.iter().flat_map(|inputs| inputs.keys().cloned()).collect();
        let policy = started.document.as_ref().and_then(|document| document.get("runtime_policy"));
        let member = |name: &str| policy?.get(name)?.as_text().cloned();
        Ok(Beginning { inputs, chosen: member("entry").zip(member(CHOSEN)) })
    }

    /// Another graph begins at the label that was chosen.
    pub(crate) fn keep(self, graph: &mut Graph) {
        let Some((label, words)) = self.chosen else { return };
        match graph.labels.contains_key(&label) {
            true => set_entry(graph, label, words),
            false => output::note(&format!(
                "note: the run was begun at label `{label}` ({words}), which the graph lacks"
            )),
        }
    }
}
