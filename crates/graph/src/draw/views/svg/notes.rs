//! What stands below a picture: what is wrong, and what its shapes and lines mean.

use std::fmt::Write as _;

use super::super::super::svg::ink::{Num, Xml, ink};
use super::super::super::text::cut;
use super::super::picture::Picture;
use super::figure::{Figure, SMALL_COLUMN, Shape};
use super::{kind_class, lines, severity_colour, shapes};

const LISTED_MAX: usize = 12;
const ROW: f64 = 16.0;
const LEGEND_ROW: f64 = 22.0;

/// Text for the room below a picture.
pub(super) struct Notes {
    /// SVG, measured from the left upper corner of that room.
    pub text: String,
    /// How much room it takes.
    pub height: f64,
}

impl Notes {
    /// The notes of a picture that is so wide.
    pub(super) fn of(picture: &Picture, width: f64) -> Notes {
        let mut notes = Notes { text: String::new(), height: 26.0 };
        notes.list(picture, width);
        notes.legend(picture, width);
        notes
    }

    fn list(&mut self, picture: &Picture, width: f64) {
        let columns_max = (width / SMALL_COLUMN) as usize;
        for (severity, on, text) in picture.marks.iter().take(LISTED_MAX) {
            let (y, colour) = (self.height, severity_colour(*severity));
            let line = format!("{on}: {text}");
            ink!(self.text, "<g><title>{}</title>", Xml(&line));
            ink!(self.text, "<circle cx=\"5\" cy=\"{}\" r=\"4\" fill=\"{colour}\"/>", Num(y - 3.5));
            ink!(self.text, "<text x=\"16\" y=\"{}\">", Num(y));
            ink!(self.text, "{}</text></g>\n", Xml(&cut(&line, columns_max.saturating_sub(4))));
            self.height += ROW;
        }
        let more = picture.marks.len().saturating_sub(LISTED_MAX);
        if more > 0 {
            ink!(self.text, "<text class=\"v-id\" x=\"16\" y=\"{}\">", Num(self.height));
            ink!(self.text, "and {more} more</text>\n");
            self.height += ROW;
        }
        if !picture.marks.is_empty() {
            self.height += 8.0;
        }
    }

    /// Only what occurs.
    fn legend(&mut self, picture: &Picture, width: f64) {
        let mut x = 0.0;
        let mut place = |notes: &mut Notes, needed: f64| {
            if x > 0.0 && x + needed > width {
                x = 0.0;
                notes.height += LEGEND_ROW;
            }
            let at = x;
            x += needed;
            at
        };
        let word_width = |word: &str| word.len() as f64 * SMALL_COLUMN + 18.0;
        for kind in picture.kinds() {
            let shape = Shape::of(kind);
            let (width, height, scale) = match shape {
                Shape::Dot | Shape::Ring => (13.0, 13.0, 1.0),
                Shape::Bar => (24.0, 4.0, 1.0),
                Shape::Diamond => (24.0, 16.0, 1.0),
                Shape::Person => (38.0, 26.0, 0.6),
                Shape::Card => (28.0, 26.0, 0.6),
                _ => (46.0, 27.0, 0.6),
            };
            let at = place(self, width * scale + 5.0 + word_width(kind.word()));
            let y = self.height - 3.5 - height * scale / 2.0;
            let figure = Figure { shape, width, height, rows: Vec::new() };
            ink!(self.text, "<g transform=\"translate({} {}) ", Num(at), Num(y));
            ink!(self.text, "scale({})\">", Num(scale));
            shapes::paint(&mut self.text, &figure, &kind_class(kind), 0.0, 0.0);
            self.text.push_str("</g>\n");
            self.word(at + width * scale + 5.0, kind.word());
        }
        for tie in picture.ties() {
            let at = place(self, 33.0 + word_width(tie.word()));
            let (class, y) = (lines::class(tie), Num(self.height - 3.5));
            ink!(
                self.text,
                "<path class=\"{class}\" d=\"M{} {y}L{} {y}\"",
                Num(at),
                Num(at + 28.0)
            );
            if tie.has_arrow() {
                ink!(self.text, " marker-end=\"url(#{class}-e)\"");
            }
            self.text.push_str("/>\n");
            self.word(at + 33.0, tie.word());
        }
        self.height += 6.0;
    }

    fn word(&mut self, x: f64, word: &str) {
        let (x, y) = (Num(x), Num(self.height));
        ink!(self.text, "<text class=\"v-id\" x=\"{x}\" y=\"{y}\">{word}</text>\n");
    }
}
