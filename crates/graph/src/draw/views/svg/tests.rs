//! Nothing of a view overlaps: checked on the measures, before they become text.

use super::super::super::layout::{Point, Step};
use super::super::super::tests::{Rect, random_sketch, sketch};
use super::super::tests::writer;
use super::super::{View, picture};
use super::Sheet;
use crate::Graph;

/// What sums of floats may be off, where lines touch borders.
const ROUNDING: f64 = 0.2;

/// Everything with text in it: nodes, what stands beside them, the words of links.
fn things(sheet: &Sheet) -> Vec<Rect> {
    let mut things = Vec::new();
    for (unit, corner) in sheet.units.iter().zip(&sheet.layout.blocks) {
        let corner = sheet.point(*corner);
        let at = |x: f64, y: f64| Point { x: corner.x + x, y: corner.y + y };
        things.push(Rect::new(at(unit.x, unit.y), unit.figure.width, unit.figure.height));
        for chip in &unit.chips {
            things.push(Rect::new(at(chip.x, chip.y), chip.figure.width, chip.figure.height));
        }
    }
    for (sign, corner) in sheet.signs.iter().zip(&sheet.layout.blocks[sheet.units.len()..]) {
        things.push(Rect::new(sheet.point(*corner), sign.width, sign.height));
    }
    things
}

fn check(graph: &Graph, view: View) {
    let sheet = Sheet::plan(&picture(graph, view, &[]));
    let things = things(&sheet);
    let (width, height) = sheet.size();
    for (at, thing) in things.iter().enumerate() {
        assert!(thing.left > -0.01 && thing.right < width + 0.01, "{thing:?} leaves the page");
        assert!(thing.top > -0.01 && thing.bottom < height + 0.01, "{thing:?} leaves the page");
        let met = things[at + 1..].iter().find(|other| thing.meets(other, ROUNDING));
        assert!(met.is_none(), "{thing:?} and {met:?}");
    }
    for route in sheet.layout.routes.iter().flatten() {
        let mut at = route.start;
        for step in &route.steps {
            let end = step.end();
            // What turns goes round its own block; what curves lies between layers.
            if let Step::Straight(_) | Step::Curve(_) = step {
                // A line has a width, but it may touch what it leads to.
                let from = sheet.point(Point { x: at.x.min(end.x), y: at.y.min(end.y) });
                let to = sheet.point(Point { x: at.x.max(end.x) + 0.5, y: at.y.max(end.y) });
                let path = Rect { left: from.x, right: to.x, top: from.y, bottom: to.y };
                let crossed = things.iter().find(|thing| thing.meets(&path, ROUNDING));
                assert!(crossed.is_none(), "a line runs through {crossed:?}");
            }
            at = end;
        }
    }
}

#[test]
fn nothing_overlaps_in_an_agent_with_everything() {
    View::ALL.into_iter().for_each(|view| check(&writer(), view));
}

#[test]
fn nothing_overlaps_in_random_graphs() {
    for seed in 0..60 {
        let labels = 1 + usize::try_from(seed).expect("it is small") % 25;
        let graph = sketch::graph(&random_sketch(seed, labels, 6));
        check(&graph, View::Flow);
        check(&graph, View::Architecture);
    }
}
