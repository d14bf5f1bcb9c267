//! The figures that `bench/peers` puts beside those of others: graphs of 200 and of 1,000 steps,
//! each of which adds 1 to a number.

use graph::Again;
use runtime::NoLogic;
use store::{MemoryStore, SqliteStore};

use crate::Scale;
use crate::graphs::{Made, calling_chain, calling_loop, counting_chain, counting_loop, inputs};
use crate::table::{json, rounds};
use crate::world::given;
use crate::{effects, pure};

const ROUNDS: usize = 9;

type Shape = (&'static str, fn(usize) -> Made, fn(usize) -> Made);

const SHAPES: [Shape; 2] =
    [("chain", counting_chain, calling_chain), ("loop", counting_loop, calling_loop)];

/// What is pure in ours is not recorded, since it can be derived. So where others keep every step,
/// a step of ours calls a tool that adds, and the call and its result are kept.
pub(crate) fn figures(scale: &Scale) {
    for (shape, counting, calling) in SHAPES {
        for steps in [200, 1_000] {
            let (pure, made) = (counting(steps), calling(steps));
            let begin = || inputs([("count", value::Value::Int(0))]);
            let time = rounds(ROUNDS, || pure::whole(&pure, begin(), &mut NoLogic).1).wall;
            json("bare", shape, steps, time);
            let memory = || effects::whole(&MemoryStore::default(), &made, given(), Again::Freely);
            json("memory", shape, steps, rounds(ROUNDS, memory).wall);
            let path = scale.file(&format!("{shape}-{steps}"));
            let store = SqliteStore::open(path).expect("a file can be made");
            let synced =
                rounds(ROUNDS, || effects::whole(&store, &made, given(), Again::WithKey)).wall;
            // Every step of ours waits for the disk; there is no way to wait one step less.
            json("sqlite", shape, steps, synced);
            json("sqlite_sync", shape, steps, synced);
            let written =
                rounds(ROUNDS, || effects::whole(&store, &made, given(), Again::Freely)).wall;
            json("sqlite_process_crash", shape, steps, written);
        }
    }
}
