//! What one line of a block says.

use super::super::program;
use super::super::token::{Line, Word};
use super::{all, header};

/// A statement.
#[derive(Debug)]
pub(super) enum Statement<'a> {
    /// `in: a b`
    Inputs(Vec<Word<'a>>),
    /// `config a:S` or `state a:S`, which add fields to this type.
    Fields(&'static str, Vec<Word<'a>>),
    /// `if`, with its condition and whether its line ends in a colon.
    If(Vec<Word<'a>>, bool),
    /// `elif`
    ElseIf(Vec<Word<'a>>, bool),
    /// `else`
    Else(Vec<Word<'a>>, bool),
    /// `v = ...`
    Assign(Word<'a>, Vec<Word<'a>>),
    /// `out ...`
    Out(Vec<Word<'a>>),
    /// `err ...`
    Fail(Vec<Word<'a>>),
    /// `call name`
    Call(Vec<Word<'a>>),
    /// `adapter.verb ...`
    Do(Vec<Word<'a>>),
    /// A line of ops.
    Op,
    /// Nothing of these.
    Unknown,
}

/// Says what a line is.
pub(super) fn read<'a>(line: &Line<'a>) -> Statement<'a> {
    let words = all(line);
    let rest = || line.words.clone();
    if line.op.quoted {
        return Statement::Unknown;
    }
    if let Some((name, value)) = assignment(&words) {
        return Statement::Assign(name, value);
    }
    match &*line.op.text {
        "if" => block(rest(), Statement::If),
        "elif" => block(rest(), Statement::ElseIf),
        "else" | "else:" => block(rest(), |words, _| Statement::Else(words, ends_in_colon(line))),
        "out" => Statement::Out(rest()),
        "err" => Statement::Fail(rest()),
        "call" => Statement::Call(rest()),
        "config" => Statement::Fields("Config", rest()),
        "state" => Statement::Fields("State", rest()),
        text if text.starts_with("in:") => {
            let mut names = rest();
            if text.len() > "in:".len() {
                names.insert(0, line.op.part("in:".len()..text.len()));
            }
            Statement::Inputs(names)
        }
        text if program::is_op(text) => Statement::Op,
        _ if is_call(&line.op) => Statement::Do(words),
        _ => Statement::Unknown,
    }
}

pub(super) fn ends_in_colon(line: &Line<'_>) -> bool {
    let last = line.words.last().unwrap_or(&line.op);
    !last.quoted && last.text.ends_with(':')
}

fn block<'a>(
    words: Vec<Word<'a>>,
    make: impl FnOnce(Vec<Word<'a>>, bool) -> Statement<'a>,
) -> Statement<'a> {
    match header::without_colon(&words) {
        Some(words) => make(words, true),
        None => make(words, false),
    }
}

/// Whether a word is an adapter and a verb.
pub(super) fn is_call(word: &Word<'_>) -> bool {
    let parts = word.text.split_once('.').filter(|_| !word.quoted);
    parts.is_some_and(|(adapter, verb)| graph::is_name(adapter) && graph::is_name(verb))
}

/// The name and the value of `v = value`, however it is spaced.
fn assignment<'a>(words: &[Word<'a>]) -> Option<(Word<'a>, Vec<Word<'a>>)> {
    let first = words.first().filter(|word| !word.quoted)?;
    let (at, sign) = match first.text.find('=') {
        Some(sign) => (0, sign),
        None => {
            let second = words.get(1).filter(|word| !word.quoted && word.text.starts_with('='))?;
            (1, second.text.find('=')?)
        }
    };
    let word = &words[at];
    // `==` compares, and `!=`, `<=` and `>=` do.
    let is_assignment =
        !word.text[sign + 1..].starts_with('=') && !word.text[..sign].ends_with(['!', '<', '>']);
    let name = if at == 0 { first.part(0..sign) } else { first.clone() };
    if !is_assignment || name.text.is_empty() {
        return None;
    }
    let mut value = Vec::with_capacity(words.len());
    if sign + 1 < word.text.len() {
        value.push(word.part(sign + 1..word.text.len()));
    }
    value.extend(words[at + 1..].iter().cloned());
    Some((name, value))
}
