//! Every call of the system that a store makes may fail: the disk is full, a sync fails, half of
//! a write is written. The store says so, loses nothing that it acknowledged, and after a failed
//! sync takes nothing more, since nobody knows what is on the disk then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use history::kinds::Blob;
use history::{Place, Stream, Target};
use store::{Durability, Store};

use crate::process::{Ended, Part, part, say};
use crate::proof::{Promises, Proven};
use crate::written::{Batch, fork, operation};
use crate::{Folder, open, seed};

/// A call that fails.
#[derive(Clone, Debug)]
struct Fault {
    /// Its number, from 1.
    call: usize,
    /// How it fails; see `faults.c`.
    kind: &'static str,
    /// Whether later ones fail too.
    lasting: bool,
}

/// How many faults the suite tries.
const SAMPLE: usize = 900;

/// Nothing that a store does may take longer, however it fails.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn nothing_acknowledged_is_lost_when_the_system_fails() {
    let folder = Folder::in_memory("faults");
    let shim = compile(&folder);
    let faults = sample(all_faults(&folder, &shim));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut outcomes = Vec::new();
        while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcomes.push((fault, survive(&folder, &shim, fault)));
        }
        outcomes
    };
    let outcomes = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut outcomes = work();
        outcomes.extend(other.join().expect("whatever goes wrong is an outcome"));
        outcomes
    });
    let mut counts = BTreeMap::<String, usize>::new();
    let mut broken = Vec::new();
    for (fault, outcome) in outcomes {
        match outcome {
            Ok(outcome) => *counts.entry(outcome).or_default() += 1,
            Err(why) => broken.push(format!("{fault:?}: {why}")),
        }
    }
    println!("{} faults: {counts:#?}", faults.len());
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

/// The shim, compiled. There is a C compiler, since SQLite was compiled.
pub(crate) fn compile(folder: &Folder) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reliability/faults.c");
    let shim = folder.join("faults.so");
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
        .args([&shim, &source])
        .arg("-ldl")
        .status()
        .expect("there is a C compiler");
    assert!(status.success(), "the shim is compiled");
    shim
}

/// All calls that the worker makes when none fails, with all the ways in which each can fail.
fn all_faults(folder: &Folder, shim: &Path) -> Vec<Fault> {
    let home = folder.join("counted");
    let ended = run(&home, shim, None).expect("nothing hinders it");
    assert!(ended.status.success(), "{}", ended.errors);
    let calls = ended.lines.iter().filter_map(|line| line.strip_prefix("call "));
    let mut faults = Vec::new();
    for (index, what) in calls.enumerate() {
        let kinds: &[_] = match what {
            "write" => &["enospc", "eio", "short"],
            "size" => &["enospc", "eio"],
            "open" => &["enospc", "eio"],
            "sync" => &["sync"],
            _ => &["eio"],
        };
        for kind in kinds {
            for lasting in [false, true] {
                faults.push(Fault { call: index + 1, kind, lasting });
            }
        }
    }
    faults
}

/// Every so many-th fault, unless all are asked for. Failing syncs are never left out.
fn sample(faults: Vec<Fault>) -> Vec<Fault> {
    let all = std::env::var("QUIPU_FAULTS").is_ok_and(|which| which == "all");
    let step = if all { 1 } else { faults.len().div_ceil(SAMPLE) };
    let begin = (seed() % step as u64) as usize;
    let is_chosen = |index: usize, fault: &Fault| index % step == begin || fault.kind == "sync";
    let chosen = faults.iter().enumerate().filter(|(index, fault)| is_chosen(*index, fault));
    chosen.map(|(_, fault)| fault.clone()).collect()
}

