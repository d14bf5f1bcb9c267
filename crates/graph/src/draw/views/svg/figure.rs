//! How large a node is, and where its text stands in it.

use super::super::super::text::{columns, cut};
use super::super::picture::{Kind, Line, Node};

/// The width of a column of a heading.
const TITLE_COLUMN: f64 = 7.3;
/// The width of a column of the heading of what stands beside.
const CHIP_COLUMN: f64 = 6.7;
/// The width of a column of all other text.
pub(super) const SMALL_COLUMN: f64 = 6.1;

const TITLE_HEIGHT: f64 = 15.0;
const SMALL_HEIGHT: f64 = 13.0;
const LINES_MAX: usize = 7;
const FIELDS_MAX: usize = 40;
const LINE_COLUMNS_MAX: usize = 36;
const CHIP_COLUMNS_MAX: usize = 34;
const PAIR_COLUMNS_MAX: usize = 44;

/// A node with its measures.
pub(super) struct Figure {
    /// The outline.
    pub shape: Shape,
    /// Its size.
    pub width: f64,
    /// Its size.
    pub height: f64,
    /// Its text, measured from its left upper corner.
    pub rows: Vec<Row>,
}

/// A piece of text.
pub(super) struct Row {
    /// What it says.
    pub text: String,
    /// How it looks.
    pub class: &'static str,
    /// Where it is anchored.
    pub x: f64,
    /// Its base line.
    pub y: f64,
    /// The part of the text at its anchor.
    pub anchor: Anchor,
}

/// The part of a text at its anchor.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// An outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// With corners.
    Rect,
    /// Without.
    Rounded,
    /// Two lines at each side.
    DoubleRect,
    /// Two lines around, round corners.
    DoubleRounded,
    /// A broken outline.
    Dashed,
    /// A decision.
    Diamond,
    /// A stop.
    Octagon,
    /// Pointed at both sides.
    Hexagon,
    /// A drum.
    Cylinder,
    /// Slanted sides.
    Slanted,
    /// A sheet of paper.
    Document,
    /// Pointed below.
    Shield,
    /// Someone in front of a name.
    Person,
    /// What is said.
    Bubble,
    /// Rows below a heading.
    Card,
    /// A dot.
    Dot,
    /// A dot in a ring.
    Ring,
    /// A thick line.
    Bar,
}

impl Shape {
    /// The shape of a kind.
    pub(super) fn of(kind: Kind) -> Shape {
        match kind {
            Kind::Start => Shape::Dot,
            Kind::End | Kind::Failure => Shape::Ring,
            Kind::Fork | Kind::Join => Shape::Bar,
            Kind::Step | Kind::Rule => Shape::Rect,
            Kind::Gate => Shape::Diamond,
            Kind::Checkpoint => Shape::Octagon,
            Kind::Spawn => Shape::DoubleRect,
            Kind::Protocol | Kind::Handler | Kind::Missing => Shape::Dashed,
            Kind::Agent | Kind::World | Kind::Outside => Shape::Rounded,
            Kind::Tool => Shape::Hexagon,
            Kind::Store | Kind::Facts => Shape::Cylinder,
            Kind::Channel => Shape::Slanted,
            Kind::Person => Shape::Person,
            Kind::Config => Shape::Document,
            Kind::Team => Shape::DoubleRounded,
            Kind::Conversation => Shape::Bubble,
            Kind::Policy => Shape::Shield,
            Kind::Schema => Shape::Card,
        }
    }

    /// The room between the outline and the text.
    fn padding(self) -> Padding {
        let (left, right, above, below) = match self {
            Shape::Hexagon => (20.0, 20.0, 7.0, 7.0),
            Shape::Slanted => (22.0, 22.0, 7.0, 7.0),
            Shape::Octagon => (16.0, 16.0, 9.0, 9.0),
            Shape::Cylinder => (14.0, 14.0, 14.0, 9.0),
            Shape::Document => (12.0, 12.0, 7.0, 14.0),
            Shape::Shield => (14.0, 14.0, 7.0, 15.0),
            Shape::Person => (36.0, 12.0, 7.0, 7.0),
            Shape::Bubble => (12.0, 12.0, 7.0, 14.0),
            Shape::Rounded | Shape::DoubleRounded => (16.0, 16.0, 8.0, 8.0),
            Shape::DoubleRect => (18.0, 18.0, 9.0, 9.0),
            _ => (14.0, 14.0, 9.0, 9.0),
        };
        Padding { left, right, above, below }
    }
}

