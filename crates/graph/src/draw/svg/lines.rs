//! Lines: hops and arcs within cards, and links between them.

use std::fmt::Write as _;

use super::super::layout::{Point, Route};
use super::super::scene::{Card, Scene, Style, To, Way};
use super::card::{Bundle, Lane, Member, Plan, short_word, spelled};
use super::ink::{Num, Pen, Xml, ink};
use super::sheet::Sheet;

/// The class, and the marker, of a style.
pub(super) fn class(style: Style) -> &'static str {
    match style {
        Style::Next | Style::Plain => "q-go",
        Style::Failure => "q-fail",
        Style::Call => "q-call",
    }
}

/// The colour of a style.
pub(super) fn colour(style: Style) -> &'static str {
    match style {
        Style::Next | Style::Plain => "#66788a",
        Style::Failure => "#d1242f",
        Style::Call => "#6f42c1",
    }
}

/// Paints all lines.
pub(super) fn paint(out: &mut String, scene: &Scene<'_>, sheet: &Sheet) {
    for (at, card) in scene.cards.iter().enumerate() {
        let painter =
            Painter { scene, card, plan: &sheet.plans[at], corner: sheet.layout.blocks[at] };
        painter.hops(out);
        painter.plan.arcs.iter().for_each(|arc| painter.arc(out, arc));
        let spelled = painter.plan.exits.iter().filter(|exit| exit.lane == Lane::Words);
        spelled.flat_map(|exit| &exit.members).for_each(|member| painter.spell_right(out, member));
    }
    for ((at, exit), route) in sheet.links.iter().zip(&sheet.layout.routes) {
        let plan = &sheet.plans[*at];
        let painter =
            Painter { scene, card: &scene.cards[*at], plan, corner: sheet.layout.blocks[*at] };
        painter.exit(out, &plan.exits[*exit], route.as_ref());
    }
}

struct Painter<'a> {
    scene: &'a Scene<'a>,
    card: &'a Card<'a>,
    plan: &'a Plan,
    corner: Point,
}

enum Head {
    Arrow,
    None,
}

enum Align {
    Left,
    Right,
}

