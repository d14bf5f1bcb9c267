//! Nothing in the repository may depend on the machine it was written on.

use super::Finding;
use super::tree::File;

/// Folders of the machines this was written on.
const PLACES: &[&str] = &["/work/", "/root/", "/farm/"];

/// Where packages come from is set on each machine, not here.
const HOSTS: &[&str] = &["crates.io", "npmjs.org", "pypi.org"];

/// Package managers write these.
const LOCK_FILES: &[&str] = &["Cargo.lock", "package-lock.json"];

/// This file has to name what it looks for.
const ITSELF: &str = "xtask/src/tidy/machine.rs";

/// Paths of one machine, and hosts of package registries.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    if LOCK_FILES.contains(&file.name()) || file.path == ITSELF {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for place in PLACES.iter().filter(|place| has_path(text, place)) {
            let what = format!("`{place}` is a path of one machine");
            findings.push(Finding::new(&file.path, line, what));
        }
        for host in HOSTS.iter().filter(|host| text.contains(**host)) {
            findings.push(Finding::new(
                &file.path,
                line,
                format!("`{host}` is a package registry"),
            ));
        }
    }
    findings
}

/// Whether the path starts here. In `src/root/mod.rs` it is a part of another.
fn has_path(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-*}>".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn paths_and_hosts_are_found() {
        let text =
            "see \"/work/main\"\nfile:///root/x\nhttps://index.crates.io/\n/farm/a pypi.org\n";
        assert_eq!(
            shown(&check(&File::of("docs/a.md", text))),
            [
                "docs/a.md:1: `/work/` is a path of one machine",
                "docs/a.md:2: `/root/` is a path of one machine",
                "docs/a.md:3: `crates.io` is a package registry",
                "docs/a.md:4: `/farm/` is a path of one machine",
                "docs/a.md:4: `pypi.org` is a package registry",
            ]
        );
        assert_eq!(check(&File::of("tests/mermaid/.npmrc", "registry.npmjs.org")).len(), 1);
    }

    #[test]
    fn longer_paths_and_lock_files_are_left_alone() {
        let fine = "src/root/mod.rs\n../work/a\n$HOME/farm/a\n../shared/corpus\n/workspace/a\n";
        assert!(check(&File::of(".ci/run", fine)).is_empty());
        assert!(check(&File::of("Cargo.lock", "https://index.crates.io/")).is_empty());
        assert!(check(&File::of("tests/mermaid/package-lock.json", "npmjs.org")).is_empty());
        assert!(check(&File::of(ITSELF, "/work/")).is_empty());
    }
}
