//! The plan of a card: where its rows are, and along which lanes ways leave them.
//!
//! A way to the next row is a short arrow. Other ways within the card run in lanes on its left,
//! ways to other cards in lanes on its right, or from its bottom where they leave the last row.
//! Ways to the same place share a lane.

use std::collections::BTreeMap;

use crate::ops::Runs;

use super::super::layout::Block;
use super::super::scene::{Card, Row, Style, To};
use super::super::text::{columns, cut};
use super::lanes::{self, Reach};

/// Columns are this wide at the size of rows, of ids and of port names.
pub(super) const ROW_COLUMN: f64 = 7.3;
pub(super) const ID_COLUMN: f64 = 6.7;
pub(super) const WORD_COLUMN: f64 = 6.2;

pub(super) const PADDING: f64 = 10.0;
const ROW_HEIGHT: f64 = 28.0;
const PORT_HEIGHT: f64 = 15.0;
const ROW_GAP: f64 = 15.0;
const NOTE_HEIGHT: f64 = 20.0;
const TITLE_HEIGHT: f64 = 34.0;
const ENDPOINT_HEIGHT: f64 = 16.0;
const LANE: f64 = 9.0;
const BELOW: f64 = 16.0;

const WHAT_COLUMNS_MAX: usize = 46;
const ID_COLUMNS_MAX: usize = 12;
const WORD_COLUMNS_MAX: usize = 22;
const ENDPOINTS_MAX: usize = 4;
const BOTTOM_MAX: usize = 12;

/// A card with all measures. They are relative to its block.
pub(super) struct Plan {
    /// What the layout gets to see.
    pub block: Block,
    /// Where the card begins in its block.
    pub left: f64,
    /// The card itself.
    pub width: f64,
    /// The card itself.
    pub height: f64,
    /// The title, then endpoints, short enough.
    pub heading: Vec<String>,
    /// Where words begin, after the ids.
    pub indent: f64,
    /// The rows.
    pub slabs: Vec<Slab>,
    /// Where the note about rows that are not reached stands.
    pub note: Option<f64>,
    /// Ways within the card, bundled.
    pub arcs: Vec<Bundle>,
    /// Ways to other cards, bundled.
    pub exits: Vec<Bundle>,
}

/// A row.
pub(super) struct Slab {
    /// Its left side.
    pub x: f64,
    /// Its top.
    pub y: f64,
    /// Its size.
    pub width: f64,
    /// Its size.
    pub height: f64,
    /// Its id, short enough.
    pub id: String,
    /// What it does, short enough.
    pub what: String,
    /// The way that is drawn as an arrow to the next row.
    pub hop: Option<usize>,
    /// Where arcs arrive.
    pub arrival: f64,
    /// Whether its sides run to a point.
    pub pointed: bool,
    left_ports: usize,
    right_ports: usize,
    arrives: bool,
}

impl Slab {
    /// How far its sides reach in.
    pub(super) const POINT: f64 = 8.0;

    /// How far its side is from the outermost point of it, at some height.
    pub(super) fn inset(&self, y: f64) -> f64 {
        let half = self.height / 2.0;
        if self.pointed { Slab::POINT * (y - self.y - half).abs() / half } else { 0.0 }
    }
}

/// Ways to one place that are drawn as one line.
pub(super) struct Bundle {
    /// The row, or the block, that they lead to.
    pub to: usize,
    /// How they are drawn.
    pub style: Style,
    /// The ways.
    pub members: Vec<Member>,
    /// Where the common line runs.
    pub lane: Lane,
}

/// A way in a bundle.
pub(super) struct Member {
    /// Its row.
    pub row: usize,
    /// Its place among the row's ways.
    pub way: usize,
    /// Where it leaves the row.
    pub y: f64,
    port: usize,
}

/// Where the common line of a bundle runs.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lane {
    /// Beside the card.
    At(f64),
    /// From the bottom of the card.
    Bottom,
    /// There are too many: it is said in words.
    Words,
}

/// Plans a card. The blocks of cards come first, then those of what is outside the scene.
pub(super) fn plan(card: &Card<'_>, card_count: usize) -> Plan {
    let mut plan = Plan {
        block: Block { width: 0.0, height: 0.0, span: (0.0, 0.0) },
        left: 0.0,
        width: 0.0,
        height: 0.0,
        heading: heading(card),
        indent: 0.0,
        slabs: card.rows.iter().map(slab).collect(),
        note: None,
        arcs: Vec::new(),
        exits: Vec::new(),
    };
    bundle(&mut plan, card, card_count);
    plan.arcs.iter().for_each(|arc| plan.slabs[arc.to].arrives = true);
    stack(&mut plan, card);
    widen(&mut plan, card);
    plan
}

