//! A tool that is a program: arguments as JSON on standard input, its answer as JSON on standard
//! output. Any exit code but 0 is a failure, with what it wrote to standard error as its text.
//!
//! It runs in the folder of `quipu.toml`, in a process group of its own, and sees the variables
//! of [`VARIABLES`], those that `env` and `secrets` name, and three of its own:
//! `QUIPU_IDEMPOTENCY_KEY`, `QUIPU_RUN` and `QUIPU_ATTEMPT`. Nothing else: the keys of models and
//! stores are not its business. What is a secret is in nothing that it says.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use diagnostics::plain;
use runtime::{Answer, Fault, FaultKind, Happened, Request};
use tokio::process::Command;
use value::{Text, Value, json};

use super::detailed;
use super::process::{self, ANSWER_MAX, Ended};
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, shorter};
use crate::secrets::{Revealed, Sources};

/// The variables that every tool sees: who and where it is, and how to speak. So are all whose
/// names begin with `LC_`.
pub const VARIABLES: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR"];

/// How long a call may take where nobody says.
const TIME_MAX: Duration = Duration::from_secs(30);

/// How much of an answer that is no JSON is shown, in characters.
const SHOWN_MAX: usize = 200;

/// A program that answers the calls of a tool.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The tool's id.
    pub id: Text,
    /// The program: an absolute path, or a name to be looked up in `PATH`.
    pub program: PathBuf,
    /// What it is always given.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
    /// What its author declared.
    pub contract: Contract,
    /// How long a call may take, where its author said so.
    pub timeout: Option<Duration>,
    /// More variables that it may see.
    pub env: Vec<String>,
    /// Secrets that it sees as variables.
    pub(crate) secrets: Sources,
}

impl Executable {
    fn command(&self, call: &Call, secrets: &Revealed) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(visible(&self.env))
            .envs(secrets.all().map(|(name, secret)| (&**name, secret)))
            .env("QUIPU_IDEMPOTENCY_KEY", &*call.key)
            .env("QUIPU_RUN", &*call.run)
            .env("QUIPU_ATTEMPT", call.attempt.to_string());
        command
    }

    fn report(&self) -> Report {
        let happened = self.contract.lost();
        Report { id: self.id.clone(), program: self.program.clone(), happened }
    }
}

/// A call that was not made since something is not there.
pub(super) fn not_run(id: &Text, why: &str) -> Fault {
    let (message, tool) = (format!("`{id}` was not run: {why}"), Value::Text(id.clone()));
    detailed(FaultKind::Missing, message, [("tool", tool)]).with_happened(Happened::No)
}

/// The variables that a program sees: the basic ones, and those that its author allows it.
pub(crate) fn visible(allowed: &[String]) -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        let Some(name) = name.to_str() else { return false };
        VARIABLES.contains(&name)
            || name.starts_with("LC_")
            || allowed.iter().any(|allowed| allowed == name)
    })
}

impl Adapter for Executable {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let input = json::compact(&tool.args.clone().into());
        let time_max = shorter(self.timeout, tool.timeout_ms).unwrap_or(TIME_MAX);
        let report = self.report();
        let secrets = match self.secrets.reveal() {
            Ok(secrets) => secrets,
            Err(why) => return Calling::Now(Answer::Failed(not_run(&self.id, &why))),
        };
        let command = self.command(&call, &secrets);
        Calling::Later(Box::pin(async move {
            let (ended, complaint) = process::run(command, input, time_max).await;
            let answer = report.answer(ended, &secrets.hide(&complaint), time_max);
            secrets.hide_in_result(answer).into()
        }))
    }
}

impl Bound for Executable {
    fn contract(&self) -> Contract {
        self.contract
    }

    fn has_credentials(&self) -> bool {
        process::any_is_set(&self.env) || self.secrets.are_there()
    }

    fn look(&self) -> Result<String, String> {
        self.secrets.reveal()?;
        let program = self.program.display();
        match process::is_there(&self.program) {
            true => Ok(program.to_string()),
            false => Err(format!("there is no program `{program}`")),
        }
    }
}

