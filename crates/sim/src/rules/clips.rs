//! CLIPS as a process that answers: Python with `clipspy` in an environment of its own.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use value::{Value, json};

use super::{Answer, Case, Opinion};

/// CLIPS, ready to be asked.
pub struct Clips {
    python: PathBuf,
    running: Option<Running>,
}

struct Running {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle");

impl Clips {
    /// Installs `clipspy` into a folder, unless it is there already. Whoever else wants it there
    /// waits. The error says why it cannot be.
    pub fn install(folder: &Path) -> Result<Clips, String> {
        let wanted = std::fs::read_to_string(Path::new(FOLDER).join("requirements.txt"))
            .map_err(|error| format!("the list of packages cannot be read: {error}"))?;
        let python = folder.join(if cfg!(windows) { "Scripts/python" } else { "bin/python" });
        let installed = folder.join("installed.txt");
        let lock = std::fs::create_dir_all(folder)
            .and_then(|()| File::create(folder.with_extension("lock")));
        let _held = lock.and_then(|file| file.lock().map(|()| file)).map_err(|error| {
            format!("{} cannot be kept for one installation: {error}", folder.display())
        })?;
        // Written last, so an installation that broke off does not count.
        if std::fs::read_to_string(&installed).ok().as_ref() != Some(&wanted) {
            let venv = ["-m", "venv", "--clear"].map(Into::into);
            run("python3", venv.into_iter().chain([folder.into()]))?;
            let pip = "-m pip install --quiet --retries 1 --disable-pip-version-check --only-binary :all: -r";
            let list = Path::new(FOLDER).join("requirements.txt");
            let words = pip.split(' ').map(Into::into).chain([list]);
            run(&python.to_string_lossy(), words)?;
            std::fs::write(&installed, wanted)
                .map_err(|error| format!("{} cannot be written: {error}", installed.display()))?;
        }
        Ok(Clips { python, running: None })
    }

    /// What CLIPS makes of a program. Some crash it: then it is asked once more by a process
    /// that nothing has happened to, because memory that an earlier program damaged may be why.
    pub fn ask(&mut self, case: &Case) -> Opinion {
        let mut ran_out = false;
        for _ in 0..2 {
            match self.answer(case) {
                Some(opinion) => return opinion,
                None => ran_out = self.ran_out_of_time(),
            }
        }
        if ran_out { Opinion::TooLong } else { Opinion::Died }
    }

    /// Whether its own alarm ended the process, which is gone then.
    fn ran_out_of_time(&mut self) -> bool {
        let status = self.running.take().and_then(|mut running| running.child.wait().ok());
        #[cfg(unix)]
        return status.is_some_and(|status| {
            const ALARM: i32 = 14;
            std::os::unix::process::ExitStatusExt::signal(&status) == Some(ALARM)
        });
        #[cfg(not(unix))]
        return status.is_none();
    }

    /// The same, by a process that has answered nothing else.
    pub fn ask_anew(&mut self, case: &Case) -> Opinion {
        self.stop();
        self.ask(case)
    }

    fn answer(&mut self, case: &Case) -> Option<Opinion> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(start(&self.python)?),
        };
        let texts = |texts: &[String]| Value::list(texts.iter().map(|text| text.as_str().into()));
        let question = Value::map([
            ("constructs", texts(&case.constructs)),
            ("asserts", texts(&case.asserts)),
            ("limit", Value::Int(i64::from(case.limit))),
        ]);
        writeln!(running.questions, "{}", json::compact(&question)).ok()?;
        running.questions.flush().ok()?;
        let mut line = String::new();
        running.answers.read_line(&mut line).ok()?;
        opinion(&json::parse(&line).ok()?)
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may be gone already, and then there is nothing to end.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Clips {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start(python: &Path) -> Option<Running> {
    let mut child = Command::new(python)
        .arg(Path::new(FOLDER).join("answers.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let questions = child.stdin.take()?;
    let answers = BufReader::new(child.stdout.take()?);
    Some(Running { child, questions, answers })
}

fn opinion(answer: &Value) -> Option<Opinion> {
    if let Some(Value::Text(why)) = answer.get("rejected") {
        return Some(Opinion::Rejected(why.to_string()));
    }
    let texts = |name: &str| -> Option<Vec<String>> {
        let list = answer.get(name)?.as_list()?;
        list.iter().map(|item| item.as_text().map(|text| text.to_string())).collect()
    };
    Some(Opinion::Ran(Answer {
        agenda_initial: texts("agenda_initial")?,
        fired: texts("fired")?,
        facts: texts("facts")?,
        printed: answer.get("printed")?.as_text()?.to_string(),
        complaint: answer.get("errors")?.as_text()?.to_string(),
    }))
}

fn run(program: &str, arguments: impl Iterator<Item = PathBuf>) -> Result<(), String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} failed: {}", said.lines().last().unwrap_or("without a word")))
}
