//! The documents a reader starts from, and a root that can be read at a glance.

use super::Finding;
use super::markdown::Page;
use super::tree::Tree;

/// Somebody who comes here looks for these.
const REQUIRED: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE"];

/// How many files and folders the root may hold.
const ROOT_ENTRIES_MAX: usize = 18;

/// A part of the heading under which the README says what is missing.
const LIMITS: &str = "does not do yet";

/// Documents that are missing.
pub(crate) fn required(tree: &Tree) -> Vec<Finding> {
    let missing = REQUIRED.iter().filter(|path| tree.file(path).is_none());
    missing.map(|path| Finding::new(path, 1, "is missing")).collect()
}

/// A root with too much in it.
pub(crate) fn root_entries(tree: &Tree) -> Vec<Finding> {
    let entry = |path: &'_ str| path.split('/').next().map(str::to_owned);
    let mut entries: Vec<String> = tree.files.iter().filter_map(|file| entry(&file.path)).collect();
    entries.sort();
    entries.dedup();
    if entries.len() <= ROOT_ENTRIES_MAX {
        return Vec::new();
    }
    let what = format!("the root has {} entries, more than {ROOT_ENTRIES_MAX}", entries.len());
    vec![Finding::new(".", 1, what)]
}

/// A README that only says what works.
pub(crate) fn limits_section(tree: &Tree) -> Vec<Finding> {
    let Some(readme) = tree.file("README.md") else { return Vec::new() };
    let page = Page::read(&readme.text);
    if page.headings.iter().any(|(_, heading)| heading.to_lowercase().contains(LIMITS)) {
        return Vec::new();
    }
    vec![Finding::new(&readme.path, 1, format!("needs a heading with \"{LIMITS}\""))]
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn missing_documents_are_found() {
        let tree = Tree::of(&[("README.md", ""), ("LICENSE", ""), ("docs/CONTRIBUTING.md", "")]);
        assert_eq!(
            shown(&required(&tree)),
            ["ARCHITECTURE.md:1: is missing", "CONTRIBUTING.md:1: is missing"]
        );
        let all: Vec<(&str, &str)> = REQUIRED.iter().map(|path| (*path, "")).collect();
        assert!(required(&Tree::of(&all)).is_empty());
    }

    #[test]
    fn a_crowded_root_is_found() {
        let mut paths: Vec<String> = (0..ROOT_ENTRIES_MAX).map(|n| format!("{n}.md")).collect();
        let found = |paths: &[String]| {
            let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
            shown(&root_entries(&Tree::of(&files)))
        };
        assert_eq!(found(&paths), [""; 0]);
        paths.extend(["docs/a.md".to_owned(), "docs/b.md".to_owned()]);
        assert_eq!(found(&paths), [".:1: the root has 19 entries, more than 18"]);
    }

    #[test]
    fn a_readme_says_what_is_missing() {
        let found = |text: &str| shown(&limits_section(&Tree::of(&[("README.md", text)])));
        let what = "README.md:1: needs a heading with \"does not do yet\"";
        assert_eq!(found("# Quipu\n\nIt does not do yet what it should.\n"), [what]);
        assert_eq!(found("```\n# What it does not do yet\n```\n"), [what]);
        assert_eq!(found("# Quipu\n\n## What it does not do yet\n"), [""; 0]);
    }
}
