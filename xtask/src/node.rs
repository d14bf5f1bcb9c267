//! Gets Node packages ready for the tests that draw with the real Mermaid.
//!
//! Nothing here fails the run: a machine without Node or network can still run every other
//! test, and the tests that need it say that they skip.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Where the packages are listed, from the root of the repository.
const FOLDER: &str = "tests/mermaid";

/// What must be there to run them.
const PROGRAMS: [&str; 2] = ["node", "npm"];

/// Installs what `tests/mermaid` lists, unless it is there already.
pub(crate) fn prepare(root: &Path) {
    let folder = root.join(FOLDER);
    if !folder.join("package.json").is_file() {
        return;
    }
    if !programs_work() && !install_programs() {
        eprintln!("xtask: no node or npm, and no way to install them: some tests will skip");
        return;
    }
    let changed = modified(&folder.join("package-lock.json"));
    // npm writes this file last, so an install that broke off does not count.
    let installed = modified(&folder.join("node_modules/.package-lock.json"));
    if !is_stale(changed, installed) {
        return;
    }
    let args = ["ci", "--no-audit", "--no-fund", "--silent"];
    eprintln!("xtask: npm {} in {FOLDER} ...", args.join(" "));
    if !succeeds(Command::new("npm").args(args).current_dir(&folder)) {
        eprintln!("xtask: npm failed in {FOLDER}: some tests will skip");
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
    PROGRAMS.iter().all(|program| succeeds(quiet(program).arg("--version")))
}

/// Only where it needs no questions: as root, on a system with apt.
fn install_programs() -> bool {
    if !Path::new("/etc/debian_version").exists() || !is_root() {
        return false;
    }
    eprintln!("xtask: apt-get install nodejs npm ...");
    // A fresh image has no package lists, and then the first attempt fails.
    (apt_get_install() || (succeeds(apt_get().arg("update")) && apt_get_install()))
        && programs_work()
}

fn apt_get_install() -> bool {
    succeeds(apt_get().args(["install", "-y", "--no-install-recommends", "nodejs", "npm"]))
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
