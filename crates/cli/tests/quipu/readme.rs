//! What the README and the tutorials show is what happens, and the pictures are drawn.
//! `UPDATE=1` writes what happens now.

use std::path::Path;

use crate::console::{check_page, root};
use crate::run::Folder;

#[test]
fn console_blocks_of_the_readme_are_true() {
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("README.md", &folder);
}

#[test]
fn console_blocks_of_the_tutorials_are_true() {
    check_page("docs/tutorial-check.md", &Folder::new());
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/tutorial-history.md", &folder);
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/tutorial-run.md", &folder);
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/observability.md", &folder);
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/ainl.md", &folder);
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/policies.md", &folder);
    let folder = Folder::new();
    copy_examples(&folder);
    check_page("docs/rules.md", &folder);
}

fn copy_examples(folder: &Folder) {
    copy(&root().join("examples"), &folder.path().join("examples"));
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = std::fs::copy(entry.path(), to).unwrap(),
        }
    }
}

#[test]
fn the_pictures_are_what_show_draws() {
    for (picture, example, more) in [
        ("triage", "triage.json", &[][..]),
        ("research", "research.json", &[]),
        ("nightly", "nightly.json", &[]),
        ("support", "support.yaml", &[]),
        ("triage-rules", "rules/triage.clp", &[]),
        ("support-architecture", "support.yaml", &["--view", "architecture"]),
        ("support-schemas", "support.yaml", &["--view", "schemas"]),
    ] {
        let example = root().join("examples").join(example);
        let file = root().join(format!("docs/pictures/{picture}.svg"));
        let mut arguments = vec!["show", example.to_str().unwrap(), "--as", "svg"];
        arguments.extend(more);
        let done = Folder::new().run(&arguments);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{picture} is clean");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &done.stdout).unwrap();
        }
        let drawn = std::fs::read_to_string(&file).unwrap();
        assert!(drawn == done.stdout, "docs/pictures/{picture}.svg is out of date");
    }
}
