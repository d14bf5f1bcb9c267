//! The compact syntax: statements in indented blocks below a header.
//!
//! Each statement becomes lines of ops, with the places of the words that they were made of, so
//! that what is written in either syntax is the same program from there on. A block below an `if`
//! becomes a label, and what follows the `if` another one.
//!
//! What an author cannot write by hand here: where control goes on behind a block that does not
//! return is a jump, which in lines of ops is an `If` that always holds.

mod blocks;
mod condition;
mod found;
mod header;
mod statement;
mod steps;

use diagnostics::Diagnostic;

use super::program::{self, Program};
use super::token::{self, Line, Word};
use blocks::Blocks;

/// Whether a text is in this syntax: its first line is a header.
pub(crate) fn is_compact(text: &str) -> bool {
    let lines = token::numbered(text).map(|(_, _, line)| line.trim_start_matches([' ', '\t']));
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next() else { return false };
    let words = token::words(first, 0, &mut Vec::new());
    header::read(&words).is_some_and(|header| {
        let name = &*header.name.text;
        let is_label = header.decorator.is_none() && name.starts_with('L');
        !is_label && !program::is_op(name)
    })
}

/// Reads a text whose spans count from `base`.
pub(crate) fn read<'a>(
    text: &'a str,
    base: u32,
    program: &mut Program<'a>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut about_words = Vec::new();
    let mut blocks = Blocks::default();
    for (number, start, line) in token::numbered(text) {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let words = token::words(line, base + start, &mut about_words);
        if let Some((first, rest)) = words.split_first() {
            let line = Line { number, op: first.clone(), words: rest.to_vec() };
            blocks.line(indent, line, program, findings);
        }
    }
    program.name = blocks.name();
    let lines = blocks.finish(program, findings);
    program::read(lines.into_iter(), program, findings);
    findings.append(&mut about_words);
}

/// All words of a line.
fn all<'a>(line: &Line<'a>) -> Vec<Word<'a>> {
    let mut words = Vec::with_capacity(line.words.len() + 1);
    words.push(line.op.clone());
    words.extend(line.words.iter().cloned());
    words
}

#[cfg(test)]
mod tests;
