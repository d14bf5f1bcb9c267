//! Lines: the routes of the layout, and the short ones to what stands beside a node.

use std::fmt::Write as _;

use super::super::super::layout::{Point, Route, Step};
use super::super::super::svg::ink::{Num, Xml, ink};
use super::super::super::text::cut;
use super::super::picture::{Dash, Link, Picture, Tie};
use super::figure::Shape;
use super::shapes;
use super::sheet::{Chip, Drawn, Sheet, Unit};

/// How deep a turn under or over goes, before the curve flattens it.
const TURN: f64 = 24.0;
/// Lines between the same two stand this far apart.
const TWIN_GAP: f64 = 9.0;
const SPELLED_COLUMNS_MAX: usize = 30;

/// The class of a kind of link, and of its arrow.
pub(super) fn class(kind: Tie) -> String {
    format!("v-{}", kind.word().replace(' ', "-"))
}

/// The style of a kind of link.
pub(super) fn style(kind: Tie) -> String {
    let dash = match kind.dash() {
        Dash::Solid => "",
        Dash::Dashed => ";stroke-dasharray:6 4",
        Dash::Dotted => ";stroke-dasharray:1.5 4;stroke-linecap:round",
    };
    let width = if kind.dash() == Dash::Dotted { "1.8" } else { "1.5" };
    let (class, colour) = (class(kind), kind.colour().line());
    format!("path.{class}{{fill:none;stroke:{colour};stroke-width:{width}px{dash}}}\n")
}

/// The arrows of a kind of link: one for its end, one for its start.
pub(super) fn markers(out: &mut String, kind: Tie) {
    let (class, colour) = (class(kind), kind.colour().line());
    for (end, at, path) in [("e", "7", "M0 .5L8 4L0 7.5z"), ("s", "1", "M8 .5L0 4L8 7.5z")] {
        ink!(
            out,
            "<marker id=\"{class}-{end}\" viewBox=\"0 0 8 8\" refX=\"{at}\" refY=\"4\" \
             markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
             orient=\"auto\"><path d=\"{path}\" fill=\"{colour}\"/></marker>\n"
        );
    }
}

/// Paints all lines between blocks.
pub(super) fn paint(out: &mut String, picture: &Picture, sheet: &Sheet) {
    let mut spelled: Vec<(usize, String)> = Vec::new();
    for (drawn, route) in sheet.lines.iter().zip(&sheet.layout.routes) {
        let link = &picture.links[drawn.link];
        match route {
            Some(route) => paint_route(out, picture, sheet, drawn, route),
            None => {
                let target = &picture.nodes[link.to];
                let name = if target.id.is_empty() { target.kind.word() } else { &target.id };
                if let Some(from) = drawn.from {
                    spelled.push((from, format!("\u{2192} {name}")));
                }
            }
        }
    }
    // A line that is too long to follow is written down where it would begin.
    spelled.sort_by_key(|(unit, _)| *unit);
    for group in spelled.chunk_by(|a, b| a.0 == b.0) {
        let unit = &sheet.units[group[0].0];
        let corner = sheet.point(sheet.layout.blocks[group[0].0]);
        let text = group.iter().map(|(_, text)| &**text).collect::<Vec<_>>().join(", ");
        let x = Num(corner.x + unit.x + unit.figure.width / 2.0 + 8.0);
        let y = Num(corner.y + unit.height + 12.0);
        ink!(out, "<g><title>{}</title><text class=\"v-id v-halo\" ", Xml(&text));
        ink!(out, "x=\"{x}\" y=\"{y}\">{}</text></g>\n", Xml(&cut(&text, SPELLED_COLUMNS_MAX)));
    }
}

fn paint_route(out: &mut String, picture: &Picture, sheet: &Sheet, drawn: &Drawn, route: &Route) {
    let link = &picture.links[drawn.link];
    let straight = nearly_straight(sheet, drawn, route);
    let start = Point { x: straight.unwrap_or(route.start.x), ..route.start };
    let mut points = Path::at(sheet, start);
    if let Some(from) = drawn.from.filter(|_| !sheet.across) {
        let (unit, top) = (&sheet.units[from], sheet.layout.blocks[from]);
        let y = top.y + unit.y + unit.figure.height;
        let y = y - shapes::foot(&unit.figure, start.x - top.x - unit.x);
        points = Path::at(sheet, Point { y, ..start });
        points.line(start);
    }
    match straight {
        Some(x) => points.line(Point { x, y: end_of(route).y }),
        None => route.steps.iter().for_each(|step| points.step(*step)),
    }
    if let Some(to) = drawn.to.filter(|_| !sheet.across) {
        let (unit, top) = (&sheet.units[to], sheet.layout.blocks[to]);
        let end = points.at;
        let y = top.y + unit.y + shapes::head(&unit.figure, end.x - top.x - unit.x);
        points.line(Point { y, ..end });
    }
    // Whoever acts is laid out first; the arrow may point the other way.
    let is_turned = link.kind.is_inward() && !picture.subject.follows_arrows();
    let (has_end, has_start) = match (is_turned, drawn.from, drawn.to) {
        (false, _, Some(_)) => (true, false),
        (true, Some(_), _) => (false, true),
        _ => (false, false),
    };
    let ends = (has_start && link.kind.has_arrow(), has_end && link.kind.has_arrow());
    stroke(out, link, &points.path, ends, Some(picture));
}

fn end_of(route: &Route) -> Point {
    route.steps.last().map_or(route.start, Step::end)
}

