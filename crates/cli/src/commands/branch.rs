//! `quipu branch`

use anyhow::{Result, anyhow, bail};
use history::kinds::records::PlanItem;
use history::kinds::words::{MergeStrategy, PlanMode};
use history::{Operation, OperationId};
use store::merge::{MergeRequest, merge};
use store::names::{self, By, NameError};
use store::{Durability, MoveError, Store};
use value::Value;

use crate::Outcome;
use crate::args::history::{Branch, Merge};
use crate::find;
use crate::opened::{Access, count, now, open};
use crate::output;

pub(crate) fn run(arguments: &Branch) -> Result<Outcome> {
    let Some(name) = &arguments.name else {
        let store = open(&arguments.store, Access::Read)?;
        let names = store.names()?.into_iter().filter(|(_, last)| last.target.is_some());
        return list(&names.collect::<Vec<_>>(), "branches", arguments);
    };
    let is_change = arguments.undo || arguments.remove;
    if arguments.target.is_none() && arguments.merge.is_none() && !is_change {
        let store = open(&arguments.store, Access::Read)?;
        let mut operations = store.operations(name)?;
        if operations.is_empty() {
            bail!("there is no branch `{name}`");
        }
        if !arguments.log {
            operations.drain(..operations.len() - 1);
        }
        return list(&operations, "operations", arguments);
    }
    let store = open(&arguments.store, Access::Change)?;
    let by = By { ts: now()?, actor: actor(), reason: arguments.reason.clone() };
    if let Some(other) = &arguments.merge {
        record_merge(&*store, name, other, arguments)?;
    } else if arguments.undo {
        names::undo(&*store, name, by)?;
    } else if arguments.remove {
        let reason = by.reason.or_else(|| Some("removed".into()));
        names::remove(&*store, name, By { reason, ..by })?;
    } else if let Some(target) = &arguments.target {
        find::check_branch(&*store, name)?;
        let moved = names::set(&*store, name, &find::place(&*store, target)?, by);
        moved.map_err(|error| match error {
            NameError::Move(MoveError::NeedsReason(_)) => anyhow!("{error} with `-m`"),
            other => other.into(),
        })?;
    }
    let last = store.name(name)?;
    list(&last.into_iter().collect::<Vec<_>>(), "operations", arguments)
}

/// Who moves names.
fn actor() -> Option<String> {
    std::env::var("USER").ok().filter(|user| !user.is_empty())
}

fn record_merge(store: &dyn Store, into: &str, from: &str, arguments: &Branch) -> Result<()> {
    let picked = arguments.pick.iter().map(|event| Ok(find::event(store, event)?.1.event.id()));
    let keep = |resource: &String| PlanItem {
        resource: resource.as_str().into(),
        mode: PlanMode::Keep,
        kept_by: Some(into.into()),
        snapshot_ref: None,
    };
    let request = MergeRequest {
        into: into.into(),
        from: from.into(),
        strategy: match arguments.strategy {
            None | Some(Merge::Ours) => MergeStrategy::Ours,
            Some(Merge::Theirs) => MergeStrategy::Theirs,
            Some(Merge::CherryPick) => MergeStrategy::CherryPick,
        },
        picked: picked.collect::<Result<_>>()?,
        resources: arguments.keep.iter().map(keep).collect(),
        reason: arguments.reason.as_deref().map(Into::into),
        ts: now()?,
        durability: Durability::Fsync,
    };
    let merged = merge(store, &request)?;
    let is_name = store.name(into)?.is_some();
    if is_name {
        // The branch has gone on by one event.
        let by = By { ts: request.ts, actor: actor(), reason: Some(format!("merged {from}")) };
        names::set(store, into, &merged.place, by)?;
    } else {
        output::note(&format!("recorded as {}", merged.place));
    }
    Ok(())
}

fn list(
    operations: &[(OperationId, Operation)],
    title: &'static str,
    arguments: &Branch,
) -> Result<Outcome> {
    if arguments.format.is_json() {
        output::print_json(&Value::map([(title, Value::list(operations.iter().map(value)))]))?;
        return Ok(Outcome::Fine);
    }
    if operations.is_empty() {
        output::note("there is no branch yet");
        return Ok(Outcome::Fine);
    }
    let rows: Vec<[String; 4]> = operations.iter().map(|(_, operation)| row(operation)).collect();
    output::print(&output::table(&rows))?;
    Ok(Outcome::Fine)
}

fn row(operation: &Operation) -> [String; 4] {
    let target = operation.target.as_ref();
    [
        operation.name.clone(),
        target.map_or_else(|| "nowhere".to_string(), |target| target.place.to_string()),
        operation.ts.to_string()[..19].replace('T', " "),
        operation.reason.clone().unwrap_or_default(),
    ]
}

fn value((id, operation): &(OperationId, Operation)) -> Value {
    let target = operation.target.as_ref();
    Value::map([
        ("name", operation.name.as_str().into()),
        ("run", target.map(|target| target.place.stream.to_string()).into()),
        ("seq", target.map(|target| count(target.place.seq)).into()),
        ("link", target.map(|target| Value::from(target.link)).into()),
        ("ts", operation.ts.to_string().into()),
        ("actor", operation.actor.as_deref().into()),
        ("reason", operation.reason.as_deref().into()),
        ("operation_id", (*id).into()),
    ])
}
