//! `[people.NAME]`

use std::collections::BTreeSet;

use toml::de::DeTable;
use value::Text;

use super::reader::{Known, Place, Reader, texts};

const MEMBERS: Known = &[("capabilities", "a list of names, such as `[\"approve.refund\"]`")];

impl Reader<'_> {
    /// What a person may do.
    pub(super) fn person(
        &mut self,
        _: &Text,
        _: Place,
        table: &DeTable<'_>,
    ) -> Option<BTreeSet<Text>> {
        let members = self.members(table, MEMBERS);
        let names = self.given(&members, "capabilities", |value| {
            texts(value).filter(|names| names.iter().all(|name| !name.trim().is_empty()))
        });
        Some(names.unwrap_or_default().into_iter().map(Text::from).collect())
    }
}
