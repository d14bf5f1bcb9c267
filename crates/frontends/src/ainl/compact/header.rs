//! The line that a compact program begins with: `name:`, or `name @cron "0 9 * * *":`.

use super::super::token::Word;

/// A header.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) name: Word<'a>,
    /// What says when it runs, and what stands behind that.
    pub(super) decorator: Option<(Word<'a>, Option<Word<'a>>)>,
}

/// The header that these words are, if they are one.
pub(super) fn read<'a>(words: &[Word<'a>]) -> Option<Header<'a>> {
    let (name, decorator) = match without_colon(words)?.as_slice() {
        [name] => (name.clone(), None),
        [name, decorator] => (name.clone(), Some((decorator.clone(), None))),
        [name, decorator, argument] => {
            (name.clone(), Some((decorator.clone(), Some(argument.clone()))))
        }
        _ => return None,
    };
    let is_decorator =
        decorator.as_ref().is_none_or(|(word, _)| !word.quoted && word.text.starts_with('@'));
    let is_header = !name.quoted && graph::is_name(&name.text) && is_decorator;
    is_header.then_some(Header { name, decorator })
}

/// The words before the colon at the end of a line.
pub(super) fn without_colon<'a>(words: &[Word<'a>]) -> Option<Vec<Word<'a>>> {
    let (last, before) = words.split_last().filter(|(last, _)| !last.quoted)?;
    let text = last.text.strip_suffix(':')?;
    let mut words = before.to_vec();
    if !text.is_empty() {
        words.push(last.part(0..text.len()));
    }
    Some(words)
}
