//! The lines of a file, with their places in it, so that some of them can be read again.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::str::Utf8Error;

/// What can be imported from: it is read more than once. Spool what cannot go back
/// ([`crate::spool`]).
pub trait Input: BufRead + Seek {}

impl<T: BufRead + Seek> Input for T {}

/// A longer line is not read: no event comes near, and no value that a store could keep, even as
/// base64 and with what stands around it.
const LENGTH_MAX: u64 = (crate::VALUE_MAX / 3 * 4 + 4_096) as u64;

/// Where a line begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    offset: u64,
    /// Its number, from 1.
    pub(super) number: usize,
}

/// A line that is UTF-8 text.
#[derive(Clone, Copy)]
pub(super) struct Current<'l> {
    pub(super) spot: Spot,
    /// Where the line after it begins.
    next: Spot,
    pub(super) text: &'l str,
    /// Whether it does not end: it is the last one, or cut off.
    pub(super) is_open: bool,
}

/// Reads lines. Those that are empty are left out.
pub(super) struct Lines<'a> {
    input: &'a mut dyn Input,
    /// Where the line after the current one begins.
    next: Spot,
    bytes: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn Input) -> io::Result<Lines<'a>> {
        let mut lines = Lines { input, next: Spot { offset: 0, number: 1 }, bytes: Vec::new() };
        lines.go_to(Spot { offset: 0, number: 1 })?;
        Ok(lines)
    }

    /// Makes a line the next one.
    pub(super) fn go_to(&mut self, spot: Spot) -> io::Result<()> {
        self.input.seek(SeekFrom::Start(spot.offset))?;
        self.next = spot;
        Ok(())
    }

    /// Reads the next line that is not empty.
    pub(super) fn read(&mut self) -> io::Result<Option<Spot>> {
        loop {
            let spot = self.next;
            self.bytes.clear();
            let mut length =
                (&mut *self.input).take(LENGTH_MAX + 1).read_until(b'\n', &mut self.bytes)? as u64;
            if length == 0 {
                return Ok(None);
            }
            if length > LENGTH_MAX {
                length += skip_line(self.input)?;
            }
            self.next = Spot { offset: spot.offset + length, number: spot.number + 1 };
            if !self.trimmed().trim_ascii().is_empty() {
                return Ok(Some(spot));
            }
        }
    }

    /// The line that was read at a spot, without its end and without a byte order mark.
    pub(super) fn current(&self, spot: Spot) -> Result<Current<'_>, Utf8Error> {
        let text = std::str::from_utf8(self.trimmed())?;
        Ok(Current { spot, next: self.next, text, is_open: self.is_open() })
    }

    /// Whether the current line does not end.
    pub(super) fn is_open(&self) -> bool {
        !self.bytes.ends_with(b"\n")
    }

    /// The current line, however it may look.
    pub(super) fn lossy(&self) -> String {
        String::from_utf8_lossy(self.trimmed()).into_owned()
    }

    /// Whether only the beginning of the current line was read.
    pub(super) fn is_too_long(&self) -> bool {
        self.bytes.len() as u64 > LENGTH_MAX
    }

    fn trimmed(&self) -> &[u8] {
        let bytes = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let is_first = self.next.number == 2;
        match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if is_first => rest,
            _ => bytes,
        }
    }
}

fn skip_line(input: &mut dyn Input) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
        let length = end.unwrap_or(buffer.len());
        input.consume(length);
        skipped += length as u64;
        if end.is_some() || length == 0 {
            return Ok(skipped);
        }
    }
}

/// Lines to be read again. Those that stand together take the room of one.
#[derive(Debug, Default)]
pub(super) struct Stretches(Vec<Stretch>);

#[derive(Debug)]
struct Stretch {
    from: Spot,
    lines: usize,
    until: Spot,
}

impl Stretches {
    /// Adds a line.
    pub(super) fn add(&mut self, line: &Current<'_>) {
        match self.0.last_mut() {
            Some(last) if last.until == line.spot => {
                last.lines += 1;
                last.until = line.next;
            }
            _ => self.0.push(Stretch { from: line.spot, lines: 1, until: line.next }),
        }
    }

    /// The first line of each stretch, with how many there are.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Spot, usize)> + '_ {
        self.0.iter().map(|stretch| (stretch.from, stretch.lines))
    }
}
