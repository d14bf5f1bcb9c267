//! The outlines of nodes.

use std::fmt::Write as _;

use super::super::super::svg::ink::{Num, ink};
use super::figure::{CARD_HEAD, Figure, Shape};

/// How far below its top the outline of a figure is at some place.
pub(super) fn head(figure: &Figure, x: f64) -> f64 {
    let (width, height) = (figure.width, figure.height);
    match figure.shape {
        Shape::Diamond => (height / 2.0) * ((x - width / 2.0).abs() / (width / 2.0)).min(1.0),
        Shape::Octagon => (9.0 - x.min(width - x)).clamp(0.0, 9.0),
        _ => 0.0,
    }
}

/// How far above its bottom the outline of a figure is at some place.
pub(super) fn foot(figure: &Figure, x: f64) -> f64 {
    let aside = ((x - figure.width / 2.0).abs() / (figure.width / 2.0)).min(1.0);
    match figure.shape {
        Shape::Bubble => 7.0,
        Shape::Document => 6.0,
        Shape::Shield => 10.0 * aside,
        _ => head(figure, x),
    }
}

/// Paints an outline; `class` gives it its colours.
pub(super) fn paint(out: &mut String, figure: &Figure, class: &str, x: f64, y: f64) {
    let (w, h) = (figure.width, figure.height);
    let polygon = |out: &mut String, points: &[(f64, f64)]| {
        ink!(out, "<path class=\"{class}\" d=\"");
        for (at, (px, py)) in points.iter().enumerate() {
            let pen = if at == 0 { 'M' } else { 'L' };
            ink!(out, "{pen}{} {}", Num(x + px), Num(y + py));
        }
        out.push_str("z\"/>");
    };
    match figure.shape {
        Shape::Rect | Shape::Dashed => rect(out, class, (x, y), (w, h), 4.0),
        Shape::Rounded => rect(out, class, (x, y), (w, h), (h / 2.0).min(14.0)),
        Shape::DoubleRounded => {
            rect(out, class, (x, y), (w, h), 12.0);
            rect(out, &format!("{class} v-inner"), (x + 3.0, y + 3.0), (w - 6.0, h - 6.0), 9.0);
        }
        Shape::DoubleRect => {
            rect(out, class, (x, y), (w, h), 2.0);
            rect(out, &format!("{class} v-inner"), (x + 3.5, y + 3.5), (w - 7.0, h - 7.0), 1.0);
        }
        Shape::Diamond => {
            polygon(out, &[(w / 2.0, 0.0), (w, h / 2.0), (w / 2.0, h), (0.0, h / 2.0)]);
        }
        Shape::Octagon => {
            let c = 9.0;
            polygon(
                out,
                &[
                    (c, 0.0),
                    (w - c, 0.0),
                    (w, c),
                    (w, h - c),
                    (w - c, h),
                    (c, h),
                    (0.0, h - c),
                    (0.0, c),
                ],
            );
        }
        Shape::Hexagon => {
            let c = 11.0;
            polygon(
                out,
                &[(c, 0.0), (w - c, 0.0), (w, h / 2.0), (w - c, h), (c, h), (0.0, h / 2.0)],
            );
        }
        Shape::Slanted => polygon(out, &[(12.0, 0.0), (w, 0.0), (w - 12.0, h), (0.0, h)]),
        Shape::Shield => {
            polygon(out, &[(0.0, 0.0), (w, 0.0), (w, h - 10.0), (w / 2.0, h), (0.0, h - 10.0)])
        }
        Shape::Cylinder => cylinder(out, class, (x, y), (w, h)),
        Shape::Document => {
            let (left, right, bottom) = (Num(x), Num(x + w), Num(y + h - 6.0));
            let (first, second) = (Num(x + w * 0.3), Num(x + w * 0.7));
            ink!(out, "<path class=\"{class}\" d=\"M{left} {}L{right} {}", Num(y), Num(y));
            ink!(
                out,
                "L{right} {bottom}C{second} {} {first} {} ",
                Num(y + h - 14.0),
                Num(y + h + 4.0)
            );
            ink!(out, "{left} {bottom}z\"/>");
        }
        Shape::Bubble => {
            let (body, tail) = (h - 7.0, x + 22.0);
            rect(out, class, (x, y), (w, body), 10.0);
            ink!(out, "<path class=\"{class}\" d=\"M{} {}", Num(tail), Num(y + body));
            ink!(
                out,
                "L{} {}L{} {}\"/>",
                Num(tail - 4.0),
                Num(y + h),
                Num(tail + 10.0),
                Num(y + body)
            );
        }
        Shape::Person => {
            rect(out, class, (x, y), (w, h), 6.0);
            let (cx, cy) = (x + 18.0, y + h / 2.0);
            ink!(out, "<circle class=\"{class} v-inner\" cx=\"{}\" ", Num(cx));
            ink!(out, "cy=\"{}\" r=\"3.6\"/>", Num(cy - 4.5));
            ink!(out, "<path class=\"{class} v-inner\" d=\"M{} {}", Num(cx - 7.0), Num(cy + 8.5));
            ink!(out, "C{} {} ", Num(cx - 7.0), Num(cy - 2.0));
            ink!(
                out,
                "{} {} {} {}z\"/>",
                Num(cx + 7.0),
                Num(cy - 2.0),
                Num(cx + 7.0),
                Num(cy + 8.5)
            );
        }
        Shape::Card => {
            rect(out, "v-card", (x, y), (w, h), 6.0);
            let (right, bottom) = (Num(x + w), Num(y + CARD_HEAD));
            ink!(out, "<path class=\"{class}\" d=\"M{} {bottom}", Num(x));
            ink!(out, "L{} {}Q{} {} ", Num(x), Num(y + 6.0), Num(x), Num(y));
            ink!(out, "{} {}L{} {}", Num(x + 6.0), Num(y), Num(x + w - 6.0), Num(y));
            ink!(out, "Q{right} {} {right} {}L{right} {bottom}z\"/>", Num(y), Num(y + 6.0));
        }
        Shape::Dot => dot(out, class, (x + w / 2.0, y + h / 2.0), w / 2.0),
        Shape::Ring => {
            dot(out, &format!("{class} v-inner"), (x + w / 2.0, y + h / 2.0), w / 2.0 - 0.7);
            dot(out, class, (x + w / 2.0, y + h / 2.0), w / 2.0 - 4.5);
        }
        Shape::Bar => rect(out, class, (x, y), (w, h), 2.0),
    }
}

