//! What went wrong in a block, in the author's terms.

use logic::Problem;
use monty_types::{ExcType, MontyException};
use runtime::{Fault, FaultKind};
use value::Value;

/// How much of a message and of a line is shown.
const SHOWN_MAX: usize = 500;

/// An exception as a fault, with the author's own line.
pub(super) fn raised(error: &MontyException, code: &str, lines_before: usize) -> Fault {
    let kind = if is_limit(error) { FaultKind::LogicLimit } else { FaultKind::Logic };
    let name = error.exc_type().to_string();
    let what = match error.message().filter(|message| !message.is_empty()) {
        Some(message) => format!("{name}: {}", cut(message)),
        None => name.clone(),
    };
    // The innermost frame is the last, and lines before and after the block are not the author's.
    let lines: Vec<&str> = code.trim_start_matches('\u{feff}').lines().collect();
    let frames = error.traceback().iter().rev();
    let line = frames
        .filter_map(|frame| (frame.start.line as usize).checked_sub(lines_before))
        .find(|line| (1..=lines.len()).contains(line));
    let Some(line) = line else { return Fault::new(kind, what) };
    let text = cut(lines[line - 1].trim());
    at_line(&name, what, kind, line, text)
}

/// Something that is no Python, or too much to be read.
pub(super) fn unreadable(problem: &Problem, code: &str) -> Fault {
    let line = code[..problem.range.start].matches('\n').count() + 1;
    let text = cut(code.lines().nth(line - 1).unwrap_or_default().trim());
    at_line("SyntaxError", format!("SyntaxError: {}", problem.message), FaultKind::Logic, line, text)
}

fn at_line(name: &str, what: String, kind: FaultKind, line: usize, text: String) -> Fault {
    let mut fault = Fault::new(kind, format!("{what} (line {line}: `{text}`)"));
    fault.details = Some(Value::map([
        ("exception", Value::text(name)),
        ("line", Value::Int(i64::try_from(line).unwrap_or(i64::MAX))),
        ("text", Value::text(text)),
    ]));
    fault
}

/// The interpreter has exceptions for its limits and no other mark. A block that raises one of
/// them in the same words has asked for it.
fn is_limit(error: &MontyException) -> bool {
    let message = error.message().unwrap_or_default();
    match error.exc_type() {
        ExcType::TimeoutError => message.starts_with("time limit exceeded"),
        ExcType::MemoryError => true,
        ExcType::RecursionError => true,
        _ => false,
    }
}

/// As much of a text as is worth showing.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