fn heading(card: &Card<'_>) -> Vec<String> {
    let mut lines = vec![cut(&format!("label {}", card.id), WHAT_COLUMNS_MAX)];
    let shown = card.endpoints.iter().take(ENDPOINTS_MAX);
    lines.extend(shown.map(|endpoint| cut(endpoint, WHAT_COLUMNS_MAX)));
    if card.endpoints.len() > ENDPOINTS_MAX {
        lines.push(format!("and {} more", card.endpoints.len() - ENDPOINTS_MAX));
    }
    lines
}

fn slab(row: &Row<'_>) -> Slab {
    Slab {
        x: 0.0,
        y: 0.0,
        width: 0.0,
        height: 0.0,
        id: cut(&row.id, ID_COLUMNS_MAX),
        what: cut(&row.words.line(), WHAT_COLUMNS_MAX),
        hop: None,
        arrival: 0.0,
        pointed: row.node.def().is_some_and(|op| op.runs == Runs::Control),
        left_ports: 0,
        right_ports: 0,
        arrives: false,
    }
}

/// Sorts the ways of all rows into hops, arcs and exits.
fn bundle(plan: &mut Plan, card: &Card<'_>, card_count: usize) {
    let mut arcs: BTreeMap<(usize, Style), Bundle> = BTreeMap::new();
    let mut exits: BTreeMap<(usize, Style), Bundle> = BTreeMap::new();
    for (at, row) in card.rows.iter().enumerate() {
        let leads_on = |to: &To| *to == To::Row(at + 1);
        let hop = row.ways.iter().position(|way| leads_on(&way.to) && way.style == Style::Next);
        let hop = hop.or_else(|| row.ways.iter().position(|way| leads_on(&way.to)));
        plan.slabs[at].hop = hop;
        let leaving = row.ways.iter().filter(|way| !matches!(way.to, To::Row(_))).count();
        let by_bottom = at + 1 == card.rows.len() && leaving <= BOTTOM_MAX;
        for (position, way) in row.ways.iter().enumerate() {
            if hop == Some(position) {
                continue;
            }
            let slab = &mut plan.slabs[at];
            let mut member = Member { row: at, way: position, y: 0.0, port: 0 };
            // One line may serve `next` and other ports: both are simply on.
            let style = if way.style == Style::Next { Style::Plain } else { way.style };
            let new = |to| Bundle { to, style, members: Vec::new(), lane: Lane::Words };
            let to = match way.to {
                To::Row(to) => {
                    member.port = slab.left_ports;
                    slab.left_ports += 1;
                    arcs.entry((to, style)).or_insert_with(|| new(to)).members.push(member);
                    continue;
                }
                To::Card(to) => to,
                To::Outside(position) => card_count + position,
            };
            if by_bottom {
                let alone = Bundle { lane: Lane::Bottom, members: vec![member], ..new(to) };
                plan.exits.push(alone);
            } else {
                member.port = slab.right_ports;
                slab.right_ports += 1;
                exits.entry((to, style)).or_insert_with(|| new(to)).members.push(member);
            }
        }
    }
    plan.arcs.extend(arcs.into_values());
    plan.exits.extend(exits.into_values());
}

/// Stacks the rows, and says where ways leave them.
fn stack(plan: &mut Plan, card: &Card<'_>) {
    let mut y = TITLE_HEIGHT + ENDPOINT_HEIGHT * (plan.heading.len() - 1) as f64;
    for (at, slab) in plan.slabs.iter_mut().enumerate() {
        if at == card.reached {
            plan.note = Some(y + 12.0);
            y += NOTE_HEIGHT;
        }
        let ports = (slab.left_ports + usize::from(slab.arrives)).max(slab.right_ports);
        slab.y = y;
        slab.height = ROW_HEIGHT.max(PORT_HEIGHT * ports as f64 + 5.0);
        slab.arrival = port_y(slab, slab.left_ports, slab.left_ports + 1);
        y += slab.height;
        let worded = slab.hop.is_some_and(|way| card.rows[at].ways[way].style != Style::Next);
        y += if worded { ROW_GAP + 5.0 } else { ROW_GAP };
    }
    if plan.slabs.is_empty() {
        y += ROW_HEIGHT + ROW_GAP;
    }
    plan.height = y - ROW_GAP + PADDING;
    let slabs = &plan.slabs;
    for member in plan.arcs.iter_mut().flat_map(|arc| &mut arc.members) {
        let slab = &slabs[member.row];
        member.y = port_y(slab, member.port, slab.left_ports + usize::from(slab.arrives));
    }
    for member in plan.exits.iter_mut().flat_map(|exit| &mut exit.members) {
        let slab = &slabs[member.row];
        member.y = port_y(slab, member.port, slab.right_ports);
    }
}

