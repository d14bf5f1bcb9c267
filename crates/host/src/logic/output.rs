//! What a block prints.

use std::borrow::Cow;

use monty_types::{MontyException, PrintWriterCallback};

/// Keeps what is printed up to a bound.
#[derive(Debug)]
pub(super) struct Output {
    text: String,
    bytes_max: usize,
    is_cut: bool,
}

impl Output {
    pub(super) fn new(bytes_max: usize) -> Output {
        Output { text: String::new(), bytes_max, is_cut: false }
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
}
