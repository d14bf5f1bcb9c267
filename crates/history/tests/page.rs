//! `docs/history.md` is true: its vectors are what the code computes, and `chain.py`, which knows
//! only the page, computes the same. `UPDATE=1` writes the vectors again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use history::admission::{DEPTH_MAX, Refused, admit};
use history::kinds::{BLOB_FROM, Blob};
use history::{Event, Link, Operation, Place, Stream, Target, Timestamp, chain};
use sim::Random;
use sim::history::{Piece, histories};
use value::{Digest, Value, json};

/// Everything in a store, to be exported.
#[derive(Default)]
struct Store {
    /// Each stream's own events with their links, from a number on.
    streams: BTreeMap<String, (u64, Vec<(Event, Link)>)>,
    operations: Vec<Operation>,
    blobs: BTreeMap<Digest, Vec<u8>>,
}

impl Store {
    fn of(pieces: Vec<Piece>) -> Store {
        let mut store = Store::default();
        pieces.into_iter().for_each(|piece| store.add(piece));
        store
    }

    fn link(&self, place: &Place) -> Link {
        let (first, events) = &self.streams[&place.stream.name()];
        events[usize::try_from(place.seq - first).unwrap()].1
    }

    fn add(&mut self, piece: Piece) {
        let genesis = chain::genesis(&piece.stream);
        let inherited = piece.fork_of.as_ref().map(|place| self.link(place));
        let first = piece.fork_of.as_ref().map_or(0, |place| place.seq + 1);
        let stream = self.streams.entry(piece.stream.name()).or_insert((first, Vec::new()));
        for event in piece.events {
            let seq = stream.0 + stream.1.len() as u64;
            let previous = stream.1.last().map(|(_, link)| *link).or(inherited);
            let link = chain::link(&genesis, seq, previous, event.id());
            stream.1.push((event, link));
        }
        self.blobs.extend(piece.blobs.iter().map(|blob| (blob.id().0, blob.bytes().to_vec())));
    }

    /// Moves a name to a place.
    fn name(&mut self, name: &str, place: Place, reason: Option<&str>) {
        let previous = self.operations.iter().rfind(|operation| operation.name == name);
        let operation = Operation {
            name: name.into(),
            previous: previous.map(Operation::id),
            target: Some(Target { link: self.link(&place), place }),
            ts: Timestamp::from_micros(1_772_355_600_000_000 + self.operations.len() as i64),
            actor: Some("ada".into()),
            reason: reason.map(Into::into),
        };
        self.operations.push(operation);
    }

    fn export(&self) -> String {
        let mut lines = Vec::new();
        for (stream, (first, events)) in &self.streams {
            for (seq, (event, link)) in (*first..).zip(events) {
                lines.push(Value::map([
                    ("event", event.value()),
                    ("link", (*link).into()),
                    ("seq", Value::Int(seq.cast_signed())),
                    ("stream", stream.as_str().into()),
                ]));
            }
        }
        let mut operations: Vec<_> = self.operations.iter().collect();
        operations.sort_by_key(|operation| operation.name.as_str());
        for operation in operations {
            let id = operation.id().into();
            lines.push(Value::map([("id", id), ("operation", operation.value())]));
        }
        for (id, bytes) in &self.blobs {
            let (name, held) = match std::str::from_utf8(bytes) {
                Ok(text) => ("text", text.to_string()),
                Err(_) => ("base64", base64(bytes)),
            };
            lines.push(Value::map([("blob", format!("{id:x}").into()), (name, held.into())]));
        }
        lines.iter().map(|line| json::canonical(line) + "\n").collect()
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(*group.get(at).unwrap_or(&0)));
        let digit = |at| char::from(DIGITS[bits >> (18 - 6 * at) & 63]);
        (0..4).map(|at| if at <= group.len() { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// What `chain.py` says about an export; nothing where there is no Python.
#[expect(clippy::print_stdout, reason = "whoever looks must see that it was skipped")]
fn second_opinion(export: &str) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chain.py");
    let mut python = Command::new("python3");
    python.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = match python.spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("skipped: there is no python3 to ask for a second opinion");
            return None;
        }
        spawned => spawned.unwrap(),
    };
    python.stdin.take().unwrap().write_all(export.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "chain.py failed");
    Some(String::from_utf8(output.stdout).unwrap().trim_end().to_string())
}

