//! Moves of names. Each name has a chain of operations, so that where it pointed is never lost:
//! undoing is one more operation.

use value::{Value, digest};

use crate::{Link, OperationId, Place, Stream, Timestamp};

/// Where a name points: an event's place, and the link that says which history that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The place.
    pub place: Place,
    /// The link there.
    pub link: Link,
}

/// One move of a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Which name.
    pub name: String,
    /// The operation before it on this name.
    pub previous: Option<OperationId>,
    /// Where the name points from now on; nowhere if it was removed.
    pub target: Option<Target>,
    /// When.
    pub ts: Timestamp,
    /// Who did it.
    pub actor: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Operation {
    /// Its hash.
    pub fn id(&self) -> OperationId {
        OperationId(digest(&self.value()))
    }

    /// As JSON, which is hashed.
    pub fn value(&self) -> Value {
        let mut members = vec![("name", Value::from(self.name.as_str()))];
        if let Some(previous) = self.previous {
            members.push(("previous", previous.into()));
        }
        if let Some(target) = &self.target {
            members.push(("link", target.link.into()));
            // Canonical JSON has no larger numbers; no run comes near.
            members.push(("seq", Value::Int(target.place.seq.cast_signed())));
            members.push(("stream", target.place.stream.name().into()));
        }
        members.push(("ts", self.ts.to_string().into()));
        members.extend(self.actor.as_deref().map(|actor| ("actor", actor.into())));
        members.extend(self.reason.as_deref().map(|reason| ("reason", reason.into())));
        Value::map(members)
    }

    /// Reads what [`Operation::value`] writes, and nothing else.
    pub fn read(value: &Value) -> Option<Operation> {
        let members = value.as_map()?;
        let text = |name| members.get(name).and_then(Value::as_text);
        let target = match members.get("link") {
            None => None,
            Some(link) => {
                let Some(Value::Int(seq)) = members.get("seq") else { return None };
                let stream = Stream::from_name(text("stream")?)?;
                let place = Place::new(stream, u64::try_from(*seq).ok()?);
                Some(Target { place, link: Link::parse(link.as_text()?)? })
            }
        };
        let operation = Operation {
            name: text("name")?.to_string(),
            previous: match text("previous") {
                Some(id) => Some(OperationId::parse(id)?),
                None => None,
            },
            target,
            ts: Timestamp::parse(text("ts")?)?,
            actor: text("actor").map(|actor| actor.to_string()),
            reason: text("reason").map(|reason| reason.to_string()),
        };
        // Whatever is not written again would not be hashed.
        (operation.value() == *value).then_some(operation)
    }
}
