//! Writes typed events in canonical form, large members aside.

use value::{Digest, Map, Text, Value, json};

use super::field::{Field, Member, Write, read_member};
use super::records::EventRef;
use super::{Body, Fact, Kind, What};
use crate::{BlobId, Event, Timestamp};

/// A member whose canonical form is longer stands behind its hash.
pub const BLOB_FROM: usize = 4096;

/// A large value, kept once, by its hash.
#[derive(Clone, Debug, PartialEq)]
pub struct Blob {
    id: BlobId,
    bytes: Vec<u8>,
}

impl Blob {
    /// Some bytes with their hash.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Blob {
        let bytes = bytes.into();
        Blob { id: BlobId(Digest::of(&bytes)), bytes }
    }

    /// The hash of the bytes.
    pub fn id(&self) -> BlobId {
        self.id
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The JSON value that bytes are, if they are one. Whole numbers keep all their digits.
    pub fn read(bytes: &[u8]) -> Option<Value> {
        Some(json::read(std::str::from_utf8(bytes).ok()?).ok()?.0)
    }
}

/// An event that was written, and the values that stand beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sealed {
    /// The event.
    pub event: Event,
    /// What it holds behind hashes.
    pub blobs: Vec<Blob>,
    /// What it says, if whoever wrote it kept that: then nobody must read it again.
    pub fact: Option<Box<Fact>>,
}

macro_rules! common {
    ($(#[doc = $doc:literal] $field:ident: $type:ty,)*) => {
        /// What every event may have.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Common {
            $(#[doc = $doc] pub $field: $type,)*
        }

        impl Common {
            /// The members it has; `kind` is the one that no struct holds.
            pub const MEMBERS: &'static [Member] = &[$(Member {
                name: stringify!($field),
                shape: <$type as Field>::SHAPE,
                required: <$type as Field>::REQUIRED,
            }),*];

            /// What each of them says, for the reference.
            pub const DOCS: &'static [&'static str] = &[$($doc.trim_ascii()),*];

            /// Reads them.
            pub fn read(members: &Map) -> Option<Common> {
                Some(Common { $($field: read_member(members, stringify!($field))?,)* })
            }

            pub(super) fn fields(&self) -> [&dyn Write; Common::MEMBERS.len()] {
                [$(&self.$field),*]
            }
        }

        /// The names of all common members, for the table's macro.
        pub(super) const COMMON_NAMES: [&str; Common::MEMBERS.len()] = [$(stringify!($field)),*];
    };
}

common! {
    /// Whose event it is.
    agent_id: Option<Text>,
    /// Which node of the graph it is about.
    at: Option<Text>,
    /// What it follows from.
    causation_id: Option<Text>,
    /// What led to it, as its emitter claims.
    causes: Option<Vec<EventRef>>,
    /// What belongs together with it.
    correlation_id: Option<Text>,
    /// The beginning of a digest of what was computed since the event before, and is not stored.
    derived: Option<Text>,
    /// What was before it, as its emitter claims.
    parent: Option<EventRef>,
    /// Which run it belongs to.
    run_id: Option<Text>,
    /// A W3C trace context.
    trace: Option<Text>,
    /// When it happened.
    ts: Timestamp,
    /// The version of the vocabulary.
    v: Option<i64>,
    /// Since when what it says is true, if not since it happened.
    valid_at: Option<Timestamp>,
}

impl Common {
    /// An event that happens now and belongs to nobody yet.
    pub fn at(ts: Timestamp) -> Common {
        Common {
            agent_id: None,
            at: None,
            causation_id: None,
            causes: None,
            correlation_id: None,
            derived: None,
            parent: None,
            run_id: None,
            trace: None,
            ts,
            v: None,
            valid_at: None,
        }
    }

    /// Writes an event.
    pub fn seal<B: Body>(&self, body: &B) -> Sealed {
        let mut writer = Writer { out: String::with_capacity(512), blobs: Vec::new() };
        body.write(self, &mut writer);
        Sealed { event: Event::sealed(B::KIND, writer.out), blobs: writer.blobs, fact: None }
    }

