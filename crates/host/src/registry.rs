//! Which adapter a call goes to, and what is known of it before the run starts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use diagnostics::nearest;
use runtime::{Answer, Fault, FaultKind, Happened, Plan, Request, ToolCall, ToolContract};
use value::{Map, Text, Value, json};

use crate::adapter::{Adapter, Bound, Call, Calling, Described};
use crate::adapters::{self, Adapters, made_up_contract};
use crate::config::{Config, Tool};
use crate::mcp::{self, Keeper, Notice, Notices};
use crate::tools::BUILTINS;
use crate::tools::checked::Checked;
use crate::tools::contract::Declared;

/// The namespaces whose verbs are tools.
const TOOLS: [&str; 2] = ["tool", "tools"];

/// The namespaces that outlive a run: stores, and the channels that are kept like them.
const STORES: [&str; 2] = ["store", "channel"];

/// What becomes of the calls of a tool that nothing is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbound {
    /// They fail, and say how to bind it.
    Fail,
    /// They answer `stub-tool:ID:INPUT`, as beside a model that makes its answers up. Then an id
    /// alone binds nothing: what such a model writes is no input for a real tool.
    MakeUp,
}

/// Everything outside that a run can call.
pub struct Registry {
    given: BTreeMap<Text, Tool>,
    /// The same, with what holds for each.
    tools: BTreeMap<Text, Checked>,
    /// The ids that `quipu.toml` binds: only these answer for adapters.
    own: BTreeSet<Text>,
    /// What is built in beside tools, and allowed.
    adapters: Adapters,
    /// What the agent says of tools that nothing answers.
    kinds: BTreeMap<Text, Text>,
    unbound: Unbound,
    /// What the operator grants to agents.
    grants: Vec<Text>,
    /// Whether an agent calls, and not the operator.
    is_agents: bool,
    model: Arc<dyn Adapter>,
    stores: Option<Arc<dyn Adapter>>,
    notices: Arc<Notices>,
    /// Why nobody knows which tools of servers were accepted.
    unreadable: Option<String>,
    /// Behind the tools: they end their sessions well, if they can.
    _keeper: Arc<Keeper>,
}

impl Registry {
    /// The tools of a configuration, and a model.
    pub fn new(config: &Config, model: Arc<dyn Adapter>, unbound: Unbound) -> Registry {
        let mut given = BTreeMap::new();
        let mut unreadable = None;
        if unbound == Unbound::Fail {
            let pins = config.servers.values().next().map(|any| any.lock().pins());
            let pins = pins.unwrap_or_else(|| Ok(Arc::default())).unwrap_or_else(|error| {
                unreadable = Some(error.to_string());
                Arc::default()
            });
            let accepted = mcp::accepted(config.servers.values(), &pins);
            given.extend(accepted.into_iter().map(|(id, bound)| (id, Tool::plain(bound))));
            given.extend(BUILTINS.iter().map(|tool| (tool.name.into(), Tool::built_in(tool))));
        }
        given.extend(config.tools.iter().map(|(id, tool)| (id.clone(), tool.clone())));
        let notices = Arc::clone(&config.notices);
        let tools = checked(&given, |_| Declared::default());
        Registry {
            given,
            tools,
            own: config.tools.keys().cloned().collect(),
            adapters: config.adapters.clone(),
            kinds: BTreeMap::new(),
            unbound,
            grants: config.grants.clone(),
            is_agents: false,
            model,
            stores: None,
            notices,
            unreadable,
            _keeper: Arc::clone(&config.keeper),
        }
    }

    /// The same for an agent, which declares something of its tools.
    #[must_use]
    pub fn for_plan(mut self, plan: &Plan) -> Registry {
        self.is_agents = true;
        self.tools = checked(&self.given, |id| Declared::of(plan, id));
        let tools = plan.tools().into_iter();
        let kinds = tools.filter_map(|id| {
            let kind = Declared::of(plan, &id).tool_type()?.into();
            Some((id, kind))
        });
        self.kinds = kinds.collect();
        self
    }

    /// The same with stores that outlive a run.
    #[must_use]
    pub fn with_stores(mut self, stores: Arc<dyn Adapter>) -> Registry {
        self.stores = Some(stores);
        self
    }

