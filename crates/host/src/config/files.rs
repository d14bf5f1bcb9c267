//! `files = { root = "./notes", allow = ["read", "list"] }`

use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diagnostics::plain;
use toml::de::DeValue;
use value::Text;

use super::Tool;
use super::reader::{Known, Members, Place, Reader, listed, text, texts, time, whole};
use crate::adapter::Bound;
use crate::tools::files::BYTES_MAX;
use crate::tools::{Allowed, Executable, Files, Operation, Shell};

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
        let files = self.folder_of(id, ("files", item.span()), &own, timeout)?;
        Some(Arc::new(files))
    }

    /// The folder that somebody may use, and for what.
    pub(super) fn folder_of(
        &mut self,
        id: &Text,
        (what, at): (&str, Place),
        own: &Members<'_, '_>,
        timeout: Option<Duration>,
    ) -> Option<Files> {
        let Some(root) = self.given(own, "root", text) else {
            if own.get("root").is_none() {
                let message = format!("`{what}` needs a `root`: the folder that it is about");
                self.found(at, message);
            }
            return None;
        };
        let allow = self.operations(own);
        let bytes_max = self.given(own, "max_bytes", whole);
        let root = self.folder.join(root);
        if allow.iter().any(|operation| operation.writes()) {
            self.writes(own, &root);
        }
        let bytes_max = bytes_max.map_or(BYTES_MAX, |most| most.get().into());
        Some(Files { id: id.clone(), root, allow, bytes_max, timeout })
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
    fn writes(&mut self, own: &Members<'_, '_>, root: &Path) {
        let Some(item) = own.get("root") else { return };
        if !real(self.folder).starts_with(real(root)) {
            self.writable.push((item.span(), root.to_path_buf()));
            return;
        }
        let help = "name a folder beneath it, such as `./notes`";
        let message = "this folder holds quipu.toml, and a tool that may write it could bind any \
                       program";
        self.helped(item.span(), message, Some(help.to_owned()));
    }

    /// The same goes for whoever can write what is started.
    pub(super) fn refuse_written_programs(&mut self, tools: &BTreeMap<Text, Tool>) {
        for (at, root) in std::mem::take(&mut self.writable) {
            let root = real(&root);
            for (id, tool) in tools {
                for path in
                    started(&*tool.bound).iter().filter(|path| real(path).starts_with(&root))
                {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let message = format!(
                        "this folder holds `{}`, which `{}` starts: a tool that may write it \
                         could have anything run",
                        plain(&name),
                        plain(id)
                    );
                    let help = "keep programs and what tools write apart".to_owned();
                    self.helped(at.clone(), message, Some(help));
                }
            }
        }
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The programs of a tool, and the scripts that it gives them.
fn started(bound: &dyn Bound) -> Vec<PathBuf> {
    let bound = bound as &dyn Any;
    if let Some(tool) = bound.downcast_ref::<Executable>() {
        let scripts = tool.arguments.iter().map(|argument| tool.folder.join(argument));
        return std::iter::once(tool.program.clone())
            .chain(scripts.filter(|path| path.is_file()))
            .collect();
    }
    let Some(tool) = bound.downcast_ref::<Shell>() else { return Vec::new() };
    match &tool.allowed {
        Allowed::Template(program, _) => vec![program.path.clone()],
        Allowed::Programs { programs, .. } => {
            programs.iter().map(|program| program.path.clone()).collect()
        }
    }
}
