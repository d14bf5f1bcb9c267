//! `quipu tools accept`: the only place that writes `quipu.lock`.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use diagnostics::nearest;
use host::config::Config;
use host::mcp::pins::State;
use value::{Text, Value, json};

use super::agrees;
use super::servers::{Found, ask, pins};
use crate::args::tools::Accept;
use crate::running::config;
use crate::{Outcome, output};

pub(crate) fn run(arguments: &Accept) -> Result<Outcome> {
    let config = config(arguments.config.as_deref())?;
    let wanted = wanted(&config, arguments)?;
    let Some(any) = config.servers.values().next() else {
        bail!("there is no server in quipu.toml; `[mcp.NAME]` names one");
    };
    let lock = any.lock();
    let servers: BTreeSet<&str> = wanted.iter().map(|(server, _)| &**server).collect();
    let asked = ask(config.servers.values().filter(|server| servers.contains(&**server.name())));
    let pins = pins(&config)?;
    let mut all: Vec<Found> = Vec::new();
    let mut is_fine = true;
    for asked in &asked {
        match &asked.offers {
            Ok(_) => all.extend(asked.found(&pins)),
            Err(why) => {
                is_fine = false;
                output::note(&format!("error: the server `{}`: {why}", asked.server.name()));
            }
        }
    }
    for (server, tool) in wanted.iter().filter(|_| is_fine) {
        if let Some(tool) = tool {
            known(&all, server, tool)?;
        }
    }
    let is_wanted = |found: &Found| {
        wanted.iter().any(|(server, tool)| {
            **server == *found.server
                && tool.as_deref().is_none_or(|tool| tool == found.offered.name())
        })
    };
    let is_open = |found: &Found| found.state != State::Fine;
    let open: Vec<Found> =
        all.into_iter().filter(|found| is_wanted(found) && is_open(found)).collect();
    if is_fine && !open.is_empty() {
        open.iter().for_each(show);
        let count = output::plural(open.len(), "tool");
        if !arguments.yes && !agrees(&format!("accept {count}?"))? {
            output::note("nothing was accepted");
            return report(arguments, lock.path(), false, &[]);
        }
        let mut accepted = (*pins).clone();
        for found in &open {
            match found.state {
                State::Gone => accepted.remove(&found.server, found.offered.name()),
                _ => accepted.accept(&found.server, found.offered.clone()),
            }
        }
        lock.write(&accepted)?;
    }
    let open = if is_fine { open } else { Vec::new() };
    report(arguments, lock.path(), is_fine, &open)
}

/// The servers that are meant, each with a tool where one is named.
fn wanted(config: &Config, arguments: &Accept) -> Result<Vec<(Text, Option<Text>)>> {
    if arguments.all {
        return Ok(config.servers.keys().map(|name| (name.clone(), None)).collect());
    }
    let wanted = arguments.names.iter().map(|name| {
        let (server, tool) = match name.split_once('.') {
            Some((server, tool)) => (server, Some(tool.into())),
            None => (name.as_str(), None),
        };
        if config.servers.contains_key(server) {
            return Ok((server.into(), tool));
        }
        match nearest(server, config.servers.keys().map(|known| &**known)) {
            Some(near) => bail!("there is no server `{server}`; did you mean `{near}`?"),
            None => bail!("there is no server `{server}` in quipu.toml; `[mcp.NAME]` names one"),
        }
    });
    wanted.collect()
}

/// A tool that is named must be there.
fn known(all: &[Found], server: &str, tool: &str) -> Result<()> {
    let names = || all.iter().filter(|found| &*found.server == server).map(|it| it.offered.name());
    if names().any(|name| name == tool) {
        return Ok(());
    }
    match nearest(tool, names()) {
        Some(near) => bail!("`{server}` has no tool `{tool}`; did you mean `{near}`?"),
        None => bail!("`{server}` has no tool `{tool}`; `quipu tools list` shows what it has"),
    }
}

/// Everything that a model would be told, or what is different in it.
fn show(found: &Found) {
    let mut lines = vec![format!("{} is {}", found.name(), found.state.word())];
    match &found.state {
        State::Changed(places) => lines.extend(places.iter().map(|place| format!("  {place}"))),
        State::New => {
            let described = found.offered.description().map_or("(no description)", |text| text);
            lines.extend(described.lines().map(|line| format!("  {line}")));
            let schema = found.offered.input().map(json::compact).unwrap_or_default();
            lines.push(format!("  takes {schema}"));
        }
        State::Gone => lines.push("  the server has it no more; it will be forgotten".to_owned()),
        State::Fine => {}
    }
    output::note(&lines.join("\n"));
}

fn report(
    arguments: &Accept,
    lock: &std::path::Path,
    is_fine: bool,
    accepted: &[Found],
) -> Result<Outcome> {
    if arguments.format.is_json() {
        let items = accepted.iter().map(|found| {
            let changes = match &found.state {
                State::Changed(places) => places.as_slice(),
                _ => &[],
            };
            Value::map([
                ("server", Value::Text(found.server.clone())),
                ("tool", found.offered.name().into()),
                ("state", found.state.word().into()),
                ("hash", Value::text(found.offered.hash().to_string())),
                ("changes", Value::list(changes.iter().map(|place| Value::text(&**place)))),
            ])
        });
        output::print_json(&Value::map([
            ("ok", is_fine.into()),
            ("lock", Value::text(lock.display().to_string())),
            ("accepted", Value::list(items)),
        ]))?;
    } else if is_fine {
        let count = output::plural(accepted.len(), "tool");
        output::print(&match accepted {
            [] => "everything is as it was accepted".to_owned(),
            _ => format!("{count} accepted in `{}`", lock.display()),
        })?;
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Found })
}
