//! What an event says, on one line for a person. It reads members one by one, so that events with
//! flaws and unknown kinds have a line too.

use std::iter::Peekable;
use std::str::Chars;

use diagnostics::plain;
use value::{Map, Value, json};

use super::{Common, Kind, referenced};
use crate::{BlobId, Event, EventId};

/// How wide a line is, and how much of it one value may take.
const WIDTH: usize = 100;
const VALUE_WIDTH: usize = 60;

/// What an event says, on one line of about 100 characters in which nothing moves the cursor of a
/// terminal. `blob` knows values that stand behind hashes.
pub fn summary(event: &Event, blob: impl Fn(BlobId) -> Option<Value>) -> String {
    let mut members = event.members();
    for value in members.values_mut() {
        if let Some(id) = referenced(value) {
            *value = blob(id).unwrap_or_else(|| "[large]".into());
        }
    }
    let mut line = String::new();
    fill(&mut line, &mut template(event.kind()).chars().peekable(), &members);
    let line = line.trim_start_matches([',', ':', ' ']);
    let line = if line.is_empty() { in_general(&members) } else { line.to_string() };
    cut(&line, WIDTH)
}

/// What is worth saying of each kind. `{a.b}` is a member, `{a#word}` says how many there are, and
/// what stands in brackets is left out if one of its members is.
fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Unknown => "",
        Kind::AgentCreated => "[{name}]",
        Kind::RunStarted => "[{reason}][ from {from.run_id}@{from.seq}][, graph {graph}]",
        Kind::RunFinished => "[{exit}][: {error.code}: {error.message}][ {result}]",
        Kind::RunPaused => "[{reason}]",
        Kind::RunCancelled => "[by {actor}][: {reason}]",
        Kind::MessageCreated => "[{message.role}: {message.content}]",
        Kind::HistoryAppend => "{list}[ {pos}]: {message_ref}",
        Kind::HistoryRewritten => "{list} {from_pos}..{to_pos}: {replacement#message}, {cause}",
        Kind::ModelRequest => "{model}, {input_refs#input}",
        Kind::ModelResponse => "[{usage.total_tokens} tokens][, {finish_reason}]",
        Kind::ToolCall => "{server}.{tool} {call_id} {args}",
        Kind::EffectStarted => "{call}[, attempt {attempt}]",
        Kind::ToolResult => "{call_id} {status}[: {error.code}: {error.message}]",
        Kind::ApprovalRequested => "for {call}[ until {expires_at}]",
        Kind::ApprovalDecided => "{outcome}[ for {call}][ by {actor}][: {reason}]",
        Kind::PolicyProposed => "{policy_ref}[: {notes}]",
        Kind::PolicyDecided => "{policy_ref} {decision}[ by {actor}][: {reason}]",
        Kind::PolicyActivated => "{policy_ref}[ by {actor}][: {notes}]",
        Kind::McpResourceUpdated => "{server}: {uri}[: {summary}]",
        Kind::McpResourceListChanged => "{server}",
        Kind::McpNotification => "{server}: {method}[ {params}]",
        Kind::McpResourceRead => "{server}: {uri}[: {content}]",
        Kind::ResourceRegistered => "[{resource.id}, {resource.kind}][, part of {part_of}]",
        Kind::ResourceTransferred => "{resource_ref} to {to}",
        Kind::ResourceAttached => "{resource_ref} {mode}[ at {mount}]",
        Kind::ResourceDetached => "{resource_ref}",
        Kind::HandleOpened => "[{handle.id} on {handle.resource_ref}]",
        Kind::HandleClosed => "{handle_ref}[: {reason}]",
        Kind::ResourceLivenessProbe => "{resource_ref} {status}",
        Kind::SnapshotCreated => "{snapshot_ref} of {resource_ref} {outcome}[: {error.message}]",
        Kind::RestoreAttempted => "{snapshot_ref} {outcome}[ as {new_resource_ref}]",
        Kind::LeaseAcquired | Kind::LeaseReleased => "{resource} by {holder}, epoch {epoch}",
        Kind::AgentForked => "{from_branch} -> {to_branch}",
        Kind::BranchMerged => "{from} -> {into}, {strategy}[: {reason}]",
        Kind::SubagentSpawned => "[{subagent.id}][ in {child_run}]",
        Kind::Interruption => "{reason}, {affects#event}",
        Kind::Substitution => "{original_event} -> {replacement_event}[: {reason}]",
        Kind::SummaryCreated => "{summary_ref} of {sources#source}[: {text}]",
        Kind::SnapshotMaterialized => "{projection} through {through_seq}",
        Kind::Redacted | Kind::Pruned | Kind::KeyDestroyed => "{target} by {actor}: {reason}",
        Kind::QuestionAsked => "{question_id}: {prompt}",
        Kind::QuestionAnswered => "{question_id}: {answer}[ by {actor}]",
        Kind::StateSet => "{values}",
        Kind::TimeObserved => "{source}: {value}",
        Kind::TimerSet => "{timer} at {due}",
        Kind::TimerFired => "{timer}",
    }
}

