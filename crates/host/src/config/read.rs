//! From the text of `quipu.toml` to what it says.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use diagnostics::{Source, Span, nearest, plain};
use graph::{Again, Touches};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use value::Text;

use super::{Binding, Config, Finding, Tool};
use crate::adapter::Contract;
use crate::tools::{BUILTINS, Builtin, Executable, duration};

/// What `[tools.ID]` may have, with what each must be.
const MEMBERS: &[(&str, &str)] = &[
    ("command", "a list of texts, such as `[\"./tool\", \"--json\"]`"),
    ("builtin", "the name of a built-in tool, as text"),
    ("touches", "`\"read\"` or `\"write\"`"),
    ("again", "`\"free\"`, `\"key\"` or `\"ask\"`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
    ("env", "a list of names of variables, such as `[\"TOKEN\"]`"),
    ("concurrency", "a whole number from 1 on"),
];

/// They say how a program is run, and nothing about what is built in.
const OF_PROGRAMS: &[&str] = &["touches", "again", "timeout", "env"];

/// How many places where a text is no TOML are shown.
const BREAKS_MAX: usize = 10;

type Place = Range<usize>;
type Item<'a, 'i> = &'a Spanned<DeValue<'i>>;

pub(super) fn config(source: &Source, folder: &Path) -> Result<Config, Vec<Finding>> {
    let mut reader = Reader { source, folder, findings: Vec::new() };
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    for error in &errors {
        let message = format!("this is not TOML: {}", plain(error.message()));
        reader.found(error.span().unwrap_or_default(), message);
    }
    // What follows on a line that cannot be read only repeats the error, and so does what the
    // rest of the text seems to say.
    reader.findings.dedup_by_key(|finding| finding.at.line);
    reader.findings.truncate(BREAKS_MAX);
    let config = errors.is_empty().then(|| reader.document(document.get_ref()));
    reader.findings.sort_by_key(|finding| finding.at);
    match config {
        Some(config) if reader.findings.is_empty() => Ok(config),
        _ => Err(reader.findings),
    }
}

struct Reader<'a> {
    source: &'a Source,
    folder: &'a Path,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn found(&mut self, at: Place, message: impl Into<String>) {
        self.helped(at, message, None);
    }

    fn helped(&mut self, at: Place, message: impl Into<String>, help: Option<String>) {
        let at = self.source.position(Span::new(at.start, at.end).start);
        let file = self.source.file.clone();
        self.findings.push(Finding { file, at, message: message.into(), help });
    }

    /// A name that is none of those there are.
    fn unknown(&mut self, at: Place, what: &str, name: &str, known: &[&str]) {
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(known)),
        };
        self.helped(at, format!("unknown {what} `{}`", plain(name)), Some(help));
    }

    /// A member that is not what it must be.
    fn wrong_kind(&mut self, at: Place, member: &str) {
        let wanted = MEMBERS.iter().find(|(name, _)| *name == member).map_or("", |found| found.1);
        self.found(at, format!("`{member}` must be {wanted}"));
    }

    fn document(&mut self, document: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        for (name, value) in document.iter() {
            let (name, at) = (name.get_ref().as_ref(), name.span());
            match (name, value.get_ref()) {
                ("tools", DeValue::Table(tools)) => config.tools = self.tools(tools),
                ("tools", _) => self.found(at, "`tools` must be a table: write `[tools.ID]`"),
                _ => self.unknown(at, "key", name, &["tools"]),
            }
        }
        config
    }

    fn tools(&mut self, tools: &DeTable<'_>) -> BTreeMap<Text, Tool> {
        let mut read = BTreeMap::new();
        for (name, value) in tools.iter() {
            let id = Text::from(name.get_ref().as_ref());
            match value.get_ref() {
                _ if id.is_empty() => self.found(name.span(), "a tool needs an id"),
                DeValue::Table(members) => {
                    read.extend(self.tool(&id, name.span(), members).map(|tool| (id, tool)));
                }
                _ => self.found(name.span(), format!("write `[tools.{id}]` and its members below")),
            }
        }
        read
    }

    fn tool(&mut self, id: &Text, at: Place, table: &DeTable<'_>) -> Option<Tool> {
        let mut members: BTreeMap<&str, (Place, Item<'_, '_>)> = BTreeMap::new();
        for (name, value) in table.iter() {
            match MEMBERS.iter().find(|(known, _)| *known == name.get_ref().as_ref()) {
                Some((known, _)) => drop(members.insert(known, (name.span(), value))),
                None => {
                    let known: Vec<&str> = MEMBERS.iter().map(|(name, _)| *name).collect();
                    self.unknown(name.span(), "key", name.get_ref(), &known);
                }
            }
        }
        let concurrency = members.get("concurrency").and_then(|(_, value)| {
            self.read(value, "concurrency", |value| whole(value).map(NonZeroU32::get))
        });
        let binding = match (members.get("command"), members.get("builtin")) {
            (Some((_, command)), None) => self.executable(id, command, &members)?,
            (None, Some((_, name))) => self.builtin(name, &members)?,
            (Some(_), Some((again, _))) => {
                self.found(again.clone(), "a tool has either a `command` or a `builtin`");
                return None;
            }
            (None, None) => {
                let help = "add `command = [\"./program\"]` or `builtin = \"NAME\"`";
                self.helped(at, format!("nothing answers `{}`", plain(id)), Some(help.to_owned()));
                return None;
            }
        };
        Some(Tool { binding, concurrency: concurrency.map(|number| number as usize) })
    }

    fn executable(
        &mut self,
        id: &Text,
        command: Item<'_, '_>,
        members: &BTreeMap<&str, (Place, Item<'_, '_>)>,
    ) -> Option<Binding> {
        let member = |name: &'static str| members.get(name).map(|(_, value)| (name, *value));
        let (touches, again) = (member("touches"), member("again"));
        let (timeout, env) = (member("timeout"), member("env"));
        let touches = touches.map_or(Some(Touches::Write), |(name, value)| {
            self.word(value, name, &[("read", Touches::Read), ("write", Touches::Write)])
        });
        let again = again.map_or(Some(Again::ByAsking), |(name, value)| {
            let words =
                [("free", Again::Freely), ("key", Again::WithKey), ("ask", Again::ByAsking)];
            self.word(value, name, &words)
        });
        let timeout = timeout.map(|(name, value)| self.read(value, name, time));
        let env = env.map_or(Some(Vec::new()), |(name, value)| {
            self.read(value, name, |value| {
                texts(value).filter(|all| all.iter().all(|name| is_variable(name)))
            })
        });
        let command = self.read(command, "command", |value| {
            texts(value).filter(|all| all.first().is_some_and(|program| !program.is_empty()))
        })?;
        let (program, arguments) = command.split_first().expect("only a full list is read");
        Some(Binding::Executable(Box::new(Executable {
            id: id.clone(),
            program: self.program(program),
            arguments: arguments.to_vec(),
            folder: self.folder.to_path_buf(),
            contract: Contract { touches: touches?, again: again? },
            timeout: match timeout {
                Some(given) => Some(given?),
                None => None,
            },
            env: env?,
        })))
    }

    /// A path is taken from the folder of the file, a bare name from `PATH`.
    fn program(&self, name: &str) -> PathBuf {
        if name.contains('/') { self.folder.join(name) } else { PathBuf::from(name) }
    }

    fn builtin(
        &mut self,
        name: Item<'_, '_>,
        members: &BTreeMap<&str, (Place, Item<'_, '_>)>,
    ) -> Option<Binding> {
        for (member, (at, _)) in members {
            if OF_PROGRAMS.contains(member) {
                let message = format!("`{member}` is for a `command`: what is built in is known");
                self.found(at.clone(), message);
            }
        }
        let known: Vec<(&str, &'static Builtin)> =
            BUILTINS.iter().map(|tool| (tool.name, tool)).collect();
        self.word(name, "builtin", &known).map(Binding::Builtin)
    }

    /// What a value means, or a finding that it is of the wrong kind.
    fn read<T>(
        &mut self,
        value: Item<'_, '_>,
        member: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let read = read(value.get_ref());
        if read.is_none() {
            self.wrong_kind(value.span(), member);
        }
        read
    }

    /// One of the words that are allowed.
    fn word<T: Copy>(
        &mut self,
        value: Item<'_, '_>,
        member: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let word = self.read(value, member, |value| value.as_str().map(str::to_owned))?;
        let found = words.iter().find(|(known, _)| *known == word);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            self.unknown(value.span(), member, &word, &known);
        }
        found.map(|(_, meaning)| *meaning)
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let items = value.as_array()?.iter();
    items.map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn whole(value: &DeValue<'_>) -> Option<NonZeroU32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok().and_then(NonZeroU32::new)
}

fn time(value: &DeValue<'_>) -> Option<Duration> {
    match value {
        DeValue::String(text) => duration::parse(text).filter(|time| !time.is_zero()),
        other => whole(other).map(|seconds| Duration::from_secs(seconds.get().into())),
    }
}
