//! How long a run computes before its driver looks up.

use std::time::Instant;

use runtime::{Block, Done, Fault, Given, Logic};

use super::LOOK;

/// Steps that are no blocks are short: the time is looked at after so many of them.
const STEPS: u32 = 16;

/// Runs blocks for one slice, and says when that has taken long enough.
pub(super) struct Paced<'l> {
    logic: &'l mut dyn Logic,
    begin: Instant,
    steps: u32,
    has_run: bool,
}

impl<'l> Paced<'l> {
    /// A slice that begins now.
    pub(super) fn new(logic: &'l mut dyn Logic) -> Paced<'l> {
        Paced { logic, begin: Instant::now(), steps: 0, has_run: false }
    }
}

impl Logic for Paced<'_> {
    fn run(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.has_run = true;
        self.logic.run(block, given)
    }

    fn again(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        self.has_run = true;
        self.logic.again(block, given)
    }

    fn is_enough(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        let looks = std::mem::take(&mut self.has_run) || self.steps.is_multiple_of(STEPS);
        looks && self.begin.elapsed() >= LOOK
    }
}
