//! The engine on ten thousand seeds, and on every case that ever failed. What is checked is in
//! `sim::engine::oracles`; `cargo run --release -p quipu-sim --example soak` checks more.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use runtime::{
    Answer, Begin, Input, Limits, NoLogic, Options, Plan, Refusal, Run, advance, advance_for,
};
use sim::engine::shrink::Case;
use sim::engine::soak::{failure, failure_of_case};
use sim::engine::{Sketch, read};

const SEEDS: u64 = 10_000;

#[test]
fn everything_holds_on_every_seed() {
    let (next, failed) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= SEEDS || failed.lock().unwrap().len() >= 3 {
                        break;
                    }
                    if let Some(why) = failure(seed) {
                        failed.lock().unwrap().push(format!("seed {seed}: {why}"));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "{}\n`cargo run -p quipu-sim --example soak -- --seeds 1 --from SEED` makes a case of it",
        failed.join("\n\n")
    );
}

#[test]
fn what_failed_once_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let failed: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let (case, seed) = Case::of_file(&text).unwrap();
            Some(format!("{}: {}", path.display(), failure_of_case(&case, seed)?))
        })
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// Whoever replays a history must know where an input was taken: where the run waits, or where the
/// input says that it stopped.
#[test]
fn a_run_that_could_go_on_takes_nothing_but_that_it_stops() {
    let text = "main\n  Fork branch>@a branch>@b next>n2\n  Join\na\n  R adapter=core.SLEEP \
                target=5\nb\n  Set name=x ref=1\n  Set name=y ref=2\n";
    let graph = read(&Sketch::read(text).unwrap().document()).unwrap();
    let (plan, now) = (Plan::new(&graph).unwrap(), history::Timestamp::from_micros(0));
    let mut run = Run::new(&plan);
    let begin = begin();
    advance_for(3, &plan, &mut run, Some(&begin), now, &mut NoLogic, &mut |_| true).unwrap();
    assert!(run.can_go_on() && run.pending().next().is_some());
    let take = |input| {
        advance_for(1, &plan, &mut run.clone(), Some(&input), now, &mut NoLogic, &mut |_| true)
    };
    assert_eq!(take(Input::Set(value::Map::default())).err(), Some(Refusal::Busy));
    let stops: [fn(_) -> Input; 3] = [
        |step| Input::Pause { reason: None, step },
        |step| Input::Cancel { reason: None, actor: None, step },
        |step| Input::Tick { step },
    ];
    for stop in stops {
        assert_eq!(take(stop(None)).err(), Some(Refusal::OutOfPlace));
        assert_eq!(take(stop(Some(1))).err(), Some(Refusal::OutOfPlace));
        assert!(take(stop(Some(3))).is_ok());
    }
}

fn begin() -> Input {
    Input::Begin(Box::new(Begin {
        run: "r1".into(),
        graph: "g".into(),
        document: value::Value::Null,
        inputs: value::Map::default(),
        options: Options {
            limits: Limits { time_ms: Some(0), ..Limits::default() },
            ..Options::default()
        },
        seed: 1,
        versions: value::Map::default(),
    }))
}

/// Whoever makes calls looks for those that nobody waits for where there may be some, and nowhere
/// else: with thousands under way a look after every answer would be too many.
#[test]
fn what_gives_calls_up_says_so() {
    for (strategy, expected) in [("all", [false, false, false]), ("any", [false, true, false])] {
        let text = format!(
            "main\n  Fork branch>@a branch>@b next>n2\n  Join strategy={strategy}\n\
             a\n  R adapter=tool.CALL target=t out=x\nb\n  R adapter=tool.CALL target=t out=y\n"
        );
        let graph = read(&Sketch::read(&text).unwrap().document()).unwrap();
        let (plan, now) = (Plan::new(&graph).unwrap(), history::Timestamp::from_micros(0));
        let mut run = Run::new(&plan);
        let answer = |call| Input::Answer(call, Answer::Value(value::Value::Int(1)));
        let inputs = [begin(), answer(1), answer(2)];
        let gave_up = inputs.map(|input| {
            let has_room = &mut |_: &_| true;
            advance(&plan, &mut run, Some(&input), now, &mut NoLogic, has_room).unwrap().gave_up
        });
        assert_eq!(gave_up, expected, "{strategy}");
    }
}
