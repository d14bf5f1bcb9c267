//! The alphabet of the picture: numbers, escaped text, paths.

use std::fmt::{self, Display, Formatter, Write};

use super::super::layout::{Point, Step};

/// How deep a turn under or over goes, before the curve flattens it.
const TURN: f64 = 27.0;

/// Appends formatted text.
macro_rules! ink {
    ($out:expr, $($format:tt)*) => {
        write!($out, $($format)*).expect("writing to text cannot fail")
    };
}
pub(in crate::draw) use ink;

/// A coordinate with one decimal at most.
#[derive(Clone, Copy)]
pub(in crate::draw) struct Num(pub f64);

impl Display for Num {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
        if tenth == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{tenth}") }
    }
}

/// Text for XML. It is clean already: XML allows no way to write a control character.
pub(in crate::draw) struct Xml<'a>(pub &'a str);

impl Display for Xml<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..at])?;
            f.write_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&apos;",
            })?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}

/// The `d` of a path that is being drawn.
pub(super) struct Pen {
    /// So far.
    pub path: String,
    at: Point,
}

impl Pen {
    /// Begins a path.
    pub(super) fn at(x: f64, y: f64) -> Pen {
        let mut path = String::new();
        ink!(path, "M{} {}", Num(x), Num(y));
        Pen { path, at: Point { x, y } }
    }

    /// A straight line.
    pub(super) fn line(mut self, x: f64, y: f64) -> Pen {
        if (Point { x, y }) != self.at {
            ink!(self.path, "L{} {}", Num(x), Num(y));
            self.at = Point { x, y };
        }
        self
    }

    /// Two straight lines with a round corner between them.
    pub(super) fn corner(self, x: f64, y: f64, end_x: f64, end_y: f64) -> Pen {
        const ROUND: f64 = 6.0;
        let toward = |from: f64, to: f64| (to - from).clamp(-ROUND, ROUND);
        let (before_x, before_y) = (x - toward(self.at.x, x), y - toward(self.at.y, y));
        let (after_x, after_y) = (x + toward(x, end_x), y + toward(y, end_y));
        let mut pen = self.line(before_x, before_y);
        ink!(pen.path, "Q{} {} {} {}", Num(x), Num(y), Num(after_x), Num(after_y));
        pen.at = Point { x: after_x, y: after_y };
        pen.line(end_x, end_y)
    }

    /// A step of a route.
    pub(super) fn step(mut self, step: Step) -> Pen {
        let end = step.end();
        let (first, second) = match step {
            Step::Straight(_) => return self.line(end.x, end.y),
            Step::Curve(_) => {
                let middle = (self.at.y + end.y) / 2.0;
                (middle, middle)
            }
            Step::Under(_) => (self.at.y + TURN, end.y + TURN),
            Step::Over(_) => (self.at.y - TURN, end.y - TURN),
        };
        let (from, to) = (Num(self.at.x), Num(end.x));
        ink!(self.path, "C{from} {} {to} {} {to} {}", Num(first), Num(second), Num(end.y));
        self.at = end;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts: Vec<_> =
            [0.0, -0.01, 1.25, -3.96, 10.0].map(|number| Num(number).to_string()).into();
        assert_eq!(texts, ["0", "0", "1.3", "-4", "10"]);
    }

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(Xml("a<b>\"&'").to_string(), "a&lt;b&gt;&quot;&amp;&apos;");
    }
}
