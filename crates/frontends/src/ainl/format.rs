//! The one layout of a program: labels at the margin, steps two spaces in, one space between words.
//!
//! Words and comments stay as they are written, quotes and all; only white space between them
//! changes, and never where there was none.

use super::compact;
use super::program;

/// Behind a step.
const BEFORE_COMMENT: &str = "  ";

/// A text in its one layout. Formatting it again changes nothing.
pub fn format(text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<Piece<'_>> =
        super::token::numbered(text).map(|(_, _, line)| cut(line)).collect();
    let depths = if compact::is_compact(text) { nested(&lines) } else { below_labels(&lines) };
    let mut formatted = String::with_capacity(text.len());
    let mut is_first = true;
    let mut was_blank = false;
    for (line, depth) in lines.iter().zip(depths) {
        if line.is_blank() {
            was_blank = !is_first;
            continue;
        }
        if std::mem::take(&mut was_blank) {
            formatted.push_str(end);
        }
        is_first = false;
        formatted.extend(std::iter::repeat_n("  ", depth));
        line.write(&mut formatted);
        formatted.push_str(end);
    }
    formatted
}

/// A line, cut at its white space.
struct Piece<'a> {
    /// How far in it begins.
    indent: usize,
    /// Words and what is written together with them.
    chunks: Vec<&'a str>,
    comment: Option<&'a str>,
}

impl Piece<'_> {
    fn is_blank(&self) -> bool {
        self.chunks.is_empty() && self.comment.is_none()
    }

    fn write(&self, out: &mut String) {
        for (position, chunk) in self.chunks.iter().enumerate() {
            if position > 0 {
                out.push(' ');
            }
            out.push_str(chunk);
        }
        if let Some(comment) = self.comment {
            if !self.chunks.is_empty() {
                out.push_str(BEFORE_COMMENT);
            }
            out.push_str(comment.trim_end());
        }
    }
}

/// Cuts a line where the words are cut: what is in quotes stays together.
fn cut(line: &str) -> Piece<'_> {
    let is_space = |letter: char| letter == ' ' || letter == '\t';
    let rest = line.trim_start_matches(is_space);
    let indent = line[..line.len() - rest.len()].chars().map(|it| if it == '\t' { 8 } else { 1 });
    let mut piece = Piece { indent: indent.sum(), chunks: Vec::new(), comment: None };
    let words = super::token::words(rest, 0, &mut Vec::new());
    let mut start = None;
    let mut end = 0;
    for word in &words {
        let span = word.span.range();
        match start {
            Some(begin) if span.start > end => {
                piece.chunks.push(&rest[begin..end]);
                start = Some(span.start);
            }
            Some(_) => {}
            None => start = Some(span.start),
        }
        end = span.end;
    }
    piece.chunks.extend(start.map(|begin| &rest[begin..end]));
    let behind = rest[end..].trim_matches(is_space);
    piece.comment = (!behind.is_empty()).then_some(behind);
    piece
}

/// How deep each line stands in a program of ops: steps stand below their label.
fn below_labels(lines: &[Piece<'_>]) -> Vec<usize> {
    let mut is_open = false;
    let depths = lines.iter().map(|line| {
        let word = *line.chunks.first()?;
        let is_label = program::declared_label(word).is_some();
        is_open = is_label || (is_open && program::is_step(word));
        Some(usize::from(is_open && !is_label))
    });
    with_comments(lines, depths.collect())
}

/// How deep each line stands in the compact syntax: what is further in than a line before it
/// belongs to that.
fn nested(lines: &[Piece<'_>]) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    let depths = lines.iter().map(|line| {
        if line.chunks.is_empty() {
            return None;
        }
        while open.last().is_some_and(|indent| line.indent <= *indent) {
            open.pop();
        }
        let depth = open.len();
        open.push(line.indent);
        Some(depth)
    });
    with_comments(lines, depths.collect())
}

/// A comment on a line of its own stands as deep as the line that follows; at the end of a text,
/// as the one before.
fn with_comments(lines: &[Piece<'_>], depths: Vec<Option<usize>>) -> Vec<usize> {
    let mut next = depths.iter().rev().find_map(|depth| *depth).unwrap_or(0);
    let mut filled = vec![0; lines.len()];
    for (place, depth) in filled.iter_mut().zip(depths).rev() {
        next = depth.unwrap_or(next);
        *place = next;
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, expected: &str) {
        assert_eq!(format(written), expected);
        assert_eq!(format(expected), expected, "formatting again changes nothing");
    }

    #[test]
    fn steps_stand_below_their_label() {
        check(
            "\n\nS  core web   /api\n\n\n  # the one\n L1: # begins\nSet a  \"x  y\"#c\n    J\ta\nL2:\nJ b\n",
            "S core web /api\n\n# the one\nL1:  # begins\n  Set a \"x  y\"  #c\n  J a\nL2:\n  J b\n",
        );
    }

    #[test]
    fn words_that_touch_stay_together() {
        check("L1:\n  Set a x\"y\"z\n", "L1:\n  Set a x\"y\"z\n");
    }

    #[test]
    fn line_ends_stay_as_they_are() {
        check("L1:\r\nJ a", "L1:\r\n  J a\r\n");
    }

    #[test]
    fn bodies_stand_below_their_condition() {
        check(
            "g:\n in: x\n if x == \"yes\":\n      out  \"matched\"\n out \"no\"\n",
            "g:\n  in: x\n  if x == \"yes\":\n    out \"matched\"\n  out \"no\"\n",
        );
    }

    #[test]
    fn what_is_no_program_keeps_its_words() {
        check("what\n   is  this\n", "what\nis this\n");
        check("", "");
        check("# only a comment", "# only a comment\n");
    }
}
