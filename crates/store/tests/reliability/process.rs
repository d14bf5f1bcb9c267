//! A second process: this test binary again, with one of its tests in another part.
//!
//! Such a test returns at once unless `QUIPU_PART` names a store. It says what it did in lines
//! that begin with `> `, among whatever else is printed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PART: &str = "QUIPU_PART";
const MARK: &str = "> ";

/// The store that this process is to work on, if it is a second one.
pub(crate) fn part() -> Option<PathBuf> {
    std::env::var_os(PART).map(PathBuf::from)
}

/// Says something to the first process. Unlike `println!` this is never held back.
pub(crate) fn say(line: &str) {
    let line = format!("\n{MARK}{line}\n");
    let mut out = std::io::stdout().lock();
    // Nobody listens any more when the first process is gone; then there is nothing to say.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// A second process.
pub(crate) struct Part {
    child: Child,
    lines: Receiver<String>,
    reader: JoinHandle<()>,
    errors: JoinHandle<String>,
}

/// What a second process said, and how it ended.
pub(crate) struct Ended {
    pub(crate) lines: Vec<String>,
    pub(crate) errors: String,
    pub(crate) status: ExitStatus,
}

impl Part {
    /// Starts the test of this name on a store.
    pub(crate) fn start(test: &str, store: &Path, variables: &[(&str, String)]) -> Part {
        let binary = std::env::current_exe().expect("a test knows its binary");
        let mut child = Command::new(binary)
            .args([test, "--exact", "--nocapture", "--test-threads=1"])
            .env(PART, store)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a test binary can be started");
        let out = child.stdout.take().expect("it is a pipe");
        let mut err = child.stderr.take().expect("it is a pipe");
        let (sender, lines) = channel();
        let reader = std::thread::spawn(move || {
            let mut out = BufReader::new(out);
            let mut line = String::new();
            // A line that has no end was cut off, and says nothing.
            while out.read_line(&mut line).is_ok() && line.ends_with('\n') {
                if let Some(said) = line.trim_end().strip_prefix(MARK) {
                    let _ = sender.send(said.to_string());
                }
                line.clear();
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = std::io::Read::read_to_end(&mut err, &mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Part { child, lines, reader, errors }
    }

    /// Waits until it says this line. Says whether it did before it ended.
    pub(crate) fn wait_for(&self, line: &str) -> bool {
        self.lines.iter().any(|said| said == line)
    }

    /// Tells it to end, or to begin.
    pub(crate) fn go(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Kills it, and takes what it had said since.
    pub(crate) fn kill(mut self) -> Ended {
        let _ = self.child.kill();
        self.end(Duration::from_secs(60)).expect("a killed process ends")
    }

    /// Tells it to end, and waits for that. Nothing if it does not.
    pub(crate) fn end(mut self, patience: Duration) -> Option<Ended> {
        self.go();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is a child") {
                break status;
            }
            if begin.elapsed() > patience {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return None;
            }
            std::thread::sleep(Duration::from_micros(300));
        };
        self.reader.join().expect("reading lines cannot fail");
        let errors = self.errors.join().expect("reading text cannot fail");
        Some(Ended { lines: self.lines.iter().collect(), errors, status })
    }
}
