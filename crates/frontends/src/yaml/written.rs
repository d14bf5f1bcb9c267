//! What stands between two nodes, and where a quoted text ends: the parser does not say.

/// The next byte that is neither a gap, nor an anchor or tag, nor one of these signs. There is no
/// gap at the first byte.
pub(super) fn forward(text: &str, from: usize, passing: &[u8]) -> usize {
    let mut at = from;
    while let Some(byte) = text.as_bytes().get(at) {
        at = match byte {
            b'&' | b'!' => gap(text, property(text, at)),
            _ if passing.contains(byte) => gap(text, at + 1),
            _ => break,
        };
    }
    at
}

/// Behind the anchor and the tag that stand before a node.
pub(super) fn behind_properties(text: &str, start: usize, properties: usize) -> usize {
    (0..properties).fold(start, |at, _| gap(text, property(text, at)))
}

/// How long a quoted text is, with its quotes.
pub(super) fn quoted(written: &str, quote: u8) -> usize {
    let bytes = written.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            _ if *byte != quote => at += 1,
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            _ => return at + 1,
        }
    }
    written.len()
}

/// Behind white space and comments.
pub(super) fn gap(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => {
                let line = bytes[at..].iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                at = line.map_or(bytes.len(), |length| at + length);
            }
            _ => break,
        }
    }
    at
}

/// Behind an anchor or a tag.
fn property(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let is_verbatim = rest.starts_with("!<");
    let ends = |c: char| match c {
        ' ' | '\t' | '\r' | '\n' => true,
        ',' | '[' | ']' | '{' | '}' => !is_verbatim,
        _ => false,
    };
    at + rest.find(ends).unwrap_or(rest.len())
}
