//! A text with a name, and positions in it.

use std::cell::OnceCell;

use value::Text;

/// A stretch of a text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

impl Span {
    /// From a start and an end in bytes. Texts of 4 GiB and more are refused before this.
    pub fn new(start: usize, end: usize) -> Span {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// As a range for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line and a column, both from 1; columns count Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub col: usize,
}

/// A text to be read, and the name to show for it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the user gave it; `-` for standard input.
    pub file: Text,
    /// The text, without a byte order mark.
    pub text: String,
    /// The number of its first line: more than 1 for a piece of a larger text.
    first_line: usize,
    /// Built when the first position is asked for: clean text never pays for it.
    index: OnceCell<Index>,
}

/// Makes every position a matter of constant time, also in a document of one long line.
#[derive(Clone, Debug)]
struct Index {
    /// Where each line starts.
    lines: Vec<u32>,
    /// How many characters begin before each block of `BLOCK` bytes.
    characters: Vec<u32>,
}

const BLOCK: usize = 1024;

impl Source {
    /// Takes a text; a byte order mark at its start is left out.
    pub fn new(file: impl Into<Text>, text: impl Into<String>) -> Source {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Source { file: file.into(), text, first_line: 1, index: OnceCell::new() }
    }

    /// A piece of a larger text, which begins with this line of it. Lines are counted from there.
    pub fn piece(file: impl Into<Text>, first_line: usize, text: impl Into<String>) -> Source {
        Source { first_line: first_line.max(1), ..Source::new(file, text) }
    }

    /// The number of its first line.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    /// The position of a byte. One past the end is a position too.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let lines = &self.index().lines;
        let line = lines.partition_point(|start| *start as usize <= offset);
        let col = self.characters_before(offset) - self.characters_before(lines[line - 1] as usize);
        Position { line: self.first_line + line - 1, col: col + 1 }
    }

    /// The byte at a line and a column in bytes (from 1; 0 is the end of the line before).
    pub fn offset(&self, line: usize, column_bytes: usize) -> usize {
        let lines = &self.index().lines;
        let line = line.saturating_sub(self.first_line);
        let start = lines.get(line).map_or(self.text.len(), |at| *at as usize);
        let mut offset = (start + column_bytes).saturating_sub(1).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The byte range of a line without its end.
    pub fn line(&self, line: usize) -> std::ops::Range<usize> {
        let lines = &self.index().lines;
        let line = line - self.first_line;
        let start = lines[line] as usize;
        let end = lines.get(line + 1).map_or(self.text.len(), |next| *next as usize - 1);
        start..end
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = &self.text.as_bytes()[block * BLOCK..offset];
        self.index().characters[block] as usize + characters(rest)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let starts = ends.map(|(at, _)| Span::new(at + 1, 0).start);
            let mut sum = 0;
            let mut counts = vec![0];
            for block in bytes.chunks(BLOCK) {
                sum += Span::new(characters(block), 0).start;
                counts.push(sum);
            }
            Index { lines: std::iter::once(0).chain(starts).collect(), characters: counts }
        })
    }
}

/// Bytes that continue a character do not begin one.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("a", "\u{feff}añb\n😀x");
        let at = |needle: &str| source.position(source.text.find(needle).unwrap() as u32);
        assert_eq!(at("b"), Position { line: 1, col: 3 });
        assert_eq!(at("x"), Position { line: 2, col: 2 });
        assert_eq!(source.position(1_000), Position { line: 2, col: 3 });
        let long = Source::new("a", "é".repeat(3 * BLOCK) + "x");
        assert_eq!(long.position(6 * BLOCK as u32), Position { line: 1, col: 3 * BLOCK + 1 });
    }

    #[test]
    fn a_piece_counts_lines_from_where_it_begins() {
        let source = Source::piece("a", 7, "ab\ncd");
        assert_eq!(source.position(4), Position { line: 8, col: 2 });
        assert_eq!(source.offset(8, 2), 4);
        assert_eq!(&source.text[source.line(7)], "ab");
        assert_eq!(&source.text[source.line(8)], "cd");
        assert_eq!(source.offset(9, 1), 5);
    }
}