/// Puts into words how a program ended.
struct Report {
    id: Text,
    program: PathBuf,
    /// Whether a failure after the start leaves a doubt.
    happened: Happened,
}

impl Report {
    fn answer(&self, ended: Ended, complaint: &str, time_max: Duration) -> Result<Value, Fault> {
        let id = &self.id;
        match ended {
            Ended::Exited(status, answer) if status.success() => self.read(&answer, complaint),
            Ended::Exited(status, _) => Err(self.failed(status, complaint)),
            Ended::NotStarted(error) => Err(self.not_started(&error)),
            Ended::TimedOut => {
                let message = format!("`{id}` took longer than {time_max:?} and was killed");
                Err(self.fault(FaultKind::Timeout, message, complaint))
            }
            Ended::Flooded => {
                let message = format!(
                    "`{id}` wrote more than {ANSWER_MAX} bytes to standard output and was killed"
                );
                Err(self.fault(FaultKind::Tool, message, complaint))
            }
            Ended::LeftBehind(status) => {
                let message = format!(
                    "`{id}` ended with {}, but a program that it started holds its output open; \
                     redirect the output of what goes on in the background",
                    in_words(status)
                );
                Err(self.fault(FaultKind::Tool, message, complaint))
            }
            Ended::Broken(error) => {
                let message = format!("the connection to `{id}` broke: {error}");
                Err(self.fault(FaultKind::Tool, message, complaint))
            }
        }
    }

    /// Nothing at all is null: a program that only does something need not say anything.
    fn read(&self, answer: &[u8], complaint: &str) -> Result<Value, Fault> {
        let read = match std::str::from_utf8(answer) {
            Ok(text) if text.trim().is_empty() => return Ok(Value::Null),
            Ok(text) => json::parse(text).map_err(|error| error.message),
            Err(_) => Err("it is not even UTF-8".to_owned()),
        };
        read.map_err(|why| {
            let text = String::from_utf8_lossy(answer);
            let start: String = text.trim_start().chars().take(SHOWN_MAX).collect();
            let message = format!(
                "the answer of `{}` cannot be read as JSON ({why}); it begins with `{}`",
                self.id,
                plain(start.trim_end())
            );
            self.fault(FaultKind::Tool, message, complaint)
        })
    }

    fn failed(&self, status: ExitStatus, complaint: &str) -> Fault {
        let id = &self.id;
        let how = in_words(status);
        let message = match (status.code(), complaint) {
            (_, "") => format!("`{id}` ended with {how} and wrote nothing to standard error"),
            (Some(_), complaint) => complaint.to_owned(),
            // A program that was killed may have had no time to say so.
            (None, complaint) => format!("`{id}` ended with {how}, after it wrote: {complaint}"),
        };
        let tool = ("tool", Value::Text(id.clone()));
        let fault = match status.code() {
            // It came to its end and says itself that it failed: that is not in doubt.
            Some(code) => {
                let code = ("exit_code", Value::Int(code.into()));
                detailed(FaultKind::Tool, message, [tool, code]).reported()
            }
            None => {
                let signal = ("signal", status.signal().map(i64::from).into());
                detailed(FaultKind::Tool, message, [tool, signal])
            }
        };
        fault.with_happened(self.happened)
    }

    fn not_started(&self, error: &io::Error) -> Fault {
        let help = match error.kind() {
            io::ErrorKind::PermissionDenied => "; may it be executed (`chmod +x`)?",
            io::ErrorKind::NotFound => "; is it there, and the interpreter that it names?",
            _ => "",
        };
        let message =
            format!("`{}` cannot be started: `{}`: {error}{help}", self.id, self.program.display());
        let tool = ("tool", Value::Text(self.id.clone()));
        detailed(FaultKind::Tool, message, [tool]).with_happened(Happened::No)
    }

    fn fault(&self, kind: FaultKind, message: String, complaint: &str) -> Fault {
        let tool = ("tool", Value::Text(self.id.clone()));
        let stderr = ("stderr", Value::text(complaint));
        detailed(kind, message, [tool, stderr]).with_happened(self.happened)
    }
}

fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}