impl Painter<'_> {
    fn way(&self, member: &Member) -> &Way {
        &self.card.rows[member.row].ways[member.way]
    }

    /// Short arrows to the next row.
    fn hops(&self, out: &mut String) {
        for (at, pair) in self.plan.slabs.windows(2).enumerate() {
            let Some(way) = pair[0].hop.map(|way| &self.card.rows[at].ways[way]) else { continue };
            let x = self.corner.x + pair[0].x + pair[0].width / 2.0;
            let from = self.corner.y + pair[0].y + pair[0].height;
            let to = self.corner.y + pair[1].y;
            stroke(out, way.style, &Pen::at(x, from + 1.0).line(x, to - 1.0), &Head::Arrow);
            let word = short_word(&way.word, way.style);
            write_word(out, way.style, x + 7.0, (from + to) / 2.0 + 3.5, &word, &Align::Left);
        }
    }

    /// Ways to other rows, on the left.
    fn arc(&self, out: &mut String, arc: &Bundle) {
        let card_left = self.corner.x + self.plan.left;
        let Lane::At(lane) = arc.lane else {
            for member in &arc.members {
                let text = spelled(&self.way(member).word, &self.card.rows[arc.to].id);
                let y = self.corner.y + member.y;
                write_word(out, arc.style, card_left - 5.0, y + 3.5, &text, &Align::Right);
            }
            return;
        };
        let lane = self.corner.x + lane;
        let target = &self.plan.slabs[arc.to];
        let arrival = self.corner.y + target.arrival;
        let end = self.corner.x + target.x + target.inset(target.arrival) - 1.0;
        // Only the outermost members draw the common line, so that its dashes stay dashes.
        let furthest = |above: bool| {
            let ys = arc.members.iter().map(|member| self.corner.y + member.y);
            ys.filter(|y| (*y < arrival) == above)
                .reduce(|a, b| if above { a.min(b) } else { a.max(b) })
        };
        let (top, bottom) = (furthest(true), furthest(false));
        for member in &arc.members {
            let y = self.corner.y + member.y;
            let slab = &self.plan.slabs[member.row];
            let pen = Pen::at(self.corner.x + slab.x + slab.inset(member.y), y);
            if Some(y) == top || Some(y) == bottom {
                let pen = pen.corner(lane, y, lane, (y + arrival) / 2.0);
                let pen = pen.corner(lane, arrival, end, arrival);
                stroke(out, arc.style, &pen, &Head::Arrow);
            } else {
                let toward = if y < arrival { 7.0 } else { -7.0 };
                stroke(out, arc.style, &pen.corner(lane, y, lane, y + toward), &Head::None);
            }
            let way = self.way(member);
            let word = short_word(&way.word, way.style);
            write_word(out, arc.style, card_left - 4.0, y - 3.0, &word, &Align::Right);
        }
    }

    /// Ways to another card.
    fn exit(&self, out: &mut String, exit: &Bundle, route: Option<&Route>) {
        let card_right = self.corner.x + self.plan.left + self.plan.width;
        let Lane::At(lane) = exit.lane else {
            let Some(route) = route else {
                return exit.members.iter().for_each(|member| self.spell_right(out, member));
            };
            let slab = self.plan.slabs.last().expect("a way leaves a row");
            let from = self.corner.y + slab.y + slab.height;
            let pen = Pen::at(route.start.x, from).line(route.start.x, route.start.y);
            follow(out, exit.style, pen, route);
            let way = self.way(&exit.members[0]);
            let (x, y) = (route.start.x + 5.0, self.corner.y + self.plan.height + 11.0);
            let word = short_word(&way.word, way.style);
            return write_word(out, exit.style, x, y, &word, &Align::Left);
        };
        let Some(route) = route else {
            return exit.members.iter().for_each(|member| self.spell_right(out, member));
        };
        let lane = self.corner.x + lane;
        let first = exit.members.iter().map(|member| member.y).fold(f64::INFINITY, f64::min);
        for member in &exit.members {
            let y = self.corner.y + member.y;
            let slab = &self.plan.slabs[member.row];
            let side = slab.x + slab.width - slab.inset(member.y);
            let pen = Pen::at(self.corner.x + side, y);
            if member.y == first {
                let pen = pen.corner(lane, y, lane, route.start.y);
                follow(out, exit.style, pen, route);
            } else {
                stroke(out, exit.style, &pen.corner(lane, y, lane, y + 7.0), &Head::None);
            }
            let way = self.way(member);
            let word = short_word(&way.word, way.style);
            write_word(out, exit.style, card_right + 4.0, y - 3.0, &word, &Align::Left);
        }
    }

    /// A way without a line: its target is written beside its row.
    fn spell_right(&self, out: &mut String, member: &Member) {
        let way = self.way(member);
        let target = match way.to {
            To::Card(card) => &self.scene.cards[card].id,
            To::Outside(position) => &self.scene.outside[position].id,
            To::Row(row) => &self.card.rows[row].id,
        };
        let x = self.corner.x + self.plan.left + self.plan.width + 5.0;
        let y = self.corner.y + member.y + 3.5;
        write_word(out, way.style, x, y, &spelled(&way.word, target), &Align::Left);
    }
}

fn follow(out: &mut String, style: Style, pen: Pen, route: &Route) {
    let pen = route.steps.iter().fold(pen, |pen, step| pen.step(*step));
    stroke(out, style, &pen, &Head::Arrow);
}

fn stroke(out: &mut String, style: Style, pen: &Pen, head: &Head) {
    let class = class(style);
    ink!(out, "<path class=\"{class}\" d=\"{}\"", pen.path);
    if let Head::Arrow = head {
        ink!(out, " marker-end=\"url(#{class})\"");
    }
    out.push_str("/>\n");
}

fn write_word(out: &mut String, style: Style, x: f64, y: f64, word: &str, align: &Align) {
    if word.is_empty() {
        return;
    }
    let anchor = match align {
        Align::Left => "",
        Align::Right => " text-anchor=\"end\"",
    };
    let (x, y) = (Num(x), Num(y));
    ink!(out, "<text class=\"q-word {}\"{anchor} x=\"{x}\" y=\"{y}\">", class(style));
    ink!(out, "{}</text>\n", Xml(word));
}
