//! What is written: every event follows from its stream and its number alone, so that whoever
//! reads it knows what must stand there, and a writer that died can ask for the same again.

use std::sync::{Arc, OnceLock};

use history::kinds::records::{EventRef, Message, Origin};
use history::kinds::words::{Role, RunReason, ToolStatus};
use history::kinds::{
    AgentForked, BLOB_FROM, Blob, Common, MessageCreated, RunStarted, Sealed, ToolResult,
};
use history::{Event, Operation, OperationId, Place, Stream, Target, Timestamp};
use sim::Random;
use store::{Append, AppendError, Durability, Expected, Receipt, Store};
use value::{Digest, Value};

/// Some events that are added together.
pub(crate) struct Batch {
    pub(crate) stream: Stream,
    pub(crate) first: u64,
    pub(crate) events: Vec<Event>,
    pub(crate) blobs: Vec<Blob>,
}

impl Batch {
    /// The batch of this many events that begins with this number.
    pub(crate) fn new(stream: &Stream, first: u64, count: u64) -> Batch {
        let sealed: Vec<Sealed> = (first..first + count).map(|seq| event(stream, seq)).collect();
        let (events, blobs): (Vec<_>, Vec<_>) =
            sealed.into_iter().map(|sealed| (sealed.event, sealed.blobs)).unzip();
        Batch { stream: stream.clone(), first, events, blobs: blobs.concat() }
    }

    /// The batch that begins with this number, of a size that follows from it.
    pub(crate) fn at(stream: &Stream, first: u64) -> Batch {
        let sizes = [2, 2, 3, 3, 5, 8, 30, 150];
        Batch::new(stream, first, *choice(stream, first).pick(&sizes))
    }

    /// Adds it. Every other one has a key.
    pub(crate) fn append(
        &self,
        store: &dyn Store,
        durability: Durability,
    ) -> Result<Receipt, AppendError> {
        let name = format!("{}@{}", self.stream, self.first);
        let key = self.first.is_multiple_of(2).then(|| Digest::of(name.as_bytes()));
        let expected = match origin(&self.stream) {
            Some(origin) if origin.seq + 1 == self.first => Expected::Fork(origin),
            None if self.first == 0 => Expected::New,
            _ => Expected::Next(self.first),
        };
        store.append(&Append {
            stream: &self.stream,
            expected,
            events: &self.events,
            blobs: &self.blobs,
            key,
            unverified: false,
            durability,
        })
    }

    /// The number of its last event.
    pub(crate) fn last(&self) -> u64 {
        self.first + self.events.len() as u64 - 1
    }
}

/// The stream that forks from a place: its name says where it comes from.
pub(crate) fn fork(place: &Place) -> Stream {
    Stream::run(format!("{}.{}", place.stream, place.seq))
}

/// Where a stream forked.
pub(crate) fn origin(stream: &Stream) -> Option<Place> {
    let (parent, seq) = stream.run_id()?.rsplit_once('.')?;
    Some(Place::new(Stream::run(parent), seq.parse().expect("a name that `fork` made")))
}

/// The event of a stream that has this number.
pub(crate) fn event(stream: &Stream, seq: u64) -> Sealed {
    let run_id = stream.run_id().expect("all streams here are runs");
    let common = Common {
        run_id: Some(run_id.clone()),
        agent_id: Some("a1".into()),
        ..Common::at(Timestamp::from_micros(1_700_000_000_000_000 + seq.cast_signed()))
    };
    let origin = origin(stream);
    let own = seq - origin.as_ref().map_or(0, |origin| origin.seq + 1);
    match (own, origin) {
        (0, origin) => {
            let from = origin.map(|place| Origin {
                run_id: place.stream.run_id().expect("all streams here are runs").clone(),
                seq: place.seq.cast_signed(),
                event_id: event(&place.stream, place.seq).event.id(),
            });
            let reason = if from.is_some() { RunReason::Fork } else { RunReason::User };
            common.seal(&RunStarted {
                reason: Some(reason),
                from,
                graph: None,
                inputs: None,
                seed: None,
                versions: None,
                document: None,
                options: None,
            })
        }
        (1, Some(place)) => common.seal(&AgentForked {
            from_branch: place.stream.to_string().into(),
            to_branch: run_id.clone(),
            at_event: Some(EventRef { event_id: event(&place.stream, place.seq).event.id() }),
            volume_plan: None,
        }),
        _ => anything(&common, seq, &mut choice(stream, seq)),
    }
}

/// Small ones, larger ones, and some with a value that stands beside the event.
fn anything(common: &Common, seq: u64, random: &mut Random) -> Sealed {
    let length = match random.below(16) {
        0 => BLOB_FROM + random.below(9_000),
        1..8 => random.below(60),
        _ => random.between(200, 700),
    };
    let text = &filler()[random.below(1_000)..][..length];
    if random.one_in(2) {
        let part = Value::map([("type", "text".into()), ("text", text.into())]);
        let Value::Map(part) = part else { unreachable!("an object was made") };
        common.seal(&MessageCreated {
            message: Message {
                id: Some(format!("m{seq}").into()),
                role: Some(Role::Assistant),
                content: Some(vec![part]),
                created_at: None,
                items: None,
            },
        })
    } else {
        let Value::Map(result) = Value::map([("stdout", text.into())]) else {
            unreachable!("an object was made")
        };
        common.seal(&ToolResult {
            call_id: format!("c{seq}").into(),
            status: Some(ToolStatus::Ok),
            result: Some(Arc::clone(&result)),
            error: None,
        })
    }
}

/// A long text, to cut pieces from.
fn filler() -> &'static str {
    static FILLER: OnceLock<String> = OnceLock::new();
    FILLER.get_or_init(|| {
        let mut random = Random::new(0);
        (0..16_000).map(|_| char::from(random.between(32, 126) as u8)).collect()
    })
}

/// Choices that follow from a place.
fn choice(stream: &Stream, seq: u64) -> Random {
    let digest = Digest::of_parts(&[stream.name().as_bytes(), &seq.to_be_bytes()]);
    let (number, _) = digest.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    Random::new(u64::from_be_bytes(*number))
}

/// The operation that moves a name to a place.
pub(crate) fn operation(name: &str, previous: Option<OperationId>, target: Target) -> Operation {
    Operation {
        name: name.to_string(),
        previous,
        ts: Timestamp::from_micros(1_700_000_000_000_000),
        target: Some(target),
        actor: Some("tester".to_string()),
        reason: Some("because it may go anywhere".to_string()),
    }
}
