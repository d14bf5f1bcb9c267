//! What a block prints, and how it grows: the interpreter hands both to the same place.

use std::borrow::Cow;

use monty_types::{ExcType, MontyException, PrintWriterCallback};

use super::LogicLimits;
use super::memory::Growth;

/// Keeps what is printed up to a bound.
#[derive(Debug)]
pub(super) struct Output {
    text: String,
    bytes_max: usize,
    is_cut: bool,
    growth: Growth,
}

impl Output {
    pub(super) fn new(limits: &LogicLimits) -> Output {
        Output {
            text: String::new(),
            bytes_max: limits.printed_bytes,
            is_cut: false,
            growth: Growth::new(limits.memory_bytes),
        }
    }

    /// What was printed; where it was too much, it says so.
    pub(super) fn into_text(self) -> String {
        if !self.is_cut {
            return self.text;
        }
        format!("{}\n... (only the first {} bytes are kept)\n", self.text, self.bytes_max)
    }

    fn push(&mut self, text: &str) {
        let room = self.bytes_max - self.text.len();
        if self.is_cut || text.len() > room {
            // Nothing that comes later may stand where something is missing.
            let end = if self.is_cut { 0 } else { text.floor_char_boundary(room) };
            self.text.push_str(&text[..end]);
            self.is_cut = true;
        } else {
            self.text.push_str(text);
        }
    }
}

impl PrintWriterCallback for Output {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.push(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    /// The interpreter comes by here every few hundred instructions.
    fn poll_flush(&mut self) -> Result<(), MontyException> {
        if self.growth.is_too_much() {
            let message = "the process grew too much while the block ran";
            return Err(MontyException::new(ExcType::MemoryError, Some(message.into())));
        }
        Ok(())
    }
}
