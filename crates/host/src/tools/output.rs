//! What a program writes, within bounds.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

const CHUNK: usize = 16 << 10;

/// Why reading the answer ended early.
#[derive(Debug)]
pub(super) enum Cut {
    /// There is more than there may be.
    TooLong,
    /// The pipe failed.
    Broken(io::Error),
}

/// Everything up to the end, unless it is more than `length_max` bytes.
pub(super) async fn read_answer(
    mut from: impl AsyncRead + Unpin,
    length_max: usize,
) -> Result<Vec<u8>, Cut> {
    let mut answer = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match from.read(&mut chunk).await {
            Ok(0) => return Ok(answer),
            Ok(length) if answer.len() + length > length_max => return Err(Cut::TooLong),
            Ok(length) => answer.extend_from_slice(&chunk[..length]),
            Err(error) => return Err(Cut::Broken(error)),
        }
    }
}

/// The end of what was written, which can be looked at while more comes.
#[derive(Debug)]
pub(crate) struct Tail {
    length_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    is_cut: bool,
}

impl Tail {
    pub(crate) fn new(length_max: usize) -> Tail {
        Tail { length_max, kept: Mutex::default() }
    }

    /// Reads up to the end, and keeps the last bytes. A pipe that fails has ended.
    pub(crate) async fn fill(&self, mut from: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(length @ 1..) = from.read(&mut chunk).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.bytes.extend(&chunk[..length]);
            let excess = kept.bytes.len().saturating_sub(self.length_max);
            kept.bytes.drain(..excess);
            kept.is_cut |= excess > 0;
        }
    }

    /// As text without white space around it; `...` stands for a beginning that was not kept.
    pub(crate) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, second) = kept.bytes.as_slices();
        let mut bytes = [first, second].concat();
        if kept.is_cut {
            // A cut may go through a character.
            let torn = bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
            bytes.drain(..torn);
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        if kept.is_cut { format!("...{text}") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(length_max: usize, written: &[u8]) -> String {
        let tail = Tail::new(length_max);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(tail.fill(written));
        tail.text()
    }

    #[test]
    fn the_end_is_kept_and_no_character_is_torn() {
        assert_eq!(tail(8, b" short \n"), "short");
        assert_eq!(tail(4, b"it broke: why"), "...why");
        assert_eq!(tail(5, "aéé€".as_bytes()), "...é€");
        assert_eq!(tail(4, "aéé€".as_bytes()), "...€");
        assert_eq!(tail(4, b"a\xff"), "a\u{fffd}");
    }
}
