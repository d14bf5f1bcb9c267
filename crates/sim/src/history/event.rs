//! One event of any kind, by the table alone.

use history::kinds::{Common, Kind, Member, Shape};
use history::{EventId, Timestamp};
use value::{Digest, Map, Value};

use crate::Random;

/// An event without flaws, as an object without its id: whatever its members may hold, however
/// odd. An unknown kind is somebody's own.
pub fn event(random: &mut Random, kind: Kind) -> Value {
    let mut members = Map::default();
    let (needs, own) = kind.row().map_or((&[][..], &[][..]), |row| (row.needs, row.members));
    let name = if kind == Kind::Unknown { "x.acme.parcel_lost" } else { kind.name() };
    members.insert("kind".into(), name.into());
    for member in Common::MEMBERS {
        let is_there = member.required || needs.contains(&member.name) || random.one_in(5);
        if is_there {
            members.insert(member.name.into(), shaped(random, member.shape, 2));
        }
    }
    add_members(random, &mut members, own, 3);
    // What is long is told by what it is about, not by whom it is about.
    for member in own {
        let is_wide = matches!(member.shape, Shape::Text | Shape::Any | Shape::Object);
        if is_wide && members.contains_key(member.name) && random.one_in(12) {
            let long = Value::from(long_text(random));
            let is_object = member.shape == Shape::Object;
            let wide = if is_object { Value::map([("stdout", long)]) } else { long };
            members.insert(member.name.into(), wide);
        }
    }
    if random.one_in(4) {
        members.insert(format!("x.acme.n{}", text(random)).into(), value(random, 3));
    }
    // Nobody is called nothing.
    for name in ["run_id", "agent_id"] {
        if members.get(name).is_some_and(|id| *id == Value::from("")) {
            members.insert(name.into(), "main".into());
        }
    }
    members.into()
}

fn add_members(random: &mut Random, members: &mut Map, all: &[Member], depth: usize) {
    for member in all {
        if member.required || random.one_in(2) {
            members.insert(member.name.into(), shaped(random, member.shape, depth));
        }
    }
}

fn shaped(random: &mut Random, shape: Shape, depth: usize) -> Value {
    match shape {
        Shape::Any => value(random, depth),
        Shape::Text => text(random).into(),
        Shape::Time => time(random).to_string().into(),
        Shape::Integer => integer(random).into(),
        Shape::Boolean => random.one_in(2).into(),
        Shape::Object => object(random, depth),
        Shape::EventId => event_id(random).into(),
        Shape::Ref => reference(random),
        Shape::Words(enumeration) => (*random.pick(enumeration.words)).into(),
        Shape::List(of) => {
            let count = random.below(4);
            Value::list((0..count).map(|_| shaped(random, *of, depth)))
        }
        Shape::Record(record) => {
            let mut members = Map::default();
            add_members(random, &mut members, record.members, depth);
            members.into()
        }
        Shape::OneOf(records) => {
            let record = random.pick(records);
            let mut members = Map::default();
            members.insert("type".into(), record.name.into());
            add_members(random, &mut members, record.members, depth);
            members.into()
        }
    }
}

/// The ways to write a reference that are written again in the same way.
fn reference(random: &mut Random) -> Value {
    match random.below(5) {
        0 => text(random).into(),
        1 => Value::map([("event_id", event_id(random).into())]),
        2 => Value::map([("uri", text(random).into())]),
        3 => Value::map([("path", text(random).into())]),
        _ => Value::map([("kind", text(random).into()), ("id", text(random).into())]),
    }
}

fn event_id(random: &mut Random) -> EventId {
    EventId(Digest::of(&random.number().to_be_bytes()))
}

fn time(random: &mut Random) -> Timestamp {
    Timestamp::from_micros(match random.below(10) {
        0 => random.number().cast_signed(),
        1 => 0,
        _ => 1_767_225_600_000_000 + random.below(31_536_000_000_000) as i64,
    })
}

fn integer(random: &mut Random) -> i64 {
    /// The numbers that canonical JSON keeps.
    const SAFE_MAX: usize = (1 << 53) - 1;
    let size = match random.below(4) {
        0 => SAFE_MAX,
        1 => random.below(SAFE_MAX),
        _ => random.below(100),
    };
    if random.one_in(4) { -(size as i64) } else { size as i64 }
}

/// Any value that has a canonical form of its own, nested at most so deep.
pub fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => random.one_in(2).into(),
        2 => integer(random).into(),
        3 => {
            let float = f64::from_bits(random.number());
            Value::Float(if float.is_finite() { float } else { 0.5 })
        }
        4 => Value::Float(integer(random) as f64 / 8.0),
        5 => text(random).into(),
        6 => {
            let count = random.below(4);
            Value::list((0..count).map(|_| value(random, depth - 1)))
        }
        _ => object(random, depth - 1),
    }
}

fn object(random: &mut Random, depth: usize) -> Value {
    let count = random.below(4);
    Value::map((0..count).map(|_| (text(random), value(random, depth))))
}

/// Text with everything in it that somebody may have forgotten.
pub fn text(random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "parcel",
        "Where is it?",
        "main",
        "7",
        " ",
        "",
        "é",
        "e\u{301}",
        "😀",
        "\u{fb33}",
        "日本語",
        "\"",
        "\\",
        "/",
        "\n",
        "\t",
        "\u{0}",
        "\u{7f}",
        "\u{1b}[31m",
        "\u{2028}",
        "\u{202e}",
        "$blob",
        "event_id",
        "~1",
        "</b>",
        "\u{10ffff}",
        "null",
    ];
    let count = random.between(1, 3);
    (0..count).map(|_| *random.pick(PIECES)).collect()
}

/// Text that does not fit into an event.
pub(super) fn long_text(random: &mut Random) -> String {
    let piece = format!("{} ", text(random));
    let count = history::kinds::BLOB_FROM / piece.len() + random.between(1, 40);
    piece.repeat(count)
}
