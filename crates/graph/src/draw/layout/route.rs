//! Heights, and the ways of links: upright through layers, curved between them. Layers are free
//! of blocks where bends stand, and the room between layers is free of blocks, so no link ever
//! runs through one.

use super::layers::Net;
use super::{Block, Link, Part, Point, Room, Route, Step};

const LAYER_GAP_MAX: f64 = 130.0;
/// The room that a turn above the first layer, or below the last one, needs.
const TURN: f64 = 26.0;
const ENTRY_GAP: f64 = 16.0;

/// Draws a part.
pub(super) fn draw(net: &Net, blocks: &[Block], links: &[Link], axes: &[f64], room: Room) -> Part {
    let leaves = leaving(net, blocks, links, axes);
    let enters = entering(net, blocks, links, axes, &leaves);
    let turns_at = |layer: usize, end: fn(&Link) -> usize| {
        let drawn = links.iter().zip(&net.chains).filter(|(_, chain)| !chain.is_empty());
        drawn
            .filter(|(link, _)| net.leads_back(link))
            .any(|(link, _)| net.items[end(link)].layer == layer)
    };
    let depth = net.layers.len();
    let mut tops = Vec::with_capacity(depth);
    let mut bottoms = Vec::with_capacity(depth);
    let slopes = slopes(net, axes, &leaves, &enters);
    let mut y = if turns_at(0, |link| link.to) { TURN } else { 0.0 };
    for (layer, items) in net.layers.iter().enumerate() {
        if layer > 0 {
            y += (room.layer_gap + 0.09 * slopes[layer]).min(LAYER_GAP_MAX);
        }
        tops.push(y);
        let own = items.iter().filter(|item| !net.is_bend(**item));
        y += own.map(|item| blocks[*item].height).fold(0.0, f64::max);
        bottoms.push(y);
    }
    if depth > 0 && turns_at(depth - 1, |link| link.from) {
        y += TURN;
    }
    let corners = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| Point { x: axes[at] - block.axis(), y: tops[net.items[at].layer] })
        .collect();
    let heights = Heights { tops, bottoms };
    let routes = (0..links.len())
        .map(|at| route(net, blocks, axes, &heights, &net.chains[at], leaves[at], enters[at]))
        .collect();
    let right = (0..net.items.len()).map(|item| axes[item] + net.items[item].right);
    Part { width: right.fold(0.0, f64::max), height: y, corners, routes }
}

struct Heights {
    tops: Vec<f64>,
    bottoms: Vec<f64>,
}

/// Where each link leaves.
fn leaving(net: &Net, blocks: &[Block], links: &[Link], axes: &[f64]) -> Vec<f64> {
    let corner = |block: usize| axes[block] - blocks[block].axis();
    let mut leaves: Vec<f64> = links
        .iter()
        .map(|link| corner(link.from) + link.leaves.unwrap_or(blocks[link.from].axis()))
        .collect();
    // The links of a bunch leave from left to right as they lead away.
    let mut drawn: Vec<usize> =
        (0..links.len()).filter(|link| !net.chains[*link].is_empty()).collect();
    let bunch = |at: &usize| (links[*at].from, links[*at].leaves.is_some(), links[*at].bunch);
    let away = |at: &usize| net.chains[*at].get(1).map_or(0.0, |next| axes[*next]);
    drawn.sort_by(|a, b| bunch(a).cmp(&bunch(b)).then(away(a).total_cmp(&away(b))));
    for group in drawn.chunk_by(|a, b| bunch(a) == bunch(b)) {
        let (block, is_given, _) = bunch(&group[0]);
        let places: Vec<f64> = if is_given {
            let mut places: Vec<f64> = group.iter().map(|at| leaves[*at]).collect();
            places.sort_by(f64::total_cmp);
            places
        } else {
            let (from, to) = blocks[block].span;
            let gap = (to - from) / (group.len() + 1) as f64;
            (1..=group.len()).map(|place| corner(block) + from + gap * place as f64).collect()
        };
        for (at, place) in group.iter().zip(places) {
            leaves[*at] = place;
        }
    }
    leaves
}

