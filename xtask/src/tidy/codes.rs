//! Every code of a diagnostic has a page that explains it, and is reported somewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::markdown::Page;
use super::tree::{File, Tree};

/// Where the codes are declared, by lines such as `WRONG_KIND = "G101", Error, None;`.
const DECLARATIONS: &str = "crates/diagnostics/src/codes.rs";

/// Where the pages are.
const PAGES: &str = "docs/codes/";

/// What every page has.
const HEADINGS: &[&str] = &["## Example", "## What to do"];

/// What the output of the example is marked with.
const OUTPUT: &str = "text";

/// A declared code.
struct Code<'a> {
    line: usize,
    name: &'a str,
    id: &'a str,
}

/// Codes without a page, pages without a code, and pages that explain too little.
pub(crate) fn pages(tree: &Tree) -> Vec<Finding> {
    let Some(declarations) = tree.file(DECLARATIONS) else {
        return vec![Finding::new(DECLARATIONS, 1, "is missing")];
    };
    let codes = declared(declarations);
    let mut findings = declared_twice(&codes);
    for code in &codes {
        if tree.file(&format!("{PAGES}{}.md", code.id)).is_none() {
            let what = format!("`{}` has no page in {PAGES}", code.id);
            findings.push(Finding::new(DECLARATIONS, code.line, what));
        }
    }
    for file in tree.files.iter().filter(|file| file.path.starts_with(PAGES)) {
        let id = file.name().strip_suffix(".md").unwrap_or(file.name());
        if codes.iter().any(|code| code.id == id) {
            findings.extend(page(file, id));
        } else {
            findings.push(Finding::new(&file.path, 1, format!("there is no code `{id}`")));
        }
    }
    findings
}

/// Codes that nothing reports.
pub(crate) fn uses(tree: &Tree) -> Vec<Finding> {
    let Some(declarations) = tree.file(DECLARATIONS) else { return Vec::new() };
    let is_source = |file: &&File| {
        let path = file.path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
        file.is_rust() && file.path != DECLARATIONS && path.is_some_and(|p| p.1.starts_with("src/"))
    };
    let used: BTreeSet<&str> = tree.files.iter().filter(is_source).flat_map(used).collect();
    let unused = declared(declarations).into_iter().filter(|code| !used.contains(code.name));
    unused
        .map(|code| {
            let what = format!("nothing uses `codes::{}`", code.name);
            Finding::new(DECLARATIONS, code.line, what)
        })
        .collect()
}

fn declared(file: &File) -> Vec<Code<'_>> {
    file.lines().filter_map(|(line, text)| declaration(line, text)).collect()
}

fn declaration(line: usize, text: &str) -> Option<Code<'_>> {
    let (name, rest) = text.trim().split_once(" = \"")?;
    let (id, _) = rest.split_once("\",")?;
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    is_name.then_some(Code { line, name, id })
}

fn declared_twice(codes: &[Code]) -> Vec<Finding> {
    let mut first = BTreeMap::new();
    let mut findings = Vec::new();
    for code in codes {
        if let Some(name) = first.insert(code.id, code.name) {
            let what = format!("`{}` is `{name}` already", code.id);
            findings.push(Finding::new(DECLARATIONS, code.line, what));
        }
    }
    findings
}

