//! A tool that is one of the programs that the operator lists, with arguments that are a list from
//! beginning to end: no text is ever read by a shell.
//!
//! It runs in a fixed folder with no variables but those that `env` and `secrets` name. Its answer
//! is what it writes to standard output, as text and without its secrets.

mod template;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use runtime::{Answer, Fault, FaultKind, Happened, Request};
use tokio::process::Command;
use value::{Map, Text, Value};

use super::detailed;
use super::executable::not_run;
use super::process::{self, ANSWER_MAX, Ended};
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described, shorter};
use crate::secrets::{Revealed, Sources};

pub(crate) use template::Element;

/// How long a call may take where nobody says.
const TIME_MAX: Duration = Duration::from_secs(30);

/// How many arguments a program may be given.
const ARGUMENTS_MAX: usize = 1_000;

/// How long all of them may be together, in bytes.
const BYTES_MAX: usize = 128 << 10;

/// A program that the operator lists.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Program {
    /// What calls name it by: as the operator wrote it.
    pub name: String,
    /// Where it is: an absolute path.
    pub path: PathBuf,
}

/// What may be run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Allowed {
    /// One program with arguments that have holes.
    Template(Program, Vec<Element>),
    /// Some programs, with arguments that a call gives within these rules.
    Programs {
        /// Which.
        programs: Vec<Program>,
        /// What the first argument that is no option must be; anything where there are none.
        subcommands: Vec<String>,
        /// Which options there are: a whole one, or one that ends in `=` and anything behind it.
        options: Vec<String>,
    },
}

/// A program that answers the calls of a tool with what it prints.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// The tool's id.
    pub id: Text,
    /// What may be run.
    pub allowed: Allowed,
    /// Arguments that may begin with `-`.
    pub dashes: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
    /// What its operator declared.
    pub contract: Contract,
    /// How long a call may take, where its operator said so.
    pub timeout: Option<Duration>,
    /// The variables that it may see.
    pub env: Vec<String>,
    /// Secrets that it sees as variables.
    pub(crate) secrets: Sources,
}

impl Shell {
    /// The program and its arguments for a call.
    fn command_line(&self, args: &Map) -> Result<(&Program, Vec<String>), String> {
        let mut line = Vec::new();
        let program = match &self.allowed {
            Allowed::Template(program, elements) => {
                for element in elements {
                    element.filled(args, &self.dashes, &mut line)?;
                }
                program
            }
            Allowed::Programs { programs, subcommands, options } => {
                line = listed(args)?;
                within(&line, subcommands, options)?;
                chosen(args, programs)?
            }
        };
        let bytes: usize = line.iter().map(|one| one.len() + 1).sum();
        if line.len() > ARGUMENTS_MAX || bytes > BYTES_MAX {
            return Err(format!(
                "{} arguments of {bytes} bytes are too much: {ARGUMENTS_MAX} and {BYTES_MAX} are \
                 the most",
                line.len()
            ));
        }
        Ok((program, line))
    }

    fn command(
        &self,
        program: &Program,
        line: &[String],
        call: &Call,
        secrets: &Revealed,
    ) -> Command {
        let mut command = Command::new(&program.path);
        let seen = self.env.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .args(line)
            .current_dir(&self.folder)
            .env_clear()
            .envs(seen)
            .envs(secrets.all().map(|(name, secret)| (&**name, secret)))
            .env("QUIPU_IDEMPOTENCY_KEY", &*call.key);
        command
    }

    fn fault(&self, kind: FaultKind, message: String) -> Fault {
        detailed(kind, message, [("tool", Value::Text(self.id.clone()))])
    }

    fn programs(&self) -> Vec<&Program> {
        match &self.allowed {
            Allowed::Template(program, _) => vec![program],
            Allowed::Programs { programs, .. } => programs.iter().collect(),
        }
    }
}

/// `arguments` of a call: a list of texts.
fn listed(args: &Map) -> Result<Vec<String>, String> {
    let given = match args.get("arguments") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::List(given)) => given,
        Some(other) => {
            return Err(format!("`arguments` must be a list of texts, but is {}", other.kind()));
        }
    };
    let texts = given.iter().map(|one| match one {
        Value::Text(text) if !text.contains('\0') => Ok(text.to_string()),
        Value::Text(_) => Err("`arguments` has a NUL".to_owned()),
        other => Err(format!("`arguments` must be a list of texts, but has {}", other.kind())),
    });
    texts.collect()
}

fn within(line: &[String], subcommands: &[String], options: &[String]) -> Result<(), String> {
    let is_known = |one: &String| {
        let begins = |option: &String| option.ends_with('=') && one.starts_with(option.as_str());
        options.iter().any(|option| option == one || begins(option))
    };
    if let Some(unknown) = line.iter().find(|one| one.starts_with('-') && !is_known(one)) {
        let known = options.join("`, `");
        let known = if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are `{known}`")
        };
        return Err(format!("the option `{unknown}` is not allowed; {known}"));
    }
    let first = line.iter().find(|one| !one.starts_with('-'));
    if subcommands.is_empty() || first.is_some_and(|first| subcommands.contains(first)) {
        return Ok(());
    }
    let known = subcommands.join("`, `");
    Err(format!("the first argument must be one of `{known}`"))
}

