//! The text of a construct as a tree, so that parts of it can be left out.

use std::fmt::{self, Display, Formatter};

/// A part of a construct.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    /// A word or a string, as written.
    Word(String),
    /// What stands in parentheses.
    List(Vec<Tree>),
    /// What stands together without space: `?x&:(> ?x 1)`.
    Joined(Vec<Tree>),
}

impl Tree {
    /// The parts, where there are any.
    pub(super) fn parts(&self) -> &[Tree] {
        match self {
            Tree::Word(_) => &[],
            Tree::List(parts) | Tree::Joined(parts) => parts,
        }
    }

    pub(super) fn parts_mut(&mut self) -> Option<&mut Vec<Tree>> {
        match self {
            Tree::Word(_) => None,
            Tree::List(parts) | Tree::Joined(parts) => Some(parts),
        }
    }
}

impl Display for Tree {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Tree::Word(word) => out.write_str(word),
            Tree::Joined(parts) => parts.iter().try_for_each(|part| write!(out, "{part}")),
            Tree::List(parts) => {
                out.write_str("(")?;
                for (at, part) in parts.iter().enumerate() {
                    let gap = if at == 0 { "" } else { " " };
                    write!(out, "{gap}{part}")?;
                }
                out.write_str(")")
            }
        }
    }
}

/// Reads one construct or fact as the generator writes it: no comments, parentheses that match.
pub(super) fn read(text: &str) -> Tree {
    let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
    let mut rest = text;
    let mut touches = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => closing_quote(rest),
            '&' | '|' => 1 + word_length(&rest[1..]),
            '(' | ')' => 1,
            letter if letter.is_whitespace() => letter.len_utf8(),
            _ => word_length(rest),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match first {
            '(' => {
                // The mark says, when the list is closed, whether it touches what is before it.
                open.push(vec![Tree::Word(if touches { "touches" } else { "" }.to_owned())]);
                touches = false;
            }
            ')' => {
                let mut list = open.pop().unwrap_or_default();
                let mark = list.remove(0);
                let place = open.last_mut().expect("parentheses match");
                let joins = mark == Tree::Word("touches".to_owned());
                add(place, Tree::List(list), joins);
                touches = true;
            }
            letter if letter.is_whitespace() => touches = false,
            _ => {
                let place = open.last_mut().expect("the outermost stays open");
                add(place, Tree::Word(token.to_owned()), touches);
                touches = true;
            }
        }
    }
    open.pop().and_then(|mut all| all.pop()).expect("there is something to read")
}

fn add(place: &mut Vec<Tree>, tree: Tree, joins: bool) {
    match place.last_mut() {
        Some(Tree::Joined(parts)) if joins => parts.push(tree),
        Some(last) if joins => {
            let before = std::mem::replace(last, Tree::Joined(Vec::new()));
            *last = Tree::Joined(vec![before, tree]);
        }
        _ => place.push(tree),
    }
}

fn word_length(text: &str) -> usize {
    text.find(|letter: char| letter.is_whitespace() || "()\"&|".contains(letter))
        .unwrap_or(text.len())
}

fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_is_read_prints_as_it_was() {
        for text in [
            "(defrule r (a ?x&~p|:(> ?x 1)&=(+ 1 2) $?) (not (b \"q ) r\"|\"\\\"\")) => )",
            "(deffacts start (a) (t (xs)))",
            "(a)",
        ] {
            assert_eq!(read(text).to_string(), text.replace("=> )", "=>)"));
        }
    }

    #[test]
    fn every_generated_program_is_read() {
        for seed in 0..200 {
            let case = crate::rules::case(seed);
            for text in case.constructs.iter().chain(&case.asserts) {
                let again = read(text).to_string();
                assert_eq!(
                    again.split_whitespace().collect::<String>(),
                    text.split_whitespace().collect::<String>()
                );
            }
        }
    }
}
