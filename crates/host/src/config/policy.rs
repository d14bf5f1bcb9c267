//! `[policy]`

use std::path::PathBuf;

use toml::de::{DeTable, DeValue};

use super::reader::{Item, Known, Place, Reader, texts};

const MEMBERS: Known = &[("files", "a list of paths, such as `[\"policy.yaml\"]`")];

impl Reader<'_> {
    /// The files of the policies that hold for everything here.
    pub(super) fn policies(&mut self, at: Place, value: Item<'_, '_>) -> Vec<PathBuf> {
        let DeValue::Table(table) = value.get_ref() else {
            self.found(at, "`policy` must be a table: write `[policy]`");
            return Vec::new();
        };
        let table: &DeTable<'_> = table;
        let members = self.members(table, MEMBERS);
        let files = self.given(&members, "files", |value| {
            texts(value).filter(|files| files.iter().all(|file| !file.trim().is_empty()))
        });
        if members.get("files").is_none() {
            let help = Some("write `files = [\"policy.yaml\"]`".to_owned());
            self.helped(at, "`[policy]` needs `files`", help);
        }
        files.unwrap_or_default().into_iter().map(|file| self.folder.join(file)).collect()
    }
}
