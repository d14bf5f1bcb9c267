//! What a run was begun with. It is recorded, so that a run goes on as it began whatever the
//! machine says that it is resumed or replayed on.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::{Again, Touches};
use value::{Map, Text, Value};

use crate::money::Money;

/// What a run was begun with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How far it may go.
    pub limits: Limits,
    /// The model that is asked in the place of every agent's own.
    pub model: Option<Text>,
    /// The model of whoever asks one without naming it.
    pub llm: Option<Text>,
    /// Answers are immediate: nobody else goes on while a fiber waits for one.
    pub in_turn: bool,
    /// Persistent stores are kept in the run: it is a rehearsal.
    pub rehearsal: bool,
    /// Where its tools are bound: the path of a file.
    pub config: Option<Text>,
    /// Who answers its questions: `ask` leaves them to people, anything else is the path of a file.
    pub answers: Option<Text>,
    /// What each tool touches, and how it may run again, as it was declared when the run began.
    pub tools: BTreeMap<Text, ToolContract>,
    /// What models are told of tools, beside what the graph says.
    pub offers: BTreeMap<Text, Offer>,
    /// What tools may be used for that need a permission: what its operator grants.
    pub grants: Vec<Text>,
    /// The policy that decides about calls of tools, by its digest: it is kept beside the events.
    pub policy: Option<Text>,
    /// In a fork, writes may leave.
    pub live: bool,
    /// What nodes answer in a fork, the next time they are asked.
    pub outputs: BTreeMap<Text, Value>,
}

/// How far a run may go, over restarts and forks.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Processes begun.
    pub visits: u64,
    /// Steps taken.
    pub steps: u64,
    /// Calls within calls.
    pub depth: u64,
    /// Branches at the same time.
    pub fibers: u64,
    /// Effects under way at the same time.
    pub in_flight: u64,
    /// Answers of a model at one node, while it wants tools.
    pub talk: u64,
    /// Tokens of all models.
    pub tokens: Option<u64>,
    /// What all models cost, and all tools by their estimates.
    pub cost: Option<Money>,
    /// Milliseconds since the run began. A fork has what its parent had left.
    pub time_ms: Option<u64>,
    /// Calls of each tool.
    pub calls: BTreeMap<Text, u64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            visits: 1_000,
            steps: 10_000_000,
            // Below the processes, each call being one: recursion without end is told as such.
            depth: 500,
            fibers: 100_000,
            in_flight: 64,
            talk: 20,
            tokens: None,
            cost: None,
            time_ms: None,
            calls: BTreeMap::new(),
        }
    }
}

impl Limits {
    /// What counts where a run that was begun with these versions says nothing.
    fn usual(versions: Option<&Map>) -> Limits {
        let engine = versions.and_then(|versions| versions.get("engine"));
        let usual = Limits::default();
        match engine {
            Some(Value::Int(..=2)) => Limits { depth: 1_000, ..usual },
            _ => usual,
        }
    }
}

/// What models are told of a tool by whoever answers it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// What it does.
    pub description: Option<Text>,
    /// The JSON Schema of what it is given.
    pub input: Option<Value>,
}

impl Offer {
    fn value(&self) -> Value {
        let description = self.description.clone().map(|text| ("description", Value::Text(text)));
        let input = self.input.clone().map(|input| ("input", input));
        Value::map(description.into_iter().chain(input))
    }

    fn read(value: &Value) -> Offer {
        let description = value.get("description").and_then(Value::as_text).cloned();
        Offer { description, input: value.get("input").cloned() }
    }
}

/// What is known of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolContract {
    /// What it touches.
    pub touches: Touches,
    /// How it may run again.
    pub again: Again,
    /// Nothing is bound to it: its answers are made up.
    pub made_up: bool,
    /// What must be granted before it is called.
    pub permissions: Vec<Text>,
    /// What a call costs, as far as one can say before it is made.
    pub cost: Money,
    /// What becomes of its writes in a fork.
    pub replay: Replay,
}

/// What becomes of a write in a fork, where it would happen a second time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replay {
    /// It leaves only with `--live`.
    #[default]
    MustStub,
    /// It never leaves: an answer must be given in its place.
    FailLoud,
    /// It leaves as in any run.
    Live,
}

