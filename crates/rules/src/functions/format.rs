//! `format`: values written as a control text says, in the way of C's `printf`.

use super::arguments::{Outcome, lexeme, misfit, number, short_enough};
use crate::field::Field;
use crate::program::Kinds;

/// The largest width and precision. CLIPS has no limit but its memory, which it overruns.
const WIDTH_MAX: usize = 1_000;

/// A part of a control text.
enum Part<'c> {
    /// Written as it is.
    Plain(&'c str),
    /// Written in place of a value.
    Value(Conversion<'c>),
}

/// How a value is written: `%-8.3f` has the flag `-`, the width 8 and the precision 3.
struct Conversion<'c> {
    flags: &'c str,
    width: usize,
    precision: Option<usize>,
    letter: char,
}

/// The parts of a control text, up to the first that means nothing.
struct Parts<'c>(&'c str);

impl<'c> Iterator for Parts<'c> {
    type Item = Result<Part<'c>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.0;
        if rest.is_empty() {
            return None;
        }
        let Some(conversion) = rest.strip_prefix('%') else {
            let (plain, rest) = rest.split_at(rest.find('%').unwrap_or(rest.len()));
            self.0 = rest;
            return Some(Ok(Part::Plain(plain)));
        };
        let plain = match conversion.as_bytes().first() {
            Some(b'n') => "\n",
            Some(b'r') => "\r",
            Some(b't') => "\t",
            Some(b'v') => "\u{b}",
            Some(b'%') => "%",
            _ => {
                let (part, rest) = match conversion_of(rest) {
                    Ok((conversion, rest)) => (Ok(Part::Value(conversion)), rest),
                    Err(why) => (Err(why), ""),
                };
                self.0 = rest;
                return Some(part);
            }
        };
        self.0 = &conversion[1..];
        Some(Ok(Part::Plain(plain)))
    }
}

/// The conversion that a text begins with, and what follows it.
fn conversion_of(text: &str) -> Result<(Conversion<'_>, &str), String> {
    let (flags, rest) = split(&text[1..], |letter| "-+ #0".contains(letter));
    let (width, rest) = split(rest, |letter| letter.is_ascii_digit());
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (precision, rest) = split(rest, |letter| letter.is_ascii_digit());
            (Some(precision), rest)
        }
        None => (None, rest),
    };
    let letter = rest.chars().next();
    let rest = &rest[letter.map_or(0, char::len_utf8)..];
    let shown = || {
        let whole = &text[..text.len() - rest.len()];
        match whole.char_indices().nth(20) {
            None => whole.to_owned(),
            Some((end, _)) => format!("{}...", &whole[..end]),
        }
    };
    let limited = |digits: &str| match digits.parse() {
        _ if digits.is_empty() => Ok(0),
        Ok(number) if number <= WIDTH_MAX => Ok(number),
        _ => Err(format!("`{}` has a width or precision above {WIDTH_MAX}", shown())),
    };
    match letter {
        Some(letter) if "doxucsefg".contains(letter) => {
            let width = limited(width)?;
            let precision = precision.map(limited).transpose()?;
            Ok((Conversion { flags, width, precision, letter }, rest))
        }
        _ => Err(format!("`{}` is no conversion; `%%` writes a percent sign", shown())),
    }
}

/// The letters that a text begins with as long as they are of a kind, and the rest.
fn split(text: &str, fits: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|letter| !fits(letter)).unwrap_or(text.len()))
}

/// What the values have to be that a control text writes, or what is wrong with the text.
pub(crate) fn written_by(control: &str) -> Result<Vec<Kinds>, String> {
    let kinds = Parts(control).filter_map(|part| match part {
        Ok(Part::Plain(_)) => None,
        Ok(Part::Value(conversion)) => Some(Ok(conversion.takes())),
        Err(why) => Some(Err(why)),
    });
    kinds.collect()
}

/// The text. Whether it is printed, too, is up to the code that calls this.
pub(super) fn text(args: &[Field]) -> Outcome {
    let Field::Text(control) = &args[1] else { return Err(misfit(args, 1, Kinds::TEXT)) };
    let (wanted, given) = (written_by(control.as_str())?.len(), args.len() - 2);
    if wanted != given {
        return Err(format!("the control text writes {wanted}, and the values are {given}"));
    }
    // Of bytes: several `%c` may make one letter.
    let mut out = Vec::new();
    let mut at = 2;
    for part in Parts(control.as_str()) {
        match part? {
            Part::Plain(plain) => out.extend_from_slice(plain.as_bytes()),
            Part::Value(conversion) => {
                conversion.write(args, at, &mut out)?;
                at += 1;
            }
        }
        short_enough(out.len())?;
    }
    let text = String::from_utf8(out).map_err(|_| "`%c` gives bytes that are no text in UTF-8")?;
    Ok(Field::text(&text))
}

