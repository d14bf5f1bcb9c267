//! A text with a name, and positions in it. A text that includes others holds them too, one behind
//! the other, so that a place in any of them is one number.

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
    /// The text, without a byte order mark, and behind it those that were added.
    pub text: String,
    /// The number of its first line: more than 1 for a piece of a larger text.
    first_line: usize,
    /// What was added, in this order. Hardly any source has more than its own text.
    added: Vec<Added>,
    /// Built when the first position is asked for: clean text never pays for it.
    index: OnceCell<Index>,
}

/// A text behind another one. A line feed keeps them apart, so that it begins a line.
#[derive(Clone, Debug)]
struct Added {
    file: Text,
    start: u32,
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
        let (file, added) = (file.into(), Vec::new());
        Source { file, text, first_line: 1, added, index: OnceCell::new() }
    }

    /// A piece of a larger text, which begins with this line of it. Lines are counted from there.
    pub fn piece(file: impl Into<Text>, first_line: usize, text: impl Into<String>) -> Source {
        Source { first_line: first_line.max(1), ..Source::new(file, text) }
    }

    /// The number of its first line.
    pub fn first_line(&self) -> usize {
        self.first_line
    }

    /// Puts the text of another file behind those that are here, and says where it is now. No
    /// token reaches from one into the other.
    pub fn add(&mut self, file: impl Into<Text>, text: impl Into<String>) -> Span {
        let text = text.into();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        self.text.push('\n');
        let start = self.text.len();
        self.text.push_str(text);
        self.index.take();
        let span = Span::new(start, self.text.len());
        self.added.push(Added { file: file.into(), start: span.start });
        span
    }

    /// Its own text, without those that were added.
    pub fn own_text(&self) -> &str {
        &self.text[self.part(0).range()]
    }

    /// Its own text and those that were added, with their names.
    pub fn parts(&self) -> impl Iterator<Item = (&Text, Span)> {
        (0..=self.added.len()).map(|part| (self.file_of(part), self.part(part)))
    }

    /// The name of the file that a byte is in.
    pub fn file_at(&self, offset: u32) -> &Text {
        self.file_of(self.part_at(offset))
    }

    /// The whole text of the file that a byte is in.
    pub fn part_around(&self, offset: u32) -> Span {
        self.part(self.part_at(offset))
    }

    /// As much of a span as is in the file where it begins.
    pub fn within_file(&self, span: Span) -> Span {
        Span { end: span.end.min(self.part_around(span.start).end).max(span.start), ..span }
    }

    /// One past the end of a text still belongs to it.
    fn part_at(&self, offset: u32) -> usize {
        self.added.partition_point(|added| added.start <= offset)
    }

    fn file_of(&self, part: usize) -> &Text {
        part.checked_sub(1).map_or(&self.file, |before| &self.added[before].file)
    }

    fn part(&self, part: usize) -> Span {
        let start = part.checked_sub(1).map_or(0, |before| self.added[before].start as usize);
        let next = self.added.get(part).map(|added| added.start as usize - 1);
        Span::new(start, next.unwrap_or(self.text.len()))
    }

    /// The position of a byte in its file. One past the end is a position too.
    pub fn position(&self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.text.len());
        let line = self.line_of(offset);
        let start = self.index().lines[line] as usize;
        let col = self.characters_before(offset) - self.characters_before(start);
        // Every part begins a line.
        let (before, first) = match self.part_at(Span::new(offset, 0).start) {
            0 => (0, self.first_line),
            part => (self.line_of(self.part(part).range().start), 1),
        };
        Position { line: line - before + first, col: col + 1 }
    }

    /// The byte at a line and a column in bytes (from 1; 0 is the end of the line before), in its
    /// own text.
    pub fn offset(&self, line: usize, column_bytes: usize) -> usize {
        let lines = &self.index().lines;
        let line = line.saturating_sub(self.first_line);
        let end = self.own_text().len();
        let start = lines.get(line).map_or(end, |at| *at as usize);
        let mut offset = (start + column_bytes).saturating_sub(1).min(end);
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The byte range of a line of its own text, without its end.
    pub fn line(&self, line: usize) -> std::ops::Range<usize> {
        self.range_of(line - self.first_line)
    }

    /// The byte range of the line that a byte is in, without its end.
    pub fn line_around(&self, offset: u32) -> std::ops::Range<usize> {
        self.range_of(self.line_of((offset as usize).min(self.text.len())))
    }

    /// The line that a byte is in, among the lines of all parts, from 0.
    fn line_of(&self, offset: usize) -> usize {
        self.index().lines.partition_point(|start| *start as usize <= offset) - 1
    }

    fn range_of(&self, line: usize) -> std::ops::Range<usize> {
        let lines = &self.index().lines;
        let start = lines[line] as usize;
        let end = lines.get(line + 1).map_or(self.text.len(), |next| *next as usize - 1);
        // A line may end as on Windows.
        let is_longer = end > start && self.text.as_bytes()[end - 1] == b'\r';
        start..end - usize::from(is_longer)
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
    fn the_end_of_a_line_is_no_part_of_it() {
        let source = Source::new("a", "ab\r\ncd\n\r\n");
        assert_eq!([1, 2, 3].map(|line| &source.text[source.line(line)]), ["ab", "cd", ""]);
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

    #[test]
    fn every_part_has_positions_of_its_own() {
        let mut source = Source::new("a", "one\ntwo\n");
        assert_eq!(source.position(8), Position { line: 3, col: 1 });
        let second = source.add("b", "\u{feff}dréi\r\nvier");
        let empty = source.add("c", "");
        let last = source.add("a", "x");
        assert_eq!(source.own_text(), "one\ntwo\n");
        let told: Vec<_> =
            source.parts().map(|(file, part)| (&**file, &source.text[part.range()])).collect();
        assert_eq!(told, [("a", "one\ntwo\n"), ("b", "dréi\r\nvier"), ("c", ""), ("a", "x")]);
        let at = |offset: u32| {
            let Position { line, col } = source.position(offset);
            format!("{}:{line}:{col}", source.file_at(offset))
        };
        assert_eq!(at(5), "a:2:2");
        assert_eq!(at(8), "a:3:1");
        assert_eq!(at(second.start), "b:1:1");
        assert_eq!(at(second.end), "b:2:5");
        assert_eq!(at(empty.start), "c:1:1");
        assert_eq!(at(last.start), "a:1:1");
        assert_eq!(at(last.end), "a:1:2");
        assert_eq!(at(1_000), "a:1:2");
        let four = source.text.find("vier").unwrap();
        assert_eq!(source.line_around(four as u32), four..four + 4);
        assert_eq!(source.offset(9, 1), 8, "lines are those of its own text");
        let beyond = source.within_file(Span { start: second.start, end: last.end });
        assert_eq!(beyond, second);
    }
}
