//! Content hashes.

use std::fmt;

use crate::{Value, json};
use sha2::{Digest as _, Sha256};

/// A SHA-256. Shown as `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }
}

/// The hash of a value: SHA-256 over its canonical JSON.
pub fn digest(value: &Value) -> Digest {
    Digest::of(json::canonical(value).as_bytes())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (at, byte) in self.0.iter().enumerate() {
            text[2 * at] = HEX[usize::from(byte >> 4)];
            text[2 * at + 1] = HEX[usize::from(byte & 15)];
        }
        f.write_str("sha256:")?;
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
    fn a_digest_is_the_sha256_of_the_canonical_text() {
        // `printf '{}' | sha256sum`
        assert_eq!(
            digest(&Value::map::<&str>([])).to_string(),
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
    }
}
