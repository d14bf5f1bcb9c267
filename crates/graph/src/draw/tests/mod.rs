//! Pictures of graphs: what they say, that nothing overlaps, that nothing breaks them.

pub(super) mod hostile;
mod pictures;
pub(super) mod sketch;

use super::layout::Point;

/// The room that something takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn new(corner: Point, width: f64, height: f64) -> Rect {
        Rect { left: corner.x, top: corner.y, right: corner.x + width, bottom: corner.y + height }
    }

    /// Whether they share more than what rounding explains.
    pub(super) fn meets(&self, other: &Rect, rounding: f64) -> bool {
        self.left < other.right - rounding
            && other.left < self.right - rounding
            && self.top < other.bottom - rounding
            && other.top < self.bottom - rounding
    }

    pub(super) fn holds(&self, inner: &Rect) -> bool {
        self.left <= inner.left + 0.01
            && self.top <= inner.top + 0.01
            && self.right >= inner.right - 0.01
            && self.bottom >= inner.bottom - 0.01
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    /// One of the numbers below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % sides
    }
}

/// A graph of some labels with all that can happen between them, mistakes included.
pub(super) fn random_sketch(seed: u64, labels: usize, nodes_max: usize) -> String {
    let mut dice = Dice(seed);
    let mut text = String::new();
    for label in 0..labels {
        text += &format!("= l{label} GET /{label}\n");
        let count = dice.roll(nodes_max + 1);
        for node in 1..=count {
            let chain = if node > 1 && dice.roll(8) > 0 { "+ " } else { "" };
            let label_to = dice.roll(labels + 1);
            let node_to = 1 + dice.roll(count + 1);
            let (step, port) = match dice.roll(10) {
                0 => (r#"If {"cond": "x"}"#, "then"),
                1 => (r#"Loop {"ref": "xs", "item": "x"}"#, "body"),
                2 => ("Err {}", "handler"),
                3 => ("Fork {}", "branch"),
                4 => (r#"Route {"rules": []}"#, "goto"),
                5 => ("J {}", "next"),
                6 => ("Odd {}", "next"),
                _ => (r#"R {"adapter": "http.GET", "target": "u", "out": "x"}"#, "next"),
            };
            text += &format!("{chain}n{node} {step}\n");
            match dice.roll(5) {
                0 | 1 => text += &format!("n{node} {port}>> l{label_to}\n"),
                2 => text += &format!("n{node} else> n{node_to}\n"),
                3 => text += &format!("n{node} err> n{node_to}\n"),
                _ => {}
            }
            if dice.roll(6) == 0 {
                text += &format!("+ c{node} Call {{\"label\": \"l{label_to}\"}}\n");
            }
        }
    }
    text
}
