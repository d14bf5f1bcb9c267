//! The parser counts characters; spans are in bytes.

use saphyr_parser::Marker;

/// Turns places of the parser into bytes, each in constant time.
pub(super) struct Places<'a> {
    text: &'a str,
    /// The byte where each block of `BLOCK` characters begins; nothing for ASCII.
    blocks: Vec<u32>,
}

const BLOCK: usize = 16;

impl<'a> Places<'a> {
    pub(super) fn of(text: &'a str) -> Places<'a> {
        let mut blocks = Vec::new();
        if !text.is_ascii() {
            let starts = text.char_indices().step_by(BLOCK);
            // Texts are far shorter than 4 GiB here.
            blocks.extend(starts.map(|(byte, _)| byte as u32));
        }
        Places { text, blocks }
    }

    /// The byte of a place; the end of the text for places behind it.
    pub(super) fn byte(&self, marker: &Marker) -> usize {
        let index = marker.index();
        if self.blocks.is_empty() {
            return index.min(self.text.len());
        }
        let Some(block) = self.blocks.get(index / BLOCK) else { return self.text.len() };
        let start = *block as usize;
        let mut characters = self.text[start..].char_indices();
        characters.nth(index % BLOCK).map_or(self.text.len(), |(byte, _)| start + byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_its_byte() {
        for text in ["", "abc", "é", &"aé😀".repeat(100)] {
            let places = Places::of(text);
            for (index, (byte, _)) in text.char_indices().enumerate() {
                assert_eq!(places.byte(&Marker::new(index, 1, 0)), byte);
            }
            let end = text.chars().count();
            assert_eq!(places.byte(&Marker::new(end, 1, 0)), text.len());
            assert_eq!(places.byte(&Marker::new(end + 99, 1, 0)), text.len());
        }
    }
}