/// The names after `codes::`, where it is neither a comment nor a test.
fn used(file: &File) -> impl Iterator<Item = &str> {
    let code = file.text.lines().map(str::trim).take_while(|line| *line != "mod tests {");
    let code = code.filter(|line| !line.starts_with("//"));
    code.flat_map(|line| line.split("codes::").skip(1)).map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

fn page(file: &File, id: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |line, what: String| findings.push(Finding::new(&file.path, line, what));
    let title = file.text.lines().next().and_then(|line| line.strip_prefix(&format!("# {id}: ")));
    if title.is_none_or(|title| title.trim().is_empty()) {
        add(1, format!("the first line must be `# {id}: ` and a title"));
    }
    let page = Page::read(&file.text);
    for heading in HEADINGS {
        if !page.headings.iter().any(|(_, text)| text == heading) {
            add(1, format!("needs the heading `{heading}`"));
        }
    }
    for block in page.blocks.iter().filter(|block| !block.closed) {
        add(block.line, "the block does not end".to_owned());
    }
    let mut filled = page.blocks.iter().filter(|block| !block.lines.is_empty());
    if !filled.clone().any(|block| !block.language.is_empty() && block.language != OUTPUT) {
        add(1, "needs a block with an example, such as `json`".to_owned());
    }
    if !filled.any(|block| block.language == OUTPUT) {
        add(1, format!("needs a `{OUTPUT}` block with what is printed"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    const CODES: &str = "codes! {\n    /// x\n    WRONG_KIND = \"G101\", Error, None;\n}\n";
    const PAGE: &str = "# G101: a title\n\n## Example\n\n```json\n{}\n```\n\n```text\nerror\n```\n\n\
                        ## What to do\n\nThat.\n";

    fn paged(files: &[(&str, &str)]) -> Vec<String> {
        shown(&pages(&Tree::of(files)))
    }

    fn used_in(path: &str, text: &str) -> Vec<String> {
        shown(&uses(&Tree::of(&[(DECLARATIONS, CODES), (path, text)])))
    }

    #[test]
    fn a_code_with_a_full_page_is_fine() {
        assert_eq!(paged(&[(DECLARATIONS, CODES), ("docs/codes/G101.md", PAGE)]), [""; 0]);
    }

    #[test]
    fn a_code_without_a_page_and_a_page_without_a_code_are_found() {
        assert_eq!(
            paged(&[(DECLARATIONS, CODES), ("docs/codes/G102.md", PAGE)]),
            [
                "crates/diagnostics/src/codes.rs:3: `G101` has no page in docs/codes/",
                "docs/codes/G102.md:1: there is no code `G102`",
            ]
        );
        assert_eq!(paged(&[]), ["crates/diagnostics/src/codes.rs:1: is missing"]);
    }

    #[test]
    fn a_code_declared_twice_is_found() {
        let codes = format!("{CODES}OTHER_2 = \"G101\", Error, None;\n");
        assert_eq!(
            paged(&[(DECLARATIONS, &codes), ("docs/codes/G101.md", PAGE)]),
            ["crates/diagnostics/src/codes.rs:5: `G101` is `WRONG_KIND` already"]
        );
    }

    #[test]
    fn a_page_that_explains_too_little_is_found() {
        assert_eq!(
            paged(&[
                (DECLARATIONS, CODES),
                ("docs/codes/G101.md", "# G102: x\n```json\n```\n```\n")
            ]),
            [
                "docs/codes/G101.md:1: the first line must be `# G101: ` and a title",
                "docs/codes/G101.md:1: needs the heading `## Example`",
                "docs/codes/G101.md:1: needs the heading `## What to do`",
                "docs/codes/G101.md:4: the block does not end",
                "docs/codes/G101.md:1: needs a block with an example, such as `json`",
                "docs/codes/G101.md:1: needs a `text` block with what is printed",
            ]
        );
    }

    #[test]
    fn a_code_that_is_reported_is_fine() {
        let found = used_in("crates/graph/src/a.rs", "report(&diagnostics::codes::WRONG_KIND, x)");
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn a_code_that_is_not_reported_is_found() {
        let what = "crates/diagnostics/src/codes.rs:3: nothing uses `codes::WRONG_KIND`";
        let samples = [
            ("crates/graph/src/a.rs", "codes::WRONG_KINDS"),
            ("crates/graph/src/a.rs", "//! codes::WRONG_KIND"),
            ("crates/graph/src/a.rs", "mod tests {\n    codes::WRONG_KIND\n}\n"),
            ("crates/graph/tests/a.rs", "codes::WRONG_KIND"),
            ("crates/graph/src/a.md", "codes::WRONG_KIND"),
        ];
        for (path, text) in samples {
            assert_eq!(used_in(path, text), [what], "{path}: {text}");
        }
    }
}
