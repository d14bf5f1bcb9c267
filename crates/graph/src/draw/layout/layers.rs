//! Layers: links made to lead down, blocks put on levels, long links given bends.

use std::collections::{BTreeMap, VecDeque};

use super::{Block, Link};

/// The room a bend takes.
const BEND_WIDTH: f64 = 10.0;
/// Links over more layers than this are not drawn: nobody can follow them.
const SPAN_MAX: usize = 40;
/// A layer that is this wide takes no more blocks, unless the picture is large anyway.
const LAYER_WIDTH_MIN: f64 = 1500.0;

/// What is put in layers: blocks first, then bends.
pub(super) struct Item {
    /// Its layer.
    pub layer: usize,
    /// How far it reaches to the left of its axis.
    pub left: f64,
    /// How far it reaches to the right.
    pub right: f64,
    /// For the bend of a link that turns back beside a block: that block.
    pub beside: Option<usize>,
    /// Neighbours one layer up, and how far right of their axis the connection leaves.
    pub up: Vec<(usize, f64)>,
    /// Neighbours one layer down.
    pub down: Vec<usize>,
}

/// Items in layers. INVARIANT: each item is in the list of its layer, once.
pub(super) struct Net {
    /// How many of the items are blocks.
    pub block_count: usize,
    /// Blocks, then bends.
    pub items: Vec<Item>,
    /// The items of each layer from left to right.
    pub layers: Vec<Vec<usize>>,
    /// The items that each link runs through, from its source to its target; empty where it is
    /// not drawn.
    pub chains: Vec<Vec<usize>>,
}

impl Net {
    /// Whether an item is a bend.
    pub(super) fn is_bend(&self, item: usize) -> bool {
        item >= self.block_count
    }

    /// Whether a link leads to its own layer or further up.
    pub(super) fn leads_back(&self, link: &Link) -> bool {
        self.items[link.to].layer <= self.items[link.from].layer
    }
}

/// Puts blocks in layers and bends in links.
pub(super) fn build(blocks: &[Block], links: &[Link]) -> Net {
    let back = break_cycles(blocks.len(), links);
    let layer_of = levels(blocks, links, &back);
    let item = |(block, layer): (&Block, usize)| Item {
        layer,
        left: block.axis(),
        right: block.width - block.axis(),
        beside: None,
        up: Vec::new(),
        down: Vec::new(),
    };
    let items: Vec<Item> = blocks.iter().zip(layer_of).map(item).collect();
    let chains = vec![Vec::new(); links.len()];
    let mut net = Net { block_count: blocks.len(), items, layers: Vec::new(), chains };
    let span = |link: &Link| net.items[link.from].layer.abs_diff(net.items[link.to].layer);
    let mut shortest_first: Vec<(usize, usize)> =
        links.iter().enumerate().map(|(at, link)| (span(link), at)).collect();
    shortest_first.sort_unstable();
    let places = mean_places(links);
    // So many bends that an ordinary picture never misses one, and a huge one stays linear.
    let mut bends_left = 400 + 6 * (blocks.len() + links.len());
    for (span, at) in shortest_first {
        if span <= SPAN_MAX && span < bends_left {
            bends_left -= span;
            net.chains[at] = bend(&mut net, blocks, links[at], places[at]);
        }
    }
    net
}

