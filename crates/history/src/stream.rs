//! Where events stand: streams, and places in them.

use std::fmt;

use value::{Map, Text, Value};

/// A sequence of events. Almost every stream is a run; what belongs to no run stands in the
/// stream of its agent, and what belongs to no agent in the store's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// The events of an agent that belong to no run.
    Agent(Text),
    /// The events of a run.
    Run(Text),
    /// The events that belong to nobody.
    Store,
}

impl Stream {
    /// The stream of a run.
    pub fn run(id: impl Into<Text>) -> Stream {
        Stream::Run(id.into())
    }

    /// The stream that an event with these members belongs to.
    pub fn of(run_id: Option<Text>, agent_id: Option<Text>) -> Stream {
        match (run_id, agent_id) {
            (Some(run), _) => Stream::Run(run),
            (None, Some(agent)) => Stream::Agent(agent),
            (None, None) => Stream::Store,
        }
    }

    /// The whole name, which is hashed: `run:ID`, `agent:ID` or `store`.
    pub fn name(&self) -> String {
        match self {
            Stream::Agent(id) => format!("agent:{id}"),
            Stream::Run(id) => format!("run:{id}"),
            Stream::Store => "store".into(),
        }
    }

    /// Reads a whole name.
    pub fn from_name(name: &str) -> Option<Stream> {
        match name.split_once(':') {
            Some(("run", id)) => Some(Stream::run(id)),
            Some(("agent", id)) => Some(Stream::Agent(id.into())),
            None if name == "store" => Some(Stream::Store),
            _ => None,
        }
    }

    /// Reads what a person writes: a run's id alone will do.
    pub fn from_words(words: &str) -> Stream {
        Stream::from_name(words).unwrap_or_else(|| Stream::run(words))
    }

    /// The member by which an event says that it is of another stream. An event that says nothing
    /// may stand anywhere.
    pub fn contradicted_by(&self, members: &Map) -> Option<(&'static str, Text)> {
        let said = |name: &'static str| {
            members.get(name).and_then(Value::as_text).map(|id| (name, id.clone()))
        };
        let run = said("run_id").filter(|(_, id)| self.run_id() != Some(id));
        run.or_else(|| match self {
            Stream::Run(_) => None,
            Stream::Agent(agent) => said("agent_id").filter(|(_, id)| id != agent),
            Stream::Store => said("agent_id"),
        })
    }

    /// The run, if it is one.
    pub fn run_id(&self) -> Option<&Text> {
        match self {
            Stream::Run(id) => Some(id),
            _ => None,
        }
    }
}

/// As a person writes it: a run is shown by its id, unless that looks like something else.
impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `last` is whichever run is the newest.
        let means_else = |id: &str| id == "last" || Stream::from_name(id).is_some();
        match self {
            Stream::Run(id) if !means_else(id) => f.write_str(id),
            other => f.write_str(&other.name()),
        }
    }
}

/// An event's place: `run@seq`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which stream.
    pub stream: Stream,
    /// Which event of it, from 0.
    pub seq: u64,
}

impl Place {
    /// A place in a stream.
    pub fn new(stream: Stream, seq: u64) -> Place {
        Place { stream, seq }
    }

    /// Reads `run@seq`.
    pub fn parse(text: &str) -> Option<Place> {
        let (stream, seq) = text.rsplit_once('@')?;
        let is_number = !seq.is_empty() && seq.bytes().all(|digit| digit.is_ascii_digit());
        if stream.is_empty() || !is_number {
            return None;
        }
        Some(Place::new(Stream::from_words(stream), seq.parse().ok()?))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.stream, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_again() {
        for id in ["r1", "agent:a", "store", "run:x", "a@b", "a:b", "last", ""] {
            let stream = Stream::run(id);
            assert_eq!(Stream::from_words(&stream.to_string()), stream, "{id}");
            assert_eq!(Stream::from_name(&stream.name()), Some(stream.clone()));
            if !id.is_empty() {
                let place = Place::new(stream, 7);
                assert_eq!(Place::parse(&place.to_string()), Some(place));
            }
        }
        assert_eq!(Stream::from_words("agent:a"), Stream::Agent("a".into()));
        assert_eq!(Stream::from_words("store"), Stream::Store);
    }

    #[test]
    fn an_event_may_contradict_where_it_stands() {
        let by = |stream: &Stream, members: &[(&str, &str)]| {
            let members = members.iter().map(|(name, id)| ((*name).into(), Value::from(*id)));
            stream.contradicted_by(&members.collect()).map(|(name, _)| name)
        };
        let (run, agent) = (Stream::run("r"), Stream::Agent("a".into()));
        assert_eq!(by(&run, &[("run_id", "r"), ("agent_id", "b")]), None);
        assert_eq!(by(&run, &[("agent_id", "b")]), None);
        assert_eq!(by(&run, &[("run_id", "s")]), Some("run_id"));
        assert_eq!(by(&agent, &[("agent_id", "a")]), None);
        assert_eq!(by(&agent, &[("agent_id", "b")]), Some("agent_id"));
        assert_eq!(by(&agent, &[("agent_id", "a"), ("run_id", "r")]), Some("run_id"));
        assert_eq!(by(&Stream::Store, &[]), None);
        assert_eq!(by(&Stream::Store, &[("agent_id", "a")]), Some("agent_id"));
    }

    #[test]
    fn a_place_needs_a_number() {
        for text in ["r1", "r1@", "@1", "r1@-1", "r1@+1", "r1@x", "r1@99999999999999999999"] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
