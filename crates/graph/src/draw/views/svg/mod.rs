//! SVG: self-contained, with its own background, so that it looks the same everywhere.

mod figure;
mod lines;
mod notes;
mod shapes;
mod sheet;

use std::fmt::Write as _;

use diagnostics::Severity;

use super::super::layout::Point;
use super::super::svg::ink::{Num, Xml, ink};
use super::super::text::{columns, cut};
use super::picture::{Kind, Line, Node, Picture};
use figure::{Anchor, Figure, Shape};
use sheet::{Sheet, Unit, WORDS_ROW};

const MARGIN: f64 = 24.0;
const HEAD: f64 = 34.0;
const NAME_COLUMNS_MAX: usize = 60;
const EMPTY: (f64, f64) = (260.0, 30.0);

const STYLE: &str = "\
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
font-size:10px;fill:#1f2933;white-space:pre}
.v-sheet{fill:#f9fafb}
.v-name{font-size:15px;font-weight:bold}
.v-title,.v-head{font-size:12px;font-weight:bold}
.v-head{fill:#ffffff}
.v-chip{font-size:11px}
.v-id{fill:#66788a}
.v-type{fill:#2f6f9f}
.v-halo{stroke:#f9fafb;stroke-width:3px;paint-order:stroke}
.v-count{fill:#ffffff;font-weight:bold}
.v-inner{fill:none}
.v-card{fill:#ffffff;stroke:#aab4be}
rect,path,circle{stroke-width:1.4px}
";

/// Paints a picture.
pub(super) fn paint(picture: &Picture) -> String {
    let sheet = Sheet::plan(picture);
    let is_empty = sheet.units.is_empty();
    let (width, height) = if is_empty { EMPTY } else { sheet.size() };
    let name = cut(&picture.name, NAME_COLUMNS_MAX);
    let name_width = (columns(&name) + 2) as f64 * 9.2 + 100.0;
    let width = width.max(name_width).max(420.0);
    let notes = notes::Notes::of(picture, width);
    let mut out = String::new();
    let total = (width + 2.0 * MARGIN, MARGIN + HEAD + height + notes.height + MARGIN);
    begin(&mut out, picture, total);
    let (x, y) = (Num(MARGIN), Num(MARGIN + 8.0));
    if !name.is_empty() {
        ink!(out, "<text class=\"v-name\" x=\"{x}\" y=\"{y}\">{}</text>\n", Xml(&name));
    }
    let after = if name.is_empty() { 0.0 } else { columns(&name) as f64 * 9.2 + 10.0 };
    let x = Num(MARGIN + after);
    ink!(out, "<text class=\"v-id\" x=\"{x}\" y=\"{y}\">{}</text>\n", picture.subject.word());
    if is_empty {
        let (x, y) = (Num(MARGIN), Num(MARGIN + HEAD + 12.0));
        ink!(out, "<text class=\"v-id\" x=\"{x}\" y=\"{y}\">{}</text>\n", picture.nothing());
    }
    // What is narrower than what is written about it stands in the middle.
    let shift = if is_empty { 0.0 } else { (width - sheet.size().0) / 2.0 };
    ink!(out, "<g transform=\"translate({} {})\">\n", Num(MARGIN + shift), Num(MARGIN + HEAD));
    lines::paint(&mut out, picture, &sheet);
    for (unit, corner) in sheet.units.iter().zip(&sheet.layout.blocks) {
        paint_unit(&mut out, picture, unit, sheet.point(*corner));
    }
    for (sign, corner) in sheet.signs.iter().zip(&sheet.layout.blocks[sheet.units.len()..]) {
        let link = &picture.links[sign.link];
        let full = [&link.words(), &link.note, &link.source].map(|text| text.clone());
        let full: Vec<String> = full.into_iter().filter(|text| !text.is_empty()).collect();
        ink!(out, "<g><title>{}</title>", Xml(&full.join(" \u{b7} ")));
        for (at, (text, class)) in sign.rows.iter().enumerate() {
            let x = Num(corner.x + sign.width / 2.0);
            let y = Num(corner.y + WORDS_ROW * (at as f64 + 1.0) - 1.5);
            let colour = match *class {
                "v-word" => format!(" style=\"fill:{}\"", link.kind.colour().dark()),
                _ => String::new(),
            };
            ink!(out, "<text class=\"{class} v-halo\" text-anchor=\"middle\"{colour} ");
            ink!(out, "x=\"{x}\" y=\"{y}\">{}</text>", Xml(text));
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
    let y = Num(MARGIN + HEAD + height);
    ink!(out, "<g transform=\"translate({} {y})\">\n{}</g>\n</svg>\n", Num(MARGIN), notes.text);
    out
}

fn begin(out: &mut String, picture: &Picture, (width, height): (f64, f64)) {
    let (width, height) = (Num(width.ceil()), Num(height.ceil()));
    ink!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    let name = if picture.name.is_empty() { "agent" } else { &picture.name };
    ink!(out, "<title>{} ({})</title>\n", Xml(name), picture.subject.word());
    ink!(out, "<style>\n{STYLE}");
    for kind in picture.kinds() {
        let (class, colour) = (kind_class(kind), kind.colour());
        let fill =
            if kind.is_sign() || kind == Kind::Schema { colour.line() } else { colour.light() };
        let dashes = match Shape::of(kind) {
            Shape::Dashed => ";stroke-dasharray:5 3",
            _ => "",
        };
        ink!(out, ".{class}{{fill:{fill};stroke:{}{dashes}}}\n", colour.line());
        ink!(out, ".{class}.v-inner{{fill:none}}\n");
    }
    for tie in picture.ties() {
        out.push_str(&lines::style(tie));
    }
    out.push_str("</style>\n<defs>\n");
    for tie in picture.ties() {
        lines::markers(out, tie);
    }
    out.push_str("</defs>\n");
    ink!(out, "<rect class=\"v-sheet\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n");
}

fn kind_class(kind: Kind) -> String {
    format!("k-{}", kind.word().replace(' ', "-"))
}

fn paint_unit(out: &mut String, picture: &Picture, unit: &Unit, corner: Point) {
    let node = &picture.nodes[unit.node];
    lines::paint_beside(out, picture, unit, corner);
    let at = Point { x: corner.x + unit.x, y: corner.y + unit.y };
    paint_figure(out, node, &unit.figure, at);
    for chip in &unit.chips {
        let at = Point { x: corner.x + chip.x, y: corner.y + chip.y };
        paint_figure(out, &picture.nodes[chip.node], &chip.figure, at);
    }
    if unit.more > 0 {
        let (x, y) = (Num(corner.x + unit.width), Num(corner.y + unit.height - 4.0));
        ink!(out, "<text class=\"v-id\" text-anchor=\"end\" x=\"{x}\" y=\"{y}\">");
        ink!(out, "and {} more</text>\n", unit.more);
    }
}

/// Paints a node with its text and its findings.
fn paint_figure(out: &mut String, node: &Node, figure: &Figure, at: Point) {
    ink!(out, "<g><title>{}</title>", Xml(&told(node)));
    shapes::paint(out, figure, &kind_class(node.kind), at.x, at.y);
    for row in &figure.rows {
        let anchor = match row.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y) = (Num(at.x + row.x), Num(at.y + row.y));
        ink!(
            out,
            "<text class=\"{}\"{anchor} x=\"{x}\" y=\"{y}\">{}</text>",
            row.class,
            Xml(&row.text)
        );
    }
    if let Some((severity, _)) = node.marks.first() {
        let (x, y) = match figure.shape {
            Shape::Diamond => (4.0, figure.height / 2.0),
            // On the left: lines to what it uses leave on the right.
            _ => (3.0, 1.0),
        };
        badge(out, *severity, node.marks.len(), at.x + x, at.y + y);
    }
    out.push_str("</g>\n");
}

/// The colour of a finding.
fn severity_colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "#d1242f",
        Severity::Warning => "#c77700",
        Severity::Note => "#2f7fd6",
    }
}

fn badge(out: &mut String, severity: Severity, count: usize, x: f64, y: f64) {
    let colour = severity_colour(severity);
    let text = match count {
        1 => "!".to_string(),
        2..=99 => count.to_string(),
        _ => "99+".to_string(),
    };
    let width = 10.0 + 6.0 * text.len() as f64;
    ink!(out, "<rect x=\"{}\" y=\"{}\" ", Num(x - width / 2.0), Num(y - 8.0));
    ink!(
        out,
        "width=\"{}\" height=\"16\" rx=\"8\" fill=\"{colour}\" stroke=\"#ffffff\"/>",
        Num(width)
    );
    ink!(out, "<text class=\"v-count\" text-anchor=\"middle\" ");
    ink!(out, "x=\"{}\" y=\"{}\">{text}</text>", Num(x), Num(y + 3.6));
}

/// All that is known of a node, for those who ask.
fn told(node: &Node) -> String {
    let mut lines = vec![format!("{} {}", node.kind.word(), node.id).trim_end().to_string()];
    if node.title != node.id && !node.kind.is_sign() {
        lines.push(node.title.clone());
    }
    lines.extend(node.about.iter().cloned());
    lines.extend(node.lines.iter().map(|line| match line {
        Line::Words(text) | Line::Remark(text) => text.clone(),
        Line::Pair(name, what) => format!("{name}: {what}"),
    }));
    lines.extend(node.marks.iter().map(|(severity, text)| format!("{}: {text}", severity.word())));
    lines.join("\n")
}

#[cfg(test)]
mod tests;