/// Fills a template up to its end or to the end of its brackets; false if a member is missing.
fn fill(line: &mut String, template: &mut Peekable<Chars<'_>>, members: &Map) -> bool {
    let mut is_whole = true;
    while let Some(character) = template.next() {
        match character {
            '[' => {
                let start = line.len();
                if !fill(line, template, members) {
                    line.truncate(start);
                }
            }
            ']' => break,
            '{' => {
                let path: String = template.by_ref().take_while(|letter| *letter != '}').collect();
                match shown(members, &path) {
                    Some(value) => line.push_str(&value),
                    None => {
                        is_whole = false;
                        line.push('?');
                    }
                }
            }
            other => line.push(other),
        }
    }
    is_whole
}

fn shown(members: &Map, path: &str) -> Option<String> {
    let (path, noun) = path.split_once('#').map_or((path, None), |(path, noun)| (path, Some(noun)));
    let (first, rest) =
        path.split_once('.').map_or((path, None), |(path, rest)| (path, Some(rest)));
    let member = members.get(first)?;
    let value = match (rest, member) {
        (Some(rest), Value::Map(members)) => members.get(rest)?,
        // It stands behind a hash, or has a flaw.
        (Some(_), _) => return None,
        (None, member) => member,
    };
    match (noun, value) {
        (Some(noun), Value::List(items)) if items.len() == 1 => Some(format!("1 {noun}")),
        (Some(noun), Value::List(items)) => Some(format!("{} {noun}s", items.len())),
        _ => Some(one_line(value)),
    }
}

/// The first members that are short, for kinds that nothing is known of.
fn in_general(members: &Map) -> String {
    let is_common =
        |name: &str| name == "kind" || Common::MEMBERS.iter().any(|member| member.name == name);
    let is_short = |value: &Value| !matches!(value, Value::List(_) | Value::Map(_) | Value::Null);
    let own = members.iter().filter(|(name, value)| !is_common(name) && is_short(value));
    let shown = own.take(4).map(|(name, value)| format!("{}: {}", safe(name), one_line(value)));
    shown.collect::<Vec<_>>().join(", ")
}

