//! A place on the disk that is gone after the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("quipu-forks-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.0.join(inside)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, inside: &str, content: &[u8]) {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Failing to clean up is no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Everything in a folder, a line each: what it is, its path, and its content or target.
pub(crate) fn tree(folder: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(parent) = open.pop() {
        for found in fs::read_dir(parent).unwrap() {
            let path = found.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let about = fs::symlink_metadata(&path).unwrap();
            lines.push(if about.is_symlink() {
                format!("{name} -> {}", fs::read_link(&path).unwrap().display())
            } else if about.is_dir() {
                open.push(path);
                format!("{name}/")
            } else {
                let content = fs::read(&path).unwrap();
                let star = if is_executable(&about) { "*" } else { "" };
                format!("{name}{star} = {}", String::from_utf8_lossy(&content))
            });
        }
    }
    lines.sort();
    lines
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
