//! The words of a text, cut as CLIPS cuts them.

use diagnostics::{Anchor, Diagnostic, Span, codes};

/// A word, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) span: Span,
}

/// A parenthesis, or anything else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TokenKind<'t> {
    Open,
    Close,
    Atom(Atom<'t>),
}

/// A word that is no parenthesis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Atom<'t> {
    /// `red`; also `=`, `:` and `<-`, which mean something in few places only.
    Symbol(&'t str),
    /// `"red"`, without its quotes and with its backslashes.
    Text(&'t str),
    /// `12`
    Int(i64),
    /// `1.5`
    Float(f64),
    /// `?x`
    Single(&'t str),
    /// `$?x`
    Many(&'t str),
    /// `?`
    AnySingle,
    /// `$?`
    AnyMany,
    /// `?*x*`
    Global(&'t str),
    /// `$?*x*`, which only few places take.
    GlobalMany(&'t str),
    /// `&`
    And,
    /// `|`
    Or,
    /// `~`
    Not,
    /// What a finding has been made of already.
    Reported,
}

/// All words of a text. What cannot be read is reported, and stands in its place.
pub(crate) fn tokens<'t>(text: &'t str, findings: &mut Vec<Diagnostic>) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut scanner = Scanner { text, at: 0, findings };
    while let Some(token) = scanner.next() {
        tokens.push(token);
    }
    tokens
}

/// What a text in quotes says: a backslash stands for the character behind it.
pub(crate) fn unescaped(raw: &str) -> String {
    let mut said = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => said.extend(letters.next()),
            other => said.push(other),
        }
    }
    said
}

struct Scanner<'t, 'f> {
    text: &'t str,
    at: usize,
    findings: &'f mut Vec<Diagnostic>,
}

impl<'t> Scanner<'t, '_> {
    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_blank();
        let start = self.at;
        let first = self.rest().chars().next()?;
        let kind = match first {
            '(' => self.one(TokenKind::Open),
            ')' => self.one(TokenKind::Close),
            '&' => self.one(TokenKind::Atom(Atom::And)),
            '|' => self.one(TokenKind::Atom(Atom::Or)),
            '~' => self.one(TokenKind::Atom(Atom::Not)),
            '"' => TokenKind::Atom(self.quoted()),
            '?' => TokenKind::Atom(self.variable("?")),
            '$' if self.rest().starts_with("$?") => TokenKind::Atom(self.variable("$?")),
            letter if is_part(letter) || letter == '<' => TokenKind::Atom(self.word(letter)),
            letter => TokenKind::Atom(self.unreadable(letter)),
        };
        Some(Token { kind, span: Span::new(start, self.at) })
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn one(&mut self, kind: TokenKind<'t>) -> TokenKind<'t> {
        self.at += 1;
        kind
    }

    /// Blanks, and comments up to the end of their line.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\n', '\r', '\t', '\u{c}']);
            let rest = match rest.strip_prefix(';') {
                Some(comment) => comment.trim_start_matches(|c| c != '\n' && c != '\r'),
                None => rest,
            };
            let at = self.text.len() - rest.len();
            if at == self.at {
                return;
            }
            self.at = at;
        }
    }

    /// The letters of a symbol from here on.
    fn letters(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn word(&mut self, first: char) -> Atom<'t> {
        let start = self.at;
        // A `<` ends a symbol, but may begin one: `?f<-(a)` has three words.
        if first == '<' {
            self.at += 1;
        }
        self.letters();
        let word = &self.text[start..self.at];
        let span = Span::new(start, self.at);
        if word.len() > 2 && word.starts_with('[') && word.ends_with(']') {
            let message = format!("`{word}` names an object, and there are none");
            let found = Diagnostic::new(&codes::RULES_NOT_SUPPORTED, Anchor::Span(span), message);
            self.findings.push(found.help("write a symbol without brackets, or a text in quotes"));
            return Atom::Reported;
        }
        match shape(word) {
            Shape::Symbol => Atom::Symbol(word),
            Shape::Float => word.parse().map_or(Atom::Symbol(word), Atom::Float),
            Shape::Int => match word.parse() {
                Ok(number) => Atom::Int(number),
                Err(_) => Atom::Int(self.clamped(word, span)),
            },
        }
    }

    /// The nearest number that there is.
    fn clamped(&mut self, word: &str, span: Span) -> i64 {
        let number = if word.starts_with('-') { i64::MIN } else { i64::MAX };
        let message = format!("`{word}` is beyond the whole numbers, and is read as {number}");
        let found = Diagnostic::new(&codes::RULES_NUMBER_CLAMPED, Anchor::Span(span), message);
        self.findings.push(found.help("write it with a point to have a float"));
        number
    }

    fn quoted(&mut self) -> Atom<'t> {
        let start = self.at;
        let mut is_escaped = false;
        for (at, letter) in self.rest().char_indices().skip(1) {
            match letter {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    self.at += at + 1;
                    return Atom::Text(&self.text[start + 1..self.at - 1]);
                }
                _ => {}
            }
        }
        // Nobody knows where it was to end. Its first line is shown.
        let line = self.rest().lines().next().unwrap_or_default();
        let span = Span::new(start, start + line.len());
        let message = "this text has no closing quote";
        let found = Diagnostic::new(&codes::RULES_UNCLOSED_TEXT, Anchor::Span(span), message);
        self.findings.push(found.help("end it with `\"`; a quote within it is written `\\\"`"));
        self.at = self.text.len();
        Atom::Reported
    }

    fn variable(&mut self, mark: &str) -> Atom<'t> {
        let start = self.at;
        self.at += mark.len();
        let is_many = mark.len() > 1;
        match self.rest().chars().next() {
            Some(letter) if letter.is_ascii_alphabetic() || letter == '*' || !letter.is_ascii() => {
                let name = self.letters();
                let global = name.strip_prefix('*').and_then(|name| name.strip_suffix('*'));
                match (global, is_many) {
                    (Some(global), false) => Atom::Global(global),
                    (Some(global), true) => Atom::GlobalMany(global),
                    (None, false) => Atom::Single(name),
                    (None, true) => Atom::Many(name),
                }
            }
            Some(letter)
                if is_part(letter) || matches!(letter, '&' | '|' | '~' | '<' | '"' | ';') =>
            {
                let name = self.letters();
                let span = Span::new(start, self.at);
                let message = format!("the name of a variable cannot begin with `{letter}`");
                let found =
                    Diagnostic::new(&codes::RULES_BAD_VARIABLE, Anchor::Span(span), message);
                let meant = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
                self.findings.push(match (name.is_empty(), meant.is_empty()) {
                    (false, false) => found.meant(&format!("{mark}{meant}"), Anchor::Span(span)),
                    _ => {
                        found.help(format!("name it, as in `{mark}x`, or leave a blank behind it"))
                    }
                });
                Atom::Reported
            }
            _ if is_many => Atom::AnyMany,
            _ => Atom::AnySingle,
        }
    }

    fn unreadable(&mut self, letter: char) -> Atom<'t> {
        let start = self.at;
        self.at += letter.len_utf8();
        let span = Span::new(start, self.at);
        let message = format!("the character U+{:04X} cannot be read", u32::from(letter));
        let found = Diagnostic::new(&codes::RULES_UNREADABLE, Anchor::Span(span), message);
        self.findings.push(found.help("delete it; within a text in quotes it may stay"));
        Atom::Reported
    }
}

