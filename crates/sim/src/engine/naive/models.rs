//! Calls of models: what they are asked, and what is made of what they say.

use graph::ops::Port;
use graph::{Kind, Node};
use value::{Map, Text, Value, json};

use super::Run;
use super::fiber::{Doing, Spot};
use crate::engine::world::{Doubt, Fault};

/// So often a model may answer at one node.
const ANSWERS_MAX: u32 = 20;

impl Run<'_> {
    /// The fields of the input schema: from the frame, else from the first object in it that has
    /// one, else the default. Without a schema every name that does not begin with `_`.
    pub(super) fn shaped(&self, fiber: usize, node: &Node) -> Value {
        let frame = &self.fibers[fiber].frame;
        let schema = node.operands.text("input").filter(|schema| self.is_schema(schema));
        let Some(schema) = schema else { return frame.public() };
        let mut shaped = Map::default();
        for (name, field) in self.graph.declarations.fields(schema) {
            let inside = || frame.0.values().find_map(|value| value.get(name)).cloned();
            let found = frame.0.get(name).cloned().or_else(inside);
            if let Some(value) = found.or_else(|| field.get("default").cloned()) {
                shaped.insert(name.clone(), value);
            }
        }
        shaped.into()
    }

    pub(super) fn asks_model(&mut self, fiber: usize, spot: Spot, node: &Node) -> Doing {
        let agents = self.graph.declarations.of(Kind::Agents);
        if !node.target().is_some_and(|agent| agents.contains_key(agent)) {
            return Doing::Failed(spot, Fault::new("missing"));
        }
        let agent = node.target().and_then(|agent| agents.get(agent));
        let tools = agent.and_then(|agent| agent.get("tools")).and_then(Value::as_list);
        let tools: Vec<Text> =
            tools.unwrap_or_default().iter().filter_map(|tool| tool.as_text().cloned()).collect();
        let mut prompt = json::canonical(&self.shaped(fiber, node));
        let schema = node.operands.text("output").filter(|schema| self.is_schema(schema)).cloned();
        let fields: Option<Vec<Value>> = schema.as_ref().map(|schema| {
            self.graph.declarations.fields(schema).map(|(_, field)| field.clone()).collect()
        });
        let mut was_told = false;
        let mut answers = 0;
        let (schema, whole) = loop {
            let (at, request) = self.asks(&spot, format!("model {prompt}"));
            let heard = match self.world.model(&at, &request, fields.as_deref(), &tools) {
                Ok(heard) => heard,
                Err(_) if prompt == "again" => return Doing::Failed(spot, Fault::new("schema")),
                Err(fault) => return Doing::Failed(spot, fault),
            };
            answers += 1;
            if !heard.wishes.is_empty() {
                prompt = match self.fulfils(&spot, &tools, heard.wishes) {
                    Ok(told) => told,
                    Err(fault) => return Doing::Failed(spot, fault),
                };
            } else if let Some(schema) = &schema {
                match object_in(&heard.text).and_then(|whole| self.fitted(schema, whole)) {
                    Some(whole) => break (schema.clone(), whole),
                    None if was_told => return Doing::Failed(spot, Fault::new("schema")),
                    None => {
                        was_told = true;
                        prompt = "again".to_string();
                    }
                }
            } else {
                self.last_output = Value::text(heard.text);
                self.write_out(fiber, &spot, self.last_output.clone());
                return Doing::GoOn(spot, Port::Next);
            }
            if answers == ANSWERS_MAX {
                return Doing::Failed(spot, Fault::new("turns_exceeded"));
            }
        };
        for (name, _) in self.graph.declarations.fields(&schema) {
            if let Some(value) = whole.get(name) {
                self.write(fiber, name, value.clone());
            }
        }
        let name = self.graph.declarations.name_of_answer(&schema);
        let whole = Value::from(whole);
        self.last_output = whole.clone();
        self.write(fiber, &name, whole.clone());
        self.write_out(fiber, &spot, whole);
        Doing::GoOn(spot, Port::Next)
    }

    /// Calls what a model wants, and says what it is told of that. What may have happened, and must
    /// not happen again, it is not told.
    fn fulfils(
        &mut self,
        spot: &Spot,
        tools: &[Text],
        wishes: Vec<(Text, Map)>,
    ) -> Result<String, Fault> {
        let mut told: Vec<Value> = Vec::new();
        let mut worst: Option<Fault> = None;
        for (tool, input) in wishes {
            let request = format!("tool {tool} {}", json::canonical(&input.into()));
            let answer = match tools.contains(&tool) {
                true => self.wished(spot, request).2,
                false => Err(Fault::new("missing")),
            };
            match answer {
                Ok(value) => told.push(value),
                Err(fault) if fault.doubt == Doubt::None => told.push("failed".into()),
                Err(fault) => worst = worst.or(Some(fault)),
            }
        }
        match worst {
            Some(fault) => Err(fault.further_out()),
            None => Ok(json::canonical(&Value::list(told))),
        }
    }

    /// The object with its defaults filled in, if it then fits the schema.
    fn fitted(&self, schema: &str, mut whole: Map) -> Option<Map> {
        for (name, field) in self.graph.declarations.fields(schema) {
            if !whole.contains_key(name)
                && let Some(default) = field.get("default")
            {
                whole.insert(name.clone(), default.clone());
            }
            let is_optional = field.get("optional") == Some(&Value::Bool(true));
            let of_type = field.get("type").and_then(Value::as_text).map_or("string", |of| of);
            match whole.get(name) {
                Some(value) if self.fits(of_type, value) => {}
                None if is_optional => {}
                _ => return None,
            }
        }
        Some(whole)
    }

    fn fits(&self, of_type: &str, value: &Value) -> bool {
        let inside = |text: &str, open: &str, close: &str| {
            Some(text.strip_prefix(open)?.strip_suffix(close)?.to_string())
        };
        if let Some(item) = inside(of_type, "list<", ">") {
            let items = value.as_list();
            return items.is_some_and(|items| items.iter().all(|value| self.fits(&item, value)));
        }
        if let Some(words) = inside(of_type, "enum[", "]") {
            let text = value.as_text();
            return text.is_some_and(|text| words.split(',').any(|word| word.trim() == &**text));
        }
        match (of_type, value) {
            ("string", Value::Text(_))
            | ("integer", Value::Int(_))
            | ("float", Value::Int(_) | Value::Float(_))
            | ("boolean", Value::Bool(_))
            | ("object", Value::Map(_)) => true,
            (schema, Value::Map(map)) if self.is_schema(schema) => {
                self.fitted(schema, (**map).clone()).is_some()
            }
            _ => false,
        }
    }

    pub(super) fn is_schema(&self, name: &str) -> bool {
        self.graph.declarations.of(Kind::Schemas).contains_key(name)
    }
}

/// The object that a text holds: as JSON, in a fence, or from the first `{` to the last `}`.
fn object_in(text: &str) -> Option<Map> {
    let read = |text: &str| match json::parse(text.trim()) {
        Ok(Value::Map(map)) => Some((*map).clone()),
        _ => None,
    };
    let fenced = || {
        let (_, from_fence) = text.split_once("```")?;
        let (_, inside) = from_fence.split_once('\n')?;
        read(inside.split_once("```")?.0)
    };
    let in_braces = || read(&text[text.find('{')?..=text.rfind('}')?]);
    read(text).or_else(fenced).or_else(in_braces)
}
