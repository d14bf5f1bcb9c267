//! `quipu tools list`

use std::any::Any;
use std::collections::BTreeMap;

use anyhow::Result;
use graph::{Again, Touches};
use host::config::Config;
use host::mcp::pins::State;
use host::mcp::{McpResource, McpTool};
use host::tools::{BUILTINS, Builtin};
use host::{Bound, Contract};
use value::{Text, Value};

use super::servers::{Asked, Found, ask, pins};
use crate::args::tools::List;
use crate::running::config;
use crate::{Outcome, output};

/// A tool, as it is listed.
struct Row {
    id: String,
    /// `built in`, `quipu.toml` or `server`.
    source: &'static str,
    server: Option<Text>,
    /// Its name at its server.
    tool: Option<Text>,
    state: &'static str,
    /// What is wrong with it.
    detail: Option<String>,
    /// Where it is not what was accepted.
    changes: Vec<String>,
    contract: Contract,
    description: Option<Text>,
}

pub(crate) fn run(arguments: &List) -> Result<Outcome> {
    let config = config(arguments.config.as_deref())?;
    let pins = pins(&config)?;
    if !config.servers.is_empty() && !arguments.format.is_json() {
        let names: Vec<&str> = config.servers.keys().map(|name| &**name).collect();
        output::note(&format!("asking the servers {} ...", names.join(", ")));
    }
    let asked = ask(config.servers.values());
    let found: Vec<Found> = asked.iter().flat_map(|asked| asked.found(&pins)).collect();
    let mut rows = bound(&config, &asked, &found);
    rows.extend(found.iter().map(of_server));
    let is_fine = asked.iter().all(|asked| asked.offers.is_ok())
        && rows.iter().all(|row| matches!(row.state, "ok" | "new"));
    if arguments.format.is_json() {
        let servers = asked.iter().map(|asked| {
            let state = if asked.offers.is_ok() { "ok" } else { "unreachable" };
            Value::map([
                ("name", Value::Text(asked.server.name().clone())),
                ("state", state.into()),
                ("detail", asked.offers.as_ref().err().map(String::as_str).into()),
            ])
        });
        output::print_json(&Value::map([
            ("ok", is_fine.into()),
            ("tools", Value::list(rows.iter().map(Row::to_value))),
            ("servers", Value::list(servers)),
        ]))?;
    } else {
        show(&rows)?;
        for asked in &asked {
            if let Err(why) = &asked.offers {
                output::note(&format!(
                    "the server `{}` is unreachable: {why}",
                    asked.server.name()
                ));
            }
        }
        advise(&found);
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Found })
}

/// What can be called by its id: what is bound in `quipu.toml`, and what is built in.
fn bound(config: &Config, asked: &[Asked<'_>], found: &[Found]) -> Vec<Row> {
    let mut all: BTreeMap<Text, (&'static str, &dyn Bound)> = BTreeMap::new();
    let builtin: Vec<&'static Builtin> = BUILTINS.iter().collect();
    for tool in &builtin {
        all.insert(tool.name.into(), ("built in", tool));
    }
    for (id, tool) in &config.tools {
        all.insert(id.clone(), ("quipu.toml", &*tool.bound));
    }
    let rows = all.into_iter().map(|(id, (source, bound))| {
        let any: &dyn Any = bound;
        let (server, tool) =
            match (any.downcast_ref::<McpTool>(), any.downcast_ref::<McpResource>()) {
                (Some(bound), _) => (Some(bound.server.name().clone()), Some(bound.tool.clone())),
                (_, Some(bound)) => (Some(bound.server.name().clone()), None),
                (None, None) => (None, None),
            };
        let unreachable = asked.iter().find_map(|asked| {
            let is_its = Some(asked.server.name()) == server.as_ref();
            asked.offers.as_ref().err().filter(|_| is_its)
        });
        let offered = found.iter().find(|found| {
            Some(&found.server) == server.as_ref() && Some(found.offered.name()) == tool.as_deref()
        });
        let (state, detail) = match (unreachable, offered, bound.look()) {
            (Some(why), _, _) => ("unreachable", Some(why.clone())),
            (None, Some(found), _) => (found.state.word(), None),
            (None, None, _) if tool.is_some() => {
                ("gone", Some("the server has no such tool".to_owned()))
            }
            (None, None, Ok(_)) => ("ok", None),
            (None, None, Err(why)) => ("unreachable", Some(why)),
        };
        let changes = offered.map(changes).unwrap_or_default();
        let description = offered.and_then(|found| found.offered.description().cloned());
        let description = description.or_else(|| bound.described().description);
        let contract = bound.contract();
        Row {
            id: id.to_string(),
            source,
            server,
            tool,
            state,
            detail,
            changes,
            contract,
            description,
        }
    });
    rows.collect()
}

fn changes(found: &Found) -> Vec<String> {
    match &found.state {
        State::Changed(places) => places.clone(),
        _ => Vec::new(),
    }
}

/// What a server offers. Nobody has declared anything of it, so that the worst is assumed.
fn of_server(found: &Found) -> Row {
    Row {
        id: found.name(),
        source: "server",
        server: Some(found.server.clone()),
        tool: Some(found.offered.name().into()),
        state: found.state.word(),
        detail: None,
        changes: changes(found),
        contract: Contract { touches: Touches::Write, again: Again::ByAsking },
        description: found.offered.description().cloned(),
    }
}

impl Row {
    fn to_value(&self) -> Value {
        Value::map([
            ("id", Value::text(&*self.id)),
            ("source", self.source.into()),
            ("server", self.server.clone().into()),
            ("tool", self.tool.clone().into()),
            ("state", self.state.into()),
            ("detail", self.detail.as_deref().into()),
            ("changes", Value::list(self.changes.iter().map(|place| Value::text(&**place)))),
            ("touches", touches(self.contract).into()),
            ("again", again(self.contract).into()),
            ("description", self.description.clone().into()),
        ])
    }
}

/// What it touches, in the words of `quipu.toml` and a few more for what is built in.
fn touches(contract: Contract) -> &'static str {
    contract.touches.word()
}

fn again(contract: Contract) -> &'static str {
    match contract.again {
        Again::Freely => "free",
        Again::WithKey => "key",
        Again::ByAsking => "ask",
    }
}

fn show(rows: &[Row]) -> Result<()> {
    let head = ["TOOL", "STATE", "TOUCHES", "AGAIN", "FROM", "WHAT IT DOES"].map(str::to_owned);
    let cells = rows.iter().map(|row| {
        let description = row.description.as_deref().or(row.detail.as_deref()).unwrap_or_default();
        let first = description.lines().map(str::trim).find(|line| !line.is_empty());
        let first: String = first.unwrap_or_default().chars().take(80).collect();
        let from = match &row.server {
            Some(server) => {
                format!("{} {server}", if row.source == "server" { "on" } else { "bound to" })
            }
            None => row.source.to_owned(),
        };
        [
            row.id.clone(),
            row.state.to_owned(),
            touches(row.contract).to_owned(),
            again(row.contract).to_owned(),
            from,
            first,
        ]
    });
    let rows: Vec<[String; 6]> = [head].into_iter().chain(cells).collect();
    output::print(&output::table(&rows))
}

/// What to do about tools that cannot be called as they are.
fn advise(found: &[Found]) {
    let mut words: Vec<&str> =
        found.iter().map(|found| found.state.word()).filter(|word| *word != "ok").collect();
    words.sort_unstable();
    words.dedup();
    if !words.is_empty() {
        output::note(&format!(
            "next: `quipu tools accept SERVER.TOOL` shows what is {}, and accepts it",
            words.join(" or ")
        ));
    }
}
