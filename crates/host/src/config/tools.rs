//! `[tools.ID]`

use std::sync::Arc;

use diagnostics::plain;
use graph::{Again, Touches};
use toml::de::DeTable;
use value::Text;

use super::Tool;
use super::api::OF_HTTP;
use super::reader::{Known, Members, Place, Reader, command, time, variables, whole};
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
    ("touches", "`\"read\"` or `\"write\"`"),
    ("again", "`\"free\"`, `\"key\"` or `\"ask\"`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
    ("env", "a list of names of variables, such as `[\"TOKEN\"]`"),
    ("concurrency", "a whole number from 1 on"),
];

/// What answers the calls of a tool: each has exactly one of these.
const BINDINGS: &[&str] = &["command", "builtin", "http"];

/// They say how a program is run, and nothing about what is built in.
const OF_PROGRAMS: &[&str] = &["touches", "again", "timeout", "env"];

impl Reader<'_> {
    pub(super) fn tool(&mut self, id: &Text, at: Place, table: &DeTable<'_>) -> Option<Tool> {
        let members = self.members(table, MEMBERS);
        let concurrency = self.given(&members, "concurrency", whole);
        let mut bindings: Vec<(&str, Place)> =
            members.names().filter(|(name, _)| BINDINGS.contains(name)).collect();
        bindings.sort_by_key(|(_, place)| place.start);
        let Some((kind, _)) = bindings.first() else {
            let help = "add `command = [\"./t\"]`, `builtin = \"NAME\"` or `http = \"GET URL\"`";
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
            } else if *kind == "http" && member == "env" {
                self.found(at, "`env` is for a `command`; here it is `{secret:NAME}`");
            }
        }
        let bound = match *kind {
            "command" => self.executable(id, &members)?,
            "http" => self.api(id, &members)?,
            _ => self.builtin(&members)?,
        };
        Some(Tool { bound, concurrency: concurrency.map(|number| number.get() as usize) })
    }

    /// What its author declares of a tool.
    pub(super) fn contract(&mut self, members: &Members<'_, '_>, otherwise: Contract) -> Contract {
        let touches = [("read", Touches::Read), ("write", Touches::Write)];
        let again = [("free", Again::Freely), ("key", Again::WithKey), ("ask", Again::ByAsking)];
        Contract {
            touches: self.word(members, "touches", &touches).unwrap_or(otherwise.touches),
            again: self.word(members, "again", &again).unwrap_or(otherwise.again),
        }
    }

    fn executable(&mut self, id: &Text, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        let unknown = Contract { touches: Touches::Write, again: Again::ByAsking };
        let contract = self.contract(members, unknown);
        let timeout = self.given(members, "timeout", time);
        let env = self.given(members, "env", variables).unwrap_or_default();
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
