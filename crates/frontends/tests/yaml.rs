//! What holds for every YAML text: it is read without panic, and every place is in it. The specs
//! that `QUIPU_CORPUS` names are read without findings; without it the test says so and passes.

use std::path::Path;

use diagnostics::{Source, Span};
use frontends::yaml::{Node, Tree, inside, read};
use proptest::prelude::*;
use sim::Random;

/// Pieces that mean something to YAML, so that their mixtures go deep.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    "- ",
    "? ",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n    ",
    "\r\n",
    " ",
    "\t",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "|",
    ">",
    "|-\n  ",
    ">+\n ",
    "|2\n",
    "&x ",
    "*x",
    "*x : ",
    "!!str ",
    "!t ",
    "<<: ",
    "# c",
    "#",
    "é",
    "😀",
    "\u{feff}",
    "\0",
    "---",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "0x1",
    "1.5",
    ".inf",
    "~",
    "true",
    "\\",
    "\\u00e9",
    "\u{2028}",
    "\u{85}",
    "@",
    "`",
    "\r",
];

const SPEC: &str = "\
name: trïage # c
entities:
  - id: a
    type: agent
    text: |
      Do é

      this.
  - &b {id: b, 'k': [1, 2.5, ~]}
processes:
- <<: *b
  when: \"x \\t\\u00e9\"
  if: >-
    one
    two
  then: plain
    text
";

fn check(text: &str) {
    let source = Source::new("a.yaml", text);
    let mut findings = Vec::new();
    let tree = read(&source, &mut findings);
    assert!(tree.is_some() || !findings.is_empty(), "{text:?}");
    let mut anchors: Vec<Span> = Vec::new();
    for finding in &mut findings {
        anchors.extend(finding.anchors_mut().map(|anchor| anchor.span()));
    }
    anchors.into_iter().for_each(|span| check_span(&source, span));
    if let Some(tree) = tree {
        check_tree(&source, &tree);
        tree.to_value();
    }
}

fn check_span(source: &Source, span: Span) {
    assert!(span.start <= span.end, "{span:?} in {:?}", source.text);
    assert!(source.text.get(span.range()).is_some(), "{span:?} in {:?}", source.text);
}

fn check_tree(source: &Source, tree: &Tree) {
    check_span(source, tree.span);
    match &tree.node {
        Node::Text(text) => {
            for start in [0, 1, text.len() / 2, text.len()] {
                for end in [start, start + 1, text.len(), text.len() + 1] {
                    check_span(source, inside(source, tree, start..end));
                }
            }
        }
        Node::List(items) => items.iter().for_each(|item| check_tree(source, item)),
        Node::Map(entries) => {
            for (key, value) in entries {
                check_span(source, key.span);
                check_tree(source, value);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_mixture_is_read(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let text: String = (0..random.between(1, 40)).map(|_| *random.pick(PIECES)).collect();
        check(&text);
    }

    #[test]
    fn any_change_of_a_spec_is_read(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mut characters: Vec<char> = SPEC.chars().collect();
        for _ in 0..random.between(1, 4) {
            let at = random.below(characters.len());
            let until = (at + random.below(4)).min(characters.len());
            let piece: Vec<char> = random.pick(PIECES).chars().collect();
            characters.splice(at..until, piece);
        }
        check(&characters.into_iter().collect::<String>());
    }
}

#[test]
fn specs_are_read_without_findings() {
    let Some(corpus) = std::env::var_os("QUIPU_CORPUS") else {
        eprintln!("skipped: QUIPU_CORPUS is not set");
        return;
    };
    let mut count = 0;
    for folder in ["ontology/specs", "ontology/invalid"] {
        let folder = Path::new(&corpus).join(folder);
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            check(&text);
            let source = Source::new(path.display().to_string(), text);
            let mut findings = Vec::new();
            let tree = read(&source, &mut findings);
            assert!(findings.is_empty(), "{}: {findings:?}", path.display());
            assert!(tree.unwrap().as_map().is_some(), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 0, "there are no specs");
}
