//! The plan of the picture: what stands where. What is used stands beside its user, once for
//! each; the words of a link are a block of their own, so that nothing is ever written over.

use std::collections::BTreeMap;

use super::super::super::layout::{self, Block, Layout, Point, Room};
use super::super::super::text::columns;
use super::super::View;
use super::super::picture::{Kind, Link, Picture, Subject, Tie};
use super::figure::{self, Figure, SMALL_COLUMN, Shape, wrap};

const CHIP_GAP: f64 = 8.0;
const CHIP_DISTANCE: f64 = 46.0;
/// So many things beside one node can be told apart.
const CHIPS_MAX: usize = 12;
const WORDS_COLUMNS_MAX: usize = 36;
pub(super) const WORDS_ROW: f64 = 13.0;

/// Everything is measured; painting only writes it down.
pub(super) struct Sheet {
    /// What stands by itself, with what stands beside it.
    pub units: Vec<Unit>,
    /// The words of links.
    pub signs: Vec<Sign>,
    /// The lines between blocks.
    pub lines: Vec<Drawn>,
    /// Where blocks are: units first, then signs.
    pub layout: Layout,
    /// Whether it goes from left to right; the layout is then turned.
    pub across: bool,
}

/// A node and what stands beside it.
pub(super) struct Unit {
    /// The node.
    pub node: usize,
    /// Its measures.
    pub figure: Figure,
    /// Its place in the block.
    pub x: f64,
    /// Its place in the block.
    pub y: f64,
    /// What stands beside it.
    pub chips: Vec<Chip>,
    /// How many more there are.
    pub more: usize,
    /// The size of the block.
    pub width: f64,
    /// The size of the block.
    pub height: f64,
}

/// Something beside a node.
pub(super) struct Chip {
    /// The node.
    pub node: usize,
    /// Its measures.
    pub figure: Figure,
    /// Its place in the block.
    pub x: f64,
    /// Its place in the block.
    pub y: f64,
    /// The links between the two.
    pub links: Vec<usize>,
}

/// The words of a link.
pub(super) struct Sign {
    /// The link.
    pub link: usize,
    /// What it says, and how that looks.
    pub rows: Vec<(String, &'static str)>,
    /// Its size.
    pub width: f64,
    /// Its size.
    pub height: f64,
}

/// A line of the layout.
pub(super) struct Drawn {
    /// The link it belongs to.
    pub link: usize,
    /// The unit it leaves, if it is no sign.
    pub from: Option<usize>,
    /// The unit it leads to, if it is no sign.
    pub to: Option<usize>,
}

impl Sheet {
    /// Plans a picture.
    pub(super) fn plan(picture: &Picture) -> Sheet {
        let across = picture.subject.is_across();
        let mut units = units(picture);
        let mut unit_of = vec![usize::MAX; picture.nodes.len()];
        for (at, unit) in units.iter().enumerate() {
            unit_of[unit.node] = at;
        }
        let mut degrees = vec![(0, 0); units.len()];
        for link in &picture.links {
            let (from, to) = ends(picture, link);
            if let (Some(from), Some(to)) = (units.get(unit_of[from]), units.get(unit_of[to])) {
                degrees[unit_of[from.node]].0 += 1;
                degrees[unit_of[to.node]].1 += 1;
            }
        }
        for (unit, (out, into)) in units.iter_mut().zip(degrees) {
            unit.figure.make_room(out.max(into));
            let lines = |left| {
                let side = unit.chips.iter().filter(|chip| is_left(chip) == left);
                side.map(|chip| chip.links.len()).sum::<usize>()
            };
            let beside = lines(true).max(lines(false));
            unit.figure.make_room_beside(beside);
            stand(unit);
        }
        let mut signs: Vec<Sign> = Vec::new();
        let mut lines = Vec::new();
        let mut links = Vec::new();
        // What leads back comes last, so that it leaves on the right, where it goes up.
        let all = || picture.links.iter().enumerate();
        let is_back = |(_, link): &(usize, &Link)| link.kind == Tie::Loop;
        for (at, link) in all().filter(|it| !is_back(it)).chain(all().filter(is_back)) {
            let (from, to) = ends(picture, link);
            let (from, to) = (unit_of[from], unit_of[to]);
            if from == usize::MAX || to == usize::MAX {
                continue;
            }
            let leaves = link.line.map(figure::card_row);
            let bunch = link.line.map_or(0, |line| line + 1);
            let line = |from: usize, to: usize| layout::Link { from, to, leaves, bunch };
            match sign(picture, at, link) {
                Some(sign) => {
                    let middle = units.len() + signs.len();
                    links.push(line(from, middle));
                    links.push(line(middle, to));
                    lines.push(Drawn { link: at, from: Some(from), to: None });
                    lines.push(Drawn { link: at, from: None, to: Some(to) });
                    signs.push(sign);
                }
                None => {
                    links.push(line(from, to));
                    lines.push(Drawn { link: at, from: Some(from), to: Some(to) });
                }
            }
        }
        let mut sheet = Sheet { units, signs, lines, layout: Layout::default(), across };
        let room = match picture.subject {
            Subject::Agent(View::Flow) | Subject::Rules => Room { layer_gap: 32.0, aspect: 1.5 },
            Subject::Agent(View::Architecture) => Room { layer_gap: 56.0, aspect: 1.5 },
            Subject::Agent(View::Schemas) => Room { layer_gap: 70.0, aspect: 0.75 },
        };
        sheet.layout = layout::arrange_in(&sheet.blocks(), &links, room);
        sheet
    }