fn generated(seed: u64) -> Store {
    let pieces = histories(seed, 150);
    let places: Vec<Place> = pieces.iter().filter_map(|piece| piece.fork_of.clone()).collect();
    let mut store = Store::of(pieces);
    for (index, place) in places.into_iter().enumerate() {
        store.name(["main", "try/2"][index % 2], place, (index > 1).then_some("tried again"));
    }
    let odd = Blob::new([0xff, 0xfe, 0x00, seed as u8]);
    store.blobs.insert(odd.id().0, odd.bytes().to_vec());
    store
}

#[test]
fn a_second_implementation_agrees_on_generated_histories() {
    for seed in 0..8 {
        let Some(said) = second_opinion(&generated(seed).export()) else { return };
        assert_eq!(said, "ok", "seed {seed}");
    }
}

#[test]
fn a_second_implementation_finds_whatever_was_changed() {
    let export = generated(1).export();
    let lines: Vec<&str> = export.lines().collect();
    for seed in 0..9 {
        let mut random = Random::new(seed);
        let at = random.between(1, lines.len() - 2);
        let mut changed = lines.clone();
        let line = lines[at].replacen(|digit: char| digit.is_ascii_digit(), "x", 1);
        match seed % 3 {
            0 => changed[at] = &line,
            1 => changed.swap(at, at - 1),
            _ => changed.insert(at, lines[at]),
        }
        let Some(said) = second_opinion(&(changed.join("\n") + "\n")) else { return };
        assert_ne!(said, "ok", "seed {seed}");
    }
    for kind in ["\"event\":{", "\"operation\":{", "\"text\":\""] {
        let changed = export.replacen(kind, &format!("{kind}!"), 1);
        assert_ne!(changed, export);
        let Some(said) = second_opinion(&changed) else { return };
        assert_ne!(said, "ok", "{kind}");
    }
}

