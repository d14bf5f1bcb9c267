//! Compares the drawing of the crates in `ARCHITECTURE.md` with what the manifests say.
//!
//! The drawing is the `text` block after the marker. A line is `crate -> dep, dep`.

use std::collections::BTreeMap;

use super::Finding;
use super::manifest;
use super::markdown::{Block, Page};
use super::tree::Tree;

const DRAWING: &str = "ARCHITECTURE.md";

/// Stands on a line before the block.
const MARKER: &str = "<!-- dependencies -->";

/// What each crate depends on, and the line that says so. Keys are names of crates.
type Edges = BTreeMap<String, (usize, BTreeMap<String, usize>)>;

/// What is drawn and not there, and what is there and not drawn.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(file) = tree.file(DRAWING) else {
        return vec![Finding::new(DRAWING, 1, "is missing")];
    };
    let page = Page::read(&file.text);
    let marker = page.prose.iter().find(|(_, text)| text.contains(MARKER));
    let block = marker.and_then(|(line, _)| page.blocks.iter().find(|block| block.line > *line));
    let Some(block) = block.filter(|block| block.language == "text") else {
        return vec![Finding::new(DRAWING, 1, format!("needs a `text` block after `{MARKER}`"))];
    };
    let (drawn, mut findings) = read_drawing(block);
    findings.extend(compare(block.line, &drawn, &read_manifests(tree)));
    findings
}

fn read_drawing(block: &Block) -> (Edges, Vec<Finding>) {
    let mut edges = Edges::new();
    let mut findings = Vec::new();
    for (line, text) in &block.lines {
        if text.trim().is_empty() {
            continue;
        }
        let Some((name, targets)) = text.split_once("->") else {
            findings.push(Finding::new(DRAWING, *line, "must be `crate -> dep, dep`"));
            continue;
        };
        let targets = targets.split(',').map(str::trim).filter(|target| !target.is_empty());
        let targets = targets.map(|target| (target.to_owned(), *line)).collect();
        if edges.insert(name.trim().to_owned(), (*line, targets)).is_some() {
            findings.push(Finding::new(
                DRAWING,
                *line,
                format!("`{}` is drawn twice", name.trim()),
            ));
        }
    }
    (edges, findings)
}

/// Only `[dependencies]` count: a test may use what production must not.
fn read_manifests(tree: &Tree) -> Edges {
    let names = tree.crates();
    let mut edges = Edges::new();
    for name in &names {
        let Some(file) = tree.file(&format!("crates/{name}/Cargo.toml")) else { continue };
        let found = manifest::dependencies(&file.text).into_iter();
        let found = found
            .filter(|found| found.table == "dependencies")
            .map(|found| (drawn_name(&found.name).to_owned(), found.line))
            .filter(|(target, _)| names.contains(&target.as_str()));
        edges.insert((*name).to_owned(), (1, found.collect()));
    }
    edges
}

/// The drawing uses names of folders, and packages are named after them with a prefix.
fn drawn_name(package: &str) -> &str {
    match package {
        "quipu" => "cli",
        _ => package.strip_prefix("quipu-").unwrap_or(package),
    }
}

fn compare(block_line: usize, drawn: &Edges, real: &Edges) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, (line, targets)) in drawn {
        let Some((_, there)) = real.get(name) else {
            findings.push(Finding::new(DRAWING, *line, format!("there is no crate `{name}`")));
            continue;
        };
        for (target, line) in targets.iter().filter(|(target, _)| !there.contains_key(*target)) {
            let what = format!("`{name}` does not depend on `{target}`, but is drawn so");
            findings.push(Finding::new(DRAWING, *line, what));
        }
    }
    for (name, (_, targets)) in real {
        let Some((_, there)) = drawn.get(name) else {
            findings.push(Finding::new(
                DRAWING,
                block_line,
                format!("crate `{name}` is not drawn"),
            ));
            continue;
        };
        for (target, line) in targets.iter().filter(|(target, _)| !there.contains_key(*target)) {
            let path = format!("crates/{name}/Cargo.toml");
            let what = format!("`{name}` -> `{target}` is not drawn in {DRAWING}");
            findings.push(Finding::new(&path, *line, what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    const CLI: &str = "[dependencies]\nanyhow.workspace = true\ngraph.workspace = true\n";
    const GRAPH: &str = "[dependencies]\n[dev-dependencies]\ncli.workspace = true\n";

    fn checked(drawing: &str) -> Vec<String> {
        let text = format!("# Map\n{MARKER}\n\n```text\n{drawing}```\n");
        shown(&check(&Tree::of(&[
            (DRAWING, &text),
            ("crates/cli/Cargo.toml", CLI),
            ("crates/graph/Cargo.toml", GRAPH),
        ])))
    }

    #[test]
    fn a_true_drawing_is_fine() {
        assert_eq!(checked("cli   -> graph\ngraph ->\n"), [""; 0]);
    }

    #[test]
    fn a_dependency_that_is_not_drawn_is_found() {
        assert_eq!(
            checked("cli ->\n"),
            [
                "crates/cli/Cargo.toml:3: `cli` -> `graph` is not drawn in ARCHITECTURE.md",
                "ARCHITECTURE.md:4: crate `graph` is not drawn",
            ]
        );
    }

    #[test]
    fn a_drawing_that_is_not_true_is_found() {
        assert_eq!(
            checked("cli -> graph, anyhow\ngraph -> cli\ngraph ->\nstore ->\nhello\n"),
            [
                "ARCHITECTURE.md:7: `graph` is drawn twice",
                "ARCHITECTURE.md:9: must be `crate -> dep, dep`",
                "ARCHITECTURE.md:5: `cli` does not depend on `anyhow`, but is drawn so",
                "ARCHITECTURE.md:8: there is no crate `store`",
            ]
        );
    }

    #[test]
    fn a_missing_drawing_is_found() {
        assert_eq!(shown(&check(&Tree::of(&[]))), ["ARCHITECTURE.md:1: is missing"]);
        let what = "ARCHITECTURE.md:1: needs a `text` block after `<!-- dependencies -->`";
        for text in ["```text\ncli ->\n```\n", "<!-- dependencies -->\n```rust\n```\n"] {
            assert_eq!(shown(&check(&Tree::of(&[(DRAWING, text)]))), [what]);
        }
    }

    #[test]
    fn packages_are_drawn_by_the_name_of_their_folder() {
        assert_eq!(["quipu", "quipu-graph", "graph"].map(drawn_name), ["cli", "graph", "graph"]);
    }
}
