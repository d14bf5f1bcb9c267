//! Where in a document: RFC 6901 pointers.

use std::fmt::{self, Display, Write};

/// A place in a document as written. The root is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

/// Which part of a place is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The value (for a member that is missing: its parent).
    #[default]
    Value,
    /// The member's name.
    Key,
    /// The member's name where it stands for the second time.
    KeyAgain,
}

/// A place that is being visited, linked through the stack: it costs nothing until somebody
/// wants it written out.
#[derive(Clone, Copy, Debug)]
pub enum At<'a> {
    /// The whole document.
    Root,
    /// A member of an object.
    Member(&'a At<'a>, &'a str),
    /// An item of a list.
    Item(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    /// A member of this place.
    pub fn member(&'a self, name: &'a str) -> At<'a> {
        At::Member(self, name)
    }

    /// An item of this place.
    pub fn item(&'a self, index: usize) -> At<'a> {
        At::Item(self, index)
    }

    /// Written out.
    pub fn pointer(&self) -> Pointer {
        match self {
            At::Root => Pointer::root(),
            At::Member(parent, name) => parent.pointer().child(name),
            At::Item(parent, index) => parent.pointer().child(index),
        }
    }
}

impl Pointer {
    /// The whole document.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// One step further in, to a member or to an item of a list.
    #[must_use]
    pub fn child(&self, token: impl Display) -> Pointer {
        let mut text = String::with_capacity(self.0.len() + 12);
        text.push_str(&self.0);
        text.push('/');
        write!(Escape(&mut text), "{token}").expect("writing to text cannot fail");
        Pointer(text)
    }

    /// The steps from the root, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    /// Whether it is this place, or one inside of it.
    pub fn is_at_or_below(&self, place: &Pointer) -> bool {
        let rest = self.0.strip_prefix(&place.0);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

struct Escape<'a>(&'a mut String);

impl Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_their_own_separators() {
        let pointer = Pointer::root().child("a/b").child("~1").child(3);
        assert_eq!(pointer.as_str(), "/a~1b/~01/3");
        assert_eq!(pointer.tokens().collect::<Vec<_>>(), ["a/b", "~1", "3"]);
    }
}