    /// Writes an event, and keeps what it says.
    pub fn seal_with_fact<B: Body + Clone + Into<What>>(&self, body: &B) -> Sealed {
        let fact = Fact { common: self.clone(), what: body.clone().into() };
        Sealed { fact: Some(Box::new(fact)), ..self.seal(body) }
    }
}

/// Collects an event's canonical form, and the members that stand behind hashes.
pub struct Writer {
    out: String,
    blobs: Vec<Blob>,
}

impl Writer {
    /// INVARIANT: `order` sorts `names`.
    pub(super) fn members(&mut self, names: &[&str], order: &[u8], fields: &[&dyn Write]) {
        self.out.push('{');
        let mut first = true;
        for index in order {
            let (name, field) = (names[usize::from(*index)], fields[usize::from(*index)]);
            if field.is_absent() {
                continue;
            }
            begin_member(&mut self.out, &mut first, name);
            let start = self.out.len();
            field.write(&mut self.out);
            let text = &self.out[start..];
            if text.len() > BLOB_FROM || has_blob(text) || !field.is_exact() {
                let blob = Blob::new(text);
                self.out.truncate(start);
                self.out.push_str(&json::canonical(&reference(blob.id)));
                self.blobs.push(blob);
            }
        }
        self.out.push('}');
    }
}

/// Whether canonical text has a member named `$blob`.
fn has_blob(text: &str) -> bool {
    if !text.starts_with(['{', '[']) {
        return false;
    }
    // A quote behind a backslash begins no name.
    text.match_indices("\"$blob\":").any(|(at, _)| !text[..at].ends_with('\\'))
}

/// Writes an object whose members are sorted by `order`.
pub(super) fn write_sorted(out: &mut String, names: &[&str], order: &[u8], fields: &[&dyn Write]) {
    out.push('{');
    let mut first = true;
    for index in order {
        let (name, field) = (names[usize::from(*index)], fields[usize::from(*index)]);
        if !field.is_absent() {
            begin_member(out, &mut first, name);
            field.write(out);
        }
    }
    out.push('}');
}

fn begin_member(out: &mut String, first: &mut bool, name: &str) {
    if !std::mem::take(first) {
        out.push(',');
    }
    // Names of ours need no escapes.
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

/// What stands in place of a large member.
pub(crate) fn reference(id: BlobId) -> Value {
    Value::map([("$blob", id.into())])
}

/// The hash behind which a member stands, if it does.
pub fn referenced(member: &Value) -> Option<BlobId> {
    let members = member.as_map()?;
    let id = members.get("$blob")?.as_text()?;
    if members.len() == 1 { BlobId::parse(id) } else { None }
}

/// Puts members back that stand behind hashes and are wanted, as far as they can be had.
pub(super) fn resolve(
    members: &mut Map,
    is_wanted: impl Fn(&str) -> bool,
    mut blob: impl FnMut(BlobId) -> Option<Value>,
) {
    let wanted = members.iter().filter(|(name, _)| is_wanted(name));
    let found: Vec<(Text, Value)> = wanted
        .filter_map(|(name, member)| Some((name.clone(), blob(referenced(member)?)?)))
        .collect();
    for (name, value) in found {
        members.insert(name, value);
    }
}

/// The order that sorts names. Ours are ASCII, so that bytes and UTF-16 agree.
pub(super) const fn order<const N: usize>(names: &[&str]) -> [u8; N] {
    let mut order = [0; N];
    let mut count = 0;
    while count < N {
        let mut at = count;
        while at > 0 && is_before(names[count], names[order[at - 1] as usize]) {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = count as u8;
        count += 1;
    }
    order
}

const fn is_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

/// The member that says which kind of event it is.
impl Write for Kind {
    fn write(&self, out: &mut String) {
        json::write_text(out, self.name());
    }
}
