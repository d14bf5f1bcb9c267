//! Reads JSON text strictly: a repeated member or a number that would be rounded is a
//! problem, not a silent choice. Byte positions of such problems are looked up later, by
//! whoever wants to show them, so that reading pays nothing for them.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::{At, Map, Pointer, Text, Value};

/// How deeply lists and objects may be nested.
pub const DEPTH_MAX: usize = 120;

/// Something wrong in text that could be read all the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// A member that is written twice in one object; the first one counts.
    Duplicate {
        /// Where, as the member's pointer.
        at: Pointer,
    },
    /// A number that no 64-bit float and no safe integer holds exactly.
    Rounded {
        /// Where.
        at: Pointer,
    },
}

/// Text that is not JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; 0 when the line has just ended.
    pub column: usize,
    /// What is wrong, in lower case and without position.
    pub message: String,
    /// Whether it is only nested too deeply.
    pub too_deep: bool,
}

/// Reads text that must be JSON without any problem.
pub fn parse(text: &str) -> Result<Value, Unreadable> {
    let (value, problems) = read(text)?;
    match problems.first() {
        None => Ok(value),
        Some(Problem::Duplicate { at }) => Err(plain(format!("`{at}` is given twice"))),
        Some(Problem::Rounded { at }) => Err(plain(format!("the number at `{at}` is not exact"))),
    }
}

/// Reads text, and says what is wrong with it besides.
pub fn read(text: &str) -> Result<(Value, Vec<Problem>), Unreadable> {
    let state = State::for_text_of(text.len());
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = Seed { state: &state, depth: 0, at: At::Root };
    let value = seed.deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    match value {
        Ok(value) => Ok((value, state.problems.into_inner())),
        Err(error) => Err(unreadable(&error)),
    }
}

fn plain(message: String) -> Unreadable {
    Unreadable { line: 1, column: 1, message, too_deep: false }
}

fn unreadable(error: &serde_json::Error) -> Unreadable {
    let (line, column) = (error.line().max(1), error.column());
    let full = error.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full);
    let too_deep = message == TOO_DEEP || message == "recursion limit exceeded";
    Unreadable { line, column, message: message.to_string(), too_deep }
}

const TOO_DEEP: &str = "nested too deeply";

/// Integers outside of this range are rounded by most JSON readers.
const SAFE: std::ops::RangeInclusive<i64> = -9_007_199_254_740_991..=9_007_199_254_740_991;

struct State {
    problems: RefCell<Vec<Problem>>,
    names: RefCell<Names>,
    /// Room to collect members and items in, used again and again: what is kept is then
    /// allocated once, in its exact size.
    member_rooms: RefCell<Vec<Vec<(Text, Value)>>>,
    item_rooms: RefCell<Vec<Vec<Value>>>,
}

/// Documents repeat few member names and short words very often; each is kept once.
struct Names {
    /// INVARIANT: as many as a power of two.
    slots: Vec<Option<Text>>,
}

/// How many slots for names there are at most. A short text gets fewer: to clear them all would
/// take longer than to read it.
const NAMES_MAX: usize = 1024;

/// One slot for so many bytes of text.
const BYTES_FOR_A_NAME: usize = 16;

/// Longer texts are rarely repeated.
const WORD_MAX: usize = 16;

impl State {
    fn for_text_of(bytes: usize) -> State {
        let slots = (bytes / BYTES_FOR_A_NAME).next_power_of_two().min(NAMES_MAX);
        State {
            problems: RefCell::default(),
            names: RefCell::new(Names { slots: vec![None; slots] }),
            member_rooms: RefCell::default(),
            item_rooms: RefCell::default(),
        }
    }
}

impl Names {
    /// The one copy of a word, and a hash of it.
    fn share(&mut self, word: &str) -> (Text, u64) {
        let hash = hash(word.as_bytes());
        let at = (hash >> 32) as usize & (self.slots.len() - 1);
        let slot = &mut self.slots[at];
        let shared = match slot {
            Some(known) if **known == *word => known.clone(),
            _ => slot.insert(Text::from(word)).clone(),
        };
        (shared, hash)
    }
}

/// Which slot a word gets decides only whether it is shared, so its ends are enough.
fn hash(word: &[u8]) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let (first, last) = if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
    } else if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
        (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
    } else if let [first, .., last] = word {
        (u64::from(*first), u64::from(*last) << 8 | u64::from(word[word.len() / 2]))
    } else {
        (word.first().copied().map_or(0, u64::from), 0)
    };
    let mixed = (first ^ last.rotate_left(29) ^ word.len() as u64).wrapping_mul(MIX);
    mixed ^ (mixed >> 32)
}

