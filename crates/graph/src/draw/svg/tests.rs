//! Nothing of an SVG overlaps: checked on the measures, before they become text.

use super::super::layout::{Point, Step};
use super::super::scene::Scene;
use super::super::tests::{Rect, random_sketch, sketch};
use super::sheet::Sheet;

/// What sums of floats may be off.
const ROUNDING: f64 = 0.01;

const FORTY: &str = include_str!("../tests/forty.txt");

fn check(text: &str) {
    let graph = sketch::graph(text);
    let scene = Scene::of(&graph, None);
    let sheet = Sheet::plan(&scene);
    let page = Rect::new(Point::default(), sheet.layout.width, sheet.layout.height);
    let corners = &sheet.layout.blocks;
    let blocks: Vec<Rect> = sheet
        .blocks()
        .iter()
        .zip(corners)
        .map(|(block, corner)| Rect::new(*corner, block.width, block.height))
        .collect();
    for (at, block) in blocks.iter().enumerate() {
        assert!(page.holds(block), "block {at} leaves the page\n{text}");
        for (other_at, other) in blocks.iter().enumerate().skip(at + 1) {
            assert!(!block.meets(other, ROUNDING), "blocks {at} and {other_at} overlap\n{text}");
        }
    }
    for (plan, (block, corner)) in sheet.plans.iter().zip(blocks.iter().zip(corners)) {
        let card = Point { x: corner.x + plan.left, y: corner.y };
        let card = Rect::new(card, plan.width, plan.height);
        assert!(block.holds(&card));
        let rows: Vec<Rect> = plan
            .slabs
            .iter()
            .map(|slab| Point { x: corner.x + slab.x, y: corner.y + slab.y })
            .zip(&plan.slabs)
            .map(|(corner, slab)| Rect::new(corner, slab.width, slab.height))
            .collect();
        assert!(rows.iter().all(|row| card.holds(row)), "a row leaves its card\n{text}");
        assert!(rows.windows(2).all(|pair| pair[0].bottom < pair[1].top), "rows overlap\n{text}");
    }
    for ((from, exit), route) in sheet.links.iter().zip(&sheet.layout.routes) {
        let route = route.as_ref().expect("a small graph is drawn in full");
        let target = &blocks[sheet.plans[*from].exits[*exit].to];
        assert!((route.start.y - blocks[*from].bottom).abs() < 0.01);
        let mut at = route.start;
        for step in &route.steps {
            let end = step.end();
            // What turns goes round its own block; what curves lies between layers.
            if let Step::Straight(_) | Step::Curve(_) = step {
                let path = Rect {
                    left: at.x.min(end.x) - 0.5,
                    right: at.x.max(end.x) + 0.5,
                    top: at.y.min(end.y),
                    bottom: at.y.max(end.y),
                };
                let met = blocks.iter().position(|block| block.meets(&path, ROUNDING));
                assert_eq!(met, None, "a line from block {from} meets a block\n{text}");
            }
            at = end;
        }
        assert!((at.y - target.top).abs() < 0.01, "a line ends at its target\n{text}");
        assert!(target.left <= at.x && at.x <= target.right);
    }
}

#[test]
fn nothing_overlaps_in_a_graph_with_everything() {
    let nodes: usize = sketch::graph(FORTY).labels.values().map(|label| label.nodes.len()).sum();
    assert!(nodes >= 40);
    check(FORTY);
}

#[test]
fn nothing_overlaps_in_random_graphs() {
    for seed in 0..150 {
        let labels = 1 + usize::try_from(seed).expect("it is small") % 25;
        check(&random_sketch(seed, labels, 6));
    }
}
