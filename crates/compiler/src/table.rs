//! Text as numbers. Names are looked up so often that an ordered map would be most of the work;
//! this one hashes, in the same way every time.

/// Each text once, with its number.
pub(crate) struct Table<'g> {
    texts: Vec<&'g str>,
    /// INVARIANT: a power of two, at most half full; 0 is free, else the place in `texts` plus 1.
    slots: Vec<u32>,
}

impl<'g> Table<'g> {
    /// With room for about so many.
    pub(crate) fn new(count: usize) -> Table<'g> {
        Table {
            texts: Vec::with_capacity(count),
            slots: vec![0; (count * 2).next_power_of_two().max(64)],
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The text with this number.
    pub(crate) fn text(&self, number: u32) -> &'g str {
        self.texts[number as usize]
    }

    /// The number of a text, if it has one.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        self.slots[self.slot(text)].checked_sub(1)
    }

    /// The number of a text, a new one if need be.
    pub(crate) fn add(&mut self, text: &'g str) -> u32 {
        let slot = self.slot(text);
        if let Some(known) = self.slots[slot].checked_sub(1) {
            return known;
        }
        self.texts.push(text);
        self.slots[slot] = self.texts.len() as u32;
        if self.texts.len() * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for at in 0..self.texts.len() {
                let slot = self.slot(self.texts[at]);
                self.slots[slot] = at as u32 + 1;
            }
        }
        self.texts.len() as u32 - 1
    }

    /// Where a text is, or would be.
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(text) as usize & mask;
        while let Some(known) = self.slots[slot].checked_sub(1) {
            if self.texts[known as usize] == text {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Eight letters at a time, mixed so that every one of them counts.
fn hash(text: &str) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(ODD);
        mixed ^ (mixed >> 32)
    };
    let hash =
        words.iter().fold(text.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_number() {
        let texts: Vec<String> = (0..500).map(|number| format!("name_{number}")).collect();
        let mut table = Table::new(3);
        let ids: Vec<_> = texts.iter().map(|text| table.add(text)).collect();
        assert_eq!(ids, (0..500).collect::<Vec<_>>());
        assert!(texts.iter().zip(&ids).all(|(text, id)| table.find(text) == Some(*id)));
        assert_eq!((table.find("other"), table.text(7)), (None, "name_7"));
    }
}
