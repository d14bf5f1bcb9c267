//! `[mcp.NAME]`, and tools that are bound to servers.

use std::path::PathBuf;
use std::sync::Arc;

use diagnostics::plain;
use graph::{Again, Touches};
use reqwest::Url;
use reqwest::header::HeaderName;
use toml::de::DeTable;
use value::Text;

use super::Config;
use super::reader::{Item, Known, Members, Place, Reader, command, text, texts, time, variables};
use super::tools::UNKNOWN;
use crate::adapter::Bound;
use crate::mcp::pins::LockFile;
use crate::mcp::{McpResource, McpTool, Reach, Server, Shared, Template};
use crate::secrets::Secretive;

const MEMBERS: Known = &[
    ("command", "a list of texts, such as `[\"./server\", \"--stdio\"]`"),
    ("url", "an address, such as `\"http://127.0.0.1:8931/mcp\"`"),
    ("headers", "a table of texts, such as `{ Authorization = \"Bearer {secret:TOKEN}\" }`"),
    ("env", "a list of names of variables, such as `[\"TOKEN\"]`"),
    ("secrets", "a table of secrets, such as `{ TOKEN = { file = \"./token\" } }`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
    ("roots", "a list of folders, such as `[\"./data\"]`"),
];

/// Headers that belong to the protocol.
const RESERVED: &[&str] =
    &["accept", "content-type", "content-length", "host", "mcp-session-id", "last-event-id"];

impl Reader<'_> {
    /// All servers. They share the list of what was accepted, and whom they tell.
    pub(super) fn servers(&mut self, at: Place, value: Item<'_, '_>, config: &mut Config) {
        let shared = Shared {
            lock: Arc::new(LockFile::in_folder(self.folder)),
            notices: Arc::clone(&config.notices),
            threads: config.keeper.threads(),
        };
        config.servers = self.named("mcp", at, value, |reader, name, at, table| {
            reader.server(name, at, table, &shared)
        });
        self.servers = config.servers.clone();
    }

    fn server(
        &mut self,
        name: &Text,
        at: Place,
        table: &DeTable<'_>,
        shared: &Shared,
    ) -> Option<Arc<Server>> {
        let members = self.members(table, MEMBERS);
        if name.contains('.') {
            self.found(
                at.clone(),
                "the name of a server has no `.`: `SERVER.TOOL` names its tools",
            );
        }
        let timeout = self.given(&members, "timeout", time);
        let roots = self.given(&members, "roots", texts).unwrap_or_default();
        let roots: Vec<PathBuf> =
            roots.iter().map(|root| self.folder.join(root).components().collect()).collect();
        let only = |reader: &mut Self, other: &str, names: &[&str]| {
            for (member, at) in members.names().filter(|(name, _)| names.contains(name)) {
                reader.found(at, format!("`{member}` is for a server with `{other}`"));
            }
        };
        let (reach, given) = match (members.get("command"), members.get("url")) {
            (Some(_), None) => {
                only(self, "url", &["headers"]);
                let env = self.given(&members, "env", variables).unwrap_or_default();
                let command = self.given(&members, "command", command)?;
                let (program, arguments) = command.split_first()?;
                let reach = Reach::Program {
                    program: self.program(program),
                    arguments: arguments.to_vec(),
                    folder: self.folder.to_path_buf(),
                    env,
                };
                (reach, self.program_secrets(&members))
            }
            (None, Some(_)) => {
                only(self, "command", &["env"]);
                let headers = self.server_headers(&members);
                let named = headers.iter().flat_map(|(_, value)| value.secrets());
                let given = self.named_secrets(&members, named);
                (Reach::Address { url: self.address(&members)?, headers }, given)
            }
            (given, _) => {
                let message = match given {
                    Some(_) => format!("`{}` has either `command` or `url`", plain(name)),
                    None => format!("nobody knows where `{}` is", plain(name)),
                };
                let help = "add `command = [\"./server\"]` or `url = \"http://...\"`";
                self.helped(at, message, given.is_none().then(|| help.to_owned()));
                return None;
            }
        };
        Some(Arc::new(Server::new(name.clone(), reach, given, timeout, roots, shared.clone())))
    }

    fn address(&mut self, members: &Members<'_, '_>) -> Option<String> {
        let url = self.given(members, "url", text)?;
        let parsed = Url::parse(&url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let at = members.get("url")?.span();
        match parsed {
            None => self.found(at, "`url` must be an address with `http://` or `https://`"),
            Some(url) if !url.username().is_empty() || url.password().is_some() => self.found(
                at,
                "an address holds no secrets; write `headers = { Authorization = \"Bearer \
                 {secret:NAME}\" }`",
            ),
            Some(_) => return Some(url),
        }
        None
    }

    fn server_headers(&mut self, members: &Members<'_, '_>) -> Vec<(HeaderName, Secretive)> {
        let mut headers = Vec::new();
        for (name, at, value) in self.table(members, "headers") {
            let header = HeaderName::try_from(name).ok();
            let header = header.filter(|header| !RESERVED.contains(&header.as_str()));
            let Some(header) = header else {
                self.found(at, format!("`{}` is no header to set", plain(name)));
                continue;
            };
            match value.get_ref().as_str().map(Secretive::parse) {
                Some(Ok(secretive)) => headers.push((header, secretive)),
                Some(Err(why)) => self.found(value.span(), why),
                None => self.found(value.span(), "a header must be text"),
            }
        }
        headers
    }

    /// A tool or a resource of a server.
    pub(super) fn of_server(
        &mut self,
        id: &Text,
        members: &Members<'_, '_>,
    ) -> Option<Arc<dyn Bound>> {
        let mut contract = self.contract(members, UNKNOWN);
        let timeout = self.given(members, "timeout", time);
        let of_programs = |(name, _): &(&str, Place)| ["env", "secrets"].contains(name);
        for (member, at) in members.names().filter(of_programs) {
            self.found(at, format!("`{member}` is for a `command`, or for the server itself"));
        }
        let name = self.given(members, "mcp", text)?;
        let tool = self.given(members, "tool", text).map_or(id.clone(), Text::from);
        let resource = self.given(members, "resource", text);
        let Some(server) = self.servers.get(&*name).cloned() else {
            let known: Vec<String> = self.servers.keys().map(ToString::to_string).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let at = members.get("mcp")?.span();
            match known.is_empty() {
                true => {
                    let help = format!("add `[mcp.{}]`", plain(&name));
                    self.helped(at, format!("unknown server `{}`", plain(&name)), Some(help));
                }
                false => self.unknown(at, "server", &name, &known),
            }
            return None;
        };
        let Some(resource) = resource else {
            return Some(Arc::new(McpTool { id: id.clone(), server, tool, contract, timeout }));
        };
        if let Some((_, at)) = members.names().find(|(name, _)| *name == "tool") {
            self.found(at, "a binding has either `tool` or `resource`");
        }
        // Reading leaves nothing behind, unless somebody says that here it does.
        if members.get("touches").is_none() {
            contract.touches = Touches::Read;
        }
        if members.get("again").is_none() {
            contract.again = Again::Freely;
        }
        match Template::parse(&resource) {
            Ok(uri) => {
                Some(Arc::new(McpResource { id: id.clone(), server, uri, contract, timeout }))
            }
            Err(why) => {
                let at = members.get("resource")?.span();
                self.found(at, format!("this is no address of a resource: {why}"));
                None
            }
        }
    }
}