impl Options {
    /// As `run_started` records them. What is as always is left out.
    pub fn to_map(&self) -> Arc<Map> {
        self.recorded(None)
    }

    /// The same, for a run that is begun with these versions.
    pub(crate) fn recorded(&self, versions: Option<&Map>) -> Arc<Map> {
        let mut map = Map::default();
        let usual = Limits::usual(versions);
        let mut limits = Map::default();
        for (name, own, usual) in [
            ("visits", self.limits.visits, usual.visits),
            ("steps", self.limits.steps, usual.steps),
            ("depth", self.limits.depth, usual.depth),
            ("fibers", self.limits.fibers, usual.fibers),
            ("in_flight", self.limits.in_flight, usual.in_flight),
            ("talk", self.limits.talk, usual.talk),
        ] {
            if own != usual {
                limits.insert(name.into(), Value::count(own));
            }
        }
        if let Some(tokens) = self.limits.tokens {
            limits.insert("tokens".into(), Value::count(tokens));
        }
        if let Some(cost) = self.limits.cost {
            limits.insert("cost".into(), Value::text(cost.to_string()));
        }
        if let Some(time) = self.limits.time_ms {
            limits.insert("time_ms".into(), Value::count(time));
        }
        if !self.limits.calls.is_empty() {
            let calls =
                self.limits.calls.iter().map(|(tool, most)| (tool.clone(), Value::count(*most)));
            limits.insert("calls".into(), Value::map(calls));
        }
        let mut put = |name: &str, value: Value| {
            map.insert(name.into(), value);
        };
        if !limits.is_empty() {
            put("limits", limits.into());
        }
        for (name, text) in [
            ("model", &self.model),
            ("llm", &self.llm),
            ("config", &self.config),
            ("answers", &self.answers),
        ] {
            if let Some(text) = text {
                put(name, Value::Text(text.clone()));
            }
        }
        for (name, is_so) in
            [("in_turn", self.in_turn), ("rehearsal", self.rehearsal), ("live", self.live)]
        {
            if is_so {
                put(name, true.into());
            }
        }
        if let Some(policy) = &self.policy {
            // So that whoever cleans the store up sees that it is needed.
            let kept = [("kind", "blob".into()), ("id", Value::Text(policy.clone()))];
            put("policy", Value::map(kept));
        }
        if !self.tools.is_empty() {
            let tools = self.tools.iter().map(|(tool, contract)| (tool.clone(), contract.value()));
            put("tools", Value::map(tools));
        }
        if !self.offers.is_empty() {
            let offers = self.offers.iter().map(|(tool, offer)| (tool.clone(), offer.value()));
            put("offers", Value::map(offers));
        }
        if !self.grants.is_empty() {
            put("grants", Value::list(self.grants.iter().cloned().map(Value::Text)));
        }
        if !self.outputs.is_empty() {
            let outputs = self.outputs.iter().map(|(at, value)| (at.clone(), value.clone()));
            put("outputs", Value::map(outputs));
        }
        Arc::new(map)
    }

    /// As `run_started` recorded them.
    pub fn from_map(map: &Map) -> Options {
        Options::started(Some(map), None)
    }

