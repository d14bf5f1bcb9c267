//! Where items stand from left to right: near what they are connected to, and never too near
//! to each other.

use super::layers::Net;

const BLOCK_GAP: f64 = 40.0;
const BEND_GAP: f64 = 12.0;
/// Larger nets get fewer rounds; each is linear.
const ROUNDS: usize = 12;
const ROUNDS_LARGE: usize = 4;
const LARGE: usize = 4_000;

/// The axis of each item. The leftmost item begins at zero.
pub(super) fn axes(net: &Net) -> Vec<f64> {
    let mut axes = vec![0.0; net.items.len()];
    for layer in &net.layers {
        let mut x = 0.0;
        for pair in layer.windows(2) {
            x += distance(net, pair[0], pair[1]);
            axes[pair[1]] = x;
        }
    }
    let rounds = if net.items.len() > LARGE { ROUNDS_LARGE } else { ROUNDS };
    let count = net.layers.len();
    for round in 0..rounds {
        // The last rounds look both ways, so that neither direction has the last word.
        let (down, up) =
            if round * 2 < rounds { (Look::Up, Look::Down) } else { (Look::Both, Look::Both) };
        (0..count).for_each(|layer| settle(net, &mut axes, layer, down));
        (0..count).rev().for_each(|layer| settle(net, &mut axes, layer, up));
    }
    straighten(net, &mut axes);
    let left = (0..net.items.len()).map(|item| axes[item] - net.items[item].left);
    let left = left.fold(f64::INFINITY, f64::min);
    axes.iter_mut().for_each(|axis| *axis -= left);
    axes
}

/// Which neighbours count.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Up,
    Down,
    Both,
}

/// How far apart the axes of two neighbours must be.
fn distance(net: &Net, a: usize, b: usize) -> f64 {
    let beside = |item: usize| net.items[item].beside.is_some();
    let gap = match (net.is_bend(a), net.is_bend(b)) {
        (false, false) => BLOCK_GAP,
        // A bend beside its block belongs to it; the next block keeps its distance.
        (true, false) if beside(a) => BLOCK_GAP / 2.0,
        _ => BEND_GAP,
    };
    net.items[a].right + gap + net.items[b].left
}

/// Where an item would like to be: the weighted mean of what was wished.
#[derive(Default)]
struct Wish {
    sum: f64,
    weight: f64,
}

impl Wish {
    fn add(&mut self, at: f64, weight: f64) {
        self.sum += at * weight;
        self.weight += weight;
    }
}

/// Long links should be straight above all, so bends pull hard on each other.
fn pull(net: &Net, a: usize, b: usize) -> f64 {
    match (net.is_bend(a), net.is_bend(b)) {
        (true, true) => 8.0,
        (true, false) | (false, true) => 2.0,
        (false, false) => 1.0,
    }
}

fn wish(net: &Net, axes: &[f64], item: usize, look: Look) -> Wish {
    let mut wish = Wish::default();
    if look != Look::Down {
        for (up, leaves) in &net.items[item].up {
            // Blocks stand under each other, wherever the link between them leaves.
            let leaves = if net.is_bend(item) { *leaves } else { 0.0 };
            wish.add(axes[*up] + leaves, pull(net, *up, item));
        }
    }
    if look != Look::Up {
        for down in &net.items[item].down {
            wish.add(axes[*down], pull(net, item, *down));
        }
    }
    if wish.weight == 0.0 {
        // Nothing pulls: it stays, unless others need the room.
        wish.add(axes[item], 0.05);
    }
    wish
}

/// Items that stand as close as they may, and move together.
struct Pool {
    sum: f64,
    weight: f64,
    count: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Moves the items of a layer as near to what they wish as their order and distances allow.
/// Without the distances it is the regression that pooling adjacent violators solves exactly.
fn settle(net: &Net, axes: &mut [f64], layer: usize, look: Look) {
    let items = &net.layers[layer];
    let mut pools: Vec<Pool> = Vec::new();
    let mut offsets = Vec::with_capacity(items.len());
    let mut offset = 0.0;
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            offset += distance(net, items[at - 1], *item);
        }
        offsets.push(offset);
        let wish = wish(net, axes, *item, look);
        let mut pool = Pool { sum: wish.sum - offset * wish.weight, weight: wish.weight, count: 1 };
        while let Some(last) = pools.pop_if(|last| last.mean() > pool.mean()) {
            pool.sum += last.sum;
            pool.weight += last.weight;
            pool.count += last.count;
        }
        pools.push(pool);
    }
    let means = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.mean(), pool.count));
    for ((item, mean), offset) in items.iter().zip(means).zip(offsets) {
        axes[*item] = mean + offset;
    }
}

/// Puts the bends of a link on as few lines as their neighbours leave room for.
fn straighten(net: &Net, axes: &mut [f64]) {
    let mut place = vec![0; net.items.len()];
    for layer in &net.layers {
        for (at, item) in layer.iter().enumerate() {
            place[*item] = at;
        }
    }
    let room = |axes: &[f64], bend: usize| {
        let layer = &net.layers[net.items[bend].layer];
        let at = place[bend];
        let before = at.checked_sub(1).map(|at| layer[at]);
        let low = before.map(|before| axes[before] + distance(net, before, bend));
        let high = layer.get(at + 1).map(|next| axes[*next] - distance(net, bend, *next));
        (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
    };
    // What leads back hangs on nothing, so it would stay wherever it was put first: it comes
    // last, from left to right, and moves as near as it can.
    let is_back =
        |chain: &[usize]| chain.get(1).is_some_and(|item| net.items[*item].beside.is_some());
    let mut chains: Vec<&[usize]> = net.chains.iter().map(|chain| &**chain).collect();
    chains.sort_by(|a, b| {
        let key = |chain: &[usize]| if is_back(chain) { axes[chain[1]] } else { f64::NEG_INFINITY };
        key(a).total_cmp(&key(b))
    });
    for chain in chains {
        let leads_back = is_back(chain);
        let mut bends = chain.iter().copied().filter(|item| net.is_bend(*item)).peekable();
        while let Some(first) = bends.next() {
            let (mut low, mut high) = room(axes, first);
            let mut run = vec![first];
            while let Some(next) = bends.peek() {
                let (next_low, next_high) = room(axes, *next);
                let (new_low, new_high) = (low.max(next_low), high.min(next_high));
                // Neighbours that already touch leave no room but what rounding took.
                if new_low > new_high + 1e-6 {
                    break;
                }
                (low, high) = (new_low, new_high);
                run.push(*next);
                bends.next();
            }
            let mean = run.iter().map(|bend| axes[*bend]).sum::<f64>() / run.len() as f64;
            let wished = if leads_back && low.is_finite() { low } else { mean };
            run.iter().for_each(|bend| axes[*bend] = wished.min(high).max(low));
        }
    }
}