/// A small history in which everything occurs once.
fn example() -> Store {
    let event = |text: &str| Event::read(text).unwrap();
    let piece = |stream: &str, fork_of, events| {
        let stream = Stream::from_name(stream).unwrap();
        Piece { stream, fork_of, events, blobs: Vec::new() }
    };
    let at = |second: u32| format!(r#""ts":"2026-03-01T09:00:{second:02}.000000Z""#);
    let of = |run: &str, second| format!(r#""run_id":"{run}","agent_id":"parcels",{}"#, at(second));
    let manual = Blob::new("\"Look at the label.\\n\"");
    let started = format!(r#"{{"kind":"run_started","reason":"user",{}}}"#, of("r1", 1));
    let read = format!(
        r#"{{"kind":"mcp.resource_read","server":"files","uri":"file:///manual","content":{{"$blob":"{}"}},{}}}"#,
        manual.id(),
        of("r1", 2)
    );
    let observed =
        format!(r#"{{"kind":"time_observed","source":"random","value":0.1,{}}}"#, of("r1", 3));
    let origin = event(&read).id();
    let forked = format!(
        r#"{{"kind":"run_started","reason":"fork","from":{{"run_id":"r1","seq":1,"event_id":"{origin}"}},{}}}"#,
        of("r2", 4)
    );
    let branch = format!(
        r#"{{"kind":"agent_forked","from_branch":"main","to_branch":"try","at_event":{{"event_id":"{origin}"}},{}}}"#,
        of("r2", 5)
    );
    let created = format!(
        r#"{{"kind":"agent_created","name":"Päckchen 📦","agent_id":"parcels",{}}}"#,
        at(0)
    );
    let probe = format!(
        r#"{{"kind":"resource_liveness_probe","resource_ref":"db","status":"alive",{}}}"#,
        at(6)
    );
    let mut store = Store::of(vec![
        piece("agent:parcels", None, vec![event(&created)]),
        piece("run:r1", None, vec![event(&started), event(&read), event(&observed)]),
        piece("run:r2", Place::parse("r1@1"), vec![event(&forked), event(&branch)]),
        piece("store", None, vec![event(&probe)]),
    ]);
    store.name("main", Place::parse("r1@2").unwrap(), None);
    store.name("main", Place::parse("r2@3").unwrap(), Some("the second try was better"));
    store.blobs.insert(manual.id().0, manual.bytes().to_vec());
    store.blobs.insert(Digest::of(b"\xff\xd8"), b"\xff\xd8".to_vec());
    store
}

/// Texts, and what they become.
fn canonical_vectors() -> String {
    let mut table = String::from("| text | canonical form |\n|---|---|\n");
    for text in [
        r#"{ "b": [ true, null ], "a": "x" }"#,
        r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "\ud83d\ude00": 4, "1": 5}"#,
        r#""\u0041\/\u000f\u001b\n\u007f\u2028""#,
        "[1.0, -0.0, 1e2, 0.000001, 1e-7, 1E20, 1e21, 4.50]",
        "[9007199254740992, 1152921504606847000, 5e-324]",
        "9007199254740993",
        "0.10000000000000001",
        "1e400",
        r#"{"a": 1, "a": 1}"#,
        r#""\ud800""#,
    ] {
        let becomes = match admit(text) {
            Ok(value) => format!("`{}`", json::canonical(&value)),
            Err(Refused::Inexact { becomes, .. }) => format!("refused: it would be `{becomes}`"),
            Err(Refused::Duplicate(at)) => format!("refused: `{at}` is given twice"),
            Err(Refused::NotJson(why)) if why.too_deep => "refused: too deep".into(),
            Err(Refused::NotJson(_)) => "refused: no JSON, or beyond it".into(),
        };
        // What would not be seen is shown by its number.
        let becomes = becomes.replace('\u{7f}', "U+007F").replace('\u{2028}', "U+2028");
        writeln!(table, "| `{text}` | {becomes} |").unwrap();
    }
    table
}

fn stream_vectors() -> String {
    let mut table = String::from("| stream | genesis |\n|---|---|\n");
    for name in ["run:r1", "run:r2", "agent:parcels", "store"] {
        let genesis = chain::genesis(&Stream::from_name(name).unwrap());
        writeln!(table, "| `{name}` | `{genesis:x}` |").unwrap();
    }
    table
}

fn link_vector() -> String {
    let store = example();
    let (_, events) = &store.streams["run:r1"];
    let hex =
        |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let genesis = chain::genesis(&Stream::run("r1"));
    let mut block = String::from("```text\n");
    for (what, part) in [
        ("constant", vec![1]),
        ("genesis ", genesis.as_bytes().to_vec()),
        ("seq     ", 1u64.to_be_bytes().to_vec()),
        ("previous", events[0].1.as_bytes().to_vec()),
        ("event_id", events[1].0.id().as_bytes().to_vec()),
    ] {
        writeln!(block, "{what}  {}", hex(&part)).unwrap();
    }
    writeln!(block, "link      {}\n```", events[1].1).unwrap();
    block
}

#[test]
fn the_page_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/history.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let export = example().export();
    let mut fresh = page.clone();
    for (name, text) in [
        ("canonical", canonical_vectors()),
        ("streams", stream_vectors()),
        ("link", link_vector()),
        ("export", format!("```jsonl\n{export}```\n")),
    ] {
        let (before, rest) = fresh.split_once(&format!("<!-- generated: {name} -->\n")).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        fresh = format!("{before}<!-- generated: {name} -->\n{text}<!-- end -->{after}");
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    } else {
        assert!(page == fresh, "the vectors of docs/history.md are stale: UPDATE=1 cargo test");
    }
    if let Some(said) = second_opinion(&export) {
        assert_eq!(said, "ok");
    }
    for limit in [
        format!("nested more than {} deep", json::DEPTH_MAX),
        format!("nested more than {} deep", DEPTH_MAX),
        format!("longer than {},{:03} bytes", BLOB_FROM / 1000, BLOB_FROM % 1000),
    ] {
        assert!(fresh.contains(&limit), "the page does not say: {limit}");
    }
    let kinds: BTreeSet<_> = export.lines().map(|line| line.split('"').nth(1)).collect();
    assert_eq!(kinds.len(), 4, "every kind of line is in the example: {kinds:?}");
}
