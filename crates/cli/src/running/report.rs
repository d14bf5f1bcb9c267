//! What a run came to, for people and for scripts, and what to do next.

use std::sync::Arc;

use anyhow::{Result, bail};
use history::Stream;
use history::kinds::Kind;
use host::{DriveError, Stopped};
use runtime::{Plan, Run, Status};
use store::{AppendError, Store};
use value::{Map, Value, json};

use super::doubt::Doubt;
use super::shown;
use crate::opened::{self, count};
use crate::{Outcome, output};

/// What a run came to, as scripts get it.
pub(crate) fn document(plan: &Plan, run: &Run, stopped: Stopped) -> Map {
    let status = match (run.status(), stopped) {
        (Status::Done, _) => "done",
        (Status::Failed, _) => "failed",
        (Status::Cancelled, _) => "cancelled",
        (_, Stopped::Paused) => "paused",
        _ => "waiting",
    };
    let (path, omitted) = run.path(plan);
    let state = run.state(plan);
    let state = state.iter().filter(|(name, _)| !name.starts_with('_'));
    let error = run.failure().map(|failure| {
        let mut members = vec![
            ("code", Value::text(failure.fault.kind.word())),
            ("message", Value::Text(failure.fault.message.clone())),
            ("node", failure.at.clone().into()),
            ("event", failure.event.map(|event| event.to_string()).into()),
        ];
        members.extend(failure.fault.details.clone().map(|details| ("details", details)));
        Value::map(members)
    });
    let mut members: Map = [
        ("run", Value::Text(run.id().clone())),
        ("status", status.into()),
        ("result", run.result().clone()),
        ("state", Value::map(state.map(|(name, value)| (name.clone(), value.clone())))),
        ("path", Value::list(path.map(|label| Value::Text(label.clone())))),
        ("usage", usage(run)),
        ("error", error.into()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into_iter()
    .collect();
    if omitted > 0 {
        members.insert("path_omitted".into(), count(omitted));
    }
    let questions: Vec<Value> = run
        .pending()
        .filter_map(|pending| match &pending.request {
            runtime::Request::Question(question) => Some(Value::Text(question.id.clone())),
            _ => None,
        })
        .collect();
    if !questions.is_empty() {
        members.insert("questions".into(), Value::list(questions));
    }
    members
}

fn usage(run: &Run) -> Value {
    let usage = run.usage();
    let denied = (usage.denied > 0).then(|| ("tool_calls_denied", count(usage.denied)));
    let members = [
        ("model_calls", count(u64::from(usage.model_calls))),
        ("tool_calls", count(usage.tool_calls)),
        ("prompt_tokens", count(usage.prompt_tokens)),
        ("completion_tokens", count(usage.completion_tokens)),
        ("total_tokens", count(usage.prompt_tokens + usage.completion_tokens)),
        ("cost", Value::text(usage.cost.to_string())),
        ("steps", count(usage.steps)),
        ("visits", count(usage.visits)),
    ];
    Value::map(members.into_iter().chain(denied))
}

/// Prints what a driven run came to, and says how it ended. The store knows from where it can go on;
/// `more` is added to the document.
pub(crate) fn report(
    store: &dyn Store,
    (plan, run, stopped): (Arc<Plan>, Run, Stopped),
    is_json: bool,
    more: Map,
) -> Result<Outcome> {
    let doubt = Doubt::of(store, &run)?;
    if is_json {
        let mut members = document(&plan, &run, stopped);
        members.extend(more);
        let next = doubt.as_ref().and_then(|doubt| doubt.if_happened().ok());
        members.extend(next.map(|command| ("next".into(), Value::text(command))));
        output::print_json(&members.into())?;
    } else {
        tell(&run, stopped, failed_at(store, &run)?, doubt.as_ref())?;
    }
    Ok(match (run.status(), stopped) {
        (Status::Done, _) => Outcome::Fine,
        (Status::Failed | Status::Cancelled, _) => Outcome::Found,
        (_, Stopped::Paused) => Outcome::Interrupted,
        _ => Outcome::Waiting,
    })
}

/// How to go on when it is not known whether calls have happened.
fn tell_of_doubt(doubt: &Doubt) {
    match doubt.if_happened() {
        Ok(command) => {
            output::note(&format!("if it happened:  {command}"));
            output::note("                 where VALUE is what it answered, as JSON or text");
        }
        Err(why) => output::note(&format!("if it happened:  no command can say so: {why}")),
    }
    output::note(&format!("if it did not:   {}", doubt.if_not()));
}

/// A run that could not be driven any further, or not by us: nothing of it is lost.
pub(crate) fn not_driven(
    store: &dyn Store,
    run: &str,
    error: anyhow::Error,
    is_json: bool,
) -> Result<Outcome> {
    // What cannot be read either is said by the error.
    let is_begun = store.stream(&Stream::run(run)).ok().flatten().is_some();
    let (code, next) = match error.downcast_ref::<DriveError>() {
        Some(DriveError::Append(AppendError::Exists(_))) => {
            bail!("there is a run `{run}` already; `quipu resume {run}` goes on with it")
        }
        Some(DriveError::Held { .. } | DriveError::TakenOver) => {
            ("HELD", format!("quipu log {run}"))
        }
        Some(DriveError::Append(_)) if !is_begun => ("STOPPED", same_command()),
        Some(DriveError::Append(_) | DriveError::Refused(_)) => {
            ("STOPPED", format!("quipu resume {run}"))
        }
        Some(DriveError::Load(_) | DriveError::LeftElsewhere(_)) | None => return Err(error),
    };
    if is_json {
        let why = Value::map([
            ("code", code.into()),
            ("message", output::told(&error).into()),
            ("next", Value::text(&*next)),
        ]);
        let members = [("ok", false.into()), ("run", run.into()), ("error", why)];
        output::print_json(&Value::map(members))?;
    } else {
        output::complain(&error);
        let what = match code {
            "HELD" => "how far it is",
            _ if !is_begun => {
                output::note(&format!("next: {next}  once that is put right: nothing was begun"));
                return Ok(Outcome::Found);
            }
            _ => "go on, once that is put right: nothing of the run is lost",
        };
        self::next(&[(&next, what)]);
    }
    Ok(Outcome::Found)
}

/// Where a run failed.
struct FailedAt {
    /// The last answer or refusal; where there was none, the end.
    because: u64,
    /// The last event before whatever led to that.
    before: u64,
}

fn failed_at(store: &dyn Store, run: &Run) -> Result<Option<FailedAt>> {
    const ANSWERS: [Kind; 5] = [
        Kind::ToolResult,
        Kind::ModelResponse,
        Kind::QuestionAnswered,
        Kind::TimerFired,
        Kind::ApprovalDecided,
    ];
    let stream = Stream::Run(run.id().clone());
    let Some(info) = store.stream(&stream)? else { return Ok(None) };
    let end = store.last_of(&stream, &[Kind::RunFinished], info.next)?;
    let Some(end) = end.map(|end| end.seq) else { return Ok(None) };
    let because = store.last_of(&stream, &ANSWERS, end)?.map_or(end, |answer| answer.seq);
    let mut before = because.saturating_sub(1);
    // A block is told of only when it failed: what says so belongs to how.
    let call = store.read(&stream, before, 1)?.pop();
    if call.is_some_and(|call| call.seq == before && runtime::may_tell_of_block(&call.event)) {
        before = before.saturating_sub(1);
    }
    Ok(Some(FailedAt { because, before }))
}

/// What a run came to, for people.
fn tell(
    run: &Run,
    stopped: Stopped,
    failed_at: Option<FailedAt>,
    doubt: Option<&Doubt>,
) -> Result<()> {
    let id = run.id();
    let usage = run.usage();
    let mut took = vec![output::plural(usage.visits, "process").replace("processs", "processes")];
    if usage.model_calls > 0 {
        took.push(output::plural(u64::from(usage.model_calls), "model call"));
        took.push(output::plural(usage.prompt_tokens + usage.completion_tokens, "token"));
    }
    if usage.tool_calls > 0 {
        let denied = match usage.denied {
            0 => String::new(),
            denied => format!(" ({denied} denied)"),
        };
        took.push(format!("{}{denied}", output::plural(usage.tool_calls, "tool call")));
    }
    let took = took.join(", ");
    match (run.status(), stopped) {
        (Status::Done, _) => {
            if *run.result() != Value::Null {
                output::print(&pretty(run.result()))?;
            }
            output::note(&format!("done: {took} (run {id})"));
            next(&[
                (&format!("quipu log {id}"), "what happened, event by event"),
                (&format!("quipu why {id}"), "why it went the way it went"),
                (&format!("quipu replay {id}"), "the same again, without calling anything"),
            ]);
        }
        (Status::Failed, _) => {
            let failure = run.failure();
            let at = failure.and_then(|failure| failure.at.as_deref()).unwrap_or("the run");
            let told = failure.map(|failure| failure.fault.to_string()).unwrap_or_default();
            output::note(&format!("failed at {at}: {told}"));
            failure.and_then(effect).inspect(|effect| output::note(&format!("  {effect}")));
            let code = failure.map_or("failed", |failure| failure.fault.kind.word());
            let help = runtime::FAULTS.iter().find(|(word, ..)| *word == code);
            let failed = failed_at.unwrap_or(FailedAt { because: 0, before: 0 });
            let because = doubt.map_or(failed.because, |doubt| doubt.seq);
            // Where there is a doubt, it is told below what to do.
            if let Some((_, _, help)) = help.filter(|_| doubt.is_none()) {
                let help = help.replace("RUN@SEQ", &format!("{id}@{because}"));
                output::note(&format!("  {}", help.replace("RUN", id)));
            }
            output::note(&format!("  {took} (run {id})"));
            let log = format!("quipu log {id}");
            let why = format!("quipu why {id}@{because}");
            let fork = format!("quipu fork {id}@{}", failed.before);
            let mut commands =
                vec![(&*log, "what happened, event by event"), (&*why, "what led there")];
            if doubt.is_none() {
                commands.push((&*fork, "go on from before it; with `--live` it may write"));
            }
            next(&commands);
            doubt.into_iter().for_each(tell_of_doubt);
        }
        (Status::Cancelled, _) => output::note(&format!("cancelled: {took} (run {id})")),
        (_, Stopped::Paused) => {
            output::note(&format!("paused: {took} (run {id})"));
            next(&[(&format!("quipu resume {id}"), "go on")]);
        }
        _ => {
            output::note(&format!("waiting for a person: {took} (run {id})"));
            for pending in run.pending() {
                if let runtime::Request::Question(question) = &pending.request {
                    let options = question.options.iter().map(|option| quoted(&shown(option)));
                    let options: Vec<String> = options.collect();
                    let choice =
                        if options.is_empty() { "VALUE".to_owned() } else { options.join("|") };
                    output::note(&format!("  {}", question.prompt));
                    output::note(&format!(
                        "  quipu answer {} {choice}{}{}",
                        question.id,
                        same_store(),
                        match &question.capability {
                            Some(needed) => format!(" --as NAME  (who has `{needed}`)"),
                            None => String::new(),
                        }
                    ));
                }
            }
            output::note(&format!("then: quipu resume {id}{}", same_store()));
        }
    }
    Ok(())
}

/// Which attempt it was, and whether what a tool does may have been done although it failed.
fn effect(failure: &runtime::Failure) -> Option<String> {
    let details = failure.fault.details.as_ref()?;
    let attempt = match details.get("attempt") {
        Some(Value::Int(attempt)) => format!("attempt {attempt}"),
        _ => return None,
    };
    Some(match failure.fault.happened() {
        Some(runtime::Happened::Maybe) => format!("{attempt}; what it does may have happened"),
        Some(runtime::Happened::No) => format!("{attempt}; nothing has happened"),
        None => attempt,
    })
}

/// A word as a shell takes it for one.
pub(super) fn quoted(word: &str) -> String {
    let is_safe = |letter: char| letter.is_alphanumeric() || "-_./:@%+,".contains(letter);
    match !word.is_empty() && word.chars().all(is_safe) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What was typed, to be typed again.
fn same_command() -> String {
    let words = std::env::args_os().skip(1);
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    format!("quipu {}", words.join(" "))
}

/// What commands need to find the store that this one was told.
pub(super) fn same_store() -> String {
    opened::named().map_or_else(String::new, |store| format!(" --store {}", quoted(store)))
}

fn next(commands: &[(&str, &str)]) {
    // What is in memory only, no other process can look at.
    if opened::named() == Some("memory") {
        return;
    }
    let commands: Vec<(String, &str)> = commands
        .iter()
        .map(|(command, what)| (format!("{command}{}", same_store()), *what))
        .collect();
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (at, (command, what)) in commands.iter().enumerate() {
        let lead = if at == 0 { "next:" } else { "     " };
        output::note(&format!("{lead} {}  {what}", output::filled(command, width)));
    }
}

/// A value for people: texts as they are, the rest as JSON.
pub(crate) fn pretty(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        other => json::pretty(other),
    }
}
