//! Blocks that have run before run again when their run is read, with more patience.

use runtime::{Block, Done, Fault, FaultKind, Fold, Given, Logic};

use crate::driving::{Lines, plainly, run, sketch};

/// Has no time at all, but for what came to its end before.
struct Hasty;

impl Logic for Hasty {
    fn run(&mut self, _: &Block, _: &Given) -> Result<Done, Fault> {
        Err(Fault::new(FaultKind::LogicLimit, "it took too long"))
    }

    fn again(&mut self, block: &Block, given: &Given) -> Result<Done, Fault> {
        Lines.run(block, given)
    }
}

#[test]
fn a_run_can_be_read_however_slow_its_blocks_have_become() {
    for block in ["x = 1", "raise no"] {
        let made = sketch(&format!(
            "main\n  R adapter=logic.PYTHON target=\"y = 2\"\n  R adapter=logic.PYTHON \
             target=\"{block}\" err>n4\n  J var=$x\n  Err handler>@sorry\nsorry\n  J var=$y\n"
        ));
        let (log, whole) = run("r", &made, "{}", &mut plainly);
        assert!(whole.is_over());
        let mut fold = Fold::new(made.plan.clone());
        for (seq, event) in (0..).zip(&log.events) {
            fold.take(seq, event, &log.fact(event), &mut Hasty).unwrap();
        }
        assert_eq!(fold.run(), &whole);
    }
}