fn chosen<'p>(args: &Map, programs: &'p [Program]) -> Result<&'p Program, String> {
    let names = || programs.iter().map(|program| &*program.name).collect::<Vec<_>>().join("`, `");
    let wanted = match (args.get("program"), programs) {
        (None | Some(Value::Null), [only]) => return Ok(only),
        (Some(Value::Text(wanted)), _) => wanted,
        _ => return Err(format!("`program` must be one of `{}`", names())),
    };
    let found = programs.iter().find(|program| program.name == **wanted);
    found.ok_or_else(|| format!("`{wanted}` is none of the programs there are: `{}`", names()))
}

impl Adapter for Shell {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let (program, line) = match self.command_line(&tool.args) {
            Ok(line) => line,
            Err(why) => {
                let message = format!("`{}` was not run: {why}", self.id);
                let fault = self.fault(FaultKind::Denied, message);
                return Calling::Now(Answer::Failed(fault.with_happened(Happened::No)));
            }
        };
        let time_max = shorter(self.timeout, tool.timeout_ms).unwrap_or(TIME_MAX);
        let secrets = match self.secrets.reveal() {
            Ok(secrets) => secrets,
            Err(why) => return Calling::Now(Answer::Failed(not_run(&self.id, &why))),
        };
        let command = self.command(program, &line, &call, &secrets);
        let (own, name) = (self.clone(), program.name.clone());
        Calling::Later(Box::pin(async move {
            let (ended, complaint) = process::run(command, String::new(), time_max).await;
            let answer = own.answer(&name, ended, &secrets.hide(&complaint), time_max);
            secrets.hide_in_result(answer).into()
        }))
    }
}

impl Shell {
    fn answer(
        &self,
        name: &str,
        ended: Ended,
        complaint: &str,
        time_max: Duration,
    ) -> Result<Value, Fault> {
        let said = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        let fault = match ended {
            Ended::Exited(status, output) if status.success() => {
                return match String::from_utf8(output) {
                    Ok(text) => Ok(text.into()),
                    Err(error) => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned().into()),
                };
            }
            Ended::Exited(status, _) => match status.code() {
                Some(code) => {
                    let message = format!("`{name}` ended with exit code {code}{said}");
                    let fault = self.fault(FaultKind::Tool, message);
                    fault.with_detail("exit_code", i64::from(code).into()).reported()
                }
                None => self.fault(FaultKind::Tool, format!("`{name}` was killed{said}")),
            },
            Ended::NotStarted(error) => {
                let kind = match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => FaultKind::Missing,
                    _ => FaultKind::Tool,
                };
                let message = format!(
                    "`{name}` cannot be started, and nothing is run in its place: {error}; \
                     `quipu doctor` looks for the programs of all tools"
                );
                return Err(self.fault(kind, message).with_happened(Happened::No));
            }
            Ended::TimedOut => {
                let message =
                    format!("`{name}` took longer than {time_max:?} and was killed{said}");
                self.fault(FaultKind::Timeout, message)
            }
            Ended::Flooded => {
                let message = format!("`{name}` wrote more than {ANSWER_MAX} bytes and was killed");
                self.fault(FaultKind::Tool, message)
            }
            Ended::LeftBehind(_) => {
                let message =
                    format!("`{name}` ended, but a program that it started holds its output open");
                self.fault(FaultKind::Tool, message)
            }
            Ended::Broken(error) => {
                self.fault(FaultKind::Tool, format!("the connection to `{name}` broke: {error}"))
            }
        };
        Err(fault.with_happened(self.contract.lost()))
    }
}

impl Bound for Shell {
    fn contract(&self) -> Contract {
        self.contract
    }

    fn has_credentials(&self) -> bool {
        process::any_is_set(&self.env) || self.secrets.are_there()
    }

    fn described(&self) -> Described {
        let of = |words: &[&str]| {
            let types = Value::list(words.iter().map(|word| Value::from(*word)));
            Value::map([("type", types)])
        };
        let (mut properties, mut required) = (Map::default(), Vec::new());
        let about = match &self.allowed {
            Allowed::Template(program, elements) => {
                for (name, is_list) in elements.iter().flat_map(Element::holes) {
                    let one = of(&["string", "number", "boolean"]);
                    let list = Value::map([("type", "array".into()), ("items", one.clone())]);
                    if !is_list && !properties.contains_key(name) {
                        required.push(Value::from(name));
                    }
                    properties.insert(name.into(), if is_list { list } else { one });
                }
                let line: Vec<String> = elements.iter().map(Element::to_string).collect();
                format!("Runs `{} {}`.", program.name, line.join(" "))
            }
            Allowed::Programs { programs, .. } => {
                let names = programs.iter().map(|program| Value::from(&*program.name));
                let names = Value::map([("enum", Value::list(names))]);
                properties.insert("program".into(), names);
                let texts = Value::map([("type", "array".into()), ("items", of(&["string"]))]);
                properties.insert("arguments".into(), texts);
                if programs.len() > 1 {
                    required.push("program".into());
                }
                let names: Vec<&str> = programs.iter().map(|program| &*program.name).collect();
                format!("Runs `{}`.", names.join("` or `"))
            }
        };
        let input = Value::map([
            ("type", "object".into()),
            ("properties", properties.into()),
            ("required", Value::list(required)),
            ("additionalProperties", false.into()),
        ]);
        Described { description: Some(about.into()), input: Some(input), output: None }
    }

    fn look(&self) -> Result<String, String> {
        self.secrets.reveal()?;
        let programs = self.programs();
        match programs.iter().find(|program| !program.path.is_file()) {
            Some(gone) => Err(format!("there is no program `{}`", gone.path.display())),
            None => {
                let names: Vec<&str> = programs.iter().map(|program| &*program.name).collect();
                Ok(names.join(", "))
            }
        }
    }
}