#[derive(Clone, Copy)]
struct Seed<'a> {
    state: &'a State,
    depth: usize,
    at: At<'a>,
}

impl Seed<'_> {
    fn report(&self, problem: impl Fn(Pointer) -> Problem) {
        self.state.problems.borrow_mut().push(problem(self.at.pointer()));
    }

    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth == DEPTH_MAX { Err(E::custom(TOO_DEEP)) } else { Ok(self.depth + 1) }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        if !SAFE.contains(&value) {
            self.report(|at| Problem::Rounded { at });
        }
        Ok(Value::Int(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        match i64::try_from(value) {
            Ok(value) => self.visit_i64(value),
            Err(_) => self.visit_f64(value as f64),
        }
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // A whole number this large was most likely written with more digits than are kept.
        if value.fract() == 0.0 && value.abs() > *SAFE.end() as f64 {
            self.report(|at| Problem::Rounded { at });
        }
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        if value.len() <= WORD_MAX {
            return Ok(Value::Text(self.state.names.borrow_mut().share(value).0));
        }
        Ok(Value::text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.deeper::<A::Error>()?;
        let mut list = self.state.item_rooms.borrow_mut().pop().unwrap_or_default();
        loop {
            let seed = Seed { state: self.state, depth, at: self.at.item(list.len()) };
            match items.next_element_seed(seed)? {
                Some(item) => list.push(item),
                None => break,
            }
        }
        #[expect(clippy::drain_collect, reason = "the room is used again")]
        let items = list.drain(..).collect();
        self.state.item_rooms.borrow_mut().push(list);
        Ok(Value::List(Arc::new(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let depth = self.deeper::<A::Error>()?;
        let mut list = self.state.member_rooms.borrow_mut().pop().unwrap_or_default();
        // Which names there may be already: most objects have few, and none of them twice.
        let mut seen = 0u64;
        while let Some((name, hash)) = members.next_key_seed(Name(self.state))? {
            let seed = Seed { state: self.state, depth, at: self.at.member(&name) };
            let value = members.next_value_seed(seed)?;
            let bit = 1 << (hash >> 58);
            if seen & bit != 0
                && list.len() < Map::INDEX_FROM
                && list.iter().any(|(other, _)| *other == name)
            {
                seed.report(|at| Problem::Duplicate { at });
            } else {
                list.push((name, value));
            }
            seen |= bit;
        }
        let (map, repeated) = Map::from_members(&mut list);
        self.state.member_rooms.borrow_mut().push(list);
        for name in repeated {
            let seed = Seed { state: self.state, depth, at: self.at.member(&name) };
            seed.report(|at| Problem::Duplicate { at });
        }
        Ok(Value::Map(Arc::new(map)))
    }
}

struct Name<'a>(&'a State);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = (Text, u64);

    fn deserialize<D: serde::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<(Text, u64), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name<'_> {
    type Value = (Text, u64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(Text, u64), E> {
        Ok(self.0.names.borrow_mut().share(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_member_is_a_problem_and_the_first_one_counts() {
        let (value, problems) = read(r#"{"a": {"b": 1, "b": 2}}"#).unwrap();
        assert_eq!(value.get("a").and_then(|a| a.get("b")), Some(&Value::Int(1)));
        let at = Pointer::root().child("a").child("b");
        assert_eq!(problems, [Problem::Duplicate { at }]);
    }

    #[test]
    fn numbers_that_would_be_rounded_are_reported() {
        let text = "[9007199254740991, 9007199254740992, 123456789012345678901234567890, 0.1]";
        let (_, problems) = read(text).unwrap();
        let at = |index: usize| Problem::Rounded { at: Pointer::root().child(index) };
        assert_eq!(problems, [at(1), at(2)]);
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(DEPTH_MAX)).is_ok());
        assert!(read(&nested(DEPTH_MAX + 1)).unwrap_err().too_deep);
        assert!(read(&nested(100_000)).unwrap_err().too_deep);
    }

    #[test]
    fn a_syntax_error_says_where() {
        let error = read("{\n  \"a\": 1,\n}").unwrap_err();
        assert_eq!((error.line, error.column), (3, 1));
        assert_eq!(error.message, "trailing comma");
    }
}
