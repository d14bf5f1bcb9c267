//! Tools that are bound to servers.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::CallToolResponse;
use runtime::{Answer, Fault, FaultKind, Happened, Request};
use value::{Map, Text, Value, digest, json};

use super::notices::Noticed;
use super::server::{Meta, Server, check};
use super::template::Template;
use super::trouble::{Left, Trouble};
use super::{answer, pins::Pins};
use crate::adapter::{Adapter, Bound, Call, Calling, Contract, Described, shorter};

/// A tool of a server.
#[derive(Clone, Debug)]
pub struct McpTool {
    /// The tool's id.
    pub id: Text,
    /// Whose it is.
    pub server: Arc<Server>,
    /// Its name there.
    pub tool: Text,
    /// What the operator declared.
    pub contract: Contract,
    /// How long a call may take, where somebody said so.
    pub timeout: Option<Duration>,
}

/// A resource of a server, or many that have addresses of one form.
#[derive(Clone, Debug)]
pub struct McpResource {
    /// The tool's id.
    pub id: Text,
    /// Whose it is.
    pub server: Arc<Server>,
    /// Where it is.
    pub uri: Template,
    /// What the operator declared.
    pub contract: Contract,
    /// How long a call may take, where somebody said so.
    pub timeout: Option<Duration>,
}

/// A tool that several servers have, so that nobody can say which is meant.
#[derive(Clone, Debug)]
pub(crate) struct Ambiguous {
    /// The tool's id.
    pub id: Text,
    /// The servers.
    pub servers: Vec<Text>,
}

/// How long a call may take.
fn time_max(server: &Server, tool: Option<Duration>, call_ms: Option<u64>) -> Duration {
    shorter(tool, call_ms).unwrap_or_else(|| server.time_max())
}

/// Makes a call, and puts into words what became of it.
fn later(
    id: Text,
    server: Arc<Server>,
    contract: Contract,
    work: impl Future<Output = Result<Value, Trouble>> + Send + 'static,
) -> Calling {
    Calling::Later(Box::pin(async move {
        match work.await {
            Ok(value) => Answer::Value(server.secrets().hide_in(value)),
            Err(mut trouble) => {
                trouble.message = server.secrets().hide(&trouble.message);
                Answer::Failed(trouble.fault(&id, contract.lost()))
            }
        }
    }))
}

/// Arguments as the library takes them, and as the tool declares them: an agent without an input
/// schema gives everything as `input`.
fn arguments(args: &Map, schema: Option<&Value>) -> serde_json::Map<String, serde_json::Value> {
    let fitted = schema.and_then(|schema| fitted(args, schema));
    let text = json::compact(fitted.as_ref().unwrap_or(&args.clone().into()));
    serde_json::from_str(&text).unwrap_or_default()
}

/// The arguments of a tool that is given nothing but an `input` which it does not know: the object
/// that the input is, written out or not, else the only argument that the tool has.
fn fitted(args: &Map, schema: &Value) -> Option<Value> {
    let properties = schema.get("properties").and_then(Value::as_map)?;
    let input = args.get("input").filter(|_| args.len() == 1)?;
    if properties.contains_key("input") {
        return None;
    }
    let written = match input {
        Value::Text(text) => json::parse(text).unwrap_or_default(),
        other => other.clone(),
    };
    if let Value::Map(_) = written {
        return Some(written);
    }
    let required = schema.get("required").and_then(Value::as_list).unwrap_or_default();
    let only = match (required, properties.len()) {
        ([Value::Text(only)], _) => Some(only.clone()),
        (_, 1) => properties.keys().next().cloned(),
        _ => None,
    };
    match only {
        Some(only) => Some(Value::map([(only, input.clone())])),
        // Nothing was given.
        None if *input == Value::text("") => Some(Value::map::<Text>([])),
        None => None,
    }
}

