//! Objects that stand in members of events.

use value::{Map, Text, Value, json};

use super::field::{Field, Member, Object, Record, Shape, Write, must_be_there, read_member};
use super::seal::{referenced, write_sorted};
use super::words::{Capability, Consistency, Liveness, PlanMode, ResourceKind, Role};
use crate::{BlobId, EventId, Timestamp};

/// What a member holds: what its type says, unless more is known.
macro_rules! shape {
    ($type:ty) => {
        <$type as Field>::SHAPE
    };
    ($type:ty, $shape:expr) => {
        $shape
    };
}

macro_rules! records {
    ($(#[doc = $doc:literal] $name:ident {
        $($(#[$must:ident])? $field:ident: $type:ty $(= $shape:expr)?,)*
    })*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                $(#[doc = concat!("The member `", stringify!($field), "`.")] pub $field: $type,)*
            }

            impl $name {
                /// What it is, and the members it has.
                pub const RECORD: &'static Record = &Record {
                    name: stringify!($name),
                    doc: $doc.trim_ascii(),
                    members: &[$(Member {
                        name: stringify!($field),
                        shape: shape!($type $(, $shape)?),
                        required: <$type as Field>::REQUIRED $(|| must_be_there!($must))?,
                    }),*],
                };

                /// Reads them.
                pub fn from_members(members: &Map) -> Option<$name> {
                    Some($name { $($field: read_member(members, stringify!($field))?,)* })
                }
            }

            impl Field for $name {
                const SHAPE: Shape = Shape::Record($name::RECORD);

                fn read(value: &Value) -> Option<$name> {
                    $name::from_members(value.as_map()?)
                }
            }

            impl Write for $name {
                fn write(&self, out: &mut String) {
                    const NAMES: &[&str] = &[$(stringify!($field)),*];
                    const ORDER: [u8; NAMES.len()] = super::seal::order(NAMES);
                    let fields: [&dyn Write; NAMES.len()] = [$(&self.$field),*];
                    write_sorted(out, NAMES, &ORDER, &fields);
                }

                fn is_exact(&self) -> bool {
                    true $(&& self.$field.is_exact())*
                }
            }
        )*

        /// All of them, in the order of the reference.
        pub static RECORDS: &[&Record] = &[$($name::RECORD),*];
    };
}

