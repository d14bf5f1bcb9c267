//! What the labels refer to: agents, tools, stores, people and so on.

use value::{Map, Ordered, Text, Value};

/// The members of a handler that name where control goes after a failure.
pub const RECOVERIES: [&str; 3] = ["on_error", "fallback", "on_finally"];

/// The member of a link that says that labels have it too: only what they do not say is new.
pub const IN_LABELS: &str = "in_labels";

/// What an input is `from` that nobody declared: it is read, and written nowhere.
pub const ASSUMED: &str = "assumed";

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
    /// A set of values that others refer to.
    Configs,
    /// Agents that work together.
    Teams,
    /// A dialogue with its history.
    Conversations,
    /// Something that says how the world answers to actions.
    Worlds,
    /// What a label is for, and what of it no node says.
    Processes,
    /// The shape of a value.
    Schemas,
    /// How parallel values are merged.
    Reducers,
    /// What is allowed.
    Policies,
    /// What happens after a failure.
    Handlers,
    /// A relation that is no control flow: a handoff, an observer, a message.
    Links,
    /// What a run is given.
    Inputs,
    /// What verbs do that only their author knows.
    Contracts,
}

impl Kind {
    /// All kinds, in the order in which they are written.
    pub const ALL: [Kind; 17] = [
        Kind::Agents,
        Kind::Tools,
        Kind::Stores,
        Kind::Channels,
        Kind::People,
        Kind::Configs,
        Kind::Teams,
        Kind::Conversations,
        Kind::Worlds,
        Kind::Processes,
        Kind::Schemas,
        Kind::Reducers,
        Kind::Policies,
        Kind::Handlers,
        Kind::Links,
        Kind::Inputs,
        Kind::Contracts,
    ];

    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Agents => "agents",
            Kind::Tools => "tools",
            Kind::Stores => "stores",
            Kind::Channels => "channels",
            Kind::People => "people",
            Kind::Configs => "configs",
            Kind::Teams => "teams",
            Kind::Conversations => "conversations",
            Kind::Worlds => "worlds",
            Kind::Processes => "processes",
            Kind::Schemas => "schemas",
            Kind::Reducers => "reducers",
            Kind::Policies => "policies",
            Kind::Handlers => "handlers",
            Kind::Links => "links",
            Kind::Inputs => "inputs",
            Kind::Contracts => "contracts",
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

    /// The fields of a schema, with what is declared of each.
    pub fn fields(&self, schema: &str) -> impl Iterator<Item = (&Text, &Value)> {
        let fields = self.of(Kind::Schemas).get(schema).and_then(|schema| schema.get("fields"));
        let items = fields.and_then(Value::as_list).unwrap_or_default();
        items.iter().filter_map(|field| Some((field.get("name")?.as_text()?, field)))
    }

    /// The name under which an answer of this shape is kept as a whole.
    pub fn name_of_answer(&self, schema: &str) -> Text {
        let name = snake_case(schema);
        let is_taken = self.fields(schema).any(|(field, _)| **field == *name);
        if is_taken { format!("{name}_schema").into() } else { name.into() }
    }

    /// The member `declarations`: kinds that declare something.
    pub fn to_map(&self) -> Map {
        let filled = Kind::ALL.into_iter().filter(|kind| !self.of(*kind).is_empty());
        filled.map(|kind| (kind.word().into(), Value::from(self.of(kind).clone()))).collect()
    }
}

/// `PlanStep` as `plan_step`, `HTTPReply` as `http_reply`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let begins_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase() && after.is_some_and(|after| after.is_lowercase()))
            });
        if begins_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_named_after_their_schema() {
        for (schema, name) in [
            ("PlanStep", "plan_step"),
            ("HTTPReply", "http_reply"),
            ("PRD", "prd"),
            ("Step2Plan", "step2_plan"),
            ("already_so", "already_so"),
        ] {
            assert_eq!(snake_case(schema), name);
        }
    }
}