impl Adapter for McpTool {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let time_max = time_max(&self.server, self.timeout, tool.timeout_ms);
        let arguments = arguments(&tool.args, self.described().input.as_ref());
        let (server, name) = (Arc::clone(&self.server), self.tool.clone());
        server.notices().listen(&call.run, server.name());
        let meta = Meta { key: call.key.clone() };
        let work = async move {
            let called = server.with(move |server, session| {
                let params = meta.params(&name, arguments.clone());
                let name = name.clone();
                async move {
                    check(&server, &session, &name).await?;
                    session.call(params, time_max).await
                }
            });
            match called.await? {
                CallToolResponse::Complete(result) => answer::of_tool(&result),
                _ => {
                    let message = "the tool wants to be asked again later, or to be told more: \
                                   Quipu does not do that";
                    let trouble = Trouble::before(FaultKind::Tool, message);
                    Err(Trouble { left: Left::Lost, ..trouble })
                }
            }
        };
        later(self.id.clone(), Arc::clone(&self.server), self.contract, work)
    }
}

impl Bound for McpTool {
    fn contract(&self) -> Contract {
        self.contract
    }

    fn described(&self) -> Described {
        let pins = self.server.lock().pins().unwrap_or_default();
        let Some(offered) = pins.get(self.server.name(), &self.tool) else {
            return Described::default();
        };
        Described {
            description: offered.description().cloned(),
            input: offered.input().cloned(),
            output: offered.output().cloned(),
        }
    }

    fn arranged(&self, args: &Map) -> Option<Value> {
        fitted(args, self.described().input.as_ref()?)
    }

    fn has_credentials(&self) -> bool {
        self.server.has_credentials()
    }

    fn look(&self) -> Result<String, String> {
        let (server, tool) = (self.server.name(), &self.tool);
        self.server.look()?;
        let pins = self.server.lock().pins().map_err(|error| error.to_string())?;
        match pins.get(server, tool) {
            Some(_) => Ok(format!("`{tool}` of the server `{server}`")),
            None => Err(format!(
                "`{tool}` of the server `{server}` was never accepted; look at it, then `quipu \
                 tools accept {server}.{tool}`"
            )),
        }
    }
}

impl Adapter for McpResource {
    fn call(&self, call: Call) -> Calling {
        let Request::Tool(tool) = &call.request else { return Calling::misrouted(&call) };
        let time_max = time_max(&self.server, self.timeout, tool.timeout_ms);
        let uri = match self.uri.fill(&tool.args) {
            Ok(uri) => uri,
            Err(why) => {
                let message = format!("there is no address to read: {why}");
                let fault = Trouble::before(FaultKind::Tool, message);
                return Calling::Now(Answer::Failed(fault.fault(&self.id, Happened::No)));
            }
        };
        let (server, run) = (Arc::clone(&self.server), call.run.clone());
        server.notices().listen(&call.run, server.name());
        let meta = Meta { key: call.key.clone() };
        let work = async move {
            let (address, with) = (uri.clone(), Arc::clone(&server));
            let read = with.with(move |_, session| {
                let (uri, meta) = (uri.clone(), meta.object());
                async move {
                    let read = session.read(&uri, meta, time_max).await?;
                    session.subscribe(&uri).await;
                    Ok(read)
                }
            });
            let value = answer::of_resource(&read.await?)?;
            let value = server.secrets().hide_in(value);
            let hash = digest(&value).to_string();
            let read = Noticed::ResourceRead(address.into(), hash.into());
            server.notices().tell(&run, server.name(), read);
            Ok(value)
        };
        later(self.id.clone(), Arc::clone(&self.server), self.contract, work)
    }
}

impl Bound for McpResource {
    fn contract(&self) -> Contract {
        self.contract
    }

    fn described(&self) -> Described {
        // What has no parts of its own can stand in an address.
        let types = ["string", "number", "boolean"].map(Value::from);
        let text = Value::map([("type", Value::list(types))]);
        let properties = self.uri.arguments().map(|name| (name, text.clone()));
        let required = self.uri.arguments().map(Value::from);
        let input = Value::map([
            ("type", Value::from("object")),
            ("properties", Value::map(properties)),
            ("required", Value::list(required)),
        ]);
        Described { description: None, input: Some(input), output: None }
    }

