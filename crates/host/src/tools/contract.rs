//! The one contract of tools: what a spec declares and what the operator binds, as the two axes
//! and the checks that everything else goes by.
//!
//! The operator's word wins; then what a binding knows of itself for certain; then what the spec
//! declares; and what nobody says is the worst: it writes, and is never repeated unasked.
//! `docs/tools.md` has the table.

use graph::{Again, Touches};
use runtime::schema::Schemas;
use runtime::{Money, Plan, Replay, ToolContract};
use value::{Text, Value};

use crate::adapter::Bound;

/// What the operator says of a tool in `quipu.toml`, whatever answers its calls.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// What it touches.
    pub touches: Option<Touches>,
    /// How it may run again.
    pub again: Option<Again>,
    /// What it does, for whoever chooses tools.
    pub description: Option<Text>,
    /// The JSON Schema of what it is given.
    pub input: Option<Value>,
    /// The JSON Schema of what it answers.
    pub output: Option<Value>,
    /// What must be granted before it is called.
    pub permissions: Option<Vec<Text>>,
    /// What a call costs.
    pub cost: Option<Money>,
    /// What becomes of its writes in a fork.
    pub replay: Option<Replay>,
    /// Whether it acts as somebody, and so needs a credential.
    pub auth_required: Option<bool>,
}

/// What holds for a tool.
#[derive(Clone, Debug)]
pub(crate) struct Agreed {
    pub(crate) contract: ToolContract,
    pub(crate) description: Option<Text>,
    pub(crate) input: Option<Value>,
    pub(crate) output: Option<Value>,
    pub(crate) auth_required: bool,
    pub(crate) deprecated: bool,
}

/// What holds for a tool, from all that was said of it.
pub(crate) fn agree(terms: &Terms, bound: &dyn Bound, declared: &Declared<'_>) -> Agreed {
    let own = bound.contract();
    let certain = bound.is_certain();
    let touches = terms
        .touches
        .or_else(|| (certain || own.touches != Touches::Write).then_some(own.touches))
        .or_else(|| declared.touches())
        .unwrap_or(Touches::Write);
    let again = terms
        .again
        .or_else(|| (certain || own.again != Again::ByAsking).then_some(own.again))
        .or_else(|| (touches != Touches::Write).then_some(Again::Freely))
        .or_else(|| declared.again())
        .unwrap_or(Again::ByAsking);
    let described = bound.described();
    let contract = ToolContract {
        touches,
        again,
        permissions: terms.permissions.clone().unwrap_or_else(|| declared.texts("permissions")),
        cost: terms.cost.or_else(|| declared.cost()).unwrap_or_default(),
        replay: terms.replay.or_else(|| declared.replay()).unwrap_or_default(),
        ..ToolContract::UNKNOWN
    };
    let description = terms.description.clone().or_else(|| declared.text("description").cloned());
    Agreed {
        contract,
        description: description.or(described.description),
        input: terms.input.clone().or_else(|| declared.shape("input_schema")).or(described.input),
        output: terms
            .output
            .clone()
            .or_else(|| declared.shape("output_schema"))
            .or(described.output),
        auth_required: terms.auth_required.unwrap_or_else(|| declared.is("auth_required")),
        deprecated: declared.is("deprecated"),
    }
}

/// What a spec declares of a tool, in the words of whichever format it came from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Declared<'p> {
    tool: Option<&'p Value>,
    schemas: Option<&'p Schemas>,
}

impl<'p> Declared<'p> {
    pub(crate) fn of(plan: &'p Plan, tool: &str) -> Declared<'p> {
        Declared { tool: plan.declared_tool(tool), schemas: Some(plan.schemas()) }
    }

    fn get(&self, member: &str) -> Option<&'p Value> {
        self.tool?.get(member)
    }

    fn text(&self, member: &str) -> Option<&'p Text> {
        self.get(member)?.as_text()
    }

    fn is(&self, member: &str) -> bool {
        self.get(member) == Some(&Value::Bool(true))
    }

    fn texts(&self, member: &str) -> Vec<Text> {
        let items = self.get(member).and_then(Value::as_list).unwrap_or_default();
        items.iter().filter_map(|item| item.as_text().cloned()).collect()
    }

    /// Which kind of tool it is.
    pub(crate) fn tool_type(&self) -> Option<&'p str> {
        self.text("tool_type").map(|text| &**text)
    }

    /// A list names what is changed outside; one word says how bad it can be. A word that nobody
    /// knows says nothing.
    fn touches(&self) -> Option<Touches> {
        match self.get("side_effects")? {
            Value::List(changed) if changed.is_empty() => Some(Touches::Read),
            Value::List(_) | Value::Bool(true) => Some(Touches::Write),
            Value::Bool(false) => Some(Touches::Nothing),
            Value::Text(word) => match &**word {
                "none" => Some(Touches::Nothing),
                "read" => Some(Touches::Read),
                "write" | "external" => Some(Touches::Write),
                _ => None,
            },
            _ => None,
        }
    }

    /// What is idempotent may be repeated, but with its key and on the record: whoever said so
    /// meant the same call made twice, and not one that comes after others have changed the same.
    fn again(&self) -> Option<Again> {
        let has_key = self.text("idempotency_key").is_some_and(|key| !key.is_empty());
        (self.is("idempotent") || has_key).then_some(Again::WithKey)
    }

    /// An amount is text, so that it is exact; a whole number is too.
    fn cost(&self) -> Option<Money> {
        match self.get("cost_estimate")? {
            Value::Text(amount) => Money::parse(amount),
            Value::Int(amount) => Money::parse(&amount.to_string()),
            Value::Float(amount) => Money::parse(&amount.to_string()),
            _ => None,
        }
    }

    /// `must_stub` is how the reference writes it in its own language.
    fn replay(&self) -> Option<Replay> {
        Replay::find(&self.text("replay_policy")?.replace('_', "-"))
    }

    /// A JSON Schema, or the name of a schema of the spec.
    fn shape(&self, member: &str) -> Option<Value> {
        match self.get(member)? {
            Value::Text(name) => {
                let schemas = self.schemas?;
                schemas.find(name).map(|id| schemas.json_schema_of_values(id))
            }
            shape @ Value::Map(_) => Some(shape.clone()),
            _ => None,
        }
    }
}
