//! YAML text to a tree that knows where each key and value is written.
//!
//! What becomes of the tree is not decided here. The events of the parser become a tape,
//! which has every node once and every place in bytes; the tape becomes a [`Tree`], where aliases
//! and merges are expanded within a budget. `mistakes` says in our words what the parser says.

mod build;
mod inside;
mod mistakes;
mod places;
mod scalar;
mod tape;
#[cfg(test)]
mod tests;
mod tree;
mod written;

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
pub use inside::inside;
use tape::Tape;
pub use tree::{Key, Node, Tree};
use value::json::DEPTH_MAX;

/// How long a text may be, in bytes.
pub const TEXT_MAX: usize = 16 << 20;

/// How many keys and values there may be, those of aliases among them.
pub const NODES_MAX: usize = 1_000_000;

/// How many keys and values aliases may make.
pub const COPIES_MAX: usize = 100_000;

/// How many signs there may be that can separate values. The parser keeps everything in brackets
/// before it says anything, so counting what it says comes too late.
pub const SIGNS_MAX: usize = 500_000;

/// Reads a text. Nothing comes back when it is no YAML, or is more than can be read.
pub fn read(source: &Source, findings: &mut Vec<Diagnostic>) -> Option<Tree> {
    let read = checked(&source.text).and_then(|()| {
        let tape = Tape::read(source)?;
        build::tree(source, &tape, findings)
    });
    match read {
        Ok(tree) => Some(tree),
        Err(stop) => {
            findings.push(*stop);
            None
        }
    }
}

/// Why reading ended early.
type Stop = Box<Diagnostic>;

/// What is cheap to see before the parser sees it.
fn checked(text: &str) -> Result<(), Stop> {
    if text.len() > TEXT_MAX {
        let message = format!("the text is longer than {} MiB", TEXT_MAX >> 20);
        return Err(too_large(Span::default(), message));
    }
    let is_sign = |byte: &&u8| b",:[{&*!?#".contains(byte);
    if text.len() > SIGNS_MAX && text.bytes().filter(|byte| is_sign(&byte)).count() > SIGNS_MAX {
        let message = format!("the text has more than {SIGNS_MAX} signs such as `,` and `:`");
        return Err(too_large(Span::default(), message));
    }
    Ok(())
}

fn too_large(span: Span, message: String) -> Stop {
    let found = Diagnostic::new(&codes::TOO_LARGE, Anchor::Span(span), message);
    Box::new(found.help("no spec needs that; is it the right file?"))
}

fn too_deep(span: Span) -> Stop {
    let message = format!("nested more than {DEPTH_MAX} levels deep");
    let found = Diagnostic::new(&codes::TOO_DEEP, Anchor::Span(span), message);
    Box::new(found.help("no spec needs that; is it the right file?"))
}

/// The author's words in a message; long ones are cut.
fn words(text: &str) -> String {
    const LENGTH_MAX: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("`{}...`", &line[..end]),
        None => format!("`{line}`"),
    }
}