    fn look(&self) -> Result<String, String> {
        self.server.look()?;
        Ok(format!("a resource of the server `{}`", self.server.name()))
    }
}

impl Ambiguous {
    fn told(&self) -> String {
        let (id, servers) = (&self.id, self.servers.join("` and `"));
        let first = self.servers.first().map_or("SERVER", |server| server);
        format!(
            "the tool `{id}` could be that of `{servers}`; say which in quipu.toml:\n\n\
             [tools.{id}]\nmcp = \"{first}\"\n"
        )
    }
}

impl Adapter for Ambiguous {
    fn call(&self, _: Call) -> Calling {
        let fault = Fault::new(FaultKind::Missing, self.told()).with_happened(Happened::No);
        Calling::Now(Answer::Failed(fault))
    }
}

impl Bound for Ambiguous {
    fn contract(&self) -> Contract {
        Contract::CAREFUL
    }

    fn look(&self) -> Result<String, String> {
        Err(self.told())
    }
}

/// The tools that were accepted, by the names that they have at their servers: so a spec need only
/// name them.
pub(crate) fn accepted<'a>(
    servers: impl Iterator<Item = &'a Arc<Server>> + Clone,
    pins: &Pins,
) -> Vec<(Text, Arc<dyn Bound>)> {
    let mut by_name: std::collections::BTreeMap<Text, Vec<&Arc<Server>>> = Default::default();
    for server in servers {
        for offered in pins.of(server.name()) {
            by_name.entry(offered.name().into()).or_default().push(server);
        }
    }
    let bound = by_name.into_iter().map(|(id, servers)| {
        let bound: Arc<dyn Bound> = match servers.as_slice() {
            [server] => Arc::new(McpTool {
                id: id.clone(),
                server: Arc::clone(server),
                tool: id.clone(),
                contract: Contract::CAREFUL,
                timeout: None,
            }),
            several => {
                let servers = several.iter().map(|server| server.name().clone()).collect();
                Arc::new(Ambiguous { id: id.clone(), servers })
            }
        };
        (id, bound)
    });
    bound.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_becomes_the_arguments_that_a_tool_declares() {
        let one = r#"{"properties": {"text": {}}}"#;
        let two = r#"{"properties": {"a": {}, "b": {}}}"#;
        let needed = r#"{"properties": {"a": {}, "b": {}}, "required": ["b"]}"#;
        for (args, schema, expected) in [
            (r#"{"input": "x"}"#, one, r#"{"text":"x"}"#),
            (r#"{"input": "7"}"#, one, r#"{"text":"7"}"#),
            (r#"{"input": "{\"text\": 1}"}"#, one, r#"{"text":1}"#),
            (r#"{"input": {"a": 1}}"#, two, r#"{"a":1}"#),
            (r#"{"input": "x"}"#, needed, r#"{"b":"x"}"#),
            (r#"{"input": "x"}"#, two, r#"{"input":"x"}"#),
            (r#"{"input": ""}"#, two, "{}"),
            (r#"{"input": "x"}"#, r#"{"properties": {"input": {}}}"#, r#"{"input":"x"}"#),
            (r#"{"input": "x", "more": 1}"#, one, r#"{"input":"x","more":1}"#),
            (r#"{"a": 1}"#, one, r#"{"a":1}"#),
            (r#"{"input": "x"}"#, "{}", r#"{"input":"x"}"#),
        ] {
            let args = json::parse(args).unwrap().as_map().unwrap().clone();
            let fitted = arguments(&args, Some(&json::parse(schema).unwrap()));
            assert_eq!(serde_json::to_string(&fitted).unwrap(), expected, "{args:?} {schema}");
        }
    }
}
