//! Gets ready what the tests need that others wrote: Node packages for the real Mermaid and a real
//! MCP server, and `strace` for those that watch a process.
//!
//! Nothing here fails the run: a machine without Node or network can still run every other
//! test, and the tests that need it say that they skip.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Where packages are listed, from the root of the repository.
const FOLDERS: [&str; 2] = ["tests/mermaid", "tests/mcp"];

/// What must be there to run them.
const PROGRAMS: [&str; 2] = ["node", "npm"];

/// The packages of a Debian system that have them.
const PROGRAMS_PACKAGES: [&str; 2] = ["nodejs", "npm"];

/// Installs what the folders list, unless it is there already.
pub(crate) fn prepare(root: &Path) {
    if !works("strace", "-V") && !install(&["strace"]) {
        eprintln!("xtask: no strace, and no way to install it: a test will see less");
    }
    let is_ready = programs_work() || (install(&PROGRAMS_PACKAGES) && programs_work());
    if !is_ready {
        eprintln!("xtask: no node or npm, and no way to install them: some tests will skip");
        return;
    }
    FOLDERS.iter().for_each(|name| prepare_folder(name, &root.join(name)));
}

fn prepare_folder(name: &str, folder: &Path) {
    if !folder.join("package.json").is_file() {
        return;
    }
    let changed = modified(&folder.join("package-lock.json"));
    // npm writes this file last, so an install that broke off does not count.
    let installed = modified(&folder.join("node_modules/.package-lock.json"));
    if !is_stale(changed, installed) {
        return;
    }
    let args = ["ci", "--no-audit", "--no-fund", "--silent"];
    eprintln!("xtask: npm {} in {name} ...", args.join(" "));
    if !succeeds(Command::new("npm").args(args).current_dir(folder)) {
        eprintln!("xtask: npm failed in {name}: some tests will skip");
    }
}

/// Whether packages must be installed, given when they were listed and when installed.
fn is_stale(changed: Option<SystemTime>, installed: Option<SystemTime>) -> bool {
    match (changed, installed) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(changed), Some(installed)) => installed < changed,
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn programs_work() -> bool {
    PROGRAMS.iter().all(|program| works(program, "--version"))
}

fn works(program: &str, flag: &str) -> bool {
    succeeds(quiet(program).arg(flag))
}

/// Only where it needs no questions: as root, on a system with apt.
fn install(packages: &[&str]) -> bool {
    if !Path::new("/etc/debian_version").exists() || !is_root() {
        return false;
    }
    eprintln!("xtask: apt-get install {} ...", packages.join(" "));
    let install = || {
        let mut command = apt_get();
        succeeds(command.args(["install", "-y", "--no-install-recommends"]).args(packages))
    };
    // A fresh image has no package lists, and then the first attempt fails.
    install() || (succeeds(apt_get().arg("update")) && install())
}

fn apt_get() -> Command {
    let mut command = quiet("apt-get");
    command.arg("-qq").env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn quiet(program: &str) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A program that is not there has not succeeded either.
fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn packages_are_installed_once_per_change_of_the_list() {
        let before = Some(SystemTime::UNIX_EPOCH);
        let after = before.map(|time| time + Duration::from_secs(1));
        assert!(is_stale(before, None), "never installed");
        assert!(is_stale(after, before), "listed anew since");
        assert!(!is_stale(before, after), "installed since");
        assert!(!is_stale(None, after), "installed by hand, without a lock file");
    }

    #[test]
    fn a_missing_program_does_not_succeed() {
        assert!(!succeeds(&mut quiet("there-is-no-such-program")));
    }
}
