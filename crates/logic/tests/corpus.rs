//! The blocks of real specs, read in place from the folder that `QUIPU_CORPUS` names; without
//! it the test says so and passes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use logic::{ProblemKind, read};

/// Enough of YAML for `logic:`: a block text, or text on the line and on the lines below it.
fn blocks(spec: &str) -> Vec<String> {
    let lines: Vec<&str> = spec.lines().collect();
    let mut blocks = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(rest) = line.trim_start().trim_start_matches("- ").strip_prefix("logic:") else {
            continue;
        };
        let outer = line.len() - line.trim_start().len();
        let indentation = |line: &str| line.len() - line.trim_start().len();
        let below = lines[index + 1..].iter();
        let below = below.take_while(|line| line.trim().is_empty() || indentation(line) > outer);
        let below: Vec<&str> = below.copied().collect();
        let text = rest.trim();
        blocks.push(if text.starts_with('|') {
            let inner = below
                .iter()
                .find(|line| !line.trim().is_empty())
                .map_or(0, |line| indentation(line));
            below
                .iter()
                .map(|line| format!("{}\n", line.get(inner..).unwrap_or_default()))
                .collect()
        } else if let Some(quoted) = text.strip_prefix('\'') {
            // Folded: a blank line is a line break.
            let whole = below.iter().fold(quoted.to_owned(), |whole, line| match line.trim() {
                "" => whole + "\n",
                line => whole + line,
            });
            whole.trim_end().trim_end_matches('\'').replace("''", "'")
        } else {
            text.to_owned()
        });
    }
    blocks
}

#[test]
fn the_blocks_of_real_specs_are_python() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let folder = Path::new(&corpus).join("ontology/specs");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let (mut all, mut reported, mut inexact, mut early, mut ends, mut needs) = (0, 0, 0, 0, 0, 0);
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    let mut outside: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        for code in blocks(&std::fs::read_to_string(&file).unwrap()) {
            let block = read(&code);
            let python = block.problems.iter().all(|found| found.kind != ProblemKind::Syntax);
            assert!(python, "{}: {:?}\n{code}", file.display(), block.problems);
            all += 1;
            reported += usize::from(!block.problems.is_empty());
            inexact += usize::from(block.inexact);
            early += usize::from(block.returns_early);
            ends += usize::from(block.may_end());
            needs += block.needs.len();
            for found in block.problems {
                *why.entry(found.message).or_default() += 1;
            }
            for found in block.outside {
                *outside.entry(found.name.to_string()).or_default() += 1;
            }
        }
    }
    eprintln!("{all} blocks are Python, {reported} use what is not supported: {why:#?}");
    eprintln!(
        "{inexact} inexact, {early} return early, {ends} may end the run, {needs} needs, from outside {outside:?}"
    );
    assert!(all > 0, "{} has no blocks", folder.display());
}
