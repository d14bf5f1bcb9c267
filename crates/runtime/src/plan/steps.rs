//! What each node becomes.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::contracts::is_core_verb;
use graph::ops::{Does, OpDef, Port, SlotKind};
use graph::{Cmp, Kind, Operand as Written, Touches, Verb};
use value::{Text, Value};

use super::build::{Builder, Place, Unrunnable, slot_name, strategy};
use super::{
    AskStep, Choice, ClockForm, Condition, Edition, EnforceStep, LabelNo, ModelStep, Operand, Step,
    To, ToolStep,
};
use super::{demands, duration};
use crate::blocks;
use crate::logic::{Block, BlockStore};
use crate::reduce::Reducer;
use crate::schema::SchemaId;

/// So many turns a `While` makes that names no limit.
const TURNS_MAX: u64 = 10_000;

const UNREADABLE: &str = "its condition cannot be read";

impl Builder<'_> {
    /// What is done at a node.
    pub(super) fn step(&mut self, op: &OpDef, place: &Place<'_>) -> Result<Step, Unrunnable> {
        Ok(match op.does {
            Does::Adapter => self.adapter(place),
            Does::Guard => Step::Pass,
            Does::If => match self.condition(place) {
                Some(condition) => Step::If {
                    condition,
                    then: place.to(Port::Then),
                    otherwise: place.to(Port::Else),
                },
                None => Step::Unready(UNREADABLE.into()),
            },
            Does::Call => {
                let callee = place.text("label").unwrap_or_else(|| "".into());
                let bound = self.bound(place, "out");
                let always = self.edition >= Edition::Third;
                let result = (always || bound.is_none()).then(|| self.slot(&"_call_result".into()));
                let label = self.label_number(&callee)?;
                match (bound, result) {
                    (Some(out), also) => Step::Call { label, out, also },
                    (None, result) => {
                        let out = result.expect("it has a name where the author gives none");
                        Step::Call { label, out, also: None }
                    }
                }
            }
            Does::Loop => Step::Loop {
                list: self.needed(place, "ref"),
                item: self.bound_or(place, "item"),
                body: body(place)?,
                after: place.to(Port::After),
                last: self.slot(&"_loop_last".into()),
            },
            Does::While => match self.condition(place) {
                Some(condition) => {
                    let last = self.slot(&"_while_last".into());
                    Step::While {
                        looks_at_last: condition.slots().contains(&last),
                        condition,
                        limit: place.number("limit").unwrap_or(TURNS_MAX),
                        body: body(place)?,
                        after: place.to(Port::After),
                        last,
                    }
                }
                None => Step::Unready(UNREADABLE.into()),
            },
            Does::Return => {
                Step::Return(self.operand(place, "var").unwrap_or(Operand::Lit(Value::Null)))
            }
            Does::Set => {
                Step::Set { to: self.bound_or(place, "name"), from: self.needed(place, "ref") }
            }
            Does::Compute => {
                let name = place.text("fn").unwrap_or_else(|| "".into());
                let (to, args) = (self.bound_or(place, "dst"), self.operands(place, "args"));
                match functions::find(&name) {
                    Some(function) => Step::Compute { to: Some(to), function, args },
                    None => Step::Unready(format!("there is no function `{name}`").into()),
                }
            }
            Does::Filter | Does::Sort if has_odd_word(place) => {
                Step::Unready("it says neither how to compare nor how to sort".into())
            }
            Does::Filter => Step::Filter {
                to: self.bound_or(place, "name"),
                list: self.needed(place, "ref"),
                field: place.text("field").unwrap_or_else(|| "".into()),
                cmp: place.text("cmp").and_then(|word| Cmp::from_word(&word)).unwrap_or(Cmp::Eq),
                value: self.needed(place, "value"),
            },
            Does::Sort => Step::Sort {
                to: self.bound_or(place, "name"),
                list: self.needed(place, "ref"),
                field: place.text("field").unwrap_or_else(|| "".into()),
                descending: place.text("order").as_deref() == Some("desc"),
            },
            Does::CacheGet => self.keep(place, "name", &["key", "fallback"]),
            Does::CacheSet => self.keep(place, "name", &["key", "value", "ttl_s"]),
            Does::QueuePut => self.keep(place, "queue", &["value"]),
            Does::Enforce => self.enforce(place),
            Does::Transact => self.transaction(place),
            Does::Route => Step::Unready(format!("`{}` cannot run yet", op.name).into()),
            Does::Fork => Step::Fork {
                over: self.operand(place, "over"),
                item: self.bound(place, "item"),
                branches: place.labels(Port::Branch),
                // The builder finds it when all labels are known.
                join: 0,
            },
            Does::Join => Step::Join { strategy: strategy(place)?, reducers: self.reducers(place) },
            Does::Ask => self.ask(place),
        })
    }

    fn enforce(&mut self, place: &Place<'_>) -> Step {
        let policy = place.text("policy").unwrap_or_else(|| "".into());
        let declared = match self.edition {
            Edition::Second => None,
            Edition::Third => demands::declared(&self.graph.capabilities, &policy),
        };
        let is_declared = declared.is_some();
        let demands = declared.unwrap_or_else(|| vec![demands::by_name(&policy)]);
        let present = self.slot(&"_auth_present".into());
        let role = self.slot(&"_role".into());
        Step::Enforce(Box::new(EnforceStep { policy, demands, is_declared, present, role }))
    }

    /// What a node goes by. One that cannot be read must not open a way.
    fn condition(&mut self, place: &Place<'_>) -> Option<Condition> {
        let written = slot_name(place, SlotKind::Condition);
        match written.and_then(|slot| place.node.operands.one(slot)) {
            Some(Written::Expr(expr)) => Some(Condition::new(expr, &mut |name| self.slot(name))),
            _ => None,
        }
    }

    fn needed(&mut self, place: &Place<'_>, slot: &str) -> Operand {
        self.operand(place, slot).unwrap_or(Operand::Lit(Value::Null))
    }

    fn bound_or(&mut self, place: &Place<'_>, slot: &str) -> super::Slot {
        let bound = self.bound(place, slot);
        bound.unwrap_or_else(|| self.slot(&"_".into()))
    }

    fn reducers(&mut self, place: &Place<'_>) -> BTreeMap<super::Slot, Reducer> {
        let given = place.literal("reducers").and_then(Value::as_map);
        let given = given.into_iter().flat_map(|map| map.iter());
        let known =
            given.filter_map(|(name, word)| Some((name.clone(), Reducer::find(word.as_text()?)?)));
        known.collect::<Vec<_>>().into_iter().map(|(name, it)| (self.slot(&name), it)).collect()
    }

    fn ask(&mut self, place: &Place<'_>) -> Step {
        let expires = place.literal("expires").filter(|written| **written != Value::Null);
        let expires_ms = expires.and_then(duration::read);
        if let (Some(written), None) = (expires, expires_ms) {
            let written = value::json::compact(written);
            let message = format!("`expires` is {written}: milliseconds, or a text like \"5m\"");
            return Step::Unready(message.into());
        }
        Step::Ask(Box::new(AskStep {
            prompt: self.needed(place, "prompt"),
            schema: place.literal("schema").cloned(),
            options: place.literal("options").and_then(Value::as_list).unwrap_or_default().to_vec(),
            default: self.operand(place, "default"),
            expires_ms,
            capability: place.text("capability"),
            out: self.bound(place, "out"),
            expired: place.found(Port::Expired),
        }))
    }

    fn adapter(&mut self, place: &Place<'_>) -> Step {
        let Some((space, verb)) = place.node.adapter() else {
            return Step::Unready("it names no adapter".into());
        };
        let out = self.bound(place, "out");
        match place.node.verb() {
            Some(Verb::Noop) => return Step::Pass,
            Some(Verb::Fail) => {
                return Step::Fail {
                    code: place.text("target").unwrap_or_else(|| "failed".into()),
                };
            }
            Some(Verb::Logic) => return self.logic(place, out),
            Some(Verb::InvokeAgent) => return self.model(place, out),
            Some(Verb::CallTool) => return self.tool(place, out),
            Some(Verb::ReadStore | Verb::WriteStore) => return self.store(place, out),
            Some(Verb::Receive | Verb::Publish) => return self.channel(place, out),
            None => {}
        }
        if space == "core" {
            return self.core(place, verb, out);
        }
        if let Some(step) = self.kept(place, space, verb, out) {
            return step;
        }
        if blocks::is_server(space) {
            return Step::Unready(format!("`{space}.{verb}` cannot run yet").into());
        }
        if graph::contracts::asks_model(space) {
            return self.completion(place, space, verb, out);
        }
        self.effect(place, space, verb, out)
    }

    /// The first argument of a call. Where the verb stands in its place, it is no argument.
    fn first(&mut self, place: &Place<'_>) -> Option<Operand> {
        if place.node.is_split() { None } else { self.operand(place, "target") }
    }

    /// What the core does itself.
    fn core(&mut self, place: &Place<'_>, verb: &str, out: Option<super::Slot>) -> Step {
        let contract = place.node.contract().unwrap_or(&graph::contracts::UNKNOWN);
        let mut args: Vec<Operand> = self.first(place).into_iter().collect();
        args.extend(self.operands(place, "args"));
        match (contract.touches, &*contract.kind) {
            (Touches::Clock, "control") => {
                Step::Sleep(args.into_iter().next().unwrap_or(Operand::Lit(Value::Int(0))))
            }
            (Touches::Clock, _) if verb.eq_ignore_ascii_case("NOW") => {
                Step::Clock { form: ClockForm::Seconds, out }
            }
            (Touches::Clock, _) => Step::Clock { form: ClockForm::Text, out },
            (Touches::Random, _) => Step::Uuid { out },
            (Touches::Nothing, _) => match functions::find(verb) {
                Some(function) => Step::Compute { to: out, function, args },
                None => Step::Unready(format!("there is no function `core.{verb}`").into()),
            },
            (Touches::Read, _) => self.effect(place, "core", verb, out),
            _ if is_core_verb(verb) => {
                Step::Unready(format!("`core.{verb}` cannot run yet").into())
            }
            _ => Step::Unready(format!("there is no function `core.{verb}`").into()),
        }
    }

    fn logic(&mut self, place: &Place<'_>, returned: Option<super::Slot>) -> Step {
        let Some(code) = place.node.logic().cloned() else {
            return Step::Unready("the text of a logic block must be a constant".into());
        };
        let read = logic::read(&code);
        let is_known = !read.reads_all && !read.inexact;
        let given = is_known.then(|| {
            let mut slots: Vec<super::Slot> =
                read.reads.iter().chain(&read.writes).map(|name| self.slot(name)).collect();
            slots.sort_unstable();
            slots.dedup();
            slots
        });
        let known = self.blocks.iter().find(|block| block.code == code).map(|block| block.number);
        let block = known.unwrap_or_else(|| {
            let number = u32::try_from(self.blocks.len()).expect("there are fewer blocks");
            let declared = self.graph.declarations.of(graph::Kind::Stores);
            let stores = declared.iter().filter_map(|(id, store)| {
                let kind = crate::stores::StoreKind::declared(store);
                let reads = blocks::reads(&read, &code, id)?;
                Some(BlockStore { id: id.clone(), kind, reads })
            });
            let stores = stores.collect();
            self.blocks.push(Block { number, code, stores });
            number
        });
        Step::Logic { block, given, returned }
    }

    pub(super) fn schema(&self, place: &Place<'_>, slot: &str) -> Option<SchemaId> {
        self.schemas.find(&place.text(slot)?)
    }

    fn model(&mut self, place: &Place<'_>, out: Option<super::Slot>) -> Step {
        let target = place.node.target().cloned();
        let agent = target.as_deref().and_then(|id| self.agents.get(id).copied());
        let Some(agent) = agent else {
            let id = target.unwrap_or_else(|| "".into());
            return Step::Unready(format!("there is no agent `{id}`").into());
        };
        let output = self.schema(place, "output").map(|id| {
            let schema = self.schemas.schema(id);
            let fields: Vec<Text> = schema.fields.iter().map(|field| field.name.clone()).collect();
            let whole = self.graph.declarations.name_of_answer(&schema.name);
            (id, fields, whole)
        });
        let output = output.map(|(id, fields, whole)| {
            (id, fields.iter().map(|name| self.slot(name)).collect(), self.slot(&whole))
        });
        let shape = output.as_ref().map(|(id, ..)| Arc::new(self.schemas.json_schema(*id)));
        Step::Model(Box::new(ModelStep {
            agent,
            shape,
            input: self.schema(place, "input"),
            output,
            out,
            timeout_ms: place.number("timeout_ms"),
            text: None,
        }))
    }

    fn tool(&mut self, place: &Place<'_>, out: Option<super::Slot>) -> Step {
        let texts = ["tool_input", "input", "action"].map(|name| self.slot(&name.into()));
        let choices = match place.node.operands.get("args") {
            Some(graph::Filled::Many(items)) => items
                .iter()
                .filter_map(|item| match item {
                    Written::Lit(Value::Text(tool)) => Some(self.choice(tool)),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        Step::Tool(Box::new(ToolStep {
            tool: self.needed(place, "target"),
            choices,
            input: self.schema(place, "input"),
            texts: texts.to_vec(),
            out,
            timeout_ms: place.number("timeout_ms"),
        }))
    }

    fn choice(&self, tool: &Text) -> Choice {
        let declared = self.graph.declarations.of(Kind::Tools).get(tool);
        let label = declared.and_then(|tool| tool.get("label")?.as_text());
        Choice { tool: tool.clone(), label: label.unwrap_or(tool).clone() }
    }

    fn store(&mut self, place: &Place<'_>, out: Option<super::Slot>) -> Step {
        let target = place.node.target().cloned().unwrap_or_else(|| "".into());
        let Some(store) = self.stores.get(&*target).copied() else {
            return Step::Unready(format!("there is no store `{target}`").into());
        };
        match place.node.verb() {
            Some(Verb::ReadStore) => {
                let key = self.operands(place, "args").into_iter().next();
                Step::ReadStore { store, key, query: self.schema(place, "input"), out }
            }
            _ => Step::WriteStore { store, input: self.schema(place, "input") },
        }
    }

    fn channel(&mut self, place: &Place<'_>, out: Option<super::Slot>) -> Step {
        let target = place.node.target().cloned().unwrap_or_else(|| "".into());
        let Some(channel) = self.channels.get(&*target).copied() else {
            return Step::Unready(format!("there is no channel `{target}`").into());
        };
        match place.node.verb() {
            Some(Verb::Receive) => Step::Receive { channel, out },
            _ => Step::Publish { channel, input: self.schema(place, "input") },
        }
    }
}

/// Whether a word stands where another one should: what is meant cannot be guessed.
fn has_odd_word(place: &Place<'_>) -> bool {
    ["cmp", "order"]
        .iter()
        .any(|slot| matches!(place.node.operands.one(slot), Some(Written::Odd(..))))
}

fn body(place: &Place<'_>) -> Result<LabelNo, Unrunnable> {
    match place.to(Port::Body) {
        To::Label(label) => Ok(label),
        _ => Err(Unrunnable(format!("the loop `{}` has no body", place.node.id))),
    }
}
