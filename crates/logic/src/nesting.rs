//! Refuses what would be too deep to walk, before it is parsed.
//!
//! A tree is dropped by recursion, so it must not get deep in the first place. The parser
//! guards its own stack; here the tokens are counted, which needs no stack at all.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer::lex};

use crate::block::{Problem, ProblemKind};

/// Blocks are meant to be a few lines; the longest known one has 46.
const BYTES_MAX: usize = 100_000;

/// How deep a tree may be to be dropped safely. [`crate::survey`] draws the author's limit.
const DEPTH_MAX: usize = 1_000;

/// How many lambdas may stand in each other's parameters. The parser does not guard its stack
/// on the way from one to the next.
const LAMBDAS_MAX: usize = 16;

/// Why a block is not read at all, if it is not.
pub(crate) fn refusal(code: &str) -> Option<Problem> {
    if code.len() > BYTES_MAX {
        let message = format!("this block has {} bytes; {BYTES_MAX} is the most", code.len());
        return Some(problem(0..code.len(), message, "do less in one step, or use a tool"));
    }
    // No byte makes a tree deeper by more than one, so most blocks need no counting.
    if code.len() <= DEPTH_MAX && !code.contains("lambda") {
        return None;
    }
    is_too_deep(code).then(|| {
        let message = "this block is nested too deep to be read".to_owned();
        problem(0..code.len(), message, "give names to the parts of its longest expressions")
    })
}

fn problem(range: std::ops::Range<usize>, message: String, help: &str) -> Problem {
    Problem { range, kind: ProblemKind::Unsupported, message, help: Some(help.into()) }
}

/// A bracket that is open, and what stood around it.
struct Open {
    closer: TokenKind,
    around: usize,
    chain: usize,
    lambdas: usize,
}

/// Whether the tree may get deeper than it should, counting more rather than less.
///
/// What deepens: indentation, brackets, and every operator and keyword up to the next comma,
/// since `a + b + c`, `a.b.c`, `not not a` and `a[b][c]` all nest without brackets. A comma
/// starts a sibling, except in the parameters of a `lambda`, which go up to its `:`.
fn is_too_deep(code: &str) -> bool {
    let mut lexer = lex(code, Mode::Module);
    let mut open: Vec<Open> = Vec::new();
    let (mut indents, mut around, mut chain, mut lambdas) = (0usize, 0usize, 0usize, 0usize);
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => indents += 1,
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Newline | TokenKind::Semi if open.is_empty() => (chain, lambdas) = (0, 0),
            TokenKind::Comma if lambdas == 0 => chain = 0,
            TokenKind::Lambda => {
                chain += 1;
                lambdas += 1;
            }
            TokenKind::Colon => {
                chain += 1;
                lambdas = lambdas.saturating_sub(1);
            }
            kind if closer(kind).is_some() => {
                let closer = closer(kind).unwrap_or(kind);
                open.push(Open { closer, around, chain, lambdas });
                around += chain + 1;
                (chain, lambdas) = (0, 0);
            }
            kind if open.last().is_some_and(|open| open.closer == kind) => {
                if let Some(before) = open.pop() {
                    (around, chain, lambdas) = (before.around, before.chain + 1, before.lambdas);
                }
            }
            kind if is_flat(kind) => {}
            _ => chain += 1,
        }
        if indents + around + chain > DEPTH_MAX || lambdas > LAMBDAS_MAX {
            return true;
        }
    }
}

fn closer(kind: TokenKind) -> Option<TokenKind> {
    Some(match kind {
        TokenKind::Lpar => TokenKind::Rpar,
        TokenKind::Lsqb => TokenKind::Rsqb,
        TokenKind::Lbrace => TokenKind::Rbrace,
        TokenKind::FStringStart => TokenKind::FStringEnd,
        TokenKind::TStringStart => TokenKind::TStringEnd,
        _ => return None,
    })
}

/// Tokens that stand beside each other, like the parts of a text over several lines.
fn is_flat(kind: TokenKind) -> bool {
    use TokenKind::*;
    let literal =
        matches!(kind, Name | Int | Float | Complex | String | FStringMiddle | TStringMiddle);
    literal || kind.is_trivia() || kind == Newline
}