impl Conversion<'_> {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn takes(&self) -> Kinds {
        match self.letter {
            's' => Kinds::LEXEME,
            'c' => Kinds::LEXEME.or(Kinds::INT),
            _ => Kinds::NUMBER,
        }
    }

    /// Writes the argument at this position.
    fn write(&self, args: &[Field], at: usize, out: &mut Vec<u8>) -> Result<(), String> {
        match self.letter {
            's' => {
                let text = lexeme(args, at)?;
                let end = self.precision.and_then(|most| text.char_indices().nth(most));
                self.pad("", &text[..end.map_or(text.len(), |(end, _)| end)], false, out);
            }
            'c' => self.letter(args, at, out)?,
            'd' | 'o' | 'x' | 'u' => self.whole(number(args, at)?.int(), out),
            _ => self.float(number(args, at)?.float(), out),
        }
        Ok(())
    }

    /// Writes a text and what stands before it, as wide as it has to be.
    fn pad(&self, sign: &str, text: &str, zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(sign.len() + text.chars().count());
        let [before, between, after] = match () {
            () if self.has('-') => [0, 0, missing],
            () if zeros && self.has('0') => [0, missing, 0],
            () => [missing, 0, 0],
        };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend_from_slice(sign.as_bytes());
        out.extend(std::iter::repeat_n(b'0', between));
        out.extend_from_slice(text.as_bytes());
        out.extend(std::iter::repeat_n(b' ', after));
    }

    /// One letter: the first of a text, or the byte that an integer ends with.
    fn letter(&self, args: &[Field], at: usize, out: &mut Vec<u8>) -> Result<(), String> {
        match &args[at] {
            Field::Int(number) => {
                // A byte is as wide as a letter, and none is one that ends a text in C: what would
                // follow it is not written.
                let byte = number.to_le_bytes()[0];
                let missing = self.width.saturating_sub(1);
                let (before, after) = if self.has('-') { (0, missing) } else { (missing, 0) };
                out.extend(std::iter::repeat_n(b' ', before));
                if byte != 0 {
                    out.push(byte);
                    out.extend(std::iter::repeat_n(b' ', after));
                }
            }
            field => {
                let text = field.lexeme().ok_or_else(|| misfit(args, at, self.takes()))?;
                let end = text.chars().next().map_or(0, char::len_utf8);
                self.pad("", &text[..end], false, out);
            }
        }
        Ok(())
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            () if negative => "-",
            () if self.has('+') => "+",
            () if self.has(' ') => " ",
            () => "",
        }
    }

    fn whole(&self, number: i64, out: &mut Vec<u8>) {
        let bits = number.cast_unsigned();
        let (sign, mut digits) = match self.letter {
            'd' => (self.sign(number < 0), number.unsigned_abs().to_string()),
            'u' => ("", bits.to_string()),
            'x' if self.has('#') && bits != 0 => ("0x", format!("{bits:x}")),
            'x' => ("", format!("{bits:x}")),
            _ => ("", format!("{bits:o}")),
        };
        if let Some(least) = self.precision {
            digits = match number {
                0 => "0".repeat(least),
                _ => format!("{digits:0>least$}"),
            };
        }
        if self.letter == 'o' && self.has('#') && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        // The precision says how many zeros there are, where there is one.
        self.pad(sign, &digits, self.precision.is_none(), out);
    }

    fn float(&self, number: f64, out: &mut Vec<u8>) {
        if !number.is_finite() {
            // There is one `nan`, as wherever values are written.
            let sign = self.sign(number < 0.0 || number.is_nan());
            return self.pad(sign, if number.is_nan() { "nan" } else { "inf" }, false, out);
        }
        let size = number.abs();
        let precision = self.precision.unwrap_or(6);
        let digits = match self.letter {
            'f' => self.pointed(format!("{size:.precision$}")),
            'e' => {
                let (mantissa, exponent) = scientific(size, precision);
                self.pointed(mantissa) + &power(exponent)
            }
            _ => self.shortest(size, precision.max(1)),
        };
        self.pad(self.sign(number.is_sign_negative()), &digits, true, out);
    }

    /// So many digits in all, with a power of ten where the number is very small or large.
    fn shortest(&self, size: f64, digits: usize) -> String {
        let (mantissa, exponent) = scientific(size, digits - 1);
        let last = i32::try_from(digits).unwrap_or(i32::MAX) - 1;
        let (number, power) = if (-4..=last).contains(&exponent) {
            let decimals = (last - exponent).unsigned_abs() as usize;
            (format!("{size:.decimals$}"), String::new())
        } else {
            (mantissa, power(exponent))
        };
        if self.has('#') {
            return self.pointed(number) + &power;
        }
        let short = match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.'),
            false => &number,
        };
        short.to_owned() + &power
    }

    /// With a point behind it, where one is asked for and none is there.
    fn pointed(&self, mut number: String) -> String {
        if self.has('#') && !number.contains('.') {
            number.push('.');
        }
        number
    }
}

