//! The files that the checks look at, and the only place that reads them.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// A file of the repository.
pub(crate) struct File {
    /// From the root of the repository, with `/` between the parts.
    pub(crate) path: String,
    /// Empty where the file is no text: the checks have nothing to say about those.
    pub(crate) text: String,
}

/// All files that are, or could be, committed. In order of their paths.
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl File {
    /// The last part of its path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether it is Rust source.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Its lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

impl Tree {
    /// The file at this path.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The names of the folders in `crates`, in order.
    pub(crate) fn crates(&self) -> Vec<&str> {
        let inside = self.files.iter().filter_map(|file| file.path.strip_prefix("crates/"));
        let mut names: Vec<&str> =
            inside.filter_map(|path| path.split_once('/')).map(|p| p.0).collect();
        names.dedup();
        names
    }

    /// A tree of made-up files.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut files: Vec<File> = files.iter().map(|(path, text)| File::of(path, text)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }
}

#[cfg(test)]
impl File {
    /// A made-up file.
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// Reads the repository at `root`.
pub(crate) fn read(root: &Path) -> Result<Tree> {
    // An unpacked archive has no history, and a small image has no git: look at the disk then.
    let mut paths = match list_with_git(root) {
        Some(paths) => paths,
        None => list_on_disk(root)?,
    };
    paths.sort();
    // While a merge is unfinished, git lists a file once per side.
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let on_disk = root.join(&path);
        // Git also lists what has been deleted and not committed yet.
        if on_disk.is_file() {
            let bytes = fs::read(&on_disk).with_context(|| format!("cannot read {path}"))?;
            files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() });
        }
    }
    Ok(Tree { files })
}

fn list_with_git(root: &Path) -> Option<Vec<String>> {
    // Without its own history, git would answer for a repository around this one.
    if !root.join(".git").exists() {
        return None;
    }
    // A checkout that belongs to another user, as in a container, is refused by default.
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let paths = String::from_utf8(output.stdout).ok()?;
    Some(paths.split_terminator('\0').map(str::to_owned).collect())
}

fn list_on_disk(root: &Path) -> Result<Vec<String>> {
    let ignored = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
    let mut ignored = ignored_names(&ignored);
    ignored.push(".git");
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder));
        for entry in entries.with_context(|| format!("cannot read folder `{folder}`"))? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().context("a file has a name that is no UTF-8")?;
            if ignored.contains(&name) {
                continue;
            }
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            let list = if entry.file_type()?.is_dir() { &mut folders } else { &mut paths };
            list.push(path);
        }
    }
    Ok(paths)
}

/// Our `.gitignore` only holds names of folders; patterns are not understood.
fn ignored_names(gitignore: &str) -> Vec<&str> {
    let lines = gitignore.lines().map(|line| line.trim().trim_matches('/'));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_to_ignore_lose_their_slashes() {
        assert_eq!(
            ignored_names("# built\n/target\n\nnode_modules/\n"),
            ["target", "node_modules"]
        );
    }

    #[test]
    fn git_lists_what_may_be_committed() {
        let tree = read(crate::root().unwrap()).unwrap();
        assert!(tree.file("xtask/src/tidy/tree.rs").is_some());
        assert!(!tree.files.iter().any(|file| file.path.starts_with("target/")));
    }

    #[test]
    fn without_git_the_disk_is_listed() {
        let root = std::env::temp_dir().join(format!("quipu-tidy-{}", std::process::id()));
        for (path, bytes) in [
            (".gitignore", &b"/built\n"[..]),
            ("built/a.rs", b"a"),
            ("src/b/c.rs", b"c"),
            ("src/d.png", b"\xff"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let tree = read(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        let read: Vec<(&str, &str)> =
            tree.files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
        assert_eq!(read, [(".gitignore", "/built\n"), ("src/b/c.rs", "c"), ("src/d.png", "")]);
    }

    #[test]
    fn crates_are_the_folders_in_crates() {
        let tree = Tree::of(&[
            ("crates/b/src/lib.rs", ""),
            ("crates/a/Cargo.toml", ""),
            ("crates/a/src/lib.rs", ""),
            ("crates/README.md", ""),
        ]);
        assert_eq!(tree.crates(), ["a", "b"]);
    }
}
