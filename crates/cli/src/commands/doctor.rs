//! `quipu doctor`

use std::path::Path;

use anyhow::{Context, Result};
use host::Python;
use host::config::Config;
use host::mcp::pins::FILE;
use host::models::{Providers, process_variables};
use value::Value;

use crate::args::running::Doctor;
use crate::commands::tools::servers::{Found, ask, pins};
use crate::opened::{Access, open, path};
use crate::running::config;
use crate::{Outcome, output};

/// Something that was looked at.
struct Check {
    name: String,
    /// What is wrong, or how it is.
    found: Result<String, String>,
}

pub(crate) fn run(arguments: &Doctor) -> Result<Outcome> {
    let mut checks = vec![
        Check { name: "quipu".into(), found: Ok(env!("CARGO_PKG_VERSION").into()) },
        logic(),
        store(arguments),
    ];
    match config(arguments.config.as_deref()) {
        Ok(config) => {
            checks.extend(tools(&config));
            checks.extend(adapters(&config));
            checks.extend(models(&config, arguments.online));
            checks.extend(servers(&config));
            checks.extend(folders(&config));
        }
        Err(error) => {
            checks.push(Check { name: "quipu.toml".into(), found: Err(output::told(&error)) })
        }
    }
    let is_fine = checks.iter().all(|check| check.found.is_ok());
    if arguments.format.is_json() {
        let items = checks.iter().map(|check| {
            let detail = match &check.found {
                Ok(found) | Err(found) => found.as_str(),
            };
            Value::map([
                ("name", Value::text(&*check.name)),
                ("ok", check.found.is_ok().into()),
                ("detail", Value::text(detail)),
            ])
        });
        output::print_json(&Value::map([("ok", is_fine.into()), ("checks", Value::list(items))]))?;
    } else {
        let rows: Vec<[String; 3]> = checks
            .into_iter()
            .map(|check| match check.found {
                Ok(found) => ["ok".into(), check.name, found],
                Err(wrong) => ["WRONG".into(), check.name, wrong],
            })
            .collect();
        output::print(&output::table(&rows))?;
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Found })
}

fn logic() -> Check {
    let found = Python::check("state.data[\"x\"] = 1").map(|()| "blocks of Python can run".into());
    Check { name: "logic".into(), found: found.map_err(|fault| fault.to_string()) }
}

fn store(arguments: &Doctor) -> Check {
    let looked = || -> Result<String> {
        let Some(path) = path(&arguments.store)? else { return Ok("in memory".into()) };
        writable(&path)?;
        if !path.exists() {
            return Ok(format!("`{}` will be made by the first run", path.display()));
        }
        let store = open(&arguments.store, Access::Read)?;
        let damage = store.check_files()?;
        match damage.first() {
            None => Ok(format!("`{}` is sound; `quipu verify` reads all of it", path.display())),
            Some(first) => anyhow::bail!("`{}` is damaged: {first}", path.display()),
        }
    };
    Check { name: "store".into(), found: looked().map_err(|error| output::told(&error)) }
}

/// Whether files can be made where the store is, or will be. SQLite makes some beside its own.
fn writable(store: &Path) -> Result<()> {
    let whole = std::path::absolute(store)?;
    let Some(folder) = whole.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Ok(());
    };
    let trial = folder.join(format!(".quipu-doctor-{}", std::process::id()));
    std::fs::write(&trial, "")
        .and_then(|()| std::fs::remove_file(&trial))
        .with_context(|| format!("`{}` cannot be written", folder.display()))
}

fn tools(config: &Config) -> Vec<Check> {
    let all = config.tools.iter();
    all.map(|(id, tool)| Check { name: format!("tool {id}"), found: tool.bound.look() }).collect()
}

/// What `R http.GET` and its kind may do here.
fn adapters(config: &Config) -> Vec<Check> {
    let all = config.adapters.look().into_iter();
    all.map(|(name, found)| Check { name: format!("adapter {name}"), found }).collect()
}

/// Which models can be asked. What their keys are is nobody's business.
fn models(config: &Config, online: bool) -> Vec<Check> {
    let looked = Providers::new(config, process_variables()).look(online);
    looked.into_iter().map(|(name, found)| Check { name, found }).collect()
}

/// Whether the servers can be reached, and offer what was accepted.
fn servers(config: &Config) -> Vec<Check> {
    let pins = match pins(config) {
        Ok(pins) => pins,
        Err(error) => {
            return vec![Check { name: FILE.into(), found: Err(output::told(&error)) }];
        }
    };
    let asked = ask(config.servers.values());
    let checks = asked.iter().map(|asked| {
        let name = asked.server.name();
        let found = asked.server.look().and_then(|place| match &asked.offers {
            Ok(_) => standing(&place, &asked.found(&pins)),
            Err(why) => Err(why.clone()),
        });
        let found = found.map_err(|why| match why.contains("quipu tools accept") {
            true => why,
            false => format!("{why}; put `[mcp.{name}]` in quipu.toml right, or start it"),
        });
        Check { name: format!("mcp {name}"), found }
    });
    checks.collect()
}

fn standing(place: &str, found: &[Found]) -> Result<String, String> {
    let of = |word: &str| -> Vec<String> {
        found.iter().filter(|found| found.state.word() == word).map(Found::name).collect()
    };
    let other: Vec<String> = of("changed").into_iter().chain(of("gone")).collect();
    if !other.is_empty() {
        return Err(format!(
            "{} {} not what was accepted; `quipu tools accept {}` shows what is different",
            other.join(", "),
            if other.len() == 1 { "is" } else { "are" },
            other.join(" ")
        ));
    }
    let accepted = output::plural(of("ok").len(), "tool");
    Ok(match of("new").len() {
        0 => format!("{place}: {accepted} accepted"),
        new => format!("{place}: {accepted} accepted, {new} not yet (`quipu tools list`)"),
    })
}

fn folders(config: &Config) -> Vec<Check> {
    let all = config.stores.iter();
    all.map(|(id, folder)| Check { name: format!("store {id}"), found: folder.look() }).collect()
}
