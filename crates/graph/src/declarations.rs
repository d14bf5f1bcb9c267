//! What the labels refer to: agents, tools, stores, people and so on.

use value::{Map, Ordered, Value};

/// A kind of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A model with a prompt.
    Agents,
    /// Something that can be called.
    Tools,
    /// Somewhere values are kept.
    Stores,
    /// A way for agents to talk.
    Channels,
    /// Someone who can be asked.
    People,
    /// The shape of a value.
    Schemas,
    /// How parallel values are merged.
    Reducers,
    /// What is allowed.
    Policies,
    /// What happens after a failure.
    Handlers,
    /// What a run is given.
    Inputs,
}

impl Kind {
    /// All kinds, in the order in which they are written.
    pub const ALL: [Kind; 10] = [
        Kind::Agents,
        Kind::Tools,
        Kind::Stores,
        Kind::Channels,
        Kind::People,
        Kind::Schemas,
        Kind::Reducers,
        Kind::Policies,
        Kind::Handlers,
        Kind::Inputs,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Agents => "agents",
            Kind::Tools => "tools",
            Kind::Stores => "stores",
            Kind::Channels => "channels",
            Kind::People => "people",
            Kind::Schemas => "schemas",
            Kind::Reducers => "reducers",
            Kind::Policies => "policies",
            Kind::Handlers => "handlers",
            Kind::Inputs => "inputs",
        }
    }

    /// The kind with this word.
    pub fn find(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Everything that is declared, by kind and name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declarations {
    kinds: [Ordered<Value>; Kind::ALL.len()],
}

impl Declarations {
    /// What is declared of a kind.
    pub fn of(&self, kind: Kind) -> &Ordered<Value> {
        &self.kinds[kind as usize]
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Ordered<Value> {
        &mut self.kinds[kind as usize]
    }

    /// Whether nothing is declared.
    pub fn is_empty(&self) -> bool {
        self.kinds.iter().all(Ordered::is_empty)
    }

    /// The member `declarations`: kinds that declare something.
    pub fn to_map(&self) -> Map {
        let filled = Kind::ALL.into_iter().filter(|kind| !self.of(*kind).is_empty());
        filled.map(|kind| (kind.word().into(), Value::from(self.of(kind).clone()))).collect()
    }
}
