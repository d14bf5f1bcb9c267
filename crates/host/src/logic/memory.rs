//! How much memory the process takes, while a block runs.
//!
//! The interpreter bounds only what is asked for at a stroke; a list that grows without end it
//! does not see. So the process is looked at from time to time. Only Linux tells cheaply;
//! elsewhere a block is bounded by its time.

use std::time::{Duration, Instant};

/// How often the process is looked at.
const EVERY: Duration = Duration::from_millis(2);

/// How much the process has grown since a block began.
#[derive(Debug)]
pub(super) struct Growth {
    start_bytes: Option<usize>,
    bytes_max: usize,
    looked: Instant,
}

impl Growth {
    pub(super) fn new(bytes_max: usize) -> Growth {
        Growth { start_bytes: resident_bytes(), bytes_max, looked: Instant::now() }
    }

    /// Whether it has grown too much, as far as is known.
    pub(super) fn is_too_much(&mut self) -> bool {
        let Some(start) = self.start_bytes else { return false };
        if self.looked.elapsed() < EVERY {
            return false;
        }
        self.looked = Instant::now();
        resident_bytes().is_some_and(|now| now.saturating_sub(start) > self.bytes_max)
    }
}

#[cfg(target_os = "linux")]
fn resident_bytes() -> Option<usize> {
    use std::fs::File;
    use std::os::unix::fs::FileExt as _;
    use std::sync::OnceLock;

    /// The open file, and how many bytes a page has.
    static GAUGE: OnceLock<Option<(File, usize)>> = OnceLock::new();

    /// The kernel hands a table of numbers to every process: pairs of what, and how much.
    fn page_bytes() -> Option<usize> {
        const WORD: usize = size_of::<usize>();
        const PAGE_SIZE: usize = 6;
        let table = std::fs::read("/proc/self/auxv").ok()?;
        let number = |bytes: &[u8]| Some(usize::from_ne_bytes(bytes.try_into().ok()?));
        let mut pairs = table.chunks_exact(2 * WORD);
        pairs
            .find(|pair| number(&pair[..WORD]) == Some(PAGE_SIZE))
            .and_then(|pair| number(&pair[WORD..]))
    }

    let gauge = GAUGE.get_or_init(|| Some((File::open("/proc/self/statm").ok()?, page_bytes()?)));
    let (file, page_bytes) = gauge.as_ref()?;
    let mut text = [0; 128];
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let pages: usize = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * page_bytes)
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes() -> Option<usize> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_process_takes_what_it_uses() {
        let before = resident_bytes().expect("Linux tells");
        let block = vec![1u8; 64 << 20];
        let after = resident_bytes().expect("Linux tells");
        assert!(after >= before + (32 << 20), "{before} -> {after} with {} more", block.len());
    }
}