    /// All blocks, as the layout sees them.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let unit = |unit: &Unit| {
            let inset = inset(unit.figure.shape, unit.figure.width);
            let span = (unit.x + inset, unit.x + unit.figure.width - inset);
            if self.across {
                Block { width: unit.height, height: unit.width, span: (0.0, unit.height.min(64.0)) }
            } else {
                Block { width: unit.width, height: unit.height, span }
            }
        };
        let sign = |sign: &Sign| {
            let middle = sign.width / 2.0;
            Block { width: sign.width, height: sign.height, span: (middle - 1.0, middle + 1.0) }
        };
        self.units.iter().map(unit).chain(self.signs.iter().map(sign)).collect()
    }

    /// A point of the layout in the picture.
    pub(super) fn point(&self, point: Point) -> Point {
        if self.across { Point { x: point.y, y: point.x } } else { point }
    }

    /// The size of the picture.
    pub(super) fn size(&self) -> (f64, f64) {
        let size = self.point(Point { x: self.layout.width, y: self.layout.height });
        (size.x, size.y)
    }
}

/// The upper and the lower end of a link. In the architecture whoever acts stands above,
/// whichever way the arrow points.
fn ends(picture: &Picture, link: &Link) -> (usize, usize) {
    if picture.subject.follows_arrows() { (link.from, link.to) } else { link.roles() }
}

/// The part at each side of a shape where no line should arrive.
fn inset(shape: Shape, width: f64) -> f64 {
    match shape {
        Shape::Diamond => width * 0.36,
        Shape::Dot | Shape::Ring => width / 2.0 - 1.0,
        Shape::Bar => 4.0,
        Shape::Person | Shape::Shield => width * 0.3,
        _ => 16.0_f64.min(width / 3.0),
    }
}

