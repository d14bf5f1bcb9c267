//! `quipu.lock`: what was accepted of the tools of servers, in the words that were accepted.
//!
//! A tool that is not in it, or not like that any more, is not called. Only `quipu tools accept`
//! writes it. It is JSON with sorted members, so that a review sees which words changed:
//!
//! ```json
//! {"mcp": {"files": {"search": {"hash": "sha256:...", "description": "...", "inputSchema": {}}}},
//!  "version": 1}
//! ```

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use value::{Text, Value, json};

use super::offered::Offered;

/// The name of the file, which stands beside `quipu.toml`.
pub const FILE: &str = "quipu.lock";

const VERSION: i64 = 1;

/// More than any number of tools that a person would look through.
const BYTES_MAX: u64 = 32 << 20;

/// What was accepted, by server and by the name of the tool there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pins(BTreeMap<Text, BTreeMap<Text, Offered>>);

/// How a tool stands against what was accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It is as it was accepted.
    Fine,
    /// It was never accepted.
    New,
    /// It differs from what was accepted, in these places.
    Changed(Vec<String>),
    /// It was accepted, and the server has it no more.
    Gone,
}

impl State {
    /// The word in lists.
    pub fn word(&self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::New => "new",
            State::Changed(_) => "changed",
            State::Gone => "gone",
        }
    }
}

