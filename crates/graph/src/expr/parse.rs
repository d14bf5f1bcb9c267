//! Reads a condition: `or`, then `and`, then `not`, then comparisons.

use std::ops::Range;

use value::Value;

use super::lex::{Kind, Token, constant, joins, tokens};
use super::{BadExpr, Cmp, DEPTH_MAX, Expr, LENGTH_MAX, Path, Term, Test};

/// The canonical text is less than so many times as long as what was written.
const GROWTH_MAX: usize = 8;

/// So much of a word is repeated in a message.
const SHOWN_MAX: usize = 40;

pub(super) fn parse(text: &str) -> Result<Expr, BadExpr> {
    let too_long = |what| {
        let message = format!("{what} has more than {LENGTH_MAX} bytes");
        Err(BadExpr { message, at: 0..text.len() })
    };
    if text.len() > LENGTH_MAX {
        return too_long("the condition");
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0, depth: 0, bare: None };
    if parser.tokens.is_empty() {
        return Err(BadExpr { message: "a condition is missing".to_string(), at: 0..text.len() });
    }
    let expr = parser.any()?;
    if parser.peek().is_some() {
        return Err(parser.cannot_follow());
    }
    // What is printed must be readable too.
    if text.len() > LENGTH_MAX / GROWTH_MAX && expr.to_string().len() > LENGTH_MAX {
        return too_long("the condition in its canonical form");
    }
    Ok(expr)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    /// Where the bare text begins that ends here, if some does.
    bare: Option<usize>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Kind<'a>> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    fn is_word(&self, ahead: usize, words: [&str; 2]) -> bool {
        let token = self.tokens.get(self.next + ahead);
        matches!(token, Some(Token { kind: Kind::Word(word), .. }) if words.contains(word))
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Kind::Sign(own)) if *own == sign)
    }

    fn eat(&mut self, words: [&str; 2], sign: &str) -> bool {
        let found = self.is_word(0, words) || self.is_sign(sign);
        self.next += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<Expr, BadExpr> {
        let mut items = vec![self.all()?];
        while self.eat(["or", "OR"], "||") {
            items.push(self.all()?);
        }
        Ok(Expr::any(items))
    }

    fn all(&mut self) -> Result<Expr, BadExpr> {
        let mut items = vec![self.not()?];
        while self.eat(["and", "AND"], "&&") {
            items.push(self.not()?);
        }
        Ok(Expr::all(items))
    }

    fn not(&mut self) -> Result<Expr, BadExpr> {
        if !self.eat(["not", "NOT"], "!") {
            return self.primary();
        }
        self.enter()?;
        let inner = self.not()?;
        self.depth -= 1;
        Ok(Expr::Not(Box::new(inner)))
    }

    fn primary(&mut self) -> Result<Expr, BadExpr> {
        if !self.is_sign("(") {
            return self.comparison();
        }
        self.next += 1;
        let open = self.last();
        self.enter()?;
        let inner = self.any()?;
        self.depth -= 1;
        match self.peek() {
            Some(Kind::Sign(")")) => self.next += 1,
            Some(_) => return Err(self.cannot_follow()),
            None => return bad("a closing `)` is missing".to_string(), open),
        }
        self.bare = None;
        Ok(inner)
    }

    /// Goes one level deeper, behind the parenthesis or `not` that was read last.
    fn enter(&mut self) -> Result<(), BadExpr> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return bad(
                format!("more than {DEPTH_MAX} levels of parentheses and `not`"),
                self.last(),
            );
        }
        Ok(())
    }

    fn comparison(&mut self) -> Result<Expr, BadExpr> {
        let left = self.operand(None)?;
        self.bare = None;
        if self.is_sign("?") {
            self.next += 1;
            return Ok(Expr::Exists(left));
        }
        if self.is_word(0, ["is", "IS"]) {
            self.next += 1;
            return self.quality(left);
        }
        let (cmp, length) = match self.peek() {
            Some(Kind::Sign(sign)) => (Cmp::from_word(sign), 1),
            Some(Kind::Word("in" | "IN")) => (Some(Cmp::In), 1),
            Some(Kind::Word("contains" | "CONTAINS")) => (Some(Cmp::Contains), 1),
            Some(Kind::Word("not" | "NOT")) if self.is_word(1, ["in", "IN"]) => {
                (Some(Cmp::NotIn), 2)
            }
            _ => (None, 0),
        };
        if let Some(cmp) = cmp {
            self.next += length;
            let right = self.operand(Some(cmp))?;
            return Ok(Expr::Compare(left, cmp, right));
        }
        Ok(match left {
            Term::Lit(Value::Bool(holds)) => Expr::Const(holds),
            term => Expr::Truthy(term),
        })
    }

    /// What follows `is`.
    fn quality(&mut self, term: Term) -> Result<Expr, BadExpr> {
        let negated = self.is_word(0, ["not", "NOT"]);
        self.next += usize::from(negated);
        let test = match self.peek() {
            Some(Kind::Word(word)) => match &*word.to_lowercase() {
                "empty" => Some(Test::Empty),
                "true" => Some(Test::True),
                "false" => Some(Test::False),
                "null" | "none" => Some(Test::Null),
                _ => None,
            },
            _ => None,
        };
        let Some(test) = test else {
            let message = match self.shown() {
                Some(found) => format!(
                    "behind `is` stands `empty`, `true`, `false` or `null`, not {found}; \
                     to compare write `=`"
                ),
                None => "behind `is` stands `empty`, `true`, `false` or `null`".to_string(),
            };
            return bad(message, self.here());
        };
        self.next += 1;
        Ok(Expr::Is(term, test, negated))
    }

    /// What stands to the right of a comparison, or, without one, to the left or alone.
    fn operand(&mut self, right_of: Option<Cmp>) -> Result<Term, BadExpr> {
        self.bare = None;
        let at = self.here();
        match self.peek().cloned() {
            Some(Kind::Quoted(text)) => {
                self.next += 1;
                Ok(Term::Lit(text.into()))
            }
            Some(Kind::Word(word)) if !joins(word) => {
                self.next += 1;
                if self.is_sign("(") && (word == "len" || self.here().start == at.end) {
                    return self.call(word, at);
                }
                self.word(word, at, right_of)
            }
            Some(Kind::Sign("[")) => {
                if !matches!(right_of, Some(Cmp::Eq | Cmp::Ne | Cmp::In | Cmp::NotIn)) {
                    let message = "a list can stand only to the right of `in`, `=` and `!=`";
                    return bad(message.to_string(), at);
                }
                self.next += 1;
                self.list(at)
            }
            _ => {
                let wanted = if right_of.is_some() { "a value" } else { "a name" };
                let place = match &self.text[self.last()] {
                    "" => String::new(),
                    before => format!(" behind `{}`", cut(before)),
                };
                let found = self.shown().map_or(String::new(), |found| format!(", not {found}"));
                bad(format!("expected {wanted}{place}{found}"), at)
            }
        }
    }

    fn word(
        &mut self,
        word: &str,
        at: Range<usize>,
        right_of: Option<Cmp>,
    ) -> Result<Term, BadExpr> {
        if let Some(name) = word.strip_prefix('$') {
            let message = || format!("`{}` is not `$` and the name of a variable", cut(word));
            return Term::named(name).ok_or_else(|| BadExpr { message: message(), at });
        }
        if let Some(value) = constant(word) {
            return Ok(Term::Lit(value));
        }
        if right_of.is_some_and(Cmp::takes_text) {
            if let Some(length @ Term::Length(_)) = Term::named(word) {
                return Ok(length);
            }
            self.bare = Some(at.start);
            return Ok(Term::Lit(word.into()));
        }
        if word == "always" {
            return Ok(Term::Lit(Value::Bool(true)));
        }
        let (shown, digits) = (cut(word), word.strip_prefix('-').unwrap_or(word));
        let is_code = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        Term::named(word).ok_or_else(|| BadExpr {
            message: if is_code {
                format!("`{shown}` reads as a code, not as a number: put it in quotes")
            } else {
                format!("`{shown}` is not a name: names have letters, digits and `_`, and text needs quotes")
            },
            at,
        })
    }

    /// `len(x)`; the word was read.
    fn call(&mut self, word: &str, at: Range<usize>) -> Result<Term, BadExpr> {
        if word != "len" {
            let message = format!("`{}` is not a function here: there is only `len(x)`", cut(word));
            return bad(message, at);
        }
        self.next += 1;
        let measured = match self.peek() {
            Some(Kind::Word(word)) => Path::parse(word.strip_prefix('$').unwrap_or(word)),
            _ => None,
        };
        let Some(path) = measured else {
            let found = self.shown().map_or(String::new(), |found| format!(", not {found}"));
            return bad(format!("`len` takes the name of a variable{found}"), self.here());
        };
        self.next += 1;
        if !self.is_sign(")") {
            return bad("expected `)` behind what `len` takes".to_string(), self.here());
        }
        self.next += 1;
        Ok(Term::Length(path))
    }

    /// The items of a list; its bracket was read.
    fn list(&mut self, open: Range<usize>) -> Result<Term, BadExpr> {
        let mut items = Vec::new();
        let unclosed = || bad("a closing `]` is missing".to_string(), open.clone());
        if self.is_sign("]") {
            self.next += 1;
            return Ok(Term::Lit(Value::list(items)));
        }
        loop {
            let at = self.here();
            let bare = match self.peek().cloned() {
                Some(Kind::Word(word)) if word.starts_with('$') => {
                    let message =
                        format!("a list holds constants, not variables like `{}`", cut(word));
                    return bad(message, at);
                }
                Some(Kind::Word(word)) => {
                    items.push(constant(word).unwrap_or_else(|| word.into()));
                    Some(at.start)
                }
                Some(Kind::Quoted(text)) => {
                    items.push(text.into());
                    None
                }
                Some(Kind::Sign(sign)) => {
                    return bad(format!("expected a constant in the list, not `{sign}`"), at);
                }
                None => return unclosed(),
            };
            self.next += 1;
            match self.peek() {
                Some(Kind::Sign(",")) => self.next += 1,
                Some(Kind::Sign("]")) => break,
                Some(Kind::Word(_)) if bare.is_some() => {
                    self.bare = bare;
                    return Err(self.cannot_follow());
                }
                Some(_) => {
                    let found = self.shown().unwrap_or_default();
                    return bad(
                        format!("expected `,` or `]` in the list, not {found}"),
                        self.here(),
                    );
                }
                None => return unclosed(),
            }
        }
        self.next += 1;
        Ok(Term::Lit(Value::list(items)))
    }

    /// Why the next token cannot follow what was read.
    fn cannot_follow(&self) -> BadExpr {
        let found = self.shown().unwrap_or_default();
        let before = cut(&self.text[self.last()]);
        let is_words = |kind: &Kind<'_>| matches!(kind, Kind::Word(_) | Kind::Quoted(_));
        let message = match (self.peek(), self.bare) {
            (Some(Kind::Word(_)), Some(from)) => {
                let rest = self.tokens[self.next..].iter();
                let words =
                    rest.take_while(|token| matches!(token.kind, Kind::Word(word) if !joins(word)));
                let end = words.last().map_or(self.here().end, |token| token.at.end);
                let whole = cut(&self.text[from..end]);
                format!(
                    "{found} behind `{before}`: text of several words needs quotes, `\"{whole}\"`"
                )
            }
            (Some(Kind::Word("+" | "-" | "*" | "/" | "%")), None) => {
                format!("{found} is not known here: conditions do not calculate")
            }
            (Some(Kind::Sign(")")), _) => "`)` closes nothing".to_string(),
            (Some(Kind::Sign("?")), _) => {
                format!("`?` can stand only behind a name, not behind `{before}`")
            }
            (Some(Kind::Sign(sign)), _) if Cmp::from_word(sign).is_some() => {
                format!(
                    "one comparison cannot follow another: join them with `and`, not with `{sign}`"
                )
            }
            (Some(kind), _) if is_words(kind) || *kind == Kind::Sign("(") => format!(
                "expected `and`, `or` or a comparison behind `{before}`, not {found}: \
                 this reads as words for people, not as a condition"
            ),
            _ => format!("expected `and` or `or` behind `{before}`, not {found}"),
        };
        BadExpr { message, at: self.here() }
    }

    /// Where the next token stands, or the end of the text.
    fn here(&self) -> Range<usize> {
        let end = self.tokens.last().map_or(0, |token| token.at.end);
        self.tokens.get(self.next).map_or(end..end, |token| token.at.clone())
    }

    /// Where the last token stands that was read.
    fn last(&self) -> Range<usize> {
        self.tokens[..self.next].last().map_or(0..0, |token| token.at.clone())
    }

    /// The next token as a message shows it.
    fn shown(&self) -> Option<String> {
        let token = self.tokens.get(self.next)?;
        Some(format!("`{}`", cut(&self.text[token.at.clone()])))
    }
}

fn bad<T>(message: String, at: Range<usize>) -> Result<T, BadExpr> {
    Err(BadExpr { message, at })
}

/// Text of any length as a message shows it.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
