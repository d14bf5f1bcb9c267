//! `quipu fork`

mod begins;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use diagnostics::{is_plain, plain};
use history::kinds::Kind as HistoryKind;
use history::plan::{Refusal, Wish};
use history::{Lineage, Place, Stream};
use host::{Driver, Python};
use store::fork::{ForkError, ForkRequest, Forked, fork};
use store::{Durability, Store, names};
use value::{Text, Value};

use self::begins::Begins;
use crate::Outcome;
use crate::args::history::Fork;
use crate::find;
use crate::opened::{Access, count, now, open_shared};
use crate::output;
use crate::running::{not_driven, report};

pub(crate) fn run(arguments: &Fork) -> Result<Outcome> {
    let store = open_shared(&arguments.store, Access::Change)?;
    let at = place(&*store, &arguments.at)?;
    let run: Text = match &arguments.id {
        Some(id) => new_id(id)?,
        None => uuid::Uuid::now_v7().to_string().into(),
    };
    if let Some(branch) = &arguments.branch {
        find::check_branch(&*store, branch)?;
        if store.name(branch)?.is_some_and(|(_, last)| last.target.is_some()) {
            bail!("there is a branch `{branch}` already");
        }
    }
    let begins = match Begins::new(arguments, &store, &at)? {
        Ok(begins) => begins,
        Err(outcome) => return Ok(outcome),
    };
    let request = ForkRequest {
        run: run.clone(),
        agent: None,
        from_branch: branch_of(&*store, &at)?,
        to_branch: arguments.branch.as_deref().map_or_else(|| run.clone(), Into::into),
        ts: now()?,
        wishes: wishes(arguments)?,
        going_on: begins.as_ref().map(|begins| begins.going_on.clone()).unwrap_or_default(),
        durability: Durability::Fsync,
    };
    let forked = fork(&*store, &at, &request).map_err(|error| match error {
        ForkError::Refused(ref refusals)
            if refusals.iter().any(|one| matches!(one, Refusal::Missing { .. })) =>
        {
            anyhow!("{error}; say `--keep`, `--take`, `--snapshot` or `--discard`")
        }
        ForkError::NoTarget(resource) => {
            anyhow!("say where the copy goes: `--snapshot {resource}=FOLDER`")
        }
        other => other.into(),
    })?;
    if let Some(branch) = &arguments.branch {
        let by = names::By { ts: request.ts, actor: None, reason: None };
        names::set(&*store, branch, &last(&*store, &forked)?, by)?;
    }
    if let Some(begins) = &begins {
        let stream = &forked.first.stream;
        let changed = begins.change(&*store, stream);
        if changed.is_err() || !arguments.no_run {
            // It is there, whatever becomes of it now.
            return changed
                .and_then(|()| go_on(arguments, &store, stream, begins, &forked))
                .or_else(|error| not_driven(&*store, &run, error, arguments.format.is_json()));
        }
    }
    if arguments.format.is_json() {
        output::print_json(&document(&*store, &run, &forked)?)?;
    } else {
        let (fork, from) = (forked.first.stream.to_string(), forked.from.to_string());
        output::print(&format!("{} from {}", plain(&fork), plain(&from)))?;
        tell_copies(&forked);
    }
    Ok(Outcome::Fine)
}

fn tell_copies(forked: &Forked) {
    for copied in &forked.copies {
        output::note(&match &copied.restored {
            Some(copy) => format!(
                "`{}` is in `{}`, as `{}`",
                copied.resource,
                copy.folder.display(),
                copy.resource
            ),
            None => format!("`{}` cannot be copied (unsupported)", copied.resource),
        });
    }
}

/// Where a user wants to fork. A run that is over is forked before its end: behind it nothing
/// could go on.
fn place(store: &dyn Store, words: &str) -> Result<Place> {
    const OVER: [HistoryKind; 2] = [HistoryKind::RunFinished, HistoryKind::RunCancelled];
    let mut at = find::place(store, words)?;
    if at.stream.run_id().is_none() {
        return Ok(at);
    }
    let lineage = Lineage::of(store, &at.stream, None)?.context("it was found")?;
    if find::split(words).1.is_some() {
        // What says that a block failed comes with how, or not at all.
        let entry = lineage.entry(store, at.seq)?;
        if entry.is_some_and(|entry| runtime::may_tell_of_block(&entry.event)) {
            at.seq = at.seq.saturating_sub(1);
            output::note(&format!("note: forked from {at}, before the block that failed"));
        }
        return Ok(at);
    }
    // Answers that came late may stand behind the end.
    let Some(end) = store.last_of(&at.stream, &OVER, at.seq + 1)? else { return Ok(at) };
    at.seq = end.seq.saturating_sub(1);
    // What was given up because of the end belongs to it.
    while at.seq > 0 {
        match lineage.entry(store, at.seq)? {
            Some(entry) if entry.event.kind() == HistoryKind::Interruption => at.seq -= 1,
            _ => break,
        }
    }
    Ok(at)
}