/// Lets a worker meet a fault, and checks what is left. How it went, in words.
fn survive(folder: &Folder, shim: &Path, fault: &Fault) -> Result<String, String> {
    let lasting = if fault.lasting { "-lasting" } else { "" };
    let home = folder.join(&format!("{}-{}{lasting}", fault.call, fault.kind));
    let ended = run(&home, shim, Some(fault)).ok_or("the worker does not come to an end")?;
    if !ended.status.success() {
        return Err(format!("{}\n{}\n{:#?}", ended.status, ended.errors, ended.lines));
    }
    let mut promises = Promises::default();
    let mut unsynced = false;
    let mut outcome = "not met";
    for line in &ended.lines {
        if line == "begin open" {
            unsynced = false;
        } else if let Some(met) = line.strip_prefix("fault ") {
            outcome = if outcome == "not met" { "met without an error" } else { outcome };
            unsynced |= met.ends_with(" sync");
        } else if line.starts_with("error ") {
            outcome = "met with an error";
        } else if promises.hear(line) && unsynced {
            return Err(format!("`{line}` after a failed sync:\n{:#?}", ended.lines));
        }
    }
    let store = match open(&home.join("store.db")) {
        Ok(store) => store,
        Err(error) => return Err(format!("cannot be opened: {error}\n{:#?}", ended.lines)),
    };
    promises
        .check(&store)
        .and_then(|()| Proven::of(&store).map(drop))
        .map_err(|broken| format!("{broken}\n{:#?}", ended.lines))?;
    let damage = store.check_files().map_err(|error| error.to_string())?;
    if !damage.is_empty() {
        return Err(format!("{damage:?}\n{:#?}", ended.lines));
    }
    drop(store);
    std::fs::remove_dir_all(&home).map_err(|error| error.to_string())?;
    Ok(format!("{} {lasting} {outcome}", fault.kind).replace(" -", " "))
}

/// Runs the worker in a folder of its own.
fn run(home: &Path, shim: &Path, fault: Option<&Fault>) -> Option<Ended> {
    std::fs::create_dir_all(home).expect("there is room for a folder");
    let text = |path: &Path| path.to_str().expect("folders here have plain names").to_string();
    let mut variables = vec![("LD_PRELOAD", text(shim)), ("QUIPU_FAULT_FOLDER", text(home))];
    if let Some(fault) = fault {
        variables.push(("QUIPU_FAULT_CALL", fault.call.to_string()));
        variables.push(("QUIPU_FAULT_KIND", fault.kind.to_string()));
    }
    if fault.is_some_and(|fault| fault.lasting) {
        variables.push(("QUIPU_FAULT_LASTING", "yes".to_string()));
    }
    Part::start("faults::worker", &home.join("store.db"), &variables).end(PATIENCE)
}

/// Not a test of its own: the process that meets the fault. It does everything a store can do
/// that changes files, and tries a second time what fails.
#[test]
fn worker() {
    let Some(path) = part() else { return };
    let runs = [Stream::run("r1"), Stream::run("r2")];
    for round in 0..2 {
        let Some(store) = step("open", || open(&path)) else { continue };
        let append = |stream: &Stream, first, count, durability| {
            let batch = Batch::new(stream, first, count);
            let receipt = step("append", || batch.append(&store, durability))?;
            let word = if durability == Durability::Os { "written" } else { "event" };
            say(&format!("{word} {} {} {}", stream.name(), batch.last(), receipt.link));
            Some(Target { place: Place::new(stream.clone(), batch.last()), link: receipt.link })
        };
        let first = round * 200;
        append(&runs[0], first, 5, Durability::Fsync);
        append(&runs[1], first, 40, Durability::Group);
        let target = append(&runs[0], first + 5, 195, Durability::Os);
        if let Some(target) = target {
            append(&fork(&target.place), target.place.seq + 1, 2, Durability::Group);
            let previous = store.name("main").ok().flatten().map(|(id, _)| id);
            let operation = operation("main", previous, target);
            if let Some(id) = step("move", || store.move_name(&operation)) {
                say(&format!("name main {id}"));
            }
        }
        let blob = Blob::new(format!("bytes {round} ").repeat(500));
        let blobs = std::slice::from_ref(&blob);
        if step("put", || store.put_blobs(blobs, Durability::Fsync)).is_some() {
            say(&format!("blob {}", blob.id()));
        }
        append(&runs[1], first + 40, 160, Durability::Group);
        say("begin close");
    }
}

/// Does something, at most twice, and says so.
fn step<T, E: std::error::Error>(name: &str, act: impl Fn() -> Result<T, E>) -> Option<T> {
    for _ in 0..2 {
        say(&format!("begin {name}"));
        match act() {
            Ok(done) => return Some(done),
            Err(error) => say(&format!("error {name}: {error}")),
        }
    }
    None
}
