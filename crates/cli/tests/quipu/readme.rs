//! What the README shows is what happens: its console blocks are run, its pictures are drawn.
//! `UPDATE=1` writes what happens now.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::Folder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn console_blocks_of_the_readme_are_true() {
    let path = root().join("README.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let folder = Folder::new();
    copy_examples(&folder);
    let mut fresh = String::new();
    let mut block: Option<String> = None;
    for line in page.split_inclusive('\n') {
        match (&mut block, line.trim_end()) {
            (None, "```console") => {
                fresh.push_str(line);
                block = Some(String::new());
            }
            (None, _) => fresh.push_str(line),
            (Some(commands), "```") => {
                fresh.push_str(&run_block(&folder, commands));
                fresh.push_str(line);
                block = None;
            }
            (Some(commands), _) => commands.push_str(line),
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    assert_eq!(page, fresh);
}

/// Runs each line that begins with `$`, with the binary under test as `quipu`.
fn run_block(folder: &Folder, block: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_quipu")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut shown = String::new();
    for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let done = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {line}")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        shown.push_str(&format!("$ {line}\n{}", String::from_utf8(done.stdout).unwrap()));
    }
    shown
}

fn copy_examples(folder: &Folder) {
    let to = folder.path().join("examples");
    std::fs::create_dir_all(&to).unwrap();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn the_pictures_are_what_show_draws() {
    for name in ["triage", "research", "nightly"] {
        let example = root().join(format!("examples/{name}.json"));
        let picture = root().join(format!("docs/pictures/{name}.svg"));
        let done = Folder::new().run(&["show", example.to_str().unwrap(), "--as", "svg"]);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{name} is clean");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&picture, &done.stdout).unwrap();
        }
        let drawn = std::fs::read_to_string(&picture).unwrap();
        assert!(drawn == done.stdout, "docs/pictures/{name}.svg is out of date");
    }
}
