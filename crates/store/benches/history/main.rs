//! What a history costs on the real disk, each line beside what limits it in the same run: the
//! same bytes through bare SQLite in the same settings, or a fixed limit. Nothing is asserted.
//!
//! `cargo bench -p quipu-store --bench history -- --sizes 10000,100000`

mod bare;
mod lines;
mod measure;
mod written;

use std::path::PathBuf;

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// How long the conversations are whose size on the disk is measured.
const TURNS: [usize; 3] = [1_000, 3_000, 10_000];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        let numbers = arguments.get(at + 1)?.split(',');
        Some(numbers.map(|number| number.parse().expect("sizes are numbers")).collect())
    };
    let sizes: Vec<usize> = after("--sizes").unwrap_or(SIZES.to_vec());
    let turns: Vec<usize> = after("--turns").unwrap_or(TURNS.to_vec());

    // `cargo bench` builds into the folder that this binary lies in; that is on the disk.
    let binary = std::env::current_exe().expect("a program knows its file");
    let folder: PathBuf = binary.with_file_name(format!("history-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for a folder");
    measure::heading();
    for size in sizes {
        lines::of_size(&folder, size);
    }
    for turns in turns {
        lines::of_conversation(&folder, turns, 1_024);
        lines::of_conversation(&folder, turns, 16_384);
    }
    measure::load();
    std::fs::remove_dir_all(&folder).expect("it was made here");
}
