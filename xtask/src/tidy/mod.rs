//! Checks of the repository's own shape, so that reviews need not look for it.
//!
//! Each check is a function from files to findings and touches nothing else; only
//! [`tree`] reads the disk. All of them run in `cargo test`, and in `cargo xtask tidy`.

mod codes;
mod direction;
mod documents;
mod links;
mod machine;
mod manifest;
mod markdown;
mod names;
mod sources;
mod tree;
mod workspace;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use tree::{File, Tree};

/// The checks that look at one file at a time.
const FILE_CHECKS: &[fn(&File) -> Vec<Finding>] = &[
    sources::length,
    sources::width,
    sources::words,
    names::check,
    machine::check,
    workspace::versions,
    workspace::inherited_lints,
];

/// The checks that compare files with each other.
const TREE_CHECKS: &[fn(&Tree) -> Vec<Finding>] = &[
    workspace::unsafe_is_forbidden,
    workspace::pure_crates,
    direction::check,
    codes::pages,
    codes::uses,
    documents::required,
    documents::root_entries,
    documents::limits_section,
    links::check,
];

/// Something that is not as it should be.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    /// `line` counts from 1. A finding about the whole file is on line 1.
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Everything that is not as it should be, in the order of files and lines.
pub(crate) fn findings(root: &Path) -> Result<Vec<Finding>> {
    Ok(check(&tree::read(root)?))
}

fn check(tree: &Tree) -> Vec<Finding> {
    let by_file = FILE_CHECKS.iter().flat_map(|check| tree.files.iter().flat_map(check));
    let by_tree = TREE_CHECKS.iter().flat_map(|check| check(tree));
    let mut findings: Vec<Finding> = by_file.chain(by_tree).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// What tests compare: findings as they are printed.
#[cfg(test)]
fn shown(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(Finding::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let root = crate::root().unwrap();
        let findings = findings(root).unwrap();
        assert!(findings.is_empty(), "tidy found:\n{}", shown(&findings).join("\n"));
    }

    #[test]
    fn all_findings_come_in_one_pass_in_order() {
        let tree = Tree::of(&[("src/utils.rs", "// FIXME\n"), ("src/a.rs", "// XXX\n")]);
        let shown = shown(&check(&tree));
        let sources: Vec<&String> = shown.iter().filter(|line| line.starts_with("src/")).collect();
        assert_eq!(
            sources,
            [
                "src/a.rs:1: `XXX` does not belong in this repository",
                "src/utils.rs:1: `FIXME` does not belong in this repository",
                "src/utils.rs:1: `utils` names no concept",
            ]
        );
    }
}
