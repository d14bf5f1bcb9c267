//! SVG: a card for each label, laid out by [`layout`](super::layout). It refers to nothing
//! outside itself and paints its own background, so that it looks the same everywhere.

mod card;
pub(super) mod ink;
mod lanes;
mod lines;
mod rows;
mod sheet;

use std::fmt::Write as _;

use super::scene::{Scene, Style};
use super::text::cut;
use ink::{Num, Xml, ink};
use sheet::Sheet;

const MARGIN: f64 = 24.0;
const LEGEND_HEIGHT: f64 = 40.0;
const EMPTY: (f64, f64) = (260.0, 40.0);
const MESSAGE_COLUMNS_MAX: usize = 34;

const STYLE: &str = "\
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
font-size:12px;fill:#1f2933;white-space:pre}
.q-sheet{fill:#f6f8fa}
.q-card{fill:#ffffff;stroke:#cbd2d9}
.q-title{font-size:12px;font-weight:bold}
.q-note{font-size:10px;fill:#66788a}
.q-id{font-size:11px;fill:#66788a}
.q-word{font-size:10px;fill:#52606d;stroke:#f6f8fa;stroke-width:3px;paint-order:stroke}
.q-word.q-fail{fill:#d1242f}
.q-word.q-call{fill:#6f42c1}
.q-stub{fill:#52606d}
.q-lost{fill:#d1242f}
path.q-go{fill:none;stroke:#66788a;stroke-width:1.4px}
path.q-fail{fill:none;stroke:#d1242f;stroke-width:1.4px;stroke-dasharray:6 4}
path.q-call{fill:none;stroke:#6f42c1;stroke-width:1.6px;stroke-dasharray:1.5 4;stroke-linecap:round}
.q-off{opacity:.55}
";

/// Paints a scene.
pub(super) fn paint(scene: &Scene<'_>) -> String {
    let sheet = Sheet::plan(scene);
    let is_empty = sheet.layout.blocks.is_empty();
    let (legend, legend_width) = legend(scene);
    let inner = if is_empty { EMPTY.0 } else { sheet.layout.width.max(legend_width) };
    let height = if is_empty { EMPTY.1 } else { sheet.layout.height + LEGEND_HEIGHT };
    let mut out = String::new();
    begin(&mut out, scene, inner + 2.0 * MARGIN, height + 2.0 * MARGIN);
    if is_empty {
        let text = match &scene.not_found {
            Some(id) => cut(&format!("no label {id}"), MESSAGE_COLUMNS_MAX),
            None => "no labels".to_string(),
        };
        let (x, y) = (Num(MARGIN + inner / 2.0), Num(MARGIN + height / 2.0 + 4.0));
        ink!(out, "<text class=\"q-stub\" text-anchor=\"middle\" x=\"{x}\" y=\"{y}\">");
        ink!(out, "{}</text>\n</svg>\n", Xml(&text));
        return out;
    }
    // What is narrower than the legend stands in the middle.
    let shift = MARGIN + (inner - sheet.layout.width) / 2.0;
    ink!(out, "<g transform=\"translate({} {MARGIN})\">\n", Num(shift));
    let corners = &sheet.layout.blocks;
    for ((card, plan), corner) in scene.cards.iter().zip(&sheet.plans).zip(corners) {
        rows::paint_card(&mut out, card, plan, *corner);
    }
    for (stub, corner) in sheet.stubs.iter().zip(&corners[sheet.plans.len()..]) {
        rows::paint_stub(&mut out, stub, *corner);
    }
    lines::paint(&mut out, scene, &sheet);
    let y = Num(MARGIN + height - 6.0);
    ink!(out, "</g>\n<g transform=\"translate({MARGIN} {y})\">\n{legend}</g>\n</svg>\n");
    out
}

fn begin(out: &mut String, scene: &Scene<'_>, width: f64, height: f64) {
    let (width, height) = (Num(width.ceil()), Num(height.ceil()));
    ink!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n"
    );
    let nodes: usize = scene.cards.iter().map(|card| card.rows.len()).sum();
    ink!(out, "<title>{} labels, {nodes} nodes</title>\n", scene.cards.len());
    ink!(out, "<style>\n{STYLE}");
    for kind in scene.kinds() {
        let (fill, line) = kind.colours();
        ink!(out, ".q-{}{{fill:{fill};stroke:{line}}}\n", kind.word());
    }
    out.push_str("</style>\n<defs>\n");
    for style in [Style::Plain, Style::Failure, Style::Call] {
        let (class, colour) = (lines::class(style), lines::colour(style));
        ink!(
            out,
            "<marker id=\"{class}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 .5L8 4L0 7.5z\" fill=\"{colour}\"/></marker>\n"
        );
    }
    out.push_str("</defs>\n");
    ink!(out, "<rect class=\"q-sheet\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n");
}

/// What colours and lines mean, for those that occur; and how wide that is.
fn legend(scene: &Scene<'_>) -> (String, f64) {
    let mut out = String::new();
    let mut x = 0.0;
    let name = |out: &mut String, x: &mut f64, word: &str| {
        ink!(out, "<text class=\"q-note\" x=\"{}\" y=\"0\">{word}</text>\n", Num(*x));
        *x += word.len() as f64 * card::WORD_COLUMN + 16.0;
    };
    for kind in scene.kinds() {
        let swatch = Num(x + 0.5);
        let class = kind.word();
        ink!(
            out,
            "<rect class=\"q-{class}\" x=\"{swatch}\" y=\"-9.5\" width=\"16\" height=\"11\" \
             rx=\"3\"{}/>\n",
            rows::dashes(kind)
        );
        x += 21.0;
        name(&mut out, &mut x, kind.word());
    }
    let ways = || scene.cards.iter().flat_map(|card| &card.rows).flat_map(|row| &row.ways);
    for (style, word) in [(Style::Failure, "on failure"), (Style::Call, "call")] {
        if ways().any(|way| way.style == style) {
            let end = Num(x + 26.0);
            let class = lines::class(style);
            ink!(out, "<path class=\"{class}\" d=\"M{} -4L{end} -4\"/>\n", Num(x));
            x += 31.0;
            name(&mut out, &mut x, word);
        }
    }
    (out, x)
}

#[cfg(test)]
mod tests;
