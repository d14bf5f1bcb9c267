//! What there is to draw: kinds of nodes and of links, with their words and colours.

/// What a node is. In the order of legends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Where a run begins.
    Start,
    /// Something is done.
    Step,
    /// Something is decided.
    Gate,
    /// Someone is asked.
    Checkpoint,
    /// Something is done many times over.
    Spawn,
    /// Several take turns.
    Protocol,
    /// All ways from here are gone at once.
    Fork,
    /// All ways to here have to arrive.
    Join,
    /// Where a run ends.
    End,
    /// Where a run fails.
    Failure,
    /// A model with a prompt.
    Agent,
    /// Something that can be called.
    Tool,
    /// Somewhere values are kept.
    Store,
    /// A way for agents to talk.
    Channel,
    /// Someone who can be asked.
    Person,
    /// Values that others refer to.
    Config,
    /// Agents that work together.
    Team,
    /// A dialogue.
    Conversation,
    /// How the world answers.
    World,
    /// What is allowed.
    Policy,
    /// What happens after a failure.
    Handler,
    /// The shape of a value.
    Schema,
    /// What follows from facts.
    Rule,
    /// Facts that are there at first.
    Facts,
    /// Whoever brings other facts.
    Outside,
    /// Something that is named and not there.
    Missing,
}

impl Kind {
    /// Its word in legends and outlines.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Start => "start",
            Kind::Step => "step",
            Kind::Gate => "gate",
            Kind::Checkpoint => "checkpoint",
            Kind::Spawn => "spawn",
            Kind::Protocol => "protocol",
            Kind::Fork => "fork",
            Kind::Join => "join",
            Kind::End => "end",
            Kind::Failure => "failure",
            Kind::Agent => "agent",
            Kind::Tool => "tool",
            Kind::Store => "store",
            Kind::Channel => "channel",
            Kind::Person => "person",
            Kind::Config => "config",
            Kind::Team => "team",
            Kind::Conversation => "conversation",
            Kind::World => "world",
            Kind::Policy => "policy",
            Kind::Handler => "error handler",
            Kind::Schema => "schema",
            Kind::Rule => "rule",
            Kind::Facts => "facts",
            Kind::Outside => "outside",
            Kind::Missing => "missing",
        }
    }

    /// Its colour.
    pub(super) fn colour(self) -> Colour {
        Colour(match self {
            Kind::Start | Kind::End | Kind::Fork | Kind::Join => 0x3b_4754,
            Kind::Step => 0xc0_c0c0,
            Kind::Gate => 0xe7_4c3c,
            Kind::Checkpoint => 0xd4_ac0d,
            Kind::Spawn => 0x9b_59b6,
            Kind::Protocol => 0x34_98db,
            Kind::Failure | Kind::Missing => 0xd1_242f,
            Kind::Agent => 0x4e_cdc4,
            Kind::Tool => 0xf3_9c12,
            Kind::Store => 0x95_a5a6,
            Kind::Channel => 0x1a_bc9c,
            Kind::Person => 0xcf_3a8a,
            Kind::Config => 0x8d_9db6,
            Kind::Team => 0x29_80b9,
            Kind::Conversation => 0x6c_5ce7,
            Kind::World => 0x27_ae60,
            Kind::Policy => 0xe6_7e22,
            Kind::Handler => 0xc0_392b,
            Kind::Schema => 0x5d_6d7e,
            Kind::Rule => 0x34_98db,
            Kind::Facts => 0x95_a5a6,
            Kind::Outside => 0xcf_3a8a,
        })
    }

    /// Whether it says all by its shape, and has no words.
    pub(super) fn is_sign(self) -> bool {
        matches!(self, Kind::Start | Kind::End | Kind::Failure | Kind::Fork | Kind::Join)
    }
}

/// What a link means. In the order of legends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// Control goes on.
    Flow,
    /// Control goes on if something decides so.
    Branch,
    /// Control goes back.
    Loop,
    /// Control goes there and comes back.
    Call,
    /// Control goes there after a failure.
    Error,
    /// Someone is called.
    Invoke,
    /// A value is fetched.
    Read,
    /// A value is kept.
    Write,
    /// A message is sent.
    Publish,
    /// A message is received.
    Subscribe,
    /// Work is passed on.
    Handoff,
    /// Someone belongs to something.
    Member,
    /// Someone looks on.
    Observe,
    /// Something changes how something works.
    Modify,
    /// Something holds for something.
    Governs,
    /// A schema names another one.
    Names,
    /// A rule brings facts that another waits for.
    Asserts,
    /// A rule takes facts away that another waits for.
    Retracts,
    /// Any other relation; its label says which.
    Other,
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dash {
    /// Not at all.
    Solid,
    /// Into dashes.
    Dashed,
    /// Into dots.
    Dotted,
}