fn rect(out: &mut String, class: &str, (x, y): (f64, f64), (w, h): (f64, f64), round: f64) {
    ink!(out, "<rect class=\"{class}\" x=\"{}\" y=\"{}\" ", Num(x), Num(y));
    ink!(out, "width=\"{}\" height=\"{}\" rx=\"{}\"/>", Num(w), Num(h), Num(round));
}

fn dot(out: &mut String, class: &str, (x, y): (f64, f64), radius: f64) {
    ink!(out, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" ", Num(x), Num(y));
    ink!(out, "r=\"{}\"/>", Num(radius));
}

fn cylinder(out: &mut String, class: &str, (x, y): (f64, f64), (w, h): (f64, f64)) {
    const LID: f64 = 5.0;
    let (left, right, radius) = (Num(x), Num(x + w), Num(w / 2.0));
    let (top, bottom) = (Num(y + LID), Num(y + h - LID));
    ink!(out, "<path class=\"{class}\" d=\"M{left} {top}A{radius} {LID} 0 0 1 {right} {top}");
    ink!(out, "L{right} {bottom}A{radius} {LID} 0 0 1 {left} {bottom}z\"/>");
    ink!(out, "<path class=\"{class} v-inner\" d=\"M{left} {top}");
    ink!(out, "A{radius} {LID} 0 0 0 {right} {top}\"/>");
}
