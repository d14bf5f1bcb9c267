//! Keeps what can be read only once, such as standard input, in a file that nobody else sees.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is gone when it is dropped.
#[derive(Debug)]
pub struct Spool {
    file: File,
    /// Where it is, if it could not be made to be nowhere at once.
    path: Option<PathBuf>,
}

impl Spool {
    /// An empty one, in the system's folder for such files.
    pub fn new() -> io::Result<Spool> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("quipu-{}-{count}.spool", std::process::id());
            let path = std::env::temp_dir().join(name);
            match private().open(&path) {
                Ok(file) => {
                    let path = std::fs::remove_file(&path).is_err().then_some(path);
                    return Ok(Spool { file, path });
                }
                // Somebody else had this process's number, and was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// All of a reader, so that it can be read more than once.
pub fn spool(reader: &mut dyn Read) -> io::Result<BufReader<Spool>> {
    let mut spool = Spool::new()?;
    io::copy(reader, &mut spool.file)?;
    spool.file.rewind()?;
    Ok(BufReader::new(spool))
}

/// Histories are nobody else's business.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl Read for Spool {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // It is the system's to clean up if this fails.
            let _ = std::fs::remove_file(path);
        }
    }
}
