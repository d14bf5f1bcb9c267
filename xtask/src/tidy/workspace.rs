//! What all crates share: versions and lints come from the root, and pure crates stay pure.

use super::Finding;
use super::manifest;
use super::tree::{File, Tree};

/// The manifest of the whole workspace.
const ROOT: &str = "Cargo.toml";

/// The crates that read no clock, file, or environment: what they do can be done again.
const PURE: &[&str] = &[
    "value",
    "diagnostics",
    "functions",
    "logic",
    "graph",
    "compiler",
    "frontends",
    "history",
    "rules",
    "runtime",
];

/// The lint that keeps a pure crate pure. `clippy.toml` lists what it forbids.
const PURITY_LINT: &str = "clippy::disallowed_methods";

/// Dependencies of a crate that name a version or a place of their own.
pub(crate) fn versions(file: &File) -> Vec<Finding> {
    if !is_crate_manifest(file) {
        return Vec::new();
    }
    let own = manifest::dependencies(&file.text).into_iter().filter(|found| !found.inherits);
    own.map(|found| {
        let what = format!(
            "`{name}` must be `{name}.workspace = true`: versions are only in the root",
            name = found.name
        );
        Finding::new(&file.path, found.line, what)
    })
    .collect()
}

/// Crates that the lints of the workspace do not reach.
pub(crate) fn inherited_lints(file: &File) -> Vec<Finding> {
    if !is_crate_manifest(file) || has_value(&file.text, &["lints", "workspace"], "true") {
        return Vec::new();
    }
    vec![Finding::new(&file.path, 1, "needs `[lints]` with `workspace = true`")]
}

/// Whether the workspace forbids unsafe code.
pub(crate) fn unsafe_is_forbidden(tree: &Tree) -> Vec<Finding> {
    let path = ["workspace", "lints", "rust", "unsafe_code"];
    match tree.file(ROOT) {
        Some(root) if has_value(&root.text, &path, "\"forbid\"") => Vec::new(),
        _ => {
            let what = "needs `unsafe_code = \"forbid\"` in `[workspace.lints.rust]`";
            vec![Finding::new(ROOT, 1, what)]
        }
    }
}

/// Pure crates that do not deny what is impure.
pub(crate) fn pure_crates(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let names = tree.crates();
    for name in PURE.iter().filter(|name| names.contains(name)) {
        let path = format!("crates/{name}/src/lib.rs");
        if !tree.file(&path).is_some_and(|lib| denies(&lib.text, PURITY_LINT)) {
            let what = format!("a pure crate needs `#![deny({PURITY_LINT})]`");
            findings.push(Finding::new(&path, 1, what));
        }
    }
    findings
}

fn is_crate_manifest(file: &File) -> bool {
    // The fuzz targets are a workspace of their own.
    file.name() == "Cargo.toml" && file.path != ROOT && !file.path.starts_with("fuzz/")
}

fn has_value(text: &str, path: &[&str], value: &str) -> bool {
    manifest::entries(text).iter().any(|entry| entry.path == path && entry.value == value)
}

/// Whether a `#![deny(..)]` names the lint. It may go over several lines.
fn denies(text: &str, lint: &str) -> bool {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        inside |= line.starts_with("#![deny(");
        if inside && line.contains(lint) {
            return true;
        }
        inside &= !line.ends_with(")]");
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    #[test]
    fn a_version_in_a_crate_is_found() {
        let text = "[dependencies]\na.workspace = true\nb = \"1\"\n";
        assert_eq!(
            shown(&versions(&File::of("crates/x/Cargo.toml", text))),
            [
                "crates/x/Cargo.toml:3: `b` must be `b.workspace = true`: versions are only in the root"
            ]
        );
        assert!(versions(&File::of("Cargo.toml", text)).is_empty());
        let fine = "[dependencies]\na.workspace = true\nb = { workspace = true }\n";
        assert!(versions(&File::of("crates/x/Cargo.toml", fine)).is_empty());
    }

    #[test]
    fn a_crate_without_the_lints_of_the_workspace_is_found() {
        assert_eq!(
            shown(&inherited_lints(&File::of("xtask/Cargo.toml", "[package]\nname = \"x\"\n"))),
            ["xtask/Cargo.toml:1: needs `[lints]` with `workspace = true`"]
        );
        let fine = "[lints]\nworkspace = true\n";
        assert!(inherited_lints(&File::of("xtask/Cargo.toml", fine)).is_empty());
        assert!(inherited_lints(&File::of("Cargo.toml", "")).is_empty());
    }

    #[test]
    fn a_workspace_that_allows_unsafe_code_is_found() {
        let what = "Cargo.toml:1: needs `unsafe_code = \"forbid\"` in `[workspace.lints.rust]`";
        for text in ["", "[workspace.lints.rust]\nunsafe_code = \"warn\"\n"] {
            assert_eq!(shown(&unsafe_is_forbidden(&Tree::of(&[("Cargo.toml", text)]))), [what]);
        }
        let fine = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
        assert!(unsafe_is_forbidden(&Tree::of(&[("Cargo.toml", fine)])).is_empty());
    }

    #[test]
    fn a_pure_crate_without_its_lint_is_found() {
        let tree = Tree::of(&[
            ("crates/value/src/lib.rs", "// #![deny(clippy::disallowed_methods)]\n"),
            ("crates/graph/src/main.rs", ""),
            ("crates/cli/src/lib.rs", ""),
        ]);
        assert_eq!(
            shown(&pure_crates(&tree)),
            [
                "crates/value/src/lib.rs:1: a pure crate needs `#![deny(clippy::disallowed_methods)]`",
                "crates/graph/src/lib.rs:1: a pure crate needs `#![deny(clippy::disallowed_methods)]`",
            ]
        );
    }

    #[test]
    fn a_pure_crate_with_its_lint_is_fine() {
        let one_line = "//! x\n#![deny(clippy::disallowed_methods, reason = \"it must replay\")]\n";
        let lines = "#![deny(\n    clippy::disallowed_types,\n    clippy::disallowed_methods\n)]\n";
        let tree =
            Tree::of(&[("crates/value/src/lib.rs", one_line), ("crates/graph/src/lib.rs", lines)]);
        assert!(pure_crates(&tree).is_empty());
    }
}