/// What stands by itself, each with its chips, not yet in their places.
fn units(picture: &Picture) -> Vec<Unit> {
    let mut beside: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut order: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, link) in picture.links.iter().enumerate() {
        let Some((node, other)) = link.beside(&picture.nodes) else { continue };
        let links = beside.entry((node, other)).or_default();
        if links.is_empty() {
            order.entry(node).or_default().push(other);
        }
        links.push(at);
    }
    let unit = |(at, node): (usize, &super::super::picture::Node)| {
        let mut others = order.remove(&at).unwrap_or_default();
        let more = others.len().saturating_sub(CHIPS_MAX);
        others.truncate(CHIPS_MAX);
        let chips = others.into_iter().map(|other| {
            let links = beside.remove(&(at, other)).unwrap_or_default();
            let figure = figure::chip(&picture.nodes[other], &notes(picture, &links));
            Chip { node: other, figure, x: 0.0, y: 0.0, links }
        });
        let chips = chips.collect();
        let figure = figure::full(node);
        Unit { node: at, figure, x: 0.0, y: 0.0, chips, more, width: 0.0, height: 0.0 }
    };
    picture.nodes.iter().enumerate().filter(|(_, node)| !node.beside).map(unit).collect()
}

/// What links say of something that stands beside, each thing once.
fn notes(picture: &Picture, links: &[usize]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for link in links.iter().map(|link| &picture.links[*link]) {
        for text in [link.words(), link.note.clone(), link.source.clone()] {
            if !text.is_empty() && !notes.contains(&text) {
                notes.push(text);
            }
        }
    }
    notes
}

/// Guards stand on the left.
fn is_left(chip: &Chip) -> bool {
    matches!(chip.figure.shape, Shape::Shield | Shape::Dashed)
}

/// Puts guards to the left of a node and what it uses to the right.
fn stand(unit: &mut Unit) {
    let measure = |left: bool| {
        let side = unit.chips.iter().filter(|chip| is_left(chip) == left);
        side.fold((0.0_f64, 0.0_f64), |(width, height), chip| {
            let gap = if height > 0.0 { CHIP_GAP } else { 0.0 };
            (width.max(chip.figure.width), height + gap + chip.figure.height)
        })
    };
    let ((left, left_height), (right, right_height)) = (measure(true), measure(false));
    let more_height = if unit.more > 0 { 16.0 } else { 0.0 };
    unit.height = unit.figure.height.max(left_height).max(right_height + more_height);
    unit.x = if left > 0.0 { left + CHIP_DISTANCE } else { 0.0 };
    unit.y = (unit.height - unit.figure.height) / 2.0;
    let right_x = unit.x + unit.figure.width + CHIP_DISTANCE;
    unit.width = if right > 0.0 { right_x + right } else { unit.x + unit.figure.width };
    let mut tops =
        [(unit.height - left_height) / 2.0, (unit.height - right_height - more_height) / 2.0];
    for chip in &mut unit.chips {
        let top = &mut tops[usize::from(!is_left(chip))];
        chip.x = if is_left(chip) { left - chip.figure.width } else { right_x };
        chip.y = *top;
        *top += chip.figure.height + CHIP_GAP;
    }
}

/// The words of a link between two units, where it has any.
fn sign(picture: &Picture, at: usize, link: &Link) -> Option<Sign> {
    if link.kind == Tie::Names {
        return None;
    }
    let mut rows: Vec<(String, &'static str)> = Vec::new();
    let words = link.words();
    if !words.is_empty() {
        rows.extend(wrap(&words, WORDS_COLUMNS_MAX, 2).into_iter().map(|row| (row, "v-word")));
    }
    // A text that decides as it stands needs no word about where it stands.
    let source = if matches!(&*link.source, "polarity" | "default") { &*link.source } else { "" };
    let notes: Vec<&str> =
        [&*link.note, source].into_iter().filter(|text| !text.is_empty()).collect();
    if !notes.is_empty() {
        let notes = notes.join(" \u{b7} ");
        rows.extend(wrap(&notes, WORDS_COLUMNS_MAX, 2).into_iter().map(|row| (row, "v-id")));
    }
    let is_plain = picture.nodes[link.from].kind == Kind::Start || rows.is_empty();
    if is_plain {
        return None;
    }
    let widest = rows.iter().map(|(text, _)| columns(text)).max().unwrap_or(0);
    let width = widest as f64 * SMALL_COLUMN + 12.0;
    let height = rows.len() as f64 * WORDS_ROW + 3.0;
    Some(Sign { link: at, rows, width, height })
}
