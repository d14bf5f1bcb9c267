//! A secret that goes into a header by itself.

use std::fmt;
use std::sync::Arc;

use super::Revealed;

/// The key to a provider. Neither `Debug` nor an error shows it; only [`Secret::expose`] does.
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
        let mut revealed = Revealed::default();
        revealed.add("key".into(), self.0.to_string());
        revealed.hide(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{secret:key}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_in_no_text() {
        let key = Secret::new(" sk-canary-0123456789\n").unwrap();
        assert_eq!(format!("{key:?}"), "{secret:key}");
        assert_eq!(key.removed_from("wrong: sk-canary-012..."), "wrong: {secret:key}...");
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        for text in ["", "  \n", "two words", "line\nbreak", "schlüssel"] {
            assert!(Secret::new(text).is_err(), "{text:?}");
        }
    }
}
