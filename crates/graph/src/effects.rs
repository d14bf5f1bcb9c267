//! The two axes of effect, and the older words that are printed from them.

/// What a node touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touches {
    /// Nothing but its arguments.
    Nothing,
    /// The clock.
    Clock,
    /// A source of randomness.
    Random,
    /// Something outside, without changing it.
    Read,
    /// Something outside, changing it.
    Write,
    /// A model.
    Model,
    /// A person.
    Person,
}

/// How a node may run again after a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Again {
    /// As often as needed.
    Freely,
    /// With the same idempotency key.
    WithKey,
    /// Only when somebody says so.
    ByAsking,
}

/// `effect` of spec 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It has side effects, or may have.
    Io,
    /// It has none.
    Pure,
    /// It is about another node.
    Meta,
}

impl Effect {
    /// All of them.
    pub const ALL: [Effect; 3] = [Effect::Io, Effect::Pure, Effect::Meta];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Io => "io",
            Effect::Pure => "pure",
            Effect::Meta => "meta",
        }
    }

    /// The effect with this word.
    pub fn find(word: &str) -> Option<Effect> {
        Effect::ALL.into_iter().find(|effect| effect.word() == word)
    }
}

/// `effect_tier` of spec 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Computed in the core.
    Pure,
    /// Looks outside.
    IoRead,
    /// Changes something outside.
    IoWrite,
    /// Decides where control goes.
    Control,
    /// About another node.
    Meta,
}

impl Tier {
    /// All of them.
    pub const ALL: [Tier; 5] = [Tier::Pure, Tier::IoRead, Tier::IoWrite, Tier::Control, Tier::Meta];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Tier::Pure => "pure",
            Tier::IoRead => "io-read",
            Tier::IoWrite => "io-write",
            Tier::Control => "control",
            Tier::Meta => "meta",
        }
    }

    /// The tier with this word.
    pub fn find(word: &str) -> Option<Tier> {
        Tier::ALL.into_iter().find(|tier| tier.word() == word)
    }
}

impl Touches {
    /// All of them.
    pub const ALL: [Touches; 7] = [
        Touches::Nothing,
        Touches::Clock,
        Touches::Random,
        Touches::Read,
        Touches::Write,
        Touches::Model,
        Touches::Person,
    ];

    /// The word in policies and configurations.
    pub fn word(self) -> &'static str {
        match self {
            Touches::Nothing => "nothing",
            Touches::Clock => "clock",
            Touches::Random => "random",
            Touches::Read => "read",
            Touches::Write => "write",
            Touches::Model => "model",
            Touches::Person => "person",
        }
    }

    /// The one with this word.
    pub fn find(word: &str) -> Option<Touches> {
        Touches::ALL.into_iter().find(|touches| touches.word() == word)
    }

    /// The tier that is printed for it.
    pub const fn tier(self) -> Tier {
        match self {
            // Spec 2 has no word for the clock and for chance: they change nothing outside.
            Touches::Nothing | Touches::Clock | Touches::Random => Tier::Pure,
            Touches::Read => Tier::IoRead,
            Touches::Write | Touches::Model | Touches::Person => Tier::IoWrite,
        }
    }
}
