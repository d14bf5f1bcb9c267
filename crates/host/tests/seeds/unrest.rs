//! What goes wrong with a seed, and how often.

use graph::Again;
use sim::Random;

/// What goes wrong, and how often. 0 is never; 3 is one time in three.
#[derive(Clone, Debug)]
pub(crate) struct Unrest {
    pub(crate) random: Random,
    /// So often something may still go wrong: every run ends.
    left: usize,
    /// Whether answers come at once and in turn, and the clock only moves when nothing else can
    /// happen: then a run comes to the same, whatever goes wrong beside.
    pub(crate) is_calm: bool,
    /// A process dies when it adds events.
    pub(crate) deaths: usize,
    /// A process dies when it makes a call.
    pub(crate) deaths_in_calls: usize,
    /// A process is told to stop when it looks at the clock.
    pub(crate) pauses: usize,
    /// Somebody else writes right before a process does.
    pub(crate) others: usize,
    /// A process stands still until its lease is over and another one has taken over.
    pub(crate) standstills: usize,
    /// Somebody ends the run.
    pub(crate) cancels: usize,
    /// The clock jumps by up to so many milliseconds, forth and back.
    pub(crate) jumps_ms: usize,
    /// A person answers at once.
    pub(crate) at_once: usize,
    /// Calls answer later, in any order.
    pub(crate) later: bool,
}

/// How tools may run again with this seed.
pub(crate) fn again(seed: u64) -> Again {
    *Random::new(seed ^ 0x0061_6761_696e).pick(&[Again::Freely, Again::WithKey, Again::ByAsking])
}

impl Unrest {
    /// What goes wrong with this seed.
    pub(crate) fn of(seed: u64) -> Unrest {
        let mut random = Random::new(seed ^ 0x756e_7265_7374);
        let is_calm = random.one_in(2);
        let mut rate = |rates: &[usize]| *random.pick(rates);
        let deaths = rate(&[0, 3, 6, 12]);
        let deaths_in_calls = rate(&[0, 3, 9]);
        let pauses = rate(&[0, 6, 20]);
        let others = rate(&[0, 2, 5]);
        let mut wild = |rates: &[usize]| if is_calm { 0 } else { *random.pick(rates) };
        Unrest {
            left: 20,
            is_calm,
            deaths,
            deaths_in_calls,
            pauses,
            others,
            standstills: wild(&[0, 8, 20]),
            cancels: wild(&[0, 15, 50]),
            jumps_ms: wild(&[0, 40, 100_000]),
            at_once: wild(&[0, 2]),
            later: wild(&[0, 1]) == 1,
            random: random.clone(),
        }
    }

    /// Whether something that goes wrong so often does now.
    pub(crate) fn strikes(&mut self, one_in: usize) -> bool {
        let strikes = one_in > 0 && self.left > 0 && self.random.one_in(one_in);
        self.left -= usize::from(strikes);
        strikes
    }
}
