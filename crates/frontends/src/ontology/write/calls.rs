//! What processes that were made of labels call: tools, models and stores, each declared once.

use std::collections::{BTreeMap, BTreeSet};

use graph::Operand;
use value::{Map, Text, Value};

use super::made::fresh;
use super::python;
use super::sheet::{Sheet, named};
use crate::Lost;
use crate::ontology::effects::OBSERVATION;

/// The name whose value a tool without a schema is given.
const TOOL_INPUT: &str = "tool_input";

/// Everything that is called.
#[derive(Default)]
pub(super) struct Calls {
    /// Tools, by the adapter and verb that they stand for.
    tools: BTreeMap<String, Text>,
    /// The agent that stands for models.
    agent: Option<Text>,
    /// How many texts models are given.
    prompts: BTreeSet<usize>,
    /// The name whose value a model is given.
    prompt: String,
    /// Stores, by the name of the cache or queue, with their type.
    stores: BTreeMap<Text, (Text, &'static str)>,
}

impl Calls {
    /// Nothing is called yet; names that a program uses are not taken where there is a choice.
    pub(super) fn new(names: &BTreeSet<&Text>) -> Calls {
        let mut prompt = "prompt".to_string();
        while names.iter().any(|name| name.starts_with(&prompt)) {
            prompt = format!("model_{prompt}");
        }
        Calls { prompt, ..Calls::default() }
    }

    /// The name of one of the texts that a model is given.
    fn prompt(&self, place: usize) -> String {
        if place == 0 { self.prompt.clone() } else { format!("{}_{}", self.prompt, place + 1) }
    }

    /// The lines that make the arguments of a call ready.
    pub(super) fn arguments(
        &self,
        namespace: &str,
        verb: &str,
        args: &[Operand],
    ) -> Option<Vec<String>> {
        let words: Vec<String> = args.iter().map(python::operand).collect::<Option<_>>()?;
        if is_model(namespace, verb) {
            let lines = words.iter().enumerate();
            let lines = lines.map(|(place, word)| python::assign(&self.prompt(place), word));
            return Some(lines.collect());
        }
        let given = match words.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        Some(vec![python::assign(TOOL_INPUT, &given)])
    }

    /// The schema of what a call is given, where it has one.
    pub(super) fn schema(&mut self, namespace: &str, verb: &str, count: usize) -> Map {
        if !is_model(namespace, verb) || count == 0 {
            return Map::default();
        }
        self.prompts.insert(count);
        named([("input", &schema_name(count))])
    }

    /// What is called, and the name of what it answers.
    pub(super) fn called(
        &mut self,
        namespace: &str,
        verb: &str,
        taken: &mut BTreeSet<Text>,
    ) -> (Text, Text) {
        if is_model(namespace, verb) {
            let agent = self.agent.get_or_insert_with(|| fresh(taken, "model")).clone();
            let answer = format!("{agent}_result").into();
            return (agent, answer);
        }
        let name = format!("{namespace}.{verb}");
        let id = || fresh(taken, &name.to_lowercase());
        (self.tools.entry(name.clone()).or_insert_with(id).clone(), OBSERVATION.into())
    }

    /// The store that stands for a cache or a queue.
    pub(super) fn store(
        &mut self,
        name: &Text,
        kind: &'static str,
        taken: &mut BTreeSet<Text>,
    ) -> Option<Text> {
        let id = || (fresh(taken, name), kind);
        let (store, known) = self.stores.entry(name.clone()).or_insert_with(id);
        let begins = store.starts_with(|first: char| first.is_ascii_alphabetic());
        (*known == kind && begins && store.is_ascii()).then(|| store.clone())
    }

    /// Names that mean something in a spec, whatever a program calls so.
    pub(super) fn own_names(&self) -> impl Iterator<Item = Text> {
        let of_tools = [TOOL_INPUT, OBSERVATION].map(Text::from).into_iter();
        let has_tools = !self.tools.is_empty();
        of_tools.filter(move |_| has_tools).chain([Text::from(logic::DONE)])
    }

    /// Declares all of it, and says what is left to do.
    pub(super) fn declare(
        &self,
        taken: &mut BTreeSet<Text>,
        sheet: &mut Sheet,
        lost: &mut Vec<Lost>,
    ) {
        if let Some(agent) = &self.agent {
            let what = format!("models became the agent `{agent}`: say which model it is");
            lost.push(Lost { at: MODELS.to_string(), what });
        }
        let has_agent = sheet.entities.iter().any(|entity| {
            entity.get("type").and_then(Value::as_text).is_some_and(|is| &**is == "agent")
        });
        let agent = self.agent.clone().or_else(|| {
            (!has_agent).then(|| {
                let agent = fresh(taken, "nobody");
                let what = "a spec must have an agent: this one is never called".to_string();
                lost.push(Lost { at: agent.to_string(), what });
                agent
            })
        });
        if let Some(agent) = agent {
            let label = if self.agent.is_some() { "Model" } else { "Nobody" };
            let members =
                [("id", &*agent), ("type", "agent"), ("label", label), ("model", "default")];
            sheet.entities.push(named(members));
        }
        for (name, id) in &self.tools {
            let kind = if name.starts_with("http.") { "api" } else { "function" };
            let members = [("id", &**id), ("type", "tool"), ("label", name), ("tool_type", kind)];
            sheet.entities.push(named(members));
            let what = format!(
                "became the tool `{id}`, which is given its arguments as `input`: bind it in quipu.toml"
            );
            lost.push(Lost { at: name.clone(), what });
        }
        for (name, (id, kind)) in &self.stores {
            let members = [("id", &**id), ("type", "store"), ("label", name), ("store_type", kind)];
            let mut store = named(members);
            store.extend(named([("retention", "persistent"), ("access", "readwrite")]));
            sheet.entities.push(store);
            let what = format!("became the store `{id}`, in which nothing expires");
            lost.push(Lost { at: name.to_string(), what });
        }
        for count in &self.prompts {
            let field =
                |place| Value::from(named([("name", &*self.prompt(place)), ("type", "string")]));
            let mut schema = named([("name", &*schema_name(*count))]);
            schema.insert("fields".into(), Value::list((0..*count).map(field)));
            sheet.schemas.push(schema);
        }
    }
}

/// The namespace of models.
const MODELS: &str = "llm";

fn is_model(namespace: &str, verb: &str) -> bool {
    namespace == MODELS && verb.eq_ignore_ascii_case("COMPLETION")
}

fn schema_name(count: usize) -> String {
    if count == 1 { "Prompt".to_string() } else { format!("Prompt{count}") }
}
