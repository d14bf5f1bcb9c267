//! `quipu tools call`

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use diagnostics::nearest;
use graph::{Again, Touches};
use host::config::Config;
use host::mcp::McpTool;
use host::models::Absent;
use host::tools::BUILTINS;
use host::{Adapter, Bound, Contract, Dispatcher, Limits, Registry, Unbound};
use runtime::{Answer, Fault, FaultKind, Request, ToolCall};
use value::{Map, Text, Value, json};

use super::agrees;
use crate::args::tools::Call;
use crate::opened::now;
use crate::running::{config, named_value, shown, stop_on_signals};
use crate::{Outcome, output};

/// How often it is looked whether somebody wants to stop.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn run(arguments: &Call) -> Result<Outcome> {
    let config = config(arguments.config.as_deref())?;
    let args = given(arguments)?;
    let id = Text::from(arguments.tool.as_str());
    let (adapter, contract) = find(&config, &id)?;
    if contract.touches == Touches::Write
        && !arguments.yes
        && !agrees(&format!("`{id}` may change something; call it?"))?
    {
        let fault = Fault::new(FaultKind::Denied, "nobody agreed, and it was not called");
        return failed(arguments, &id, &fault);
    }
    let answer = call(&config, &*adapter, &id, contract, args)?;
    let Some(answer) = answer else { return Ok(Outcome::Interrupted) };
    match answer {
        Answer::Value(value) => {
            if arguments.format.is_json() {
                let done = [("ok", true.into()), ("tool", Value::Text(id)), ("result", value)];
                output::print_json(&Value::map(done))?;
            } else if let Value::Text(_) = &value {
                output::print(&shown(&value))?;
            } else {
                output::print(&json::pretty(&value))?;
            }
            Ok(Outcome::Fine)
        }
        Answer::Failed(fault) => failed(arguments, &id, &fault),
        _ => bail!("`{id}` answers what no tool answers"),
    }
}

/// The arguments.
fn given(arguments: &Call) -> Result<Map> {
    match &arguments.args {
        None => arguments.values.iter().map(|words| named_value(words)).collect(),
        Some(text) => {
            let value = json::parse(text).map_err(|error| anyhow::anyhow!("{}", error.message));
            let value = value.context("`--args` is no JSON")?;
            match value {
                Value::Map(map) => Ok(Arc::unwrap_or_clone(map)),
                other => bail!("`--args` must be a JSON object, and is {}", other.kind()),
            }
        }
    }
}

/// What answers a tool: as in a run, or a tool of a server by its full name.
fn find(config: &Config, id: &Text) -> Result<(Arc<dyn Adapter>, Contract)> {
    let registry = Registry::new(config, Arc::new(Absent), Unbound::Fail);
    if let Some(known) = registry.resolve(id) {
        let contract = Contract { touches: known.touches, again: known.again };
        return Ok((Arc::new(registry), contract));
    }
    if let Some((server, tool)) = id.split_once('.')
        && let Some(server) = config.servers.get(server)
    {
        let bound = McpTool {
            id: id.clone(),
            server: server.clone(),
            tool: tool.into(),
            contract: Contract { touches: Touches::Write, again: Again::ByAsking },
            timeout: None,
        };
        let contract = bound.contract();
        return Ok((Arc::new(bound), contract));
    }
    let builtin = BUILTINS.iter().map(|tool| tool.name);
    let known: Vec<&str> = config.tools.keys().map(|id| &**id).chain(builtin).collect();
    match nearest(id, known) {
        Some(near) => bail!("there is no tool `{id}`; did you mean `{near}`?"),
        None => bail!("there is no tool `{id}`; `quipu tools list` shows all of them"),
    }
}

/// Calls it, and waits; nothing comes back when somebody interrupts.
fn call(
    config: &Config,
    adapter: &dyn Adapter,
    id: &Text,
    contract: Contract,
    args: Map,
) -> Result<Option<Answer>> {
    let stop = stop_on_signals()?;
    let tool = ToolCall {
        server: "tool".into(),
        tool: id.clone(),
        args,
        touches: contract.touches,
        again: contract.again,
        nth: 1,
        store: None,
        timeout_ms: None,
    };
    let number = uuid::Uuid::now_v7().to_string();
    let call = host::Call {
        run: format!("call-{number}").into(),
        at: "call".into(),
        request: Request::Tool(Box::new(tool)),
        key: number.into(),
        attempt: 1,
        now: now()?,
    };
    let dispatcher = Dispatcher::new(&Limits::of(config));
    let (sender, answers) = channel();
    let answer = match dispatcher.start(Default::default(), call, adapter, &sender, None) {
        Some(answer) => Some(answer),
        None => loop {
            match answers.recv_timeout(LOOK) {
                Ok((_, answer)) => break Some(answer),
                Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
                Err(_) => break None,
            }
        },
    };
    dispatcher.shutdown(Duration::ZERO);
    Ok(answer)
}

fn failed(arguments: &Call, id: &Text, fault: &Fault) -> Result<Outcome> {
    if arguments.format.is_json() {
        let error = Value::map([
            ("code", Value::text(fault.kind.word())),
            ("message", Value::Text(fault.message.clone())),
            ("details", fault.details.clone().unwrap_or_default()),
        ]);
        let done = [("ok", false.into()), ("tool", Value::Text(id.clone())), ("error", error)];
        output::print_json(&Value::map(done))?;
    } else {
        output::note(&format!("{}: {}", fault.kind.word(), fault.message));
        if fault.is_in_doubt() {
            output::note("  what it does may have happened");
        }
    }
    Ok(Outcome::Found)
}
