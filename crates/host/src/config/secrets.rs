//! `{ env = "NAME" }` and `{ file = "./path" }`: where a secret is, and never what it is, since this
//! file is shared and committed.

use std::collections::BTreeMap;

use diagnostics::plain;
use toml::de::DeValue;
use value::Text;

use super::reader::{Item, Known, Members, Reader, is_variable, text};
use crate::secrets::{Source, Sources, is_name};

const MEMBERS: Known = &[
    ("env", "the name of an environment variable, as text"),
    ("file", "the path of a file, as text"),
];

impl Reader<'_> {
    /// Where one secret is.
    pub(super) fn source(&mut self, item: Item<'_, '_>) -> Option<Source> {
        let DeValue::Table(table) = item.get_ref() else {
            let help = "write `{ env = \"NAME\" }` or `{ file = \"./path\" }`, and take back a \
                        secret that others may have seen";
            self.helped(item.span(), "a secret must not stand here", Some(help.to_owned()));
            return None;
        };
        let members = self.members(table, MEMBERS);
        let env = self.given(&members, "env", |value| text(value).filter(|it| is_variable(it)));
        let file = self.given(&members, "file", |value| text(value).filter(|it| !it.is_empty()));
        match (env, file) {
            (Some(name), None) => Some(Source::Variable(name)),
            (None, Some(path)) => Some(Source::File(self.folder.join(path))),
            (None, None) if !table.is_empty() => None,
            _ => {
                self.found(item.span(), "a secret has either `env` or `file`");
                None
            }
        }
    }

    /// Where each secret comes from that something names: a variable of the same name, unless
    /// `secrets` says otherwise.
    pub(super) fn named_secrets<'n>(
        &mut self,
        members: &Members<'_, '_>,
        named: impl Iterator<Item = &'n Text>,
    ) -> Sources {
        let mut sources: BTreeMap<Text, Source> =
            named.map(|name| (name.clone(), Source::Variable(name.to_string()))).collect();
        for (name, at, item) in self.table(members, "secrets") {
            let source = self.source(item);
            match sources.get_mut(name) {
                Some(place) => *place = source.unwrap_or_else(|| place.clone()),
                None if is_name(name) => {
                    let help = format!("write `{{secret:{name}}}` where it belongs");
                    self.helped(at, format!("nothing uses the secret `{name}`"), Some(help));
                }
                None => self.found(at, format!("`{}` cannot name a secret", plain(name))),
            }
        }
        sources.into_iter().collect()
    }

    /// The secrets that a program sees as variables.
    pub(super) fn program_secrets(&mut self, members: &Members<'_, '_>) -> Sources {
        let mut sources = Vec::new();
        for (name, at, item) in self.table(members, "secrets") {
            if !is_name(name) {
                self.found(at, format!("`{}` cannot name a secret", plain(name)));
            }
            sources.extend(self.source(item).map(|source| (Text::from(name), source)));
        }
        sources.into_iter().collect()
    }
}
