//! The built-in tool `calculator`: reads an expression and computes it in one pass.

use value::Value;

use super::builtin::Arguments;

/// Longer expressions were not written to be computed.
const LENGTH_MAX: usize = 10_000;

/// How deeply parentheses, signs and powers may nest: each takes a piece of the stack.
const DEPTH_MAX: usize = 100;

/// Integers up to here are the same number in every JSON reader.
const EXACT_MAX: i128 = (1 << 53) - 1;

pub(super) fn run(arguments: &Arguments<'_>) -> Result<Value, String> {
    evaluate(arguments.subject("expression")?)
}

fn evaluate(expression: &str) -> Result<Value, String> {
    if expression.len() > LENGTH_MAX {
        return Err(format!("the expression is longer than {LENGTH_MAX} bytes"));
    }
    let mut reader = Reader { text: expression, at: 0, depth: 0 };
    let number = reader.sum()?;
    match reader.peek() {
        None => Ok(number.into_value()),
        Some(_) => Err(reader.unexpected("an operator or the end")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    /// INVARIANT: at most `EXACT_MAX` from zero.
    Whole(i128),
    /// INVARIANT: finite.
    Float(f64),
}

impl Number {
    fn whole(number: i128) -> Number {
        if number.abs() <= EXACT_MAX { Number::Whole(number) } else { Number::Float(number as f64) }
    }

    fn float(number: f64) -> Result<Number, String> {
        if number.is_finite() {
            Ok(Number::Float(number))
        } else {
            Err("the number is too large".to_owned())
        }
    }

    fn as_float(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Float(number) => number,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Number::Whole(number) => Value::Int(i64::try_from(number).expect("it is exact")),
            Number::Float(number) => Value::Float(number),
        }
    }

    fn combine(self, operator: Operator, other: Number) -> Result<Number, String> {
        use Number::Whole;
        use Operator::{Add, Divide, Multiply, Remainder, Subtract};
        if matches!(operator, Divide | Remainder) && other.as_float() == 0.0 {
            return Err("division by zero".to_owned());
        }
        Ok(match (operator, self, other) {
            (Add, Whole(a), Whole(b)) => Number::whole(a + b),
            (Subtract, Whole(a), Whole(b)) => Number::whole(a - b),
            (Multiply, Whole(a), Whole(b)) => Number::whole(a * b),
            (Divide, Whole(a), Whole(b)) if a % b == 0 => Number::whole(a / b),
            // The sign is the divisor's, as in Python.
            (Remainder, Whole(a), Whole(b)) => Number::whole((a % b + b) % b),
            (_, a, b) => {
                let (a, b) = (a.as_float(), b.as_float());
                Number::float(match operator {
                    Add => a + b,
                    Subtract => a - b,
                    Multiply => a * b,
                    Divide => a / b,
                    Remainder => a - b * (a / b).floor(),
                })?
            }
        })
    }

    fn power(self, exponent: Number) -> Result<Number, String> {
        if let (Number::Whole(base), Number::Whole(exponent)) = (self, exponent)
            && let Ok(exponent) = u32::try_from(exponent)
            && let Some(power) = base.checked_pow(exponent)
        {
            return Ok(Number::whole(power));
        }
        let power = self.as_float().powf(exponent.as_float());
        if power.is_nan() {
            return Err("a negative number has no such power".to_owned());
        }
        if power.is_infinite() && self.as_float() == 0.0 {
            return Err("division by zero".to_owned());
        }
        Number::float(power)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn takes(&mut self, word: &str) -> bool {
        self.peek();
        let takes = self.text[self.at..].starts_with(word);
        if takes {
            self.at += word.len();
        }
        takes
    }

    fn unexpected(&mut self, wanted: &str) -> String {
        match self.peek() {
            None => format!("the expression ends where {wanted} must follow"),
            Some(found) => {
                let before = self.text[..self.at].chars().count();
                format!("at character {}: {wanted} must stand here, not `{found}`", before + 1)
            }
        }
    }

    fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("nested more than {DEPTH_MAX} levels deep"));
        }
        self.depth += 1;
        let read = inside(self)?;
        self.depth -= 1;
        Ok(read)
    }

    fn sum(&mut self) -> Result<Number, String> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = left.combine(operator, self.product()?)?;
        }
    }

    fn product(&mut self) -> Result<Number, String> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.peek() {
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                Some('%') => Operator::Remainder,
                _ => return Ok(left),
            };
            self.at += 1;
            left = left.combine(operator, self.signed()?)?;
        }
    }

    /// A sign binds less than a power: `-2 ** 2` is -4.
    fn signed(&mut self) -> Result<Number, String> {
        if self.takes("-") {
            let number = self.deeper(Self::signed)?;
            return Number::Whole(0).combine(Operator::Subtract, number);
        }
        if self.takes("+") {
            return self.deeper(Self::signed);
        }
        self.power()
    }

    /// Powers group from the right: `2 ** 3 ** 2` is 512.
    fn power(&mut self) -> Result<Number, String> {
        let base = self.atom()?;
        if self.takes("**") { base.power(self.deeper(Self::signed)?) } else { Ok(base) }
    }

    fn atom(&mut self) -> Result<Number, String> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                let inside = self.deeper(Self::sum)?;
                if self.takes(")") { Ok(inside) } else { Err(self.unexpected("`)`")) }
            }
            Some('0'..='9' | '.') => self.number(),
            _ => Err(self.unexpected("a number or `(`")),
        }
    }

    fn number(&mut self) -> Result<Number, String> {
        let rest = &self.text[self.at..];
        let digits = |from: usize| {
            let end = rest[from..].find(|letter: char| !letter.is_ascii_digit());
            end.map_or(rest.len(), |end| from + end)
        };
        let mut end = digits(0);
        if rest[end..].starts_with('.') {
            end = digits(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let written = &rest[..end];
        let read = match written.parse::<i128>() {
            Ok(number) => Number::whole(number),
            Err(_) => match written.parse::<f64>() {
                Ok(number) => Number::float(number)?,
                Err(_) => return Err(self.unexpected("a number")),
            },
        };
        self.at += end;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_in_python() {
        for (expression, answer) in [
            ("1 + 2 * 3", "7"),
            ("(1+2)*3", "9"),
            ("-2 ** 2", "-4"),
            ("2 ** 3 ** 2", "512"),
            ("2 ** -1", "0.5"),
            ("7 / 2", "3.5"),
            ("6 / 2", "3"),
            ("-7 % 3", "2"),
            ("7 % -3", "-2"),
            ("-7.5 % 2", "0.5"),
            ("0.1 + 0.2", "0.30000000000000004"),
            (".5 * 4", "2"),
            ("1e3 + 1", "1001"),
            ("- - + 3", "3"),
            ("2 ** 53 - 1", "9007199254740991"),
            ("2 ** 100", "1.2676506002282294e+30"),
            ("99999999999999999999999999999999999999999", "1e+41"),
            ("0 ** 0", "1"),
        ] {
            let value = evaluate(expression).map(|value| value::json::canonical(&value));
            assert_eq!(value.as_deref(), Ok(answer), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        let deep = "(".repeat(101) + "1" + &")".repeat(101);
        let long = "1+".repeat(5_000) + "1";
        for (expression, why) in [
            ("1 / 0", "division by zero"),
            ("1 % 0.0", "division by zero"),
            ("0 ** -1", "division by zero"),
            ("(-8) ** 0.5", "a negative number has no such power"),
            ("10 ** 400", "the number is too large"),
            ("1e999", "the number is too large"),
            ("9 ** 9 ** 9 ** 9", "the number is too large"),
            ("", "the expression ends where a number or `(` must follow"),
            ("(1", "the expression ends where `)` must follow"),
            ("1 +", "the expression ends where a number or `(` must follow"),
            ("1 2", "at character 3: an operator or the end must stand here, not `2`"),
            ("é", "at character 1: a number or `(` must stand here, not `é`"),
            ("1.2.3", "at character 4: an operator or the end must stand here, not `.`"),
            (".", "at character 1: a number must stand here, not `.`"),
            ("__import__('os')", "at character 1: a number or `(` must stand here, not `_`"),
            (&deep, "nested more than 100 levels deep"),
            (&long, "the expression is longer than 10000 bytes"),
        ] {
            assert_eq!(evaluate(expression), Err(why.to_owned()), "{expression}");
        }
    }
}
