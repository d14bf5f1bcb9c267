//! The order of items within their layers: few crossings.

use super::layers::Net;

/// Larger nets get fewer sweeps; each is linear but for sorting.
const SWEEPS: usize = 10;
const SWEEPS_LARGE: usize = 3;
const LARGE: usize = 4_000;

/// Puts the items of each layer in order.
pub(super) fn sort(net: &mut Net) {
    first_order(net);
    let mut places = places(net);
    let mut best = (crossings(net, &places), net.layers.clone());
    let sweeps = if net.items.len() > LARGE { SWEEPS_LARGE } else { SWEEPS };
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        let count = net.layers.len();
        if sweep % 2 == 0 {
            (0..count).for_each(|layer| sort_layer(net, &mut places, layer, Look::Up));
        } else {
            (0..count).rev().for_each(|layer| sort_layer(net, &mut places, layer, Look::Down));
        }
        let found = crossings(net, &places);
        if found < best.0 {
            best = (found, net.layers.clone());
        }
    }
    net.layers = best.1;
}

enum Look {
    Up,
    Down,
}

/// The order of a walk down from the top, which already keeps what belongs together close.
fn first_order(net: &mut Net) {
    let depth = net.items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); depth];
    let mut seen = vec![false; net.items.len()];
    let tops = (0..net.items.len()).filter(|item| net.items[*item].up.is_empty());
    let mut stack: Vec<usize> = Vec::new();
    for first in tops.chain(0..net.items.len()) {
        stack.push(first);
        while let Some(item) = stack.pop() {
            if net.items[item].beside.is_some() || std::mem::replace(&mut seen[item], true) {
                continue;
            }
            layers[net.items[item].layer].push(item);
            stack.extend(net.items[item].down.iter().rev());
        }
    }
    // Bends beside a block follow it at once.
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); net.block_count];
    for (at, item) in net.items.iter().enumerate() {
        if let Some(block) = item.beside {
            beside[block].push(at);
        }
    }
    let follow = |item: usize| {
        let followers: &[usize] = beside.get(item).map_or(&[], |items| items);
        std::iter::once(item).chain(followers.iter().copied())
    };
    net.layers =
        layers.into_iter().map(|layer| layer.into_iter().flat_map(follow).collect()).collect();
}

/// The place of each item in its layer.
fn places(net: &Net) -> Vec<usize> {
    let mut places = vec![0; net.items.len()];
    for layer in &net.layers {
        for (place, item) in layer.iter().enumerate() {
            places[*item] = place;
        }
    }
    places
}

/// Sorts a layer by the mean place of each item's neighbours in the layer looked at.
fn sort_layer(net: &mut Net, places: &mut [usize], layer: usize, look: Look) {
    let mean = |item: usize| {
        let of = &net.items[item];
        let (sum, count) = match look {
            Look::Up => (of.up.iter().map(|up| up_place(net, places, *up)).sum(), of.up.len()),
            Look::Down => {
                (of.down.iter().map(|down| places[*down] as f64).sum::<f64>(), of.down.len())
            }
        };
        if count == 0 { places[item] as f64 } else { sum / count as f64 }
    };
    // A bend beside a block sorts with the block, and then among its like.
    let mut keyed: Vec<(f64, usize, f64, usize)> = net.layers[layer]
        .iter()
        .map(|item| match net.items[*item].beside {
            Some(block) => (mean(block), places[block], 1.0 + mean(*item), *item),
            None => (mean(*item), places[*item], 0.0, *item),
        })
        .collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    for (place, (.., item)) in keyed.iter().enumerate() {
        places[*item] = place;
        net.layers[layer][place] = *item;
    }
}

/// The place where a connection from above leaves: between the item's own place and the next.
fn up_place(net: &Net, places: &[usize], (item, leaves): (usize, f64)) -> f64 {
    let width = (net.items[item].left + net.items[item].right).max(1.0);
    places[item] as f64 + (leaves / width).clamp(-0.45, 0.45)
}

/// How many connections between neighbouring layers cross.
fn crossings(net: &Net, places: &[usize]) -> u64 {
    let mut total = 0;
    for layer in &net.layers {
        let mut pairs: Vec<(f64, usize)> = Vec::new();
        for item in layer {
            pairs.extend(
                net.items[*item].up.iter().map(|up| (up_place(net, places, *up), places[*item])),
            );
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        total += inversions(layer.len(), pairs.iter().map(|pair| pair.1));
    }
    total
}

/// How many pairs are in the wrong order, by a Fenwick tree.
fn inversions(count: usize, numbers: impl Iterator<Item = usize>) -> u64 {
    let mut tree = vec![0_u64; count + 1];
    let (mut total, mut seen) = (0, 0);
    for number in numbers {
        let mut not_greater = 0;
        let mut at = number + 1;
        while at > 0 {
            not_greater += tree[at];
            at &= at - 1;
        }
        total += seen - not_greater;
        let mut at = number + 1;
        while at <= count {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
        seen += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::inversions;

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(4, [0, 1, 2, 3].into_iter()), 0);
        assert_eq!(inversions(4, [3, 2, 1, 0].into_iter()), 6);
        assert_eq!(inversions(3, [1, 1, 0, 2].into_iter()), 2);
    }
}
