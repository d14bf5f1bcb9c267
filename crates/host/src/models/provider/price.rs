//! What models cost. Prices change: this table is of the day that it names, and `price` in
//! `quipu.toml` is stronger.

use runtime::Money;
use value::Text;

use super::answer::Tokens;

/// When the table was last compared with what the providers say.
pub const PRICES_OF: &str = "2025-11";

/// Tokens are sold by the million.
const PER: i32 = 6;

/// What a million tokens cost, as decimal numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// Of the prompt.
    pub input: Text,
    /// Of the answer, and of what was thought before it.
    pub output: Text,
    /// Of what the provider still had of the prompt; as the rest of it where nothing is said.
    pub cached: Option<Text>,
}

/// Input, output, cached input.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// In dollars.
static PRICES: &[Row] = &[
    ("gpt-5", "1.25", "10", "0.125"),
    ("gpt-5-mini", "0.25", "2", "0.025"),
    ("gpt-5-nano", "0.05", "0.4", "0.005"),
    ("gpt-4.1", "2", "8", "0.5"),
    ("gpt-4.1-mini", "0.4", "1.6", "0.1"),
    ("gpt-4.1-nano", "0.1", "0.4", "0.025"),
    ("gpt-4o", "2.5", "10", "1.25"),
    ("gpt-4o-mini", "0.15", "0.6", "0.075"),
    ("o3", "2", "8", "0.5"),
    ("o4-mini", "1.1", "4.4", "0.275"),
    ("claude-opus-4-5", "5", "25", "0.5"),
    ("claude-opus-4-1", "15", "75", "1.5"),
    ("claude-sonnet-4-5", "3", "15", "0.3"),
    ("claude-sonnet-4", "3", "15", "0.3"),
    ("claude-haiku-4-5", "1", "5", "0.1"),
    ("claude-3-5-haiku", "0.8", "4", "0.08"),
    ("gemini-2.5-pro", "1.25", "10", "0.125"),
    ("gemini-2.5-flash", "0.3", "2.5", "0.03"),
    ("gemini-2.5-flash-lite", "0.1", "0.4", "0.01"),
    ("gemini-2.0-flash", "0.1", "0.4", "0.025"),
];

impl Price {
    /// The price of a model that is in the table, also under a name with a date behind it.
    pub fn known(model: &str) -> Option<Price> {
        let is_date = |rest: &str| {
            rest.strip_prefix('-').is_some_and(|date| {
                date.len() >= 4 && date.chars().all(|c| c.is_ascii_digit() || c == '-')
            })
        };
        let row = PRICES.iter().find(|(name, ..)| {
            model.strip_prefix(name).is_some_and(|rest| rest.is_empty() || is_date(rest))
        });
        row.map(|(_, input, output, cached)| Price {
            input: (*input).into(),
            output: (*output).into(),
            cached: Some((*cached).into()),
        })
    }

    /// Whether each of these texts is an amount.
    pub(crate) fn is_readable(text: &str) -> bool {
        Money::parse(text).is_some() && scaled(text).is_some()
    }

    /// What so many tokens cost. Nothing where a price is no number.
    pub(crate) fn of(&self, tokens: &Tokens) -> Option<Money> {
        let cached = tokens.cached.min(tokens.prompt);
        let fresh = times(tokens.prompt - cached, &self.input)?;
        let cached = times(cached, self.cached.as_ref().unwrap_or(&self.input))?;
        Some(fresh.plus(cached).plus(times(tokens.completion, &self.output)?))
    }
}

/// So many tokens at a price by the million, exactly.
fn times(tokens: u64, price: &str) -> Option<Money> {
    let (digits, places) = scaled(price)?;
    let product = digits.checked_mul(i128::from(tokens))?;
    Money::parse(&format!("{product}e{}", -places - PER))
}

/// A decimal number as a whole one, and how many of its digits stand behind the point.
fn scaled(price: &str) -> Option<(i128, i32)> {
    let price = price.trim();
    let (front, behind) = price.split_once('.').unwrap_or((price, ""));
    let digits = format!("{front}{behind}");
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let places = i32::try_from(behind.len()).ok()?;
    Some((digits.parse().ok().filter(|_| is_number)?, places))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(price: &Price, prompt: u64, cached: u64, completion: u64) -> String {
        price.of(&Tokens { prompt, cached, completion }).unwrap().to_string()
    }

    #[test]
    fn tokens_have_a_price() {
        let known = Price::known("gpt-4o-mini-2024-07-18").unwrap();
        assert_eq!(cost(&known, 1_000_000, 0, 0), "0.15");
        assert_eq!(cost(&known, 1_000_000, 1_000_000, 0), "0.075");
        assert_eq!(cost(&known, 7, 0, 3), "0.00000285");
        let own = Price { input: "0.15".into(), output: "0.60".into(), cached: None };
        assert_eq!(cost(&own, 10, 4, 10), "0.0000075");
        assert_eq!(cost(&own, 0, 0, 0), "0");
    }

    #[test]
    fn only_known_models_have_one() {
        for name in ["gpt-4o", "claude-sonnet-4-5-20250929", "gemini-2.5-flash"] {
            assert!(Price::known(name).is_some(), "{name}");
        }
        for name in ["gpt-4o-audio", "gpt-4", "llama3", "", "gpt-5-1"] {
            assert_eq!(Price::known(name), None, "{name}");
        }
        for (name, input, output, cached) in PRICES {
            assert!([input, output, cached].iter().all(|text| Price::is_readable(text)), "{name}");
        }
        for text in ["", "-1", "1e3", "1,5", "x", "0.1.2"] {
            assert!(!Price::is_readable(text), "{text}");
        }
    }
}
