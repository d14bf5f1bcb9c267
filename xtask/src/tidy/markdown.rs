//! Reads just enough of Markdown for the checks: headings, fenced blocks, and the rest.

/// The shortest fence.
const FENCE_MIN: usize = 3;

/// A document, taken apart. Lines count from 1.
#[derive(Default)]
pub(crate) struct Page<'a> {
    /// Headings as they are written, with their `#`.
    pub(crate) headings: Vec<(usize, &'a str)>,
    /// Fenced blocks.
    pub(crate) blocks: Vec<Block<'a>>,
    /// Every line outside of blocks, headings too.
    pub(crate) prose: Vec<(usize, &'a str)>,
}

/// A fenced block.
pub(crate) struct Block<'a> {
    /// Where its first fence is.
    pub(crate) line: usize,
    /// The first word after the fence.
    pub(crate) language: &'a str,
    /// What is between the fences.
    pub(crate) lines: Vec<(usize, &'a str)>,
    /// Whether there is a second fence.
    pub(crate) closed: bool,
}

impl<'a> Page<'a> {
    /// Takes a document apart.
    pub(crate) fn read(text: &'a str) -> Self {
        let mut page = Self::default();
        let mut open: Option<(&str, Block)> = None;
        for (index, text) in text.lines().enumerate() {
            let line = index + 1;
            let (marks, rest) = fence(text);
            match &mut open {
                // A block can only be ended by a fence that is as long as the first.
                Some((first, _)) if marks.starts_with(*first) && rest.is_empty() => {
                    page.blocks
                        .extend(open.take().map(|(_, block)| Block { closed: true, ..block }));
                }
                Some((_, block)) => block.lines.push((line, text)),
                None if !marks.is_empty() => {
                    let language = rest.split_whitespace().next().unwrap_or_default();
                    let block = Block { line, language, lines: Vec::new(), closed: false };
                    open = Some((marks, block));
                }
                None => {
                    page.prose.push((line, text));
                    if is_heading(text) {
                        page.headings.push((line, text.trim_end()));
                    }
                }
            }
        }
        page.blocks.extend(open.map(|(_, block)| block));
        page
    }
}

/// The fence that the line starts with, if it does, and what follows it.
fn fence(line: &str) -> (&str, &str) {
    let line = line.trim();
    for mark in ['`', '~'] {
        let rest = line.trim_start_matches(mark);
        let marks = &line[..line.len() - rest.len()];
        // A line such as "```x```" is code in a sentence.
        if marks.len() >= FENCE_MIN && !rest.contains('`') {
            return (marks, rest.trim());
        }
    }
    ("", line)
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    rest.len() < line.len() && rest.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_taken_apart() {
        let text = "# A\nb\n```json\n# no heading\n```\n## C \n#d\n";
        let page = Page::read(text);
        assert_eq!(page.headings, [(1, "# A"), (6, "## C")]);
        assert_eq!(page.prose, [(1, "# A"), (2, "b"), (6, "## C "), (7, "#d")]);
        assert_eq!(page.blocks.len(), 1);
        assert_eq!(page.blocks[0].line, 3);
        assert_eq!(page.blocks[0].language, "json");
        assert_eq!(page.blocks[0].lines, [(4, "# no heading")]);
        assert!(page.blocks[0].closed);
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        let page = Page::read("````md title\n```json\n```\n~~~\n````\n~~~\n```x```\n");
        let shown: Vec<(&str, usize, bool)> =
            page.blocks.iter().map(|b| (b.language, b.lines.len(), b.closed)).collect();
        assert_eq!(shown, [("md", 3, true), ("", 1, false)]);
        assert_eq!(Page::read("```x```\n").blocks.len(), 0);
    }
}