/// Why `quipu.lock` is of no use. Then nothing is taken for accepted.
#[derive(Debug, thiserror::Error)]
pub enum PinsError {
    /// It cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It does not say what it should.
    #[error(
        "`{}` is no list of accepted tools: {why}; take it from version control, or remove it and \
         look at the tools again with `quipu tools accept`",
        path.display()
    )]
    Wrong {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl Pins {
    /// What was accepted of a tool.
    pub fn get(&self, server: &str, tool: &str) -> Option<&Offered> {
        self.0.get(server)?.get(tool)
    }

    /// What was accepted of a server's tools.
    pub fn of(&self, server: &str) -> impl Iterator<Item = &Offered> {
        self.0.get(server).into_iter().flat_map(BTreeMap::values)
    }

    /// How a tool stands that a server offers.
    pub fn state(&self, server: &str, offered: &Offered) -> State {
        match self.get(server, offered.name()) {
            None => State::New,
            Some(pinned) if pinned.hash() == offered.hash() => State::Fine,
            Some(pinned) => State::Changed(pinned.differences(offered)),
        }
    }

    /// Accepts a tool as it is offered.
    pub fn accept(&mut self, server: &Text, offered: Offered) {
        let tools = self.0.entry(server.clone()).or_default();
        tools.insert(offered.name().into(), offered);
    }

    /// Takes back that a tool was accepted.
    pub fn remove(&mut self, server: &str, tool: &str) {
        if let Some(tools) = self.0.get_mut(server) {
            tools.remove(tool);
        }
        self.0.retain(|_, tools| !tools.is_empty());
    }

    fn parse(text: &str) -> Result<Pins, String> {
        let document = json::parse(text).map_err(|error| error.message)?;
        if document.get("version") != Some(&Value::Int(VERSION)) {
            return Err(format!("its `version` is not {VERSION}"));
        }
        let mut pins = Pins::default();
        let servers = document.get("mcp").and_then(Value::as_map).ok_or("there is no `mcp`")?;
        for (server, tools) in servers {
            for (name, pinned) in tools.as_map().ok_or("a server is no object")? {
                let members = pinned.as_map().ok_or("a tool is no object")?;
                let named = members.iter().map(|(key, value)| (key.clone(), value.clone()));
                let named = named.chain([("name".into(), Value::Text(name.clone()))]);
                let offered =
                    Offered::from_value(&Value::map(named)).ok_or("a tool has no name")?;
                let hash = pinned.get("hash").and_then(Value::as_text);
                if hash.map(|hash| &**hash) != Some(&*offered.hash().to_string()) {
                    return Err(format!("the hash of `{server}.{name}` is not that of its words"));
                }
                pins.accept(server, offered);
            }
        }
        Ok(pins)
    }

    fn text(&self) -> String {
        let servers = self.0.iter().map(|(server, tools)| {
            let tools = tools.iter().map(|(name, offered)| (name.clone(), pinned(offered)));
            (server.clone(), Value::map(tools))
        });
        let document = [("mcp", Value::map(servers)), ("version", Value::Int(VERSION))];
        format!("{}\n", json::pretty(&Value::map(document)).trim_end())
    }
}

/// A tool as the file holds it: its name stands before it.
fn pinned(offered: &Offered) -> Value {
    let hash = ("hash".into(), Value::text(offered.hash().to_string()));
    let Value::Map(members) = offered.to_value() else { unreachable!("it is made of members") };
    let members = members.iter().filter(|(name, _)| &***name != "name");
    let members = members.map(|(name, value)| (name.clone(), value.clone()));
    Value::map::<Text>([hash].into_iter().chain(members))
}

/// The file. It is read again when it has changed, so that what is accepted meanwhile counts.
#[derive(Debug)]
pub struct LockFile {
    path: PathBuf,
    read: Mutex<Option<(Stamp, Arc<Pins>)>>,
}

/// What a file that has not changed has in common with itself.
type Stamp = (SystemTime, u64);

impl LockFile {
    /// The one in a folder.
    pub(crate) fn in_folder(folder: &Path) -> LockFile {
        LockFile { path: folder.join(FILE), read: Mutex::default() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says. Where there is none, nothing was accepted.
    pub fn pins(&self) -> Result<Arc<Pins>, PinsError> {
        let unreadable = |source| PinsError::Unreadable { path: self.path.clone(), source };
        let stamp = match std::fs::metadata(&self.path) {
            Ok(found) => (found.modified().map_err(unreadable)?, found.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Arc::default()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, pins)) = &*read
            && *known == stamp
        {
            return Ok(Arc::clone(pins));
        }
        let wrong = |why| PinsError::Wrong { path: self.path.clone(), why };
        if stamp.1 > BYTES_MAX {
            return Err(wrong(format!("it is larger than {BYTES_MAX} bytes")));
        }
        let text = std::fs::read_to_string(&self.path).map_err(unreadable)?;
        let pins = Arc::new(Pins::parse(&text).map_err(wrong)?);
        *read = Some((stamp, Arc::clone(&pins)));
        Ok(pins)
    }

    /// Writes what was accepted, all of it or nothing.
    pub fn write(&self, pins: &Pins) -> Result<(), PinsError> {
        let unwritable = |source| PinsError::Unwritable { path: self.path.clone(), source };
        let beside = self.path.with_extension(format!("lock-{}", std::process::id()));
        std::fs::write(&beside, pins.text()).map_err(unwritable)?;
        std::fs::rename(&beside, &self.path).map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            unwritable(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins() -> Pins {
        let mut pins = Pins::default();
        for (server, tool) in [
            ("web", r#"{"name": "fetch", "inputSchema": {"type": "object"}}"#),
            ("files", r#"{"name": "b", "description": "ü", "inputSchema": {"b": 1, "a": 2}}"#),
            ("files", r#"{"name": "a", "title": "A", "inputSchema": {}}"#),
        ] {
            let offered = Offered::from_value(&json::parse(tool).unwrap()).unwrap();
            pins.accept(&server.into(), offered);
        }
        pins
    }

    #[test]
    fn what_is_written_is_read_again_and_has_one_order() {
        let text = pins().text();
        assert_eq!(Pins::parse(&text).unwrap(), pins());
        let order: Vec<usize> = ["\"files\"", "\"a\"", "\"b\"", "\"web\"", "\"version\""]
            .map(|word| text.find(word).unwrap())
            .into();
        assert!(order.is_sorted(), "{text}");
    }

    #[test]
    fn a_file_that_was_changed_by_hand_accepts_nothing() {
        let text = pins().text();
        for (changed, why) in [
            (text.replace('ü', "u"), "the hash of `files.b` is not that of its words"),
            (text.replace("\"version\": 1", "\"version\": 2"), "its `version` is not 1"),
            (text.replace("\"mcp\"", "\"mpc\""), "there is no `mcp`"),
            (
                text.replace("\"fetch\"", "\"get\""),
                "the hash of `web.get` is not that of its words",
            ),
        ] {
            assert_eq!(Pins::parse(&changed).unwrap_err(), why);
        }
        assert!(Pins::parse("{").is_err());
    }
}
