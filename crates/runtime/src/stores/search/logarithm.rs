//! A logarithm that has the same digits on every machine.

/// The natural logarithm of a number above zero. What a mathematics library answers differs in the
/// last digit from one system to the next, and a score that is recorded must be derived again
/// exactly; sums, products and quotients are the same everywhere.
pub(super) fn ln(number: f64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = number.to_bits();
    let mut exponent = ((bits >> 52) & 0x7ff) as f64 - 1023.0;
    let mut mantissa = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1.0;
    }
    let part = (mantissa - 1.0) / (mantissa + 1.0);
    let square = part * part;
    // The series of the inverse hyperbolic tangent; here each term is 34 times smaller than the
    // one before it.
    let series = (0..9).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    exponent * LN_2 + 2.0 * part * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_logarithm() {
        for number in [1.0, 1.000_001, 1.4, 1.5, 2.0, 2.9, 10.0, 1e5, 123_456_789.0, 0.3] {
            let (ours, wanted) = (ln(number), f64::ln(number));
            assert!((ours - wanted).abs() <= 1e-13 * wanted.abs().max(1.0), "{number}: {ours}");
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
