//! `[stores.ID]`: what a persistent store shows that is not kept beside the histories.

use std::sync::Arc;

use toml::de::DeTable;
use value::Text;

use super::reader::{Known, Place, Reader, text, texts, whole};
use crate::shelved::{Folder, FolderLimits};

const MEMBERS: Known = &[
    ("folder", "the path of a folder, as text"),
    ("files", "a list of endings of names, such as `[\"md\", \"txt\"]`"),
    ("files_max", "a whole number from 1 on"),
    ("megabytes_max", "a whole number from 1 on"),
];

impl Reader<'_> {
    pub(super) fn store(
        &mut self,
        id: &Text,
        at: Place,
        table: &DeTable<'_>,
    ) -> Option<Arc<Folder>> {
        let members = self.members(table, MEMBERS);
        let folder = self.given(&members, "folder", |value| {
            text(value).filter(|folder| !folder.is_empty() && !folder.contains('\0'))
        });
        let files = self.given(&members, "files", |value| {
            let all = texts(value)?;
            let is_ending = |ending: &String| !ending.is_empty() && !ending.contains(['/', '.']);
            all.iter().all(is_ending).then(|| all.iter().map(|one| one.to_lowercase()).collect())
        });
        let usual = FolderLimits::default();
        let count = self.given(&members, "files_max", whole);
        let megabytes = self.given(&members, "megabytes_max", whole);
        if members.get("folder").is_none() {
            let message = format!("nothing says what the store `{id}` shows");
            self.helped(at, message, Some("add `folder = \"./docs\"`".to_owned()));
        }
        let limits = FolderLimits {
            files_max: count.map_or(usual.files_max, |count| count.get() as usize),
            bytes_max: megabytes.map_or(usual.bytes_max, |number| u64::from(number.get()) << 20),
            ..usual
        };
        Some(Arc::new(Folder::new(self.folder.join(folder?), files, limits)))
    }
}
