//! What went wrong in a block, in the author's terms.

use logic::{Problem, ProblemKind};
use monty_types::{ExcType, MontyException};
use runtime::{Fault, FaultKind};
use value::Value;

/// How many characters of a message are shown, and of a line.
const MESSAGE_MAX: usize = 500;
const LINE_MAX: usize = 100;

/// An exception as a fault, with the author's own line.
pub(super) fn raised(error: &MontyException, code: &str, lines_before: usize) -> Fault {
    let kind = if is_limit(error) { FaultKind::LogicLimit } else { FaultKind::Logic };
    let name = error.exc_type().to_string();
    let what = match error.message().filter(|message| !message.is_empty()) {
        Some(message) => format!("{name}: {}", cut(message, MESSAGE_MAX)),
        None => name.clone(),
    };
    // The innermost frame is the last, and lines before and after the block are not the author's.
    let lines: Vec<&str> = code.trim_start_matches('\u{feff}').lines().collect();
    let frames = error.traceback().iter().rev();
    let line = frames
        .filter_map(|frame| (frame.start.line as usize).checked_sub(lines_before))
        .find(|line| (1..=lines.len()).contains(line));
    let Some(line) = line else { return Fault::new(kind, what) };
    at_line(&name, what, kind, line, lines[line - 1])
}

/// Something that is no Python, or more than the interpreter runs.
pub(super) fn unreadable(problem: &Problem, code: &str) -> Fault {
    let (name, mut what) = match problem.kind {
        ProblemKind::Syntax => ("SyntaxError", format!("SyntaxError: {}", problem.message)),
        ProblemKind::Unsupported => ("NotImplementedError", problem.message.clone()),
    };
    if let Some(help) = &problem.help {
        what += &format!("; {help}");
    }
    let line = code[..problem.range.start].matches('\n').count();
    at_line(name, what, FaultKind::Logic, line + 1, code.lines().nth(line).unwrap_or_default())
}

fn at_line(name: &str, what: String, kind: FaultKind, line: usize, text: &str) -> Fault {
    let text = cut(text.trim(), LINE_MAX);
    let mut fault = Fault::new(kind, format!("{what} (line {line}: `{text}`)"));
    fault.details = Some(Value::map([
        ("exception", Value::text(name)),
        ("line", Value::count(line)),
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

/// A fault that is about the data and not about a line.
pub(super) fn about_data(message: &str) -> Fault {
    Fault::new(FaultKind::Logic, cut(message, MESSAGE_MAX))
}

/// As much of a text as is worth showing.
fn cut(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
