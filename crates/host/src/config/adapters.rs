//! `[adapters.NAME]`: what the adapters that are built in may do. Nothing, unless it is written here.

use toml::de::DeTable;
use value::Text;

use super::reader::{Item, Known, Place, Reader, listed, text, texts, time, variables};
use crate::adapters::{Adapters, Env, Fs, Http, Right, Sqlite};

const HTTP: Known = &[
    ("allow", "a list of hosts, such as `[\"api.example.com\", \"127.0.0.1:8080\"]`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
    ("bytes_max", "a whole number of bytes from 1 to 1073741824"),
];

const FS: Known = &[
    ("root", "the path of a folder, as text"),
    ("allow", "a list of operations, such as `[\"read\", \"list\"]`"),
    ("max_bytes", "a whole number from 1 on"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
];

const SQLITE: Known = &[
    ("path", "the path of a database, as text"),
    ("allow", "a list of `\"query\"` and `\"execute\"`"),
    ("timeout", "a duration such as `\"30s\"`, or a whole number of seconds from 1 on"),
];

const LLM: Known = &[("model", "the name of a model, as text")];

const ENV: Known = &[("allow", "a list of names of variables, such as `[\"HOME_REGION\"]`")];

/// Those that are built in.
const NAMES: &[&str] = &["env", "fs", "http", "llm", "sqlite"];

impl Reader<'_> {
    /// `[adapters]`
    pub(super) fn adapters(&mut self, at: Place, value: Item<'_, '_>) -> Adapters {
        let mut all = Adapters::default();
        self.named("adapters", at, value, |reader, name, at, table| {
            match &**name {
                "http" => all.http = reader.http_adapter(at, table),
                "fs" => all.fs = reader.fs_adapter(at, table),
                "sqlite" => all.sqlite = reader.sqlite_adapter(at, table),
                "llm" => all.llm = reader.llm_adapter(at, table),
                "env" => all.env = reader.env_adapter(at, table),
                other => {
                    let help = format!(
                        "{} are built in; any other namespace is a tool: write `[tools.{other}]`",
                        listed(NAMES)
                    );
                    reader.helped(at, format!("there is no adapter `{other}`"), Some(help));
                }
            }
            None::<()>
        });
        all
    }

    fn http_adapter(&mut self, at: Place, table: &DeTable<'_>) -> Option<Http> {
        let members = self.members(table, HTTP);
        self.given(&members, "timeout", time);
        let (allowed, limits) = (self.allowed(&members), self.limits(&members));
        let words = members.get("allow").and_then(|item| texts(item.get_ref()));
        if members.get("allow").is_none() || allowed.is_empty() && words.is_some() {
            let help = "write `allow = [\"api.example.com\"]`".to_owned();
            self.helped(at, "`[adapters.http]` lists no host", Some(help));
            return None;
        }
        Some(Http::new(words?.into_iter().map(Text::from).collect(), allowed, limits))
    }

    fn fs_adapter(&mut self, at: Place, table: &DeTable<'_>) -> Option<Fs> {
        let members = self.members(table, FS);
        let timeout = self.given(&members, "timeout", time);
        let files = self.folder_of(&"fs".into(), ("[adapters.fs]", at), &members, timeout)?;
        Some(Fs { files })
    }

    fn sqlite_adapter(&mut self, at: Place, table: &DeTable<'_>) -> Option<Sqlite> {
        let members = self.members(table, SQLITE);
        let timeout = self.given(&members, "timeout", time);
        let mut allow = vec![Right::Query];
        if let Some(words) = self.given(&members, "allow", texts) {
            allow.clear();
            let known: Vec<&str> = Right::ALL.iter().map(|(word, _)| *word).collect();
            let place = members.get("allow").map(|item| item.span()).unwrap_or_default();
            if words.is_empty() {
                let message = format!("`allow` is empty: there are {}", listed(&known));
                self.found(place.clone(), message);
            }
            for word in words {
                match Right::ALL.iter().find(|(known, _)| *known == word) {
                    Some((_, right)) => allow.push(*right),
                    None => self.unknown(place.clone(), "right", &word, &known),
                }
            }
        }
        if members.get("path").is_none() {
            let help = "write `path = \"./app.db\"`".to_owned();
            self.helped(at, "`[adapters.sqlite]` needs a `path`", Some(help));
        }
        let path = self.given(&members, "path", |value| text(value).filter(|it| !it.is_empty()))?;
        Some(Sqlite::new(self.folder.join(path), allow, timeout))
    }

    fn llm_adapter(&mut self, at: Place, table: &DeTable<'_>) -> Option<Text> {
        let members = self.members(table, LLM);
        if members.get("model").is_none() {
            self.found(at, "`[adapters.llm]` needs a `model`");
        }
        let model = self.given(&members, "model", |value| text(value).filter(|it| !it.is_empty()));
        model.map(Text::from)
    }

    fn env_adapter(&mut self, at: Place, table: &DeTable<'_>) -> Option<Env> {
        let members = self.members(table, ENV);
        if members.get("allow").is_none() {
            self.found(at, "`[adapters.env]` needs `allow`: the variables that may be read");
        }
        let allow = self.given(&members, "allow", variables)?;
        Some(Env { allow: allow.into_iter().map(Text::from).collect() })
    }
}
