//! `[tools.ID]`

use std::sync::Arc;

use diagnostics::plain;
use graph::{Again, Touches};
use toml::de::DeTable;
use value::Text;

use super::Tool;
use super::api::OF_HTTP;
use super::reader::{Known, Members, Place, Reader, command, time, variables, whole};
use super::terms::{AGAIN, TOUCHES};
use crate::adapter::{Bound, Contract};
use crate::tools::{BUILTINS, Builtin, Executable};

const MEMBERS: Known = &[
    ("command", "a list of texts, such as `[\"./tool\", \"--json\"]`"),
    ("builtin", "the name of a built-in tool, as text"),
    ("http", "a method and a URL, such as `\"GET https://api.example/items/{id}\"`"),
    ("headers", "a table of headers, such as `{ Accept = \"application/json\" }`"),
    ("body", "a table, a list or text"),
    ("secrets", "a table of secrets, such as `{ TOKEN = { env = \"TOKEN\" } }`"),
    ("allow", "a list of hosts and addresses, such as `[\"localhost:8080\", \"10.0.0.0/8\"]`"),
    ("answer", "`\"body\"` or `\"whole\"`"),
    ("bytes_max", "a whole number of bytes from 1 to 1073741824"),
    ("mcp", "the name of a server, as text"),
    ("tool", "the name of a tool at its server, as text"),
    ("resource", "the address of a resource, such as `\"file:///{+path}\"`"),
    ("touches", "`\"read\"` or `\"write\"`"),
    ("again", "`\"free\"`, `\"key\"` or `\"ask\"`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
    ("env", "a list of names of variables, such as `[\"TOKEN\"]`"),
    ("concurrency", "a whole number from 1 on"),
    ("files", "a table, such as `{ root = \"./notes\" }`"),
    ("shell", "a list of a program and its arguments, or a table with `programs`"),
    ("composite", "a list of ids of tools"),
    ("description", "text"),
    ("input", "a JSON Schema as a table, or the path of one"),
    ("output", "a JSON Schema as a table, or the path of one"),
    ("permissions", "a list of capabilities, such as `[\"net.web\"]`"),
    ("cost", "an amount as text, such as `\"0.02\"`"),
    ("replay", "`\"must-stub\"`, `\"fail-loud\"` or `\"live\"`"),
    ("auth_required", "`true` or `false`"),
    ("folder", "the path of a folder, as text"),
    ("dashes", "a list of names of arguments"),
];

/// What answers the calls of a tool: each has exactly one of these.
const BINDINGS: &[&str] = &["command", "builtin", "http", "mcp", "files", "shell", "composite"];

/// They say how a program is run, and nothing about what is built in.
const OF_PROGRAMS: &[&str] = &["touches", "again", "timeout", "env", "secrets"];

/// What only one kind of binding understands, and what others know by themselves: by its name, and
/// the bindings that have no use for it.
const USELESS: &[(&str, &[&str], &str)] = &[
    ("touches", &["files", "composite"], "what it touches is known"),
    ("again", &["files", "composite"], "how it may run again is known"),
    ("env", &["files", "composite"], "it starts no program"),
    ("secrets", &["files", "composite"], "it starts no program"),
    ("env", &["http"], "write `{secret:NAME}`"),
    ("folder", &["command", "builtin", "http", "files", "composite"], "it is for `shell`"),
    ("dashes", &["command", "builtin", "http", "files", "composite"], "it is for `shell`"),
];

/// A program of which nothing is said may do anything, and must not be repeated.
pub(super) const UNKNOWN: Contract = Contract { touches: Touches::Write, again: Again::ByAsking };

impl Reader<'_> {
    pub(super) fn tool(&mut self, id: &Text, at: Place, table: &DeTable<'_>) -> Option<Tool> {
        let members = self.members(table, MEMBERS);
        let concurrency = self.given(&members, "concurrency", whole);
        let mut bindings: Vec<(&str, Place)> =
            members.names().filter(|(name, _)| BINDINGS.contains(name)).collect();
        bindings.sort_by_key(|(_, place)| place.start);
        let Some((kind, _)) = bindings.first() else {
            let help = "say what does, such as `command = [\"./program\"]`";
            self.helped(at, format!("nothing answers `{}`", plain(id)), Some(help.to_owned()));
            return None;
        };
        if let Some((other, again)) = bindings.get(1) {
            self.found(again.clone(), format!("a tool has either `{kind}` or `{other}`"));
            return None;
        }
        for (member, at) in members.names() {
            if *kind != "http" && OF_HTTP.contains(&member) {
                self.found(at, format!("`{member}` is for `http`"));
                continue;
            }
            let useless =
                USELESS.iter().find(|(name, kinds, _)| *name == member && kinds.contains(kind));
            if let Some((_, _, why)) = useless {
                self.found(at, format!("`{member}` says nothing of `{kind}`: {why}"));
            }
        }
        let concurrency = concurrency.map(|number| number.get() as usize);
        let terms = self.terms(&members);
        let bound = match *kind {
            "command" => self.executable(id, &members)?,
            "http" => self.api(id, &members)?,
            "files" => self.files(id, &members)?,
            "shell" => self.shell(id, &members)?,
            "composite" => {
                self.composite(id, &members, concurrency, terms);
                return None;
            }
            "mcp" => self.of_server(id, &members)?,
            _ => self.builtin(&members)?,
        };
        Some(Tool { bound, concurrency, terms })
    }

    /// What its author declares of a tool.
    pub(super) fn contract(&mut self, members: &Members<'_, '_>, otherwise: Contract) -> Contract {
        // What is wrong with these words is found with the rest of the terms.
        let (touches, again) =
            (quietly(members, "touches", &TOUCHES), quietly(members, "again", &AGAIN));
        Contract {
            touches: touches.unwrap_or(otherwise.touches),
            again: again.unwrap_or(otherwise.again),
        }
    }

    fn executable(&mut self, id: &Text, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        let contract = self.contract(members, UNKNOWN);
        let timeout = self.given(members, "timeout", time);
        let env = self.given(members, "env", variables).unwrap_or_default();
        let secrets = self.program_secrets(members);
        let command = self.given(members, "command", command)?;
        let (program, arguments) = command.split_first()?;
        Some(Arc::new(Executable {
            id: id.clone(),
            program: self.program(program),
            arguments: arguments.to_vec(),
            folder: self.folder.to_path_buf(),
            contract,
            timeout,
            env,
            secrets,
        }))
    }

    fn builtin(&mut self, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        for (member, at) in members.names() {
            if OF_PROGRAMS.contains(&member) {
                let message = format!("`{member}` is for a `command`: what is built in is known");
                self.found(at, message);
            }
        }
        let known: Vec<(&str, &'static Builtin)> =
            BUILTINS.iter().map(|tool| (tool.name, tool)).collect();
        self.word(members, "builtin", &known).map(|tool| Arc::new(tool) as Arc<dyn Bound>)
    }
}

/// One of the words that are allowed, where it is one of them.
fn quietly<T: Copy>(members: &Members<'_, '_>, member: &str, words: &[(&str, T)]) -> Option<T> {
    let word = members.get(member)?.get_ref().as_str()?;
    words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}
