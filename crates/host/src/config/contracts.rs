//! `[contracts]`

use std::path::PathBuf;

use toml::de::DeValue;

use super::reader::{Item, Known, Place, Reader, texts};

const MEMBERS: Known =
    &[("files", "a list of files with contracts of verbs, such as `[\"contracts.json\"]`")];

impl Reader<'_> {
    pub(super) fn contracts(&mut self, at: Place, value: Item<'_, '_>) -> Vec<PathBuf> {
        let DeValue::Table(table) = value.get_ref() else {
            self.found(at, "`contracts` must be a table: write `[contracts]`");
            return Vec::new();
        };
        let members = self.members(table, MEMBERS);
        let files = self.given(&members, "files", texts).unwrap_or_default();
        files.into_iter().map(|file| self.folder.join(file)).collect()
    }
}
