//! What a text is known by: its words, and pieces of them, each as a number.

use std::collections::BTreeMap;

/// A word counts once as itself, and twice by all of its pieces together.
const OF_PIECES: f64 = 2.0;

/// A piece is so many letters; a word begins and ends with a mark that counts as one.
const PIECE: usize = 3;

/// Of longer words only the beginning is cut into pieces: they are no words of any language.
const PIECES_MAX: usize = 32;

/// Features of a text with how often each occurs, in order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Counted {
    pub(super) counts: Vec<(u32, u16)>,
    /// How many words it has.
    pub(super) words: u32,
}

/// The features of a text that is searched.
pub(super) fn of_text(text: &str) -> Counted {
    let mut counted = Counted::default();
    let mut all: Vec<u32> = Vec::new();
    each(text, &mut |feature, is_piece, _| {
        if !is_piece {
            counted.words = counted.words.saturating_add(1);
        }
        all.push(feature);
    });
    all.sort_unstable();
    let runs = all.chunk_by(|one, other| one == other);
    let counts = runs.map(|run| (run[0], u16::try_from(run.len()).unwrap_or(u16::MAX)));
    counted.counts = counts.collect();
    counted
}

/// The features of a text that is searched for, with what each is worth; each once, in order.
pub(super) fn of_query(text: &str) -> Vec<(u32, f64)> {
    let mut worth: BTreeMap<u32, f64> = BTreeMap::new();
    each(text, &mut |feature, _, of| {
        let own = worth.entry(feature).or_default();
        *own = own.max(of);
    });
    worth.into_iter().collect()
}

/// Hands on each feature, whether it is a piece, and what it is worth.
fn each(text: &str, take: &mut impl FnMut(u32, bool, f64)) {
    let mut word: Vec<char> = Vec::new();
    let mut before: Option<char> = None;
    for letter in text.chars().flat_map(char::to_lowercase) {
        if is_ideograph(letter) {
            whole(&mut word, take);
            take(number(WORD, &[letter]), false, 1.0);
            // Two signs side by side are what a word is elsewhere.
            if let Some(before) = before {
                take(number(PART, &[before, letter]), true, 1.0);
            }
            before = Some(letter);
            continue;
        }
        before = None;
        if letter.is_alphanumeric() {
            word.push(letter);
        } else if !word.is_empty() {
            whole(&mut word, take);
        }
    }
    whole(&mut word, take);
}

/// A word that has come to its end.
fn whole(word: &mut Vec<char>, take: &mut impl FnMut(u32, bool, f64)) {
    if word.is_empty() {
        return;
    }
    take(number(WORD, word), false, 1.0);
    word.truncate(PIECES_MAX);
    word.insert(0, '^');
    word.push('$');
    let pieces = word.windows(PIECE);
    let worth = OF_PIECES / pieces.len() as f64;
    pieces.for_each(|piece| take(number(PART, piece), true, worth));
    word.clear();
}

/// Chinese characters and the syllables of Japanese: they are written without spaces.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// What numbers begin with, so that no piece is taken for a word.
const WORD: u32 = 0x811c_9dc5;
const PART: u32 = 0x050c_5d1f;

/// Letters as one number: FNV-1a, mixed once more.
fn number(begin: u32, letters: &[char]) -> u32 {
    let hash = letters.iter().fold(begin, |hash, letter| {
        let bytes = u32::from(*letter).to_le_bytes();
        bytes.iter().fold(hash, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
    });
    let mixed = (hash ^ (hash >> 16)).wrapping_mul(0x45d9_f3b3);
    mixed ^ (mixed >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_pieces_are_counted() {
        let counted = of_text("Cord, cord! a");
        assert_eq!(counted.words, 3);
        // The word, and `^co`, `cor`, `ord` and `rd$`, twice; `a` and `^a$`.
        let mut counts: Vec<u16> = counted.counts.iter().map(|(_, count)| *count).collect();
        counts.sort_unstable();
        assert_eq!(counts, [1, 1, 2, 2, 2, 2, 2]);
        assert_eq!(of_query("cord cord").len(), 5);
        assert_eq!(of_text(" .,;!\u{0}"), Counted::default());
    }

    #[test]
    fn signs_without_spaces_are_words_of_their_own() {
        let counted = of_text("結縄文字abc");
        assert_eq!(counted.words, 5);
        assert_eq!(of_text("ÄRGER"), of_text("ärger"));
    }
}