/// Where each link enters: below where it comes from if it can, near the middle of the span.
fn entering(net: &Net, blocks: &[Block], links: &[Link], axes: &[f64], leaves: &[f64]) -> Vec<f64> {
    let mut enters: Vec<f64> = links.iter().map(|link| axes[link.to]).collect();
    let mut arriving: Vec<(usize, f64, usize)> = links
        .iter()
        .enumerate()
        .filter_map(|(at, link)| {
            let chain = &net.chains[at];
            let last = *chain.get(chain.len().checked_sub(2)?)?;
            Some((
                link.to,
                if last == link.from && chain.len() == 2 { leaves[at] } else { axes[last] },
                at,
            ))
        })
        .collect();
    arriving.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    for group in arriving.chunk_by(|a, b| a.0 == b.0) {
        let block = group[0].0;
        let (from, to) = blocks[block].span;
        let reach = 0.3 * (to - from);
        let gap = ENTRY_GAP.min(2.0 * reach / group.len() as f64);
        let middle = (group.len() - 1) as f64 / 2.0;
        // The group moves as one, so that its members neither meet nor cross.
        let wished = group.iter().enumerate();
        let wished = wished.map(|(place, (_, from, _))| from - gap * (place as f64 - middle));
        let mean = wished.sum::<f64>() / group.len() as f64;
        let free = (reach - gap * middle).max(0.0);
        let mean = mean.clamp(axes[block] - free, axes[block] + free);
        for (place, (_, _, at)) in group.iter().enumerate() {
            enters[*at] = mean + gap * (place as f64 - middle);
        }
    }
    enters
}

/// How far links go sideways above each layer.
fn slopes(net: &Net, axes: &[f64], leaves: &[f64], enters: &[f64]) -> Vec<f64> {
    let mut slopes = vec![0.0_f64; net.layers.len()];
    for (at, chain) in net.chains.iter().enumerate() {
        for (place, pair) in chain.windows(2).enumerate() {
            let (a, b) = (&net.items[pair[0]], &net.items[pair[1]]);
            if a.layer == b.layer {
                continue;
            }
            let start = if place == 0 { leaves[at] } else { axes[pair[0]] };
            let end = if place + 2 == chain.len() { enters[at] } else { axes[pair[1]] };
            let below = a.layer.max(b.layer);
            slopes[below] = slopes[below].max((start - end).abs());
        }
    }
    slopes
}

fn route(
    net: &Net,
    blocks: &[Block],
    axes: &[f64],
    heights: &Heights,
    chain: &[usize],
    leaves: f64,
    enters: f64,
) -> Option<Route> {
    let (source, target) = (*chain.first()?, *chain.last()?);
    let layer_of = |item: usize| net.items[item].layer;
    let start_layer = layer_of(source);
    let start = Point { x: leaves, y: heights.tops[start_layer] + blocks[source].height };
    let end = Point { x: enters, y: heights.tops[layer_of(target)] };
    let bends = &chain[1..chain.len() - 1];
    let mut steps = Vec::with_capacity(2 * chain.len());
    if layer_of(target) > start_layer {
        steps.push(Step::Straight(Point { x: leaves, y: heights.bottoms[start_layer] }));
        for bend in bends {
            let (x, layer) = (axes[*bend], layer_of(*bend));
            steps.push(Step::Curve(Point { x, y: heights.tops[layer] }));
            steps.push(Step::Straight(Point { x, y: heights.bottoms[layer] }));
        }
        steps.push(Step::Curve(end));
    } else {
        for (place, bend) in bends.iter().enumerate() {
            let (x, layer) = (axes[*bend], layer_of(*bend));
            steps.push(if place == 0 {
                Step::Under(Point { x, y: start.y })
            } else {
                Step::Curve(Point { x, y: heights.bottoms[layer] })
            });
            steps.push(Step::Straight(Point { x, y: heights.tops[layer] }));
        }
        steps.push(Step::Over(end));
    }
    Some(Route { start, steps: simple(start, steps) })
}

/// Without steps that go nowhere, and with curves that do not bend made straight.
fn simple(start: Point, steps: Vec<Step>) -> Vec<Step> {
    let mut at = start;
    let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let end = step.end();
        let step = match step {
            Step::Curve(_) if (end.x - at.x).abs() < 0.5 => {
                Step::Straight(Point { x: at.x, ..end })
            }
            other => other,
        };
        let end = step.end();
        if end == at {
            continue;
        }
        if let (Step::Straight(end), Some(Step::Straight(last))) = (step, kept.last_mut())
            && end.x == last.x
        {
            *last = end;
        } else {
            kept.push(step);
        }
        at = end;
    }
    kept
}
