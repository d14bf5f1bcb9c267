//! What a page shows is what happens: its console blocks are run, one after another, in a folder
//! of their own. `UPDATE=1` writes what happens now.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::Folder;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Checks the console blocks of a page, given by its path from the root.
pub(crate) fn check_page(page: &str, folder: &Folder) {
    let path = root().join(page);
    let written = std::fs::read_to_string(&path).unwrap();
    let mut fresh = String::new();
    let mut block: Option<String> = None;
    for line in written.split_inclusive('\n') {
        match (&mut block, line.trim_end()) {
            (None, "```console") => {
                fresh.push_str(line);
                block = Some(String::new());
            }
            (None, _) => fresh.push_str(line),
            (Some(commands), "```") => {
                fresh.push_str(&run_block(folder, commands));
                fresh.push_str(line);
                block = None;
            }
            (Some(commands), _) => commands.push_str(line),
        }
    }
    assert!(block.is_none(), "{page} ends within a block");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    assert_eq!(written, fresh, "{page} shows something else than what happens");
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
            .env("USER", "mira")
            .env("QUIPU_NOW", "2026-11-03T10:00:00.000000Z")
            .output()
            .unwrap();
        shown.push_str(&format!("$ {line}\n{}", String::from_utf8(done.stdout).unwrap()));
    }
    shown
}