    /// What is known of a tool, asked before a run starts: what it then says holds for the whole
    /// run. Nothing, where nothing would answer.
    pub fn resolve(&self, tool: &str) -> Option<ToolContract> {
        match self.tools.get(tool) {
            Some(checked) => Some(checked.pinned()),
            None if self.unbound == Unbound::MakeUp => Some(made_up_contract()),
            None => None,
        }
    }

    /// The same for what is called as `namespace.VERB`.
    pub fn resolve_adapter(&self, name: &str) -> Option<ToolContract> {
        let (space, verb) = name.split_once('.')?;
        if STORES.contains(&space) {
            return None;
        }
        if let Some((_, bound)) = self.tool_for(space, verb) {
            return Some(bound.pinned());
        }
        let contract = self.adapters.contract(space, verb);
        let is_made_up = self.unbound == Unbound::MakeUp;
        contract.or_else(|| is_made_up.then(made_up_contract))
    }

    /// Whether something answers what is called as `namespace.VERB`, so that nothing is made up.
    pub fn is_adapter_bound(&self, name: &str) -> bool {
        self.resolve_adapter(name).is_some_and(|contract| !contract.made_up)
    }

    /// The tool that is bound to a verb, or to all of its namespace.
    fn tool_for(&self, space: &str, verb: &str) -> Option<(Text, &Checked)> {
        let exact: Text = format!("{space}.{verb}").into();
        let other = || self.own.iter().find(|id| names_verb(id, space, verb));
        let own = self.own.get(&exact).or_else(other);
        let whole = || (!adapters::BUILT_IN.contains(&space)).then(|| self.own.get(space))?;
        let id = own.or_else(whole)?.clone();
        let bound = self.tools.get(&id)?;
        Some((id, bound))
    }

    /// What a tool says of itself, for the models that it is offered to.
    pub fn described(&self, tool: &str) -> Described {
        self.tools.get(tool).map(|bound| bound.described()).unwrap_or_default()
    }

    /// A tool as it answers calls: with its checks.
    pub fn bound(&self, tool: &str) -> Option<&dyn Bound> {
        self.tools.get(tool).map(|checked| checked as &dyn Bound)
    }

    /// Whether something is bound to a tool, so that nothing is made up in its place.
    pub fn is_bound(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    fn not_granted(&self, id: &Text, bound: &Checked) -> Option<Fault> {
        if !self.is_agents {
            return None;
        }
        let fault = runtime::not_granted(id, &bound.pinned().permissions, &self.grants)?;
        Some(fault.with_happened(Happened::No))
    }

    /// The run was asked by what its history says. Here it is what is bound: also for a tool that
    /// the run did not know when it began.
    fn call_bound(&self, id: &Text, bound: &Checked, call: Call) -> Calling {
        match self.not_granted(id, bound) {
            Some(fault) => Calling::Now(Answer::Failed(fault)),
            None => bound.call(call),
        }
    }

    fn call_adapter(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        match self.adapters.of(&tool.server, &tool.tool) {
            Some(adapter) => adapter.call(call),
            None if self.unbound == Unbound::MakeUp => {
                Calling::Now(Answer::Value(adapters::made_up(tool)))
            }
            None => adapters::unbound(tool),
        }
    }

    fn call_unbound(&self, tool: &ToolCall) -> Calling {
        if self.unbound == Unbound::MakeUp {
            return Calling::Now(Answer::Value(made_up(tool)));
        }
        let id = &tool.tool;
        if let Some(why) = &self.unreadable {
            return nothing_there(format!("nothing answers the tool `{id}`: {why}"));
        }
        let near = nearest(id, self.tools.keys().map(|known| &**known));
        let near = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
        let key = if is_bare(id) { id.to_string() } else { json::compact(&Value::text(&**id)) };
        let kind = self.kinds.get(id).map_or("", |kind| kind);
        let binding = binding_of(kind, &key);
        nothing_there(format!(
            "nothing answers the tool `{id}`{near}; bind it in quipu.toml, or run with \
             `--model stub:high`:\n\n{binding}"
        ))
    }
}

/// Whether a tool's id names a verb: in which case people write verbs is theirs to choose.
pub(crate) fn names_verb(id: &str, space: &str, verb: &str) -> bool {
    let named = id.split_once('.').filter(|(own, _)| *own == space);
    named.is_some_and(|(_, own)| own.eq_ignore_ascii_case(verb))
}

impl Adapter for Registry {
    fn parts(&self, call: &ToolCall) -> Vec<Text> {
        if TOOLS.contains(&&*call.server) {
            return self.tools.get(&call.tool).map(|bound| bound.consists_of()).unwrap_or_default();
        }
        let Some((id, bound)) = self.tool_for(&call.server, &call.tool) else { return Vec::new() };
        std::iter::once(id).chain(bound.consists_of()).collect()
    }