/// The links that close a cycle. Without them no cycle is left.
fn break_cycles(count: usize, links: &[Link]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut has_source = vec![false; count];
    for (at, link) in links.iter().enumerate() {
        out[link.from].push(at);
        has_source[link.to] |= link.from != link.to;
    }
    let mut states = vec![State::New; count];
    let mut back = vec![false; links.len()];
    let sources = (0..count).filter(|block| !has_source[*block]);
    for first in sources.chain(0..count) {
        if states[first] != State::New {
            continue;
        }
        states[first] = State::Open;
        let mut path = vec![(first, 0)];
        while let Some((block, next)) = path.last_mut() {
            let Some(link) = out[*block].get(*next) else {
                states[*block] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let to = links[*link].to;
            match states[to] {
                State::New => {
                    states[to] = State::Open;
                    path.push((to, 0));
                }
                State::Open => back[*link] = true,
                State::Done => {}
            }
        }
    }
    back
}

/// The layer of each block: below all that lead to it, and in a layer that has room.
fn levels(blocks: &[Block], links: &[Link], back: &[bool]) -> Vec<usize> {
    let forward = || links.iter().zip(back).filter(|(_, back)| !**back).map(|(link, _)| link);
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    let mut sources = vec![0; blocks.len()];
    for link in forward() {
        out[link.from].push(link.to);
        sources[link.to] += 1;
    }
    let free: Vec<usize> = (0..blocks.len()).filter(|block| sources[*block] == 0).collect();
    let area: f64 = blocks.iter().map(|block| (block.width + 40.0) * (block.height + 60.0)).sum();
    let width_max = LAYER_WIDTH_MIN.max(1.3 * area.sqrt());
    let mut layer_of = vec![0; blocks.len()];
    let mut widths: Vec<f64> = Vec::new();
    // Where to look instead of a full layer; followed and shortened as in `root`.
    let mut instead: Vec<usize> = Vec::new();
    let mut ready: VecDeque<usize> = free.iter().copied().collect();
    while let Some(block) = ready.pop_front() {
        let mut layer = layer_of[block];
        while instead.len() <= layer + 1 {
            instead.push(instead.len());
            widths.push(0.0);
        }
        layer = super::root(&mut instead, layer);
        if layer + 1 >= instead.len() {
            instead.push(instead.len());
            widths.push(0.0);
        }
        layer_of[block] = layer;
        widths[layer] += blocks[block].width + 40.0;
        if widths[layer] > width_max {
            instead[layer] = layer + 1;
        }
        for to in &out[block] {
            layer_of[*to] = layer_of[*to].max(layer + 1);
            sources[*to] -= 1;
            if sources[*to] == 0 {
                ready.push_back(*to);
            }
        }
    }
    // A block that nothing leads to is best right above what it leads to.
    for block in free {
        if let Some(nearest) = out[block].iter().map(|to| layer_of[*to]).min() {
            layer_of[block] = nearest - 1;
        }
    }
    // No gaps: a layer may have lost all its blocks.
    let mut used: Vec<usize> = layer_of.clone();
    used.sort_unstable();
    used.dedup();
    let dense = |layer: &usize| used.binary_search(layer).expect("it was collected from here");
    layer_of.iter().map(dense).collect()
}

/// Where links leave, as far as is known before they trade places: the mean of their bunch.
fn mean_places(links: &[Link]) -> Vec<Option<f64>> {
    let mut bunches: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for link in links {
        if let Some(leaves) = link.leaves {
            let (sum, count) = bunches.entry((link.from, link.bunch)).or_default();
            (*sum, *count) = (*sum + leaves, *count + 1.0);
        }
    }
    let mean = |link: &Link| {
        link.leaves?;
        let (sum, count) = bunches.get(&(link.from, link.bunch))?;
        Some(sum / count)
    };
    links.iter().map(mean).collect()
}

/// Makes the bends of a link, and connects what it runs through.
fn bend(net: &mut Net, blocks: &[Block], link: Link, leaves: Option<f64>) -> Vec<usize> {
    let (top, bottom) = (net.items[link.from].layer, net.items[link.to].layer);
    let mut chain = vec![link.from];
    let mut add = |net: &mut Net, layer: usize, beside: Option<usize>| {
        net.items.push(Item {
            layer,
            left: BEND_WIDTH / 2.0,
            right: BEND_WIDTH / 2.0,
            beside,
            up: Vec::new(),
            down: Vec::new(),
        });
        chain.push(net.items.len() - 1);
    };
    if net.leads_back(&link) {
        add(net, top, Some(link.from));
        for layer in (bottom + 1..top).rev() {
            add(net, layer, None);
        }
        if bottom < top {
            add(net, bottom, Some(link.to));
        }
        // Its ends are beside their blocks, so only what lies between is a connection.
        for pair in chain[1..].windows(2) {
            net.items[pair[0]].up.push((pair[1], 0.0));
            net.items[pair[1]].down.push(pair[0]);
        }
        chain.push(link.to);
        return chain;
    }
    for layer in top + 1..bottom {
        add(net, layer, None);
    }
    chain.push(link.to);
    let block = &blocks[link.from];
    for pair in chain.windows(2) {
        let leaves = match leaves {
            Some(leaves) if pair[0] == link.from => leaves - block.axis(),
            _ => 0.0,
        };
        net.items[pair[1]].up.push((pair[0], leaves));
        net.items[pair[0]].down.push(pair[1]);
    }
    chain
}