/// Where a line that goes down with hardly a bend can go straight down.
fn nearly_straight(sheet: &Sheet, drawn: &Drawn, route: &Route) -> Option<f64> {
    const BEND_MAX: f64 = 9.0;
    let end = end_of(route);
    let stays = |step: &Step| {
        let is_down = matches!(step, Step::Straight(_) | Step::Curve(_));
        is_down && (step.end().x - route.start.x).abs() < BEND_MAX
    };
    let is_free = |unit: Option<usize>| {
        let shape = unit.map(|unit| sheet.units[unit].figure.shape);
        !matches!(shape, Some(Shape::Dot | Shape::Ring))
    };
    let goes_down = route.steps.iter().all(stays) && end.y > route.start.y;
    match (goes_down && !sheet.across, is_free(drawn.from), is_free(drawn.to)) {
        (true, true, _) => Some(end.x),
        (true, false, true) => Some(route.start.x),
        _ => None,
    }
}

fn stroke(
    out: &mut String,
    link: &Link,
    path: &str,
    (start, end): (bool, bool),
    titled: Option<&Picture>,
) {
    let class = class(link.kind);
    ink!(out, "<path class=\"{class}\" d=\"{path}\"");
    if start {
        ink!(out, " marker-start=\"url(#{class}-s)\"");
    }
    if end {
        ink!(out, " marker-end=\"url(#{class}-e)\"");
    }
    let Some(picture) = titled else {
        out.push_str("/>\n");
        return;
    };
    let (from, to) = (&picture.nodes[link.from].id, &picture.nodes[link.to].id);
    ink!(out, "><title>{} {} \u{2192} {}</title></path>\n", link.kind.word(), Xml(from), Xml(to));
}

/// Paints the lines between a node and what stands beside it.
pub(super) fn paint_beside(out: &mut String, picture: &Picture, unit: &Unit, corner: Point) {
    for chip in &unit.chips {
        let is_left = chip.x < unit.x;
        let middle = chip.y + chip.figure.height / 2.0;
        let count = chip.links.len() as f64;
        for (at, link) in chip.links.iter().enumerate() {
            let link = &picture.links[*link];
            let offset = (at as f64 - (count - 1.0) / 2.0) * TWIN_GAP;
            let (from_x, from_y) = side(unit, middle + offset, is_left);
            let to_x = chip_side(chip, offset, is_left);
            let (from_x, to_x) = (corner.x + from_x, corner.x + to_x);
            let (from_y, to_y) = (corner.y + from_y, corner.y + middle + offset);
            let half = Num((from_x + to_x) / 2.0);
            let path = if (from_y - to_y).abs() < 0.5 {
                format!("M{} {}L{} {}", Num(from_x), Num(from_y), Num(to_x), Num(to_y))
            } else {
                let (start, end) = (Num(from_y), Num(to_y));
                format!("M{} {start}C{half} {start} {half} {end} {} {end}", Num(from_x), Num(to_x))
            };
            let leads_here = link.to == unit.node;
            let has_arrow = link.kind.has_arrow();
            stroke(out, link, &path, (has_arrow && leads_here, has_arrow && !leads_here), None);
        }
    }
}

/// Where a line leaves a node for something at this height. What is higher or lower than the
/// node keeps its order at the node's side.
fn side(unit: &Unit, height: f64, is_left: bool) -> (f64, f64) {
    let figure = &unit.figure;
    let x = if is_left { unit.x } else { unit.x + figure.width };
    if figure.shape == Shape::Diamond {
        return (x, unit.y + figure.height / 2.0);
    }
    let (top, bottom) = (unit.y + 7.0, unit.y + figure.height - 7.0);
    let mut range = (top, bottom);
    for chip in unit.chips.iter().filter(|chip| (chip.x < unit.x) == is_left) {
        let middle = chip.y + chip.figure.height / 2.0;
        let reach = (chip.links.len() as f64 - 1.0) / 2.0 * TWIN_GAP;
        range = (range.0.min(middle - reach), range.1.max(middle + reach));
    }
    (x, top + (height - range.0) / (range.1 - range.0).max(1.0) * (bottom - top))
}

/// Where a line arrives at something beside a node, so far above or below its middle.
fn chip_side(chip: &Chip, offset: f64, is_left: bool) -> f64 {
    let inset = match chip.figure.shape {
        Shape::Hexagon => 11.0 * offset.abs() / (chip.figure.height / 2.0),
        Shape::Slanted => 6.0 - 6.0 * offset / (chip.figure.height / 2.0),
        _ => 0.0,
    };
    if is_left { chip.x + chip.figure.width - inset } else { chip.x + inset }
}

/// The `d` of a path, in the layout's own coordinates until it is written.
struct Path<'a> {
    sheet: &'a Sheet,
    path: String,
    at: Point,
}

impl Path<'_> {
    fn at(sheet: &Sheet, at: Point) -> Path<'_> {
        let mut path = Path { sheet, path: String::new(), at };
        path.write('M', &[at]);
        path
    }

    fn write(&mut self, letter: char, points: &[Point]) {
        self.path.push(letter);
        for (place, point) in points.iter().enumerate() {
            let point = self.sheet.point(*point);
            let gap = if place == 0 { "" } else { " " };
            ink!(self.path, "{gap}{} {}", Num(point.x), Num(point.y));
        }
    }

    fn line(&mut self, end: Point) {
        if end != self.at {
            self.write('L', &[end]);
            self.at = end;
        }
    }

    fn step(&mut self, step: Step) {
        let end = step.end();
        let (first, second) = match step {
            Step::Straight(_) => return self.line(end),
            Step::Curve(_) => {
                let middle = (self.at.y + end.y) / 2.0;
                (middle, middle)
            }
            Step::Under(_) => (self.at.y + TURN, end.y + TURN),
            Step::Over(_) => (self.at.y - TURN, end.y - TURN),
        };
        let start = Point { y: first, ..self.at };
        self.write('C', &[start, Point { y: second, ..end }, end]);
        self.at = end;
    }
}
