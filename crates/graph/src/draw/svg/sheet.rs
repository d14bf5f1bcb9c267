//! The plan of the whole picture: cards, stubs for what is not drawn as a card, and the layout.

use super::super::layout::{self, Block, Layout, Link};
use super::super::scene::Scene;
use super::super::text::{columns, cut};
use super::card::{self, Lane, Plan};

pub(super) const STUB_HEIGHT: f64 = 32.0;
const STUB_COLUMNS_MAX: usize = 36;

/// Everything is measured; painting only writes it down.
pub(super) struct Sheet {
    /// The cards; each is the block of the same number.
    pub plans: Vec<Plan>,
    /// Further blocks, after those of the cards.
    pub stubs: Vec<Stub>,
    /// The links, as plan and exit.
    pub links: Vec<(usize, usize)>,
    /// Where blocks and links are.
    pub layout: Layout,
}

/// Something that ways lead to and that is no card.
pub(super) struct Stub {
    /// What it says.
    pub text: String,
    /// Whether it should exist and does not.
    pub missing: bool,
}

impl Sheet {
    /// Plans a scene.
    pub(super) fn plan(scene: &Scene<'_>) -> Sheet {
        let plans: Vec<Plan> =
            scene.cards.iter().map(|card| card::plan(card, scene.cards.len())).collect();
        let stubs = scene.outside.iter().map(|outside| Stub {
            text: cut(&outside.text(), STUB_COLUMNS_MAX),
            missing: outside.is_missing(),
        });
        let stubs = stubs.collect();
        let mut ends = Vec::new();
        let mut links = Vec::new();
        for (from, plan) in plans.iter().enumerate() {
            for (exit, bundle) in plan.exits.iter().enumerate() {
                let leaves = match bundle.lane {
                    Lane::At(x) => Some(x),
                    Lane::Bottom => None,
                    Lane::Words => continue,
                };
                links.push(Link { from, to: bundle.to, leaves, bunch: bundle.members[0].row });
                ends.push((from, exit));
            }
        }
        let mut sheet = Sheet { plans, stubs, links: ends, layout: Layout::default() };
        sheet.layout = layout::arrange(&sheet.blocks(), &links);
        sheet.follow_trades();
        sheet
    }

    /// All blocks: those of the cards, then those of the stubs.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let stub = |stub: &Stub| {
            let width = stub.width();
            Block { width, height: STUB_HEIGHT, span: (0.0, width) }
        };
        self.plans.iter().map(|plan| plan.block).chain(self.stubs.iter().map(stub)).collect()
    }

    /// Where ways that leave one row have traded their lanes, the ports of the row trade too:
    /// the further out the lane, the higher the port.
    fn follow_trades(&mut self) {
        let mut traded: Vec<(usize, usize, usize, f64)> = Vec::new();
        for ((plan, exit), route) in self.links.iter().zip(&self.layout.routes) {
            let bundle = &mut self.plans[*plan].exits[*exit];
            if let (Lane::At(lane), Some(route)) = (&mut bundle.lane, route) {
                *lane = route.start.x - self.layout.blocks[*plan].x;
                traded.push((*plan, bundle.members[0].row, *exit, *lane));
            }
        }
        traded.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.3.total_cmp(&a.3)));
        for row in traded.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let exits = &mut self.plans[row[0].0].exits;
            let mut ys: Vec<f64> = row.iter().map(|trade| exits[trade.2].members[0].y).collect();
            ys.sort_by(f64::total_cmp);
            for (trade, y) in row.iter().zip(ys) {
                exits[trade.2].members[0].y = y;
            }
        }
    }
}

impl Stub {
    /// How wide it is.
    pub(super) fn width(&self) -> f64 {
        columns(&self.text) as f64 * card::ROW_COLUMN + 30.0
    }
}
