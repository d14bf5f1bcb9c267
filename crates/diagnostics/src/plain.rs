//! Text from elsewhere, made fit for a terminal.

use std::borrow::Cow;

/// Whether a character only shows itself: it neither moves the cursor, starts a line or changes
/// colours, nor turns the direction of reading or hides.
pub fn is_plain(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        )
}

/// A text on one line, in which every character only shows itself.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return text.into();
    }
    let shown = |character| match character {
        '\n' | '\r' | '\t' => ' ',
        other if is_plain(other) => other,
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(shown).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_a_terminal_is_replaced() {
        assert_eq!(
            plain("a\u{1b}[2J\u{9b}1mb\u{202e}c\r\nd"),
            "a\u{fffd}[2J\u{fffd}1mb\u{fffd}c  d"
        );
        assert!(matches!(plain("käse 🧀"), Cow::Borrowed(_)));
    }
}
