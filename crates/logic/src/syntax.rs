//! What is no Python, in our words.

use std::ops::Range;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Mod, Stmt};
use ruff_python_parser::{InterpolatedStringErrorType, LexicalErrorType, ParseErrorType, Parsed};
use ruff_text_size::{Ranged, TextRange};

use crate::block::{Offsets, Problem, ProblemKind};

/// What an indented body is put under. No `else` can belong to it.
pub(crate) const WRAPPER: &str = "def _():\n";

/// How far the first line of code is indented, in bytes; nothing if there is no code.
pub(crate) fn first_indentation(code: &str) -> Option<usize> {
    // A form feed is no indentation to Python, and a byte order mark stands before it.
    let mut lines = code.trim_start_matches('\u{feff}').split(['\n', '\r']);
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '\u{c}']).len();
    let is_code =
        |line: &&str| !matches!(line.as_bytes().get(indentation(line)), None | Some(b'#'));
    let first = lines.find(is_code)?;
    Some(indentation(first))
}

/// A line that ends the indented body although the code goes on.
pub(crate) fn unindented(statement: &Stmt, offsets: Offsets) -> Problem {
    let message = "this line is indented less than the first one".to_owned();
    let help = Some("indent all lines of the block alike".to_owned());
    Problem { range: offsets.of(statement), kind: ProblemKind::Syntax, message, help }
}

/// The parser's errors, without those that only follow from an earlier one: of each line the
/// first, and nothing after a bracket that is never closed.
pub(crate) fn problems(parsed: &Parsed<Mod>, code: &str, offsets: Offsets) -> Vec<Problem> {
    let errors = parsed.errors();
    if errors.is_empty() {
        return Vec::new();
    }
    let unclosed = unclosed_bracket(parsed).map(|bracket| offsets.range(bracket));
    let mut problems: Vec<Problem> = Vec::new();
    for error in errors {
        let mut range = offsets.range(error.location);
        if unclosed.as_ref().is_some_and(|bracket| bracket.start <= range.start) {
            break;
        }
        let follows = match &error.error {
            ParseErrorType::OtherError(message) => message == "Expected a statement",
            ParseErrorType::ExpectedToken { expected, .. } => *expected == TokenKind::Dedent,
            _ => false,
        };
        let same_line = |last: &Problem| {
            !code.get(last.range.end..range.start).is_some_and(|gap| gap.contains('\n'))
        };
        if problems.last().is_some_and(|last| follows || same_line(last)) {
            continue;
        }
        let (message, help) = in_words(&error.error, code, &range);
        if part(code, &range).starts_with(['\n', '\r']) {
            range.end = range.start;
        }
        problems.push(problem(range, message, help));
    }
    if let Some(range) = unclosed {
        let message = format!("`{}` is never closed", part(code, &range));
        problems.push(problem(range, message, Some("close it")));
    }
    problems
}

fn problem(range: Range<usize>, message: String, help: Option<&'static str>) -> Problem {
    Problem { range, kind: ProblemKind::Syntax, message, help: help.map(str::to_owned) }
}

/// The innermost bracket that is open at the end. Those of f-strings have errors of their own.
fn unclosed_bracket(parsed: &Parsed<Mod>) -> Option<TextRange> {
    let mut open = Vec::new();
    let mut strings = 0usize;
    for token in parsed.tokens() {
        match token.kind() {
            TokenKind::FStringStart | TokenKind::TStringStart => strings += 1,
            TokenKind::FStringEnd | TokenKind::TStringEnd => strings = strings.saturating_sub(1),
            _ if strings > 0 => {}
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => open.push(token.range()),
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => _ = open.pop(),
            _ => {}
        }
    }
    open.pop()
}

