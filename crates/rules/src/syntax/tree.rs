//! Words as lists within lists. Built without recursion, and never deeper than a limit, so that
//! everything after this may descend.

use diagnostics::{Anchor, Diagnostic, Span, codes};

use super::token::{Atom, Token, TokenKind, tokens};

/// How deep lists may be nested.
pub(crate) const DEPTH_MAX: usize = 200;

/// Words that begin a construct at the start of a line, and with which reading goes on after one
/// that does not end.
pub(crate) const CONSTRUCTS: &[&str] = &[
    "(deftemplate",
    "(deffacts",
    "(defglobal",
    "(deffunction",
    "(defrule",
    "(defmodule",
    "(defclass",
    "(definstances",
    "(defgeneric",
    "(defmethod",
    "(defmessage-handler",
];

/// A list or an atom, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node<'t> {
    pub(crate) kind: NodeKind<'t>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum NodeKind<'t> {
    List(Vec<Node<'t>>),
    Atom(Atom<'t>),
}

/// A list that stands in no other.
pub(crate) struct Top<'t> {
    pub(crate) node: Node<'t>,
    /// Whether it was cut off: what follows from that is no finding of its own.
    pub(crate) is_cut: bool,
}

impl<'t> Node<'t> {
    pub(crate) fn list(&self) -> Option<&[Node<'t>]> {
        match &self.kind {
            NodeKind::List(nodes) => Some(nodes),
            NodeKind::Atom(_) => None,
        }
    }

    pub(crate) fn atom(&self) -> Option<Atom<'t>> {
        match self.kind {
            NodeKind::Atom(atom) => Some(atom),
            NodeKind::List(_) => None,
        }
    }

    pub(crate) fn symbol(&self) -> Option<&'t str> {
        match self.atom() {
            Some(Atom::Symbol(word)) => Some(word),
            _ => None,
        }
    }

    /// The symbol that a list begins with.
    pub(crate) fn head(&self) -> Option<&'t str> {
        self.list()?.first()?.symbol()
    }

    /// Whether a finding has been made of it already.
    pub(crate) fn is_reported(&self) -> bool {
        matches!(self.atom(), Some(Atom::Reported))
    }

    pub(crate) fn at(&self) -> Anchor {
        Anchor::Span(self.span)
    }
}

/// The lists of a text.
pub(crate) fn lists<'t>(text: &'t str, findings: &mut Vec<Diagnostic>) -> Vec<Top<'t>> {
    let before = findings.len();
    let tokens = tokens(text, findings);
    // A quote that does not end swallows the parentheses behind it.
    let is_open_ended =
        findings[before..].iter().any(|found| found.code == &codes::RULES_UNCLOSED_TEXT);
    let ends = partners(&tokens);
    let mut tops = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match (token.kind, ends[at]) {
            (TokenKind::Open, Some(end)) => {
                tops.extend(build(&tokens[at..=end], findings));
                at = end + 1;
            }
            (TokenKind::Open, None) => {
                let starts = |token: &Token| is_start(text, token.span.start as usize);
                let next = tokens[at + 1..].iter().position(starts);
                let end = next.map_or(tokens.len(), |next| at + 1 + next);
                if next.is_some() || !is_open_ended {
                    findings.push(unclosed(&tokens[at..end], &ends[at..end]));
                }
                let built = build(&tokens[at..end], findings);
                tops.extend(built.map(|top| Top { is_cut: true, ..top }));
                at = end;
            }
            (TokenKind::Close, _) => {
                let message = "this parenthesis closes nothing";
                let at_span = Anchor::Span(token.span);
                let found = Diagnostic::new(&codes::RULES_STRAY_PARENTHESIS, at_span, message);
                findings.push(
                    found
                        .help("delete it, or look for one too many before it")
                        .fix("delete it", Anchor::Span(token.span), "")
                        .unsure(),
                );
                at += 1;
                while tokens.get(at).is_some_and(|next| matches!(next.kind, TokenKind::Close)) {
                    at += 1;
                }
            }
            (TokenKind::Atom(_), _) => {
                let first = at;
                while tokens.get(at).is_some_and(|next| matches!(next.kind, TokenKind::Atom(_))) {
                    at += 1;
                }
                findings.extend(outside(&tokens[first..at]));
            }
        }
    }
    tops
}

