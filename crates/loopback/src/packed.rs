//! A little that unpacks to very much.

/// How often the last letter is said again at once: as often as the format allows.
const RUN: usize = 258;

/// What says so, bit by bit: the code of that length, and of the distance 1.
const AGAIN: [u8; 13] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];

/// A gibibyte of spaces, as gzip. It breaks off at its end: whoever gets so far has unpacked it.
pub(crate) fn gibibyte() -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], used: 8 };
    // The last block, with codes that are fixed.
    [1, 1, 0].into_iter().for_each(|bit| bits.push(bit));
    // The code of a space.
    [0, 1, 0, 1, 0, 0, 0, 0].into_iter().for_each(|bit| bits.push(bit));
    for _ in 0..16 {
        AGAIN.into_iter().for_each(|bit| bits.push(bit));
    }
    // Eight of them are as many bytes as one has bits: from here on it all comes again.
    let begin = bits.bytes.len() - 1 - AGAIN.len();
    let eight = bits.bytes[begin..begin + AGAIN.len()].to_vec();
    bits.bytes.truncate(begin);
    bits.bytes.extend(eight.repeat((1 << 30) / RUN / 8));
    bits.bytes
}

struct Bits {
    bytes: Vec<u8>,
    /// Of the last byte.
    used: u8,
}

impl Bits {
    fn push(&mut self, bit: u8) {
        if self.used == 8 {
            self.bytes.push(0);
            self.used = 0;
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= bit << self.used;
        }
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_small() {
        let packed = super::gibibyte();
        assert!(packed.len() < 8 << 20);
        assert_eq!(packed[12..25], packed[25..38]);
    }
}
