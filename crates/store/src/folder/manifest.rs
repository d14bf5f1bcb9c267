//! What a snapshot of a folder says: canonical JSON, the same for the same tree.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use history::BlobId;
use history::kinds::referenced;
use value::{Value, json};

/// Everything in a folder, by its path from there with `/` between names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Manifest {
    /// INVARIANT: every path leads through folders of the manifest, and never out of it.
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    Folder,
    File {
        content: BlobId,
        executable: bool,
    },
    /// A symbolic link, with what it says. It is never followed.
    Link {
        target: String,
    },
}

/// Says that this is a manifest, and of which form.
const FORMAT: &str = "quipu.folder/1";

impl Manifest {
    pub(super) fn add(&mut self, path: String, entry: Entry) {
        self.entries.insert(path, entry);
    }

    /// In order, so that a folder comes before what is in it.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = (&String, &Entry)> {
        self.entries.iter()
    }

    pub(super) fn text(&self) -> String {
        let entries = self.entries.iter().map(|(path, entry)| entry.value(path));
        let members = [("format", FORMAT.into()), ("entries", Value::list(entries))];
        json::canonical(&Value::map(members))
    }

    /// Reads one that may come from anywhere, or says what is wrong with it.
    pub(super) fn read(bytes: &[u8]) -> Result<Manifest, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is no text".to_string())?;
        let value = json::parse(text).map_err(|_| "it is no JSON".to_string())?;
        if value.get("format") != Some(&FORMAT.into()) {
            return Err(format!("its format is not `{FORMAT}`"));
        }
        let Some(items) = value.get("entries").and_then(Value::as_list) else {
            return Err("it has no entries".into());
        };
        let mut entries = BTreeMap::new();
        for item in items {
            let Some((path, entry)) = Entry::read(item) else {
                return Err(format!("`{}` is no entry", json::compact(item)));
            };
            if !is_inside(&path) {
                return Err(format!("`{path}` would leave the folder"));
            }
            let parent = path.rsplit_once('/').map(|(parent, _)| parent);
            // Folders come before what is in them, so that this also keeps order and asks that
            // nothing is reached by way of a link.
            if parent.is_some_and(|parent| entries.get(parent) != Some(&Entry::Folder)) {
                return Err(format!("`{path}` is in no folder of the manifest"));
            }
            if entries.insert(path.clone(), entry).is_some() {
                return Err(format!("`{path}` is there twice"));
            }
        }
        Ok(Manifest { entries })
    }
}

/// Whether each part of a path is a plain name, on this system too.
fn is_inside(path: &str) -> bool {
    path.split('/').all(|name| {
        let mut parts = Path::new(name).components();
        matches!(parts.next(), Some(Component::Normal(part)) if part == name)
            && parts.next().is_none()
    })
}

impl Entry {
    fn value(&self, path: &str) -> Value {
        let mut members = vec![("path", Value::from(path))];
        match self {
            Entry::Folder => members.push(("kind", "folder".into())),
            Entry::File { content, executable } => {
                members.push(("kind", "file".into()));
                members.push(("content", Value::map([("$blob", (*content).into())])));
                members.extend(executable.then_some(("executable", true.into())));
            }
            Entry::Link { target } => {
                members.push(("kind", "link".into()));
                members.push(("target", target.as_str().into()));
            }
        }
        Value::map(members)
    }

    fn read(value: &Value) -> Option<(String, Entry)> {
        let text = |name| value.get(name).and_then(Value::as_text).map(|text| text.to_string());
        let entry = match &*text("kind")? {
            "folder" => Entry::Folder,
            "file" => Entry::File {
                content: referenced(value.get("content")?)?,
                executable: value.get("executable") == Some(&true.into()),
            },
            "link" => Entry::Link { target: text("target")? },
            _ => return None,
        };
        let path = text("path")?;
        // Whatever is not written again was not understood.
        (entry.value(&path) == *value).then_some((path, entry))
    }
}
