//! Mermaid flowcharts. Ids are made here and say only positions; whatever an author wrote is
//! quoted and escaped, so that Mermaid neither reads it as syntax nor as Markdown.

use crate::ops::Runs;

use super::scene::{Card, Kind, Outside, Row, Scene, Style, To, Way};
use super::text::{clean, cut};

const WHAT_COLUMNS_MAX: usize = 60;
const NAME_COLUMNS_MAX: usize = 40;

/// Paints a scene.
pub(super) fn paint(scene: &Scene<'_>) -> String {
    let mut chart = Chart { out: "flowchart TD\n".to_string(), ..Chart::default() };
    if let Some(id) = &scene.not_found {
        chart.line(&format!("none[{}]", quoted(&format!("no label {id}"))));
    } else if scene.cards.is_empty() {
        chart.line("none[\"no labels\"]");
    }
    for (position, card) in scene.cards.iter().enumerate() {
        paint_card(&mut chart, position, card);
    }
    for (position, outside) in scene.outside.iter().enumerate() {
        let class = if outside.is_missing() { "missing" } else { "elsewhere" };
        let text = quoted(&cut(&outside.text(), WHAT_COLUMNS_MAX));
        chart.line(&format!("x{position}[{text}]:::{class}"));
    }
    for (position, card) in scene.cards.iter().enumerate() {
        for (at, row) in card.rows.iter().enumerate() {
            row.ways.iter().for_each(|way| paint_way(&mut chart, position, at, way));
        }
    }
    paint_classes(&mut chart, scene);
    chart.out
}

/// The text so far, and the numbers of its links.
#[derive(Default)]
struct Chart {
    out: String,
    links: usize,
    failures: Vec<String>,
}

impl Chart {
    fn line(&mut self, line: &str) {
        self.out.push_str("  ");
        self.out.push_str(line);
        self.out.push('\n');
    }
}

fn paint_classes(chart: &mut Chart, scene: &Scene<'_>) {
    for kind in scene.kinds() {
        let (fill, line) = kind.colours();
        let class = class_of(kind);
        chart.line(&format!("classDef {class} fill:{fill},stroke:{line},color:#1f2933"));
    }
    if scene.outside.iter().any(|outside| !outside.is_missing()) {
        chart.line("classDef elsewhere fill:#ffffff,stroke:#94a3b8,color:#52606d");
    }
    if scene.outside.iter().any(Outside::is_missing) {
        chart.line(
            "classDef missing fill:#fff5f5,stroke:#d1242f,color:#d1242f,stroke-dasharray:4 3",
        );
    }
    if !chart.failures.is_empty() {
        let failures = chart.failures.join(",");
        chart.line(&format!("linkStyle {failures} stroke:#d1242f,stroke-dasharray:6 4"));
    }
}

/// Not the bare word: some are words of Mermaid's too.
fn class_of(kind: Kind) -> String {
    format!("is_{}", kind.word())
}

fn paint_card(chart: &mut Chart, position: usize, card: &Card<'_>) {
    let mut title = format!("label {}", cut(&card.id, NAME_COLUMNS_MAX));
    for endpoint in &card.endpoints {
        title += " \u{b7} ";
        title += &cut(endpoint, NAME_COLUMNS_MAX);
    }
    chart.line(&format!("subgraph c{position}[{}]", quoted(&title)));
    chart.line("  direction TB");
    if card.rows.is_empty() {
        chart.line(&format!("  c{position}r0[\"empty\"]"));
    }
    for (at, row) in card.rows.iter().enumerate() {
        let (open, close) = shape(row);
        let what = cut(&row.words.line(), WHAT_COLUMNS_MAX);
        let text = quoted(format!("{} {what}", cut(&row.id, NAME_COLUMNS_MAX)).trim_start());
        let class = class_of(row.kind);
        chart.line(&format!("  c{position}r{at}{open}{text}{close}:::{class}"));
    }
    chart.line("end");
}

fn shape(row: &Row<'_>) -> (&'static str, &'static str) {
    match row.node.def().map(|op| op.runs) {
        Some(Runs::Control) => ("{{", "}}"),
        Some(Runs::Return) => ("([", "])"),
        Some(Runs::Call) => ("[[", "]]"),
        Some(Runs::Guard(_)) => ("(", ")"),
        Some(Runs::Person) => ("[/", "/]"),
        Some(Runs::Pure | Runs::Adapter | Runs::Store(..)) | None => ("[", "]"),
    }
}

fn paint_way(chart: &mut Chart, position: usize, at: usize, way: &Way) {
    let to = match way.to {
        To::Row(row) => format!("c{position}r{row}"),
        // The first row is the entry, or the placeholder of an empty label.
        To::Card(card) => format!("c{card}r0"),
        To::Outside(outside) => format!("x{outside}"),
    };
    let line = match way.style {
        Style::Next | Style::Plain => "-->",
        Style::Failure | Style::Call => "-.->",
    };
    let word = match way.style {
        Style::Next => String::new(),
        _ => format!("|{}|", quoted(&cut(&way.word, NAME_COLUMNS_MAX))),
    };
    if way.style == Style::Failure {
        chart.failures.push(chart.links.to_string());
    }
    chart.links += 1;
    chart.line(&format!("c{position}r{at} {line}{word} {to}"));
}

/// Text in quotes. Mermaid reads entities before Markdown, links and icons, and keeps them as
/// they are until it shows them: what could start any of these becomes an entity.
pub(super) fn quoted(text: &str) -> String {
    let text = clean(text);
    // Mermaid does not accept an empty text.
    let text = if text.trim().is_empty() { "?" } else { &text };
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let plain = match letter {
            ' ' | ',' | '/' | '=' | '(' | '?' => true,
            // `1.` begins a list, and `www.` a link.
            '.' => {
                before.is_ascii_alphabetic()
                    && !before.eq_ignore_ascii_case(&'w')
                    && letters.peek().is_some_and(char::is_ascii_alphanumeric)
            }
            // Mermaid's own mark for an entity that it has read.
            '\u{fb02}' => false,
            other => other.is_alphanumeric(),
        };
        if plain {
            out.push(letter);
        } else {
            out.push_str(&format!("#{};", u32::from(letter)));
        }
        before = letter;
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_words_reaches_mermaid_unescaped() {
        assert_eq!(quoted("n1 http.GET /a"), "\"n1 http.GET /a\"");
        assert_eq!(quoted("\"]-->"), "\"#34;#93;#45;#45;#62;\"");
        assert_eq!(quoted("1. a\n`b` #x;"), "\"1#46; a #96;b#96; #35;x#59;\"");
        assert_eq!(quoted("%%{init: 1}%%"), "\"#37;#37;#123;init#58; 1#125;#37;#37;\"");
        assert_eq!(quoted("www.x.io"), "\"www#46;x.io\"");
        assert_eq!(quoted("\n"), "\"?\"");
    }
}
