//! Runs one program to its end: gives it a text, takes its answer, and leaves nothing behind.

use std::fs::{File, OpenOptions, remove_file};
use std::io::{self, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

use super::output::{Cut, Tail, read_answer};

/// How long the pipes of a program that has ended may stay open: what it left behind holds them,
/// and may do so for ever.
const LINGER: Duration = Duration::from_millis(500);

/// The longest answer.
pub(super) const ANSWER_MAX: usize = 16 << 20;

/// How much of what a program says on standard error is kept.
const COMPLAINT_MAX: usize = 4 << 10;

/// How a program ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself, with its answer.
    Exited(ExitStatus, Vec<u8>),
    /// It could not be started.
    NotStarted(io::Error),
    /// It took too long and was killed.
    TimedOut,
    /// Its answer was too long, and it was killed.
    Flooded,
    /// It ended, but a program that it started holds its output open.
    LeftBehind(ExitStatus),
    /// Its pipes failed.
    Broken(io::Error),
}

/// Runs a program, and gives the end of what it said on standard error. When the future is
/// dropped, the program and all that it started in its process group are killed.
pub(super) async fn run(
    mut command: Command,
    input: String,
    time_max: Duration,
) -> (Ended, String) {
    let given = match given(&input) {
        Ok(given) => given,
        Err(error) => return (Ended::NotStarted(error), String::new()),
    };
    command
        .stdin(given)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (Ended::NotStarted(error), String::new()),
    };
    let mut group = Group::of(&child);
    let complaint = Tail::new(COMPLAINT_MAX);
    let talk = talk(&mut child, &complaint);
    let ended = match tokio::time::timeout(time_max, talk).await {
        Ok(ended) => ended,
        Err(_) => Ended::TimedOut,
    };
    if matches!(ended, Ended::Exited(..)) {
        group.release();
    }
    (ended, complaint.text())
}

async fn talk(child: &mut Child, complaint: &Tail) -> Ended {
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        unreachable!("both were asked for")
    };
    // A flood ends this at once, and not when standard error ends.
    let reading = async {
        let complaint = async {
            complaint.fill(stderr).await;
            Ok(())
        };
        tokio::try_join!(read_answer(stdout, ANSWER_MAX), complaint).map(|(answer, ())| answer)
    };
    tokio::pin!(reading);
    let mut answer = None;
    let status = loop {
        tokio::select! {
            read = &mut reading, if answer.is_none() => match read {
                Ok(read) => answer = Some(read),
                Err(cut) => return cut.into(),
            },
            status = child.wait() => match status {
                Ok(status) => break status,
                Err(error) => return Ended::Broken(error),
            },
        }
    };
    if let Some(answer) = answer {
        return Ended::Exited(status, answer);
    }
    match tokio::time::timeout(LINGER, reading).await {
        Ok(Ok(answer)) => Ended::Exited(status, answer),
        Ok(Err(cut)) => cut.into(),
        Err(_) => Ended::LeftBehind(status),
    }
}

impl From<Cut> for Ended {
    fn from(cut: Cut) -> Ended {
        match cut {
            Cut::TooLong => Ended::Flooded,
            Cut::Broken(error) => Ended::Broken(error),
        }
    }
}

/// What fits into every pipe, so that nobody has to read it for it to be written.
const PIPE_MAX: usize = 4 << 10;

/// What a program reads. It is all there before the program starts: one that outlives us must not
/// take a part of it, or nothing, for what it was given.
fn given(input: &str) -> io::Result<Stdio> {
    if input.len() <= PIPE_MAX {
        let (reader, mut writer) = io::pipe()?;
        writer.write_all(input.as_bytes())?;
        return Ok(reader.into());
    }
    let mut file = scratch()?;
    file.write_all(input.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}

/// A file without a name, which is gone with the last one who has it open.
fn scratch() -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quipu-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return remove_file(&path).map(|()| file),
        }
    }
}

/// The process group of a program. Unless it is released, dropping it kills what is in it.
pub(crate) struct Group(Option<Pid>);

impl Group {
    pub(crate) fn of(child: &Child) -> Group {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group(id.and_then(Pid::from_raw))
    }

    /// The program has ended as it should: what it started on purpose may go on.
    pub(crate) fn release(&mut self) {
        self.0 = None;
    }
}

impl Group {
    /// Kills what is in it, once.
    pub(crate) fn kill(&mut self) {
        if let Some(group) = self.0.take() {
            // Nobody may be left in it, which is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Whether a program is there: at its place, or in one of the folders of `PATH`.
pub(crate) fn is_there(program: &Path) -> bool {
    if program.components().count() > 1 {
        return program.is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Whether one of these variables is set.
pub(crate) fn any_is_set(variables: &[String]) -> bool {
    variables.iter().any(|name| std::env::var_os(name).is_some_and(|held| !held.is_empty()))
}
