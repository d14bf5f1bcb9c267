//! Content hashes.

use std::fmt;

use crate::{Value, json};
use sha2::{Digest as _, Sha256};

/// A SHA-256. Shown as `sha256:` and 64 lower-case hexadecimal digits; `{:x}` leaves the prefix out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The hash of several pieces of bytes, one after another.
    pub fn of_parts(parts: &[&[u8]]) -> Digest {
        let mut hash = Sha256::new();
        parts.iter().for_each(|part| hash.update(part));
        Digest(hash.finalize().into())
    }

    /// A hash that was computed before.
    pub const fn from_bytes(bytes: [u8; 32]) -> Digest {
        Digest(bytes)
    }

    /// Its 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 lower-case hexadecimal digits, with or without `sha256:` before them.
    pub fn parse(text: &str) -> Option<Digest> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text).as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Digest(bytes))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// The hash of a value: SHA-256 over its canonical JSON.
pub fn digest(value: &Value) -> Digest {
    Digest::of(json::canonical(value).as_bytes())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{self:x}")
    }
}

impl fmt::LowerHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (at, byte) in self.0.iter().enumerate() {
            text[2 * at] = HEX[usize::from(byte >> 4)];
            text[2 * at + 1] = HEX[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_with_and_without_prefix_in_lower_case_only() {
        let digest = Digest::of(b"quipu");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse(&format!("{digest:x}")), Some(digest));
        assert_eq!(Digest::parse(&format!("{digest:x}").to_uppercase()), None);
        assert_eq!(Digest::parse("ab"), None);
    }

    #[test]
    fn parts_hash_as_if_they_were_one() {
        assert_eq!(Digest::of_parts(&[b"qui", b"", b"pu"]), Digest::of(b"quipu"));
    }

    #[test]
    fn a_digest_is_the_sha256_of_the_canonical_text() {
        // `printf '{}' | sha256sum`
        assert_eq!(
            digest(&Value::map::<&str>([])).to_string(),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }
}