fn in_words(
    error: &ParseErrorType,
    code: &str,
    at: &Range<usize>,
) -> (String, Option<&'static str>) {
    use ParseErrorType as Error;
    match error {
        Error::ExpectedExpression if part(code, at).starts_with('!') => {
            ("`!` is no operator".into(), Some("write `not`"))
        }
        Error::ExpectedExpression if is_doubled(code, at, '&') => {
            ("`&&` is no operator".into(), Some("write `and`"))
        }
        Error::ExpectedExpression if is_doubled(code, at, '|') => {
            ("`||` is no operator".into(), Some("write `or`"))
        }
        Error::ExpectedToken { expected, found } => expected_token(*expected, *found),
        Error::ExpectedExpression => ("a value is missing here".into(), None),
        Error::UnexpectedIndentation => (
            "this line is indented more than the one before".into(),
            Some("only the lines under one that ends with `:` are indented further"),
        ),
        Error::SimpleStatementsOnSameLine => (
            "two statements stand on one line".into(),
            Some("put them on two lines, or an operator, comma or quote is missing between them"),
        ),
        Error::SimpleAndCompoundStatementOnSameLine => (
            "a statement with a body cannot follow another one on its line".into(),
            Some("put it on a line of its own"),
        ),
        Error::InvalidAssignmentTarget | Error::InvalidAugmentedAssignmentTarget => (
            "this cannot be assigned to".into(),
            Some("assign to a name or to `state.data[\"key\"]`; `==` compares"),
        ),
        Error::InvalidNamedAssignmentTarget => {
            ("`:=` assigns to a name only".into(), Some("use `=` on a line of its own"))
        }
        Error::EmptySlice => ("a key or an index is missing between `[` and `]`".into(), None),
        Error::PositionalAfterKeywordArgument | Error::PositionalAfterKeywordUnpacking => (
            "an argument without a name follows one with a name".into(),
            Some("move it before the named ones"),
        ),
        Error::FStringError(inner) => (interpolation(inner), None),
        Error::Lexical(inner) => lexical(inner),
        Error::OtherError(message) if message.starts_with("Expected an indented block") => {
            (lowered(message), Some("indent this line, or write `pass` above it"))
        }
        other => (lowered(&other.to_string()), None),
    }
}

fn part<'a>(code: &'a str, range: &Range<usize>) -> &'a str {
    code.get(range.clone()).unwrap_or_default()
}

/// Whether this is the second of two such letters.
fn is_doubled(code: &str, at: &Range<usize>, letter: char) -> bool {
    part(code, &(0..at.start)).ends_with(letter) && part(code, at).starts_with(letter)
}

fn expected_token(expected: TokenKind, found: TokenKind) -> (String, Option<&'static str>) {
    match (expected, found) {
        (TokenKind::Colon, TokenKind::Newline) => {
            ("`:` is missing at the end of this line".into(), None)
        }
        (TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace, _) => (
            format!("{expected} is missing here, found {}", named(found)),
            Some("close the bracket"),
        ),
        _ => (format!("expected {}, found {}", named(expected), named(found)), None),
    }
}

fn named(kind: TokenKind) -> String {
    match kind {
        TokenKind::Newline | TokenKind::NonLogicalNewline => "the end of the line".into(),
        TokenKind::EndOfFile => "the end of the block".into(),
        TokenKind::Name => "a name".into(),
        TokenKind::String => "a text".into(),
        TokenKind::Int | TokenKind::Float => "a number".into(),
        TokenKind::Dedent => "a line that is indented less".into(),
        TokenKind::Indent => "a line that is indented more".into(),
        TokenKind::Unknown => "a character that is no Python".into(),
        kind => kind.to_string(),
    }
}

fn lexical(error: &LexicalErrorType) -> (String, Option<&'static str>) {
    use LexicalErrorType as Error;
    match error {
        Error::UnclosedStringError => {
            ("this text has no closing quote".into(), Some("add the quote"))
        }
        Error::IndentationError => (
            "this line is indented like none of the lines above it".into(),
            Some("indent it like the line it belongs with"),
        ),
        Error::UnrecognizedToken { tok: '“' | '”' | '‘' | '’' } => {
            ("this is a typographic quote".into(), Some("use `\"` or `'`"))
        }
        Error::UnrecognizedToken { tok } => {
            (format!("`{}` means nothing here", tok.escape_debug()), None)
        }
        Error::LineContinuationError => (
            "something follows `\\`, which must end its line".into(),
            Some("remove what follows it"),
        ),
        Error::Eof => {
            ("the block ends in the middle of a statement".into(), Some("close what is open"))
        }
        Error::FStringError(inner) => (interpolation(inner), None),
        other => (lowered(&other.to_string()), None),
    }
}

fn interpolation(error: &InterpolatedStringErrorType) -> String {
    use InterpolatedStringErrorType as Error;
    match error {
        Error::UnclosedLbrace => "`{` of this f-string has no `}`".into(),
        Error::SingleRbrace => {
            "`}` of this f-string has no `{`; write `}}` for the character".into()
        }
        Error::UnterminatedString | Error::UnterminatedTripleQuotedString => {
            "this f-string has no closing quote".into()
        }
        other => format!("f-string: {other}"),
    }
}

/// Our messages start in lower case.
fn lowered(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
