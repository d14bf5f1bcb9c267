//! The outline for a terminal. Columns are aligned within a label; nothing depends on colour.
//!
//! ```text
//! label 1  (POST /orders)
//!   n1  R    http.GET "https://x" -> res  read
//!              err -> n3
//!   n2  J    return res
//! ```

use super::scene::{Card, Kind, Row, Scene, Style, To, Way, Why};
use super::text::{clean, columns, cut};

/// Longer text is cut, so that most lines fit a terminal.
const WHAT_COLUMNS_MAX: usize = 64;
const ID_COLUMNS_MAX: usize = 24;
const OP_COLUMNS_MAX: usize = 12;

/// Paints a scene.
pub(super) fn paint(scene: &Scene<'_>) -> String {
    let mut out = String::new();
    if let Some(id) = &scene.not_found {
        out += &format!("no label {id}\n");
    } else if scene.cards.is_empty() {
        out += "no labels\n";
    }
    for (position, card) in scene.cards.iter().enumerate() {
        if position > 0 {
            out.push('\n');
        }
        paint_card(&mut out, scene, card);
    }
    out
}

fn paint_card(out: &mut String, scene: &Scene<'_>, card: &Card<'_>) {
    out.push_str("label ");
    out.push_str(&card.id);
    if !card.endpoints.is_empty() {
        out.push_str(&format!("  ({})", card.endpoints.join(", ")));
    }
    out.push('\n');
    if card.rows.is_empty() {
        out.push_str("  (empty)\n");
    }
    let widths = Widths::of(card);
    for (position, row) in card.rows.iter().enumerate() {
        if position == card.reached {
            out.push_str(if card.reached == 0 {
                "  (it has no entry, so none of these is reached)\n"
            } else {
                "  (not reached from the entry)\n"
            });
        }
        paint_row(out, &widths, row);
        let indent = 2 + widths.id + 2 + widths.op + 4;
        for way in row.ways.iter().filter(|way| !is_plain_to_see(scene, way, position)) {
            out.push_str(&" ".repeat(indent));
            out.push_str(&format!("{} -> {}\n", way.word, target(scene, card, way.to)));
        }
    }
}

/// Whether a line says no more than what stands there: the next line comes next, and a call
/// names its label.
fn is_plain_to_see(scene: &Scene<'_>, way: &Way, row: usize) -> bool {
    match way.style {
        Style::Next => way.to == To::Row(row + 1),
        Style::Call => match way.to {
            To::Outside(position) => !scene.outside[position].is_missing(),
            To::Row(_) | To::Card(_) => true,
        },
        Style::Plain | Style::Failure => false,
    }
}

/// How wide the columns of a label are.
struct Widths {
    id: usize,
    op: usize,
    what: usize,
}

impl Widths {
    fn of(card: &Card<'_>) -> Widths {
        let widest = |width: fn(&Row<'_>) -> usize| card.rows.iter().map(width).max().unwrap_or(0);
        Widths {
            id: widest(|row| columns(&row.id)).min(ID_COLUMNS_MAX),
            op: widest(|row| columns(row.node.op.name())).min(OP_COLUMNS_MAX),
            what: widest(|row| columns(&row.words.line())).min(WHAT_COLUMNS_MAX),
        }
    }
}

fn paint_row(out: &mut String, widths: &Widths, row: &Row<'_>) {
    let op = clean(row.node.op.name());
    let cells = [
        (cut(&row.id, ID_COLUMNS_MAX), widths.id),
        (cut(&op, OP_COLUMNS_MAX), widths.op),
        (cut(&row.words.line(), WHAT_COLUMNS_MAX), widths.what),
    ];
    let mut line = String::new();
    for (text, width) in cells {
        line.push_str("  ");
        line.push_str(&text);
        line.push_str(&" ".repeat(width.saturating_sub(columns(&text))));
    }
    line.push_str("  ");
    line.push_str(marker(row.kind));
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Only what leaves the core is marked, so that it stands out.
fn marker(kind: Kind) -> &'static str {
    match kind {
        Kind::Pure | Kind::Control | Kind::Guard => "",
        Kind::Unknown => "unknown op",
        other => other.word(),
    }
}

fn target(scene: &Scene<'_>, card: &Card<'_>, to: To) -> String {
    match to {
        To::Row(row) => name(&card.rows[row].id),
        To::Card(other) => format!("label {}", scene.cards[other].id),
        To::Outside(position) => {
            let outside = &scene.outside[position];
            match outside.why {
                Why::Elsewhere => format!("label {}", outside.id),
                Why::NoLabel => format!("label {} (missing)", name(&outside.id)),
                Why::NoNode(_) => format!("{} (missing)", name(&outside.id)),
            }
        }
    }
}

fn name(id: &str) -> String {
    if id.is_empty() { "?".to_string() } else { id.to_string() }
}
