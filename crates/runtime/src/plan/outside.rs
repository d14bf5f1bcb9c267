//! What the nodes become that call adapters: `R http.GET`, `R llm.COMPLETION`, `Tx`.

use value::{Map, Text, Value};

use super::build::{Builder, Place};
use super::{Agent, Edition, EffectStep, ModelStep, Operand, Slot, Step, TxAction, TxStep};

/// Where the id of a transaction is written, as spec 2 has it.
const ID: &str = "_txid";

/// Where it stands as long as it is open.
const OPEN: &str = "_tx_open";

impl Builder<'_> {
    /// An effect of an adapter. Verbs mean the same in small letters, so that whoever decides about
    /// calls sees one name for each.
    pub(super) fn effect(
        &mut self,
        place: &Place<'_>,
        space: &str,
        verb: &str,
        out: Option<Slot>,
    ) -> Step {
        let contract = place.node.contract().unwrap_or(&graph::contracts::UNKNOWN);
        let (target, args) = self.given(place);
        Step::Effect(Box::new(EffectStep {
            server: space.into(),
            // The id of a tool is no verb.
            tool: match space {
                "tool" | "tools" => verb.into(),
                // As it is written, in what older engines began.
                _ if self.edition == Edition::Second => verb.into(),
                _ => verb.to_ascii_uppercase().into(),
            },
            target,
            args,
            input: self.schema(place, "input"),
            touches: contract.touches,
            again: contract.again,
            within: self.can_be_within(space).then(|| self.slot(&OPEN.into())),
            out,
            timeout_ms: place.number("timeout_ms"),
        }))
    }

    /// What a verb is given: the first, and the others. In the older form, `http GET`, the verb
    /// stands where else the first is.
    fn given(&mut self, place: &Place<'_>) -> (Option<Operand>, Vec<Operand>) {
        let args = self.operands(place, "args");
        if !place.node.is_split() || self.edition == Edition::Second {
            return (self.operand(place, "target"), args);
        }
        let mut args = args.into_iter();
        (args.next(), args.collect())
    }

    /// Whether a transaction is declared that calls of an adapter belong to.
    fn can_be_within(&self, space: &str) -> bool {
        let declared = self.graph.capabilities.get("txn").and_then(Value::as_map);
        let mut declared = declared.into_iter().flat_map(|all| all.iter());
        declared.any(|(_, one)| word(one, "adapter").is_some_and(|adapter| **adapter == *space))
    }

    /// A model is asked for a text. There is no agent in it, so that one without a word of its own
    /// stands for it; which model that is, whoever runs it says, unless the second argument does.
    pub(super) fn completion(
        &mut self,
        place: &Place<'_>,
        space: &str,
        verb: &str,
        out: Option<Slot>,
    ) -> Step {
        let (text, args) = self.given(place);
        let model: Text = match args.first() {
            None | Some(Operand::Lit(Value::Null)) => "".into(),
            Some(Operand::Lit(Value::Text(model))) => model.clone(),
            Some(_) => {
                let message = format!("the model of `{space}.{verb}` must be a constant text");
                return Step::Unready(message.into());
            }
        };
        let mut id = format!("{space}.{}", verb.to_ascii_uppercase());
        if !model.is_empty() {
            id = format!("{id}:{model}");
        }
        let id: Text = id.into();
        let known = self.unnamed.iter().position(|agent| agent.id == id);
        let place_of = known.unwrap_or_else(|| {
            let (prompt, params, tools) = ("".into(), Map::default(), Vec::new());
            self.unnamed.push(Agent { id, model, prompt, params, tools });
            self.unnamed.len() - 1
        });
        let agent = u32::try_from(self.agents.len() + place_of).expect("there are fewer agents");
        Step::Model(Box::new(ModelStep {
            agent,
            input: None,
            output: None,
            shape: None,
            out,
            timeout_ms: place.number("timeout_ms"),
            text: Some(text.unwrap_or(Operand::Lit("".into()))),
        }))
    }

    pub(super) fn transaction(&mut self, place: &Place<'_>) -> Step {
        let action = match place.text("action").as_deref() {
            Some("begin") => TxAction::Begin,
            Some("commit") => TxAction::Commit,
            Some("rollback") => TxAction::Rollback,
            _ => return Step::Unready("it says neither begin nor commit nor rollback".into()),
        };
        let name = place.text("name").unwrap_or_else(|| "".into());
        let declared = self.graph.capabilities.get("txn").and_then(|all| all.get(&name));
        let Some(declared) = declared else {
            let message = format!(
                "there is no transaction `{name}`: `capabilities.txn.{name}` must say which \
                 adapter it is about, as `{{\"adapter\": \"sqlite\"}}`"
            );
            return Step::Unready(message.into());
        };
        let adapter = word(declared, "adapter").cloned().unwrap_or_else(|| "db".into());
        let mode = word(declared, "mode").cloned().unwrap_or_else(|| "readwrite".into());
        let (id, open) = (self.slot(&ID.into()), self.slot(&OPEN.into()));
        Step::Transact(Box::new(TxStep { action, name, adapter, mode, id, open }))
    }
}

fn word<'v>(value: &'v Value, member: &str) -> Option<&'v Text> {
    value.get(member).and_then(Value::as_text)
}