/// A number of one digit before the point and so many behind it, and the power of ten beside it.
fn scientific(size: f64, decimals: usize) -> (String, i32) {
    let mut number = format!("{size:.decimals$e}");
    let point = number.find('e').unwrap_or(number.len());
    let exponent = number[point..].trim_start_matches('e').parse().unwrap_or_default();
    number.truncate(point);
    (number, exponent)
}

fn power(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WIDTH_MAX, text, written_by};
    use crate::field::Field;
    use crate::functions::arguments::TEXT_MAX;
    use crate::program::Kinds;

    /// What comes of a control text and values for it.
    fn formatted(control: &str, values: &[Field]) -> Result<String, String> {
        let args = [&[Field::nil(), Field::text(control)], values].concat();
        text(&args).map(|text| text.lexeme().unwrap_or_default().to_owned())
    }

    #[test]
    fn letters_that_no_line_of_a_file_can_show_are_written() {
        assert_eq!(formatted("%r%n%t%v", &[]).unwrap(), "\r\n\t\u{b}");
        assert_eq!(formatted("%c", &[Field::Int(127)]).unwrap(), "\u{7f}");
    }

    #[test]
    fn the_widest_is_written_and_no_wider() {
        let (widest, wider) = (format!("%{WIDTH_MAX}d"), format!("%{}d", WIDTH_MAX + 1));
        assert_eq!(formatted(&widest, &[Field::Int(1)]).unwrap().len(), WIDTH_MAX);
        let why = "`%1001d` has a width or precision above 1000";
        assert_eq!(formatted(&wider, &[Field::Int(1)]).unwrap_err(), why);
        let endless = format!("%.{}f", "9".repeat(100));
        assert_eq!(
            formatted(&endless, &[Field::Int(1)]).unwrap_err(),
            "`%.999999999999999999...` has a width or precision above 1000"
        );
        let tail = formatted(&format!("%.{WIDTH_MAX}f"), &[Field::Float(5e-324)]).unwrap();
        assert!(tail.starts_with("0.000") && tail.ends_with("7") && tail.len() == 2 + WIDTH_MAX);
    }

    #[test]
    fn a_text_is_not_longer_than_texts_may_be() {
        let count = TEXT_MAX / WIDTH_MAX + 1;
        let control = format!("%{WIDTH_MAX}d").repeat(count);
        let why = formatted(&control, &vec![Field::Int(1); count]).unwrap_err();
        assert_eq!(why, "the text would be longer than 1048576 bytes");
    }

    proptest! {
        #[test]
        fn no_control_text_panics(
            control in "([%a-z .0-9é]|%[-+ #0]{0,3}([0-9]{1,4})?([.][0-9]{0,4})?[doxucsefgq]){0,4}",
            int in any::<i64>(),
            float in any::<f64>(),
            word in ".{0,5}",
        ) {
            // Values that fit are written.
            if let Ok(kinds) = written_by(&control) {
                let fitting = |kind: &Kinds| match kind {
                    kind if kind.meets(Kinds::LEXEME) => Field::text(&word),
                    _ if int % 2 == 0 => Field::Int(int),
                    _ => Field::Float(float),
                };
                let values: Vec<Field> = kinds.iter().map(fitting).collect();
                prop_assert!(formatted(&control, &values).is_ok(), "{control}");
            }
            // Others may not be, which is said.
            for value in [Field::Int(int), Field::Float(float), Field::text(&word)] {
                for count in 0..4 {
                    let _ = formatted(&control, &vec![value.clone(); count]);
                }
            }
        }
    }
}
