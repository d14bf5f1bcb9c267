//! What rules cost, beside CLIPS in the same run; nothing is asserted.
//!
//! `cargo bench -p quipu-rules --bench rules -- [--quick] [--json] [NAME..]`
//!
//! A name picks the programs called so. CLIPS is measured by `bench/peers/clips/run`, which
//! installs `clipspy` the first time; `times` says how many times as long it takes.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod clips;
mod jobs;
mod ours;
mod table;

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Each program is measured so often, and the best counts: the machine has other work.
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let jobs = jobs::all(has("--quick"));
    let any_named = jobs.iter().any(|job| has(job.name));
    let folder = std::env::temp_dir().join(format!("quipu-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for a folder");
    if !has("--json") {
        table::heading();
    }
    for job in jobs.iter().filter(|job| !any_named || has(job.name)) {
        // In turn, so that a busy machine is busy for both.
        let rounds = (0..ROUNDS).map(|_| (ours::measure(job), clips::measure(&folder, job)));
        let (ours, clips): (Vec<_>, Vec<_>) = rounds.unzip();
        let ours = ours.into_iter().min_by(by_time).expect("there is at least one round");
        let clips = clips.into_iter().flatten().min_by(|a, b| by_time(&a.0, &b.0));
        let tell = if has("--json") { table::line } else { table::row };
        tell(job, &ours, clips.as_ref());
    }
    std::fs::remove_dir_all(&folder).expect("it was made here");
}

fn by_time(a: &table::Figure, b: &table::Figure) -> std::cmp::Ordering {
    a.us().total_cmp(&b.us())
}
