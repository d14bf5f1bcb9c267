//! Cuts a text into passages: what a search finds, and what a model is given.

use value::{Text, Value};

/// A passage ends at an empty line once it has so many bytes,
const BYTES: usize = 800;

/// and at the end of a line, or of a word, once it has so many.
const BYTES_MAX: usize = 1600;

/// The passages of a file, each with its path, its first line and the heading above it.
pub(super) fn of(path: &str, text: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut open = Open::default();
    let mut heading: Option<Text> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let is_heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        let is_empty = line.trim().is_empty();
        let is_over = is_empty && open.text.len() >= BYTES;
        if is_heading || is_over || open.text.len() + line.len() > BYTES_MAX {
            open.close(path, heading.as_ref(), &mut all);
        }
        if is_heading {
            heading = Some(line.trim_start_matches('#').trim().into());
        }
        for piece in pieces(line) {
            if open.text.len() + piece.len() > BYTES_MAX {
                open.close(path, heading.as_ref(), &mut all);
            }
            open.add(number, piece);
        }
    }
    open.close(path, heading.as_ref(), &mut all);
    all
}

#[derive(Default)]
struct Open {
    text: String,
    line: i64,
    /// How many passages began on the line before this one.
    nth: usize,
}

impl Open {
    fn add(&mut self, line: i64, piece: &str) {
        if self.text.is_empty() {
            if piece.trim().is_empty() {
                return;
            }
            self.nth = if self.line == line { self.nth + 1 } else { 0 };
            self.line = line;
        } else {
            self.text.push('\n');
        }
        self.text.push_str(piece);
    }

    fn close(&mut self, path: &str, heading: Option<&Text>, all: &mut Vec<Value>) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        let more = if self.nth == 0 { String::new() } else { format!(".{}", self.nth) };
        let heading = heading.map(|heading| ("heading", Value::Text(heading.clone())));
        let metadata = [("path", Value::text(path)), ("line", Value::Int(self.line))];
        all.push(Value::map([
            ("id", Value::text(format!("{path}#{}{more}", self.line))),
            ("text", Value::text(text)),
            ("metadata", Value::map(metadata.into_iter().chain(heading))),
        ]));
    }
}

/// A line in pieces that fit, cut between words where there are any.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while rest.len() > BYTES_MAX {
        let mut end = BYTES_MAX;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let end = rest[..end].rfind(' ').filter(|space| *space > 0).unwrap_or(end);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after.trim_start();
    }
    pieces.push(rest);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::json::compact;

    #[test]
    fn headings_and_empty_lines_part_passages() {
        let long = format!("{}\n{}", "word ".repeat(90).trim(), "more ".repeat(90).trim());
        let text = format!("# Cords\n\nA cord.\n\nA knot.\n## Knots\n\n{long}\n\nlast\n");
        let passages = of("a/b.md", &text);
        let shown: Vec<String> = passages
            .iter()
            .map(|it| {
                format!(
                    "{} {}",
                    compact(it.get("id").unwrap()),
                    compact(it.get("metadata").unwrap())
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#""a/b.md#1" {"path":"a/b.md","line":1,"heading":"Cords"}"#,
                r#""a/b.md#6" {"path":"a/b.md","line":6,"heading":"Knots"}"#,
                r#""a/b.md#11" {"path":"a/b.md","line":11,"heading":"Knots"}"#,
            ]
        );
        assert_eq!(passages[0].get("text"), Some(&"# Cords\n\nA cord.\n\nA knot.".into()));
    }

    #[test]
    fn nothing_is_lost_however_long_a_line_is() {
        for unit in ["word ", "ä", "長"] {
            let line = unit.repeat(3000);
            let passages = of("x", &line);
            let texts: Vec<&str> =
                passages.iter().map(|it| &**it.get("text").unwrap().as_text().unwrap()).collect();
            assert!(texts.iter().all(|text| text.len() <= BYTES_MAX));
            let squeezed = |text: &str| text.replace([' ', '\n'], "");
            assert_eq!(squeezed(&texts.concat()), squeezed(&line));
            let mut ids: Vec<String> =
                passages.iter().map(|it| compact(it.get("id").unwrap())).collect();
            ids.dedup();
            assert_eq!(ids.len(), passages.len());
        }
        assert_eq!(of("x", " \n\n"), []);
    }
}