/// Whether a symbol goes on with this letter.
fn is_part(letter: char) -> bool {
    match letter {
        '<' | '"' | '(' | ')' | '&' | '|' | '~' | ' ' | ';' => false,
        letter => !letter.is_ascii() || letter.is_ascii_graphic(),
    }
}

enum Shape {
    Symbol,
    Int,
    Float,
}

/// Whether a word is read as a number and not as a symbol.
pub(crate) fn is_number(word: &str) -> bool {
    !matches!(shape(word), Shape::Symbol)
}

/// Whether a word is a number: `5`, `+5`, `5.`, `.5`, `5e-3`. Everything else is a symbol, also
/// `e5`, `5e` and `5a`.
fn shape(word: &str) -> Shape {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    if rest.is_empty() {
        return if whole > 0 { Shape::Int } else { Shape::Symbol };
    }
    let mut count = whole;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        count += length;
        rest = &fraction[length..];
    }
    if count == 0 {
        return Shape::Symbol;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        if length == 0 {
            return Shape::Symbol;
        }
        rest = &exponent[length..];
    }
    if rest.is_empty() { Shape::Float } else { Shape::Symbol }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms<'t>(text: &'t str) -> Vec<Atom<'t>> {
        let mut findings = Vec::new();
        let tokens = tokens(text, &mut findings);
        assert_eq!(findings, []);
        let atom = |token: Token<'t>| match token.kind {
            TokenKind::Atom(atom) => atom,
            other => panic!("{other:?}"),
        };
        tokens.into_iter().map(atom).collect()
    }

    #[test]
    fn numbers_are_what_clips_takes_for_numbers() {
        use Atom::{Float, Int, Symbol};
        let text = "+5 -3 .5 5. 1e5 1e 1.e3 -. . e5 5a 1.2.3 + 1e+ +e5";
        let read = [
            Int(5),
            Int(-3),
            Float(0.5),
            Float(5.0),
            Float(1e5),
            Symbol("1e"),
            Float(1e3),
            Symbol("-."),
            Symbol("."),
            Symbol("e5"),
            Symbol("5a"),
            Symbol("1.2.3"),
            Symbol("+"),
            Symbol("1e+"),
            Symbol("+e5"),
        ];
        assert_eq!(atoms(text), read);
    }

    #[test]
    fn words_end_where_clips_ends_them() {
        use Atom::{AnyMany, AnySingle, Global, Int, Many, Single, Symbol, Text};
        let text = "a<b ?f<-x ?x:y $x ? $? ?*g* ?* \"a\\\"b\"c =>;no\nä?x 1é";
        let read = [
            Symbol("a"),
            Symbol("<b"),
            Single("f"),
            Symbol("<-x"),
            Single("x:y"),
            Symbol("$x"),
            AnySingle,
            AnyMany,
            Global("g"),
            Single("*"),
            Text("a\\\"b"),
            Symbol("c"),
            Symbol("=>"),
            Symbol("ä?x"),
            Symbol("1é"),
        ];
        assert_eq!(atoms(text), read);
        assert_eq!(unescaped("a\\\"b\\\\\\n"), "a\"b\\n");
        assert_eq!(atoms("9223372036854775807"), [Int(i64::MAX)]);
        assert_eq!(atoms("$?xs"), [Many("xs")]);
    }
}
