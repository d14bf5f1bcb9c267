//! Nothing in the repository may depend on the machine it was written on.

use super::Finding;
use super::tree::File;

/// Where people keep their checkouts.
const PLACES: &[&str] = &["/home/", "/Users/"];

/// This file has to name what it looks for.
const ITSELF: &str = "xtask/src/tidy/machine.rs";

/// Paths of one machine.
pub(crate) fn check(file: &File) -> Vec<Finding> {
    if file.path == ITSELF {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, text) in file.lines() {
        for place in PLACES.iter().filter(|place| has_path(text, place)) {
            let what = format!("`{place}` is a path of one machine");
            findings.push(Finding::new(&file.path, line, what));
        }
    }
    findings
}

/// Whether the path starts here. In `src/home/mod.rs` it is a part of another.
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
    fn paths_are_found() {
        let text = "see \"/home/ada/quipu\"\nfile:///Users/ada/x\n";
        assert_eq!(
            shown(&check(&File::of("docs/a.md", text))),
            [
                "docs/a.md:1: `/home/` is a path of one machine",
                "docs/a.md:2: `/Users/` is a path of one machine",
            ]
        );
    }

    #[test]
    fn longer_paths_are_left_alone() {
        let fine = "src/home/mod.rs\n../home/a\n../shared/corpus\n/homes/a\n";
        assert!(check(&File::of(".ci/run", fine)).is_empty());
        assert!(check(&File::of(ITSELF, "/home/")).is_empty());
    }
}