macro_rules! parts {
    ($(#[doc = $doc:literal] $name:literal { $($field:ident: $type:ty,)* })*) => {
        /// What a message consists of. Others are kept: providers have more.
        pub const PARTS: &[Record] = &[$(Record {
            name: $name,
            doc: $doc.trim_ascii(),
            members: &[$(Member {
                name: stringify!($field),
                shape: <$type as Field>::SHAPE,
                required: <$type as Field>::REQUIRED,
            }),*],
        }),*];
    };
}

parts! {
    /// What somebody said.
    "text" { text: Text, }
    /// A picture.
    "image_url" { url: Text, detail: Option<Text>, }
    /// A model wants a tool to do something.
    "tool_use" { id: Text, name: Text, input: Object, }
    /// What a tool did.
    "tool_result" { tool_call_id: Text, output: Value, is_error: Option<bool>, }
    /// What a model thought.
    "reasoning" { text: Text, }
}

records! {
    /// An event, by its id.
    EventRef { event_id: EventId, }
    /// Something in another system.
    ExtRef { kind: Text, id: Text, }
    /// Where a fork begins.
    Origin { run_id: Text, seq: i64, event_id: EventId, }
    /// A message. Its node's id is `id`, or the id of the event that created it.
    Message { id: Option<Text>, #[needed] role: Option<Role>,
        #[needed] content: Option<Vec<Object>> = Shape::List(&Shape::OneOf(PARTS)),
        created_at: Option<Timestamp>, items: Option<Vec<Object>>, }
    /// What a model call took.
    Usage { #[needed] prompt_tokens: Option<i64>, #[needed] completion_tokens: Option<i64>,
        #[needed] total_tokens: Option<i64>, }
    /// What went wrong.
    Error { #[needed] code: Option<Text>, #[needed] message: Option<Text>, details: Option<Value>, }
    /// How a policy's tests went.
    TestsSummary { #[needed] total: Option<i64>, #[needed] passed: Option<i64>, failed: i64, }
    /// Whose a resource is.
    OwnerScope { agent_id: Option<Text>, run_id: Option<Text>, session_id: Option<Text>, }
    /// Whether a resource was there when somebody looked.
    LivenessSeen { status: Liveness, last_probe_ts: Option<Timestamp>, }
    /// A resource.
    Resource { id: Text, #[needed] kind: Option<ResourceKind>, #[needed] name: Option<Text>,
        #[needed] capabilities: Option<Vec<Capability>>,
        imperative: Option<bool>, scope: Option<OwnerScope>, liveness: Option<LivenessSeen>,
        metadata: Option<Object>, }
    /// What a snapshot consists of.
    SnapshotRecord { #[needed] method: Option<Text>, #[needed] external_ref: Option<ExtRef>,
        consistency: Option<Consistency>,
        size_bytes: Option<i64>, created_at: Option<Timestamp>, restorable: Option<bool>, }
    /// A live thing behind a resource, which no snapshot holds.
    Handle { id: Text, resource_ref: Text, #[needed] provider: Option<Text>,
        #[needed] provider_id: Option<Text>,
        restorable: Option<bool>, capabilities: Option<Vec<Text>>, }
    /// What a fork does with one resource.
    PlanItem { resource: Text, mode: PlanMode, kept_by: Option<Text>,
        snapshot_ref: Option<Value>, }
    /// An agent that another one started.
    SubagentRecord { id: Text, constraints: Option<Object>, }
}

/// A reference as spec 5 has them; a bare text is a node's id.
#[derive(Clone, Debug, PartialEq)]
pub enum Ref {
    /// `{"event_id": ...}`
    Event(EventId),
    /// A node's id.
    Node(Text),
    /// `{"uri": ...}`
    Uri(Text),
    /// `{"path": ...}`
    Path(Text),
    /// `{"kind": ..., "id": ...}`
    Ext(ExtRef),
    /// `{"$blob": ...}`: something large, by its hash.
    Blob(BlobId),
    /// Another one, as it is written. Other systems have more.
    Other(Object),
}

impl Field for Ref {
    const SHAPE: Shape = Shape::Ref;

    fn read(value: &Value) -> Option<Ref> {
        if let Some(id) = value.as_text() {
            return Some(Ref::Node(id.clone()));
        }
        let Value::Map(members) = value else { return None };
        let text = |name| members.get(name).and_then(Value::as_text).cloned();
        let event = text("event_id").and_then(|id| EventId::parse(&id)).map(Ref::Event);
        let known = event
            .or_else(|| text("node").map(Ref::Node))
            .or_else(|| text("uri").map(Ref::Uri))
            .or_else(|| text("path").map(Ref::Path))
            .or_else(|| referenced(value).map(Ref::Blob))
            .or_else(|| ExtRef::from_members(members).map(Ref::Ext));
        Some(known.unwrap_or_else(|| Ref::Other(members.clone())))
    }
}

impl Write for Ref {
    fn write(&self, out: &mut String) {
        let mut one = |name: &str, text: &str| {
            out.push_str("{\"");
            out.push_str(name);
            out.push_str("\":");
            json::write_text(out, text);
            out.push('}');
        };
        match self {
            Ref::Event(id) => EventRef { event_id: *id }.write(out),
            Ref::Node(id) => json::write_text(out, id),
            Ref::Uri(uri) => one("uri", uri),
            Ref::Path(path) => one("path", path),
            Ref::Ext(ext) => ext.write(out),
            Ref::Blob(id) => one("$blob", &id.to_string()),
            Ref::Other(members) => members.write(out),
        }
    }

    fn is_exact(&self) -> bool {
        match self {
            Ref::Other(members) => members.is_exact(),
            _ => true,
        }
    }
}
