//! A key, and texts from which it must not be read.

use std::fmt;
use std::sync::Arc;

/// What stands in place of a key.
const MASK: &str = "[key]";

/// So many characters of a key, wherever they stand, are taken for a piece of it.
const PIECE: usize = 8;

/// A key. Neither `Debug` nor an error shows it; only [`Secret::expose`] does.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Arc<str>);

impl Secret {
    /// A key as it is written in a variable or a file; what is wrong with it otherwise.
    pub(crate) fn new(text: &str) -> Result<Secret, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            return Err("is empty");
        }
        // It goes into a header, where nothing else can.
        if !text.chars().all(|letter| letter.is_ascii_graphic()) {
            return Err("has spaces or letters that no key has");
        }
        Ok(Secret(text.into()))
    }

    /// The key, for the request that it belongs to.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// A text without the key and without longer pieces of it.
    pub(crate) fn removed_from(&self, text: &str) -> String {
        let key = &*self.0;
        if key.len() <= PIECE {
            return text.replace(key, MASK);
        }
        let mut covered = vec![false; text.len()];
        for start in 0..=key.len() - PIECE {
            for (at, piece) in text.match_indices(&key[start..start + PIECE]) {
                covered[at..at + piece.len()].fill(true);
            }
        }
        let mut shown = String::with_capacity(text.len());
        let mut is_masked = false;
        for (at, letter) in text.char_indices() {
            match (covered[at], is_masked) {
                (true, false) => shown.push_str(MASK),
                (true, true) => {}
                (false, _) => shown.push(letter),
            }
            is_masked = covered[at];
        }
        shown
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_no_text() {
        let key = Secret::new(" sk-canary-0123456789\n").unwrap();
        assert_eq!(format!("{key:?}"), "[key]");
        for (text, shown) in [
            ("no key", "no key"),
            ("sk-canary-0123456789 is wrong", "[key] is wrong"),
            ("Bearer sk-canary-0123456789sk-canary-0123456789.", "Bearer [key]."),
            ("it begins with sk-canary-01...", "it begins with [key]..."),
            ("é23456789é", "é[key]é"),
        ] {
            assert_eq!(key.removed_from(text), shown);
        }
        assert_eq!(Secret::new("abc").unwrap().removed_from("xabcx"), "x[key]x");
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        for text in ["", "  \n", "two words", "line\nbreak", "schlüssel"] {
            assert!(Secret::new(text).is_err(), "{text:?}");
        }
    }
}
