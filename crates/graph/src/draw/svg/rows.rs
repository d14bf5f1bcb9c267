//! Cards and their rows.

use std::fmt::Write as _;

use crate::ops::Runs;

use super::super::layout::Point;
use super::super::scene::{Card, Kind, Row};
use super::card::{PADDING, Plan, Slab};
use super::ink::{Num, Xml, ink};
use super::sheet::{STUB_HEIGHT, Stub};

/// Paints a card.
pub(super) fn paint_card(out: &mut String, card: &Card<'_>, plan: &Plan, corner: Point) {
    let at = |x: f64, y: f64| (Num(corner.x + x), Num(corner.y + y));
    let (x, y) = at(plan.left, 0.0);
    let (width, height) = (Num(plan.width), Num(plan.height));
    ink!(out, "<g>\n<title>label {}", Xml(&card.id));
    for endpoint in &card.endpoints {
        ink!(out, ", {}", Xml(endpoint));
    }
    ink!(out, "</title>\n<rect class=\"q-card\" x=\"{x}\" y=\"{y}\" ");
    ink!(out, "width=\"{width}\" height=\"{height}\" rx=\"9\"/>\n");
    for (line, text) in plan.heading.iter().enumerate() {
        let class = if line == 0 { "q-title" } else { "q-id" };
        let (x, y) = at(plan.left + PADDING + 3.0, 21.0 + 16.0 * line as f64);
        ink!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", Xml(text));
    }
    if plan.slabs.is_empty() {
        let (x, y) = at(plan.left + PADDING + 3.0, plan.height - PADDING - 9.0);
        ink!(out, "<text class=\"q-id\" x=\"{x}\" y=\"{y}\">(empty)</text>\n");
    }
    if let Some(note) = plan.note {
        let (x, y) = at(plan.left + PADDING + 3.0, note);
        ink!(out, "<text class=\"q-note\" x=\"{x}\" y=\"{y}\">not reached</text>\n");
    }
    out.push_str("</g>\n");
    for (position, (row, slab)) in card.rows.iter().zip(&plan.slabs).enumerate() {
        let class = if position < card.reached { "" } else { " class=\"q-off\"" };
        ink!(out, "<g{class}>");
        paint_row(out, row, slab, plan.indent, corner);
        out.push_str("</g>\n");
    }
}

fn paint_row(out: &mut String, row: &Row<'_>, slab: &Slab, indent: f64, corner: Point) {
    let (x, y) = (corner.x + slab.x, corner.y + slab.y);
    ink!(out, "<title>{} {}", Xml(&row.id), Xml(&row.words.line()));
    ink!(out, " ({})</title>", row.kind.word());
    let class = row.kind.word();
    let dashes = dashes(row.kind);
    let runs = row.node.def().map(|op| op.runs);
    if slab.pointed {
        // A long hexagon: the sign of a decision, with room for words.
        let (right, bottom, middle) = (x + slab.width, y + slab.height, y + slab.height / 2.0);
        let (inner_left, inner_right) = (x + Slab::POINT, right - Slab::POINT);
        ink!(out, "<path class=\"q-{class}\" d=\"M{} {}", Num(inner_left), Num(y));
        ink!(out, "L{} {}L{} {}", Num(inner_right), Num(y), Num(right), Num(middle));
        ink!(out, "L{} {}L{} {}", Num(inner_right), Num(bottom), Num(inner_left), Num(bottom));
        ink!(out, "L{} {}z\"/>", Num(x), Num(middle));
    } else {
        let round = if runs == Some(Runs::Return) { slab.height.min(28.0) / 2.0 } else { 4.0 };
        ink!(out, "<rect class=\"q-{class}\" x=\"{}\" y=\"{}\" ", Num(x), Num(y));
        ink!(out, "width=\"{}\" height=\"{}\" ", Num(slab.width), Num(slab.height));
        ink!(out, "rx=\"{}\"{dashes}/>", Num(round));
    }
    let baseline = Num(y + slab.height / 2.0 + 4.2);
    if !slab.id.is_empty() {
        let x = Num(x + 13.0);
        ink!(out, "<text class=\"q-id\" x=\"{x}\" y=\"{baseline}\">{}</text>", Xml(&slab.id));
    }
    ink!(out, "<text x=\"{}\" y=\"{baseline}\">{}</text>", Num(x + indent), Xml(&slab.what));
}

/// A broken outline for some kinds, for eyes that do not see their colours.
pub(super) fn dashes(kind: Kind) -> &'static str {
    match kind {
        Kind::Guard | Kind::Unknown => " stroke-dasharray=\"4 3\"",
        _ => "",
    }
}

/// Paints what ways lead to and what is no card.
pub(super) fn paint_stub(out: &mut String, stub: &Stub, corner: Point) {
    let width = stub.width();
    let (line, class) = if stub.missing {
        ("stroke=\"#d1242f\" fill=\"#fff5f5\" stroke-dasharray=\"4 3\"", "q-lost")
    } else {
        ("stroke=\"#94a3b8\" fill=\"#ffffff\"", "q-stub")
    };
    let (x, y) = (Num(corner.x), Num(corner.y));
    ink!(out, "<g><rect {line} x=\"{x}\" y=\"{y}\" width=\"{}\" ", Num(width));
    ink!(out, "height=\"{STUB_HEIGHT}\" rx=\"16\"/>");
    let (x, y) = (Num(corner.x + width / 2.0), Num(corner.y + 20.2));
    ink!(out, "<text class=\"{class}\" text-anchor=\"middle\" x=\"{x}\" y=\"{y}\">");
    ink!(out, "{}</text></g>\n", Xml(&stub.text));
}
