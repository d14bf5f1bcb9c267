//! The power fails. What was synced is on the disk; of what was written since, any part may be:
//! all, nothing, or some sectors of it in any order. The same goes for the names of files.
//!
//! One worker is traced (`faults.c`), and what a disk may hold at each moment is made from that.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sim::Random;
use store::Store;

use crate::faults::compile;
use crate::process::Part;
use crate::proof::{Promises, Proven};
use crate::{Folder, open, seed};

/// How many moments the suite looks at; `QUIPU_FAULTS=all` looks at all.
const SAMPLE: usize = 500;

/// Disks write so much at once.
const SECTOR: usize = 512;

/// What of the unsynced is on the disk.
#[derive(Clone, Copy, Debug)]
enum Left {
    Nothing,
    All,
    Some,
}

#[test]
fn what_was_synced_is_there_when_the_power_fails() {
    let folder = Folder::in_memory("power");
    let home = folder.join("home");
    let steps = trace(&folder, &home);
    let all = std::env::var("QUIPU_FAULTS").is_ok_and(|which| which == "all");
    let stride = if all { 1 } else { steps.len().div_ceil(SAMPLE) };
    let moments: Vec<(usize, Left)> = (1..=steps.len())
        .skip((seed() % stride as u64) as usize)
        .step_by(stride)
        .flat_map(|moment| [Left::Nothing, Left::All, Left::Some].map(|left| (moment, left)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = |thread: usize| {
        let place = folder.join(&format!("disk-{thread}"));
        let mut broken = Vec::new();
        while let Some((moment, left)) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (disk, promises) = disk_at(&steps[..*moment]);
            let mut random = Random::new(seed() + *moment as u64);
            disk.fail(*left, &mut random, &home, &place);
            if let Err(why) = check(&place.join("store.db"), &promises) {
                broken.push(format!("step {moment} of {}, {left:?} left: {why}", steps.len()));
            }
            std::fs::remove_dir_all(&place).expect("it was made");
        }
        broken
    };
    let broken = std::thread::scope(|scope| {
        let other = scope.spawn(|| work(1));
        let mut broken = work(0);
        broken.extend(other.join().expect("whatever goes wrong is told"));
        broken
    });
    println!("the power failed {} times, at {} steps", moments.len(), steps.len());
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

/// Whether a store is whole and keeps what it promised.
fn check(path: &Path, promises: &Promises) -> Result<(), String> {
    let store = open(path).map_err(|error| format!("cannot be opened: {error}"))?;
    promises.check(&store)?;
    Proven::of(&store)?;
    match store.check_files() {
        Ok(damage) if damage.is_empty() => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

/// Something that a worker did.
enum Step {
    /// It opened a file, or made it.
    Open(String),
    Write(String, usize, Vec<u8>),
    Size(String, usize),
    Sync(String),
    /// It synced the names of files.
    Folder,
    Unlink(String),
    Said(String),
}

/// All that a worker does to its files.
fn trace(folder: &Folder, home: &Path) -> Vec<Step> {
    let shim = compile(folder);
    let noted = folder.join("trace");
    std::fs::create_dir_all(home).expect("there is room for a folder");
    let text = |path: &Path| path.to_str().expect("folders here have plain names").to_string();
    let variables = [
        ("LD_PRELOAD", text(&shim)),
        ("QUIPU_FAULT_FOLDER", text(home)),
        ("QUIPU_FAULT_TRACE", text(&noted)),
    ];
    let worker = Part::start("faults::worker", &home.join("store.db"), &variables);
    let ended = worker.end(Duration::from_secs(60)).expect("nothing hinders it");
    assert!(ended.status.success(), "{}", ended.errors);
    std::fs::remove_dir_all(home).expect("it was made");
    steps(&std::fs::read(&noted).expect("it was made"))
}

/// Reads a trace.
fn steps(mut trace: &[u8]) -> Vec<Step> {
    let mut steps = Vec::new();
    while !trace.is_empty() {
        let end = trace.iter().position(|byte| *byte == b'\n').expect("a line has an end");
        let (line, rest) = (std::str::from_utf8(&trace[..end]), &trace[end + 1..]);
        let words: Vec<&str> = line.expect("a line is text").split(' ').collect();
        let [what, path, at, count] = words[..] else { panic!("no step: {words:?}") };
        let number = |word: &str| word.parse::<usize>().expect("a number");
        let (bytes, rest) = rest.split_at(number(count));
        trace = &rest[1..];
        let path = path.to_string();
        match what {
            "open" => steps.push(Step::Open(path)),
            "write" => steps.push(Step::Write(path, number(at), bytes.to_vec())),
            "size" => steps.push(Step::Size(path, number(at))),
            "sync" => steps.push(Step::Sync(path)),
            "folder" => steps.push(Step::Folder),
            "unlink" => steps.push(Step::Unlink(path)),
            "say" => steps.push(Step::Said(String::from_utf8_lossy(bytes).into_owned())),
            other => panic!("no step: {other}"),
        }
    }
    steps
}

/// What a disk holds for certain, and what it may hold.
#[derive(Default)]
struct Disk {
    files: BTreeMap<String, File>,
    /// Files that were removed, as long as their names may still be there.
    removed: BTreeMap<String, File>,
}

#[derive(Default)]
struct File {
    /// Whether its name is there for certain.
    named: bool,
    synced: Vec<u8>,
    unsynced: Vec<Change>,
}

enum Change {
    Write(usize, Vec<u8>),
    Size(usize),
}

/// The disk after these steps, and what was promised to be on it.
fn disk_at(steps: &[Step]) -> (Disk, Promises) {
    let (mut disk, mut promises) = (Disk::default(), Promises::default());
    for step in steps {
        match step {
            Step::Open(path) => drop(disk.files.entry(path.clone()).or_default()),
            Step::Write(path, at, bytes) => {
                disk.file(path).unsynced.push(Change::Write(*at, bytes.clone()));
            }
            Step::Size(path, size) => disk.file(path).unsynced.push(Change::Size(*size)),
            Step::Sync(path) => disk.file(path).sync(),
            Step::Folder => {
                disk.removed.clear();
                disk.files.values_mut().for_each(|file| file.named = true);
            }
            Step::Unlink(path) => {
                if let Some(file) = disk.files.remove(path).filter(|file| file.named) {
                    disk.removed.insert(path.clone(), file);
                }
            }
            // What was `written` is promised to survive the process only.
            Step::Said(text) => {
                for line in text.lines().filter_map(|line| line.strip_prefix("> ")) {
                    if !line.starts_with("written ") {
                        promises.hear(line);
                    }
                }
            }
        }
    }
    (disk, promises)
}

impl Disk {
    fn file(&mut self, path: &str) -> &mut File {
        self.files.entry(path.to_string()).or_default()
    }

    /// Puts what is left into a folder.
    fn fail(mut self, left: Left, random: &mut Random, home: &Path, place: &Path) {
        std::fs::create_dir_all(place).expect("there is room for a folder");
        let is_left = |random: &mut Random| match left {
            Left::Nothing => false,
            Left::All => true,
            Left::Some => random.one_in(2),
        };
        // A removed file's name is left when the removal is not.
        for (path, file) in std::mem::take(&mut self.removed) {
            if !is_left(random) {
                self.files.entry(path).or_insert(file);
            }
        }
        for (path, mut file) in self.files {
            let name = Path::new(&path).strip_prefix(home).expect("only files below are noted");
            // The index of the log is memory that processes share: a new start begins it anew.
            let is_shared_memory = path.ends_with("-shm");
            if name.as_os_str().is_empty() || is_shared_memory || !(file.named || is_left(random)) {
                continue;
            }
            for change in std::mem::take(&mut file.unsynced) {
                match change {
                    Change::Write(at, bytes) => {
                        for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                            if is_left(random) {
                                write(&mut file.synced, at + index * SECTOR, sector);
                            }
                        }
                    }
                    Change::Size(size) if is_left(random) => file.synced.resize(size, 0),
                    Change::Size(_) => {}
                }
            }
            std::fs::write(place.join(name), file.synced).expect("there is room");
        }
    }
}

impl File {
    /// A file that was synced has its name too, on file systems with a journal.
    fn sync(&mut self) {
        self.named = true;
        for change in std::mem::take(&mut self.unsynced) {
            match change {
                Change::Write(at, bytes) => write(&mut self.synced, at, &bytes),
                Change::Size(size) => self.synced.resize(size, 0),
            }
        }
    }
}

fn write(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if file.len() < at + bytes.len() {
        file.resize(at + bytes.len(), 0);
    }
    file[at..at + bytes.len()].copy_from_slice(bytes);
}