/// Drives a fork.
fn go_on(
    arguments: &Fork,
    store: &Arc<dyn Store>,
    stream: &Stream,
    begins: &Begins,
    forked: &Forked,
) -> Result<Outcome> {
    let is_json = arguments.format.is_json();
    let mut logic = Python::default();
    let (plan, run, stopped) = begins.around.with(&**store, is_json, |world| {
        let mut driver = Driver::resume(world, &mut logic, stream.clone())?;
        let stopped = driver.drive()?;
        Ok((driver.plan().clone(), driver.run().clone(), stopped))
    })?;
    for at in run.options().outputs.keys() {
        output::note(&format!("note: the run did not come to `{at}`: its `--output` was not used"));
    }
    let from = document(&**store, run.id(), forked)?.get("from").cloned().unwrap_or_default();
    let more = [("from".into(), from)].into_iter().collect();
    if !is_json {
        output::note(&format!("{stream} from {}", forked.from));
        tell_copies(forked);
    }
    let id = run.id().clone();
    let outcome = report(&**store, (plan, run, stopped), is_json, more);
    begins.around.export(&**store, &id);
    outcome
}

/// An id that users can write, and that means nothing else.
pub(crate) fn new_id(id: &str) -> Result<Text> {
    if id.is_empty() || find::means_else(id) || !id.chars().all(is_plain) {
        bail!(
            "a run cannot be called `{id}`: `last`, `store`, `run:`, `agent:` and `@` have a meaning"
        );
    }
    Ok(id.into())
}

/// What the forked run is called: by a name that points into it, else by its id.
fn branch_of(store: &dyn Store, at: &Place) -> Result<Text> {
    let names = store.names()?;
    let points = |target: &history::Target| target.place.stream == at.stream;
    let named = names.into_iter().find(|(_, last)| last.target.as_ref().is_some_and(points));
    Ok(named.map_or_else(|| at.stream.to_string().into(), |(_, last)| last.name.into()))
}

/// What the user wants to become of each resource.
fn wishes(arguments: &Fork) -> Result<BTreeMap<Text, Wish>> {
    let each = |list: &[String], wish: Wish| -> Vec<(Text, Wish)> {
        list.iter().map(|resource| (resource.as_str().into(), wish.clone())).collect()
    };
    let copies = arguments.snapshot.iter().map(|wanted| match wanted.rsplit_once('=') {
        Some((resource, folder)) => (resource.into(), Wish::Snapshot { into: Some(folder.into()) }),
        None => (wanted.as_str().into(), Wish::Snapshot { into: None }),
    });
    let all = each(&arguments.keep, Wish::KeepByParent)
        .into_iter()
        .chain(each(&arguments.take, Wish::KeepByFork))
        .chain(each(&arguments.discard, Wish::Discard))
        .chain(copies);
    let mut wishes = BTreeMap::new();
    for (resource, wish) in all {
        if let Some(before) = wishes.insert(resource.clone(), wish.clone())
            && before != wish
        {
            bail!("`{resource}` cannot have two fates");
        }
    }
    Ok(wishes)
}

fn last(store: &dyn Store, forked: &Forked) -> Result<Place> {
    let stream = &forked.first.stream;
    let info = store.stream(stream)?.context("a fork that was made is there")?;
    Ok(Place::new(stream.clone(), info.next - 1))
}

/// The document of a run, which has done nothing yet, and where it comes from.
fn document(store: &dyn Store, run: &Text, forked: &Forked) -> Result<Value> {
    let shared = store.read(&forked.from.stream, forked.from.seq, 1)?;
    let event = shared.first().map(|entry| Value::from(entry.event.id()));
    let plan = forked.plan.iter().map(|item| {
        Value::map([
            ("resource", item.resource.clone().into()),
            ("mode", item.mode.word().into()),
            ("kept_by", item.kept_by.clone().into()),
        ])
    });
    let copies = forked.copies.iter().map(|copied| {
        let copy = copied.restored.as_ref();
        Value::map([
            ("resource", copied.resource.clone().into()),
            ("copy", copy.map(|copy| copy.resource.clone()).into()),
            ("folder", copy.map(|copy| copy.folder.display().to_string()).into()),
        ])
    });
    Ok(Value::map([
        ("run", run.clone().into()),
        ("status", "open".into()),
        ("result", Value::Null),
        ("state", Value::Null),
        ("path", Value::list([])),
        ("usage", Value::Null),
        ("error", Value::Null),
        (
            "from",
            Value::map([
                ("run", forked.from.stream.to_string().into()),
                ("seq", count(forked.from.seq)),
                ("event_id", event.into()),
            ]),
        ),
        ("plan", Value::list(plan)),
        ("copies", Value::list(copies)),
    ]))
}
