//! Runs one program to its end: gives it a text, takes its answer, and leaves nothing behind.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};

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
    command
        .stdin(Stdio::piped())
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
    let talk = talk(&mut child, input, &complaint);
    let ended = match tokio::time::timeout(time_max, talk).await {
        Ok(ended) => ended,
        Err(_) => Ended::TimedOut,
    };
    if matches!(ended, Ended::Exited(..)) {
        group.release();
    }
    (ended, complaint.text())
}

async fn talk(child: &mut Child, input: String, complaint: &Tail) -> Ended {
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        unreachable!("all three were asked for")
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
    let feeding = feed(stdin, input);
    tokio::pin!(feeding);
    let mut answer = None;
    let mut is_fed = false;
    let status = loop {
        tokio::select! {
            () = &mut feeding, if !is_fed => is_fed = true,
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

/// A program need not read what it is given: its exit code and its answer say how it went, so
/// that a pipe which it closed is no failure.
async fn feed(mut stdin: ChildStdin, input: String) {
    let _ = stdin.write_all(input.as_bytes()).await;
}

/// The process group of a program. Unless it is released, dropping it kills what is in it.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Group {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Group(id.and_then(Pid::from_raw))
    }

    /// The program has ended as it should: what it started on purpose may go on.
    fn release(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Nobody may be left in it, which is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