struct Padding {
    left: f64,
    right: f64,
    above: f64,
    below: f64,
}

/// How much of a node is shown.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Detail {
    /// All that fits.
    Full,
    /// The heading, and these lines.
    Chip,
}

/// Measures a node that stands by itself.
pub(super) fn full(node: &Node) -> Figure {
    let shape = Shape::of(node.kind);
    let sign = |width: f64, height: f64| Figure { shape, width, height, rows: Vec::new() };
    match shape {
        Shape::Dot => sign(18.0, 18.0),
        Shape::Ring => sign(20.0, 20.0),
        Shape::Bar => sign(64.0, 6.0),
        Shape::Card => card(node),
        _ => {
            let mut texts = heading(node, Detail::Full);
            if !says_id(node) {
                texts.push((cut(&node.id, LINE_COLUMNS_MAX), "v-id"));
            }
            let shown = if node.lines.len() > LINES_MAX { LINES_MAX - 1 } else { LINES_MAX };
            for line in node.lines.iter().take(shown) {
                let (text, class) = match line {
                    Line::Words(text) => (text.clone(), "v-small"),
                    Line::Remark(text) => (text.clone(), "v-id"),
                    Line::Pair(name, what) => (format!("{name}: {what}"), "v-small"),
                };
                let lines = wrap(&text, LINE_COLUMNS_MAX, 2);
                texts.extend(lines.into_iter().map(|line| (line, class)));
            }
            if node.lines.len() > LINES_MAX {
                texts.push((format!("and {} more", node.lines.len() - shown), "v-id"));
            }
            framed(shape, texts)
        }
    }
}

/// Whether the heading names the id too: `Plan next` for `plan_next`.
fn says_id(node: &Node) -> bool {
    let mut spoken = node.title.to_lowercase().replace([' ', '-'], "_");
    spoken.retain(|letter| letter != '?');
    node.id.is_empty() || node.title == node.id || spoken == node.id.to_lowercase()
}

impl Figure {
    /// Makes it wide enough for so many lines above or below.
    pub(super) fn make_room(&mut self, lines: usize) {
        const LINE_ROOM: f64 = 14.0;
        let needed = match self.shape {
            Shape::Dot | Shape::Ring | Shape::Card | Shape::Diamond | Shape::Person => return,
            _ => (LINE_ROOM * lines as f64 + 44.0).min(400.0),
        };
        let more = (needed - self.width).max(0.0);
        self.width += more;
        self.rows.iter_mut().for_each(|row| row.x += more / 2.0);
    }

    /// Makes it high enough for so many lines at one side.
    pub(super) fn make_room_beside(&mut self, lines: usize) {
        const LINE_ROOM: f64 = 9.0;
        if !matches!(self.shape, Shape::Diamond | Shape::Card) {
            let more = (LINE_ROOM * lines as f64 + 10.0 - self.height).max(0.0);
            self.height += more;
            self.rows.iter_mut().for_each(|row| row.y += more / 2.0);
        }
    }
}

/// Measures a node that stands beside another one: its heading, and what is said of the two.
pub(super) fn chip(node: &Node, notes: &[String]) -> Figure {
    let mut texts = heading(node, Detail::Chip);
    let notes = notes.iter().flat_map(|note| wrap(note, CHIP_COLUMNS_MAX, 2));
    texts.extend(notes.map(|note| (note, "v-id")));
    framed(Shape::of(node.kind), texts)
}

fn heading(node: &Node, detail: Detail) -> Vec<(String, &'static str)> {
    let (columns_max, lines_max) = match (detail, node.kind) {
        (Detail::Chip, _) => (24, 1),
        (Detail::Full, Kind::Gate) => (16, 3),
        (Detail::Full, _) => (26, 2),
    };
    let title = if node.title.trim().is_empty() { "?" } else { &node.title };
    let class = if detail == Detail::Chip { "v-chip" } else { "v-title" };
    wrap(title, columns_max, lines_max).into_iter().map(|line| (line, class)).collect()
}

/// Breaks text between words; the last line that is allowed takes what is left, cut.
pub(super) fn wrap(text: &str, columns_max: usize, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while lines.len() + 1 < lines_max && columns(rest) > columns_max {
        let fits = |at: &usize| columns(&rest[..*at]) <= columns_max;
        let spaces = rest.char_indices().filter(|(_, letter)| *letter == ' ').map(|(at, _)| at);
        let Some(at) = spaces.take_while(fits).last().filter(|at| *at > 0) else { break };
        lines.push(rest[..at].trim_end().to_string());
        rest = rest[at..].trim_start();
    }
    lines.push(cut(rest, columns_max));
    lines
}

