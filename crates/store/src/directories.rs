//! Folders that outlive a loss of power.

use std::io;
use std::path::Path;

/// Makes a folder with all above it.
pub(crate) fn create(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
    let above = above.unwrap_or(Path::new("."));
    create(above)?;
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    sync(above)
}

/// Waits until the names in a folder are on the disk, where a system has such a thing.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
