//! What the engine costs on this machine and this disk, each figure beside its limit, and beside
//! what it must not be much slower than in the same run. Medians of several rounds; nothing is
//! asserted.
//!
//! `cargo bench -p quipu-host --bench engine -- [--quick] [--json] [NAME..]`
//!
//! `--quick` takes a tenth of everything, `--json` prints the figures that `bench/peers` puts
//! beside those of others, and a name picks the part that is called so. Databases are kept in the
//! folder that `QUIPU_BENCH_DIR` names, or beside the program.

mod bare;
mod effects;
mod graphs;
mod kept;
mod peers;
mod pure;
mod table;
mod world;

use std::path::PathBuf;

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is measured, and where.
pub(crate) struct Scale {
    /// How much of everything is done: all of it, or less.
    divisor: usize,
    /// Where databases are.
    folder: PathBuf,
}

impl Scale {
    /// So many, or fewer where it must be quick.
    pub(crate) fn of(&self, count: usize) -> usize {
        (count / self.divisor).max(1)
    }

    /// A file that is not there yet.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.db"))
    }
}

type Part = (&'static str, fn(&Scale));

/// In the order of the table. Waiting runs come first: how much a process has grown says something
/// only while it has done nothing else.
const PARTS: &[Part] = &[
    ("waiting", kept::waiting),
    ("pure", pure::steps),
    ("memory", effects::in_memory),
    ("fsync", effects::on_the_disk),
    ("crash", effects::past_a_crash),
    ("concurrent", effects::concurrent),
    ("fan-out", pure::fan_out),
    ("open", effects::open_at_once),
    ("replay", kept::replay),
    ("logic", pure::logic),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let binary = std::env::current_exe().expect("a program knows its file");
    let beside = binary.parent().expect("a file is in a folder").to_path_buf();
    let folder = std::env::var_os("QUIPU_BENCH_DIR").map_or(beside, PathBuf::from);
    let folder = folder.join(format!("engine-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for a folder");
    let scale = Scale { divisor: if has("--quick") { 10 } else { 1 }, folder };
    if has("--json") {
        peers::figures(&scale);
    } else {
        let is_chosen = |part: &&Part| has(part.0) || !PARTS.iter().any(|other| has(other.0));
        table::heading();
        PARTS.iter().filter(is_chosen).for_each(|(_, measure)| measure(&scale));
        table::load();
    }
    std::fs::remove_dir_all(&scale.folder).expect("it was made here");
}