    /// The same, of a run that was begun with these versions.
    pub(crate) fn started(map: Option<&Map>, versions: Option<&Map>) -> Options {
        let none = Map::default();
        let map = map.unwrap_or(&none);
        let limits = map.get("limits");
        let usual = Limits::usual(versions);
        let count = |name: &str, usual: u64| {
            limits.and_then(|limits| limits.get(name)).and_then(as_number).unwrap_or(usual)
        };
        let maybe = |name: &str| limits.and_then(|limits| limits.get(name)).and_then(as_number);
        let text = |name: &str| map.get(name).and_then(Value::as_text).cloned();
        let is = |name: &str| map.get(name) == Some(&Value::Bool(true));
        let members =
            |value: Option<&Value>| value.and_then(Value::as_map).cloned().unwrap_or_default();
        Options {
            limits: Limits {
                visits: count("visits", usual.visits),
                steps: count("steps", usual.steps),
                depth: count("depth", usual.depth),
                fibers: count("fibers", usual.fibers),
                // With none at all, nothing would ever leave.
                in_flight: count("in_flight", usual.in_flight).max(1),
                talk: count("talk", usual.talk),
                tokens: maybe("tokens"),
                cost: limits
                    .and_then(|limits| limits.get("cost"))
                    .and_then(Value::as_text)
                    .and_then(|text| Money::parse(text)),
                time_ms: maybe("time_ms"),
                calls: members(limits.and_then(|limits| limits.get("calls")))
                    .iter()
                    .filter_map(|(tool, most)| Some((tool.clone(), as_number(most)?)))
                    .collect(),
            },
            model: text("model"),
            llm: text("llm"),
            config: text("config"),
            answers: text("answers"),
            in_turn: is("in_turn"),
            rehearsal: is("rehearsal"),
            tools: members(map.get("tools"))
                .iter()
                .map(|(tool, contract)| (tool.clone(), ToolContract::read(contract)))
                .collect(),
            offers: members(map.get("offers"))
                .iter()
                .map(|(tool, offer)| (tool.clone(), Offer::read(offer)))
                .collect(),
            grants: texts(map.get("grants")),
            policy: map
                .get("policy")
                .and_then(|policy| policy.get("id"))
                .and_then(Value::as_text)
                .cloned(),
            live: is("live"),
            outputs: members(map.get("outputs"))
                .iter()
                .map(|(at, value)| (at.clone(), value.clone()))
                .collect(),
        }
    }
}

impl ToolContract {
    /// A tool of which nothing is known may do anything, and must not be repeated.
    pub const UNKNOWN: ToolContract = ToolContract {
        touches: Touches::Write,
        again: Again::ByAsking,
        made_up: false,
        permissions: Vec::new(),
        cost: Money::ZERO,
        replay: Replay::MustStub,
    };

    fn value(&self) -> Value {
        let again = match self.again {
            Again::Freely => "free",
            Again::WithKey => "key",
            Again::ByAsking => "ask",
        };
        let mut members =
            vec![("touches", self.touches.word().into()), ("again", Value::text(again))];
        members.extend(self.made_up.then_some(("made_up", true.into())));
        if !self.permissions.is_empty() {
            let needed = self.permissions.iter().cloned().map(Value::Text);
            members.push(("permissions", Value::list(needed)));
        }
        if self.cost != Money::ZERO {
            members.push(("cost", Value::text(self.cost.to_string())));
        }
        if self.replay != Replay::default() {
            members.push(("replay", self.replay.word().into()));
        }
        Value::map(members)
    }

    fn read(value: &Value) -> ToolContract {
        let word = |name: &str| value.get(name).and_then(Value::as_text).map(|word| &**word);
        ToolContract {
            touches: word("touches").and_then(Touches::find).unwrap_or(Touches::Write),
            again: match word("again") {
                Some("free") => Again::Freely,
                Some("key") => Again::WithKey,
                _ => Again::ByAsking,
            },
            made_up: value.get("made_up") == Some(&Value::Bool(true)),
            permissions: texts(value.get("permissions")),
            cost: word("cost").and_then(Money::parse).unwrap_or_default(),
            replay: word("replay").and_then(Replay::find).unwrap_or_default(),
        }
    }
}

impl Replay {
    /// All of them.
    pub const ALL: [Replay; 3] = [Replay::MustStub, Replay::FailLoud, Replay::Live];

    /// The word in declarations, in `quipu.toml` and in histories.
    pub fn word(self) -> &'static str {
        match self {
            Replay::MustStub => "must-stub",
            Replay::FailLoud => "fail-loud",
            Replay::Live => "live",
        }
    }

    /// The one with this word. A result that was recorded is that of another run, so that
    /// `recorded-result` is to be stubbed like the others.
    pub fn find(word: &str) -> Option<Replay> {
        let word = if word == "recorded-result" { "must-stub" } else { word };
        Replay::ALL.into_iter().find(|replay| replay.word() == word)
    }
}

fn texts(value: Option<&Value>) -> Vec<Text> {
    let items = value.and_then(Value::as_list).unwrap_or_default();
    items.iter().filter_map(|item| item.as_text().cloned()).collect()
}

fn as_number(value: &Value) -> Option<u64> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    }
}