    fn notices(&self, run: &str) -> Vec<Notice> {
        self.notices.take(run)
    }

    fn call(&self, call: Call) -> Calling {
        match &call.request {
            Request::Model(_) => self.model.call(call),
            Request::Tool(tool) if is_store(tool) => match &self.stores {
                Some(stores) => stores.call(call),
                None => nothing_there(format!("no store is open for `{}`", call.at)),
            },
            Request::Tool(tool) if TOOLS.contains(&&*tool.server) => {
                match self.tools.get(&tool.tool) {
                    Some(bound) => self.call_bound(&tool.tool.clone(), bound, call),
                    None => self.call_unbound(tool),
                }
            }
            Request::Tool(tool) => match self.tool_for(&tool.server, &tool.tool) {
                Some((id, bound)) => {
                    let mut own = tool.clone();
                    own.args = adapters::for_tool(tool, id != tool.server);
                    (own.server, own.tool) = (TOOLS[0].into(), id.clone());
                    let request = Request::Tool(own);
                    self.call_bound(&id, bound, Call { request, ..call })
                }
                None => self.call_adapter(call),
            },
            Request::Question(_) | Request::Timer(_) => Calling::misrouted(&call),
        }
    }
}

/// Whether what a call is about is kept beside the histories.
fn is_store(tool: &ToolCall) -> bool {
    tool.store.is_some() || STORES.contains(&&*tool.server)
}

fn nothing_there(message: String) -> Calling {
    let fault = Fault::new(FaultKind::Missing, message).with_happened(Happened::No);
    Calling::Now(Answer::Failed(fault))
}

/// How a tool of a kind can be bound.
fn binding_of(kind: &str, key: &str) -> String {
    let (before, line) = match kind {
        "browser" => (
            "# a browser is driven by an MCP server, whose tools are then accepted\n\
             [mcp.browser]\ncommand = [\"./browser-mcp\"]\n\n",
            "mcp = \"browser\"",
        ),
        "mcp" => ("[mcp.server]\ncommand = [\"./server\"]\n\n", "mcp = \"server\""),
        "api" => ("", "http = \"GET https://example.com/path?q={query}\""),
        "shell" => ("", "shell = [\"/usr/bin/git\", \"log\", \"-n\", \"{count}\"]"),
        "composite" => ("", "composite = [\"first\", \"second\"]"),
        _ => ("", "command = [\"./program\"]"),
    };
    format!("{before}[tools.{key}]\n{line}\n")
}

/// Whether TOML takes it for a key without quotes.
pub(crate) fn is_bare(id: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    !id.is_empty() && id.chars().all(is_part)
}

fn checked<'p>(
    given: &BTreeMap<Text, Tool>,
    declared: impl Fn(&str) -> Declared<'p>,
) -> BTreeMap<Text, Checked> {
    let check = |(id, tool): (&Text, &Tool)| {
        (id.clone(), Checked::new(id, &tool.bound, &tool.terms, &declared(id)))
    };
    given.iter().map(check).collect()
}

/// How long a made-up answer is at most, in characters.
const MADE_UP_MAX: usize = 200;

fn made_up(tool: &ToolCall) -> Value {
    let answer = format!("stub-tool:{}:{}", tool.tool, input(&tool.args));
    answer.chars().take(MADE_UP_MAX).collect::<String>().into()
}

/// What a tool is given, by the names under which agents write it; empty text counts for nothing.
fn input(args: &Map) -> String {
    let texts =
        ["tool_input", "input", "action"].into_iter().filter_map(|name| match args.get(name)? {
            Value::Null => None,
            Value::Text(text) => Some(text.to_string()),
            other => Some(json::compact(other)),
        });
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}
