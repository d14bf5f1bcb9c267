//! `files = { root = "./notes", allow = ["read", "list"] }`

use std::path::Path;
use std::sync::Arc;

use toml::de::DeValue;
use value::Text;

use super::reader::{Known, Members, Reader, listed, text, texts, time, whole};
use crate::adapter::Bound;
use crate::tools::files::BYTES_MAX;
use crate::tools::{Files, Operation};

const MEMBERS: Known = &[
    ("root", "the path of a folder, as text"),
    ("allow", "a list of operations, such as `[\"read\", \"list\"]`"),
    ("max_bytes", "a whole number from 1 on"),
];

impl Reader<'_> {
    pub(super) fn files(&mut self, id: &Text, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        let timeout = self.given(members, "timeout", time);
        let item = members.get("files")?;
        let DeValue::Table(table) = item.get_ref() else {
            let message = "`files` must be a table, such as `{ root = \"./notes\" }`";
            self.found(item.span(), message);
            return None;
        };
        let own = self.members(table, MEMBERS);
        let Some(root) = self.given(&own, "root", text) else {
            if own.get("root").is_none() {
                self.found(item.span(), "`files` needs a `root`: the folder that it is about");
            }
            return None;
        };
        let allow = self.operations(&own);
        let bytes_max = self.given(&own, "max_bytes", whole);
        let root = self.folder.join(root);
        if allow.contains(&Operation::Write) || allow.contains(&Operation::Append) {
            self.refuse_own_folder(&own, &root);
        }
        let bytes_max = bytes_max.map_or(BYTES_MAX, |most| most.get().into());
        Some(Arc::new(Files { id: id.clone(), root, allow, bytes_max, timeout }))
    }

    /// What may be done; reading where nobody says.
    fn operations(&mut self, own: &Members<'_, '_>) -> Vec<Operation> {
        let Some(words) = self.given(own, "allow", texts) else {
            return vec![Operation::Read, Operation::List, Operation::Search];
        };
        let known: Vec<&str> = Operation::ALL.iter().map(|(word, _)| *word).collect();
        let mut allow = Vec::new();
        let is_empty = words.is_empty();
        for word in words {
            let found = Operation::ALL.iter().find(|(known, _)| *known == word);
            match (found, own.get("allow")) {
                (Some((_, operation)), _) => allow.push(*operation),
                (None, Some(item)) => self.unknown(item.span(), "operation", &word, &known),
                (None, None) => {}
            }
        }
        allow.sort();
        allow.dedup();
        if let (true, Some(item)) = (is_empty, own.get("allow")) {
            let message = format!("`allow` is empty: there are {}", listed(&known));
            self.found(item.span(), message);
        }
        allow
    }

    /// Whoever can write this file can run any program.
    fn refuse_own_folder(&mut self, own: &Members<'_, '_>, root: &Path) {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if let Some(item) = own.get("root")
            && real(self.folder).starts_with(real(root))
        {
            let help = "name a folder beneath it, such as `./notes`";
            let message = "this folder holds quipu.toml, and a tool that may write it could bind \
                           any program";
            self.helped(item.span(), message, Some(help.to_owned()));
        }
    }
}