/// For each opening parenthesis the position of the one that closes it.
fn partners(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut ends = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open => open.push(at),
            TokenKind::Close => {
                if let Some(start) = open.pop() {
                    ends[start] = Some(at);
                }
            }
            TokenKind::Atom(_) => {}
        }
    }
    ends
}

/// Whether a construct begins here, at the start of a line.
fn is_start(text: &str, at: usize) -> bool {
    let is_first = at == 0 || text.as_bytes()[at - 1] == b'\n';
    is_first
        && CONSTRUCTS.iter().any(|word| {
            text[at..].strip_prefix(word).is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_ascii_whitespace() || "()\";".contains(c))
            })
        })
}

/// The innermost list that does not end is most likely the one that lacks its parenthesis; the
/// construct is where its author will look.
fn unclosed(tokens: &[Token], ends: &[Option<usize>]) -> Diagnostic {
    let is_open = |at: &usize| matches!(tokens[*at].kind, TokenKind::Open) && ends[*at].is_none();
    let count = (0..tokens.len()).filter(is_open).count();
    let start = tokens[0].span;
    let name: Vec<&str> = tokens[1..]
        .iter()
        .map_while(|token| match token.kind {
            TokenKind::Atom(Atom::Symbol(word)) => Some(word),
            _ => None,
        })
        .take(2)
        .collect();
    let what =
        if name.is_empty() { "this list".to_owned() } else { format!("`({}`", name.join(" ")) };
    let last = tokens.last().map_or(start, |token| token.span);
    let missing = match count {
        0 | 1 => "a parenthesis is".to_owned(),
        many => format!("{many} parentheses are"),
    };
    let message = format!("{what} is not closed: {missing} missing");
    let span =
        Span::new(start.start as usize, tokens.get(1).map_or(start, |t| t.span).end as usize);
    Diagnostic::new(&codes::RULES_UNCLOSED, Anchor::Span(span), message)
        .label(Anchor::Span(last), "what belongs to it ends here at the latest")
        .help(format!("add `{}` where it ends", ")".repeat(count.clamp(1, 8))))
}

fn outside(tokens: &[Token]) -> Option<Diagnostic> {
    let is_reported = |token: &Token| matches!(token.kind, TokenKind::Atom(Atom::Reported));
    if tokens.iter().all(is_reported) {
        return None;
    }
    let (first, last) = (tokens.first()?, tokens.last()?);
    let span = Span::new(first.span.start as usize, last.span.end as usize);
    let message = "this stands outside of any construct";
    let found = Diagnostic::new(&codes::RULES_OUTSIDE, Anchor::Span(span), message);
    Some(found.help("begin with a construct such as `(defrule`, or make it a comment with `;`"))
}

/// The tree of a list; none where it is nested too deep. What is still open at the end is closed.
fn build<'t>(tokens: &[Token<'t>], findings: &mut Vec<Diagnostic>) -> Option<Top<'t>> {
    let mut open: Vec<(u32, Vec<Node<'t>>)> = Vec::new();
    let end = tokens.last()?.span.end;
    for token in tokens {
        let node = match token.kind {
            TokenKind::Open if open.len() == DEPTH_MAX => {
                let message = format!("lists are nested deeper than {DEPTH_MAX}");
                let found =
                    Diagnostic::new(&codes::RULES_TOO_DEEP, Anchor::Span(token.span), message);
                findings.push(found.help("split it: into several rules, or with a deffunction"));
                return None;
            }
            TokenKind::Open => {
                open.push((token.span.start, Vec::new()));
                continue;
            }
            TokenKind::Close => {
                let Some((start, nodes)) = open.pop() else { continue };
                Node {
                    kind: NodeKind::List(nodes),
                    span: Span::new(start as usize, token.span.end as usize),
                }
            }
            TokenKind::Atom(atom) => Node { kind: NodeKind::Atom(atom), span: token.span },
        };
        match open.last_mut() {
            Some((_, nodes)) => nodes.push(node),
            None => return Some(Top { node, is_cut: false }),
        }
    }
    loop {
        let (start, nodes) = open.pop()?;
        let span = Span::new(start as usize, end as usize);
        let node = Node { kind: NodeKind::List(nodes), span };
        match open.last_mut() {
            Some((_, outer)) => outer.push(node),
            None => return Some(Top { node, is_cut: false }),
        }
    }
}
