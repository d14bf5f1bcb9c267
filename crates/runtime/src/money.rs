//! Amounts of money, exact: budgets are compared, and floats do not add up.

use std::fmt;

/// An amount that is not below zero, in billionths of whatever currency the prices are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(i128);

/// Digits behind the point.
const DIGITS: usize = 9;

const UNIT: i128 = 1_000_000_000;

/// No price has more digits than this, in front of its point or behind it.
const PLACES_MAX: i32 = 100;

impl Money {
    /// Nothing.
    pub const ZERO: Money = Money(0);

    /// Reads `12`, `12.34`, `.5` or `1.5e-5`. What is finer than a billionth is rounded up, so
    /// that a thousand tiny costs are never free. Nothing for what is no amount, for amounts
    /// below zero, which would make budgets grow, and for those that nobody can pay.
    pub fn parse(text: &str) -> Option<Money> {
        let text = text.trim();
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let number = number.strip_prefix('+').unwrap_or(number);
        let (front, behind) = number.split_once('.').unwrap_or((number, ""));
        let mut digits: Vec<u8> = front.bytes().chain(behind.bytes()).collect();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        if digits.iter().all(|digit| *digit == b'0') {
            return Some(Money::ZERO);
        }
        // How many of the digits are whole billionths.
        let point = i32::try_from(front.len()).ok()?.checked_add(exponent)?;
        let whole = point.checked_add(i32::try_from(DIGITS).ok()?)?;
        if whole > PLACES_MAX {
            return None;
        }
        let Ok(whole) = usize::try_from(whole) else { return Some(Money(1)) };
        let finer = digits.iter().skip(whole).any(|digit| *digit != b'0');
        digits.resize(whole, b'0');
        let amount = digits.iter().try_fold(0i128, |amount, digit| {
            amount.checked_mul(10)?.checked_add(i128::from(digit - b'0'))
        })?;
        amount.checked_add(i128::from(finer)).map(Money)
    }

    /// The sum; what is more than can be said stays there, far above any budget.
    #[must_use]
    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    /// So many times as much.
    pub(crate) fn times(self, count: u64) -> Money {
        Money(self.0.saturating_mul(i128::from(count)))
    }
}

/// Without zeros at the end, and as [`Money::parse`] reads it.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (front, behind) = (self.0 / UNIT, self.0 % UNIT);
        if behind == 0 {
            return write!(f, "{front}");
        }
        let behind = format!("{behind:0DIGITS$}");
        write!(f, "{front}.{}", behind.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_are_read_and_shown() {
        for (text, shown) in [
            ("12.34", "12.34"),
            ("0", "0"),
            ("-0", "none"),
            (" 5.00 ", "5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+1", "1"),
            ("0.000000001", "0.000000001"),
            ("0.0000000001", "0.000000001"),
            ("0.1234567890001", "0.12345679"),
            ("1.5e-5", "0.000015"),
            ("2E3", "2000"),
            ("1e-2000000000", "0.000000001"),
            ("0e999", "0"),
            ("1e99", "none"),
            ("-1", "none"),
            ("", "none"),
            (".", "none"),
            ("1,5", "none"),
            ("1e", "none"),
            ("1e99999999999", "none"),
            ("NaN", "none"),
            ("99999999999999999999999999999999999999999", "none"),
        ] {
            let found = Money::parse(text).map_or("none".to_string(), |money| money.to_string());
            assert_eq!(found, shown, "{text}");
        }
        let most = Money(i128::MAX);
        assert_eq!(most.plus(most), most);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_again(one in 0..i128::MAX, other in 0..1_000_000_000_000i128) {
            for amount in [Money(one), Money(other)] {
                prop_assert_eq!(Money::parse(&amount.to_string()), Some(amount));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9.eE+\\- ]{0,60}") {
            let _ = Money::parse(&text);
        }

        #[test]
        fn nothing_is_free(digits in 1usize..20) {
            let cost = Money::parse(&format!("0.{}1", "0".repeat(digits))).unwrap();
            prop_assert!(cost > Money::ZERO);
        }
    }
}