fn one_line(value: &Value) -> String {
    let text = match value {
        Value::Text(text) if EventId::parse(text).is_some() => short(text),
        Value::Text(text) => safe(text),
        Value::List(parts) if parts.iter().any(|part| part.get("type").is_some()) => {
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
        Value::Map(members) => match reference(members) {
            Some(reference) => safe(&reference),
            None => safe(&json::compact(value)),
        },
        other => safe(&json::compact(other)),
    };
    cut(&text, VALUE_WIDTH)
}

/// A part of a message.
fn part(part: &Value) -> String {
    let text = |name: &str| part.get(name).map_or_else(|| "?".into(), one_line);
    match part.get("type").and_then(Value::as_text).map(|kind| &**kind) {
        Some("text") => format!("\"{}\"", text("text")),
        Some("reasoning") => format!("(\"{}\")", text("text")),
        Some("tool_use") => format!("{} {}", text("name"), text("id")),
        Some("tool_result") => format!("{} {}", text("tool_call_id"), text("output")),
        Some(kind) => safe(&format!("[{kind}]")),
        None => "?".into(),
    }
}

/// What a reference refers to.
fn reference(members: &Map) -> Option<String> {
    let text = |name| members.get(name).and_then(Value::as_text);
    match members.keys().map(|name| &**name).collect::<Vec<_>>()[..] {
        ["event_id"] => text("event_id").map(|id| short(id)),
        ["uri"] => text("uri").map(|uri| uri.to_string()),
        ["path"] => text("path").map(|path| path.to_string()),
        ["id", "kind"] | ["kind", "id"] => Some(format!("{}:{}", text("kind")?, text("id")?)),
        _ => None,
    }
}

/// Enough of a hash to find it.
fn short(hash: &str) -> String {
    let digits = hash.strip_prefix("sha256:").unwrap_or(hash);
    digits.chars().take(12).collect()
}

/// As much as anybody sees, fit for a terminal.
fn safe(text: &str) -> String {
    let end = text.char_indices().nth(2 * WIDTH).map_or(text.len(), |(end, _)| end);
    plain(&text[..end]).into_owned()
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().nth(width).is_none() {
        return text.to_string();
    }
    text.chars().take(width - 3).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{ROWS, Shape};
    use super::*;

    fn told(members: &str) -> String {
        let text = format!(r#"{{"ts": "2026-01-01T00:00:00.000000Z", "run_id": "r", {members}}}"#);
        summary(&Event::read(&text).unwrap(), |_| None)
    }

    #[test]
    fn each_kind_says_what_matters() {
        for (members, line) in [
            (
                r#""kind": "message_created", "message": {"role": "user", "content": [
                    {"type": "text", "text": "Where is\nmy parcel?"}]}"#,
                r#"user: "Where is my parcel?""#,
            ),
            (
                r#""kind": "message_created", "message": {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "c1", "name": "exec", "input": {}}]}"#,
                "assistant: exec c1",
            ),
            (
                r#""kind": "model_request", "model": "o4-mini", "input_refs": ["a", "b", "c"]"#,
                "o4-mini, 3 inputs",
            ),
            (
                r#""kind": "model_response", "usage": {"total_tokens": 412},
                    "finish_reason": "stop""#,
                "412 tokens, stop",
            ),
            (r#""kind": "model_response", "finish_reason": "stop""#, "stop"),
            (
                r#""kind": "tool_call", "server": "runtime", "tool": "exec", "call_id": "c1",
                    "args": {"cmd": "ls"}"#,
                r#"runtime.exec c1 {"cmd":"ls"}"#,
            ),
            (r#""kind": "tool_result", "call_id": "c1", "status": "ok""#, "c1 ok"),
            (
                r#""kind": "tool_result", "call_id": "c1", "status": "error",
                    "error": {"code": "not_found", "message": "no such parcel"}"#,
                "c1 error: not_found: no such parcel",
            ),
            (
                r#""kind": "agent_forked", "from_branch": "main", "to_branch": "try-2""#,
                "main -> try-2",
            ),
            (
                r#""kind": "resource_attached", "resource_ref": "ws-1", "mode": "rw",
                    "mount": "/src""#,
                "ws-1 rw at /src",
            ),
            (
                r#""kind": "run_started", "reason": "fork", "from": {"run_id": "r1", "seq": 6}"#,
                "fork from r1@6",
            ),
            (
                r#""kind": "redacted", "target": {"kind": "customer", "id": "7"}, "actor": "ada",
                    "reason": "asked for""#,
                "customer:7 by ada: asked for",
            ),
        ] {
            assert_eq!(told(members), line);
        }
    }

    #[test]
    fn only_members_that_there_are_are_worth_saying() {
        for row in ROWS {
            for path in template(row.kind).split('{').skip(1) {
                let path = path.split(['}', '#']).next().unwrap();
                let (name, rest) = path.split_once('.').unwrap_or((path, ""));
                let member = row.members.iter().find(|member| member.name == name);
                let member = member.unwrap_or_else(|| panic!("{} has no `{name}`", row.name));
                if let Shape::Record(record) = member.shape
                    && !rest.is_empty()
                {
                    let is_there = record.members.iter().any(|member| member.name == rest);
                    assert!(is_there, "{} has no `{path}`", row.name);
                }
            }
        }
    }

    #[test]
    fn odd_events_have_a_line_too() {
        assert_eq!(
            told(r#""kind": "x.a.b", "n": 1, "m": [], "o": "p", "agent_id": "a""#),
            "n: 1, o: p"
        );
        assert_eq!(told(r#""kind": "tool_call", "args": 7"#), "?.? ? 7");
        assert_eq!(told(r#""kind": "message_created", "message": 7"#), "message: 7");
        assert_eq!(told(r#""kind": "message_created""#), "");
        assert_eq!(told(r#""kind": "run_paused""#), "");
    }

    #[test]
    fn what_is_large_is_shown_where_it_can_be_had() {
        let hash = "a".repeat(64);
        let text = format!(
            r#"{{"kind": "question_asked", "question_id": "q1", "prompt": {{"$blob": "{hash}"}}}}"#
        );
        let event = Event::read(&text).unwrap();
        assert_eq!(summary(&event, |_| None), "q1: [large]");
        assert_eq!(summary(&event, |_| Some("yes".into())), "q1: yes");
    }

    #[test]
    fn lines_are_cut_and_leave_the_terminal_alone() {
        let line = told(r#""kind": "run_paused", "reason": "\u001b[2Ja\u202eb\u0000""#);
        assert_eq!(line, "\u{fffd}[2Ja\u{fffd}b\u{fffd}");
        let long = "wait ".repeat(90);
        let line = told(&format!(r#""kind": "run_paused", "reason": "{long}""#));
        assert_eq!(line, format!("{}wa...", "wait ".repeat(11)));
    }
}