impl Tie {
    /// Its word in legends and outlines.
    pub(super) fn word(self) -> &'static str {
        match self {
            Tie::Flow => "flow",
            Tie::Branch => "branch",
            Tie::Loop => "loop",
            Tie::Call => "call",
            Tie::Error => "on error",
            Tie::Invoke => "invoke",
            Tie::Read => "read",
            Tie::Write => "write",
            Tie::Publish => "publish",
            Tie::Subscribe => "subscribe",
            Tie::Handoff => "handoff",
            Tie::Member => "member",
            Tie::Observe => "observe",
            Tie::Modify => "modify",
            Tie::Governs => "governs",
            Tie::Names => "field type",
            Tie::Asserts => "asserts",
            Tie::Retracts => "retracts",
            Tie::Other => "other",
        }
    }

    /// The relation with this word, as documents write it.
    pub(super) fn find(word: &str) -> Tie {
        match word {
            "flow" => Tie::Flow,
            "branch" => Tie::Branch,
            "loop" => Tie::Loop,
            "error" => Tie::Error,
            "invoke" => Tie::Invoke,
            "read" => Tie::Read,
            "write" => Tie::Write,
            "publish" => Tie::Publish,
            "subscribe" => Tie::Subscribe,
            "handoff" => Tie::Handoff,
            "observe" => Tie::Observe,
            "modify" => Tie::Modify,
            _ => Tie::Other,
        }
    }

    /// Its colour.
    pub(super) fn colour(self) -> Colour {
        Colour(match self {
            Tie::Flow => 0x34_98db,
            Tie::Branch | Tie::Write => 0xe7_4c3c,
            Tie::Loop => 0xf0_883e,
            Tie::Call => 0x6f_42c1,
            Tie::Error => 0xc0_392b,
            Tie::Invoke => 0x4e_cdc4,
            Tie::Read => 0x2e_cc71,
            Tie::Publish | Tie::Subscribe => 0x1a_bc9c,
            Tie::Handoff => 0x8e_44ad,
            Tie::Member => 0x29_80b9,
            Tie::Observe | Tie::Other => 0x7f_8c8d,
            Tie::Modify | Tie::Governs => 0xe6_7e22,
            Tie::Names => 0x5d_6d7e,
            Tie::Asserts => 0x34_98db,
            Tie::Retracts => 0xe7_4c3c,
        })
    }

    /// How its line is broken.
    pub(super) fn dash(self) -> Dash {
        match self {
            Tie::Flow | Tie::Invoke | Tie::Handoff | Tie::Publish | Tie::Names => Dash::Solid,
            Tie::Asserts => Dash::Solid,
            Tie::Retracts => Dash::Dashed,
            Tie::Branch | Tie::Loop | Tie::Call | Tie::Error | Tie::Subscribe => Dash::Dashed,
            Tie::Read | Tie::Write | Tie::Member | Tie::Observe => Dash::Dotted,
            Tie::Modify | Tie::Governs | Tie::Other => Dash::Dotted,
        }
    }

    /// Whether it has an arrow.
    pub(super) fn has_arrow(self) -> bool {
        !matches!(self, Tie::Observe | Tie::Governs | Tie::Member)
    }

    /// Whether control goes this way.
    pub(super) fn is_control(self) -> bool {
        matches!(self, Tie::Flow | Tie::Branch | Tie::Loop | Tie::Call | Tie::Error)
    }

    /// Whether its arrow leads from what is used to its user.
    pub(super) fn is_inward(self) -> bool {
        matches!(self, Tie::Read | Tie::Subscribe)
    }
}

/// A colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colour(u32);

impl Colour {
    /// As it is written.
    pub(super) fn line(self) -> String {
        format!("#{:06x}", self.0)
    }

    /// So light that black text reads well on it.
    pub(super) fn light(self) -> String {
        let part = |shift: u32| 255 - (255 - ((self.0 >> shift) & 0xff)) * 22 / 100;
        format!("#{:02x}{:02x}{:02x}", part(16), part(8), part(0))
    }

    /// So dark that it reads well as text on a light ground.
    pub(super) fn dark(self) -> String {
        let part = |shift: u32| ((self.0 >> shift) & 0xff) * 62 / 100;
        format!("#{:02x}{:02x}{:02x}", part(16), part(8), part(0))
    }
}