fn port_y(slab: &Slab, port: usize, ports: usize) -> f64 {
    slab.y + slab.height * (port as f64 + 0.5) / ports.max(1) as f64
}

/// Says how wide everything is, and gives lanes to bundles.
fn widen(plan: &mut Plan, card: &Card<'_>) {
    let id_columns = plan.slabs.iter().map(|slab| columns(&slab.id)).max().unwrap_or(0);
    let what_columns = plan.slabs.iter().map(|slab| columns(&slab.what)).max().unwrap_or(7);
    plan.indent = 13.0 + if id_columns > 0 { id_columns as f64 * ID_COLUMN + 9.0 } else { 0.0 };
    let heading = plan.heading.iter().map(|line| columns(line)).max().unwrap_or(0);
    let heading = heading as f64 * ROW_COLUMN + 28.0;
    let bottom: Vec<usize> = plan
        .exits
        .iter()
        .filter(|exit| exit.lane == Lane::Bottom)
        .map(|exit| word_columns(card, exit))
        .collect();
    let word = bottom.iter().max().map_or(0.0, |most| *most as f64 * WORD_COLUMN + 14.0);
    let rows = 2.0 * PADDING + plan.indent + what_columns as f64 * ROW_COLUMN + 14.0;
    plan.width = rows.max(heading).max(word * (bottom.len() + 1) as f64).max(130.0);

    let left_room = word_room(card, &plan.arcs);
    let right_room = word_room(card, &plan.exits);
    let reaches: Vec<Reach> = plan
        .arcs
        .iter()
        .map(|arc| Reach::over(arc.members.iter().map(|member| member.row).chain([arc.to])))
        .collect();
    let (arc_lanes, left_lanes) = lanes::nested(&reaches);
    let starts: Vec<Option<f64>> = plan
        .exits
        .iter()
        .map(|exit| (exit.lane != Lane::Bottom).then(|| exit.members[0].y))
        .collect();
    let (exit_lanes, right_lanes) = lanes::staggered(&starts);
    let room = |room: f64, lanes: usize| {
        if room == 0.0 && lanes == 0 { 0.0 } else { room + LANE * lanes as f64 + 6.0 }
    };
    plan.left = room(left_room, left_lanes);
    for (arc, lane) in plan.arcs.iter_mut().zip(arc_lanes) {
        arc.lane = lane.map_or(Lane::Words, |lane| {
            Lane::At(plan.left - left_room - LANE * (lane as f64 + 0.5))
        });
    }
    for (exit, lane) in plan.exits.iter_mut().zip(exit_lanes) {
        if let Some(lane) = lane {
            let x = plan.left + plan.width + right_room + LANE * (lane as f64 + 0.5);
            exit.lane = Lane::At(x);
        }
    }
    for slab in &mut plan.slabs {
        slab.x = plan.left + PADDING;
        slab.width = plan.width - 2.0 * PADDING;
    }
    plan.block = Block {
        width: plan.left + plan.width + room(right_room, right_lanes),
        height: plan.height + if bottom.iter().any(|word| *word > 0) { BELOW } else { 0.0 },
        span: (plan.left, plan.left + plan.width),
    };
}

/// The columns that the port names of a bundle need.
fn word_columns(card: &Card<'_>, bundle: &Bundle) -> usize {
    let words = bundle.members.iter().map(|member| &card.rows[member.row].ways[member.way]);
    words.map(|way| columns(&short_word(&way.word, way.style))).max().unwrap_or(0)
}

fn word_room(card: &Card<'_>, bundles: &[Bundle]) -> f64 {
    let beside = || bundles.iter().filter(|bundle| bundle.lane != Lane::Bottom);
    let most = beside().map(|bundle| word_columns(card, bundle)).max();
    // Where some get no lane, their target is written behind the port.
    let spelled = beside().count() > lanes::MAX;
    most.map_or(0.0, |most| {
        let columns = if spelled { most + WORD_COLUMNS_MAX } else { most };
        columns as f64 * WORD_COLUMN + 10.0
    })
}

/// The name of a port as it is written beside a line.
pub(super) fn short_word(word: &str, style: Style) -> String {
    if style == Style::Next { String::new() } else { cut(word, WORD_COLUMNS_MAX / 2) }
}

/// The name of a port with its target, for a way that has no line.
pub(super) fn spelled(word: &str, target: &str) -> String {
    cut(&format!("{} \u{2192} {target}", cut(word, WORD_COLUMNS_MAX / 2)), WORD_COLUMNS_MAX)
}