fn width_of(text: &str, class: &str) -> f64 {
    let column = match class {
        "v-title" => TITLE_COLUMN,
        "v-chip" => CHIP_COLUMN,
        _ => SMALL_COLUMN,
    };
    columns(text) as f64 * column
}

fn height_of(class: &str) -> f64 {
    if class == "v-title" { TITLE_HEIGHT } else { SMALL_HEIGHT }
}

/// Centred text in a shape that is just large enough.
fn framed(shape: Shape, texts: Vec<(String, &'static str)>) -> Figure {
    let text_height: f64 = texts.iter().map(|(_, class)| height_of(class)).sum();
    let widest = texts.iter().map(|(text, class)| width_of(text, class)).fold(0.0, f64::max);
    let padding = shape.padding();
    let (mut width, mut height) =
        (widest + padding.left + padding.right, text_height + padding.above + padding.below);
    let (mut top, mut middle) = (padding.above, padding.left + widest / 2.0);
    if shape == Shape::Diamond {
        height = (1.7 * text_height + 22.0).max(56.0);
        top = (height - text_height) / 2.0;
        // The further a line is from the middle, the less of the width is left for it.
        let mut y = -text_height / 2.0;
        let mut needed = 0.0_f64;
        for (text, class) in &texts {
            let next = y + height_of(class);
            let far = y.abs().max(next.abs()) - 2.0;
            needed = needed.max((width_of(text, class) + 12.0) / (1.0 - 2.0 * far / height));
            y = next;
        }
        width = needed;
        middle = width / 2.0;
    }
    width = width.max(44.0);
    if !matches!(shape, Shape::Diamond | Shape::Person) {
        middle = width / 2.0;
    }
    let mut rows = Vec::with_capacity(texts.len());
    for (text, class) in texts {
        let step = height_of(class);
        rows.push(Row { text, class, x: middle, y: top + step - 3.8, anchor: Anchor::Middle });
        top += step;
    }
    Figure { shape, width, height, rows }
}

/// The height of a schema's heading.
pub(super) const CARD_HEAD: f64 = 26.0;
/// The height of one of its fields.
pub(super) const CARD_ROW: f64 = 17.0;

/// Where the row of a line of a card is, from its top.
pub(super) fn card_row(line: usize) -> f64 {
    CARD_HEAD + 6.0 + CARD_ROW * (line.min(FIELDS_MAX) as f64 + 0.5)
}

fn card(node: &Node) -> Figure {
    let mut rows = Vec::new();
    let title = cut(&node.title, PAIR_COLUMNS_MAX);
    let mut width = columns(&title) as f64 * TITLE_COLUMN + 28.0;
    rows.push(Row { text: title, class: "v-head", x: 12.0, y: 17.5, anchor: Anchor::Start });
    let mut pairs = Vec::new();
    let mut remarks: Vec<String> = Vec::new();
    for line in &node.lines {
        match line {
            Line::Pair(name, what) => pairs.push((cut(name, 28), cut(what, 30))),
            Line::Words(text) | Line::Remark(text) => {
                remarks.extend(wrap(text, PAIR_COLUMNS_MAX, 2));
            }
        }
    }
    let more = pairs.len().saturating_sub(FIELDS_MAX);
    pairs.truncate(FIELDS_MAX);
    for (name, what) in &pairs {
        let columns = (columns(name) + columns(what)) as f64;
        width = width.max(columns * SMALL_COLUMN + 44.0);
    }
    for text in &remarks {
        width = width.max(columns(text) as f64 * SMALL_COLUMN + 24.0);
    }
    for (line, (name, what)) in pairs.into_iter().enumerate() {
        let y = card_row(line) + 3.6;
        rows.push(Row { text: name, class: "v-small", x: 12.0, y, anchor: Anchor::Start });
        rows.push(Row { text: what, class: "v-type", x: width - 12.0, y, anchor: Anchor::End });
    }
    let fields = (rows.len() - 1) / 2;
    let mut y = CARD_HEAD + 10.0 + CARD_ROW * fields as f64;
    if more > 0 {
        remarks.insert(0, format!("and {more} more"));
    }
    for text in remarks {
        y += SMALL_HEIGHT;
        rows.push(Row { text, class: "v-id", x: 12.0, y: y - 2.0, anchor: Anchor::Start });
    }
    Figure { shape: Shape::Card, width, height: y + 6.0, rows }
}
